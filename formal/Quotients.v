(** Quotients of polynomials in X with integer coefficients: zero by coefficients, signs by a test of polynomials. *)

Require Import Reals Lra Lia Psatz RealField List ZArith PArith Bool QArith.
Require Import Deltachain.Fields Deltachain.Numbers Deltachain.Json Deltachain.Reader Deltachain.Formulas.
Import ListNotations.
Local Open Scope R_scope.

(** ** R as an ordered field *)

Lemma R_iter n : Nat.iter n (Rplus 1) 0%R = INR n.
Proof. induction n as [|n IH]; [reflexivity|]. change (Nat.iter (S n) (Rplus 1) 0%R) with (1 + Nat.iter n (Rplus 1) 0)%R. rewrite IH, S_INR. lra. Qed.

#[global] Instance R_field : OrderedField R.
Proof.
  refine {| f0 := 0%R; f1 := 1%R; fadd := Rplus; fmul := Rmult; fsub := Rminus; fopp := Ropp; fdiv := Rdiv; finv := Rinv; fle := Rle; f_field := Rfield |}.
  - apply Rle_refl.
  - apply Rle_trans.
  - apply Rle_antisym.
  - apply Rle_dec.
  - intros a b. destruct (Rle_or_lt a b) as [H|H]; [left; exact H | right; left; exact H].
  - intros. apply Rplus_le_compat; assumption.
  - intros. apply Rmult_le_pos; assumption.
  - intros a b H. apply le_epsilon. intros e E. apply H; lra.
  - intros a. exists (Z.to_nat (Z.max 0 (up a))). rewrite R_iter, INR_IZR_INZ, Z2Nat.id by lia. destruct (archimed a) as [H _].
    assert (IZR (up a) <= IZR (Z.max 0 (up a)))%R by (apply IZR_le; lia). lra.
Defined.

(** ** Polynomials *)

Definition poly := list Z.     (** the coefficient of X^0 first; zeros at the end do no harm *)

Fixpoint peval (p : poly) (x : R) : R := match p with [] => 0 | c :: r => IZR c + x * peval r x end.

Fixpoint padd (p q : poly) : poly :=
  match p, q with [], _ => q | _, [] => p | a :: p', b :: q' => (a + b)%Z :: padd p' q' end.
Definition pscale (c : Z) (p : poly) : poly := map (Z.mul c) p.
Fixpoint pmul (p q : poly) : poly :=
  match p with
  | [] => []
  | [a] => if Z.eqb a 1 then q else pscale a q
  | a :: p' => if Z.eqb a 0 then 0%Z :: pmul p' q else padd (pscale a q) (0%Z :: pmul p' q)
  end.
Definition pzero (p : poly) : bool := forallb (Z.eqb 0) p.
Fixpoint trim (p : poly) : poly :=
  match p with [] => [] | c :: r => match trim r with [] => if Z.eqb c 0 then [] else [c] | r' => c :: r' end end.
Fixpoint same_poly (p q : poly) : bool :=
  match p, q with [], [] => true | a :: p', b :: q' => Z.eqb a b && same_poly p' q' | _, _ => false end.

Lemma padd_eval p : forall q x, peval (padd p q) x = peval p x + peval q x.
Proof. induction p as [|a p IH]; intros [|b q] x; simpl; try ring. rewrite plus_IZR, IH. ring. Qed.
Lemma pscale_eval c p x : peval (pscale c p) x = IZR c * peval p x.
Proof. induction p as [|a p IH]; simpl; [ring|]. rewrite mult_IZR, IH. ring. Qed.
Lemma pmul_eval p : forall q x, peval (pmul p q) x = peval p x * peval q x.
Proof.
  induction p as [|a p IH]; intros q x; [simpl; ring|]. destruct p as [|b p].
  - simpl. destruct (Z.eqb_spec a 1) as [->|_]; [ring | rewrite pscale_eval; ring].
  - remember (b :: p) as r eqn:Er. assert (U : pmul (a :: r) q = if Z.eqb a 0 then 0%Z :: pmul r q else padd (pscale a q) (0%Z :: pmul r q)) by (subst r; reflexivity).
    rewrite U. clear U Er. destruct (Z.eqb_spec a 0) as [->|_]; [|rewrite padd_eval, pscale_eval]; cbn [peval]; rewrite IH; ring.
Qed.
Lemma pzero_eval p x : pzero p = true -> peval p x = 0.
Proof. induction p as [|a p IH]; intros H; [reflexivity|]. unfold pzero in *. cbn [forallb] in H. apply andb_prop in H. destruct H as [H1 H2].
  apply Z.eqb_eq in H1. subst a. cbn [peval]. rewrite IH by assumption. ring. Qed.
Lemma trim_eval p x : peval (trim p) x = peval p x.
Proof.
  induction p as [|c r IH]; simpl; [reflexivity|]. rewrite <- IH. destruct (trim r) as [|a r']; [|reflexivity].
  destruct (Z.eqb_spec c 0) as [->|_]; simpl; ring.
Qed.
Lemma same_poly_eq p : forall q, same_poly p q = true -> p = q.
Proof.
  induction p as [|a p IH]; intros [|b q] H; simpl in H; try discriminate; [reflexivity|].
  apply andb_prop in H. destruct H as [H1 H2]. apply Z.eqb_eq in H1. f_equal; auto.
Qed.

Definition opposite (p : poly) : poly := map Z.opp p.
Lemma opposite_eval p x : peval (opposite p) x = - peval p x.
Proof. induction p as [|c p IH]; simpl; [ring|]. rewrite IH, opp_IZR. ring. Qed.

(** Common factors: any guess is tried out by multiplication. *)
Fixpoint packed (D : Z) (p : poly) : Z := match p with [] => 0%Z | c :: r => (c + D * packed D r)%Z end.
Fixpoint unpacked (fuel : nat) (D v : Z) : poly :=
  match fuel with
  | O => []
  | S f => if Z.eqb v 0 then [] else
      let low := Z.modulo v D in
      let c := if Z.leb D (2 * low) then (low - D)%Z else low in
      c :: unpacked f D (Z.div (v - c) D)
  end.
Definition longest (p : poly) : Z := fold_left (fun n c => Z.max n (Z.log2 (Z.abs c) + 1)) p 0%Z.
Definition content (p : poly) : Z := fold_left Z.gcd p 0%Z.

(** A guess at a common divisor, and at the two quotients. *)
Definition guess (p q : poly) : poly * poly * poly :=
  let cp := content p in let cq := content q in
  let p1 := map (fun c => Z.div c cp) p in let q1 := map (fun c => Z.div c cq) q in
  let w := (2 ^ (Z.max (longest p1) (longest q1) + 64))%Z in
  let n := S (S (length p + length q)) in
  let vp := packed w p1 in let vq := packed w q1 in
  let g := unpacked n w (Z.gcd vp vq) in
  let cg := content g in
  let g1 := map (fun c => Z.div c cg) g in
  let vg := packed w g1 in
  let c := Z.gcd cp cq in
  (pscale c g1, pscale (Z.div cp c) (unpacked n w (Z.div vp vg)), pscale (Z.div cq c) (unpacked n w (Z.div vq vg))).

Definition splits (p q : poly) (t : poly * poly * poly) : bool :=
  let '(g, a, b) := t in same_poly (trim (pmul g a)) (trim p) && same_poly (trim (pmul g b)) (trim q).

Lemma split_eval g a p x : same_poly (trim (pmul g a)) (trim p) = true -> peval g x * peval a x = peval p x.
Proof. intros H. apply same_poly_eq in H. rewrite <- pmul_eval, <- (trim_eval (pmul g a)), H. apply trim_eval. Qed.

(** ** Quotients. The denominator is not zero wherever X may be, by how the quotient was made. *)

Section Quotients.
(** Where X may be, and a test that a polynomial is above 0 there, or not below. *)
Variable domain : R -> Prop.
Variable told : bool -> poly -> bool.
Hypothesis told_sound : forall strict p x, domain x -> told strict p = true -> if strict then 0 < peval p x else 0 <= peval p x.
Variable likely : poly -> poly -> bool.                (** a guess at the sign of a quotient *)

Definition nonzero (q : poly) : Prop := forall x, domain x -> peval q x <> 0.
Record quotient := { top : poly; bottom : poly; bottom_nonzero : nonzero bottom }.
Lemma one_nonzero : nonzero [1%Z]. Proof. intros x _. simpl. lra. Qed.
Lemma mul_nonzero p q : nonzero p -> nonzero q -> nonzero (pmul p q).
Proof. intros P Q x I. rewrite pmul_eval. apply Rmult_integral_contrapositive_currified; auto. Qed.
Definition whole (p : poly) : quotient := {| top := p; bottom := [1%Z]; bottom_nonzero := one_nonzero |}.
Definition at_point (x : R) (f : quotient) : R := peval (top f) x / peval (bottom f) x.

Lemma part_nonzero p q t : nonzero q -> splits p q t = true -> nonzero (snd t).
Proof.
  destruct t as [[g a] b]. unfold splits. intros N H. apply andb_prop in H. destruct H as [_ H]. intros x I Z.
  cbn [snd] in Z. apply (N x I). rewrite <- (split_eval g b q x H), Z. ring.
Qed.
Definition reduced (f : quotient) : quotient :=
  let t := guess (top f) (bottom f) in
  (if splits (top f) (bottom f) t as b return splits (top f) (bottom f) t = b -> quotient
   then fun H => {| top := snd (fst t); bottom := snd t; bottom_nonzero := part_nonzero _ _ _ (bottom_nonzero f) H |}
   else fun _ => f) eq_refl.
Lemma reduced_value x f : domain x -> at_point x (reduced f) = at_point x f.
Proof.
  intros I. unfold reduced. generalize (guess (top f) (bottom f)). intros t.
  generalize (part_nonzero (top f) (bottom f) t (bottom_nonzero f)). intros q.
  destruct (splits (top f) (bottom f) t) eqn:E; [|reflexivity]. unfold at_point. cbn [top bottom].
  destruct t as [[g a] b]. cbn [fst snd]. unfold splits in E. apply andb_prop in E. destruct E as [Ea Eb].
  pose proof (split_eval _ _ _ x Ea) as A. pose proof (split_eval _ _ _ x Eb) as B.
  pose proof (bottom_nonzero f x I) as N. rewrite <- A, <- B in *. field. split; intros Z; apply N; rewrite Z; ring.
Qed.
Definition combined (sign : Z) (a b : quotient) : quotient :=
  if same_poly (bottom a) (bottom b)
  then {| top := padd (top a) (pscale sign (top b)); bottom := bottom a; bottom_nonzero := bottom_nonzero a |}
  else {| top := padd (pmul (top a) (bottom b)) (pscale sign (pmul (top b) (bottom a))); bottom := pmul (bottom a) (bottom b);
          bottom_nonzero := mul_nonzero _ _ (bottom_nonzero a) (bottom_nonzero b) |}.
Lemma combined_value x s a b : domain x -> at_point x (combined s a b) = at_point x a + IZR s * at_point x b.
Proof.
  intros I. pose proof (bottom_nonzero a x I). pose proof (bottom_nonzero b x I). unfold combined, at_point.
  destruct (same_poly (bottom a) (bottom b)) eqn:E; cbn [top bottom].
  - apply same_poly_eq in E. rewrite padd_eval, pscale_eval, <- E. field. assumption.
  - rewrite padd_eval, pscale_eval, !pmul_eval. field. auto.
Qed.
Definition times (a b : quotient) : quotient :=
  {| top := pmul (top a) (top b); bottom := pmul (bottom a) (bottom b); bottom_nonzero := mul_nonzero _ _ (bottom_nonzero a) (bottom_nonzero b) |}.
Lemma times_value x a b : domain x -> at_point x (times a b) = at_point x a * at_point x b.
Proof.
  intros I. pose proof (bottom_nonzero a x I). pose proof (bottom_nonzero b x I). unfold times, at_point. cbn [top bottom]. rewrite !pmul_eval. field. auto.
Qed.
Definition told_nonzero (p : poly) : bool := told true p || told true (opposite p).
Lemma told_nonzero_sound p : told_nonzero p = true -> nonzero p.
Proof.
  intros H x X. apply orb_prop in H. destruct H as [H|H].
  - pose proof (told_sound true p x X H). simpl in *. lra.
  - pose proof (told_sound true (opposite p) x X H) as P. simpl in P. rewrite opposite_eval in P. lra.
Qed.
(** a / b where b has one sign; any number otherwise. *)
Definition divided (a b : quotient) : quotient :=
  (if told_nonzero (top b) as s return told_nonzero (top b) = s -> quotient
   then fun H => {| top := pmul (top a) (bottom b); bottom := pmul (bottom a) (top b);
                    bottom_nonzero := mul_nonzero _ _ (bottom_nonzero a) (told_nonzero_sound _ H) |}
   else fun _ => a) eq_refl.
Definition signed (strict : bool) (f : quotient) : bool :=
  if told true (bottom f) then told strict (top f) else if told true (opposite (bottom f)) then told strict (opposite (top f)) else false.
Lemma signed_sound strict f x : domain x -> signed strict f = true -> if strict then 0 < at_point x f else 0 <= at_point x f.
Proof.
  intros X. unfold signed, at_point. destruct (told true (bottom f)) eqn:E.
  - intros H. pose proof (told_sound true _ x X E) as B. pose proof (told_sound strict _ x X H) as T. cbv beta iota in B.
    pose proof (Rinv_0_lt_compat _ B). unfold Rdiv. destruct strict; nra.
  - destruct (told true (opposite (bottom f))) eqn:E'; [|discriminate]. intros H.
    pose proof (told_sound true _ x X E') as B. pose proof (told_sound strict _ x X H) as T. cbv beta iota in B. rewrite !opposite_eval in *.
    assert (B' : peval (bottom f) x < 0) by lra. pose proof (Rinv_lt_0_compat _ B'). unfold Rdiv. destruct strict; rewrite ?opposite_eval in T; nra.
Qed.
Lemma pzero_value x f : pzero (top f) = true -> at_point x f = 0.
Proof. intros H. unfold at_point. rewrite (pzero_eval _ x H). unfold Rdiv. ring. Qed.
Lemma difference_value x a b : domain x -> at_point x (combined (-1) a b) = at_point x a - at_point x b.
Proof. intros X. rewrite combined_value by exact X. simpl. ring. Qed.

Definition quotients : Numbers := {|
  num := quotient; n0 := whole []; n1 := whole [1%Z];
  nadd a b := reduced (combined 1 a b); nmul a b := reduced (times a b); nsub a b := reduced (combined (-1) a b); ndiv a b := reduced (divided a b);
  nlikely a := likely (top a) (bottom a);
  neq a b := pzero (top (combined (-1) a b));
  nle a b := let d := reduced (combined (-1) b a) in pzero (top d) || signed false d;
  nlt a b := signed true (reduced (combined (-1) b a)) |}.

(** The same program, wherever X is. *)
Definition at_every (x : R) (X : domain x) : Meaning quotients R.
Proof.
  refine (@Build_Meaning quotients R R_field (at_point x) _ _ _ _ _ _ _ _).
  - unfold at_point. simpl. unfold Rdiv. ring.
  - unfold at_point. simpl. field.
  - intros a b. change (at_point x (reduced (combined 1 a b)) = at_point x a + at_point x b). rewrite reduced_value, combined_value by exact X. ring.
  - intros a b. change (at_point x (reduced (times a b)) = at_point x a * at_point x b). rewrite reduced_value, times_value by exact X. reflexivity.
  - intros a b. change (at_point x (reduced (combined (-1) a b)) = at_point x a - at_point x b). rewrite reduced_value, difference_value by exact X. reflexivity.
  - intros a b H. change (pzero (top (combined (-1) a b)) = true) in H. apply (pzero_value x) in H. rewrite difference_value in H by exact X. apply Rminus_diag_uniq, H.
  - intros a b H. change (pzero (top (reduced (combined (-1) b a))) || signed false (reduced (combined (-1) b a)) = true) in H.
    change (at_point x a <= at_point x b). pose proof (reduced_value x (combined (-1) b a) X) as E. rewrite difference_value in E by exact X.
    apply orb_prop in H. destruct H as [H|H]; [apply (pzero_value x) in H | apply (signed_sound false _ x X) in H; simpl in H]; lra.
  - intros a b H. change (signed true (reduced (combined (-1) b a)) = true) in H. apply (signed_sound true _ x X) in H. simpl in H.
    rewrite reduced_value, difference_value in H by exact X. change (at_point x a <= at_point x b /\ at_point x a <> at_point x b). split; lra.
Defined.

(** ** Reading *)

Local Open Scope Z_scope.
Definition quotient_num : Type := @num quotients.
Definition quotient_of (top bottom : poly) : option quotient_num := guard told_nonzero bottom ;; Some (reduced (divided (whole top) (whole bottom))).
Definition constant (q : Q) : option quotient_num := quotient_of [Qnum q] [Zpos (Qden q)].
(** Coefficients, lowest first, as in 0 -1 1/1 0 1. *)
Fixpoint split_at (c : Z) (t : text) (now : text) : list text :=
  match t with [] => [back now] | x :: r => if x =? c then back now :: split_at c r [] else split_at c r (x :: now) end.
Definition coefficients (t : text) : option poly :=
  every (fun c => q <- rational false c ;; guard Pos.eqb (Qden q) 1 ;; Some (Qnum q)) (split_at 32 t []).
Definition read_quotient (j : json) : option quotient_num :=
  match j with
  | Text t =>
      if existsb (Z.eqb 32) t then
        match split_at 47 t [] with
        | [top] => p <- coefficients top ;; quotient_of p [1]
        | [top; bottom] => p <- coefficients top ;; q <- coefficients bottom ;; quotient_of p q
        | _ => None
        end
      else q <- rational false t ;; constant q
  | Number t => q <- rational false t ;; constant q
  | _ => None
  end.
Definition show_poly (p : poly) : text := match trim p with [] => [48] | c :: r => decimal c ++ flat_map (fun c => 32 :: decimal c) r end.
Definition show_quotient (f : quotient_num) : text := let top := show_poly (top f) in match trim (bottom f) with [1] => top | b => top ++ 47 :: show_poly b end.
End Quotients.
