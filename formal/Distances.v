(** Distances between states: flows (R0, R1, R2).

    [admissible D f]: what an event's probabilities satisfy if D bounds the advantage at every two states. A *pre-fixed
    point* is a D that bounds every admissible gain at every two states; the distance (bd, ld or sd) is the least one. A
    flow for w shows dot w f <= its cost for all admissible f, by weak duality. *)

Require Import QArith Lqa Lia List Permutation PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model.
Import ListNotations.
Open Scope Q_scope.

Inductive kind := Bd | Ld | Sd.

Record flow := { arcs : list (state * state * Q); spare : list (state * Q);
                 complement : list (state * state * Q); shift : list (state * Q) }.

Record distance_entry := { d_from : state; d_to : state; d_value : Q; d_flows : list flow }.

Section Distances.
Variable m : model.
Variable alpha : Q.
Hypothesis alpha_ge1 : 1 <= alpha.
Hypothesis stoch : stochastic m.

Notation lab := (lab m).
Notation move := (move m).
Notation prob := (prob m).

(** ** What a distance is *)

(** States that the model does not have stand alone, at a label of their own (1).
    No event sees n, a vector on one label; f that is the same on all of these looks like an event's probabilities. *)
Definition traceable (f : state -> Q) : Prop :=
  forall n : @part Q, pure lab n -> (forall E, dotQ (snd n) (prob E) == 0) -> dotQ (snd n) f == 0.

Record admissible (what : kind) (traces : bool) (D : state -> state -> Q) (f : state -> Q) : Prop := {
  in_range : forall i, 0 <= f i /\ f i <= 1;
  within : forall i j, i <> j -> lab i = lab j -> f i - alpha * f j <= D i j;
  within_complement : what = Sd -> forall i j, i <> j -> lab i = lab j ->
    (1 - f i) - alpha * (1 - f j) <= D i j;
  seen : traces = true -> traceable f }.

Record prefixed (what : kind) (traces : bool) (D : state -> state -> Q) : Prop := {
  not_negative : forall i j, lab i = lab j -> 0 <= D i j;
  bounds_gain : forall i j k f, lab i = lab j -> admissible what traces D f ->
    dotQ (move k i) f - alpha * dotQ (move k j) f <= D i j;
  bounds_reverse : what = Bd -> forall i j k f, lab i = lab j -> admissible what traces D f ->
    dotQ (move k j) f - alpha * dotQ (move k i) f <= D i j }.

(** The least pre-fixed point is the infimum of all of them; 1 by definition where labels differ. *)
Definition distance_at_most what traces i j (v : Q) : Prop :=
  if Pos.eqb (lab i) (lab j) then exists D, prefixed what traces D /\ D i j <= v else 1 <= v.
Definition distance_at_least what traces i j (v : Q) : Prop :=
  if Pos.eqb (lab i) (lab j) then forall D, prefixed what traces D -> v <= D i j else v <= 1.

(** ** Flows *)

Variable D : state -> state -> Q.
Variable unseen : list (state * Q) -> bool.
Hypothesis unseen_parts : forall n, unseen n = true -> exists ps : list part,
  Forall (pure lab) ps /\ (forall p, In p ps -> forall E, dotQ (snd p) (prob E) == 0)
  /\ forall f, dotQ n f == sum_parts (fun p => dotQ (snd p) f) ps.

Definition arc_entries (sign : Q) (a : state * state * Q) : list (state * Q) :=
  let '(i, j, v) := a in [(i, qmul sign v); (j, qmul (- sign * alpha) v)].
Definition balance (fl : flow) : list (state * Q) :=
  map (fun e : state * Q => (fst e, - snd e)) (spare fl) ++ flat_map (arc_entries (- (1))) (arcs fl)
  ++ flat_map (arc_entries 1) (complement fl) ++ map (fun e : state * Q => (fst e, - snd e)) (shift fl).

Definition arc_ok (a : state * state * Q) : bool := is_nonneg (snd a).
Definition feasible (w : list (state * Q)) (fl : flow) : bool :=
  forallb arc_ok (arcs fl) && forallb arc_ok (complement fl)
  && forallb (fun e : state * Q => is_nonneg (snd e)) (spare fl)
  && match shift fl with [] => true | n => unseen n end
  && entries_ok qadd is_nonpos (w ++ balance fl).

Definition cost (fl : flow) : Q :=
  qadd (total (fun a => let '(i, j, v) := a in qmul v (D i j)) (arcs fl))
    (qadd (total (fun a => let '(i, j, v) := a in qmul v (D i j + alpha - 1)) (complement fl))
      (mass_of (spare fl))).

Lemma total_le {X} (F : X -> Q) (G : X -> Q) l : (forall x, In x l -> G x <= F x) ->
  fold_right (fun x s => G x + s) 0 l <= total F l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|]. rewrite qadd_eq. pose proof (H x (or_introl eq_refl)).
  assert (fold_right (fun x s => G x + s) 0 l <= total F l) by (apply IH; auto). lra.
Qed.

Lemma arcs_dot sign l f : dotQ (flat_map (arc_entries sign) l) f ==
  fold_right (fun a s => (let '(i, j, v) := a in v * (sign * f i - sign * alpha * f j)) + s) 0 l.
Proof.
  induction l as [|[[i j] v] l IH]; simpl; [reflexivity|]. unfold same. rewrite !qmul_eq, IH. ring.
Qed.

Lemma neg_dot (l : list (state * Q)) f : dotQ (map (fun e => (fst e, - snd e)) l) f == - dotQ l f.
Proof. induction l as [|[i v] l IH]; simpl; [reflexivity|]. unfold same in *. rewrite IH. ring. Qed.

Lemma unseen_dot n f : unseen n = true -> traceable f -> dotQ n f == 0.
Proof.
  intros U T. destruct (unseen_parts n U) as (ps & P & Z & S). rewrite S. rewrite (sum_parts_ext _ (fun _ => 0)).
  - clear. induction ps; simpl; [reflexivity|]. rewrite IHps. ring.
  - intros p Hp. apply T; [rewrite Forall_forall in P; apply P; assumption | apply Z; assumption].
Qed.

(** Weak duality. *)
Lemma flow_sound w fl f : feasible w fl = true -> (forall i, 0 <= f i /\ f i <= 1) ->
  (forall i j, f i - alpha * f j <= D i j) ->
  (complement fl = [] \/ forall i j, (1 - f i) - alpha * (1 - f j) <= D i j) ->
  (shift fl = [] \/ traceable f) -> dotQ w f <= cost fl.
Proof.
  unfold feasible. intros F R H C T.
  apply andb_prop in F; destruct F as [F F5]. apply andb_prop in F; destruct F as [F F4].
  apply andb_prop in F; destruct F as [F F3]. apply andb_prop in F; destruct F as [F1 F2].
  assert (B : dotQ (w ++ balance fl) f <= 0).
  { apply (entries_nonpos same qadd qadd_eq is_nonpos); auto using is_nonpos_le. apply R. }
  unfold balance in B. rewrite !dot_app, !arcs_dot, !neg_dot in B.
  assert (Z : dotQ (shift fl) f == 0).
  { destruct (shift fl) as [|e n] eqn:En; [reflexivity|]. destruct T as [T|T]; [discriminate|].
    apply unseen_dot; assumption. }
  rewrite Z in B. unfold cost. rewrite !qadd_eq, mass_of_eq.
  rewrite forallb_forall in F1, F2.
  assert (A1 : fold_right (fun a s => (let '(i, j, v) := a in v * (f i - alpha * f j)) + s) 0 (arcs fl)
    <= total (fun a => let '(i, j, v) := a in qmul v (D i j)) (arcs fl)).
  { apply total_le. intros [[i j] v] I. specialize (F1 _ I). apply is_nonneg_le in F1. simpl in F1.
    rewrite qmul_eq. specialize (H i j). nra. }
  assert (A2 : fold_right (fun a s => (let '(i, j, v) := a in v * (alpha * f j - f i)) + s) 0 (complement fl)
    <= total (fun a => let '(i, j, v) := a in qmul v (D i j + alpha - 1)) (complement fl)).
  { apply total_le. intros [[i j] v] I. specialize (F2 _ I). apply is_nonneg_le in F2. simpl in F2.
    destruct C as [C|C]; [rewrite C in I; destruct I|]. rewrite qmul_eq. specialize (C i j). nra. }
  assert (A3 : dotQ (spare fl) f <= dotQ (spare fl) (fun _ => 1)).
  { apply dot_mono; [|apply R]. apply Forall_forall. intros e He. rewrite forallb_forall in F3.
    apply is_nonneg_le, F3, He. }
  assert (E1 : fold_right (fun a s => (let '(i, j, v) := a in v * (- (1) * f i - - (1) * alpha * f j)) + s) 0 (arcs fl)
    == - fold_right (fun a s => (let '(i, j, v) := a in v * (f i - alpha * f j)) + s) 0 (arcs fl)).
  { clear. induction (arcs fl) as [|[[i j] v] l IH]; simpl; [reflexivity|]. rewrite IH. ring. }
  assert (E2 : fold_right (fun a s => (let '(i, j, v) := a in v * (1 * f i - 1 * alpha * f j)) + s) 0 (complement fl)
    == - fold_right (fun a s => (let '(i, j, v) := a in v * (alpha * f j - f i)) + s) 0 (complement fl)).
  { clear. induction (complement fl) as [|[[i j] v] l IH]; simpl; [reflexivity|]. rewrite IH. ring. }
  rewrite E1, E2 in B. lra.
Qed.
End Distances.

(** ** The entries of a certificate *)

Section Entries.
Variable m : model.
Variable alpha : Q.
Hypothesis alpha_ge1 : 1 <= alpha.
Hypothesis stoch : stochastic m.
Variable what : kind.
Variable base : positive.
Variable entries : list distance_entry.
Variable traces : bool.
Variable unseen : list (state * Q) -> bool.

Notation lab := (lab m).
Notation move := (move m).
Notation prob := (prob m).

Hypothesis unseen_parts : forall n, unseen n = true -> exists ps : list part,
  Forall (pure lab) ps /\ (forall p, In p ps -> forall E, dotQ (snd p) (prob E) == 0)
  /\ forall f, dotQ n f == sum_parts (fun p => dotQ (snd p) f) ps.

Definition pair_key (s t : state) : positive := (s * base + t)%positive.
Definition distance_table : M.t distance_entry := of_list (map (fun e => (pair_key (d_from e) (d_to e), e)) entries).

(** Checks are made against a table that is built once. *)
Definition find_distance (table : M.t distance_entry) (i j : state) : option Q :=
  match M.find (pair_key i j) table with
  | Some e => if Pos.eqb (d_from e) i && Pos.eqb (d_to e) j then Some (d_value e) else None
  | None => None
  end.
Definition distance_in (table : M.t distance_entry) (i j : state) : Q :=
  if Pos.eqb i j then 0 else match find_distance table i j with Some v => v | None => 1 end.

Definition rows_apart (k : nat) (s t : state) : list (state * Q) :=
  row m k s ++ map (fun e : state * Q => (fst e, qmul (- alpha) (snd e))) (row m k t).

Definition is_kind (a b : kind) : bool :=
  match a, b with Bd, Bd | Ld, Ld | Sd, Sd => true | _, _ => false end.

Definition flow_allowed (fl : flow) : bool :=
  (is_kind what Sd || match complement fl with [] => true | _ => false end)
  && (is_kind what Sd && traces || match shift fl with [] => true | _ => false end).

Fixpoint flows_ok (table : M.t distance_entry) (s t : state) (v : Q) (k : nat) (flows : list flow) : bool :=
  match flows with
  | [] => true
  | fl :: rest => flow_allowed fl && feasible alpha unseen (rows_apart k s t) fl
      && qle (cost alpha (distance_in table) fl) v && flows_ok table s t v (S k) rest
  end.

Definition distance_ok (table : M.t distance_entry) (e : distance_entry) : bool :=
  let s := d_from e in let t := d_to e in
  negb (Pos.eqb s t) && Pos.eqb (lab s) (lab t) && is_nonneg (d_value e) && qle (d_value e) 1
  && Nat.eqb (length (d_flows e)) (inputs m (lab s))
  && flows_ok table s t (d_value e) 0 (d_flows e)
  && (negb (is_kind what Bd) || match find_distance table t s with Some v => qeq v (d_value e) | None => false end).

Hypothesis all_ok : forall e, In e entries -> distance_ok distance_table e = true.
Hypothesis counts_ok : forall a, (1 <= inputs m a)%nat.

Notation D := (distance_in distance_table).

Lemma find_distance_in s t v : find_distance distance_table s t = Some v ->
  exists e, In e entries /\ d_from e = s /\ d_to e = t /\ d_value e = v.
Proof.
  unfold find_distance. destruct (M.find (pair_key s t) distance_table) as [e|] eqn:E; [|discriminate].
  destruct (Pos.eqb_spec (d_from e) s) as [<-|]; [|discriminate]. destruct (Pos.eqb_spec (d_to e) t) as [<-|]; [|discriminate].
  intros H; inversion H; subst. unfold distance_table in E. apply of_list_in in E. apply in_map_iff in E.
  destruct E as (e' & E' & I). inversion E'; subst. exists e; auto.
Qed.

Lemma flows_ok_nth table s t v : forall flows k0 k, flows_ok table s t v k0 flows = true -> (k < length flows)%nat ->
  exists fl, flow_allowed fl = true /\ feasible alpha unseen (rows_apart (k0 + k) s t) fl = true
    /\ cost alpha (distance_in table) fl <= v.
Proof.
  induction flows as [|fl flows IH]; intros k0 k H L; simpl in *; [lia|].
  apply andb_prop in H; destruct H as [H Hr]. apply andb_prop in H; destruct H as [H Hc].
  apply andb_prop in H; destruct H as [Ha Hf]. destruct k as [|k].
  - exists fl. rewrite Nat.add_0_r. repeat split; auto using qle_le.
  - destruct (IH (S k0) k Hr) as (fl' & A & B & C); [lia|]. exists fl'. rewrite Nat.add_succ_r. auto.
Qed.

Lemma apart_dot k s t f : dotQ (rows_apart k s t) f == dotQ (row m k s) f - alpha * dotQ (row m k t) f.
Proof.
  unfold rows_apart. rewrite dot_app.
  assert (E : dotQ (map (fun e : state * Q => (fst e, qmul (- alpha) (snd e))) (row m k t)) f == - alpha * dotQ (row m k t) f).
  { induction (row m k t) as [|[i p] r IH]; simpl; [ring|]. rewrite IH. unfold same. rewrite qmul_eq. ring. }
  rewrite E. ring.
Qed.

Lemma entry_facts s t v : find_distance distance_table s t = Some v -> s <> t /\ lab s = lab t /\ 0 <= v /\ v <= 1
  /\ (forall k, exists fl, flow_allowed fl = true
       /\ feasible alpha unseen (rows_apart (clamp m (lab s) k) s t) fl = true /\ cost alpha D fl <= v)
  /\ (what = Bd -> exists u, find_distance distance_table t s = Some u /\ u == v).
Proof.
  intros H. apply find_distance_in in H. destruct H as (e & I & <- & <- & <-). specialize (all_ok e I).
  unfold distance_ok in all_ok.
  apply andb_prop in all_ok; destruct all_ok as [H H7]. apply andb_prop in H; destruct H as [H H6].
  apply andb_prop in H; destruct H as [H H5]. apply andb_prop in H; destruct H as [H H4].
  apply andb_prop in H; destruct H as [H H3]. apply andb_prop in H; destruct H as [H1 H2].
  split; [intros E; rewrite E, Pos.eqb_refl in H1; discriminate|].
  split; [apply Pos.eqb_eq; assumption|]. split; [apply is_nonneg_le; assumption|]. split; [apply qle_le; assumption|].
  split.
  - intros k. apply (flows_ok_nth _ _ _ _ _ 0%nat (clamp m (lab (d_from e)) k) H6).
    apply Nat.eqb_eq in H5. rewrite H5. unfold clamp. specialize (counts_ok (lab (d_from e))). lia.
  - intros ->. simpl in H7. destruct (find_distance distance_table (d_to e) (d_from e)) as [u|]; [|discriminate].
    exists u. split; [reflexivity | apply qeq_eq; assumption].
Qed.

Lemma D_cases i j : (i = j /\ D i j == 0) \/ (i <> j /\ find_distance distance_table i j = None /\ D i j == 1)
  \/ (i <> j /\ exists v, find_distance distance_table i j = Some v /\ D i j = v).
Proof.
  unfold distance_in. destruct (Pos.eqb_spec i j) as [->|n]; [left; split; reflexivity|right].
  destruct (find_distance distance_table i j) as [v|]; [right; eauto | left; repeat split; auto; reflexivity].
Qed.

Lemma D_range i j : 0 <= D i j /\ D i j <= 1.
Proof.
  destruct (D_cases i j) as [[_ ->]|[(_ & _ & ->)|(_ & v & F & ->)]]; try lra.
  apply entry_facts in F. destruct F as (_ & _ & L & U & _). auto.
Qed.

Lemma D_other i j : lab i <> lab j -> D i j == 1.
Proof.
  intros H. destruct (D_cases i j) as [[-> _]|[(_ & _ & E)|(_ & v & F & _)]]; [congruence|assumption|].
  apply entry_facts in F. destruct F as (_ & L & _). contradiction.
Qed.

(** One step: functions that respect D gain at most D. *)
Lemma gain f : (forall i, 0 <= f i /\ f i <= 1) ->
  (forall i j, f i - alpha * f j <= D i j) ->
  (what = Sd -> forall i j, (1 - f i) - alpha * (1 - f j) <= D i j) ->
  (traces = true -> traceable m f) ->
  forall s t k, lab s = lab t -> dotQ (move k s) f - alpha * dotQ (move k t) f <= D s t.
Proof.
  intros R H C T s t k L.
  assert (P : forall i, 0 <= dotQ (move k i) f /\ dotQ (move k i) f <= 1).
  { intros i. destruct (stoch k i) as [N S]. split; [apply dot_nonneg; [assumption | apply R]|].
    rewrite <- S. apply dot_mono; [assumption | apply R]. }
  destruct (D_cases s t) as [[<- ->]|[(_ & _ & ->)|(_ & v & F & ->)]].
  - specialize (P s). nra.
  - pose proof (P s). pose proof (P t). nra.
  - apply entry_facts in F. destruct F as (_ & _ & _ & _ & F & _). destruct (F k) as (fl & A & B & V).
    eapply Qle_trans; [|exact V]. unfold Model.move. rewrite <- L, <- apart_dot.
    unfold flow_allowed in A. apply andb_prop in A. destruct A as [A1 A2].
    apply (flow_sound m) with (unseen := unseen); auto.
    + destruct (complement fl) as [|? ?]; [left; reflexivity|]. right. apply C.
      destruct what; simpl in A1; congruence.
    + destruct (shift fl) as [|? ?]; [left; reflexivity|]. right. apply T.
      destruct what, traces; simpl in A2; congruence.
Qed.

(** Probabilities of events are traceable whatever they do at each label. *)
Lemma prob_traceable (c : label -> event) : traceable m (fun j => prob (c (lab j)) j).
Proof. intros n P Z. rewrite (part_dot same lab n (fun a => prob (c a)) P). apply Z. Qed.

(** R1: the values bound the advantage of every event, and of its complement. *)
Theorem distances_sound E : forall s t, lab s = lab t ->
  prob E s - alpha * prob E t <= D s t /\ (1 - prob E s) - alpha * (1 - prob E t) <= D s t.
Proof.
  induction E as [b|k c IH]; intros s t L.
  - destruct (D_range s t). simpl. destruct b; split; nra.
  - assert (R : forall (c : label -> event) i, 0 <= prob (c (lab i)) i /\ prob (c (lab i)) i <= 1) by (intros; apply prob_range; assumption).
    assert (G : forall i j, prob (c (lab i)) i - alpha * prob (c (lab j)) j <= D i j
      /\ (1 - prob (c (lab i)) i) - alpha * (1 - prob (c (lab j)) j) <= D i j).
    { intros i j. destruct (Pos.eq_dec (lab i) (lab j)) as [e|n].
      - rewrite <- e. apply IH. assumption.
      - rewrite (D_other i j n). pose proof (R c i). pose proof (R c j). split; nra. }
    split.
    + simpl. apply (gain (fun j => prob (c (lab j)) j)); auto; try (intros; apply G). intros _. apply prob_traceable.
    + rewrite <- !(prob_neg m stoch). simpl.
      apply (gain (fun j => prob (neg (c (lab j))) j)); auto.
      * intros i. apply (R (fun a => neg (c a))).
      * intros i j. rewrite !(prob_neg m stoch). apply G.
      * intros _ i j. rewrite !(prob_neg m stoch). pose proof (G i j). lra.
      * intros _. apply (prob_traceable (fun a => neg (c a))).
Qed.

Lemma admissible_everywhere f : admissible m alpha what traces D f -> forall i j, f i - alpha * f j <= D i j.
Proof.
  intros A i j. pose proof (in_range _ _ _ _ _ _ A i). pose proof (in_range _ _ _ _ _ _ A j).
  destruct (Pos.eq_dec i j) as [<-|n]; [destruct (D_range i i); nra|].
  destruct (Pos.eq_dec (lab i) (lab j)) as [e|e]; [apply (within _ _ _ _ _ _ A); auto|].
  rewrite (D_other i j e). nra.
Qed.

Lemma complement_everywhere f : admissible m alpha what traces D f -> what = Sd ->
  forall i j, (1 - f i) - alpha * (1 - f j) <= D i j.
Proof.
  intros A W i j. pose proof (in_range _ _ _ _ _ _ A i). pose proof (in_range _ _ _ _ _ _ A j).
  destruct (Pos.eq_dec i j) as [<-|n]; [destruct (D_range i i); nra|].
  destruct (Pos.eq_dec (lab i) (lab j)) as [e|e]; [apply (within_complement _ _ _ _ _ _ A W); auto|].
  rewrite (D_other i j e). nra.
Qed.

(** They are a pre-fixed point, so the distance is at most what they say. *)
Theorem distances_prefixed : prefixed m alpha what traces D.
Proof.
  split.
  - intros. apply D_range.
  - intros i j k f L A. apply gain; auto using admissible_everywhere, complement_everywhere; apply A.
  - intros B i j k f L A. assert (S : D j i == D i j).
    { destruct (D_cases i j) as [[-> _]|[(n & N & ->)|(n & v & F & ->)]]; [reflexivity| |].
      - destruct (D_cases j i) as [[-> _]|[(_ & _ & ->)|(_ & u & F & _)]]; [congruence|reflexivity|].
        apply entry_facts in F. destruct F as (_ & _ & _ & _ & _ & F). destruct (F B) as (u' & F' & _). congruence.
      - apply entry_facts in F. destruct F as (_ & _ & _ & _ & _ & F). destruct (F B) as (u & F' & E).
        unfold distance_in. rewrite F'. destruct (Pos.eqb_spec j i); [congruence | assumption]. }
    rewrite <- S. apply gain; auto using admissible_everywhere, complement_everywhere; apply A.
Qed.
End Entries.
