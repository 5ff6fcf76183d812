(** Signed vectors over states, as lists of entries.

    A vector is a list of (state, value); an entry may come twice, and then counts twice. All that a rule ever uses of a
    vector is its product with functions of states, [dot w f] = sum of w_i f_i. So no representation invariant is needed:
    sorting and adding up entries ([gather]) is proved to keep every product, and a test that looks at the entries of
    [gather w] proves something about [dot w f] for all f. *)

Require Import QArith Qminmax Lqa Lia List Permutation PArith ZArith.
Import ListNotations.
Open Scope Q_scope.

Definition state := positive.
Definition label := positive.

(** ** Sorting: any order will do, only that it is a permutation is used. *)

Section Sort.
Context {B : Type} (leb : B -> B -> bool).

(** Both merge in reverse: an ascending and a descending list alternate, so that all loops are tail calls. *)
Fixpoint merge (up : bool) (l1 : list B) : list B -> list B -> list B :=
  fix merge_with (l2 : list B) (acc : list B) : list B :=
    match l1, l2 with
    | [], _ => rev_append l2 acc
    | _, [] => rev_append l1 acc
    | a :: l1', b :: l2' =>
        if (if up then leb a b else leb b a) then merge up l1' l2 (a :: acc) else merge_with l2' (b :: acc)
    end.

Fixpoint merge_pairs (up : bool) (ls : list (list B)) (acc : list (list B)) : list (list B) :=
  match ls with
  | a :: b :: rest => merge_pairs up rest (merge up a b [] :: acc)
  | [a] => rev_append [] (rev_append a [] :: acc)
  | [] => acc
  end.

Fixpoint merge_all (fuel : nat) (up : bool) (ls : list (list B)) : list B :=
  match fuel, ls with
  | _, [] => []
  | _, [a] => if up then a else rev_append a []
  | S k, _ => merge_all k (negb up) (merge_pairs up ls [])
  | O, _ => concat ls
  end.

Definition sort (l : list B) : list B :=
  match l with
  | [] | [_] => l
  | [a; b] => if leb a b then l else [b; a]
  | _ => merge_all 64 true (map (fun x => [x]) l)
  end.

Lemma merge_perm up l1 : forall l2 acc, Permutation (merge up l1 l2 acc) (l1 ++ l2 ++ acc).
Proof.
  induction l1 as [|a l1 IH1]; intros l2 acc.
  - destruct l2; simpl; [reflexivity|]. rewrite rev_append_rev.
    rewrite <- Permutation_rev. symmetry. apply Permutation_middle.
  - revert acc. induction l2 as [|b l2 IH2]; intros acc; simpl.
    + rewrite rev_append_rev, <- Permutation_rev. symmetry. apply Permutation_middle.
    + destruct (if up then leb a b else leb b a).
      * rewrite IH1. rewrite app_assoc, <- Permutation_middle, <- app_assoc. reflexivity.
      * etransitivity; [apply IH2|]. simpl. constructor. apply Permutation_app_head. symmetry.
        apply Permutation_middle.
Qed.

Lemma merge_pairs_perm up : forall n ls acc, (length ls <= n)%nat ->
  Permutation (concat (merge_pairs up ls acc)) (concat ls ++ concat acc).
Proof.
  induction n as [|n IH]; intros ls acc H.
  - destruct ls; [reflexivity | simpl in H; lia].
  - destruct ls as [|a [|b rest]]; [reflexivity| |].
    + simpl. rewrite rev_append_rev, !app_nil_r. rewrite <- Permutation_rev. reflexivity.
    + simpl. rewrite IH by (simpl in H; lia). simpl. rewrite merge_perm, app_nil_r.
      rewrite (app_assoc a b), <- app_assoc. rewrite !app_assoc. apply Permutation_app_tail.
      rewrite <- !app_assoc. rewrite (app_assoc a b). apply Permutation_app_comm.
Qed.

Lemma merge_all_perm : forall fuel up ls, Permutation (merge_all fuel up ls) (concat ls).
Proof.
  induction fuel as [|k IH]; intros up ls; destruct ls as [|a [|b rest]]; simpl;
    try reflexivity; try (rewrite app_nil_r; destruct up; [reflexivity|];
      rewrite rev_append_rev, app_nil_r; rewrite <- Permutation_rev; reflexivity).
  rewrite IH. rewrite (merge_pairs_perm up (length rest)) by lia. simpl.
  rewrite merge_perm, app_nil_r, app_nil_r. rewrite (app_assoc a b).
  apply Permutation_app_comm.
Qed.

Lemma sort_perm l : Permutation (sort l) l.
Proof.
  assert (S1 : forall m : list B, concat (map (fun x => [x]) m) = m).
  { induction m as [|x m IH]; simpl; [|rewrite IH]; reflexivity. }
  destruct l as [|a [|b [|c l]]]; unfold sort; try reflexivity.
  - destruct (leb a b); [reflexivity | constructor].
  - rewrite merge_all_perm, S1. reflexivity.
Qed.
End Sort.

(** ** Products with functions of states *)

Section Dot.
Context {A : Type} (val : A -> Q).

Fixpoint dot (w : list (state * A)) (f : state -> Q) : Q :=
  match w with [] => 0 | (i, v) :: w' => val v * f i + dot w' f end.

Lemma dot_app w w' f : dot (w ++ w') f == dot w f + dot w' f.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma dot_perm w w' f : Permutation w w' -> dot w f == dot w' f.
Proof.
  induction 1 as [|[i v] l l' _ IH|[i v] [j u] l|]; simpl; try reflexivity.
  - rewrite IH. reflexivity.
  - ring.
  - etransitivity; eassumption.
Qed.

Lemma dot_ext w f g : (forall i v, In (i, v) w -> f i == g i) -> dot w f == dot w g.
Proof.
  induction w as [|[i v] w IH]; simpl; intros H; [reflexivity|].
  rewrite (H i v) by auto. rewrite IH; [reflexivity|]. intros j u Hj. apply (H j u); auto.
Qed.

Lemma dot_ext_all w f g : (forall i, f i == g i) -> dot w f == dot w g.
Proof. intros H. apply dot_ext; auto. Qed.

Lemma dot_plus w f g : dot w (fun i => f i + g i) == dot w f + dot w g.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma dot_times w c f : dot w (fun i => c * f i) == c * dot w f.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma dot_minus w f g : dot w (fun i => f i - g i) == dot w f - dot w g.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma dot_zero w : dot w (fun _ => 0) == 0.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma dot_const w c : dot w (fun _ => c) == c * dot w (fun _ => 1).
Proof. rewrite <- dot_times. apply dot_ext_all. intros; ring. Qed.

Definition all_nonneg w := Forall (fun e : state * A => 0 <= val (snd e)) w.

Lemma dot_nonneg w f : all_nonneg w -> (forall i, 0 <= f i) -> 0 <= dot w f.
Proof.
  intros H Hf. induction w as [|[i v] w IH]; simpl; [lra|].
  inversion H as [|? ? Hv Hw]; subst; simpl in *. specialize (IH Hw). specialize (Hf i). nra.
Qed.

Lemma dot_mono w f g : all_nonneg w -> (forall i, f i <= g i) -> dot w f <= dot w g.
Proof.
  intros H Hf. induction w as [|[i v] w IH]; simpl; [lra|].
  inversion H as [|? ? Hv Hw]; subst; simpl in *. specialize (IH Hw). specialize (Hf i). nra.
Qed.
End Dot.

(** ** Adding up entries *)

Section Gather.
Context {A : Type} (val : A -> Q) (add : A -> A -> A).
Hypothesis val_add : forall a b, val (add a b) == val a + val b.

Fixpoint collect (w : list (state * A)) : list (state * A) :=
  match w with
  | [] => []
  | (i, v) :: t =>
      match collect t with
      | (j, u) :: r => if Pos.eqb i j then (i, add v u) :: r else (i, v) :: (j, u) :: r
      | [] => [(i, v)]
      end
  end.

Lemma collect_dot w f : dot val (collect w) f == dot val w f.
Proof.
  induction w as [|[i v] t IH]; simpl; [reflexivity|].
  destruct (collect t) as [|[j u] r]; simpl in *; [rewrite <- IH; ring|].
  destruct (Pos.eqb_spec i j) as [->|_]; simpl; rewrite <- IH; [|reflexivity].
  rewrite val_add. ring.
Qed.

Definition state_leb (a b : state * A) : bool := Pos.leb (fst a) (fst b).
Definition gather (w : list (state * A)) : list (state * A) := collect (sort state_leb w).

Lemma gather_dot w f : dot val (gather w) f == dot val w f.
Proof. unfold gather. rewrite collect_dot. apply dot_perm, sort_perm. Qed.

(** Every state of [gather w] is a state of [w]. *)
Lemma gather_in w (P : state -> Prop) :
  Forall (fun e : state * A => P (fst e)) w -> Forall (fun e : state * A => P (fst e)) (gather w).
Proof.
  intros H. unfold gather.
  assert (G : Forall (fun e : state * A => P (fst e)) (sort state_leb w)).
  { rewrite Forall_forall in *. intros e He. apply H. eapply Permutation_in; [apply sort_perm | exact He]. }
  clear H. induction (sort state_leb w) as [|[i v] t IH]; simpl; [constructor|].
  inversion G as [|? ? Hi Ht]; subst. specialize (IH Ht).
  destruct (collect t) as [|[j u] r]; [repeat constructor; auto|].
  inversion IH; subst. destruct (Pos.eqb i j); repeat constructor; auto.
Qed.

(** A test on the entries of [gather w]. *)
Definition entries_ok (test : A -> bool) (w : list (state * A)) : bool :=
  forallb (fun e : state * A => test (snd e)) (gather w).

Lemma entries_zero test w f : (forall v, test v = true -> val v == 0) -> entries_ok test w = true -> dot val w f == 0.
Proof.
  intros H T. rewrite <- gather_dot. unfold entries_ok in T. induction (gather w) as [|[i v] t IH]; simpl; [reflexivity|].
  simpl in T. apply andb_prop in T. destruct T as [Tv Tt]. rewrite IH by assumption. rewrite (H v Tv). ring.
Qed.

Lemma entries_nonpos test w f : (forall v, test v = true -> val v <= 0) -> (forall i, 0 <= f i) ->
  entries_ok test w = true -> dot val w f <= 0.
Proof.
  intros H Hf T. rewrite <- gather_dot. unfold entries_ok in T. induction (gather w) as [|[i v] t IH]; simpl; [lra|].
  simpl in T. apply andb_prop in T. destruct T as [Tv Tt]. specialize (IH Tt). specialize (H v Tv). specialize (Hf i). nra.
Qed.
End Gather.

(** ** Parts by label *)

Section Parts.
Context {A : Type} (val : A -> Q) (lab : state -> label).

Definition part := (label * list (state * A))%type.

Fixpoint runs (w : list (state * A)) : list part :=
  match w with
  | [] => []
  | (i, v) :: t =>
      match runs t with
      | (a, p) :: r => if Pos.eqb (lab i) a then (a, (i, v) :: p) :: r else (lab i, [(i, v)]) :: (a, p) :: r
      | [] => [(lab i, [(i, v)])]
      end
  end.

Fixpoint ascending (ps : list part) : bool :=
  match ps with
  | (a, _) :: (((b, _) :: _) as r) => Pos.ltb a b && ascending r
  | _ => true
  end.

(** Parts of different labels; none, if the order of the states is not one by labels. *)
Definition split (w : list (state * A)) : option (list part) :=
  let ps := runs w in if ascending ps then Some ps else None.

Definition pure (p : part) := Forall (fun e : state * A => lab (fst e) = fst p) (snd p).

Lemma runs_pure w : Forall pure (runs w).
Proof.
  induction w as [|[i v] t IH]; simpl; [constructor|].
  destruct (runs t) as [|[a p] r]; [repeat constructor|].
  inversion IH as [|? ? Hp Hr]; subst.
  destruct (Pos.eqb_spec (lab i) a) as [e|_]; repeat constructor; auto.
Qed.

Fixpoint sum_parts (F : part -> Q) (ps : list part) : Q :=
  match ps with [] => 0 | p :: r => F p + sum_parts F r end.

Lemma runs_dot w f : dot val w f == sum_parts (fun p => dot val (snd p) f) (runs w).
Proof.
  induction w as [|[i v] t IH]; simpl; [reflexivity|]. rewrite IH.
  destruct (runs t) as [|[a p] r]; simpl; [ring|].
  destruct (Pos.eqb (lab i) a); simpl; ring.
Qed.

Lemma ascending_nodup ps : ascending ps = true -> NoDup (map fst ps).
Proof.
  assert (G : forall ps a p, ascending ((a, p) :: ps) = true -> Forall (fun b => (a < b)%positive) (map fst ps)).
  { clear. induction ps as [|[b q] ps IH]; intros a p H; simpl; [constructor|].
    cbn [ascending] in H. apply andb_prop in H. destruct H as [H1 H2]. apply Pos.ltb_lt in H1. constructor; [assumption|].
    specialize (IH b q H2). rewrite Forall_forall in *. intros c Hc. specialize (IH c Hc). lia. }
  induction ps as [|[a p] ps IH]; intros H; simpl; constructor.
  - intros I. specialize (G _ _ _ H). rewrite Forall_forall in G. specialize (G a I). lia.
  - apply IH. destruct ps as [|[b q] ps]; [reflexivity|]. cbn [ascending] in H. apply andb_prop in H. apply H.
Qed.

Lemma sum_parts_le F G ps : (forall p, In p ps -> F p <= G p) -> sum_parts F ps <= sum_parts G ps.
Proof.
  induction ps as [|p ps IH]; simpl; intros H; [lra|]. pose proof (H p (or_introl eq_refl)).
  assert (sum_parts F ps <= sum_parts G ps) by (apply IH; intros; apply H; auto). lra.
Qed.

Lemma sum_parts_ext F G ps : (forall p, In p ps -> F p == G p) -> sum_parts F ps == sum_parts G ps.
Proof.
  induction ps as [|p ps IH]; simpl; intros H; [reflexivity|].
  rewrite (H p) by auto. rewrite IH; [reflexivity|]. intros; apply H; auto.
Qed.

Lemma sum_parts_plus F G ps : sum_parts (fun p => F p + G p) ps == sum_parts F ps + sum_parts G ps.
Proof. induction ps as [|p ps IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma sum_parts_times c F ps : sum_parts (fun p => c * F p) ps == c * sum_parts F ps.
Proof. induction ps as [|p ps IH]; simpl; [ring|]. rewrite IH. ring. Qed.

(** What holds of a split: labels that differ, parts of one label each, and the same products. *)
Lemma split_spec w ps : split w = Some ps ->
  NoDup (map fst ps) /\ Forall pure ps /\ forall f, dot val w f == sum_parts (fun p => dot val (snd p) f) ps.
Proof.
  unfold split. destruct (ascending (runs w)) eqn:E; [|discriminate]. intros H; inversion H; subst.
  split; [apply ascending_nodup; assumption|]. split; [apply runs_pure | intros; apply runs_dot].
Qed.

(** The product of a part with a function that looks at the label. *)
Lemma part_dot (p : part) (g : label -> state -> Q) : pure p ->
  dot val (snd p) (fun j => g (lab j) j) == dot val (snd p) (g (fst p)).
Proof.
  intros H. apply dot_ext. intros i v I. unfold pure in H. rewrite Forall_forall in H.
  pose proof (H (i, v) I) as E. simpl in E. rewrite E. reflexivity.
Qed.
End Parts.

(** One choice for each label out of one for each part. *)
Lemma choose_by_label {A X : Type} (d : X) (P : label * list (state * A) -> X -> Prop) ps :
  NoDup (map fst ps) -> (forall p, In p ps -> exists x, P p x) ->
  exists c : label -> X, forall p, In p ps -> P p (c (fst p)).
Proof.
  induction ps as [|p ps IH]; intros N H; [exists (fun _ => d); intros ? []|].
  inversion N as [|? ? Np Nps]; subst. destruct IH as [c Hc]; auto.
  { intros; apply H; right; auto. }
  destruct (H p (or_introl eq_refl)) as [x Hx].
  exists (fun a => if Pos.eqb a (fst p) then x else c a). intros q [<-|Hq].
  - rewrite Pos.eqb_refl. assumption.
  - destruct (Pos.eqb_spec (fst q) (fst p)) as [e|_]; [|auto].
    exfalso. apply Np. rewrite <- e. apply in_map. assumption.
Qed.

(** ** Rationals in lowest terms *)

Definition reduce (q : Q) : Q :=
  match Qden q with
  | xH => q
  | d => let g := Z.gcd (Qnum q) (Zpos d) in Qmake (Qnum q / g) (Z.to_pos (Zpos d / g))
  end.

Lemma reduce_eq q : reduce q == q.
Proof.
  destruct q as [n d]. unfold reduce. cbn [Qnum Qden].
  assert (G : (let g := Z.gcd n (Zpos d) in Qmake (n / g) (Z.to_pos (Zpos d / g))) == n # d).
  { pose proof (Z.gcd_divide_l n (Zpos d)) as [a Ha]. pose proof (Z.gcd_divide_r n (Zpos d)) as [b Hb].
    pose proof (Z.gcd_nonneg n (Zpos d)) as Hg. cbv zeta. remember (Z.gcd n (Zpos d)) as g.
    assert (g <> 0)%Z by (intros ->; lia).
    unfold Qeq. cbn [Qnum Qden]. rewrite Ha at 1. rewrite Hb at 2. rewrite !Z.div_mul by assumption.
    rewrite Z2Pos.id by nia. rewrite Ha, Hb. ring. }
  destruct d; try exact G. reflexivity.
Qed.

Definition qadd (a b : Q) := reduce (a + b).
Definition qmul (a b : Q) := reduce (a * b).
Definition qsub (a b : Q) := reduce (a - b).
Lemma qadd_eq a b : qadd a b == a + b. Proof. apply reduce_eq. Qed.
Lemma qmul_eq a b : qmul a b == a * b. Proof. apply reduce_eq. Qed.
Lemma qsub_eq a b : qsub a b == a - b. Proof. apply reduce_eq. Qed.

Definition same (q : Q) : Q := q.
Notation dotQ := (dot same).

Definition is_zero (q : Q) : bool := Z.eqb (Qnum q) 0.
Definition is_nonneg (q : Q) : bool := Z.leb 0 (Qnum q).
Definition is_nonpos (q : Q) : bool := Z.leb (Qnum q) 0.

Lemma is_zero_eq q : is_zero q = true -> q == 0.
Proof. unfold is_zero. rewrite Z.eqb_eq. destruct q as [n d]; simpl. intros ->. unfold Qeq. simpl. ring. Qed.
Lemma is_nonneg_le q : is_nonneg q = true -> 0 <= q.
Proof. unfold is_nonneg. rewrite Z.leb_le. destruct q as [n d]; unfold Qle; simpl. lia. Qed.
Lemma is_nonpos_le q : is_nonpos q = true -> q <= 0.
Proof. unfold is_nonpos. rewrite Z.leb_le. destruct q as [n d]; unfold Qle; simpl. lia. Qed.

Definition qle (a b : Q) : bool := Qle_bool a b.
Lemma qle_le a b : qle a b = true -> a <= b. Proof. apply Qle_bool_iff. Qed.
Definition qlt (a b : Q) : bool := negb (Qle_bool b a).
Lemma qlt_lt a b : qlt a b = true -> a < b.
Proof.
  unfold qlt. intros H. apply Qnot_le_lt. intros L. apply Qle_bool_iff in L. rewrite L in H. discriminate.
Qed.
Definition qeq (a b : Q) : bool := Qeq_bool a b.
Lemma qeq_eq a b : qeq a b = true -> a == b. Proof. apply Qeq_bool_iff. Qed.

Definition positive_part (q : Q) : Q := if is_nonneg q then q else 0.
Lemma positive_part_ge q : q <= positive_part q /\ 0 <= positive_part q.
Proof.
  unfold positive_part. destruct (is_nonneg q) eqn:E; split; try lra; try (apply is_nonneg_le; assumption).
  destruct q as [n d]. unfold is_nonneg in E. simpl in E. apply Z.leb_gt in E. unfold Qle. simpl. lia.
Qed.
Lemma positive_part_cases q : positive_part q == 0 \/ positive_part q == q.
Proof. unfold positive_part. destruct (is_nonneg q); [right|left]; reflexivity. Qed.

Fixpoint total {X : Type} (F : X -> Q) (l : list X) : Q :=
  match l with [] => 0 | x :: r => qadd (F x) (total F r) end.
Lemma total_parts {A} (F : part -> Q) (ps : list (@part A)) : total F ps == sum_parts F ps.
Proof. induction ps as [|p ps IH]; simpl; [reflexivity|]. rewrite qadd_eq, IH. reflexivity. Qed.
