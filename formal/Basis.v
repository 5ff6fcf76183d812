(** Merging up to traces (R5): a basis whose columns span every event's probabilities.

    [n] is orthogonal to the columns: then no event sees it. The proof needs no coordinates of the events. If the columns
    span 1, n has no mass; if they are closed under a step into each label, what is left of n after any letter is
    orthogonal to them again. All this on a region that no step leaves. *)

Require Import QArith Lqa Lia List Permutation PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model.
Import ListNotations.
Open Scope Q_scope.

Record basis := { region : list state; columns : list (M.t Q); one : list Q; images : list (label * list (list Q)) }.

Definition at_state (column : M.t Q) (i : state) : Q := match M.find i column with Some v => v | None => 0 end.

Section Basis.
Variable m : model.
Variable b : basis.
Variable inside : M.t unit.   (** the region, as a table *)

Notation lab := (lab m).
Notation prob := (prob m).

Definition is_inside (i : state) : bool := match M.find i inside with Some _ => true | None => false end.

Fixpoint combined (weights : list Q) (cs : list (M.t Q)) (i : state) : Q :=
  match weights, cs with
  | w :: ws, c :: cs => qadd (qmul w (at_state c i)) (combined ws cs i)
  | _, _ => 0
  end.

Definition into (a : label) (r : row_of) : row_of := filter (fun e => Pos.eqb (lab (fst e)) a) r.
Definition product (n : list (state * Q)) (column : M.t Q) : Q := total (fun e => qmul (snd e) (at_state column (fst e))) n.

Lemma product_eq n c : product n c == dotQ n (at_state c).
Proof.
  unfold product. induction n as [|[i v] n IH]; simpl; [reflexivity|]. rewrite qadd_eq, qmul_eq, IH. reflexivity.
Qed.

Fixpoint images_ok (a : label) (weights : list (list Q)) (cs : list (M.t Q)) : bool :=
  match weights, cs with
  | [], [] => true
  | ws :: weights, c :: cs =>
      Nat.eqb (length ws) (length (columns b))
      && forallb (fun i => qeq (product (into a (row m 0 i)) c) (combined ws (columns b) i)) (region b)
      && images_ok a weights cs
  | _, _ => false
  end.

Definition region_ok (i : state) : bool :=
  is_inside i && Nat.eqb (inputs m (lab i)) 1
  && forallb (fun e : state * Q => is_inside (fst e) && existsb (fun im => Pos.eqb (fst im) (lab (fst e))) (images b)) (row m 0 i)
  && qeq (combined (one b) (columns b) i) 1.

Definition basis_ok : bool :=
  Nat.eqb (length (one b)) (length (columns b))
  && forallb region_ok (region b)
  && forallb (fun im => images_ok (fst im) (snd im) (columns b)) (images b).

Hypothesis ok : basis_ok = true.
Hypothesis inside_region : forall i, is_inside i = true -> In i (region b).

Definition orthogonal (n : list (state * Q)) : bool :=
  forallb (fun e : state * Q => is_inside (fst e)) n && forallb (fun c => is_zero (product n c)) (columns b).

Definition blind (n : list (state * Q)) : Prop :=
  (forall i v, In (i, v) n -> is_inside i = true) /\ forall c, In c (columns b) -> dotQ n (at_state c) == 0.

Lemma orthogonal_blind n : orthogonal n = true -> blind n.
Proof.
  unfold orthogonal. intros H. apply andb_prop in H. destruct H as [H1 H2]. rewrite forallb_forall in H1, H2. split.
  - intros i v I. apply (H1 (i, v) I).
  - intros c I. rewrite <- product_eq. apply is_zero_eq, H2, I.
Qed.

Lemma combined_blind ws : forall cs n, (forall c, In c cs -> dotQ n (at_state c) == 0) -> dotQ n (combined ws cs) == 0.
Proof.
  induction ws as [|w ws IH]; intros [|c cs] n H; simpl; try apply dot_zero.
  rewrite (dot_ext_all same n _ (fun i => w * at_state c i + combined ws cs i)).
  - rewrite dot_plus, dot_times, (H c) by (left; reflexivity). rewrite IH by (intros; apply H; right; assumption). ring.
  - intros i. rewrite qadd_eq, qmul_eq. reflexivity.
Qed.

Lemma region_facts i : is_inside i = true -> (forall k, move m k i = row m 0 i)
  /\ (forall j p, In (j, p) (row m 0 i) -> is_inside j = true /\ In (lab j) (map fst (images b)))
  /\ combined (one b) (columns b) i == 1.
Proof.
  intros I. apply inside_region in I. unfold basis_ok in ok. apply andb_prop in ok. destruct ok as [H _].
  apply andb_prop in H. destruct H as [_ H]. rewrite forallb_forall in H. specialize (H i I).
  unfold region_ok in H. apply andb_prop in H; destruct H as [H H4]. apply andb_prop in H; destruct H as [H H3].
  apply andb_prop in H; destruct H as [_ H2]. apply Nat.eqb_eq in H2. repeat split.
  - intros k. unfold move, clamp. rewrite H2. simpl. rewrite Nat.min_0_r. reflexivity.
  - rewrite forallb_forall in H3. specialize (H3 (j, p) H). simpl in H3. apply andb_prop in H3. apply H3.
  - rewrite forallb_forall in H3. specialize (H3 (j, p) H). simpl in H3. apply andb_prop in H3. destruct H3 as [_ H3].
    apply existsb_exists in H3. destruct H3 as (im & Im & E). apply Pos.eqb_eq in E. rewrite <- E. apply in_map. assumption.
  - apply qeq_eq. assumption.
Qed.

Lemma images_facts a ws : forall cs, images_ok a ws cs = true -> forall c, In c cs -> exists w,
  forall i, is_inside i = true -> dotQ (into a (row m 0 i)) (at_state c) == combined w (columns b) i.
Proof.
  induction ws as [|w ws IH]; intros [|c cs] H d D; simpl in *; try discriminate; [destruct D|].
  apply andb_prop in H; destruct H as [H H3]. apply andb_prop in H; destruct H as [_ H2]. destruct D as [<-|D].
  - exists w. intros i Hi. rewrite <- product_eq. apply qeq_eq. rewrite forallb_forall in H2. apply H2, inside_region, Hi.
  - destruct (IH cs H3 d D) as [w' Hw]. exists w'. assumption.
Qed.

Definition only (a : label) (w : list (state * Q)) : list (state * Q) := filter (fun e => Pos.eqb (lab (fst e)) a) w.
Definition except (a : label) (w : list (state * Q)) : list (state * Q) := filter (fun e => negb (Pos.eqb (lab (fst e)) a)) w.

Lemma only_except a w f : dotQ w f == dotQ (only a w) f + dotQ (except a w) f.
Proof.
  induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. destruct (Pos.eqb (lab i) a); simpl; ring.
Qed.

Lemma only_of_except a a' w f : dotQ (only a' w) f == 0 -> dotQ (only a' (except a w)) f == 0.
Proof.
  intros H. destruct (Pos.eq_dec a a') as [<-|n].
  - clear H. induction w as [|[i v] w IH]; simpl; [reflexivity|]. destruct (Pos.eqb (lab i) a) eqn:E; simpl; [assumption|].
    rewrite E. assumption.
  - rewrite <- H. clear H. induction w as [|[i v] w IH]; simpl; [reflexivity|].
    destruct (Pos.eqb_spec (lab i) a) as [e|e]; simpl.
    + destruct (Pos.eqb_spec (lab i) a') as [e'|e']; [congruence | assumption].
    + destruct (Pos.eqb (lab i) a'); simpl; rewrite IH; reflexivity.
Qed.

Lemma by_labels (c : label -> event) L : forall w, (forall i v, In (i, v) w -> In (lab i) L) ->
  (forall a, In a L -> dotQ (only a w) (prob (c a)) == 0) -> dotQ w (fun j => prob (c (lab j)) j) == 0.
Proof.
  induction L as [|a L IH]; intros w H Z.
  - destruct w as [|[i v] w]; [reflexivity|]. destruct (H i v (or_introl eq_refl)).
  - rewrite (only_except a). rewrite (dot_ext same (only a w) _ (prob (c a))).
    + rewrite (Z a) by (left; reflexivity). rewrite IH; [ring| |].
      * intros i v I. apply filter_In in I. destruct I as [I N]. simpl in N. destruct (H i v I) as [e|e]; [|assumption].
        subst a. rewrite Pos.eqb_refl in N. discriminate.
      * intros a' I. apply only_of_except. apply Z. right. assumption.
    + intros i v I. apply filter_In in I. destruct I as [_ E]. simpl in E. apply Pos.eqb_eq in E. rewrite E. reflexivity.
Qed.

Lemma only_step a n f : (forall i v, In (i, v) n -> is_inside i = true) ->
  forall k, dotQ (only a (step m qmul k n)) f == dotQ n (fun i => dotQ (into a (row m 0 i)) f).
Proof.
  intros H k. induction n as [|[i v] n IH]; simpl; [reflexivity|]. unfold only. rewrite filter_app, dot_app.
  fold (only a (step m qmul k n)). rewrite IH by (intros; eapply H; right; eassumption).
  apply Qplus_inj_r. destruct (region_facts i (H i v (or_introl eq_refl))) as [E _]. rewrite (E k).
  generalize (row m 0 i) as r. induction r as [|[j p] r IHr]; simpl; [ring|].
  destruct (Pos.eqb (lab j) a); simpl; rewrite IHr; [|reflexivity]. unfold same. rewrite qmul_eq. ring.
Qed.

Lemma step_support k n i v : (forall i v, In (i, v) n -> is_inside i = true) -> In (i, v) (step m qmul k n) ->
  is_inside i = true /\ In (lab i) (map fst (images b)).
Proof.
  intros H I. unfold step in I. apply in_flat_map in I. destruct I as ([j u] & Ij & I). apply in_map_iff in I.
  destruct I as ([j' p] & E & I). simpl in *. inversion E; subst. destruct (region_facts j (H j u Ij)) as (Ek & T & _).
  rewrite (Ek k) in I. apply (T i p I).
Qed.

Theorem blind_sound E : forall n, blind n -> dotQ n (prob E) == 0.
Proof.
  induction E as [v|k c IH]; intros n [I O].
  - simpl. rewrite dot_const. rewrite (dot_ext same n _ (combined (one b) (columns b))).
    + rewrite combined_blind by assumption. ring.
    + intros i u Iu. destruct (region_facts i (I i u Iu)) as (_ & _ & E). rewrite E. reflexivity.
  - rewrite (look_dot m same qmul qmul_eq). apply (by_labels c (map fst (images b))).
    + intros i v Iv. apply (step_support k n i v I Iv).
    + intros a Ia. apply IH. split.
      * intros i v Iv. apply filter_In in Iv. apply (step_support k n i v I), Iv.
      * intros col Ic. rewrite (only_step a n _ I).
        apply in_map_iff in Ia. destruct Ia as ([a' ws] & Ea & Ia). simpl in Ea. subst a'.
        assert (Im : images_ok a ws (columns b) = true).
        { unfold basis_ok in ok. apply andb_prop in ok. destruct ok as [_ H]. rewrite forallb_forall in H. apply (H (a, ws) Ia). }
        destruct (images_facts a ws (columns b) Im col Ic) as [w Hw].
        rewrite (dot_ext same n _ (combined w (columns b))); [apply combined_blind; assumption|].
        intros i u Iu. apply Hw, (I i u Iu).
Qed.
End Basis.

(** ** The two tests that the rules use, with a basis or without one *)

Definition pair_zero (v : Q * Q) : bool := is_zero (fst v) && is_zero (snd v).

Section Tests.
Variable m : model.
Variable ob : option basis.

Definition region_table (b : basis) : M.t unit := of_list (map (fun i => (i, tt)) (region b)).

(** Checks are made against a table that is built once. *)
Definition vanishes (tables : option (basis * M.t unit)) (w : list (state * (Q * Q))) : bool :=
  match tables with
  | None => entries_ok pair_add pair_zero w
  | Some (b, inside) => orthogonal b inside (map (fun e => (fst e, fst (snd e))) w)
      && orthogonal b inside (map (fun e => (fst e, snd (snd e))) w)
  end.

Definition unseen (tables : option (basis * M.t unit)) (n : list (state * Q)) : bool :=
  match tables, split (lab m) (gather qadd n) with
  | Some (b, inside), Some ps => forallb (fun p => orthogonal b inside (snd p)) ps
  | _, _ => false
  end.

Definition basis_tables : option (basis * M.t unit) := option_map (fun b => (b, region_table b)) ob.
Hypothesis ok : match ob with None => true | Some b => basis_ok m b (region_table b) end = true.

Lemma region_table_in b i : is_inside (region_table b) i = true -> In i (region b).
Proof.
  unfold is_inside, region_table. destruct (M.find i _) as [u|] eqn:E; [|discriminate]. intros _.
  apply of_list_in in E. apply in_map_iff in E. destruct E as (j & E & I). inversion E; subst. assumption.
Qed.

Lemma vanishes_prob w a E : vanishes basis_tables w = true -> dot (pair_val a) w (prob m E) == 0.
Proof.
  unfold vanishes, basis_tables. destruct ob as [b|]; simpl.
  - intros H. apply andb_prop in H. destruct H as [H1 H2].
    apply orthogonal_blind in H1, H2.
    pose proof (blind_sound m b _ ok (region_table_in b) E _ H1) as Z1.
    pose proof (blind_sound m b _ ok (region_table_in b) E _ H2) as Z2.
    assert (G : dot (pair_val a) w (prob m E) == dotQ (map (fun e => (fst e, fst (snd e))) w) (prob m E)
      - a * dotQ (map (fun e => (fst e, snd (snd e))) w) (prob m E)).
    { clear. induction w as [|[i [x y]] w IH]; simpl; [ring|]. rewrite IH. unfold pair_val, same. simpl. ring. }
    rewrite G, Z1, Z2. ring.
  - apply (entries_zero (pair_val a) pair_add (pair_val_add a)). intros [x y] H. unfold pair_zero in H.
    apply andb_prop in H. destruct H as [H1 H2]. apply is_zero_eq in H1, H2. simpl in *. unfold pair_val. simpl.
    rewrite H1, H2. ring.
Qed.

Lemma unseen_parts n : unseen basis_tables n = true -> exists ps : list part,
  Forall (pure (lab m)) ps /\ (forall p, In p ps -> forall E, dotQ (snd p) (prob m E) == 0)
  /\ forall f, dotQ n f == sum_parts (fun p => dotQ (snd p) f) ps.
Proof.
  unfold unseen, basis_tables. destruct ob as [b|]; simpl; [|discriminate].
  destruct (split (lab m) (gather qadd n)) as [ps|] eqn:S; [|discriminate]. intros H.
  exists ps. apply (split_spec same) in S. destruct S as (_ & P & S). split; [assumption|]. split.
  - intros p I E. rewrite forallb_forall in H. specialize (H p I). apply orthogonal_blind in H.
    apply (blind_sound m b _ ok (region_table_in b) E _ H).
  - intros f. rewrite <- (gather_dot same qadd qadd_eq). apply S.
Qed.
End Tests.
