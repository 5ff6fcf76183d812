(** Certificates: what is checked, what is claimed, and the theorem that the one proves the other. *)

Require Import QArith Lqa Lia List Permutation PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model Deltachain.Distances Deltachain.Nodes Deltachain.Lower
  Deltachain.Merge Deltachain.Basis
  Deltachain.Prices Deltachain.Integers Deltachain.Tree Deltachain.Recipes.
Import ListNotations.
Open Scope Q_scope.

(** ** What is claimed *)

Inductive subject := AboutDistance | AboutNode (n : positive) | AboutDelta.
Record statement := { about : subject; st_from : state; st_to : state; st_lower : Q; st_upper : Q }.

(** No event, after any questions, is more than v likelier than alpha times as likely from the other state. *)
Definition delta_at_most (m : model) (alpha : Q) (s t : state) (v : Q) : Prop := forall F,
  full_prob m F s - alpha * full_prob m F t <= v /\ full_prob m F t - alpha * full_prob m F s <= v.

(** Events come as close to an advantage of v as one likes, in one direction or the other. *)
Definition delta_at_least (m : model) (alpha : Q) (s t : state) (v : Q) : Prop := forall eta, 0 < eta -> exists F,
  v - eta <= full_prob m F s - alpha * full_prob m F t \/ v - eta <= full_prob m F t - alpha * full_prob m F s.

Record certificate := {
  alpha_upper : Q; alpha_lower : Q; what : kind; key_base : positive;
  merges : list (state * state); trace_basis : option basis;
  distances : list distance_entry; prices : list price_entry; nodes : list (positive * node); uppers : list claim; lowers : list claim;
  bits : Z; vectors : list vector_entry; recipes : list recipe;
  statements : list statement }.

(** ** The checks *)

Fixpoint first_bad {X} (test : X -> bool) (l : list X) (k : Z) : option Z :=
  match l with [] => None | x :: r => if test x then first_bad test r (k + 1) else Some k end.

Lemma first_bad_all {X} (test : X -> bool) l : forall k, first_bad test l k = None -> forall x, In x l -> test x = true.
Proof.
  induction l as [|y l IH]; intros k H x I; simpl in *; [destruct I|].
  destruct (test y) eqn:E; [|discriminate]. destruct I as [<-|I]; [assumption | eapply IH; eauto].
Qed.

Definition identical (a b : Q) : bool := Z.eqb (Qnum a) (Qnum b) && Pos.eqb (Qden a) (Qden b).
Lemma identical_eq a b : identical a b = true -> a = b.
Proof.
  unfold identical. intros H. apply andb_prop in H. destruct H as [H1 H2]. apply Z.eqb_eq in H1. apply Pos.eqb_eq in H2.
  destruct a, b. simpl in *. congruence.
Qed.

Definition is_known (m : model) (i : state) : bool := match M.find i (places m) with Some _ => true | None => false end.
Definition is_some {X} (x : option X) : bool := match x with Some _ => true | None => false end.
Definition claimed (table : M.t claim) (n : positive) (turned : bool) (default : Q) : Q :=
  match find_claim table n turned with Some c => c_value c | None => default end.

Definition is_single (m : model) : bool := forallb (fun e => Nat.eqb (length (place_rows (snd e))) 1) (listing m).
Definition unit_of (c : certificate) : Z := Z.shiftl 1 (bits c).

Fixpoint run_all (go : recipe -> option result) (l : list recipe) (k : Z) (done : list result) : list result * option Z :=
  match l with
  | [] => (done, None)
  | r :: rest => match go r with Some x => run_all go rest (k + 1) (x :: done) | None => ([], Some k) end
  end.

(** What the recipes give, and the number of the first that gives nothing. *)
Definition results_of (m : model) (c : certificate) : list result * option Z :=
  match recipes c with
  | [] => ([], None)
  | _ =>
      let rows := integer_rows m in
      if Z.ltb 0 (unit_of c) then
        match vectors_of m rows (by_label m) (vectors c) with
        | Some vs => run_all (run m rows vs (is_single m) (unit_of c) (alpha_lower c)) (recipes c) 0 []
        | None => ([], Some 0%Z)
        end
      else ([], Some 0%Z)
  end.

Record checked := { ck_model : model; ck_first : M.t state; ck_distance : M.t distance_entry; ck_prices : M.t price_entry;
                    ck_nodes : M.t node; ck_upper : M.t claim; ck_lower : M.t claim; ck_results : list result }.

Definition about_pair (s t : state) (x : result) : bool := Pos.eqb (of_from x) s && Pos.eqb (of_to x) t.

Definition point (s t : state) : node := [(s, (1, 0)); (t, (0, 1))].

Definition statement_ok (m : model) (c : certificate) (k : checked) (st : statement) : bool :=
  let s := first (ck_first k) (st_from st) in let t := first (ck_first k) (st_to st) in
  is_known m (st_from st) && is_known m (st_to st) &&
  (match about st with AboutDistance => identical (alpha_upper c) (alpha_lower c) | _ => true end) &&
  if Pos.eqb (lab (ck_model k) s) (lab (ck_model k) t) then
    match about st with
    | AboutDistance => qle (distance_in (key_base c) (ck_distance k) s t) (st_upper st)
        && qle (st_lower st) (price_in (what c) (key_base c) (ck_prices k) s t)
    | AboutNode n =>
        match M.find n (ck_nodes k) with
        | None => false
        | Some w => entries_ok pair_add pair_zero (w ++ scaled (- (1)) (point s t))
        end
        && forallb (fun d => qle (claimed (ck_upper k) n d 1) (st_upper st)) [false; true]
        && existsb (fun d => qle (st_lower st) (claimed (ck_lower k) n d 0)) [false; true]
    | AboutDelta =>
        forallb (fun p : state * state => qle (distance_in (key_base c) (ck_distance k) (fst p) (snd p)) (st_upper st)
            || existsb (fun x => about_pair (fst p) (snd p) x && qle (highest (unit_of c) (alpha_upper c) x) (st_upper st)) (ck_results k))
          [(s, t); (t, s)]
        && (qle (st_lower st) 0
            || existsb (fun x => (about_pair s t x || about_pair t s x) && qle (st_lower st) (lowest (unit_of c) x)) (ck_results k))
    end
  else qle 1 (st_upper st) && qle (st_lower st) 1.

(** Where a check fails: the number of the part, and of the entry. *)
Definition check (listed : list (state * place)) (c : certificate) : option (Z * Z) :=
  let m := make_model listed in
  let table := of_list (merges c) in
  let m' := quotient m table in
  let bt := basis_tables (trace_basis c) in
  let ds := distance_table (key_base c) (distances c) in
  let ns := of_list (nodes c) in
  let us := claim_table (uppers c) in
  let ls := claim_table (lowers c) in
  let ps := price_table (what c) (key_base c) (prices c) in
  if negb (qle 1 (alpha_upper c) && qle (alpha_upper c) (alpha_lower c)) then Some (1, 0)%Z else
  match first_bad (place_ok m) listed 0 with Some i => Some (2, i)%Z | None =>
  match first_bad (place_ok m') (listing m') 0 with Some i => Some (3, i)%Z | None =>
  match first_bad (merge_ok m' table) listed 0 with Some i => Some (3, i)%Z | None =>
  if negb (match trace_basis c with None => true | Some b => basis_ok m' b (region_table b) end) then Some (4, 0)%Z else
  match first_bad (distance_ok m' (alpha_upper c) (what c) (key_base c) (is_some (trace_basis c)) (unseen m' bt) ds) (distances c) 0
    with Some i => Some (5, i)%Z | None =>
  match (if is_some (trace_basis c) then first_bad (fun _ => false) (prices c) 0 else
         let groups := by_label m' in first_bad (entry_ok m' (alpha_lower c) (what c) (key_base c) groups ps) (prices c) 0)
    with Some i => Some (6, i)%Z | None =>
  match first_bad (fun e => node_ok (snd e)) (nodes c) 0 with Some i => Some (7, i)%Z | None =>
  match first_bad (upper_ok m' (alpha_upper c) ns (vanishes bt) (distance_in (key_base c) ds) us) (uppers c) 0
    with Some i => Some (8, i)%Z | None =>
  match first_bad (lower_ok m' (alpha_lower c) ns (vanishes bt) ls) (lowers c) 0 with Some i => Some (9, i)%Z | None =>
  match results_of m' c with
  | (_, Some i) => Some (10, i)%Z
  | (rs, None) =>
      let k := {| ck_model := m'; ck_first := table; ck_distance := ds; ck_prices := ps; ck_nodes := ns;
                  ck_upper := us; ck_lower := ls; ck_results := rs |} in
      match first_bad (statement_ok m c k) (statements c) 0 with Some i => Some (11, i)%Z | None => None end
  end end end end end end end end end.

(** ** What they prove *)

Definition holds (listed : list (state * place)) (c : certificate) (st : statement) : Prop :=
  let m := make_model listed in
  let m' := quotient m (of_list (merges c)) in
  let first := first (of_list (merges c)) in
  match about st with
  | AboutDistance =>
      distance_at_most m' (alpha_upper c) (what c) (is_some (trace_basis c)) (first (st_from st)) (first (st_to st)) (st_upper st)
      /\ distance_at_least m' (alpha_upper c) (what c) (is_some (trace_basis c)) (first (st_from st)) (first (st_to st)) (st_lower st)
  | _ => forall alpha, alpha_upper c <= alpha -> alpha <= alpha_lower c ->
      delta_at_most m alpha (st_from st) (st_to st) (st_upper st) /\ delta_at_least m alpha (st_from st) (st_to st) (st_lower st)
  end.

Section Sound.
Variable listed : list (state * place).
Variable c : certificate.
Let m := make_model listed.
Let table := of_list (merges c).
Let m' := quotient m table.
Let ds := distance_table (key_base c) (distances c).
Let ns := of_list (nodes c).
Let ps := price_table (what c) (key_base c) (prices c).
Let rs := fst (results_of m' c).
Notation D := (distance_in (key_base c) ds).

Hypothesis checked : check listed c = None.

Record facts : Prop := {
  f_alpha1 : 1 <= alpha_upper c; f_alpha2 : alpha_upper c <= alpha_lower c;
  f_places : forall e, In e listed -> place_ok m e = true;
  f_places' : forall e, In e (listing m') -> place_ok m' e = true;
  f_merge : forall e, In e listed -> merge_ok m' table e = true;
  f_basis : match trace_basis c with None => true | Some b => basis_ok m' b (region_table b) end = true;
  f_distances : forall e, In e (distances c) ->
    distance_ok m' (alpha_upper c) (what c) (key_base c) (is_some (trace_basis c)) (unseen m' (basis_tables (trace_basis c))) ds e = true;
  f_prices : forall e, In e (prices c) -> trace_basis c = None
    /\ entry_ok m' (alpha_lower c) (what c) (key_base c) (by_label m') ps e = true;
  f_nodes : forall e, In e (nodes c) -> node_ok (snd e) = true;
  f_uppers : forall e, In e (uppers c) ->
    upper_ok m' (alpha_upper c) ns (vanishes (basis_tables (trace_basis c))) D (claim_table (uppers c)) e = true;
  f_lowers : forall e, In e (lowers c) ->
    lower_ok m' (alpha_lower c) ns (vanishes (basis_tables (trace_basis c))) (claim_table (lowers c)) e = true;
  f_results : snd (results_of m' c) = None;
  f_statements : forall e, In e (statements c) -> statement_ok m c {| ck_model := m'; ck_first := table; ck_distance := ds; ck_prices := ps;
    ck_nodes := ns; ck_upper := claim_table (uppers c); ck_lower := claim_table (lowers c); ck_results := rs |} e = true }.

Lemma all_facts : facts.
Proof.
  unfold check in checked. fold m in checked. fold table in checked. fold m' in checked. fold ds in checked. fold ns in checked. fold ps in checked.
  destruct (negb _) eqn:A in checked; [discriminate|]. apply Bool.negb_false_iff, andb_prop in A. destruct A as [A1 A2].
  destruct (first_bad (place_ok m) listed 0) eqn:F1 in checked; [discriminate|].
  destruct (first_bad (place_ok m') (listing m') 0) eqn:F2 in checked; [discriminate|].
  destruct (first_bad (merge_ok m' table) listed 0) eqn:F3 in checked; [discriminate|].
  destruct (negb _) eqn:B in checked; [discriminate|]. apply Bool.negb_false_iff in B.
  destruct (first_bad _ (distances c) 0) eqn:F4 in checked; [discriminate|].
  assert (P : forall e, In e (prices c) -> trace_basis c = None
    /\ entry_ok m' (alpha_lower c) (what c) (key_base c) (by_label m') ps e = true).
  { intros e I. destruct (trace_basis c) as [b|]; cbn [is_some] in checked; cbv zeta in checked.
    - destruct (first_bad _ (prices c) 0) eqn:X in checked; [discriminate|]. pose proof (first_bad_all _ _ _ X e I). discriminate.
    - destruct (first_bad _ (prices c) 0) eqn:X in checked; [discriminate|]. split; [reflexivity|]. apply (first_bad_all _ _ _ X e I). }
  destruct (if is_some (trace_basis c) then _ else _) in checked; [discriminate|].
  destruct (first_bad _ (nodes c) 0) eqn:F5 in checked; [discriminate|].
  destruct (first_bad _ (uppers c) 0) eqn:F6 in checked; [discriminate|].
  destruct (first_bad _ (lowers c) 0) eqn:F7 in checked; [discriminate|].
  destruct (results_of m' c) as [rs' [?|]] eqn:Rs in checked; [discriminate|].
  destruct (first_bad _ (statements c) 0) eqn:F8 in checked; [discriminate|].
  assert (Ers : rs = rs') by (unfold rs; rewrite Rs; reflexivity). rewrite <- Ers in F8.
  assert (Rn : snd (results_of m' c) = None) by (rewrite Rs; reflexivity).
  constructor; first [apply qle_le; assumption | assumption | eapply first_bad_all; eassumption].
Qed.

Lemma made' : places m' = of_list (listing m').
Proof. unfold m', quotient. destruct (M.is_empty table); reflexivity. Qed.

Lemma place_listed i p : M.find i (places m) = Some p -> place_ok m (i, p) = true.
Proof. intros H. apply (f_places all_facts). apply of_list_in. assumption. Qed.
Lemma place_listed' i p : M.find i (places m') = Some p -> place_ok m' (i, p) = true.
Proof. intros H. apply (f_places' all_facts). apply of_list_in. rewrite <- made'. assumption. Qed.
Lemma merge_listed i p : M.find i (places m) = Some p -> merge_ok m' table (i, p) = true.
Proof. intros H. apply (f_merge all_facts). apply of_list_in. assumption. Qed.

Lemma stoch : stochastic m.
Proof. apply stochastic_move, place_listed. Qed.
Lemma stoch' : stochastic m'.
Proof. apply stochastic_move, place_listed'. Qed.

Lemma made_counts : counts m' = of_list (map (fun e => (place_label (snd e), length (place_rows (snd e)))) (listing m')).
Proof. unfold m', quotient. destruct (M.is_empty table); reflexivity. Qed.

Lemma inputs_positive a : (1 <= inputs m' a)%nat.
Proof.
  unfold inputs. destruct (M.find a (counts m')) as [n|] eqn:E; [|lia]. rewrite made_counts in E. apply of_list_in in E.
  apply in_map_iff in E. destruct E as ([i p] & E & I). inversion E; subst. simpl.
  apply (f_places' all_facts) in I. apply place_inputs in I. apply I.
Qed.

Lemma nodes_fine n w : M.find n ns = Some w -> node_ok w = true.
Proof. intros H. apply of_list_in in H. apply (f_nodes all_facts (n, w) H). Qed.

Lemma alpha_lower_ge1 : 1 <= alpha_lower c.
Proof. pose proof (f_alpha1 all_facts). pose proof (f_alpha2 all_facts). lra. Qed.

Lemma D_bounds E s t : lab m' s = lab m' t -> prob m' E s - alpha_upper c * prob m' E t <= D s t.
Proof.
  intros L. refine (proj1 (distances_sound m' (alpha_upper c) (f_alpha1 all_facts) stoch' (what c) (key_base c) (distances c)
    (is_some (trace_basis c)) (unseen m' (basis_tables (trace_basis c))) _ (f_distances all_facts) inputs_positive E s t L)).
  apply unseen_parts. apply (f_basis all_facts).
Qed.

Lemma D_apart s t : lab m' s <> lab m' t -> D s t == 1.
Proof.
  apply (D_other m' (alpha_upper c) (what c) (key_base c) (distances c)
    (is_some (trace_basis c)) (unseen m' (basis_tables (trace_basis c))) (f_distances all_facts) inputs_positive).
Qed.

Lemma single_choice : is_single m' = true -> forall w : list (state * Z), choices m' w = 1%nat.
Proof.
  intros S. assert (I1 : forall a, inputs m' a = 1%nat).
  { intros a. unfold inputs. destruct (M.find a (counts m')) as [n|] eqn:E; [|reflexivity]. rewrite made_counts in E. apply of_list_in in E.
    apply in_map_iff in E. destruct E as ([i p] & E & I). inversion E; subst. unfold is_single in S. rewrite forallb_forall in S.
    specialize (S _ I). apply Nat.eqb_eq in S. exact S. }
  induction w as [|[i v] w IH]; [reflexivity|]. unfold choices in *. simpl. rewrite IH, I1. reflexivity.
Qed.

Lemma run_all_in go l : forall k done out, run_all go l k done = (out, None) ->
  forall x, In x out -> In x done \/ exists r, go r = Some x.
Proof.
  induction l as [|r l IH]; intros k done out H x I; simpl in H; [inversion H; subst; auto|].
  destruct (go r) as [y|] eqn:G; [|discriminate]. destruct (IH _ _ _ H x I) as [[<-|J]|J]; eauto.
Qed.

Lemma results_proved x : In x rs -> proved m' (unit_of c) (alpha_lower c) x /\ (0 < unit_of c)%Z.
Proof.
  unfold rs. pose proof (f_results all_facts) as N. unfold results_of in N |- *.
  destruct (recipes c) as [|r0 l0] eqn:El; [intros []|]. cbv zeta in N |- *. set (l := r0 :: l0) in N |- *.
  destruct (Z.ltb_spec 0 (unit_of c)) as [U|U]; [|discriminate].
  destruct (vectors_of m' (integer_rows m') (by_label m') (vectors c)) as [vs|] eqn:V; [|discriminate].
  set (go := run m' (integer_rows m') vs (is_single m') (unit_of c) (alpha_lower c)) in N |- *.
  destruct (run_all go l 0 []) as [out o] eqn:R. cbn [fst snd] in N |- *. rewrite N in R. intros I. split; [|assumption].
  destruct (run_all_in go l 0 [] out R x I) as [[]|(r & G)].
  apply (run_sound m' stoch' place_listed' (integer_rows m') eq_refl vs (vectors_good m' stoch' place_listed' _ eq_refl _ _ _ V)
    (is_single m') single_choice (unit_of c) (alpha_lower c) r x G).
Qed.

(** Node claims, in terms of two states. *)
Lemma point_dot n s t d w alpha E :
  M.find n ns = Some w -> entries_ok pair_add pair_zero (w ++ scaled (- (1)) (point s t)) = true ->
  dot (pair_val alpha) (turn d w) (prob m' E) ==
    (if d then prob m' E t - alpha * prob m' E s else prob m' E s - alpha * prob m' E t).
Proof.
  intros _ Z.
  assert (G : forall a, dot (pair_val a) w (prob m' E) == prob m' E s - a * prob m' E t).
  { intros a. assert (H : dot (pair_val a) (w ++ scaled (- (1)) (point s t)) (prob m' E) == 0).
    { apply (entries_zero (pair_val a) pair_add (pair_val_add a) pair_zero); [|assumption].
      intros [x y] Hz. unfold pair_zero in Hz. apply andb_prop in Hz. destruct Hz as [H1 H2].
      apply is_zero_eq in H1, H2. simpl in *. unfold pair_val. simpl. rewrite H1, H2. ring. }
    rewrite dot_app, scaled_dot in H. unfold point in H. cbn [dot] in H.
    assert (V1 : pair_val a (1, 0) == 1) by (unfold pair_val; simpl; ring).
    assert (V2 : pair_val a (0, 1) == - a) by (unfold pair_val; simpl; ring). rewrite V1, V2 in H. lra. }
  destruct d; simpl; [|apply G].
  assert (S : dot (pair_val alpha) (map (fun e => (fst e, swap (snd e))) w) (prob m' E)
    == - alpha * dot (pair_val 0) w (prob m' E) + (dot (pair_val (- (1))) w (prob m' E) - dot (pair_val 0) w (prob m' E))).
  { clear. induction w as [|[i [x y]] w IH]; simpl; [ring|]. rewrite IH. unfold pair_val, swap. simpl. ring. }
  rewrite S, !G. ring.
Qed.

(** ** From the merged model to the model *)

Lemma known_of i : is_known m i = true -> known m i.
Proof. unfold is_known, known. destruct (M.find i (places m)); congruence. Qed.

Lemma merged_prob E i : is_known m i = true -> prob m E i == prob m' E (first table i).
Proof. intros H. apply merge_sound; auto using place_listed, place_listed', merge_listed, known_of. Qed.

Lemma merged_lab i : is_known m i = true -> lab m' (first table i) = lab m i.
Proof. intros H. apply merge_lab; auto using merge_listed, known_of. Qed.

Definition above_by (s t : state) (v : Q) := forall E, prob m' E s - alpha_upper c * prob m' E t <= v.
Definition below_by (s t : state) (v : Q) := forall eta, 0 < eta -> exists E, v - eta <= prob m' E s - alpha_lower c * prob m' E t.

Lemma below_zero s t v : v <= 0 -> below_by s t v.
Proof. intros V eta H. exists (Verdict false). simpl. lra. Qed.

Lemma delta_of s t alpha low high : is_known m s = true -> is_known m t = true ->
  lab m' (first table s) = lab m' (first table t) -> alpha_upper c <= alpha -> alpha <= alpha_lower c ->
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
  intros st I. pose proof (f_statements all_facts st I) as H. unfold statement_ok in H. cbn [ck_model ck_first ck_distance ck_prices ck_nodes ck_upper ck_lower ck_results] in H.
  set (s := first table (st_from st)) in *. set (t := first table (st_to st)) in *.
  apply andb_prop in H; destruct H as [H H4]. apply andb_prop in H; destruct H as [H H3]. apply andb_prop in H; destruct H as [Ks Kt].
  unfold holds. fold m. fold table. fold m'. fold s. fold t.
  destruct (Pos.eqb_spec (lab m' s) (lab m' t)) as [L|L].
  - destruct (about st) as [|n|].
    + (* a distance *)
      apply andb_prop in H4. destruct H4 as [H4 H5]. apply qle_le in H4, H5.
      unfold distance_at_most, distance_at_least. apply Pos.eqb_eq in L. rewrite L. split.
      * exists D. split; [|assumption].
        apply (distances_prefixed m' (alpha_upper c) (f_alpha1 all_facts) stoch' (what c) (key_base c) (distances c)
          (is_some (trace_basis c)) (unseen m' (basis_tables (trace_basis c)))); auto using inputs_positive, f_distances, all_facts.
        apply unseen_parts, (f_basis all_facts).
      * intros D' P. apply Pos.eqb_eq in L. apply identical_eq in H3. eapply Qle_trans; [exact H5|].
        unfold price_in. destruct (find_price (what c) (key_base c) ps s t) as [e|] eqn:F; [|apply (not_negative _ _ _ _ _ P s t L)].
        assert (Ip : In (s, t, e) (flat_map (price_pairs (what c)) (prices c))) by (apply (find_price_in _ _ _ _ _ _ F)).
        assert (NB : trace_basis c = None).
        { apply in_flat_map in Ip. destruct Ip as (e' & Ie & _). apply (f_prices all_facts e' Ie). }
        rewrite NB, H3 in P. cbn [is_some] in P.
        apply (prices_sound m' (alpha_lower c) alpha_lower_ge1 (what c) (key_base c) (prices c)); auto.
        -- intros i p Fi. apply of_list_in. rewrite <- made'. assumption.
        -- intros e' Ie. apply (f_prices all_facts e' Ie).
    + (* delta of a node *)
      intros alpha A1 A2. apply andb_prop in H4. destruct H4 as [H4 H6]. apply andb_prop in H4. destruct H4 as [H4 H5].
      destruct (M.find n ns) as [w|] eqn:W; [|discriminate]. rewrite forallb_forall in H5.
      assert (U : forall d : bool, above_by (if d then t else s) (if d then s else t) (st_upper st)).
      { intros d. assert (Hd : In d [false; true]) by (destruct d; simpl; auto). specialize (H5 d Hd). apply qle_le in H5.
        intros E. eapply Qle_trans; [|exact H5]. unfold claimed. destruct (find_claim (claim_table (uppers c)) n d) as [cl|] eqn:Fc.
        - apply find_claim_in in Fc. destruct Fc as (Ic & En & Ed).
          pose proof (upper_sound m' stoch' (alpha_upper c) (f_alpha1 all_facts) ns nodes_fine (vanishes (basis_tables (trace_basis c)))
            (vanishes_prob m' (trace_basis c) (f_basis all_facts)) D D_bounds D_apart (uppers c) (f_uppers all_facts) E cl (turn d w) Ic) as X.
          unfold belief_of in X. rewrite En, Ed, W in X. specialize (X eq_refl).
          rewrite (point_dot n s t d w (alpha_upper c) E W H4) in X. destruct d; assumption.
        - pose proof (prob_range m' stoch' E s). pose proof (prob_range m' stoch' E t). pose proof (f_alpha1 all_facts).
          destruct d; nra. }
      apply delta_of; auto; [apply (U false) | apply (U true) |].
      apply existsb_exists in H6. destruct H6 as (d & _ & H6). apply qle_le in H6.
      assert (B : below_by (if d then t else s) (if d then s else t) (st_lower st)).
      { unfold claimed in H6. destruct (find_claim (claim_table (lowers c)) n d) as [cl|] eqn:Fc; [|apply below_zero; assumption].
        apply find_claim_in in Fc. destruct Fc as (Ic & En & Ed). intros eta Eta.
        destruct (lower_sound m' stoch' (alpha_lower c) ns nodes_fine (vanishes (basis_tables (trace_basis c)))
          (vanishes_prob m' (trace_basis c) (f_basis all_facts)) (lowers c) (f_lowers all_facts) cl (turn d w) eta Ic) as [E HE].
        { unfold belief_of. rewrite En, Ed, W. reflexivity. }
        { assumption. }
        exists E. rewrite (point_dot n s t d w (alpha_lower c) E W H4) in HE. destruct d; lra. }
      destruct d; auto.
    + (* delta by distances *)
      intros alpha A1 A2. apply andb_prop in H4. destruct H4 as [H4 H5]. rewrite forallb_forall in H4.
      assert (U : forall a b, In (a, b) [(s, t); (t, s)] -> above_by a b (st_upper st)).
      { intros a b Iab E. specialize (H4 (a, b) Iab). cbn [fst snd] in H4. apply Bool.orb_true_iff in H4. destruct H4 as [H4|H4].
        - apply qle_le in H4. eapply Qle_trans; [apply D_bounds|exact H4]. destruct Iab as [X|[X|[]]]; inversion X; subst; auto.
        - apply existsb_exists in H4. destruct H4 as (x & Ix & Hx). apply andb_prop in Hx. destruct Hx as [Hp Hx]. apply qle_le in Hx.
          unfold about_pair in Hp. apply andb_prop in Hp. destruct Hp as [P1 P2]. apply Pos.eqb_eq in P1, P2. subst a b.
          destruct (results_proved x Ix) as [Pr Un]. eapply Qle_trans; [|exact Hx].
          apply (highest_bounds m' stoch' (unit_of c) (alpha_lower c) Un x (alpha_upper c) E Pr (f_alpha2 all_facts)). }
      assert (B : below_by s t (st_lower st) \/ below_by t s (st_lower st)).
      { apply Bool.orb_true_iff in H5. destruct H5 as [H5|H5]; [left; apply below_zero, qle_le; assumption|].
        apply existsb_exists in H5. destruct H5 as (x & Ix & Hx). apply andb_prop in Hx. destruct Hx as [Hp Hx]. apply qle_le in Hx.
        destruct (results_proved x Ix) as [Pr Un].
        destruct (lowest_attained m' stoch' (unit_of c) (alpha_lower c) Un x Pr) as [E HE].
        apply Bool.orb_true_iff in Hp. destruct Hp as [Hp|Hp]; unfold about_pair in Hp; apply andb_prop in Hp; destruct Hp as [P1 P2];
          apply Pos.eqb_eq in P1, P2; [left|right]; intros eta Eta; exists E; rewrite <- P1, <- P2; lra. }
      apply delta_of; auto; apply U; simpl; auto.
  - apply andb_prop in H4. destruct H4 as [H4 H5]. apply qle_le in H4, H5.
    assert (L' : lab m (st_from st) <> lab m (st_to st)).
    { intros e. apply L. unfold s, t. rewrite !merged_lab by assumption. assumption. }
    assert (N : Pos.eqb (lab m' s) (lab m' t) = false) by (apply Pos.eqb_neq; assumption).
    destruct (about st).
    + unfold distance_at_most, distance_at_least. rewrite N. auto.
    + intros alpha A1 A2. apply delta_other; auto. pose proof (f_alpha1 all_facts). lra.
    + intros alpha A1 A2. apply delta_other; auto. pose proof (f_alpha1 all_facts). lra.
Qed.
End Sound.
