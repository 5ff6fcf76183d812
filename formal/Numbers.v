(** Numbers that are computed with, and what they mean in an ordered field.

    What is computed is kept apart from what it means, so that no field element is ever part of the program. Every test may
    say no where it should say yes. Q is closed: its meaning is Coq's Qc, and no axiom is used. *)

Require Import QArith Qcanon Lia ZArith Bool.
Require Import Deltachain.Fields.

Class Numbers := {
  num : Type; n0 : num; n1 : num;
  nadd : num -> num -> num; nmul : num -> num -> num; nsub : num -> num -> num;
  ndiv : num -> num -> num;                 (** proposes factors, which are then multiplied out: nothing is asked of it *)
  nlikely : num -> bool;                    (** proposes what is positive: nothing is asked of it either *)
  neq : num -> num -> bool; nle : num -> num -> bool; nlt : num -> num -> bool }.

Class Meaning (N : Numbers) (F : Type) {OF : OrderedField F} := {
  value : num -> F;
  value_0 : value n0 = f0; value_1 : value n1 = f1;
  value_add : forall a b, value (nadd a b) = fadd (value a) (value b);
  value_mul : forall a b, value (nmul a b) = fmul (value a) (value b);
  value_sub : forall a b, value (nsub a b) = fsub (value a) (value b);
  neq_eq : forall a b, neq a b = true -> value a = value b;
  nle_le : forall a b, nle a b = true -> fle (value a) (value b);
  nlt_lt : forall a b, nlt a b = true -> flt (value a) (value b) }.

(** ** Q *)

(** In lowest terms, by one greatest common divisor: [Qred] would go through it bit by bit. *)
Definition lowest (q : Q) : Q := let g := Z.gcd (Qnum q) (Zpos (Qden q)) in (Qnum q / g) # Z.to_pos (Zpos (Qden q) / g).
Lemma lowest_correct q : (lowest q == q)%Q.
Proof.
  destruct q as [n d]. unfold lowest, Qeq. cbn [Qnum Qden]. set (g := Z.gcd n (Zpos d)).
  assert (G : (0 < g)%Z).
  { pose proof (Z.gcd_nonneg n (Zpos d)). destruct (Z.eq_dec g 0) as [E|]; [|unfold g in *; lia]. apply Z.gcd_eq_0_r in E. discriminate. }
  destruct (Z.gcd_divide_l n (Zpos d)) as [a A]. destruct (Z.gcd_divide_r n (Zpos d)) as [b B]. fold g in A, B.
  assert (Db : (Zpos d / g = b)%Z) by (rewrite B; apply Z.div_mul; lia). assert (Na : (n / g = a)%Z) by (rewrite A at 1; apply Z.div_mul; lia).
  rewrite Na, Db, Z2Pos.id by nia. rewrite B, A at 1. ring.
Qed.

Definition Q_numbers : Numbers := {|
  num := Q; n0 := 0%Q; n1 := 1%Q;
  nadd a b := lowest (Qplus a b); nmul a b := lowest (Qmult a b); nsub a b := lowest (Qminus a b); ndiv a b := lowest (Qdiv a b);
  nlikely a := negb (Qle_bool a 0);
  neq := Qeq_bool; nle := Qle_bool; nlt a b := negb (Qle_bool b a) |}.

Lemma Qc_iter n : Nat.iter n (Qcplus 1) 0%Qc = Q2Qc (inject_Z (Z.of_nat n)).
Proof.
  induction n as [|n IH]; [apply Qc_is_canon; reflexivity|].
  change (Nat.iter (S n) (Qcplus 1) 0%Qc) with (1 + Nat.iter n (Qcplus 1) 0)%Qc. rewrite IH. apply Qc_is_canon.
  change (Qred (Qred 1 + Qred (inject_Z (Z.of_nat n))) == Qred (inject_Z (Z.of_nat (S n))))%Q. rewrite !Qred_correct.
  rewrite Nat2Z.inj_succ, <- Z.add_1_l, inject_Z_plus. reflexivity.
Qed.

#[global] Instance Qc_field : OrderedField Qc.
Proof.
  refine {| f0 := Q2Qc 0; f1 := Q2Qc 1; fadd := Qcplus; fmul := Qcmult; fsub := Qcminus; fopp := Qcopp;
    fdiv := Qcdiv; finv := Qcinv; fle := Qcle; f_field := Qcft |}.
  - apply Qcle_refl.
  - apply Qcle_trans.
  - apply Qcle_antisym.
  - intros a b. destruct (Qclt_le_dec b a) as [H|H]; [right; apply Qclt_not_le, H | left; exact H].
  - intros a b. destruct (Qclt_le_dec a b) as [H|H]; [left; apply Qclt_le_weak, H | right; exact H].
  - intros. apply Qcplus_le_compat; assumption.
  - intros a b Ha Hb. replace (Q2Qc 0) with (Q2Qc 0 * b)%Qc by ring. apply Qcmult_le_compat_r; assumption.
  - intros a b H. destruct (Qclt_le_dec b a) as [L|L]; [|exact L]. exfalso.
    assert (E : (0 < (a - b) * Q2Qc (1#2))%Qc).
    { replace 0%Qc with (0 * Q2Qc (1#2))%Qc by ring. apply Qcmult_lt_compat_r; [reflexivity|]. apply (Qclt_minus_iff b a), L. }
    specialize (H _ (Qclt_le_weak _ _ E) (not_eq_sym (Qclt_not_eq _ _ E))).
    assert (B : (b + (a - b) * Q2Qc (1#2) < a)%Qc).
    { apply Qclt_minus_iff. replace (a + - (b + (a - b) * Q2Qc (1#2)))%Qc with ((a - b) * Q2Qc (1#2))%Qc; [exact E|].
      assert (Ha : a = (a * Q2Qc (1#2) + a * Q2Qc (1#2))%Qc).
      { transitivity (a * (Q2Qc (1#2) + Q2Qc (1#2)))%Qc; [|ring]. replace (Q2Qc (1#2) + Q2Qc (1#2))%Qc with 1%Qc; [ring | apply Qc_is_canon; reflexivity]. }
      assert (Hb : b = (b * Q2Qc (1#2) + b * Q2Qc (1#2))%Qc).
      { transitivity (b * (Q2Qc (1#2) + Q2Qc (1#2)))%Qc; [|ring]. replace (Q2Qc (1#2) + Q2Qc (1#2))%Qc with 1%Qc; [ring | apply Qc_is_canon; reflexivity]. }
      set (h := Q2Qc (1#2)) in *. transitivity (a * h + a * h - (b * h + b * h) - (a - b) * h)%Qc; [ring|].
      rewrite <- Ha, <- Hb. ring. }
    apply (Qcle_not_lt _ _ H B).
  - intros a. exists (Z.to_nat (Z.max 0 (Qnum a))). change (a <= Nat.iter (Z.to_nat (Z.max 0 (Qnum a))) (Qcplus 1) 0)%Qc.
    rewrite Qc_iter. unfold Qcle, Q2Qc. cbn [this].
    rewrite Qred_correct. rewrite Z2Nat.id by lia. unfold Qle, inject_Z. simpl Qnum. simpl Qden. nia.
Defined.

#[global] Instance Q_in_Qc : Meaning Q_numbers Qc.
Proof.
  refine (@Build_Meaning Q_numbers Qc Qc_field (fun q : Q => Q2Qc q) _ _ _ _ _ _ _ _); simpl; intros; try reflexivity.
  - apply Qc_is_canon. change (Qred (lowest (a + b)) == Qred (Qred a + Qred b))%Q. rewrite !Qred_correct, lowest_correct. reflexivity.
  - apply Qc_is_canon. change (Qred (lowest (a * b)) == Qred (Qred a * Qred b))%Q. rewrite !Qred_correct, lowest_correct. reflexivity.
  - apply Qc_is_canon. change (Qred (lowest (a - b)) == Qred (Qred a + Qred (- Qred b)))%Q. rewrite !Qred_correct, lowest_correct. reflexivity.
  - apply Qc_is_canon. change (Qred a == Qred b)%Q. rewrite !Qred_correct. apply Qeq_bool_eq. assumption.
  - change (Qred a <= Qred b)%Q. rewrite !Qred_correct. apply Qle_bool_iff. assumption.
  - apply negb_true_iff in H. assert (~ (b <= a)%Q) as N by (intros L; apply Qle_bool_iff in L; congruence).
    apply Qnot_le_lt in N. split.
    + change (Qred a <= Qred b)%Q. rewrite !Qred_correct. apply Qlt_le_weak, N.
    + intros E. assert (Qred a == Qred b)%Q as E' by (change (this (Q2Qc a) == this (Q2Qc b))%Q; rewrite E; reflexivity).
      rewrite !Qred_correct in E'. apply (Qlt_not_eq _ _ N E').
Defined.
