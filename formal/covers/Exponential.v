(** R as an ordered field, and quotients of polynomials in X = e^(1/k), whose signs are told by enclosures that are proved. *)

Require Import Reals Lra Lia RealField List ZArith PArith Bool QArith.
Require Import Deltachain.covers.Fields Deltachain.covers.Numbers Deltachain.covers.Json Deltachain.covers.Reader Deltachain.covers.Formulas.
Require Deltachain.functions.Products Deltachain.functions.Polynomials.
Import ListNotations.

Lemma R_iter n : Nat.iter n (Rplus 1) 0%R = INR n.
Proof. induction n as [|n IH]; [reflexivity|]. change (Nat.iter (S n) (Rplus 1) 0%R) with (1 + Nat.iter n (Rplus 1) 0)%R. rewrite IH, S_INR. lra. Qed.

#[global] Instance R_field : OrderedField R.
Proof.
  refine {| f0 := 0%R; f1 := 1%R; fadd := Rplus; fmul := Rmult; fsub := Rminus; fopp := Ropp; fdiv := Rdiv; finv := Rinv; fle := Rle; f_field := Rfield |}.
  - apply Rle_refl.
  - apply Rle_trans.
  - apply Rle_antisym.
  - intros a b. destruct (Rle_or_lt a b) as [H|H]; [left; exact H | right; left; exact H].
  - intros. apply Rplus_le_compat; assumption.
  - intros. apply Rmult_le_pos; assumption.
  - intros a b H. apply le_epsilon. intros e E. apply H; lra.
  - intros a. exists (Z.to_nat (Z.max 0 (up a))). rewrite R_iter, INR_IZR_INZ, Z2Nat.id by lia. destruct (archimed a) as [H _].
    assert (IZR (up a) <= IZR (Z.max 0 (up a)))%R by (apply IZR_le; lia). lra.
Defined.

Section Exponential.
Variable k : positive.
(** How many bits enclosures have, one after the other; what none of them tells is rejected. *)
Variable precisions : list Z.
Definition enclosures := Polynomials.near (Zpos k) precisions.
Definition base : Products.Numbers := Polynomials.fractions enclosures.

Definition exp_numbers : Numbers := {|
  num := @Products.num base; n0 := @Products.n0 base; n1 := @Products.n1 base; nadd := @Products.nadd base; nmul := @Products.nmul base; nsub := @Products.nsub base;
  ndiv := fun a b => if @Products.nlt base b (@Products.n0 base) then @Products.ndiv base (@Products.nsub base (@Products.n0 base) a) (@Products.nsub base (@Products.n0 base) b) else @Products.ndiv base a b;
  neq := fun a b => @Products.is_zero base (@Products.nsub base a b); nle := @Products.nle base; nlt := @Products.nlt base |}.

Definition at_exp : Meaning exp_numbers R.
Proof.
  pose (V := Polynomials.fractions_mean enclosures (exp (/ IZR (Zpos k))) (Polynomials.near_inside (Zpos k) precisions eq_refl)).
  refine (@Build_Meaning exp_numbers R R_field (@Products.value base V) _ _ _ _ _ _ _ _).
  - exact (@Products.value_0 base V).
  - exact (@Products.value_1 base V).
  - exact (@Products.value_add base V).
  - exact (@Products.value_mul base V).
  - exact (@Products.value_sub base V).
  - intros a b H. pose proof (@Products.is_zero_eq base V _ H) as Z. rewrite (@Products.value_sub base V) in Z. apply Rminus_diag_uniq, Z.
  - exact (@Products.nle_le base V).
  - intros a b H. pose proof (@Products.nlt_lt base V _ _ H) as L. split; [apply Rlt_le, L | apply Rlt_not_eq, L].
Defined.

(** ** Reading *)

Local Open Scope Z_scope.
Definition exp_num : Type := @num exp_numbers.
Definition quotient_of (top bottom : Polynomials.poly) : option exp_num :=
  @over exp_numbers (Polynomials.whole enclosures top) (Polynomials.whole enclosures bottom).
Definition constant_exp (q : Q) : option exp_num := quotient_of [Qnum q] [Zpos (Qden q)].
Definition most_degree := 20000.
Fixpoint monomial (n : nat) : Polynomials.poly := match n with O => [1] | S n => 0 :: monomial n end.
Definition power_of_X (z : Z) : option exp_num :=
  guard Z.abs z <=? most_degree ;;
  let p := monomial (Z.to_nat (Z.abs z)) in if 0 <=? z then Some (Polynomials.whole enclosures p) else quotient_of [1] p.
Definition exp_of (q : Q) : option exp_num :=
  let z := Qred (q * inject_Z (Zpos k)) in guard Pos.eqb (Qden z) 1 ;; power_of_X (Qnum z).

(** Coefficients, lowest first, as in 0 -1 1/1 0 1. *)
Fixpoint split_at (c : Z) (t : text) (now : text) : list text :=
  match t with [] => [back now] | x :: r => if x =? c then back now :: split_at c r [] else split_at c r (x :: now) end.
Definition coefficients (t : text) : option Polynomials.poly :=
  every (fun c => q <- rational false c ;; guard Pos.eqb (Qden q) 1 ;; Some (Qnum q)) (split_at 32 t []).
Definition read_exp (j : json) : option exp_num :=
  match j with
  | Text t =>
      if existsb (Z.eqb 32) t then
        match split_at 47 t [] with
        | [top] => p <- coefficients top ;; quotient_of p [1]
        | [top; bottom] => p <- coefficients top ;; q <- coefficients bottom ;; quotient_of p q
        | _ => None
        end
      else q <- rational false t ;; constant_exp q
  | Number t => q <- rational false t ;; constant_exp q
  | _ => None
  end.
Definition exp_probability : json -> option exp_num := @probability exp_numbers constant_exp exp_of None None.
Definition show_poly (p : Polynomials.poly) : text :=
  match Polynomials.trim p with [] => [48] | c :: r => decimal c ++ flat_map (fun c => 32 :: decimal c) r end.
Definition show_exp (x : exp_num) : text :=
  let top := show_poly (Polynomials.top enclosures x) in
  match Polynomials.trim (Polynomials.bottom enclosures x) with [1] => top | b => top ++ 47 :: show_poly b end.
End Exponential.
