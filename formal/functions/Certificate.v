(** Certificates by nodes, over any numbers: what is checked, what is claimed, and the theorem. *)

Require Import Reals Lra Lia Psatz Bool List PArith ZArith.
Require Import Deltachain.functions.Products Deltachain.functions.Model Deltachain.functions.Nodes Deltachain.functions.Lower
  Deltachain.functions.Merge.
Require Deltachain.Certificate.
Import Deltachain.Certificate(first_bad, first_bad_all).
Import ListNotations.
Open Scope R_scope.

Section WithNumbers.
Context {Num : Numbers}.

Record statement := { st_node : positive; st_from : state; st_to : state; st_lower : num; st_upper : num }.

Record certificate := {
  alpha_upper : num; alpha_lower : num; merges : list (state * state);
  nodes : list (positive * node); uppers : list claim; lowers : list claim; statements : list statement }.

Definition pair_zero (v : num * num) : bool := is_zero (fst v) && is_zero (snd v).
Definition vanishes (w : node) : bool := entries_ok pair_add pair_zero w.
Definition is_known (m : model) (i : state) : bool := match M.find i (places m) with Some _ => true | None => false end.
Definition claimed (table : M.t claim) (n : positive) (turned : bool) (default : num) : num :=
  match find_claim table n turned with Some c => c_value c | None => default end.
Definition point (s t : state) : node := [(s, (n1, n0)); (t, (n0, n1))].

Definition statement_ok (m m' : model) (table : M.t state) (ns : M.t node) (us ls : M.t claim) (st : statement) : bool :=
  let s := first table (st_from st) in let t := first table (st_to st) in
  is_known m (st_from st) && is_known m (st_to st) &&
  if Pos.eqb (lab m' s) (lab m' t) then
    match M.find (st_node st) ns with
    | None => false
    | Some w => vanishes (w ++ scaled (nsub n0 n1) (point s t))
    end
    && forallb (fun d => nle (claimed us (st_node st) d n1) (st_upper st)) [false; true]
    && existsb (fun d => nle (st_lower st) (claimed ls (st_node st) d n0)) [false; true]
  else nle n1 (st_upper st) && nle (st_lower st) n1.

Definition check (listed : list (state * place)) (c : certificate) : option (Z * Z) :=
  let m := make_model listed in
  let table := of_list (merges c) in
  let m' := quotient m table in
  let ns := of_list (nodes c) in
  let us := claim_table (uppers c) in
  let ls := claim_table (lowers c) in
  if negb (nle n1 (alpha_upper c) && nle (alpha_upper c) (alpha_lower c)) then Some (1, 0)%Z else
  match first_bad (place_ok m) listed 0 with Some i => Some (2, i)%Z | None =>
  match first_bad (place_ok m') (listing m') 0 with Some i => Some (3, i)%Z | None =>
  match first_bad (merge_ok m' table) listed 0 with Some i => Some (3, i)%Z | None =>
  match first_bad (fun e => node_ok (snd e)) (nodes c) 0 with Some i => Some (7, i)%Z | None =>
  match first_bad (upper_ok m' (alpha_upper c) ns vanishes us) (uppers c) 0 with Some i => Some (8, i)%Z | None =>
  match first_bad (lower_ok m' (alpha_lower c) ns vanishes ls) (lowers c) 0 with Some i => Some (9, i)%Z | None =>
  match first_bad (statement_ok m m' table ns us ls) (statements c) 0 with Some i => Some (11, i)%Z | None => None
  end end end end end end end.

Context {Mean : Meaning Num}.

(** ** What is claimed, of real numbers *)

Definition delta_at_most (m : model) (alpha : R) (s t : state) (v : R) : Prop := forall F,
  full_prob m F s - alpha * full_prob m F t <= v /\ full_prob m F t - alpha * full_prob m F s <= v.
Definition delta_at_least (m : model) (alpha : R) (s t : state) (v : R) : Prop := forall eta, 0 < eta -> exists F,
  v - eta <= full_prob m F s - alpha * full_prob m F t \/ v - eta <= full_prob m F t - alpha * full_prob m F s.

Definition holds (listed : list (state * place)) (c : certificate) (st : statement) : Prop :=
  let m := make_model listed in
  forall alpha, value (alpha_upper c) <= alpha -> alpha <= value (alpha_lower c) ->
    delta_at_most m alpha (st_from st) (st_to st) (value (st_upper st))
    /\ delta_at_least m alpha (st_from st) (st_to st) (value (st_lower st)).

Section Sound.
Variable listed : list (state * place).
Variable c : certificate.
Let m := make_model listed.
Let table := of_list (merges c).
Let m' := quotient m table.
Let ns := of_list (nodes c).
Hypothesis checked : check listed c = None.

Record facts : Prop := {
  f_alpha1 : 1 <= value (alpha_upper c); f_alpha2 : value (alpha_upper c) <= value (alpha_lower c);
  f_places : forall e, In e listed -> place_ok m e = true;
  f_places' : forall e, In e (listing m') -> place_ok m' e = true;
  f_merge : forall e, In e listed -> merge_ok m' table e = true;
  f_nodes : forall e, In e (nodes c) -> node_ok (snd e) = true;
  f_uppers : forall e, In e (uppers c) -> upper_ok m' (alpha_upper c) ns vanishes (claim_table (uppers c)) e = true;
  f_lowers : forall e, In e (lowers c) -> lower_ok m' (alpha_lower c) ns vanishes (claim_table (lowers c)) e = true;
  f_statements : forall e, In e (statements c) ->
    statement_ok m m' table ns (claim_table (uppers c)) (claim_table (lowers c)) e = true }.

Lemma all_facts : facts.
Proof.
  unfold check in checked. fold m in checked. fold table in checked. fold m' in checked. fold ns in checked.
  destruct (negb _) eqn:A in checked; [discriminate|]. apply Bool.negb_false_iff, andb_prop in A. destruct A as [A1 A2].
  destruct (first_bad (place_ok m) listed 0) eqn:F1 in checked; [discriminate|].
  destruct (first_bad (place_ok m') (listing m') 0) eqn:F2 in checked; [discriminate|].
  destruct (first_bad (merge_ok m' table) listed 0) eqn:F3 in checked; [discriminate|].
  destruct (first_bad _ (nodes c) 0) eqn:F5 in checked; [discriminate|].
  destruct (first_bad _ (uppers c) 0) eqn:F6 in checked; [discriminate|].
  destruct (first_bad _ (lowers c) 0) eqn:F7 in checked; [discriminate|].
  destruct (first_bad _ (statements c) 0) eqn:F8 in checked; [discriminate|].
  apply nle_le in A1, A2. rewrite value_1 in A1.
  constructor; first [assumption | eapply first_bad_all; eassumption].
Qed.

Lemma made' : places m' = of_list (listing m').
Proof. unfold m', quotient. destruct (M.is_empty table); reflexivity. Qed.
Lemma place_listed i p : M.find i (places m) = Some p -> place_ok m (i, p) = true.
Proof. intros H. apply (f_places all_facts). apply of_list_in. assumption. Qed.
Lemma place_listed' i p : M.find i (places m') = Some p -> place_ok m' (i, p) = true.
Proof. intros H. apply (f_places' all_facts). apply of_list_in. rewrite <- made'. assumption. Qed.
Lemma merge_listed i p : M.find i (places m) = Some p -> merge_ok m' table (i, p) = true.
Proof. intros H. apply (f_merge all_facts). apply of_list_in. assumption. Qed.
Lemma stoch : stochastic m. Proof. apply stochastic_move, place_listed. Qed.
Lemma stoch' : stochastic m'. Proof. apply stochastic_move, place_listed'. Qed.
Lemma nodes_fine n w : M.find n ns = Some w -> node_ok w = true.
Proof. intros H. apply of_list_in in H. apply (f_nodes all_facts (n, w) H). Qed.

Lemma vanishes_dot w a f : vanishes w = true -> dot (pair_val a) w f = 0.
Proof.
  apply (entries_zero (pair_val a) pair_add (pair_val_add a)). intros [x y] H. unfold pair_zero in H.
  apply andb_prop in H. destruct H as [H1 H2]. apply is_zero_eq in H1, H2. simpl in *. unfold pair_val. simpl. rewrite H1, H2. ring.
Qed.

Lemma point_dot s t d w alpha E : vanishes (w ++ scaled (nsub n0 n1) (point s t)) = true ->
  dot (pair_val alpha) (turn d w) (prob m' E) =
    (if d then prob m' E t - alpha * prob m' E s else prob m' E s - alpha * prob m' E t).
Proof.
  intros Z.
  assert (G : forall a, dot (pair_val a) w (prob m' E) = prob m' E s - a * prob m' E t).
  { intros a. pose proof (vanishes_dot _ a (prob m' E) Z) as H.
    rewrite dot_app, scaled_dot in H. unfold point in H. cbn [dot] in H. rewrite value_sub, value_0, value_1 in H.
    unfold pair_val at 2 3 in H. cbn [fst snd] in H. rewrite value_0, value_1 in H. lra. }
  destruct d; simpl; [|apply G].
  assert (S : dot (pair_val alpha) (map (fun e => (fst e, swap (snd e))) w) (prob m' E)
    = - alpha * dot (pair_val 0) w (prob m' E) + (dot (pair_val (- (1))) w (prob m' E) - dot (pair_val 0) w (prob m' E))).
  { clear. induction w as [|[i [x y]] w IH]; simpl; [ring|]. rewrite IH. unfold pair_val, swap. simpl. ring. }
  rewrite S, !G. ring.
Qed.

Lemma known_of i : is_known m i = true -> known m i.
Proof. unfold is_known, known. destruct (M.find i (places m)); congruence. Qed.
Lemma merged_prob E i : is_known m i = true -> prob m E i = prob m' E (first table i).
Proof. intros H. apply merge_sound; auto using place_listed, place_listed', merge_listed, known_of. Qed.
Lemma merged_lab i : is_known m i = true -> lab m' (first table i) = lab m i.
Proof. intros H. apply merge_lab; auto using merge_listed, known_of. Qed.

Definition above_by (s t : state) (v : R) := forall E, prob m' E s - value (alpha_upper c) * prob m' E t <= v.
Definition below_by (s t : state) (v : R) := forall eta, 0 < eta -> exists E, v - eta <= prob m' E s - value (alpha_lower c) * prob m' E t.

Lemma delta_of s t alpha low high : is_known m s = true -> is_known m t = true ->
  lab m' (first table s) = lab m' (first table t) -> value (alpha_upper c) <= alpha -> alpha <= value (alpha_lower c) ->
  above_by (first table s) (first table t) high -> above_by (first table t) (first table s) high ->
  (below_by (first table s) (first table t) low \/ below_by (first table t) (first table s) low) ->
  delta_at_most m alpha s t high /\ delta_at_least m alpha s t low.
Proof.
  intros Ks Kt L A1 A2 U1 U2 B. rewrite !merged_lab in L by assumption. split.
  - intros F. unfold full_prob. rewrite <- L, !merged_prob by assumption.
    specialize (U1 (F (lab m s))). specialize (U2 (F (lab m s))).
    pose proof (prob_range m' stoch' (F (lab m s)) (first table s)).
    pose proof (prob_range m' stoch' (F (lab m s)) (first table t)). split; nra.
  - intros eta H. destruct B as [B|B]; destruct (B eta H) as [E HE]; exists (fun _ => E); unfold full_prob;
      rewrite !merged_prob by assumption; pose proof (prob_range m' stoch' E (first table s));
      pose proof (prob_range m' stoch' E (first table t)); [left|right]; nra.
Qed.

Lemma delta_other s t alpha low high : lab m s <> lab m t -> 1 <= alpha -> 1 <= high -> low <= 1 ->
  delta_at_most m alpha s t high /\ delta_at_least m alpha s t low.
Proof.
  intros L A H1 H2. split.
  - intros F. unfold full_prob. pose proof (prob_range m stoch (F (lab m s)) s). pose proof (prob_range m stoch (F (lab m t)) t). split; nra.
  - intros eta H. exists (fun a => Verdict (Pos.eqb a (lab m s))). left. unfold full_prob. rewrite Pos.eqb_refl.
    destruct (Pos.eqb_spec (lab m t) (lab m s)) as [e|_]; [congruence|]. simpl. lra.
Qed.

Theorem sound : forall st, In st (statements c) -> holds listed c st.
Proof.
  intros st I. pose proof (f_statements all_facts st I) as H. unfold statement_ok in H. cbv zeta in H.
  set (s := first table (st_from st)) in *. set (t := first table (st_to st)) in *. set (n := st_node st) in *.
  apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H. destruct H as [H1 H2].
  intros alpha A1 A2. change (make_model listed) with m.
  destruct (Pos.eqb_spec (lab m' s) (lab m' t)) as [L|L].
  - apply andb_prop in H4. destruct H4 as [H4 H6]. apply andb_prop in H4. destruct H4 as [H4 H5].
    destruct (M.find n ns) as [w|] eqn:W; [|discriminate]. rewrite forallb_forall in H5.
    assert (U : forall d : bool, above_by (if d then t else s) (if d then s else t) (value (st_upper st))).
    { intros d. assert (Hd : In d [false; true]) by (destruct d; simpl; auto). specialize (H5 d Hd). apply nle_le in H5.
      intros E. eapply Rle_trans; [|exact H5]. unfold claimed. destruct (find_claim (claim_table (uppers c)) n d) as [cl|] eqn:Fc.
      - apply find_claim_in in Fc. destruct Fc as (Ic & En & Ed).
        pose proof (upper_sound m' stoch' (alpha_upper c) (f_alpha1 all_facts) ns nodes_fine vanishes
          (fun w a E => vanishes_dot w a _) (uppers c) (f_uppers all_facts) E cl (turn d w) Ic) as X.
        unfold belief_of in X. rewrite En, Ed, W in X. specialize (X eq_refl).
        rewrite (point_dot s t d w (value (alpha_upper c)) E H4) in X. destruct d; assumption.
      - rewrite value_1. pose proof (prob_range m' stoch' E s). pose proof (prob_range m' stoch' E t). pose proof (f_alpha1 all_facts).
        destruct d; nra. }
    apply delta_of; auto; [apply (U false) | apply (U true) |].
    apply existsb_exists in H6. destruct H6 as (d & _ & H6). apply nle_le in H6.
    assert (B : below_by (if d then t else s) (if d then s else t) (value (st_lower st))).
    { unfold claimed in H6. destruct (find_claim (claim_table (lowers c)) n d) as [cl|] eqn:Fc.
      - apply find_claim_in in Fc. destruct Fc as (Ic & En & Ed). intros eta Eta.
        destruct (lower_sound m' stoch' (alpha_lower c) ns nodes_fine vanishes
          (fun w a E => vanishes_dot w a _) (lowers c) (f_lowers all_facts) cl (turn d w) eta Ic) as [E HE].
        { unfold belief_of. rewrite En, Ed, W. reflexivity. }
        { assumption. }
        exists E. rewrite (point_dot s t d w (value (alpha_lower c)) E H4) in HE. destruct d; lra.
      - rewrite value_0 in H6. intros eta Eta. exists (Verdict false). simpl. lra. }
    destruct d; auto.
  - apply andb_prop in H4. destruct H4 as [H4 H5]. apply nle_le in H4, H5. rewrite value_1 in H4, H5.
    assert (L' : lab m (st_from st) <> lab m (st_to st)).
    { intros e. apply L. unfold s, t. rewrite !merged_lab by assumption. assumption. }
    apply delta_other; auto. pose proof (f_alpha1 all_facts). lra.
Qed.
End Sound.
End WithNumbers.
