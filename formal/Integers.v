(** Signed beliefs in integers, rounded down (the step of the recipes; R3, L2 with rounding, R6, L4).

    Of a vector w of integers two things are proved: some event has dot w (prob E) >= below, and every event has
    - dot w (prob E) <= above. A step sends floor (w_i p_ij) to j, so that what is kept stays below the truth. *)

Require Import QArith Qround Lqa Lia List Permutation PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model Deltachain.Merge.
Import ListNotations.
Open Scope Q_scope.

Notation dotZ := (dot inject_Z).
Notation belief := (list (state * Z)).

Lemma inject_add a b : inject_Z (a + b) == inject_Z a + inject_Z b.
Proof. rewrite inject_Z_plus. reflexivity. Qed.

Lemma div_le a b : (0 < b)%Z -> inject_Z (a / b) * inject_Z b <= inject_Z a.
Proof.
  intros H. rewrite <- inject_Z_mult, <- Zle_Qle. rewrite Z.mul_comm. apply Z.mul_div_le. assumption.
Qed.
Lemma div_gt a b : (0 < b)%Z -> inject_Z a <= inject_Z (a / b) * inject_Z b + inject_Z b.
Proof.
  intros H. rewrite <- inject_Z_mult, <- inject_add, <- Zle_Qle.
  pose proof (Z.mod_pos_bound a b H). pose proof (Z.div_mod a b). lia.
Qed.
Definition div_up (a b : Z) : Z := (- (- a / b))%Z.
Lemma div_up_ge a b : (0 < b)%Z -> inject_Z a <= inject_Z (div_up a b) * inject_Z b.
Proof.
  intros H. unfold div_up. rewrite inject_Z_opp. pose proof (div_le (- a) b H) as D. rewrite inject_Z_opp in D. nra.
Qed.
Lemma inject_le a b : (a <= b)%Z -> inject_Z a <= inject_Z b.
Proof. rewrite <- Zle_Qle. auto. Qed.
Lemma inject_eq a b : a = b -> inject_Z a == inject_Z b.
Proof. intros ->. reflexivity. Qed.
Lemma inject_pos a : (0 < a)%Z -> 0 < inject_Z a.
Proof. intros H. change 0 with (inject_Z 0). rewrite <- Zlt_Qlt. assumption. Qed.

(** ** Rows over one denominator: exact if it is short, else rounded both ways *)

Record irow := { bottom : Z; shares : list (state * (Z * Z)) }.

Definition longest : Z := 2147483647.    (* 2^31 - 1 *)
Definition rounded : Z := 1073741824.    (* 2^30 *)

Definition common_denominator (r : row_of) : Z := fold_left (fun d e => Z.lcm d (Zpos (Qden (snd e)))) r 1%Z.

Definition integer_row (r : row_of) : irow :=
  let c := common_denominator r in
  let d := if Z.leb c 0 then 1%Z else if Z.ltb longest c then rounded else c in
  {| bottom := d;
     shares := map (fun e : state * Q => let '(Qmake n q) := snd e in
                    (fst e, ((n * d) / Zpos q, div_up (n * d) (Zpos q))%Z)) r |}.

Lemma bottom_pos r : (0 < bottom (integer_row r))%Z.
Proof.
  unfold integer_row. simpl. destruct (Z.leb_spec (common_denominator r) 0); [lia|].
  destruct (Z.ltb longest _); unfold rounded; lia.
Qed.

(** low <= p * bottom <= high, entry by entry. *)
Definition fits (d : Z) (e : state * Q) (s : state * (Z * Z)) : Prop :=
  fst s = fst e /\ inject_Z (fst (snd s)) <= snd e * inject_Z d /\ snd e * inject_Z d <= inject_Z (snd (snd s)).

Lemma integer_row_fits r : Forall2 (fits (bottom (integer_row r))) r (shares (integer_row r)).
Proof.
  unfold integer_row. simpl. set (d := if Z.leb _ 0 then 1%Z else _). clearbody d.
  induction r as [|[j [n q]] r IH]; simpl; constructor; [|assumption].
  assert (P : (0 < Zpos q)%Z) by lia. pose proof (inject_pos _ P) as P'.
  assert (E : (n # q) * inject_Z d * inject_Z (Zpos q) == inject_Z (n * d)).
  { rewrite (Qmake_Qdiv n q), inject_Z_mult. field. lra. }
  repeat split; simpl.
  - apply Qmult_le_r with (z := inject_Z (Zpos q)); [assumption|]. rewrite E. apply div_le. lia.
  - apply Qmult_le_r with (z := inject_Z (Zpos q)); [assumption|]. rewrite E. apply div_up_ge. lia.
Qed.

Definition share (v : Z) (d : Z) (s : Z * Z) : Z := ((v * (if Z.ltb 0 v then fst s else snd s)) / d)%Z.

Lemma share_le v d e s : (0 < d)%Z -> fits d e s -> inject_Z (share v d (snd s)) <= inject_Z v * snd e.
Proof.
  intros Hd (_ & L & H). pose proof (inject_pos _ Hd) as D. apply Qmult_le_r with (z := inject_Z d); [assumption|].
  eapply Qle_trans; [apply div_le; assumption|]. rewrite inject_Z_mult.
  destruct (Z.ltb_spec 0 v) as [V|V].
  - apply inject_pos in V. nra.
  - apply inject_le in V. change (inject_Z 0) with 0 in V. nra.
Qed.

Section Integers.
Variable m : model.
Hypothesis stoch : stochastic m.
Hypothesis places_ok : forall i p, M.find i (places m) = Some p -> place_ok m (i, p) = true.

Notation lab := (lab m).
Notation prob := (prob m).

Definition integer_rows : M.t (list irow) := M.map (fun p => map integer_row (place_rows p)) (places m).

(** Computed once, and handed to what follows. *)
Definition irow_at (rows : M.t (list irow)) (k : nat) (i : state) : irow :=
  match M.find i rows with
  | Some rs => nth (Nat.min k (pred (length rs))) rs (integer_row [(i, 1)])
  | None => integer_row [(i, 1)]
  end.

Lemma irow_at_eq k i : irow_at integer_rows k i = integer_row (move m k i).
Proof.
  unfold irow_at, integer_rows, M.map, move, row. rewrite M.gmapi.
  destruct (M.find i (places m)) as [p|] eqn:E; simpl; [|reflexivity].
  rewrite map_length, map_nth. unfold clamp, lab. rewrite E.
  destruct (place_inputs m i p (places_ok i p E)) as (N & _). rewrite N. reflexivity.
Qed.

Definition istep (rows : M.t (list irow)) (k : nat) (w : belief) : belief :=
  flat_map (fun e : state * Z => let r := irow_at rows k (fst e) in
    map (fun s : state * (Z * Z) => (fst s, share (snd e) (bottom r) (snd s))) (shares r)) w.

Lemma istep_dot k w f : (forall i, 0 <= f i) ->
  dotZ (istep integer_rows k w) f <= dotZ w (fun i => dotQ (move m k i) f).
Proof.
  intros F. induction w as [|[i v] w IH]; simpl; [lra|]. rewrite dot_app. apply Qplus_le_compat; [|assumption].
  rewrite irow_at_eq. pose proof (bottom_pos (move m k i)) as B. pose proof (integer_row_fits (move m k i)) as Fit.
  remember (bottom (integer_row (move m k i))) as d. clear Heqd.
  induction Fit as [|e s r ss H Hs IHr]; simpl; [lra|].
  pose proof (share_le v d e s B H) as S. destruct H as [E _]. destruct e as [j p], s as [j' lh]. simpl in *. subst j'.
  specialize (F j). change (same p) with p.
  setoid_replace (inject_Z v * (p * f j + dotQ r f)) with (inject_Z v * p * f j + inject_Z v * dotQ r f) by ring. nra.
Qed.

(** The parts of a step, by label. *)
Definition iparts (rows : M.t (list irow)) (k : nat) (w : belief) : option (list (@part Z)) :=
  split lab (gather Z.add (istep rows k w)).

Definition sum_over (c : label -> event) (ps : list (@part Z)) : Q := sum_parts (fun p => dotZ (snd p) (prob (c (fst p)))) ps.

Lemma iparts_look k w ps c : iparts integer_rows k w = Some ps -> sum_over c ps <= dotZ w (prob (Look k c)).
Proof.
  intros H. apply (split_spec inject_Z lab) in H. destruct H as (_ & P & S).
  assert (E : sum_over c ps == dotZ (istep integer_rows k w) (fun j => prob (c (lab j)) j)).
  { rewrite <- (gather_dot inject_Z Z.add inject_add), S. unfold sum_over. apply sum_parts_ext. intros p I. symmetry.
    rewrite Forall_forall in P. apply (part_dot inject_Z lab p (fun a => prob (c a))). auto. }
  rewrite E. simpl. apply istep_dot. intros i. apply prob_range. assumption.
Qed.

Lemma iparts_distinct k w ps : iparts integer_rows k w = Some ps -> NoDup (map fst ps).
Proof. intros H. apply (split_spec inject_Z lab) in H. apply H. Qed.

(** Inputs beyond the last count as the last. *)
Lemma look_clamped (w : belief) k c : exists k', (k' < choices m w)%nat /\ dotZ w (prob (Look k c)) == dotZ w (prob (Look k' c)).
Proof.
  exists (Nat.min k (pred (choices m w))). split.
  - pose proof (choices_in m k w) as I. apply in_seq in I. lia.
  - assert (H : forall n, (choices m w <= n)%nat -> dotZ w (prob (Look k c)) == dotZ w (prob (Look (Nat.min k (pred n)) c))).
    { induction w as [|[i v] w IH]; intros n H; [reflexivity|]. simpl in H. cbn [dot]. rewrite (IH n) by lia.
      apply Qplus_inj_r. simpl. unfold move, clamp.
      replace (Nat.min (Nat.min k (pred n)) (pred (inputs m (lab i)))) with (Nat.min k (pred (inputs m (lab i)))) by lia.
      reflexivity. }
    apply H. lia.
Qed.

(** Every event is a look, with an input that there is. *)
Lemma as_look (w : belief) E : exists k c, (k < choices m w)%nat /\ dotZ w (prob E) == dotZ w (prob (Look k c)).
Proof.
  destruct E as [b|k c].
  - destruct (look_clamped w 0%nat (fun _ => Verdict b)) as (k' & L & E). exists k', (fun _ => Verdict b). split; [assumption|].
    rewrite <- E. apply dot_ext_all. intros i. apply prob_verdict. assumption.
  - destruct (look_clamped w k c) as (k' & L & E). exists k', c. auto.
Qed.

(** ** Sides: |w+| and |w-| *)

Fixpoint sides_of (w : belief) (pos neg : Z) : Z * Z :=
  match w with
  | [] => (pos, neg)
  | (_, v) :: r => if Z.ltb 0 v then sides_of r (pos + v) neg else sides_of r pos (neg - v)
  end.
Definition both_sides (w : belief) : Z * Z := sides_of w 0 0.
Definition gain_of (s : Z * Z) : Z := Z.max (fst s - snd s) 0.

Lemma sides_spec w : forall pos neg f, (forall i, 0 <= f i /\ f i <= 1) -> let s := sides_of w pos neg in
  inject_Z (fst s) - inject_Z (snd s) == inject_Z pos - inject_Z neg + dotZ w (fun _ => 1)
  /\ inject_Z neg - dotZ w f <= inject_Z (snd s).
Proof.
  induction w as [|[i v] w IH]; intros pos neg f F; cbn [sides_of]; [cbv zeta; cbn [fst snd dot]; split; [ring | lra]|].
  destruct (Z.ltb_spec 0 v) as [V|V].
  - destruct (IH (pos + v)%Z neg f F) as [A B]. cbv zeta in *. rewrite inject_Z_plus in A. simpl. apply inject_pos in V. destruct (F i).
    split; [rewrite A; ring | nra].
  - destruct (IH pos (neg - v)%Z f F) as [A B]. cbv zeta in *.
    assert (E : inject_Z (neg - v) == inject_Z neg - inject_Z v) by (unfold Z.sub; rewrite inject_Z_plus, inject_Z_opp; ring).
    rewrite E in A, B. cbn [dot].
    apply inject_le in V. change (inject_Z 0) with 0 in V. destruct (F i). split; [rewrite A; ring | nra].
Qed.

(** A belief bounded by its masses. *)
Lemma gain_attained w : exists E, inject_Z (gain_of (both_sides w)) <= dotZ w (prob E).
Proof.
  destruct (sides_spec w 0 0 (fun _ => 1)) as [A _]; [intros; lra|]. cbv zeta in A. fold (both_sides w) in A.
  change (inject_Z 0) with 0 in A.
  unfold gain_of. destruct (Z.max_spec (fst (both_sides w) - snd (both_sides w)) 0) as [[_ ->]|[_ ->]].
  - exists (Verdict false). simpl. rewrite dot_zero. apply Qle_refl.
  - exists (Verdict true). simpl. unfold Z.sub. rewrite inject_Z_plus, inject_Z_opp. lra.
Qed.

Lemma loss_bounded w E : - dotZ w (prob E) <= inject_Z (snd (both_sides w)).
Proof.
  destruct (sides_spec w 0 0 (prob E)) as [_ B]; [apply prob_range; assumption|]. cbv zeta in B. fold (both_sides w) in B.
  change (inject_Z 0) with 0 in B. lra.
Qed.

Definition nonzero (w : belief) : belief := filter (fun e => negb (Z.eqb (snd e) 0)) w.
Lemma nonzero_dot w f : dotZ (nonzero w) f == dotZ w f.
Proof.
  induction w as [|[i v] w IH]; simpl; [reflexivity|]. destruct (Z.eqb_spec v 0) as [->|_]; simpl; rewrite IH; [|reflexivity].
  change (inject_Z 0) with 0. ring.
Qed.

(** ** Several beliefs at once: values that can be attained together, an event for each *)

Inductive attained : list (event -> Q) -> Q -> Prop :=
| attained_nil v : v <= 0 -> attained [] v
| attained_cons g E v1 l v2 v : v1 <= g E -> attained l v2 -> v <= v1 + v2 -> attained (g :: l) v.

Lemma attained_le l v v' : attained l v -> v' <= v -> attained l v'.
Proof.
  intros H L. inversion H; subst; [apply attained_nil; lra | eapply attained_cons; eauto; lra].
Qed.

Lemma attained_app l1 l2 v1 v2 : attained l1 v1 -> attained l2 v2 -> attained (l1 ++ l2) (v1 + v2).
Proof.
  intros H. revert v2. induction H as [v Hv|g E a l b v Hg Hl IH Hv]; intros v2 H2; simpl.
  - eapply attained_le; [exact H2 | lra].
  - eapply attained_cons; [exact Hg | apply IH; exact H2 | lra].
Qed.

Lemma attained_split l1 : forall l2 v, attained (l1 ++ l2) v -> exists v1 v2, attained l1 v1 /\ attained l2 v2 /\ v <= v1 + v2.
Proof.
  induction l1 as [|g l1 IH]; intros l2 v H; simpl in H.
  - exists 0, v. repeat split; [apply attained_nil; lra | assumption | lra].
  - inversion H as [|? E a ? b ? Hg Hl Hv]; subst. destruct (IH _ _ Hl) as (b1 & b2 & H1 & H2 & L).
    exists (a + b1), b2. repeat split; [eapply attained_cons; eauto; lra | assumption | lra].
Qed.

Lemma attained_perm l l' v : Permutation l l' -> attained l v -> attained l' v.
Proof.
  intros P. revert v. induction P as [|g l l' P IH|g h l|l l' l'' P1 IH1 P2 IH2]; intros v H; auto.
  - inversion H; subst. eapply attained_cons; eauto.
  - inversion H as [|? E a ? b ? Hg Hl Hv]; subst. inversion Hl as [|? E' a' ? b' ? Hg' Hl' Hv']; subst.
    eapply attained_cons; [exact Hg' | eapply attained_cons; [exact Hg | exact Hl' |] |]; [apply Qle_refl | lra].
Qed.

Definition gains (ws : list belief) : list (event -> Q) := map (fun w E => dotZ w (prob E)) ws.
Definition losses (ws : list belief) : list (event -> Q) := map (fun w E => - dotZ w (prob E)) ws.

(** L2: events for the parts of a step are one event. *)
Lemma parts_attained ps v : NoDup (map fst ps) -> attained (gains (map snd ps)) v -> exists c, v <= sum_over c ps.
Proof.
  unfold sum_over. revert v. induction ps as [|p ps IH]; intros v N H; simpl in *.
  - inversion H; subst. exists (fun _ => Verdict false). assumption.
  - inversion N as [|? ? Np Nps]; subst. inversion H as [|? E a ? b ? Hg Hl Hv]; subst. destruct (IH b Nps Hl) as [c Hc].
    exists (fun x => if Pos.eqb x (fst p) then E else c x). rewrite Pos.eqb_refl.
    rewrite (sum_parts_ext _ (fun q => dotZ (snd q) (prob (c (fst q))))); [lra|].
    intros q Iq. destruct (Pos.eqb_spec (fst q) (fst p)) as [e|_]; [|reflexivity].
    exfalso. apply Np. rewrite <- e. apply in_map. assumption.
Qed.

Lemma step_gains k w ps v : iparts integer_rows k w = Some ps -> attained (gains (map snd ps)) v ->
  exists E, v <= dotZ w (prob E).
Proof.
  intros H A. destruct (parts_attained ps v (iparts_distinct _ _ _ H) A) as [c Hc]. exists (Look k c).
  eapply Qle_trans; [exact Hc | apply iparts_look; assumption].
Qed.

(** R3: one event is one for each part. *)
Lemma parts_losses c ps : attained (losses (map snd ps)) (- sum_over c ps).
Proof.
  unfold sum_over. induction ps as [|p ps IH]; simpl; [apply attained_nil; lra|].
  eapply attained_cons with (E := c (fst p)); [apply Qle_refl | exact IH | lra].
Qed.

Lemma step_losses w ps E : choices m w = 1%nat -> iparts integer_rows 0 w = Some ps ->
  attained (losses (map snd ps)) (- dotZ w (prob E)).
Proof.
  intros C H. destruct (as_look w E) as (k & c & L & Eq). assert (k = 0)%nat by lia. subst k.
  eapply attained_le; [apply (parts_losses c)|]. rewrite Eq. pose proof (iparts_look 0 w ps c H). lra.
Qed.
End Integers.
