(** Quotients of polynomials in X = e^(1/k), whose signs are told by rational enclosures: low <= e^(1/k) 2^places <= high. *)

Require Import Reals Lra Lia Psatz ZArith List QArith PArith Bool.
Require Import Deltachain.Fields Deltachain.Numbers Deltachain.Json Deltachain.Reader Deltachain.Formulas
  Deltachain.Quotients.
Import ListNotations.
Local Open Scope R_scope.

(** ** e^(1/k), by its series *)


Definition div_up (a b : Z) : Z := (- (- a / b))%Z.

Lemma div_le a b : (0 < b)%Z -> IZR (a / b) * IZR b <= IZR a.
Proof. intros H. rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. apply Z.mul_div_le. assumption. Qed.
Lemma div_up_ge a b : (0 < b)%Z -> IZR a <= IZR (div_up a b) * IZR b.
Proof. intros H. unfold div_up. rewrite opp_IZR. pose proof (div_le (- a) b H) as D. rewrite opp_IZR in D. lra. Qed.

Section Exp.
Variable k : Z.
Hypothesis k_pos : (0 < k)%Z.
Notation y := (/ IZR k).

Lemma k_ge1 : 1 <= IZR k. Proof. apply (IZR_le 1). lia. Qed.
Lemma y_range : 0 < y <= 1.
Proof.
  pose proof k_ge1. split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.

Definition term (n : nat) : R := / INR (fact n) * y ^ n.
Fixpoint partial (n : nat) : R := match n with O => 0 | S m => partial m + term m end.

Lemma term_next n : term (S n) * (IZR k * INR (S n)) = term n.
Proof.
  unfold term. rewrite fact_simpl, mult_INR. cbn [pow]. pose proof k_ge1. pose proof (INR_fact_neq_0 n).
  assert (INR (S n) <> 0) by (apply not_0_INR; discriminate). field. repeat split; auto; lra.
Qed.
Lemma term_pos n : 0 < term n.
Proof. unfold term. apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat, INR_fact_lt_0 | apply pow_lt, y_range]. Qed.
Lemma term_half n : (1 <= n)%nat -> 2 * term (S n) <= term n.
Proof.
  intros H. rewrite <- (term_next n). pose proof (term_pos (S n)). pose proof k_ge1.
  assert (2 <= INR (S n)) by (replace 2 with (INR 2) by (simpl; lra); apply le_INR; lia).
  assert (2 <= IZR k * INR (S n)) by nra. nra.
Qed.

Lemma partial_sum n : partial (S n) = sum_f_R0 term n.
Proof. induction n as [|n IH]; [simpl; ring|]. cbn [partial sum_f_R0] in *. rewrite <- IH. reflexivity. Qed.

Lemma exp_limit : Un_cv (fun n => sum_f_R0 term n) (exp y).
Proof. unfold exp. destruct (exist_exp y) as [l H]. exact H. Qed.

Lemma exp_ge n : partial n <= exp y.
Proof.
  destruct n as [|n]; [simpl; left; apply exp_pos|]. rewrite partial_sum.
  apply (sum_incr term n (exp y) exp_limit). intros; left; apply term_pos.
Qed.

Lemma falling n m : (1 <= n)%nat -> (n <= m)%nat -> partial m + 2 * term m <= partial n + 2 * term n.
Proof.
  intros H. induction 1 as [|m L IH]; [lra|]. pose proof (term_half m). cbn [partial].
  assert (2 * term (S m) <= term m) by (apply term_half; lia). lra.
Qed.

Lemma exp_le n : (1 <= n)%nat -> exp y <= partial n + 2 * term n.
Proof.
  intros H. destruct (Rle_lt_dec (exp y) (partial n + 2 * term n)) as [L|L]; [assumption|exfalso].
  destruct (exp_limit (exp y - (partial n + 2 * term n))) as [M HM]; [lra|].
  specialize (HM (Nat.max M n) (Nat.le_max_l _ _)). unfold R_dist in HM. rewrite <- partial_sum in HM.
  pose proof (falling n (S (Nat.max M n)) H) as F. pose proof (term_pos (S (Nat.max M n))).
  assert (n <= S (Nat.max M n))%nat as Ln by lia. specialize (F Ln).
  rewrite Rabs_left in HM; lra.
Qed.

(** The sum, from the term [n] on. *)
Fixpoint series (fuel : nat) (n : Z) (least most low high : Z) : Z * Z :=
  match fuel with
  | O => (low, high + 2 * most)%Z
  | S f =>
      if Z.eqb least 0 then (low, high + 2 * most)%Z else
      series f (n + 1) (least / (k * (n + 1))) (div_up most (k * (n + 1))) (low + least) (high + most)
  end.

Definition enclosure (places : Z) : Z * Z :=
  let one := (2 ^ places)%Z in series (Z.to_nat places) 1 (one / k) (div_up one k) one one.

Lemma series_spec S fuel : forall n least most low high, (1 <= n)%nat -> 0 <= S ->
  IZR least <= S * term n -> S * term n <= IZR most -> IZR low <= S * partial n -> S * partial n <= IZR high ->
  let e := series fuel (Z.of_nat n) least most low high in IZR (fst e) <= S * exp y <= IZR (snd e).
Proof.
  assert (End : forall n most low high, (1 <= n)%nat -> 0 <= S -> S * term n <= IZR most -> IZR low <= S * partial n -> S * partial n <= IZR high ->
    IZR low <= S * exp y <= IZR (high + 2 * most)).
  { intros n most low high Hn HS A B C. rewrite plus_IZR, mult_IZR. pose proof (exp_ge n). pose proof (exp_le n Hn). split; nra. }
  induction fuel as [|f IH]; intros n least most low high Hn HS L M A B; cbn [series]; cbv zeta; [eapply End; eauto|].
  destruct (Z.eqb least 0); [eapply End; eauto|].
  assert (P : (0 < k * (Z.of_nat n + 1))%Z) by nia.
  assert (E : IZR (k * (Z.of_nat n + 1)) = IZR k * INR (Datatypes.S n)) by (rewrite mult_IZR, plus_IZR, S_INR, INR_IZR_INZ; reflexivity).
  replace (Z.of_nat n + 1)%Z with (Z.of_nat (Datatypes.S n)) in * by lia.
  pose proof (term_next n) as T. rewrite <- E in T. pose proof (IZR_lt _ _ P) as P'.
  apply IH; [lia | assumption | | | |].
  - pose proof (div_le least _ P). apply Rmult_le_reg_r with (1 := P'). nra.
  - pose proof (div_up_ge most _ P). apply Rmult_le_reg_r with (1 := P'). nra.
  - rewrite plus_IZR. cbn [partial]. lra.
  - rewrite plus_IZR. cbn [partial]. lra.
Qed.

Theorem enclosure_spec places : (0 <= places)%Z ->
  let e := enclosure places in IZR (fst e) <= exp y * IZR (2 ^ places) <= IZR (snd e).
Proof.
  intros H. unfold enclosure. cbv zeta. assert (P : (0 < 2 ^ places)%Z) by (apply Z.pow_pos_nonneg; lia).
  pose proof (IZR_lt _ _ P) as P'. pose proof (IZR_lt _ _ k_pos) as K'.
  pose proof (series_spec (IZR (2 ^ places)) (Z.to_nat places) 1 (2 ^ places / k) (div_up (2 ^ places) k) (2 ^ places) (2 ^ places)) as G.
  cbv zeta in G. change (Z.of_nat 1) with 1%Z in G. rewrite (Rmult_comm (exp _)). apply G; try lia; try lra.
  - pose proof (div_le (2 ^ places) k k_pos). unfold term. simpl. apply Rmult_le_reg_r with (1 := K'). field_simplify; lra.
  - pose proof (div_up_ge (2 ^ places) k k_pos). unfold term. simpl. apply Rmult_le_reg_r with (1 := K'). field_simplify; lra.
  - unfold partial, term. simpl. lra.
  - unfold partial, term. simpl. lra.
Qed.
End Exp.

(** ** Signs of polynomials *)

Record closeness := { places : Z; down : Z; up : Z }.
Definition close (x : R) (e : closeness) : Prop :=
  (0 <= places e)%Z /\ (0 <= down e)%Z /\ IZR (down e) <= x * IZR (2 ^ places e) <= IZR (up e).
Definition inside (es : list closeness) (x : R) : Prop := 0 <= x /\ Forall (close x) es.

Fixpoint horner (S d u : Z) (p : poly) : Z * Z :=
  match p with
  | [] => (0, 0)%Z
  | c :: r => let '(l, h) := horner S d u r in
      ((l * (if Z.ltb 0 l then d else u)) / S + c * S, div_up (h * (if Z.ltb 0 h then u else d)) S + c * S)%Z
  end.

Lemma horner_spec S d u x p : (0 < S)%Z -> (0 <= d)%Z -> IZR d <= x * IZR S <= IZR u ->
  IZR (fst (horner S d u p)) <= peval p x * IZR S <= IZR (snd (horner S d u p)).
Proof.
  intros HS Hd [D U]. apply IZR_le in Hd. pose proof (IZR_lt _ _ HS) as S0.
  induction p as [|c r IH]; [simpl; lra|]. cbn [horner peval]. destruct (horner S d u r) as [l h]. cbn [fst snd] in *.
  rewrite !plus_IZR, !mult_IZR. set (s := IZR S) in *. set (v := peval r x) in *. destruct IH as [L H].
  assert (X0 : 0 <= x * s) by lra. split.
  - assert (IZR (l * (if Z.ltb 0 l then d else u) / S) <= x * v * s); [|lra].
    apply Rmult_le_reg_r with (1 := S0). eapply Rle_trans; [apply div_le; assumption|]. rewrite mult_IZR.
    replace (x * v * s * s) with ((x * s) * (v * s)) by ring.
    destruct (Z.ltb_spec 0 l) as [P|P].
    + apply IZR_lt in P. nra.
    + apply IZR_le in P. nra.
  - assert (x * v * s <= IZR (div_up (h * (if Z.ltb 0 h then u else d)) S)); [|lra].
    apply Rmult_le_reg_r with (1 := S0). eapply Rle_trans; [|apply div_up_ge; assumption]. rewrite mult_IZR.
    replace (x * v * s * s) with ((x * s) * (v * s)) by ring.
    destruct (Z.ltb_spec 0 h) as [P|P].
    + apply IZR_lt in P. nra.
    + apply IZR_le in P. nra.
Qed.

(** The sign of a polynomial: [Some true] positive, [Some false] negative, [None] not known. *)
Fixpoint sign_of (es : list closeness) (p : poly) : option bool :=
  match es with
  | [] => None
  | e :: rest => let '(l, h) := horner (2 ^ places e)%Z (down e) (up e) p in
      if Z.ltb 0 l then Some true else if Z.ltb h 0 then Some false else sign_of rest p
  end.

Lemma sign_spec es x p s : inside es x -> sign_of es p = Some s -> if s then 0 < peval p x else peval p x < 0.
Proof.
  intros [_ F]. induction F as [|e es C F IH]; simpl; [discriminate|]. destruct C as (P & D & B).
  assert (S0 : (0 < 2 ^ places e)%Z) by (apply Z.pow_pos_nonneg; lia).
  pose proof (horner_spec _ _ _ x p S0 D B) as H. destruct (horner _ _ _ p) as [l h]. cbn [fst snd] in H.
  pose proof (IZR_lt _ _ S0) as S1. destruct H as [L U].
  destruct (Z.ltb_spec 0 l) as [Pl|_]; [|destruct (Z.ltb_spec h 0) as [Ph|_]; [|exact IH]]; intros E; inversion E; subst.
  - apply IZR_lt in Pl. nra.
  - apply IZR_lt in Ph. nra.
Qed.

(** A polynomial that is not known to be above 0 may still be one that is 0. *)
Definition told_by (es : list closeness) (strict : bool) (p : poly) : bool :=
  match sign_of es p with Some s => s | None => negb strict && pzero p end.
Lemma told_by_sound es strict p x : inside es x -> told_by es strict p = true -> if strict then 0 < peval p x else 0 <= peval p x.
Proof.
  intros X. unfold told_by. destruct (sign_of es p) as [s|] eqn:S.
  - intros ->. pose proof (sign_spec _ _ _ _ X S) as H. simpl in H. destruct strict; lra.
  - intros H. apply andb_prop in H. destruct H as [Ns Z]. destruct strict; [discriminate|]. rewrite (pzero_eval _ x Z). lra.
Qed.

(** Enclosures of e^(1/k), one after the other. *)
Definition closer (k p : Z) : closeness := let '(d, u) := enclosure k p in {| places := p; down := d; up := u |}.
Definition near (k : Z) (ps : list Z) : list closeness :=
  filter (fun e => Z.leb 0 (places e) && Z.leb 0 (down e)) (map (closer k) ps).

Theorem near_inside k ps : (0 < k)%Z -> inside (near k ps) (exp (/ IZR k)).
Proof.
  intros K. split; [left; apply exp_pos|]. apply Forall_forall. intros e I. unfold near in I. apply filter_In in I. destruct I as [I T].
  apply in_map_iff in I. destruct I as (p & E & _). apply andb_prop in T. destruct T as [T1 T2]. apply Z.leb_le in T1, T2.
  unfold closer in E. pose proof (enclosure_spec k K p) as S. destruct (enclosure k p) as [d u]. subst e. cbn [places down up fst snd] in *.
  repeat split; cbn [places down up]; auto; apply S; assumption.
Qed.

(** ** Numbers *)

Section Exponential.
Variable k : positive.
(** Computed once: how close they are, one after the other. What none of them tells is rejected. *)
Variable es : list closeness.
Definition exp_numbers : Numbers := quotients (inside es) (told_by es) (told_by_sound es) (fun p q => told_by es true (pmul p q)).
Definition exp_num : Type := @num exp_numbers.
Definition constant_exp : Q -> option exp_num := constant (inside es) (told_by es) (told_by_sound es) (fun p q => told_by es true (pmul p q)).
Definition read_exp : json -> option exp_num := read_quotient (inside es) (told_by es) (told_by_sound es) (fun p q => told_by es true (pmul p q)).
Definition show_exp : exp_num -> text := show_quotient (inside es) (told_by es) (told_by_sound es) (fun p q => told_by es true (pmul p q)).

Local Open Scope Z_scope.
Definition most_degree := 20000.
Fixpoint monomial (n : nat) : poly := match n with O => [1] | S n => 0 :: monomial n end.
Definition power_of_X (z : Z) : option exp_num :=
  guard Z.abs z <=? most_degree ;;
  let p := monomial (Z.to_nat (Z.abs z)) in
  let of := quotient_of (inside es) (told_by es) (told_by_sound es) (fun p q => told_by es true (pmul p q)) in if 0 <=? z then of p [1] else of [1] p.
Definition exp_of (q : Q) : option exp_num :=
  let z := lowest (q * inject_Z (Zpos k)) in guard Pos.eqb (Qden z) 1 ;; power_of_X (Qnum z).
Definition exp_probability : json -> option exp_num := @probability exp_numbers constant_exp exp_of None None.
End Exponential.
Definition at_exp (k : positive) (ps : list Z) : Meaning (exp_numbers (near (Zpos k) ps)) R :=
  at_every (inside (near (Zpos k) ps)) _ _ _ (exp (/ IZR (Zpos k))) (near_inside (Zpos k) ps eq_refl).
