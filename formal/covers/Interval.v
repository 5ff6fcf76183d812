(** Q(u), for every u of an interval at once: signs of polynomials by Bernstein coefficients, with halving. *)

Require Import QArith Qreals Reals Lra Lia Psatz List Bool ZArith.
Require Import Deltachain.covers.Fields Deltachain.covers.Numbers Deltachain.covers.Json Deltachain.covers.Reader Deltachain.covers.Formulas
  Deltachain.covers.Exponential.
Require Deltachain.functions.Polynomials.
Import Deltachain.functions.Polynomials(poly, peval, padd, pscale, pmul, pzero, trim, same_poly, guess, splits, split_eval,
  padd_eval, pscale_eval, pmul_eval, pzero_eval, same_poly_eq).
Import ListNotations.
Local Open Scope R_scope.

(** ** Bernstein coefficients, over Q *)

Definition qpoly := list Q.
Fixpoint qpeval (p : qpoly) (x : R) : R := match p with [] => 0 | c :: r => Q2R c + x * qpeval r x end.
Definition qadd a b := Qred (a + b)%Q.
Definition qmul a b := Qred (a * b)%Q.
Lemma qadd_R a b : Q2R (qadd a b) = Q2R a + Q2R b.
Proof. unfold qadd. rewrite (Qeq_eqR _ _ (Qred_correct _)). apply Q2R_plus. Qed.
Lemma qmul_R a b : Q2R (qmul a b) = Q2R a * Q2R b.
Proof. unfold qmul. rewrite (Qeq_eqR _ _ (Qred_correct _)). apply Q2R_mult. Qed.

Fixpoint qpadd (p q : qpoly) : qpoly := match p, q with [], _ => q | _, [] => p | a :: p, b :: q => qadd a b :: qpadd p q end.
Definition qpscale (c : Q) (p : qpoly) : qpoly := map (qmul c) p.
Fixpoint qpmul (p q : qpoly) : qpoly := match p with [] => [] | a :: p => qpadd (qpscale a q) (0%Q :: qpmul p q) end.
Definition qpsub (p q : qpoly) : qpoly := qpadd p (qpscale (- (1))%Q q).
Lemma Q2R0 : Q2R 0 = 0. Proof. unfold Q2R. simpl. lra. Qed.
Lemma Q2R1 : Q2R 1 = 1. Proof. unfold Q2R. simpl. lra. Qed.
Lemma qpadd_eval p : forall q x, qpeval (qpadd p q) x = qpeval p x + qpeval q x.
Proof. induction p as [|a p IH]; intros [|b q] x; simpl; try ring. rewrite qadd_R, IH. ring. Qed.
Lemma qpscale_eval c p x : qpeval (qpscale c p) x = Q2R c * qpeval p x.
Proof. induction p as [|a p IH]; simpl; [ring|]. rewrite qmul_R, IH. ring. Qed.
Lemma qpmul_eval p : forall q x, qpeval (qpmul p q) x = qpeval p x * qpeval q x.
Proof. induction p as [|a p IH]; intros q x; simpl; [ring|]. rewrite qpadd_eval, qpscale_eval. simpl. rewrite IH, Q2R0. ring. Qed.
Lemma qpsub_eval p q x : qpeval (qpsub p q) x = qpeval p x - qpeval q x.
Proof. unfold qpsub. rewrite qpadd_eval, qpscale_eval, Q2R_opp, Q2R1. ring. Qed.

(** Homogeneous polynomials in (y, z): the coefficient of y^n first. *)
Fixpoint hev (l : qpoly) (y z : R) : R := match l with [] => 0 | c :: r => Q2R c * y ^ length r + z * hev r y z end.
(** (a y + b z) times l *)
Fixpoint times_line (a b carry : Q) (l : qpoly) : qpoly :=
  match l with [] => [carry] | c :: r => qadd carry (qmul a c) :: times_line a b (qmul b c) r end.
Lemma times_line_length a b l : forall carry, length (times_line a b carry l) = S (length l).
Proof. induction l as [|c r IH]; intros; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma times_line_eval a b l y z : forall carry,
  hev (times_line a b carry l) y z = Q2R carry * y ^ length l + (Q2R a * y + Q2R b * z) * hev l y z.
Proof.
  induction l as [|c r IH]; intros carry; simpl; [ring|]. rewrite IH, times_line_length, qadd_R, !qmul_R. simpl. ring.
Qed.
Lemma qpadd_hev p : forall q y z, length p = length q -> hev (qpadd p q) y z = hev p y z + hev q y z.
Proof.
  induction p as [|a p IH]; intros [|b q] y z L; simpl in *; try discriminate; [ring|]. injection L as L. rewrite qadd_R, (IH q) by exact L.
  assert (E : forall p q : qpoly, length p = length q -> length (qpadd p q) = length q).
  { clear. induction p as [|a p IH]; intros [|b q] L; simpl in *; try discriminate; [reflexivity|]. f_equal. apply IH. congruence. }
  rewrite E, L by exact L. ring.
Qed.
Lemma qpadd_length p : forall q : qpoly, length p = length q -> length (qpadd p q) = length q.
Proof. induction p as [|a p IH]; intros [|b q] L; simpl in *; try discriminate; [reflexivity|]. f_equal. apply IH. congruence. Qed.

(** (the homogeneous form of p at a y + b z, (y + z)^n), n the length of p: Horner *)
Fixpoint bern (a b : Q) (p : qpoly)   : qpoly * qpoly :=
  match p with
  | [] => ([0%Q], [1%Q])
  | c :: r => let '(h, one) := bern a b r in
              let one' := times_line 1 1 0 one in (qpadd (times_line a b 0 h) (qpscale c one'), one')
  end.
Lemma qpscale_hev c l y z : hev (qpscale c l) y z = Q2R c * hev l y z.
Proof. induction l as [|a l IH]; simpl; [ring|]. rewrite qmul_R, IH. unfold qpscale. rewrite map_length. ring. Qed.
Lemma bern_spec a b p y z : y + z = 1 ->
  length (fst (bern a b p)) = length (snd (bern a b p)) /\ hev (snd (bern a b p)) y z = 1
  /\ hev (fst (bern a b p)) y z = qpeval p (Q2R a * y + Q2R b * z).
Proof.
  intros S. induction p as [|c r (L & A & B)]; simpl; [rewrite Q2R0, Q2R1; repeat split; ring|].
  destruct (bern a b r) as [h one]. cbn [fst snd] in *.
  assert (L' : length (times_line a b 0 h) = length (qpscale c (times_line 1 1 0 one))).
  { unfold qpscale. rewrite map_length, !times_line_length, L. reflexivity. }
  assert (U : hev (times_line 1 1 0 one) y z = 1) by (rewrite times_line_eval, A, Q2R0, Q2R1; lra).
  repeat split.
  - rewrite qpadd_length by exact L'. unfold qpscale. rewrite map_length. reflexivity.
  - exact U.
  - rewrite qpadd_hev by exact L'. rewrite qpscale_hev, U, times_line_eval, B, Q2R0. ring.
Qed.
Lemma hev_nonneg l y z : 0 <= y -> 0 <= z -> forallb (Qle_bool 0) l = true -> 0 <= hev l y z.
Proof.
  intros Y Z. induction l as [|c r IH]; simpl; intros H; [lra|]. apply andb_prop in H. destruct H as [H1 H2].
  apply Qle_bool_iff, Qle_Rle in H1. rewrite Q2R0 in H1. pose proof (pow_le y (length r) Y). specialize (IH H2). nra.
Qed.


Lemma hev_at_start c r : hev (c :: r) 1 0 = Q2R c.
Proof. simpl. rewrite pow1. ring. Qed.
Lemma hev_at_end l : hev l 0 1 = Q2R (last l 0%Q).
Proof.
  induction l as [|c r IH]; [simpl; rewrite Q2R0; reflexivity|]. destruct r as [|d r]; [simpl; ring|].
  change (hev (c :: d :: r) 0 1) with (Q2R c * 0 ^ length (d :: r) + 1 * hev (d :: r) 0 1). rewrite IH.
  change (last (c :: d :: r) 0%Q) with (last (d :: r) 0%Q). simpl pow. ring.
Qed.
Definition positive_q (c : Q) : bool := negb (Qle_bool c 0).
Lemma positive_q_R c : positive_q c = true -> 0 < Q2R c.
Proof.
  intros H. rewrite <- Q2R0. apply Qlt_Rlt. unfold positive_q in H. apply negb_true_iff in H. apply Qnot_le_lt. intros L. apply Qle_bool_iff in L. congruence.
Qed.
Lemma hev_pos l y z : 0 < y -> 0 < z -> forallb (Qle_bool 0) l = true -> existsb positive_q l = true -> 0 < hev l y z.
Proof.
  intros Y Z. induction l as [|c r IH]; simpl; intros A E; [discriminate|]. apply andb_prop in A. destruct A as [A1 A2].
  pose proof (hev_nonneg r y z (Rlt_le _ _ Y) (Rlt_le _ _ Z) A2) as N. pose proof (pow_lt y (length r) Y) as P.
  apply orb_prop in E. destruct E as [E|E].
  - apply positive_q_R in E. nra.
  - specialize (IH A2 E). apply Qle_bool_iff, Qle_Rle in A1. rewrite Q2R0 in A1. nra.
Qed.

(** ** Signs on [a, b]; an end may be left out *)

Section Cell.
Variables a b : Q.
Definition coordinates (x : R) : R * R := let z := (x - Q2R a) / (Q2R b - Q2R a) in (1 - z, z).
Lemma coordinates_spec x : Q2R a < Q2R b -> Q2R a <= x <= Q2R b ->
  let (y, z) := coordinates x in y + z = 1 /\ 0 <= y /\ 0 <= z /\ Q2R a * y + Q2R b * z = x /\ (y = 0 -> x = Q2R b) /\ (z = 0 -> x = Q2R a).
Proof.
  intros AB X. unfold coordinates. set (z := (x - Q2R a) / (Q2R b - Q2R a)).
  assert (E : z * (Q2R b - Q2R a) = x - Q2R a) by (unfold z; field; lra). repeat split; nra.
Qed.
Definition coefficients_of (p : qpoly) : list Q := fst (bern a b p).
Lemma value_at_coordinates p x : Q2R a < Q2R b -> Q2R a <= x <= Q2R b -> let (y, z) := coordinates x in hev (coefficients_of p) y z = qpeval p x.
Proof.
  intros AB X. pose proof (coordinates_spec x AB X) as S. destruct (coordinates x) as [y z]. destruct S as (S1 & _ & _ & S4 & _).
  destruct (bern_spec a b p y z S1) as (_ & _ & B). unfold coefficients_of. rewrite B, S4. reflexivity.
Qed.
End Cell.

Fixpoint sign_on (fuel : nat) (strict : bool) (a b : Q) (out_a out_b : bool) (p : qpoly) : bool :=
  let l := coefficients_of a b p in
  let first := hd 0%Q l in let end_ := last l 0%Q in
  if Qle_bool 0 first && Qle_bool 0 end_ then
    (forallb (Qle_bool 0) l && (negb strict || existsb positive_q l && (out_a || positive_q first) && (out_b || positive_q end_)))
    || match fuel with
       | O => false
       | S n => let m := Qred ((a + b) / 2)%Q in
           negb (Qle_bool m a) && negb (Qle_bool b m) && sign_on n strict a m out_a false p && sign_on n strict m b false out_b p
       end
  else false.
Lemma sign_on_sound fuel strict p x : forall a b out_a out_b, Q2R a < Q2R b -> Q2R a <= x <= Q2R b -> (out_a = true -> Q2R a < x) -> (out_b = true -> x < Q2R b) ->
  sign_on fuel strict a b out_a out_b p = true -> if strict then 0 < qpeval p x else 0 <= qpeval p x.
Proof.
  assert (Lt : forall q r, negb (Qle_bool q r) = true -> Q2R r < Q2R q).
  { intros q r H. apply Qlt_Rlt. apply negb_true_iff in H. apply Qnot_le_lt. intros L. apply Qle_bool_iff in L. congruence. }
  assert (Cell : forall a b out_a out_b, Q2R a < Q2R b -> Q2R a <= x <= Q2R b -> (out_a = true -> Q2R a < x) -> (out_b = true -> x < Q2R b) ->
    forallb (Qle_bool 0) (coefficients_of a b p) && (negb strict || existsb positive_q (coefficients_of a b p) && (out_a || positive_q (hd 0%Q (coefficients_of a b p)))
      && (out_b || positive_q (last (coefficients_of a b p) 0%Q))) = true -> if strict then 0 < qpeval p x else 0 <= qpeval p x).
  { intros a b oa ob AB X Oa Ob H. pose proof (coordinates_spec a b x AB X) as C. pose proof (value_at_coordinates a b p x AB X) as Vl.
    destruct (coordinates a b x) as [y z]. destruct C as (C1 & C2 & C3 & _ & Y0 & Z0). rewrite <- Vl. set (l := coefficients_of a b p) in *. clearbody l. clear Vl.
    apply andb_prop in H. destruct H as [Nn H]. destruct strict; [|apply hev_nonneg; assumption]. simpl in H.
    apply andb_prop in H. destruct H as [H Eb]. apply andb_prop in H. destruct H as [Ex Ea].
    destruct (Rle_lt_or_eq_dec _ _ C3) as [Zp|Ze].
    - destruct (Rle_lt_or_eq_dec _ _ C2) as [Yp|Ye]; [apply hev_pos; assumption|]. symmetry in Ye. assert (z = 1) by lra. subst y z.
      rewrite hev_at_end. apply orb_prop in Eb. destruct Eb as [Eb|Eb]; [specialize (Ob Eb); specialize (Y0 eq_refl); lra | apply positive_q_R, Eb].
    - symmetry in Ze. assert (y = 1) by lra. subst y z. apply orb_prop in Ea. destruct Ea as [Ea|Ea]; [specialize (Oa Ea); specialize (Z0 eq_refl); lra|].
      destruct l as [|c r]; [discriminate|]. rewrite hev_at_start. apply positive_q_R, Ea. }
  induction fuel as [|n IH]; intros a b oa ob AB X Oa Ob H; cbn [sign_on] in H; destruct (Qle_bool 0 _ && Qle_bool 0 _); try discriminate; apply orb_true_iff in H; destruct H as [H|H]; try discriminate.
  - eapply (Cell a b oa ob); assumption.
  - eapply (Cell a b oa ob); assumption.
  - cbv zeta in H. set (m := Qred ((a + b) / 2)) in *. apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H. destruct H as [H H3].
    apply andb_prop in H. destruct H as [H1 H2]. apply Lt in H1, H2. destruct (Rle_lt_dec x (Q2R m)); [apply (IH a m oa false) | apply (IH m b false ob)]; auto; try lra; discriminate.
Qed.

(** ** Quotients of polynomials without a pole on the interval *)

Section Interval.
Variables low high : Q.
Variables closed_low closed_high : bool.
Definition halvings : nat := 40.
Definition in_q (p : poly) : qpoly := map inject_Z p.
Lemma in_q_eval p x : qpeval (in_q p) x = peval p x.
Proof. induction p as [|c p IH]; simpl; [reflexivity|]. rewrite IH. unfold inject_Z, Q2R. simpl. field. Qed.
Definition proper : bool := negb (Qle_bool high low).
(** The values of the parameter that are meant. *)
Definition within (x : R) : Prop := Q2R low <= x <= Q2R high /\ (closed_low = false -> Q2R low < x) /\ (closed_high = false -> x < Q2R high).
Definition holds_on (strict : bool) (p : poly) : bool :=
  match p with
  | [] => negb strict
  | [c] => if strict then Z.ltb 0 c else Z.leb 0 c
  | _ => proper && sign_on halvings strict low high (negb closed_low) (negb closed_high) (in_q p)
  end.
Lemma holds_on_sound strict p x : within x -> holds_on strict p = true -> if strict then 0 < peval p x else 0 <= peval p x.
Proof.
  intros (X & Xl & Xh) H. unfold holds_on in H. destruct p as [|c [|d p]].
  - destruct strict; [discriminate | simpl; lra].
  - destruct strict; simpl; [apply Z.ltb_lt in H; apply IZR_lt in H; lra | apply Z.leb_le in H; apply IZR_le in H; lra].
  - rewrite <- in_q_eval. apply andb_prop in H. destruct H as [Pr H].
    apply (sign_on_sound halvings strict (in_q (c :: d :: p)) x low high (negb closed_low) (negb closed_high)); auto.
    + apply Qlt_Rlt. unfold proper in Pr. apply negb_true_iff in Pr. apply Qnot_le_lt. intros L. apply Qle_bool_iff in L. congruence.
    + intros E. apply Xl. destruct closed_low; [discriminate | reflexivity].
    + intros E. apply Xh. destruct closed_high; [discriminate | reflexivity].
Qed.
(** Where p may touch 0: p = g g h, multiplied out, is not negative where h is not. *)
Fixpoint derived (n : Z) (p : poly) : poly := match p with [] => [] | c :: r => (n * c)%Z :: derived (n + 1) r end.
Definition square_part (p : poly) : poly * poly :=
  let '(g, a, _) := guess p (derived 1 (tl p)) in let '(_, h, _) := guess a g in (g, h).
Definition not_negative (p : poly) : bool :=
  holds_on false p || (let (g, h) := square_part p in same_poly (trim (pmul g (pmul g h))) (trim p) && holds_on false h).
Definition told (strict : bool) (p : poly) : bool := if strict then holds_on true p else not_negative p.
Lemma told_sound strict p x : within x -> told strict p = true -> if strict then 0 < peval p x else 0 <= peval p x.
Proof.
  intros X. destruct strict; simpl; [apply (holds_on_sound true p x X)|]. unfold not_negative. intros H. apply orb_prop in H. destruct H as [H|H].
  - apply (holds_on_sound false p x X H).
  - destruct (square_part p) as [g h]. apply andb_prop in H. destruct H as [E H]. pose proof (split_eval g (pmul g h) p x E) as S. rewrite pmul_eval in S.
    pose proof (holds_on_sound false h x X H) as P. simpl in P. rewrite <- S. replace (peval g x * (peval g x * peval h x)) with ((peval g x * peval g x) * peval h x) by ring.
    apply Rmult_le_pos; [apply Rle_0_sqr | exact P].
Qed.
Definition opposite (p : poly) : poly := map Z.opp p.
Lemma opposite_eval p x : peval (opposite p) x = - peval p x.
Proof. induction p as [|c p IH]; simpl; [ring|]. rewrite IH, opp_IZR. ring. Qed.
Definition told_nonzero (p : poly) : bool := holds_on true p || holds_on true (opposite p).
Definition nonzero_on (p : poly) : Prop := forall x, within x -> peval p x <> 0.
Lemma told_nonzero_sound p : told_nonzero p = true -> nonzero_on p.
Proof.
  intros H x X. apply orb_prop in H. destruct H as [H|H].
  - pose proof (holds_on_sound true p x X H). simpl in *. lra.
  - pose proof (holds_on_sound true (opposite p) x X H) as P. simpl in P. rewrite opposite_eval in P. lra.
Qed.

Record function := { f_top : poly; f_bottom : poly; f_nonzero : nonzero_on f_bottom }.
Lemma one_on : nonzero_on [1%Z]. Proof. intros x _. simpl. lra. Qed.
Lemma mul_on p q : nonzero_on p -> nonzero_on q -> nonzero_on (pmul p q).
Proof. intros P Q x X. rewrite pmul_eval. apply Rmult_integral_contrapositive_currified; auto. Qed.
Definition polynomial (p : poly) : function := {| f_top := p; f_bottom := [1%Z]; f_nonzero := one_on |}.
Definition at_point (x : R) (f : function) : R := peval (f_top f) x / peval (f_bottom f) x.
Lemma quotient_on p q t : nonzero_on q -> splits p q t = true -> nonzero_on (snd t).
Proof.
  destruct t as [[g a] b]. unfold splits. intros Nz H. apply andb_prop in H. destruct H as [_ H]. intros x X Z. cbn [snd] in Z. apply (Nz x X).
  rewrite <- (split_eval g b q x H), Z. ring.
Qed.
Definition reduced_function (f : function) : function :=
  let t := guess (f_top f) (f_bottom f) in
  (if splits (f_top f) (f_bottom f) t as s return splits (f_top f) (f_bottom f) t = s -> function
   then fun H => {| f_top := snd (fst t); f_bottom := snd t; f_nonzero := quotient_on _ _ _ (f_nonzero f) H |}
   else fun _ => f) eq_refl.
Lemma reduced_value x f : within x -> at_point x (reduced_function f) = at_point x f.
Proof.
  intros X. unfold reduced_function. generalize (guess (f_top f) (f_bottom f)). intros t.
  generalize (quotient_on (f_top f) (f_bottom f) t (f_nonzero f)). intros q.
  destruct (splits (f_top f) (f_bottom f) t) eqn:E; [|reflexivity]. unfold at_point. cbn [f_top f_bottom].
  destruct t as [[g a] b]. cbn [fst snd]. unfold splits in E. apply andb_prop in E. destruct E as [Ea Eb].
  pose proof (split_eval _ _ _ x Ea) as A. pose proof (split_eval _ _ _ x Eb) as B.
  pose proof (f_nonzero f x X) as Nz. rewrite <- A, <- B in *. field. split; intros Z; apply Nz; rewrite Z; ring.
Qed.
Definition combined_functions (sign : Z) (a b : function) : function :=
  if same_poly (f_bottom a) (f_bottom b)
  then {| f_top := padd (f_top a) (pscale sign (f_top b)); f_bottom := f_bottom a; f_nonzero := f_nonzero a |}
  else {| f_top := padd (pmul (f_top a) (f_bottom b)) (pscale sign (pmul (f_top b) (f_bottom a))); f_bottom := pmul (f_bottom a) (f_bottom b);
          f_nonzero := mul_on _ _ (f_nonzero a) (f_nonzero b) |}.
Lemma combined_value x s a b : within x -> at_point x (combined_functions s a b) = at_point x a + IZR s * at_point x b.
Proof.
  intros X. pose proof (f_nonzero a x X). pose proof (f_nonzero b x X). unfold combined_functions, at_point.
  destruct (same_poly (f_bottom a) (f_bottom b)) eqn:E; cbn [f_top f_bottom].
  - apply same_poly_eq in E. rewrite padd_eval, pscale_eval, <- E. field. assumption.
  - rewrite padd_eval, pscale_eval, !pmul_eval. field. auto.
Qed.
Definition product (a b : function) : function :=
  {| f_top := pmul (f_top a) (f_top b); f_bottom := pmul (f_bottom a) (f_bottom b); f_nonzero := mul_on _ _ (f_nonzero a) (f_nonzero b) |}.
Lemma product_value x a b : within x -> at_point x (product a b) = at_point x a * at_point x b.
Proof.
  intros X. pose proof (f_nonzero a x X). pose proof (f_nonzero b x X). unfold product, at_point. cbn [f_top f_bottom]. rewrite !pmul_eval. field. auto.
Qed.
(** a / b where b has no zero on the interval; any number otherwise. *)
Definition divided (a b : function) : function :=
  (if told_nonzero (f_top b) as s return told_nonzero (f_top b) = s -> function
   then fun H => {| f_top := pmul (f_top a) (f_bottom b); f_bottom := pmul (f_bottom a) (f_top b);
                    f_nonzero := mul_on _ _ (f_nonzero a) (told_nonzero_sound _ H) |}
   else fun _ => a) eq_refl.
Definition signed (strict : bool) (f : function) : bool :=
  if holds_on true (f_bottom f) then told strict (f_top f)
  else if holds_on true (opposite (f_bottom f)) then told strict (opposite (f_top f)) else false.
Lemma signed_sound strict f x : within x -> signed strict f = true -> if strict then 0 < at_point x f else 0 <= at_point x f.
Proof.
  intros X. unfold signed, at_point. destruct (holds_on true (f_bottom f)) eqn:E.
  - intros H. pose proof (holds_on_sound true _ x X E) as B. pose proof (told_sound strict _ x X H) as T. cbv beta iota in B.
    pose proof (Rinv_0_lt_compat _ B). unfold Rdiv. destruct strict; nra.
  - destruct (holds_on true (opposite (f_bottom f))) eqn:E'; [|discriminate]. intros H.
    pose proof (holds_on_sound true _ x X E') as B. pose proof (told_sound strict _ x X H) as T. cbv beta iota in B. rewrite !opposite_eval in *.
    assert (B' : peval (f_bottom f) x < 0) by lra. pose proof (Rinv_lt_0_compat _ B'). unfold Rdiv. destruct strict; rewrite ?opposite_eval in T; nra.
Qed.

Definition difference (a b : function) : function := combined_functions (-1) a b.
Definition functions_on : Numbers := {|
  num := function; n0 := polynomial []; n1 := polynomial [1%Z];
  nadd a b := reduced_function (combined_functions 1 a b); nmul a b := reduced_function (product a b); nsub a b := reduced_function (difference a b);
  ndiv a b := reduced_function (divided a b);
  neq a b := pzero (f_top (difference a b));
  nle a b := let d := reduced_function (difference b a) in pzero (f_top d) || signed false d;
  nlt a b := signed true (reduced_function (difference b a)) |}.
Lemma difference_value x a b : within x -> at_point x (difference a b) = at_point x a - at_point x b.
Proof. intros X. unfold difference. rewrite combined_value by exact X. simpl. ring. Qed.
Lemma pzero_value x f : pzero (f_top f) = true -> at_point x f = 0.
Proof. intros H. unfold at_point. rewrite (pzero_eval _ x H). unfold Rdiv. ring. Qed.

(** The same program, at every value of the parameter. *)
Definition at_every (x : R) (X : within x) : Meaning functions_on R.
Proof.
  refine (@Build_Meaning functions_on R R_field (at_point x) _ _ _ _ _ _ _ _).
  - unfold at_point. simpl. unfold Rdiv. ring.
  - unfold at_point. simpl. field.
  - intros a b. change (at_point x (reduced_function (combined_functions 1 a b)) = at_point x a + at_point x b).
    rewrite reduced_value, combined_value by exact X. ring.
  - intros a b. change (at_point x (reduced_function (product a b)) = at_point x a * at_point x b). rewrite reduced_value, product_value by exact X. reflexivity.
  - intros a b. change (at_point x (reduced_function (difference a b)) = at_point x a - at_point x b). rewrite reduced_value, difference_value by exact X. reflexivity.
  - intros a b H. change (pzero (f_top (difference a b)) = true) in H. apply (pzero_value x) in H. rewrite difference_value in H by exact X.
    apply Rminus_diag_uniq, H.
  - intros a b H. change (pzero (f_top (reduced_function (difference b a))) || signed false (reduced_function (difference b a)) = true) in H.
    change (at_point x a <= at_point x b). pose proof (reduced_value x (difference b a) X) as E. rewrite difference_value in E by exact X.
    apply orb_prop in H. destruct H as [H|H]; [apply (pzero_value x) in H | apply (signed_sound false _ x X) in H; simpl in H]; lra.
  - intros a b H. change (signed true (reduced_function (difference b a)) = true) in H. apply (signed_sound true _ x X) in H. simpl in H.
    rewrite reduced_value, difference_value in H by exact X. change (at_point x a <= at_point x b /\ at_point x a <> at_point x b). split; lra.
Defined.

(** ** Reading *)

Local Open Scope Z_scope.
Definition function_num : Type := @num functions_on.
Definition function_of (top bottom : poly) : option function_num :=
  guard told_nonzero bottom ;; Some (reduced_function (divided (polynomial top) (polynomial bottom))).
Definition constant_on (q : Q) : option function_num := function_of [Qnum q] [Zpos (Qden q)].
Definition read_on (j : json) : option function_num :=
  match j with
  | Text t =>
      if existsb (Z.eqb 32) t then
        match split_at 47 t [] with
        | [top] => p <- coefficients top ;; function_of p [1]
        | [top; bottom] => p <- coefficients top ;; q <- coefficients bottom ;; function_of p q
        | _ => None
        end
      else q <- rational false t ;; constant_on q
  | Number t => q <- rational false t ;; constant_on q
  | _ => None
  end.
(** The quotient of a formula: by what has no zero on the interval. *)
Definition probability_on (name : text) : json -> option function_num :=
  @probability functions_on constant_on (fun q => if Qeq_bool q 0 then Some (polynomial [1]) else None) (Some (polynomial [0; 1])) (Some name).
Definition show_on (f : function_num) : text :=
  let top := show_poly (f_top f) in match trim (f_bottom f) with [1] => top | b => top ++ 47 :: show_poly b end.
End Interval.
