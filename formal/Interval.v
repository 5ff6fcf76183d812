(** Q(u), for every u of an interval at once: signs of polynomials by Bernstein coefficients, with halving. *)

Require Import QArith Qreals Reals Lra Lia Psatz List Bool ZArith.
Require Import Deltachain.Fields Deltachain.Numbers Deltachain.Json Deltachain.Reader Deltachain.Formulas
  Deltachain.Quotients.
Import ListNotations.
Local Open Scope R_scope.

(** ** Bernstein coefficients, over Q *)

Definition qpoly := list Q.
Fixpoint qpeval (p : qpoly) (x : R) : R := match p with [] => 0 | c :: r => Q2R c + x * qpeval r x end.
Definition qadd a b := lowest (a + b)%Q.
Definition qmul a b := lowest (a * b)%Q.
Lemma qadd_R a b : Q2R (qadd a b) = Q2R a + Q2R b.
Proof. unfold qadd. rewrite (Qeq_eqR _ _ (lowest_correct _)). apply Q2R_plus. Qed.
Lemma qmul_R a b : Q2R (qmul a b) = Q2R a * Q2R b.
Proof. unfold qmul. rewrite (Qeq_eqR _ _ (lowest_correct _)). apply Q2R_mult. Qed.

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
       | S n => let m := lowest ((a + b) / 2)%Q in
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
  - cbv zeta in H. set (m := lowest ((a + b) / 2)) in *. apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H. destruct H as [H H3].
    apply andb_prop in H. destruct H as [H1 H2]. apply Lt in H1, H2. destruct (Rle_lt_dec x (Q2R m)); [apply (IH a m oa false) | apply (IH m b false ob)]; auto; try lra; discriminate.
Qed.

(** ** Signs on the interval *)

Section Interval.
Variables low high : Q.
Variables closed_low closed_high : bool.
Definition halvings : nat := 40.
Definition in_q (p : poly) : qpoly := map inject_Z p.
Lemma in_q_eval p x : qpeval (in_q p) x = peval p x.
Proof. induction p as [|c p IH]; simpl; [reflexivity|]. rewrite IH. unfold inject_Z, Q2R. simpl. field. Qed.
Definition proper : bool := negb (Qle_bool high low).
Fixpoint at_q (p : poly) (q : Q) : Q := match p with [] => 0%Q | c :: r => qadd (inject_Z c) (qmul q (at_q r q)) end.
Lemma at_q_R p q : Q2R (at_q p q) = peval p (Q2R q).
Proof. induction p as [|c p IH]; simpl; [apply Q2R0|]. rewrite qadd_R, qmul_R, IH. f_equal. unfold inject_Z, Q2R. simpl. field. Qed.
(** The values of the parameter that are meant. *)
Definition within (x : R) : Prop := Q2R low <= x <= Q2R high /\ (closed_low = false -> Q2R low < x) /\ (closed_high = false -> x < Q2R high).
Definition holds_on (strict : bool) (p : poly) : bool :=
  match p with
  | [] => negb strict
  | [c] => if strict then Z.ltb 0 c else Z.leb 0 c
  | _ => if proper then sign_on halvings strict low high (negb closed_low) (negb closed_high) (in_q p)
         else Qeq_bool low high && let v := at_q p low in if strict then positive_q v else Qle_bool 0 v
  end.
Lemma holds_on_sound strict p x : within x -> holds_on strict p = true -> if strict then 0 < peval p x else 0 <= peval p x.
Proof.
  intros (X & Xl & Xh) H. unfold holds_on in H. destruct p as [|c [|d p]].
  - destruct strict; [discriminate | simpl; lra].
  - destruct strict; simpl; [apply Z.ltb_lt in H; apply IZR_lt in H; lra | apply Z.leb_le in H; apply IZR_le in H; lra].
  - destruct proper eqn:Pr.
    2: { apply andb_prop in H. destruct H as [E H]. apply Qeq_bool_iff, Qeq_eqR in E. assert (x = Q2R low) as -> by lra. cbv zeta in H. rewrite <- at_q_R.
         destruct strict; [apply positive_q_R, H | apply Qle_bool_iff, Qle_Rle in H; rewrite Q2R0 in H; exact H]. }
    rewrite <- in_q_eval.
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

(** ** Numbers *)

(** A guess: the sign in the middle. *)
Definition in_the_middle (p q : poly) : bool := let m := lowest ((low + high) / 2) in positive_q (qmul (at_q p m) (at_q q m)).
Definition functions_on : Numbers := quotients within told told_sound in_the_middle.
Definition function_num : Type := @num functions_on.
Definition at_value (x : R) (X : within x) : Meaning functions_on R := at_every within told told_sound in_the_middle x X.
Definition read_on : json -> option function_num := read_quotient within told told_sound in_the_middle.
Definition show_on : function_num -> text := show_quotient within told told_sound in_the_middle.
(** The quotient of a formula: by what has no zero on the interval. *)
Definition probability_on (name : text) : json -> option function_num :=
  @probability functions_on (constant within told told_sound in_the_middle) (fun q => if Qeq_bool q 0 then Some (whole within [1%Z]) else None)
    (Some (whole within [0%Z; 1%Z])) (Some name).
End Interval.
