(** Splits from above (R7): V(w) <= sum over groups of V_G(h_G w), where V_G is that of the chain given that it ends in G.

    No law of large numbers: with U_G(E, i) = h_G(i) prob_G(E, i) and sum of h_G = 1, the sum of all U_G(E, i) is prob(E, i),
    by induction on the event. Each conditioned chain has a certificate of its own, which is checked like any other. *)

Require Import QArith Lqa Lia List PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model Deltachain.Distances Deltachain.Nodes Deltachain.Basis Deltachain.Merge
  Deltachain.Certificate.
Require Deltachain.Kernel.
Import ListNotations.
Open Scope Q_scope.

Record group := { harmonic : list (state * Q); inner : certificate }.
Record split_claim := { sp_from : state; sp_to : state; sp_lower : Q; sp_upper : Q; sp_nodes : list (option positive) }.

(** ** What is computed *)

Definition at_state (h : M.t Q) (i : state) : Q := match M.find i h with Some q => q | None => 0 end.

Definition given_row (h : M.t Q) (hi : Q) (r : row_of) : row_of :=
  flat_map (fun e : state * Q => match M.find (fst e) h with Some hj => [(fst e, reduce (snd e * hj / hi))] | None => [] end) r.
(** The chain given that it ends in the group. *)
Definition conditioned (m : model) (h : M.t Q) : list (state * place) :=
  flat_map (fun e : state * place => match M.find (fst e) h with
    | Some hi => [(fst e, {| place_label := place_label (snd e); place_rows := map (given_row h hi) (place_rows (snd e)) |})]
    | None => [] end) (listing m).

Fixpoint same_row (r r' : row_of) : bool :=
  match r, r' with
  | [], [] => true
  | (i, p) :: r, (j, q) :: r' => Pos.eqb i j && identical p q && same_row r r'
  | _, _ => false
  end.

(** One row for each state, and the conditioned chain has the row that it should. *)
Definition state_ok (m mg : model) (h : M.t Q) (e : state * Q) : bool :=
  match M.find (fst e) (places m), M.find (fst e) (places mg) with
  | Some p, Some pg => match place_rows p, place_rows pg with
      | [r], [rg] => qlt 0 (snd e) && qeq (at_state h (fst e)) (snd e) && Pos.eqb (place_label p) (place_label pg)
                     && same_row rg (given_row h (snd e) r) && Nat.eqb (inputs mg (place_label pg)) 1
      | _, _ => false
      end
  | _, _ => false
  end.

(** Of a state that is covered: no step leaves what is covered, the h add up to one, and each is h = Ph. *)
Definition covered (hs : list (M.t Q)) (i : state) : bool :=
  existsb (fun h => match M.find i h with Some _ => true | None => false end) hs.
Definition after (m : model) (h : M.t Q) (i : state) : Q := total (fun e : state * Q => qmul (snd e) (at_state h (fst e))) (row m 0 i).
Definition cover_ok (m : model) (hs : list (M.t Q)) (i : state) : bool :=
  forallb (fun e : state * Q => covered hs (fst e)) (row m 0 i)
  && qeq (total (fun h => at_state h i) hs) 1
  && forallb (fun h => qeq (at_state h i) (after m h i)) hs.

Definition group_ok (m : model) (alpha : Q) (g : group) : bool :=
  let h := of_list (harmonic g) in let listed := conditioned m h in
  forallb (state_ok m (make_model listed) h) (harmonic g) && identical (alpha_upper (inner g)) alpha
  && match check listed (inner g) with None => true | Some _ => false end.

(** What a group adds at most: h_G of the first state, or a multiple of the claim about a node. *)
Definition group_most (m : model) (g : group) (n : option positive) (s t : state) (turned : bool) : option Q :=
  let h := of_list (harmonic g) in let x := at_state h s in let y := at_state h t in
  match n with
  | None => Some (if turned then y else x)
  | Some n =>
      match M.find n (of_list (nodes (inner g))), find_claim (claim_table (uppers (inner g))) n turned with
      | Some w, Some cl =>
          let table := of_list (merges (inner g)) in
          let scale := reduce ((x + y) / size w) in
          if qlt 0 (size w) && qle 0 scale
             && entries_ok pair_add pair_zero ([(first table s, (x, 0)); (first table t, (0, y))] ++ scaled (- scale) w)
          then let v := qmul scale (c_value cl) in let plain := if turned then y else x in Some (if qle v plain then v else plain)
          else None
      | _, _ => Some (if turned then y else x)
      end
  end.

Fixpoint sum_most (m : model) (gs : list group) (ns : list (option positive)) (s t : state) (turned : bool) : option Q :=
  match gs, ns with
  | [], [] => Some 0
  | g :: gs, n :: ns => match group_most m g n s t turned, sum_most m gs ns s t turned with Some a, Some b => Some (qadd a b) | _, _ => None end
  | _, _ => None
  end.

Definition split_ok (m m' : model) (table : M.t state) (gs : list group) (st : split_claim) : bool :=
  let hs := map (fun g => of_list (harmonic g)) gs in
  let s := first table (sp_from st) in let t := first table (sp_to st) in
  is_known m (sp_from st) && is_known m (sp_to st) && Pos.eqb (lab m' s) (lab m' t) && covered hs s && covered hs t && qle (sp_lower st) 0
  && forallb (fun d => match sum_most m' gs (sp_nodes st) s t d with Some v => qle v (sp_upper st) | None => false end) [false; true].

(** The certificate itself, the groups, and the claims by splits. *)
Definition check_splits (listed : list (state * place)) (c : certificate) (gs : list group) (sts : list split_claim) : option (Z * Z) :=
  match check listed c with
  | Some x => Some x
  | None =>
      let m := make_model listed in let table := of_list (merges c) in let m' := quotient m table in
      let hs := map (fun g => of_list (harmonic g)) gs in
      if negb (is_single m') then Some (12, 0)%Z else
      match first_bad (group_ok m' (alpha_upper c)) gs 0 with Some i => Some (12, i)%Z | None =>
      match first_bad (fun g => forallb (fun e => cover_ok m' hs (fst e)) (harmonic g)) gs 0 with Some i => Some (12, i)%Z | None =>
      match first_bad (split_ok m m' table gs) sts 0 with Some i => Some (11, i)%Z | None => None end end end
  end.

(** ** Why it is right *)

Section Conditioned.
Variable m : model.
Hypothesis stoch : stochastic m.
Hypothesis single : forall k i, move m k i = row m 0 i.
Variable hs : list (M.t Q).
Hypothesis cover : forall i, covered hs i = true -> cover_ok m hs i = true.
Hypothesis positive : forall h i q, In h hs -> M.find i h = Some q -> 0 < q.

Definition is_covered i := covered hs i = true.

Lemma at_nonneg h i : In h hs -> 0 <= at_state h i.
Proof. intros I. unfold at_state. destruct (M.find i h) as [q|] eqn:F; [|lra]. pose proof (positive h i q I F). lra. Qed.

Lemma after_dot h i : after m h i == dotQ (row m 0 i) (at_state h).
Proof. unfold after. induction (row m 0 i) as [|[j p] r IH]; simpl; [reflexivity|]. rewrite qadd_eq, qmul_eq, IH. reflexivity. Qed.

Lemma cover_facts i : is_covered i -> (forall j p, In (j, p) (row m 0 i) -> is_covered j)
  /\ total (fun h => at_state h i) hs == 1 /\ forall h, In h hs -> at_state h i == dotQ (row m 0 i) (at_state h).
Proof.
  intros C. apply cover in C. unfold cover_ok in C. apply andb_prop in C. destruct C as [C C3]. apply andb_prop in C. destruct C as [C1 C2].
  rewrite forallb_forall in C1, C3. split; [|split].
  - intros j p I. apply (C1 _ I).
  - apply qeq_eq. assumption.
  - intros h I. rewrite <- after_dot. apply qeq_eq, C3. assumption.
Qed.

(** h_G times the conditioned probability, without division. *)
Fixpoint share_of (h : M.t Q) (E : event) (i : state) : Q :=
  match E with
  | Verdict b => if b then at_state h i else 0
  | Look k c => dotQ (row m 0 i) (fun j => share_of h (c (lab m j)) j)
  end.

(** Where h is 0 no step leads to where it is not. *)
Lemma share_zero h E : In h hs -> forall i, is_covered i -> at_state h i == 0 -> share_of h E i == 0.
Proof.
  intros Ih. induction E as [b|k c IH]; intros i C Z; simpl; [destruct b; [assumption | reflexivity]|].
  destruct (cover_facts i C) as (T & _ & P). specialize (P h Ih). rewrite Z in P.
  pose proof (proj1 (stoch 0%nat i)) as N. rewrite single in N.
  assert (G : forall r, all_nonneg same r -> (forall j p, In (j, p) r -> is_covered j) -> dotQ r (at_state h) <= 0 ->
    dotQ r (fun j => share_of h (c (lab m j)) j) == 0).
  { induction r as [|[j p] r IHr]; intros Nr Tr D; simpl; [reflexivity|]. inversion Nr as [|? ? Np Nr']; subst. simpl in Np, D. unfold same in *.
    assert (D0 : 0 <= dotQ r (at_state h)) by (apply dot_nonneg; [assumption | intros; apply at_nonneg; assumption]). pose proof (at_nonneg h j Ih) as A.
    assert (Pj : 0 <= p * at_state h j) by nra. unfold same in D0.
    rewrite IHr; [|assumption | intros j' p' I; apply (Tr j' p'); right; assumption | unfold same; lra].
    destruct (Qlt_le_dec 0 (at_state h j)) as [L|L].
    - assert (p == 0) as -> by nra. ring.
    - rewrite IH; [ring | apply (Tr j p); left; reflexivity | lra]. }
  apply G; [assumption | assumption | rewrite <- P; apply Qle_refl].
Qed.

Lemma same_row_eq r : forall r', same_row r r' = true -> r = r'.
Proof.
  induction r as [|[i p] r IH]; intros [|[j q] r'] H; simpl in H; try discriminate; [reflexivity|].
  apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2]. apply Pos.eqb_eq in H1. apply identical_eq in H2. subst. f_equal. apply IH. assumption.
Qed.

Lemma conditioned_prob h mg E : In h hs -> (forall i q, M.find i h = Some q -> state_ok m mg h (i, q) = true) ->
  forall i q, M.find i h = Some q -> q * prob mg E i == share_of h E i.
Proof.
  intros Ih Ok. induction E as [b|k c IH]; intros i q F.
  - simpl. assert (at_state h i == q) by (unfold at_state; rewrite F; reflexivity). destruct b; [rewrite H|]; ring.
  - pose proof (Ok i q F) as S. unfold state_ok in S. cbn [fst snd] in S. destruct (M.find i (places m)) as [p|] eqn:Pi; [|discriminate].
    destruct (M.find i (places mg)) as [pg|] eqn:Pg; [|discriminate]. destruct (place_rows p) as [|r [|? ?]] eqn:Rr; try discriminate.
    destruct (place_rows pg) as [|rg [|? ?]] eqn:Rg; try discriminate. apply andb_prop in S. destruct S as [S S5].
    apply andb_prop in S. destruct S as [S S4]. apply same_row_eq in S4. apply Nat.eqb_eq in S5.
    assert (Q0 : 0 < q) by apply (positive h i q Ih F).
    assert (C : is_covered i) by (unfold is_covered, covered; apply existsb_exists; exists h; rewrite F; auto).
    destruct (cover_facts i C) as (T & _ & _).
    assert (Mg : move mg k i = rg).
    { unfold move, row, clamp, lab. rewrite Pg, Rg, S5. cbn [pred]. rewrite Nat.min_0_r. reflexivity. }
    cbn [prob share_of]. rewrite Mg, S4. assert (Er : row m 0 i = r) by (unfold row; rewrite Pi, Rr; reflexivity). rewrite Er in T |- *.
    assert (Lab : forall j hj, M.find j h = Some hj -> lab mg j = lab m j).
    { intros j hj Fj. pose proof (Ok j hj Fj) as O. unfold state_ok in O. cbn [fst snd] in O. unfold lab.
      destruct (M.find j (places m)) as [pj|]; [|discriminate]. destruct (M.find j (places mg)) as [pgj|]; [|discriminate].
      destruct (place_rows pj) as [|? [|? ?]]; try discriminate. destruct (place_rows pgj) as [|? [|? ?]]; try discriminate.
      apply andb_prop in O. destruct O as [O _]. apply andb_prop in O. destruct O as [O _]. apply andb_prop in O. destruct O as [_ O]. apply Pos.eqb_eq in O. congruence. }
    clear S4 Er Rr Mg. revert T. induction r as [|[j x] r IHr]; intros T; [simpl; ring|]. unfold given_row. cbn [flat_map fst snd]. fold (given_row h q r).
    specialize (IHr (fun j' p' I => T j' p' (or_intror I))). cbn [dot]. destruct (M.find j h) as [hj|] eqn:Fj.
    + cbn [app dot]. rewrite Qmult_plus_distr_r, IHr. apply Qplus_inj_r. unfold same. rewrite reduce_eq, (Lab j hj Fj), <- (IH (lab m j) j hj Fj). field. lra.
    + cbn [app]. rewrite IHr, (share_zero h (c (lab m j)) Ih j); [unfold same; ring | apply (T j x); left; reflexivity | unfold at_state; rewrite Fj; reflexivity].
Qed.

Fixpoint sum_of (F : M.t Q -> Q) (l : list (M.t Q)) : Q := match l with [] => 0 | h :: r => F h + sum_of F r end.

(** The probability of an event is the sum of its shares. *)
Theorem groups_sum E : forall i, is_covered i -> sum_of (fun h => share_of h E i) hs == prob m E i.
Proof.
  induction E as [b|k c IH]; intros i C; destruct (cover_facts i C) as (T & S & _).
  - simpl. assert (Et : forall l, total (fun h => at_state h i) l == sum_of (fun h => at_state h i) l).
    { induction l as [|h l IHl]; simpl; [reflexivity|]. rewrite qadd_eq, IHl. reflexivity. }
    destruct b; [rewrite <- Et; assumption|]. clear. induction hs as [|h l IHl]; simpl; [reflexivity|]. rewrite IHl. ring.
  - cbn [prob share_of]. rewrite single. transitivity (dotQ (row m 0 i) (fun j => sum_of (fun h => share_of h (c (lab m j)) j) hs)).
    + clear. induction hs as [|h l IHl]; simpl; [rewrite dot_zero; reflexivity|]. rewrite IHl, <- dot_plus. reflexivity.
    + apply dot_ext. intros j p I. apply IH. apply (T j p I).
Qed.
End Conditioned.

Section Sound.
Variable listed : list (state * place).
Variable c : certificate.
Variable gs : list group.
Variable sts : list split_claim.
Hypothesis checked : check_splits listed c gs sts = None.

Let m := make_model listed.
Let table := of_list (merges c).
Let m' := quotient m table.
Let hs := map (fun g => of_list (harmonic g)) gs.

Lemma base_checked : check listed c = None.
Proof. unfold check_splits in checked. destruct (check listed c); [discriminate | reflexivity]. Qed.

Lemma split_facts : is_single m' = true /\ (forall g, In g gs -> group_ok m' (alpha_upper c) g = true)
  /\ (forall g e, In g gs -> In e (harmonic g) -> cover_ok m' hs (fst e) = true) /\ forall st, In st sts -> split_ok m m' table gs st = true.
Proof.
  unfold check_splits in checked. rewrite base_checked in checked. cbv zeta in checked. fold m in checked. fold table in checked. fold m' in checked. fold hs in checked.
  destruct (negb (is_single m')) eqn:S; [discriminate|]. apply Bool.negb_false_iff in S.
  destruct (first_bad (group_ok m' (alpha_upper c)) gs 0) eqn:F1; [discriminate|].
  destruct (first_bad _ gs 0) eqn:F2 in checked; [discriminate|]. destruct (first_bad _ sts 0) eqn:F3 in checked; [discriminate|].
  split; [assumption|]. split; [eapply first_bad_all; eassumption|]. split; [|eapply first_bad_all; eassumption].
  intros g e Ig Ie. pose proof (first_bad_all _ _ _ F2 g Ig) as G. rewrite forallb_forall in G. apply (G e Ie).
Qed.

Lemma stoch_m' : stochastic m'. Proof. apply (stoch' listed c base_checked). Qed.

Lemma single_rows k i : move m' k i = row m' 0 i.
Proof.
  unfold move. f_equal. unfold clamp. pose proof (single_choice listed c (proj1 split_facts) [(i, 0%Z)]) as H. fold m table m' in H.
  unfold choices in H. simpl in H. pose proof (inputs_positive listed c base_checked (lab m' i)) as P. fold m table m' in P. lia.
Qed.

Lemma group_states g : In g gs -> forall i q, M.find i (of_list (harmonic g)) = Some q ->
  state_ok m' (make_model (conditioned m' (of_list (harmonic g)))) (of_list (harmonic g)) (i, q) = true.
Proof.
  intros Ig i q F. pose proof (proj1 (proj2 split_facts) g Ig) as G. unfold group_ok in G. apply andb_prop in G. destruct G as [G _]. apply andb_prop in G. destruct G as [G _].
  rewrite forallb_forall in G. apply G. apply of_list_in. assumption.
Qed.

Lemma hs_positive h i q : In h hs -> M.find i h = Some q -> 0 < q.
Proof.
  intros Ih F. unfold hs in Ih. apply in_map_iff in Ih. destruct Ih as (g & <- & Ig). pose proof (group_states g Ig i q F) as S. unfold state_ok in S. cbn [fst snd] in S.
  destruct (M.find i (places m')) as [p|]; [|discriminate]. destruct (M.find i (places (make_model _))) as [pg|]; [|discriminate].
  destruct (place_rows p) as [|? [|? ?]]; try discriminate. destruct (place_rows pg) as [|? [|? ?]]; try discriminate.
  do 4 (apply andb_prop in S; destruct S as [S _]). apply qlt_lt. assumption.
Qed.

Lemma hs_cover i : covered hs i = true -> cover_ok m' hs i = true.
Proof.
  intros C. unfold covered in C. apply existsb_exists in C. destruct C as (h & Ih & F). unfold hs in Ih. apply in_map_iff in Ih. destruct Ih as (g & <- & Ig).
  destruct (M.find i (of_list (harmonic g))) as [q|] eqn:Fi; [|discriminate]. apply of_list_in in Fi. apply (proj1 (proj2 (proj2 split_facts)) g (i, q) Ig Fi).
Qed.

(** What a group gains is at most what [group_most] says. *)
Lemma group_bound g n s t d v E : In g gs -> covered hs s = true -> covered hs t = true -> group_most m' g n s t d = Some v ->
  let U := share_of m' (of_list (harmonic g)) E in
  (if d then U t - alpha_upper c * U s else U s - alpha_upper c * U t) <= v.
Proof.
  intros Ig Cs Ct H U. set (h := of_list (harmonic g)) in *. set (lg := conditioned m' h). set (mg := make_model lg). set (cg := inner g).
  assert (Ih : In h hs) by (unfold hs; apply in_map_iff; exists g; auto).
  pose proof (f_alpha1 listed c (all_facts listed c base_checked)) as A1.
  pose proof (proj1 (proj2 split_facts) g Ig) as G. unfold group_ok in G. fold h lg in G. fold mg cg in G. apply andb_prop in G. destruct G as [G Gc]. apply andb_prop in G. destruct G as [_ Ga].
  apply identical_eq in Ga. destruct (check lg cg) as [?|] eqn:Ck; [discriminate|]. clear Gc.
  assert (Stoch : stochastic mg) by (apply (stoch lg cg Ck)).
  assert (Share : forall i, covered hs i = true -> U i == at_state h i * prob mg E i /\ (at_state h i == 0 \/ is_known mg i = true)).
  { intros i Ci. unfold at_state. destruct (M.find i h) as [q|] eqn:F.
    - split.
      + symmetry. apply (conditioned_prob m' stoch_m' single_rows hs hs_cover hs_positive h mg E Ih (group_states g Ig) i q F).
      + right. pose proof (group_states g Ig i q F) as S. unfold state_ok in S. cbn [fst snd] in S. fold h lg in S. fold mg in S. unfold is_known.
        destruct (M.find i (places m')); [|discriminate]. destruct (M.find i (places mg)); [reflexivity | discriminate].
    - split; [|left; reflexivity]. unfold U. rewrite (share_zero m' stoch_m' single_rows hs hs_cover hs_positive h E Ih i Ci); [ring|]. unfold at_state. rewrite F. reflexivity. }
  destruct (Share s Cs) as [Us Ks]. destruct (Share t Ct) as [Ut Kt]. set (x := at_state h s) in *. set (y := at_state h t) in *.
  pose proof (at_nonneg hs hs_positive h s Ih) as X0. pose proof (at_nonneg hs hs_positive h t Ih) as Y0. fold x in X0. fold y in Y0.
  pose proof (prob_range mg Stoch E s) as [Ps0 Ps1]. pose proof (prob_range mg Stoch E t) as [Pt0 Pt1].
  assert (Plain : (if d then U t - alpha_upper c * U s else U s - alpha_upper c * U t) <= (if d then y else x)).
  { assert (A0 : 0 <= alpha_upper c) by lra. assert (Q1 : 0 <= x * prob mg E s) by (apply Qmult_le_0_compat; assumption).
    assert (Q2 : 0 <= y * prob mg E t) by (apply Qmult_le_0_compat; assumption). assert (Q3 : x * prob mg E s <= x) by nra. assert (Q4 : y * prob mg E t <= y) by nra.
    pose proof (Qmult_le_0_compat _ _ A0 Q1). pose proof (Qmult_le_0_compat _ _ A0 Q2). destruct d; rewrite Us, Ut; lra. }
  unfold group_most in H. fold h in H. fold x y cg in H. destruct n as [n|]; [|inversion H; subst; exact Plain].
  destruct (M.find n (of_list (nodes cg))) as [w|] eqn:W; [|inversion H; subst; exact Plain].
  destruct (find_claim (claim_table (uppers cg)) n d) as [cl|] eqn:Fc; [|inversion H; subst; exact Plain].
  set (tb := of_list (merges cg)) in *. set (scale := reduce ((x + y) / size w)) in *. destruct (qlt 0 (size w) && qle 0 scale) eqn:Sc; [|discriminate]. cbn [andb] in H.
  destruct (entries_ok pair_add pair_zero _) eqn:En; [|discriminate]. cbv zeta in H.
  destruct (qle (qmul scale (c_value cl)) (if d then y else x)); [|inversion H; subst; exact Plain]. inversion H; subst v; clear H Plain. rewrite qmul_eq.
  apply andb_prop in Sc. destruct Sc as [_ Sc]. apply qle_le in Sc. set (mq := quotient mg tb). set (Ps := prob mq E (first tb s)). set (Pt := prob mq E (first tb t)).
  assert (Es : x * prob mg E s == x * Ps).
  { destruct Ks as [Z|K]; [rewrite Z; ring|]. unfold Ps, mq, tb, mg. rewrite <- (merged_prob lg cg Ck E s K). reflexivity. }
  assert (Et : y * prob mg E t == y * Pt).
  { destruct Kt as [Z|K]; [rewrite Z; ring|]. unfold Pt, mq, tb, mg. rewrite <- (merged_prob lg cg Ck E t K). reflexivity. }
  assert (Dot : forall a, scale * dot (pair_val a) w (prob mq E) == x * Ps - a * (y * Pt)).
  { intros a. assert (Z : dot (pair_val a) ([(first tb s, (x, 0)); (first tb t, (0, y))] ++ scaled (- scale) w) (prob mq E) == 0).
    { apply (entries_zero (pair_val a) pair_add (pair_val_add a) pair_zero); [|assumption]. intros [p q] Hz. unfold pair_zero in Hz. apply andb_prop in Hz. destruct Hz as [H1 H2].
      apply is_zero_eq in H1, H2. simpl in *. unfold pair_val. simpl. rewrite H1, H2. ring. }
    rewrite dot_app, scaled_dot in Z. cbn [dot] in Z. fold Ps Pt in Z. unfold pair_val at 1 2 in Z. cbn [fst snd] in Z. lra. }
  apply find_claim_in in Fc. destruct Fc as (Ic & En' & Ed).
  assert (Bound : dot (pair_val (alpha_upper c)) (turn d w) (prob mq E) <= c_value cl).
  { pose proof (upper_sound mq (stoch' lg cg Ck) (alpha_upper cg) (f_alpha1 _ _ (all_facts lg cg Ck)) (of_list (nodes cg)) (nodes_fine lg cg Ck)
      (vanishes (basis_tables (trace_basis cg))) (vanishes_prob mq (trace_basis cg) (f_basis _ _ (all_facts lg cg Ck)))
      (distance_in (key_base cg) (distance_table (key_base cg) (distances cg))) (D_bounds lg cg Ck) (D_apart lg cg Ck) (uppers cg) (f_uppers _ _ (all_facts lg cg Ck)) E cl (turn d w) Ic) as X.
    unfold belief_of in X. rewrite En', Ed, W in X. specialize (X eq_refl). rewrite <- Ga. exact X. }
  assert (Turned : dot (pair_val (alpha_upper c)) (turn true w) (prob mq E)
    == - alpha_upper c * dot (pair_val 0) w (prob mq E) + (dot (pair_val (- (1))) w (prob mq E) - dot (pair_val 0) w (prob mq E))).
  { clear. cbn [turn]. generalize (prob mq E). intros f. induction w as [|[i [p q]] w IH]; simpl; [ring|]. rewrite IH. unfold pair_val, swap. simpl. ring. }
  pose proof (Dot (alpha_upper c)) as Da. pose proof (Dot 0) as D0. pose proof (Dot (- (1))) as D1.
  assert (SB : scale * dot (pair_val (alpha_upper c)) (turn d w) (prob mq E) <= scale * c_value cl) by nra.
  eapply Qle_trans; [|exact SB]. apply Qle_lteq. right. destruct d; [|cbn [turn]; rewrite Us, Ut, Es, Et, Da; ring].
  rewrite Us, Ut, Es, Et, Turned. setoid_replace (scale * (- alpha_upper c * dot (pair_val 0) w (prob mq E) + (dot (pair_val (- (1))) w (prob mq E) - dot (pair_val 0) w (prob mq E))))
    with (- alpha_upper c * (scale * dot (pair_val 0) w (prob mq E)) + (scale * dot (pair_val (- (1))) w (prob mq E) - scale * dot (pair_val 0) w (prob mq E))) by ring.
  rewrite D0, D1. ring.
Qed.

Lemma sum_bound s t d E : covered hs s = true -> covered hs t = true -> forall gs0 ns v, (forall g, In g gs0 -> In g gs) -> sum_most m' gs0 ns s t d = Some v ->
  let S i := sum_of (fun h => share_of m' h E i) (map (fun g => of_list (harmonic g)) gs0) in
  (if d then S t - alpha_upper c * S s else S s - alpha_upper c * S t) <= v.
Proof.
  intros Cs Ct gs0. induction gs0 as [|g gs0 IH]; intros [|n ns] v I H; simpl in H; try discriminate; [inversion H; subst; destruct d; simpl; lra|].
  destruct (group_most m' g n s t d) as [a|] eqn:G; [|discriminate]. destruct (sum_most m' gs0 ns s t d) as [b|] eqn:R; [|discriminate]. inversion H; subst.
  specialize (IH ns b (fun g' (I' : In g' gs0) => I g' (or_intror I')) R). cbv zeta in IH |- *. cbn [map sum_of]. rewrite qadd_eq.
  pose proof (group_bound g n s t d a E (I g (or_introl eq_refl)) Cs Ct G) as B. cbv zeta in B. destruct d; lra.
Qed.

(** R7: claims by splits hold, and all others too. *)
Theorem splits_sound : (forall st, In st (statements c) -> holds listed c st) /\ forall st, In st sts ->
  forall alpha, alpha_upper c <= alpha -> alpha <= alpha_lower c ->
  delta_at_most m alpha (sp_from st) (sp_to st) (sp_upper st) /\ delta_at_least m alpha (sp_from st) (sp_to st) (sp_lower st).
Proof.
  split; [apply (sound listed c base_checked)|]. intros st I alpha L1 L2. pose proof (proj2 (proj2 (proj2 split_facts)) st I) as H. unfold split_ok in H. cbv zeta in H. fold hs in H.
  set (s := first table (sp_from st)) in *. set (t := first table (sp_to st)) in *.
  apply andb_prop in H. destruct H as [H Hu]. apply andb_prop in H. destruct H as [H Hl]. apply andb_prop in H. destruct H as [H Ct]. apply andb_prop in H. destruct H as [H Cs].
  apply andb_prop in H. destruct H as [H L]. apply andb_prop in H. destruct H as [K1 K2]. apply Pos.eqb_eq in L. apply qle_le in Hl. rewrite forallb_forall in Hu.
  assert (Up : forall (d : bool) (E : event), (if d then prob m' E t - alpha_upper c * prob m' E s else prob m' E s - alpha_upper c * prob m' E t) <= sp_upper st).
  { intros d E. assert (Hd : In d [false; true]) by (destruct d; simpl; auto). specialize (Hu d Hd). destruct (sum_most m' gs (sp_nodes st) s t d) as [v|] eqn:S; [|discriminate].
    apply qle_le in Hu. eapply Qle_trans; [|exact Hu]. pose proof (sum_bound s t d E Cs Ct gs (sp_nodes st) v (fun (g : group) (Ig : In g gs) => Ig) S) as B. cbv zeta in B. fold hs in B.
    pose proof (groups_sum m' single_rows hs hs_cover E s Cs) as Ss. pose proof (groups_sum m' single_rows hs hs_cover E t Ct) as St.
    destruct d; rewrite Ss, St in B; exact B. }
  apply (delta_of listed c base_checked (sp_from st) (sp_to st) alpha (sp_lower st) (sp_upper st) K1 K2 L L1 L2).
  - intros E. apply (Up false E).
  - intros E. apply (Up true E).
  - left. apply (below_zero listed c). assumption.
Qed.
End Sound.

(** ** The kernel file: a certificate as in version 1, the groups with theirs, and the claims by splits; a node is its number, or 0 for none *)

Import Deltachain.Kernel(reader, bind, give, fail, integer, number, rational, list_of, pair_of, entry, place_reader, certificate_reader,
  verdict, Accepted, Rejected, Malformed).
Open Scope Z_scope.
Notation "x <- p ; q" := (bind p (fun x => q)) (at level 61, p at next level, right associativity).

Definition version : Z := 4.

Definition group_reader : reader group := h <- list_of entry; c <- certificate_reader; give {| harmonic := h; inner := c |}.
Definition node_number : reader (option positive) := z <- integer; match z with Z0 => give None | Zpos p => give (Some p) | _ => fail end.
Definition split_reader : reader split_claim :=
  s <- number; t <- number; l <- rational; u <- rational; ns <- list_of node_number;
  give {| sp_from := s; sp_to := t; sp_lower := l; sp_upper := u; sp_nodes := ns |}.

Record contents := { listed_in : list (state * place); certificate_in : certificate; groups_in : list group; claims_in : list split_claim }.
Definition contents_reader : reader contents :=
  v <- integer; if v =? version then
    (l <- list_of place_reader; c <- certificate_reader; gs <- list_of group_reader; sts <- list_of split_reader;
     give {| listed_in := l; certificate_in := c; groups_in := gs; claims_in := sts |}) else fail.

Definition read (file : list Z) : option contents := match contents_reader file with Some (x, []) => Some x | _ => None end.

Definition judge (file : list Z) : verdict :=
  match read file with
  | None => Malformed
  | Some x => match check_splits (listed_in x) (certificate_in x) (groups_in x) (claims_in x) with
      | None => Accepted
      | Some (part, entry) => Rejected part entry
      end
  end.

(** What every claim of the file says of its model. *)
Definition all_hold (x : contents) : Prop :=
  (forall st, In st (statements (certificate_in x)) -> holds (listed_in x) (certificate_in x) st)
  /\ forall st, In st (claims_in x) -> forall alpha, (alpha_upper (certificate_in x) <= alpha -> alpha <= alpha_lower (certificate_in x) ->
      let m := make_model (listed_in x) in
      delta_at_most m alpha (sp_from st) (sp_to st) (sp_upper st) /\ delta_at_least m alpha (sp_from st) (sp_to st) (sp_lower st))%Q.

Theorem accepted_is_proved file : judge file = Accepted -> exists x, read file = Some x /\ all_hold x.
Proof.
  unfold judge. destruct (read file) as [x|]; [|discriminate]. destruct (check_splits _ _ _ _) as [[? ?]|] eqn:E; [discriminate|]. intros _.
  exists x. split; [reflexivity|]. apply (splits_sound _ _ _ _ E).
Qed.
