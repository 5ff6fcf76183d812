(** Rational functions of X with integer coefficients: zero by coefficients, signs by enclosures of X. *)

Require Import Reals Lra Lia Psatz Bool List ZArith.
Require Import Deltachain.functions.Products Deltachain.functions.Exp.
Import ListNotations.
Open Scope R_scope.

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

(** ** Enclosures *)

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

(** ** Fractions. The denominator is not zero wherever X may be, by how the fraction was made. *)

Section Fractions.
Variable es : list closeness.

Definition nonzero (q : poly) : Prop := forall x, inside es x -> peval q x <> 0.
Record fraction := { top : poly; bottom : poly; bottom_nonzero : nonzero bottom }.

Lemma one_nonzero : nonzero [1%Z].
Proof. intros x _. simpl. lra. Qed.
Lemma mul_nonzero p q : nonzero p -> nonzero q -> nonzero (pmul p q).
Proof. intros P Q x I. rewrite pmul_eval. apply Rmult_integral_contrapositive_currified; auto. Qed.

Definition whole (p : poly) : fraction := {| top := p; bottom := [1%Z]; bottom_nonzero := one_nonzero |}.

(** ** Common factors: any guess is tried out by multiplication *)

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

Lemma quotient_nonzero p q t : nonzero q -> splits p q t = true -> nonzero (snd t).
Proof.
  destruct t as [[g a] b]. unfold splits. intros N H. apply andb_prop in H. destruct H as [_ H]. intros x I Z.
  cbn [snd] in Z. apply (N x I). rewrite <- (split_eval g b q x H), Z. ring.
Qed.

Definition reduce (f : fraction) : fraction :=
  let t := guess (top f) (bottom f) in
  (if splits (top f) (bottom f) t as b return splits (top f) (bottom f) t = b -> fraction
   then fun H => {| top := snd (fst t); bottom := snd t; bottom_nonzero := quotient_nonzero _ _ _ (bottom_nonzero f) H |}
   else fun _ => f) eq_refl.

Definition value_of (x : R) (f : fraction) : R := peval (top f) x / peval (bottom f) x.

Lemma reduce_value x f : inside es x -> value_of x (reduce f) = value_of x f.
Proof.
  intros I. unfold reduce. generalize (guess (top f) (bottom f)). intros t.
  generalize (quotient_nonzero (top f) (bottom f) t (bottom_nonzero f)). intros q.
  destruct (splits (top f) (bottom f) t) eqn:E; [|reflexivity]. unfold value_of. cbn [top bottom].
  destruct t as [[g a] b]. cbn [fst snd]. unfold splits in E. apply andb_prop in E. destruct E as [Ea Eb].
  pose proof (split_eval _ _ _ x Ea) as A. pose proof (split_eval _ _ _ x Eb) as B.
  pose proof (bottom_nonzero f x I) as N. rewrite <- A, <- B in *. field. split; intros Z; apply N; rewrite Z; ring.
Qed.

Definition combine (sign : Z) (a b : fraction) : fraction :=
  if same_poly (bottom a) (bottom b)
  then {| top := padd (top a) (pscale sign (top b)); bottom := bottom a; bottom_nonzero := bottom_nonzero a |}
  else {| top := padd (pmul (top a) (bottom b)) (pscale sign (pmul (top b) (bottom a))); bottom := pmul (bottom a) (bottom b);
          bottom_nonzero := mul_nonzero _ _ (bottom_nonzero a) (bottom_nonzero b) |}.

Lemma combine_value x s a b : inside es x -> value_of x (combine s a b) = value_of x a + IZR s * value_of x b.
Proof.
  intros I. pose proof (bottom_nonzero a x I). pose proof (bottom_nonzero b x I). unfold combine, value_of.
  destruct (same_poly (bottom a) (bottom b)) eqn:E; cbn [top bottom].
  - apply same_poly_eq in E. rewrite padd_eval, pscale_eval, <- E. field. assumption.
  - rewrite padd_eval, pscale_eval, !pmul_eval. field. auto.
Qed.

Definition times (a b : fraction) : fraction :=
  {| top := pmul (top a) (top b); bottom := pmul (bottom a) (bottom b);
     bottom_nonzero := mul_nonzero _ _ (bottom_nonzero a) (bottom_nonzero b) |}.
Lemma times_value x a b : inside es x -> value_of x (times a b) = value_of x a * value_of x b.
Proof.
  intros I. pose proof (bottom_nonzero a x I). pose proof (bottom_nonzero b x I). unfold times, value_of. cbn [top bottom].
  rewrite !pmul_eval. field. auto.
Qed.

(** The sign of a fraction, if it is told. *)
Definition fraction_sign (f : fraction) : option bool :=
  match sign_of es (top f), sign_of es (bottom f) with Some a, Some b => Some (Bool.eqb a b) | _, _ => None end.
Lemma fraction_sign_spec x f s : inside es x -> fraction_sign f = Some s -> if s then 0 < value_of x f else value_of x f < 0.
Proof.
  unfold fraction_sign, value_of. intros I. destruct (sign_of es (top f)) as [a|] eqn:A; [|discriminate].
  destruct (sign_of es (bottom f)) as [b|] eqn:B; [|discriminate]. intros E. inversion E; subst s.
  pose proof (sign_spec _ _ _ _ I A) as SA. pose proof (sign_spec _ _ _ _ I B) as SB.
  unfold Rdiv. destruct a, b; simpl in *;
    try (pose proof (Rinv_0_lt_compat _ SB)); try (pose proof (Rinv_lt_0_compat _ SB)); nra.
Qed.

Definition is_positive (f : fraction) : bool := match fraction_sign f with Some true => true | _ => false end.
Lemma is_positive_spec x f : inside es x -> is_positive f = true -> 0 < value_of x f.
Proof.
  intros I H. unfold is_positive in H. destruct (fraction_sign f) as [[|]|] eqn:E; try discriminate.
  apply (fraction_sign_spec x f true I E).
Qed.

Lemma top_nonzero f : is_positive f = true -> nonzero (top f).
Proof.
  intros H x I Z. pose proof (is_positive_spec x f I H) as P. unfold value_of in P. rewrite Z in P. unfold Rdiv in P. lra.
Qed.

(** a / b, for positive b; any number otherwise. *)
Definition divide (a b : fraction) : fraction :=
  (if is_positive b as s return is_positive b = s -> fraction
   then fun H => {| top := pmul (top a) (bottom b); bottom := pmul (bottom a) (top b);
                    bottom_nonzero := mul_nonzero _ _ (bottom_nonzero a) (top_nonzero b H) |}
   else fun _ => a) eq_refl.
Lemma divide_value x a b : inside es x -> is_positive b = true -> value_of x (divide a b) = value_of x a / value_of x b.
Proof.
  intros I P. unfold divide. generalize (top_nonzero b). rewrite P. intros n. unfold value_of. cbn [top bottom].
  rewrite !pmul_eval. pose proof (bottom_nonzero a x I). pose proof (bottom_nonzero b x I). pose proof (n eq_refl x I). field. auto.
Qed.

Definition minus (a b : fraction) : fraction := combine (-1) a b.

(** ** Rounding down: by the first enclosure of top and bottom whose ends agree on it *)

Definition floor_between (d : Z) (t b : Z * Z) : option Z :=
  if Z.ltb 0 (fst b) then
    let low := (d * fst t / (if Z.ltb (fst t) 0 then fst b else snd b))%Z in
    let high := (d * snd t / (if Z.ltb (snd t) 0 then snd b else fst b))%Z in
    if Z.eqb low high then Some low else None
  else None.
Definition turned_round (e : Z * Z) : Z * Z := (- snd e, - fst e)%Z.

Fixpoint floor_of (l : list closeness) (f : fraction) (d : Z) : option Z :=
  match l with
  | [] => None
  | e :: rest =>
      let t := horner (2 ^ places e)%Z (down e) (up e) (top f) in
      let b := horner (2 ^ places e)%Z (down e) (up e) (bottom f) in
      match (if Z.ltb (snd b) 0 then floor_between d (turned_round t) (turned_round b) else floor_between d t b) with
      | Some z => Some z
      | None => floor_of rest f d
      end
  end.

Lemma floor_between_le d t b z u v : (0 <= d)%Z -> floor_between d t b = Some z ->
  IZR (fst t) <= u <= IZR (snd t) -> IZR (fst b) <= v <= IZR (snd b) -> IZR z <= u / v * IZR d.
Proof.
  unfold floor_between. intros D H T B. destruct (Z.ltb_spec 0 (fst b)) as [P|_]; [|discriminate].
  set (q := if Z.ltb (fst t) 0 then fst b else snd b) in *. destruct (Z.eqb _ _); [|discriminate]. inversion H; subst z. clear H.
  apply IZR_lt in P. apply IZR_le in D. assert (V : 0 < v) by lra. assert (Q : (0 < q)%Z).
  { apply lt_IZR. unfold q. destruct (Z.ltb _ _); lra. }
  apply (Rmult_le_reg_r v); [assumption|]. replace (u / v * IZR d * v) with (u * IZR d) by (field; lra).
  pose proof (div_le (d * fst t) q Q) as L. rewrite mult_IZR in L. set (x := IZR (d * fst t / q)) in *.
  assert (Q' : 0 < IZR q) by (apply (IZR_lt 0); assumption).
  assert (x * v <= IZR d * IZR (fst t)); [|nra]. unfold q in *. destruct (Z.ltb_spec (fst t) 0) as [N|N].
  - apply IZR_lt in N. assert (x <= 0) by nra. nra.
  - apply IZR_le in N. destruct (Rle_lt_dec x 0); [|nra]. assert (0 <= IZR d * IZR (fst t)) by nra. nra.
Qed.

Lemma floor_of_le x f d z : inside es x -> (0 <= d)%Z -> floor_of es f d = Some z -> IZR z <= value_of x f * IZR d.
Proof.
  intros I D. pose proof (bottom_nonzero f x I) as NZ. destruct I as [_ I]. revert I. generalize es at 1 2. intros l I.
  induction I as [|e l (P & Dn & B) I IH]; simpl; [discriminate|].
  assert (S0 : (0 < 2 ^ places e)%Z) by (apply Z.pow_pos_nonneg; lia). pose proof (IZR_lt _ _ S0) as S1.
  pose proof (horner_spec _ _ _ x (top f) S0 Dn B) as T. pose proof (horner_spec _ _ _ x (bottom f) S0 Dn B) as Bt.
  set (t := horner _ _ _ (top f)) in *. set (b := horner _ _ _ (bottom f)) in *.
  set (u := peval (top f) x) in *. set (v := peval (bottom f) x) in *. set (s := IZR (2 ^ places e)) in *.
  assert (E : forall a c, floor_between d (if a : bool then turned_round t else t) (if a then turned_round b else b) = Some c -> IZR c <= value_of x f * IZR d).
  { intros a c H. unfold value_of. fold u v. destruct a.
    - replace (u / v) with (- (u * s) / - (v * s)) by (field; lra).
      apply (floor_between_le _ _ _ _ _ _ D H); unfold turned_round; cbn [fst snd]; rewrite !opp_IZR; lra.
    - replace (u / v) with (u * s / (v * s)) by (field; lra). apply (floor_between_le _ _ _ _ _ _ D H); assumption. }
  intros H. destruct (Z.ltb (snd b) 0) eqn:N.
  - destruct (floor_between d (turned_round t) (turned_round b)) eqn:F; [|auto]. inversion H; subst. apply (E true). assumption.
  - destruct (floor_between d t b) eqn:F; [|auto]. inversion H; subst. apply (E false). assumption.
Qed.

Definition fractions : Numbers := {|
  num := fraction; n0 := whole []; n1 := whole [1%Z];
  nadd a b := reduce (combine 1 a b); nmul a b := reduce (times a b); nsub a b := reduce (minus a b);
  ndiv a b := reduce (divide a (minus b (whole [])));
  is_zero a := pzero (top a);
  nle a b := let d := minus b a in pzero (top d) || is_positive d;
  nlt a b := is_positive (minus b a);
  nfloor := floor_of es |}.

Program Definition fractions_mean (x : R) (I : inside es x) : Meaning fractions := {| value := value_of x |}.
Next Obligation. unfold value_of. simpl. field. Qed.
Next Obligation. unfold value_of. simpl. field. Qed.
Next Obligation. rewrite reduce_value, combine_value by assumption. ring. Qed.
Next Obligation. rewrite reduce_value, times_value by assumption. reflexivity. Qed.
Next Obligation. rewrite reduce_value by assumption. unfold minus. rewrite combine_value by assumption. ring. Qed.
Next Obligation.
  rewrite reduce_value, divide_value by assumption. unfold minus. rewrite combine_value by assumption.
  assert (Z : value_of x (whole []) = 0) by (unfold value_of; simpl; field). rewrite Z, Rmult_0_r, Rplus_0_r. reflexivity.
Qed.
Next Obligation. unfold value_of. rewrite pzero_eval by assumption. unfold Rdiv. ring. Qed.
Next Obligation.
  apply orb_true_iff in H. pose proof (combine_value x (-1) b a I) as C. fold (minus b a) in C. destruct H as [H|H].
  - assert (Z : value_of x (minus b a) = 0) by (unfold value_of; rewrite pzero_eval by assumption; unfold Rdiv; ring). lra.
  - apply (is_positive_spec x _ I) in H. lra.
Qed.
Next Obligation. apply (is_positive_spec x _ I) in H. unfold minus in H. rewrite combine_value in H by assumption. lra. Qed.
Next Obligation. apply floor_of_le; assumption. Qed.
End Fractions.

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
