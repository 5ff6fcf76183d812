(** Recipes of kind "grid": beliefs over two states, on a grid of directions (R6 above, L4 below). *)

Require Import QArith Lqa Lia List Permutation PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model Deltachain.Integers Deltachain.Levels.
Import ListNotations.
Open Scope Q_scope.

(** A belief with one positive and one negative entry, [None] if it has none of one sign; no answer if it has more. *)
Definition signs (w : belief) : option (option (state * Z * (state * Z))) :=
  let l := nonzero w in
  if forallb (fun e : state * Z => Z.leb 0 (snd e)) l || forallb (fun e : state * Z => Z.leb (snd e) 0) l then Some None
  else match l with
    | [(i, x); (j, y)] => Some (Some (if Z.ltb 0 x then ((i, x), (j, y)) else ((j, y), (i, x))))
    | _ => None
    end.

Lemma signs_dot w i x j y f : signs w = Some (Some ((i, x), (j, y))) -> dotZ w f == inject_Z x * f i + inject_Z y * f j.
Proof.
  unfold signs. intros H. rewrite <- nonzero_dot. destruct (nonzero w) as [|[i' x'] [|[j' y'] [|? ?]]];
    destruct (_ || _); try discriminate. inversion H as [E]. destruct (Z.ltb 0 x'); inversion E; subst; cbn [dot]; ring.
Qed.

(** About size * pos / (pos + neg); any place is sound. *)
Definition position (pos neg size : Z) : Z :=
  let shift := Z.max (bit_length (pos + neg) - 40) 0 in
  Z.min (size - 1) ((Z.shiftr pos shift * size) / Z.max (Z.shiftr (pos + neg) shift) 1).

Section Grid.
Variable m : model.
Hypothesis stoch : stochastic m.
Hypothesis places_ok : forall i p, M.find i (places m) = Some p -> place_ok m (i, p) = true.
Notation prob := (prob m).
Hypothesis single_choice : forall w : belief, choices m w = 1%nat.
Variable rows : M.t (list irow).
Hypothesis rows_eq : rows = integer_rows m.
Variable size : Z.

Notation grows := (grows m).
Notation shrinks := (shrinks m).

(** ** Below *)

Fixpoint place_below (ps : list belief) (kept : list (list Z * belief)) (b : Z) : option (list (list Z * belief) * Z) :=
  match ps with
  | [] => Some (kept, b)
  | w :: r =>
      match signs w with
      | None => None
      | Some None => place_below r kept (b + gain_of (both_sides w))
      | Some (Some ((i, x), (j, y))) =>
          place_below r (([Zpos i; Zpos j; position x (- y) size], [(i, x); (j, y)]) :: kept) b
      end
  end.

Fixpoint parts_of_all (level : list belief) (acc : list belief) : option (list belief) :=
  match level with
  | [] => Some acc
  | w :: r => match iparts m rows 0 w with Some ps => parts_of_all r (map snd ps ++ acc) | None => None end
  end.

Fixpoint sum_groups (gs : list (list belief)) (out : list belief) : option (list belief) :=
  match gs with
  | [] => Some out
  | [] :: r => sum_groups r out
  | (w :: g) :: r => match total_of w g with Some t => sum_groups r (t :: out) | None => None end
  end.

(** Beliefs to cells. *)
Definition cells_below (ps : list belief) (b : Z) : option (list belief * Z) :=
  match place_below ps [] b with
  | None => None
  | Some (kept, b') => option_map (fun out => (out, b')) (sum_groups (groups_of kept) [])
  end.

Definition below_step (st : option (list belief * Z)) : option (list belief * Z) :=
  match st with
  | None | Some ([], _) => st
  | Some (level, b) => match parts_of_all level [] with Some ps => cells_below ps b | None => None end
  end.

Definition grid_below (root : belief) (depth : N) : option Z :=
  match N.iter depth below_step (cells_below [root] 0) with
  | Some (level, b) => Some (fst (masses level b 0))
  | None => None
  end.

Lemma grows_eq L b L' b' : grows L b L' -> b = b' -> grows L b' L'.
Proof. intros; subst; assumption. Qed.

Lemma place_below_grows ps : forall kept b kept' b', place_below ps kept b = Some (kept', b') ->
  grows (ps ++ map snd kept) (b' - b) (map snd kept').
Proof.
  induction ps as [|w r IH]; intros kept b kept' b' H; simpl in H.
  - inversion H; subst. eapply grows_eq; [apply grows_same | lia].
  - destruct (signs w) as [[[[i x] [j y]]|]|] eqn:S; [| |discriminate].
    + apply IH in H. simpl in H. eapply grows_eq; [|shelve]. eapply grows_then; [|exact H]. simpl.
      eapply grows_then with (L' := [(i, x); (j, y)] :: (r ++ map snd kept)).
      * apply (grows_app m [w] 0 [[(i, x); (j, y)]] (r ++ map snd kept) 0 (r ++ map snd kept)); [|apply grows_same].
        apply grows_like. intros f. rewrite (signs_dot _ _ _ _ _ f S). cbn [dot]. ring.
      * apply grows_perm. apply Permutation_middle.
      Unshelve. lia.
    + apply IH in H. simpl. eapply grows_eq; [|shelve].
      apply (grows_app m [w] _ [] (r ++ map snd kept) _ _ (grows_drop m w) H).
      Unshelve. lia.
Qed.

Lemma parts_grow level : forall acc ps, parts_of_all level acc = Some ps -> grows (level ++ acc) 0 ps /\ shrinks (level ++ acc) 0 ps.
Proof.
  induction level as [|w r IH]; intros acc ps H; simpl in H.
  - inversion H; subst. split; [apply grows_same | apply shrinks_same].
  - destruct (iparts m rows 0 w) as [qs|] eqn:P; [|discriminate]. destruct (IH _ _ H) as [G S].
    assert (Pm : Permutation (map snd qs ++ (r ++ acc)) (r ++ (map snd qs ++ acc))).
    { rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm. }
    split.
    + apply (grows_then m _ 0 (map snd qs ++ (r ++ acc)) 0).
      * apply (grows_app m [w] 0 (map snd qs) (r ++ acc) 0 (r ++ acc)); [|apply grows_same].
        apply (grows_step m stoch places_ok rows rows_eq w qs P).
      * apply (grows_then m _ 0 (r ++ (map snd qs ++ acc)) 0); [apply grows_perm; assumption | assumption].
    + apply (shrinks_then m _ 0 (map snd qs ++ (r ++ acc)) 0).
      * apply (shrinks_app m [w] 0 (map snd qs) (r ++ acc) 0 (r ++ acc)); [|apply shrinks_same].
        apply (shrinks_step m stoch places_ok single_choice rows rows_eq w qs P).
      * apply (shrinks_then m _ 0 (r ++ (map snd qs ++ acc)) 0); [apply shrinks_perm; assumption | assumption].
Qed.

Lemma sum_groups_grows gs : forall out out', sum_groups gs out = Some out' -> grows (concat gs ++ out) 0 out'.
Proof.
  induction gs as [|[|w g] gs IH]; intros out out' H; simpl in H.
  - inversion H; subst. apply grows_same.
  - simpl. apply IH. assumption.
  - destruct (total_of w g) as [t|] eqn:T; [|discriminate]. apply IH in H.
    apply (grows_then m _ 0 (t :: concat gs ++ out) 0).
    + change (concat ((w :: g) :: gs) ++ out) with (((w :: g) ++ concat gs) ++ out). rewrite <- app_assoc.
      apply (grows_app m (w :: g) 0 [t] (concat gs ++ out) 0 (concat gs ++ out)); [apply (grows_sum m g w t T) | apply grows_same].
    + apply (grows_then m _ 0 (concat gs ++ t :: out) 0); [apply grows_perm, Permutation_middle | assumption].
Qed.

Lemma cells_below_grows ps b out b' : cells_below ps b = Some (out, b') -> grows ps (b' - b) out.
Proof.
  unfold cells_below. destruct (place_below ps [] b) as [[kept b1]|] eqn:P; [|discriminate].
  destruct (sum_groups (groups_of kept) []) as [o|] eqn:S; [|discriminate]. simpl. intros H; inversion H; subst.
  apply place_below_grows in P. rewrite app_nil_r in P. apply sum_groups_grows in S. rewrite app_nil_r in S.
  eapply grows_eq; [|shelve]. eapply grows_then; [exact P|]. eapply grows_then; [apply grows_perm, Permutation_sym, groups_perm | exact S].
  Unshelve. lia.
Qed.

Definition reached_below (root : belief) (st : option (list belief * Z)) : Prop :=
  match st with None => True | Some (level, b) => grows [root] b level end.

Lemma below_step_reached root st : reached_below root st -> reached_below root (below_step st).
Proof.
  destruct st as [[level b]|]; [|exact (fun H => H)]. intros H. destruct level as [|w0 l0]; [exact H|].
  unfold below_step. set (level := w0 :: l0) in *. destruct (parts_of_all level []) as [ps|] eqn:P; [|exact I].
  destruct (cells_below ps b) as [[out b']|] eqn:C; [|exact I]. apply parts_grow in P. rewrite app_nil_r in P. destruct P as [P _].
  apply cells_below_grows in C. simpl. eapply grows_eq; [|shelve]. eapply grows_then; [exact H|]. eapply grows_then; [exact P | exact C].
  Unshelve. lia.
Qed.

Theorem grid_below_sound root depth b : grid_below root depth = Some b -> exists E, inject_Z b <= dotZ root (prob E).
Proof.
  unfold grid_below. assert (R0 : reached_below root (cells_below [root] 0)).
  { destruct (cells_below [root] 0) as [[out b']|] eqn:C; [|exact I]. apply cells_below_grows in C. simpl.
    rewrite Z.sub_0_r in C. exact C. }
  pose proof (N.iter_invariant depth _ below_step (reached_below root) (below_step_reached root) _ R0) as R.
  destruct (N.iter depth below_step _) as [[level b1]|]; [|discriminate]. intros H. inversion H; subst. simpl in R.
  destruct (masses level b1 0) as [b2 a2] eqn:Em. apply (masses_moves m stoch) in Em. destruct Em as [G _].
  apply (grows_all m). simpl. eapply grows_eq; [eapply grows_then; [exact R | exact G] | lia].
Qed.

(** ** Above *)

(** Weight times the direction (k, -(size - k)) of -w: positive at [plus]. *)
Record cell := { plus : state; minus : state; place_of : Z; weight : Z }.
Definition cell_belief (c : cell) : belief :=
  [(plus c, (- (weight c * place_of c))%Z); (minus c, (weight c * (size - place_of c))%Z)].

Definition keep (c : cell) (l : list (list Z * cell)) : list (list Z * cell) :=
  if Z.ltb 0 (place_of c) && Z.ltb (place_of c) size && negb (Z.eqb (weight c) 0)
  then ([Zpos (plus c); Zpos (minus c); place_of c], c) :: l else l.

Definition cover (i : state) (pos : Z) (j : state) (neg : Z) : option (cell * cell * Z) :=
  let k := position pos neg size in
  let whole := ((pos + neg) / size)%Z in let rest := ((pos + neg) mod size)%Z in
  let upper := Z.min (Z.max (pos - k * whole - div_up (k * rest) size) 0) whole in
  let lower := (whole - upper)%Z in
  let uncovered := (Z.max (pos - lower * k - upper * (k + 1)) 0 + Z.max (lower * (size - k) + upper * (size - k - 1) - neg) 0)%Z in
  if Z.leb 0 lower && Z.leb 0 upper && Z.leb 0 k && Z.ltb k size then
    Some ({| plus := i; minus := j; place_of := k; weight := lower |}, {| plus := i; minus := j; place_of := k + 1; weight := upper |},
          (uncovered + if Z.eqb (k + 1) size then upper * size else 0)%Z)
  else None.

Fixpoint place_above (ps : list belief) (kept : list (list Z * cell)) (a : Z) : option (list (list Z * cell) * Z) :=
  match ps with
  | [] => Some (kept, a)
  | w :: r =>
      match signs w with
      | None => None
      | Some None => place_above r kept (a + snd (both_sides w))
      | Some (Some ((i, x), (j, y))) =>
          match cover j (- y) i x with
          | Some (c1, c2, u) => place_above r (keep c1 (keep c2 kept)) (a + u)
          | None => None
          end
      end
  end.

(** Cells of one direction: their weights add up. *)
Fixpoint same_cells (c : cell) (l : list cell) : bool :=
  match l with
  | [] => true
  | d :: r => Pos.eqb (plus c) (plus d) && Pos.eqb (minus c) (minus d) && Z.eqb (place_of c) (place_of d)
              && Z.leb 0 (weight d) && same_cells c r
  end.
Definition join_cells (g : list cell) : option cell :=
  match g with
  | [] => None
  | [c] => Some c
  | c :: _ => let w := fold_right (fun d s => (weight d + s)%Z) 0%Z g in
      if same_cells c g && Z.ltb 0 w then Some {| plus := plus c; minus := minus c; place_of := place_of c; weight := w |} else None
  end.
Fixpoint join_groups (gs : list (list cell)) (out : list cell) : option (list cell) :=
  match gs with
  | [] => Some out
  | g :: r => match join_cells g with Some c => join_groups r (c :: out) | None => None end
  end.

Definition cells_above (ps : list belief) (a : Z) : option (list cell * Z) :=
  match place_above ps [] a with
  | None => None
  | Some (kept, a') => option_map (fun out => (out, a')) (join_groups (groups_of kept) [])
  end.

Definition above_step (st : option (list cell * Z)) : option (list cell * Z) :=
  match st with
  | None | Some ([], _) => st
  | Some (level, a) => match parts_of_all (map cell_belief level) [] with Some ps => cells_above ps a | None => None end
  end.

Definition grid_above (root : belief) (depth : N) : option Z :=
  match N.iter depth above_step (cells_above [root] 0) with
  | Some (level, a) => Some (snd (masses (map cell_belief level) 0 a))
  | None => None
  end.

Lemma shrinks_eq L b L' b' : shrinks L b L' -> b = b' -> shrinks L b' L'.
Proof. intros; subst; assumption. Qed.

Lemma cell_dot c f : - dotZ (cell_belief c) f ==
  inject_Z (weight c) * (inject_Z (place_of c) * f (plus c) - inject_Z (size - place_of c) * f (minus c)).
Proof. unfold cell_belief. cbn [dot]. rewrite inject_Z_opp, !inject_Z_mult. ring. Qed.

(** A cell that is not kept is worth nothing above, or all its weight if it is at the end. *)
Lemma keep_shrinks c l a : (0 <= weight c)%Z -> (0 <= place_of c)%Z -> (place_of c <= size)%Z ->
  (place_of c = size -> (weight c * size <= a)%Z) -> (0 <= a)%Z ->
  shrinks (cell_belief c :: map (fun e => cell_belief (snd e)) l) a (map (fun e => cell_belief (snd e)) (keep c l)).
Proof.
  intros W K0 K1 A A0. unfold keep. destruct (_ && _) eqn:B; simpl.
  - intros v H. eapply attained_le; [exact H|]. apply inject_le in A0. change (inject_Z 0) with 0 in A0. lra.
  - eapply shrinks_eq; [apply (shrinks_app m [cell_belief c] a [] _ 0 (map (fun e => cell_belief (snd e)) l)); [|apply shrinks_same]|lia].
    apply (shrinks_cover m stoch). intros f F. cbn [fold_right]. rewrite cell_dot.
    destruct (F (plus c)) as [F0 F1]. destruct (F (minus c)) as [G0 G1].
    assert (Wq : 0 <= inject_Z (weight c)) by (change 0 with (inject_Z 0); apply inject_le; assumption).
    assert (Aq : 0 <= inject_Z a) by (change 0 with (inject_Z 0); apply inject_le; assumption).
    assert (Sq : 0 <= inject_Z (size - place_of c)) by (change 0 with (inject_Z 0); apply inject_le; lia).
    assert (Nn : 0 <= inject_Z (weight c) * (inject_Z (size - place_of c) * f (minus c))) by (apply Qmult_le_0_compat; [assumption | nra]).
    assert (Up : inject_Z (weight c) * (inject_Z (place_of c) * f (plus c)) <= inject_Z a); [|nra].
    apply Bool.andb_false_iff in B. destruct B as [B|B].
    + apply Bool.andb_false_iff in B. destruct B as [B|B].
      * apply Z.ltb_ge in B. assert (place_of c = 0%Z) as -> by lia. change (inject_Z 0) with 0. nra.
      * apply Z.ltb_ge in B. assert (E : place_of c = size) by lia. specialize (A E). rewrite E. apply inject_le in A. rewrite inject_Z_mult in A.
        assert (0 <= inject_Z size) by (change 0 with (inject_Z 0); apply inject_le; lia).
        assert (inject_Z size * f (plus c) <= inject_Z size) by nra. nra.
    + apply Bool.negb_false_iff, Z.eqb_eq in B. rewrite B. change (inject_Z 0) with 0. nra.
Qed.

Lemma cover_shrinks i pos j neg c1 c2 u w kept : cover i pos j neg = Some (c1, c2, u) ->
  (forall f, - dotZ w f == inject_Z pos * f i - inject_Z neg * f j) ->
  shrinks (w :: map (fun e => cell_belief (snd e)) kept) u (map (fun e => cell_belief (snd e)) (keep c1 (keep c2 kept))).
Proof.
  unfold cover. set (k := position pos neg size). set (whole := ((pos + neg) / size)%Z).
  set (upper := Z.min _ whole). set (lower := (whole - upper)%Z).
  set (over := Z.max (pos - lower * k - upper * (k + 1)) 0). set (under := Z.max (lower * (size - k) + upper * (size - k - 1) - neg) 0).
  destruct (Z.leb_spec 0 lower) as [L0|]; [|discriminate]. destruct (Z.leb_spec 0 upper) as [U0|]; [|discriminate].
  destruct (Z.leb_spec 0 k) as [K0|]; [|discriminate]. destruct (Z.ltb_spec k size) as [K1|]; [|discriminate].
  intros H D. simpl in H. inversion H as [[E1 E2 E3]].
  set (last := if Z.eqb (k + 1) size then (upper * size)%Z else 0%Z) in *.
  assert (Last : (0 <= last)%Z /\ ((k + 1)%Z = size -> (upper * size <= last)%Z)).
  { unfold last. destruct (Z.eqb_spec (k + 1) size) as [e|n]; split; try lia; nia. }
  destruct Last as [La0 La1].
  set (d1 := {| plus := i; minus := j; place_of := k; weight := lower |}) in *.
  set (d2 := {| plus := i; minus := j; place_of := (k + 1)%Z; weight := upper |}) in *.
  assert (C : shrinks [w] (over + under) [cell_belief d1; cell_belief d2]).
  { apply (shrinks_cover m stoch). intros f F. cbn [fold_right]. rewrite D, !cell_dot. unfold d1, d2. cbn [plus minus place_of weight].
    destruct (F i) as [F0 F1]. destruct (F j) as [G0 G1].
    assert (A1 : inject_Z pos - (inject_Z lower * inject_Z k + inject_Z upper * inject_Z (k + 1)) <= inject_Z over).
    { rewrite <- !inject_Z_mult, <- inject_add. unfold Qminus. rewrite <- inject_Z_opp, <- inject_add. apply inject_le. unfold over. lia. }
    assert (A2 : inject_Z lower * inject_Z (size - k) + inject_Z upper * inject_Z (size - (k + 1)) - inject_Z neg <= inject_Z under).
    { rewrite <- !inject_Z_mult, <- inject_add. unfold Qminus. rewrite <- inject_Z_opp, <- inject_add. apply inject_le. unfold under. lia. }
    assert (O0 : 0 <= inject_Z over) by (change 0 with (inject_Z 0); apply inject_le; unfold over; lia).
    assert (N0 : 0 <= inject_Z under) by (change 0 with (inject_Z 0); apply inject_le; unfold under; lia).
    rewrite inject_add. set (X := inject_Z lower * inject_Z k + inject_Z upper * inject_Z (k + 1)) in *.
    set (Y := inject_Z lower * inject_Z (size - k) + inject_Z upper * inject_Z (size - (k + 1))) in *.
    assert (B1 : (inject_Z pos - X) * f i <= inject_Z over) by nra.
    assert (B2 : (Y - inject_Z neg) * f j <= inject_Z under) by nra.
    assert (Eq : inject_Z lower * (inject_Z k * f i - inject_Z (size - k) * f j)
      + (inject_Z upper * (inject_Z (k + 1) * f i - inject_Z (size - (k + 1)) * f j) + 0) == X * f i - Y * f j) by (unfold X, Y; ring).
    rewrite Eq. nra. }
  set (R := map (fun e => cell_belief (snd e)) kept) in *.
  eapply shrinks_eq; [|shelve].
  eapply shrinks_then; [apply (shrinks_app m [w] _ _ R 0 R C (shrinks_same m R))|].
  simpl. eapply shrinks_then with (L' := cell_belief d1 :: map (fun e => cell_belief (snd e)) (keep d2 kept)).
  - apply (shrinks_app m [cell_belief d1] 0 [cell_belief d1]); [apply shrinks_same|].
    apply (keep_shrinks d2 kept last); unfold d2; cbn [weight place_of]; lia.
  - apply (keep_shrinks d1 (keep d2 kept) 0); unfold d1; cbn [weight place_of]; lia.
  Unshelve. fold upper. lia.
Qed.

Lemma place_above_shrinks ps : forall kept a kept' a', place_above ps kept a = Some (kept', a') ->
  shrinks (ps ++ map (fun e => cell_belief (snd e)) kept) (a' - a) (map (fun e => cell_belief (snd e)) kept').
Proof.
  induction ps as [|w r IH]; intros kept a kept' a' H; simpl in H.
  - inversion H; subst. eapply shrinks_eq; [apply shrinks_same | lia].
  - destruct (signs w) as [[[[i x] [j y]]|]|] eqn:S; [| |discriminate].
    + destruct (cover j (- y) i x) as [[[c1 c2] u]|] eqn:C; [|discriminate]. apply IH in H.
      set (R := map (fun e => cell_belief (snd e)) kept) in *.
      assert (W : shrinks (w :: R) u (map (fun e => cell_belief (snd e)) (keep c1 (keep c2 kept)))).
      { apply (cover_shrinks _ _ _ _ _ _ _ _ _ C). intros f. rewrite (signs_dot _ _ _ _ _ f S), inject_Z_opp. ring. }
      eapply shrinks_eq; [|shelve]. eapply shrinks_then; [|exact H]. simpl.
      eapply shrinks_then with (L' := r ++ (w :: R)); [apply shrinks_perm, Permutation_middle|].
      apply (shrinks_app m r 0 r); [apply shrinks_same | exact W].
      Unshelve. lia.
    + apply IH in H. simpl. eapply shrinks_eq; [|shelve].
      apply (shrinks_app m [w] _ [] (r ++ map (fun e => cell_belief (snd e)) kept) _ _ (shrinks_drop m stoch w) H).
      Unshelve. lia.
Qed.

Lemma join_cells_shrinks g c : join_cells g = Some c -> shrinks (map cell_belief g) 0 [cell_belief c].
Proof.
  destruct g as [|c0 [|c1 r]]; intros H; [discriminate| |].
  - simpl in H. inversion H; subst. apply shrinks_same.
  - unfold join_cells in H. set (g := c0 :: c1 :: r) in *. remember (fold_right (fun d s => (weight d + s)%Z) 0%Z g) as W eqn:EW.
    destruct (same_cells c0 g) eqn:S; [|discriminate]. destruct (Z.ltb_spec 0 W) as [W0|]; [|discriminate].
    simpl in H. injection H as <-. set (c := {| plus := plus c0; minus := minus c0; place_of := place_of c0; weight := W |}).
    pose proof (inject_pos _ W0) as Q0.
    assert (E : forall g', same_cells c0 g' = true -> exists l : list (belief * Q * Z), map (fun x => fst (fst x)) l = map cell_belief g'
      /\ fold_right (fun x s => (snd x + s)%Z) 0%Z l = 0%Z
      /\ fold_right (fun x s => snd (fst x) + s) 0 l == inject_Z (fold_right (fun d s => (weight d + s)%Z) 0%Z g') / inject_Z W
      /\ forall w mu r, In (w, mu, r) l -> 0 <= mu /\ forall f, (forall i, 0 <= f i /\ f i <= 1) -> - dotZ w f <= inject_Z r + mu * - dotZ (cell_belief c) f).
    { clear S EW. induction g' as [|d g' IH]; intros S; cbn [same_cells map fold_right] in *.
      - exists []. simpl. split; [reflexivity|]. split; [reflexivity|]. split; [change (inject_Z 0) with 0; field; lra | intros ? ? ? []].
      - apply andb_prop in S; destruct S as [S S5]. apply andb_prop in S; destruct S as [S S4].
        apply andb_prop in S; destruct S as [S S3]. apply andb_prop in S; destruct S as [S1 S2].
        destruct (IH S5) as (l & E1 & E2 & E3 & E4). apply Pos.eqb_eq in S1, S2. apply Z.eqb_eq in S3. apply Z.leb_le in S4.
        exists ((cell_belief d, inject_Z (weight d) / inject_Z W, 0%Z) :: l). cbn [map fold_right fst snd]. rewrite E1. split; [reflexivity|]. split; [assumption|].
        split; [rewrite E3, inject_add; field; lra|]. intros w mu r0 [Ee|Ie]; [|apply (E4 _ _ _ Ie)]. inversion Ee; subst w mu r0. split.
        + apply Qle_shift_div_l; [assumption|]. apply inject_le in S4. change (inject_Z 0) with 0 in S4. lra.
        + intros f F. rewrite !cell_dot. unfold c. cbn [plus minus place_of weight]. change (inject_Z 0) with 0.
          rewrite S1, S2, S3. apply Qle_lteq. right. field. lra. }
    destruct (E g S) as (l & E1 & E2 & E3 & E4). rewrite <- E1, <- E2. apply (shrinks_join m stoch (cell_belief c) l E4).
    rewrite E3, <- EW. field. lra.
Qed.

Lemma join_groups_shrinks gs : forall out out', join_groups gs out = Some out' ->
  shrinks (map cell_belief (concat gs ++ out)) 0 (map cell_belief out').
Proof.
  induction gs as [|g gs IH]; intros out out' H; simpl in H.
  - inversion H; subst. apply shrinks_same.
  - destruct (join_cells g) as [c|] eqn:J; [|discriminate]. apply IH in H. apply join_cells_shrinks in J.
    simpl. rewrite <- app_assoc, map_app. set (R := map cell_belief (concat gs ++ out)) in *.
    apply (shrinks_then m _ 0 (cell_belief c :: R) 0).
    + apply (shrinks_app m (map cell_belief g) 0 [cell_belief c] R 0 R J (shrinks_same m R)).
    + apply (shrinks_then m _ 0 (map cell_belief (concat gs ++ c :: out)) 0); [|assumption].
      apply shrinks_perm. unfold R. apply (Permutation_map cell_belief (l := c :: concat gs ++ out)), Permutation_middle.
Qed.

Lemma cells_above_shrinks ps a out a' : cells_above ps a = Some (out, a') -> shrinks ps (a' - a) (map cell_belief out).
Proof.
  unfold cells_above. destruct (place_above ps [] a) as [[kept a1]|] eqn:P; [|discriminate].
  destruct (join_groups (groups_of kept) []) as [o|] eqn:S; [|discriminate]. simpl. intros H; inversion H; subst.
  apply place_above_shrinks in P. simpl in P. rewrite app_nil_r in P. apply join_groups_shrinks in S. rewrite app_nil_r in S.
  eapply shrinks_eq; [|shelve]. eapply shrinks_then; [exact P|]. eapply shrinks_then; [|exact S].
  apply shrinks_perm. rewrite <- (map_map snd cell_belief). apply Permutation_map, Permutation_sym, groups_perm.
  Unshelve. lia.
Qed.

Definition reached_above (root : belief) (st : option (list cell * Z)) : Prop :=
  match st with None => True | Some (level, a) => shrinks [root] a (map cell_belief level) end.

Lemma above_step_reached root st : reached_above root st -> reached_above root (above_step st).
Proof.
  destruct st as [[level a]|]; [|exact (fun H => H)]. intros H. destruct level as [|w0 l0]; [exact H|].
  unfold above_step. set (level := w0 :: l0) in *. destruct (parts_of_all (map cell_belief level) []) as [ps|] eqn:P; [|exact I].
  destruct (cells_above ps a) as [[out a']|] eqn:C; [|exact I]. apply parts_grow in P. rewrite app_nil_r in P. destruct P as [_ P].
  apply cells_above_shrinks in C. simpl. eapply shrinks_eq; [|shelve]. eapply shrinks_then; [exact H|]. eapply shrinks_then; [exact P | exact C].
  Unshelve. lia.
Qed.

Theorem grid_above_sound root depth a : grid_above root depth = Some a -> forall E, - dotZ root (prob E) <= inject_Z a.
Proof.
  unfold grid_above. assert (R0 : reached_above root (cells_above [root] 0)).
  { destruct (cells_above [root] 0) as [[out a']|] eqn:C; [|exact I]. apply cells_above_shrinks in C. simpl.
    rewrite Z.sub_0_r in C. exact C. }
  pose proof (N.iter_invariant depth _ above_step (reached_above root) (above_step_reached root) _ R0) as R.
  destruct (N.iter depth above_step _) as [[level a1]|]; [|discriminate]. intros H. inversion H; subst. simpl in R.
  destruct (masses (map cell_belief level) 0 a1) as [b2 a2] eqn:Em. apply (masses_moves m stoch) in Em. destruct Em as [_ S].
  intros E. apply (shrinks_all m). simpl. eapply shrinks_eq; [eapply shrinks_then; [exact R | exact S] | lia].
Qed.
End Grid.
