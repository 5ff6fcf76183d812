(** Merging states (R5): a map of one model onto another that keeps labels and the probability into every block.

    The merged model is what [quotient] builds; the check compares it with the model state by state. *)

Require Import Reals Lra Lia Psatz Bool List PArith ZArith.
Require Import Deltachain.functions.Products Deltachain.functions.Model.
Import ListNotations.
Open Scope R_scope.

Section WithNumbers.
Context {Num : Numbers} {Mean : Meaning Num}.

Definition first (table : M.t state) (i : state) : state := match M.find i table with Some r => r | None => i end.

Definition push (table : M.t state) (r : row_of) : row_of := map (fun e => (first table (fst e), snd e)) r.

Lemma push_dot table r f : dotN (push table r) f = dotN r (fun j => f (first table j)).
Proof. induction r as [|[j p] r IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.

(** The states that are the first of their block, with rows into blocks. *)
Definition quotient (m : model) (table : M.t state) : model :=
  match M.is_empty table with
  | true => m
  | false => make_model (map (fun e => (fst e, {| place_label := place_label (snd e);
        place_rows := map (fun r => gather nadd (push table r)) (place_rows (snd e)) |}))
      (filter (fun e => Pos.eqb (first table (fst e)) (fst e)) (listing m)))
  end.

Section Merge.
Variables m m' : model.
Variable table : M.t state.

Definition opposite (r : row_of) : row_of := map (fun e => (fst e, nsub n0 (snd e))) r.

Fixpoint rows_match (rs rs' : list row_of) : bool :=
  match rs, rs' with
  | [], [] => true
  | r :: rs, r' :: rs' => entries_ok nadd is_zero (push table r ++ opposite r') && rows_match rs rs'
  | _, _ => false
  end.

Definition merge_ok (e : state * place) : bool :=
  match M.find (first table (fst e)) (places m') with
  | Some p' => Pos.eqb (place_label p') (place_label (snd e)) && rows_match (place_rows (snd e)) (place_rows p')
  | None => false
  end.

Hypothesis places_ok : forall i p, M.find i (places m) = Some p -> place_ok m (i, p) = true.
Hypothesis places_ok' : forall i p, M.find i (places m') = Some p -> place_ok m' (i, p) = true.
Hypothesis all_ok : forall i p, M.find i (places m) = Some p -> merge_ok (i, p) = true.

Definition known (i : state) : Prop := M.find i (places m) <> None.

Lemma rows_match_nth rs : forall rs' d d' k, rows_match rs rs' = true -> (k < length rs)%nat ->
  forall f, dotN (nth k rs d) (fun j => f (first table j)) = dotN (nth k rs' d') f.
Proof.
  induction rs as [|r rs IH]; intros [|r' rs'] d d' k H L f; simpl in *; try discriminate; try lia.
  apply andb_prop in H. destruct H as [H1 H2]. destruct k as [|k]; [|apply IH; [assumption|lia]].
  pose proof (entries_zero value nadd value_add is_zero _ f is_zero_eq H1) as Z. rewrite dot_app, push_dot in Z.
  assert (E : dotN (opposite r') f = - dotN r' f).
  { clear. induction r' as [|[j p] r' IH]; simpl; [ring|]. rewrite IH, value_sub, value_0. ring. }
  rewrite E in Z. lra.
Qed.

Lemma rows_match_length rs : forall rs', rows_match rs rs' = true -> length rs = length rs'.
Proof.
  induction rs as [|r rs IH]; intros [|r' rs'] H; simpl in *; try discriminate; [reflexivity|].
  apply andb_prop in H. f_equal. apply IH, H.
Qed.

Lemma place_inputs n i p : place_ok n (i, p) = true ->
  length (place_rows p) = inputs n (place_label p) /\ (1 <= length (place_rows p))%nat
  /\ forall r, In r (place_rows p) -> forall j q, In (j, q) r -> M.find j (places n) <> None.
Proof.
  unfold place_ok. cbn [fst snd]. intros H. apply andb_prop in H; destruct H as [H _]. apply andb_prop in H; destruct H as [H H2].
  apply andb_prop in H; destruct H as [H0 H1]. apply Nat.eqb_eq in H1. apply Nat.leb_le in H2. repeat split; auto.
  intros r Ir j q Ij. rewrite forallb_forall in H0. specialize (H0 r Ir). unfold row_ok in H0. apply andb_prop in H0.
  destruct H0 as [H0 _]. rewrite forallb_forall in H0. specialize (H0 (j, q) Ij). simpl in H0.
  apply andb_prop in H0. destruct H0 as [_ H0]. destruct (M.find j (places n)); congruence.
Qed.

Lemma merge_lab i : known i -> lab m' (first table i) = lab m i.
Proof.
  unfold known, lab. destruct (M.find i (places m)) as [p|] eqn:E; [|congruence]. intros _.
  specialize (all_ok i p E). unfold merge_ok in all_ok. simpl in all_ok.
  destruct (M.find (first table i) (places m')) as [p'|]; [|discriminate]. apply andb_prop in all_ok.
  apply Pos.eqb_eq. apply all_ok.
Qed.

(** Bisimilar states have the same events with the same probabilities. *)
Theorem merge_sound E : forall i, known i -> prob m E i = prob m' E (first table i).
Proof.
  induction E as [b|k c IH]; intros i K; [reflexivity|]. cbn [prob].
  pose proof (merge_lab i K) as Lab. unfold known in K. destruct (M.find i (places m)) as [p|] eqn:Ei; [|congruence].
  pose proof (all_ok i p Ei) as Ok. unfold merge_ok in Ok. simpl in Ok.
  destruct (M.find (first table i) (places m')) as [p'|] eqn:Ei'; [|discriminate].
  apply andb_prop in Ok. destruct Ok as [L R]. apply Pos.eqb_eq in L.
  destruct (place_inputs m i p (places_ok i p Ei)) as (N & P1 & T).
  destruct (place_inputs m' _ p' (places_ok' _ p' Ei')) as (N' & _ & _).
  pose proof (rows_match_length _ _ R) as Len.
  assert (Cl : clamp m' (lab m' (first table i)) k = clamp m (lab m i) k).
  { unfold clamp. rewrite Lab. unfold lab. rewrite Ei. rewrite <- N. rewrite <- L, <- N', Len. reflexivity. }
  unfold move. rewrite Cl. unfold row. rewrite Ei, Ei'. set (k' := clamp m (lab m i) k).
  assert (Lt : (k' < length (place_rows p))%nat).
  { unfold k', clamp, lab. rewrite Ei, <- N. lia. }
  rewrite <- (rows_match_nth _ _ [(i, n1)] _ k' R Lt). apply dot_ext. intros j q Ij.
  assert (Kj : known j) by (apply (T (nth k' (place_rows p) [(i, n1)])) with (q := q); [apply nth_In; assumption | assumption]).
  rewrite (merge_lab j Kj). apply IH. assumption.
Qed.
End Merge.
End WithNumbers.
