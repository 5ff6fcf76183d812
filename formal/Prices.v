(** Exactness of distances: prices f that reach a value, prices g and ranks that show it is the least fixed point's.

    Let D be any pre-fixed point and d the claimed values. First D > 0 wherever something is claimed, by the ranks. Then let
    theta be the largest ratio d / D, attained at a pair of the smallest rank possible. If theta > 1, the prices
    f / theta + kappa g are admissible at D for a small kappa > 0: at pairs of smaller rank the ratio is below theta, so there
    is room for kappa; at the others g asks for none. So D >= d / theta + kappa (gain of g) > d / theta = D there, which is
    absurd. No spectral radius is needed, and D need not be the least. *)

Require Import QArith Lqa Lia List Permutation PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model Deltachain.Distances Deltachain.Lower Deltachain.Basis.
Import ListNotations.
Open Scope Q_scope.

Record price_entry := { p_from : state; p_to : state; p_value : Q; p_rank : positive; p_input : nat;
                        p_reach : list (state * Q); p_start : list (state * Q) }.

Section Prices.
Variable m : model.
Variable alpha : Q.
Hypothesis alpha_ge1 : 1 <= alpha.
Hypothesis stoch : stochastic m.
Variable what : kind.
Variable base : positive.
Variable entries : list price_entry.

Notation lab := (lab m).

(** ** States by label *)

Definition add_state (t : M.t (list state)) (e : state * place) : M.t (list state) :=
  let a := place_label (snd e) in M.add a (fst e :: match M.find a t with Some l => l | None => [] end) t.
Definition by_label : M.t (list state) := fold_left add_state (listing m) (M.empty _).

Lemma by_label_in i p : In (i, p) (listing m) -> exists l, M.find (place_label p) by_label = Some l /\ In i l.
Proof.
  unfold by_label.
  assert (G : forall l t, (In (i, p) l \/ exists r, M.find (place_label p) t = Some r /\ In i r) ->
    exists r, M.find (place_label p) (fold_left add_state l t) = Some r /\ In i r).
  { induction l as [|[j q] l IH]; intros t H; simpl; [destruct H as [[]|H]; exact H|].
    apply IH. destruct H as [[E|H]|(r & F & I)]; [|left; exact H|]; right.
    - inversion E; subst. unfold add_state. simpl. rewrite M.gss. eexists. split; [reflexivity | left; reflexivity].
    - unfold add_state. simpl. destruct (Pos.eq_dec (place_label q) (place_label p)) as [e|n].
      + rewrite e, M.gss, F. eexists. split; [reflexivity | right; assumption].
      + rewrite M.gso by congruence. eauto. }
  intros H. apply G. auto.
Qed.

(** ** The checks *)

Definition price_pairs (e : price_entry) : list (state * state * price_entry) :=
  (p_from e, p_to e, e) :: if is_kind what Bd then [(p_to e, p_from e, e)] else [].
Definition price_table : M.t price_entry :=
  of_list (map (fun x => let '(i, j, e) := x in (pair_key base i j, e)) (flat_map price_pairs entries)).

Definition find_price (table : M.t price_entry) (i j : state) : option price_entry :=
  match M.find (pair_key base i j) table with
  | Some e => if Pos.eqb (p_from e) i && Pos.eqb (p_to e) j || is_kind what Bd && Pos.eqb (p_from e) j && Pos.eqb (p_to e) i
              then Some e else None
  | None => None
  end.

Definition price_in (table : M.t price_entry) (i j : state) : Q :=
  match find_price table i j with Some e => p_value e | None => 0 end.
Definition start_in (table : M.t price_entry) (rank : positive) (i j : state) : Q :=
  match find_price table i j with Some e => if Pos.ltb (p_rank e) rank then 1 else 0 | None => 0 end.

(** Prices within [bound], for all states of a label at which one of them is not zero. *)
Definition price_ok (groups : M.t (list state)) (bound : state -> state -> Q) (f : M.t Q) (e : state * Q) : bool :=
  let i := fst e in let fi := at_state f i in
  is_nonneg fi && qle fi 1 && negb (Pos.eqb (lab i) 1) &&
  match M.find (lab i) groups with
  | None => false
  | Some l => forallb (fun j => Pos.eqb i j ||
      let fj := at_state f j in
      qle (fi - alpha * fj) (bound i j)
      && (negb (is_kind what Sd) || qle ((1 - fj) - alpha * (1 - fi)) (bound j i))) l
  end.

Definition priced (groups : M.t (list state)) (bound : state -> state -> Q) (s t : state) (k : nat) (l : list (state * Q)) : option Q :=
  let f := of_list l in
  if forallb (price_ok groups bound f) l then Some (product (rows_apart m alpha k s t) f) else None.

Definition entry_ok (groups : M.t (list state)) (table : M.t price_entry) (e : price_entry) : bool :=
  let s := p_from e in let t := p_to e in
  Pos.eqb (lab s) (lab t) && Nat.ltb (p_input e) (inputs m (lab s)) && qlt 0 (p_value e)
  && match priced groups (price_in table) s t (p_input e) (p_reach e) with Some r => qle (p_value e) r | None => false end
  && match priced groups (start_in table (p_rank e)) s t (p_input e) (p_start e) with Some r => qlt 0 r | None => false end.

(** ** What they prove *)

Hypothesis places_listed : forall i p, M.find i (places m) = Some p -> In (i, p) (listing m).
Notation table := price_table.
Hypothesis all_ok : forall e, In e entries -> entry_ok by_label table e = true.

Lemma find_price_in i j e : find_price table i j = Some e -> In (i, j, e) (flat_map price_pairs entries).
Proof.
  unfold find_price. destruct (M.find (pair_key base i j) table) as [x|] eqn:F; [|discriminate].
  destruct (_ || _) eqn:B; [|discriminate]. intros H; inversion H; subst. apply of_list_in in F.
  apply in_map_iff in F. destruct F as ([[i' j'] x] & F & I). inversion F; subst.
  apply in_flat_map in I. destruct I as (e' & Ie & I). apply in_flat_map. exists e'. split; [assumption|].
  assert (e' = e) by (unfold price_pairs in I; destruct (is_kind what Bd); simpl in I; destruct I as [I|[I|[]]] || destruct I as [I|[]]; congruence).
  subst e'. apply Bool.orb_true_iff in B. unfold price_pairs. destruct B as [B|B].
  - apply andb_prop in B. destruct B as [B1 B2]. apply Pos.eqb_eq in B1, B2. subst. left. reflexivity.
  - apply andb_prop in B. destruct B as [B B2]. apply andb_prop in B. destruct B as [B0 B1]. apply Pos.eqb_eq in B1, B2.
    subst. rewrite B0. right. left. reflexivity.
Qed.

(** The rows f_i - alpha f_j <= bound, at all pairs of states. *)
Record within_bound (bound : state -> state -> Q) (f : state -> Q) : Prop := {
  wb_range : forall i, 0 <= f i /\ f i <= 1;
  wb_rows : forall i j, i <> j -> lab i = lab j -> f i - alpha * f j <= bound i j;
  wb_complement : what = Sd -> forall i j, i <> j -> lab i = lab j -> (1 - f i) - alpha * (1 - f j) <= bound i j }.

Lemma priced_spec bound s t k l r : (forall i j, 0 <= bound i j) -> priced by_label bound s t k l = Some r ->
  exists f, within_bound bound f /\ dotQ (rows_apart m alpha k s t) f == r.
Proof.
  intros B0 H. unfold priced in H. destruct (forallb _ l) eqn:F; [|discriminate]. inversion H; subst. clear H.
  exists (at_state (of_list l)). split; [|symmetry; apply product_eq]. rewrite forallb_forall in F.
  set (f := at_state (of_list l)) in *.
  assert (C : forall i, f i == 0 \/ exists v, In (i, v) l).
  { intros i. unfold f, at_state. destruct (M.find i (of_list l)) as [v|] eqn:E; [right; exists v; apply of_list_in; assumption | left; reflexivity]. }
  assert (G : forall i v, In (i, v) l -> 0 <= f i /\ f i <= 1 /\ forall j, i <> j -> lab i = lab j ->
    f i - alpha * f j <= bound i j /\ (what = Sd -> (1 - f j) - alpha * (1 - f i) <= bound j i)).
  { intros i v I. specialize (F _ I). unfold price_ok in F. cbn [fst] in F. fold (f i) in F.
    apply andb_prop in F; destruct F as [F F4]. apply andb_prop in F; destruct F as [F F3]. apply andb_prop in F; destruct F as [F1 F2].
    apply is_nonneg_le in F1. apply qle_le in F2. split; [assumption|]. split; [assumption|]. intros j N L.
    destruct (M.find (lab i) by_label) as [g|] eqn:Eg; [|discriminate]. rewrite forallb_forall in F4.
    assert (J : In j g).
    { unfold Model.lab in L at 2. destruct (M.find j (places m)) as [p|] eqn:Ej.
      - destruct (by_label_in j p (places_listed j p Ej)) as (g' & E' & I'). rewrite L in Eg. congruence.
      - rewrite L in F3. discriminate. }
    specialize (F4 j J). destruct (Pos.eqb_spec i j) as [e|_]; [contradiction|]. simpl in F4. fold (f j) in F4.
    apply andb_prop in F4. destruct F4 as [F4 F5]. split; [apply qle_le; assumption|]. intros W. rewrite W in F5. simpl in F5. apply qle_le. assumption. }
  assert (R : forall i, 0 <= f i /\ f i <= 1).
  { intros i. destruct (C i) as [Z|(v & I)]; [rewrite Z; lra|]. destruct (G i v I) as (A & B & _). auto. }
  split; [assumption| |].
  - intros i j N L. destruct (C i) as [Z|(v & I)].
    + rewrite Z. specialize (R j). specialize (B0 i j). nra.
    + apply (G i v I); auto.
  - intros W i j N L. destruct (C j) as [Z|(v & I)].
    + rewrite Z. specialize (R i). specialize (B0 i j). nra.
    + apply (G j v I); auto.
Qed.

Section Against.
Variable D : state -> state -> Q.
Hypothesis pre : prefixed m alpha what false D.

Definition gain (e : price_entry) (f : state -> Q) : Q := dotQ (rows_apart m alpha (p_input e) (p_from e) (p_to e)) f.

Definition start_bound (e : price_entry) := start_in table (p_rank e).

Lemma pair_facts i j e : In (i, j, e) (flat_map price_pairs entries) ->
  lab i = lab j /\ 0 < p_value e
  /\ (exists f, within_bound (price_in table) f /\ p_value e <= gain e f)
  /\ (exists g, within_bound (start_bound e) g /\ 0 < gain e g)
  /\ forall h, admissible m alpha what false D h -> gain e h <= D i j.
Proof.
  intros I. apply in_flat_map in I. destruct I as (e' & Ie & I). pose proof (all_ok e' Ie) as Ok. unfold entry_ok in Ok.
  assert (Ee : e' = e).
  { unfold price_pairs in I. destruct (is_kind what Bd); simpl in I; [destruct I as [I|[I|[]]]|destruct I as [I|[]]]; congruence. }
  subst e'.
  apply andb_prop in Ok; destruct Ok as [Ok O5]. apply andb_prop in Ok; destruct Ok as [Ok O4].
  apply andb_prop in Ok; destruct Ok as [Ok O3]. apply andb_prop in Ok; destruct Ok as [O1 O2].
  apply Pos.eqb_eq in O1. apply Nat.ltb_lt in O2. apply qlt_lt in O3.
  assert (Move : forall x, lab x = lab (p_from e) -> move m (p_input e) x = row m (p_input e) x).
  { intros x Lx. unfold move, clamp. rewrite Lx. f_equal. lia. }
  assert (GainD : forall h, admissible m alpha what false D h -> gain e h <= D i j).
  { intros h A. unfold gain. rewrite (apart_dot m alpha). rewrite <- !Move by auto.
    unfold price_pairs in I. destruct what eqn:W; simpl in I.
    - destruct I as [I|[I|[]]]; inversion I; subst.
      + apply (bounds_gain _ _ _ _ _ pre); auto.
      + apply (bounds_reverse _ _ _ _ _ pre); auto.
    - destruct I as [I|[]]. inversion I; subst. apply (bounds_gain _ _ _ _ _ pre); auto.
    - destruct I as [I|[]]. inversion I; subst. apply (bounds_gain _ _ _ _ _ pre); auto. }
  assert (L : lab i = lab j).
  { unfold price_pairs in I. destruct (is_kind what Bd); simpl in I; [destruct I as [I|[I|[]]]|destruct I as [I|[]]]; inversion I; subst; auto. }
  split; [assumption|]. split; [assumption|].
  assert (P0 : forall a b, 0 <= start_in table (p_rank e) a b).
  { intros a b. unfold start_in. destruct (find_price table a b) as [x|]; [|lra]. destruct (Pos.ltb _ _); lra. }
  assert (P1 : forall a b, 0 <= price_in table a b).
  { intros a b. unfold price_in. destruct (find_price table a b) as [x|] eqn:F; [|lra]. apply find_price_in in F.
    apply in_flat_map in F. destruct F as (x' & Ix & F). pose proof (all_ok x' Ix) as Ox. unfold entry_ok in Ox.
    assert (x' = x).
    { unfold price_pairs in F. destruct (is_kind what Bd); simpl in F; [destruct F as [F|[F|[]]]|destruct F as [F|[]]]; congruence. }
    subst x'. do 2 (apply andb_prop in Ox; destruct Ox as [Ox _]). apply andb_prop in Ox. destruct Ox as [_ Ox]. apply qlt_lt in Ox. lra. }
  split; [|split; [|exact GainD]].
  - destruct (priced _ _ _ _ _ (p_reach e)) as [r|] eqn:Pr; [|discriminate]. apply qle_le in O4.
    destruct (priced_spec _ _ _ _ _ _ P1 Pr) as (f & A & E). exists f. split; [assumption|]. unfold gain. rewrite E. assumption.
  - destruct (priced _ _ _ _ _ (p_start e)) as [r|] eqn:Pr; [|discriminate]. apply qlt_lt in O5.
    destruct (priced_spec _ _ _ _ _ _ P0 Pr) as (g & A & E). exists g. split; [assumption|]. unfold gain. rewrite E. assumption.
Qed.

Lemma D_nonneg i j : lab i = lab j -> 0 <= D i j.
Proof. apply (not_negative _ _ _ _ _ pre). Qed.

Definition rank_number (e : price_entry) : nat := Pos.to_nat (p_rank e).

(** c g is admissible where D >= c at the pairs of smaller rank. *)
Lemma positive_at n : forall i j e, In (i, j, e) (flat_map price_pairs entries) -> (rank_number e < n)%nat -> 0 < D i j.
Proof.
  induction n as [|n IH]; intros i j e I N; [lia|].
  destruct (common_small (fun (x : state * state * price_entry) c =>
    (rank_number (snd x) < rank_number e)%nat -> c <= D (fst (fst x)) (snd (fst x))) (flat_map price_pairs entries)) as (c & c0 & c1 & Hc).
  { intros x a b H B Le L. specialize (H L). lra. }
  { intros [[i' j'] x] Ix. simpl. destruct (Nat.lt_ge_cases (rank_number x) (rank_number e)) as [L|L].
    - exists (D i' j'). split; [apply (IH i' j' x Ix); lia|]. intros _. lra.
    - exists 1. split; [lra|]. intros L'. lia. }
  destruct (pair_facts i j e I) as (_ & _ & _ & (g & [R W C] & G) & Gain).
  assert (A : admissible m alpha what false D (fun x => c * g x)).
  { assert (B : forall a b, lab a = lab b -> c * start_bound e a b <= D a b).
    { intros a b L. unfold start_bound, start_in. destruct (find_price table a b) as [x|] eqn:F; [|pose proof (D_nonneg a b L); lra].
      destruct (Pos.ltb_spec (p_rank x) (p_rank e)) as [Lt|_]; [|pose proof (D_nonneg a b L); lra].
      apply find_price_in in F. specialize (Hc (a, b, x) F). simpl in Hc.
      assert (c <= D a b) by (apply Hc; unfold rank_number; apply Pos2Nat.inj_lt; assumption). lra. }
    split.
    - intros a. specialize (R a). nra.
    - intros a b Nab L. specialize (W a b Nab L). specialize (B a b L). nra.
    - intros S a b Nab L. specialize (C S a b Nab L). specialize (B a b L). nra.
    - discriminate. }
  specialize (Gain _ A). unfold gain in Gain, G. rewrite dot_times in Gain. nra.
Qed.

Definition ratio_of (x : state * state * price_entry) : Q := p_value (snd x) / D (fst (fst x)) (snd (fst x)).

(** The largest ratio, at the smallest rank. *)
Lemma best_pair l : l <> [] -> exists x, In x l /\ forall y, In y l ->
  ratio_of y < ratio_of x \/ (ratio_of y == ratio_of x /\ (rank_number (snd x) <= rank_number (snd y))%nat).
Proof.
  induction l as [|x l IH]; intros N; [congruence|]. destruct l as [|z l].
  { exists x. split; [left; reflexivity|]. intros y [<-|[]]. right. split; [reflexivity | lia]. }
  destruct IH as (b & Ib & Hb); [discriminate|]. destruct (Qlt_le_dec (ratio_of b) (ratio_of x)) as [L|L].
  - exists x. split; [left; reflexivity|]. intros y [<-|Iy]; [right; split; [reflexivity|lia]|].
    left. destruct (Hb y Iy) as [H|[H _]]; lra.
  - destruct (Qlt_le_dec (ratio_of x) (ratio_of b)) as [L'|L'].
    + exists b. split; [right; assumption|]. intros y [<-|Iy]; [left; assumption | apply Hb; assumption].
    + assert (E : ratio_of x == ratio_of b) by lra.
      destruct (Nat.le_ge_cases (rank_number (snd b)) (rank_number (snd x))) as [R|R].
      * exists b. split; [right; assumption|]. intros y [<-|Iy]; [right; split; assumption | apply Hb; assumption].
      * exists x. split; [left; reflexivity|]. intros y [<-|Iy]; [right; split; [reflexivity|lia]|].
        destruct (Hb y Iy) as [H|[H H']]; [left; lra | right; split; [lra | lia]].
Qed.

Theorem prices_sound i j e : In (i, j, e) (flat_map price_pairs entries) -> p_value e <= D i j.
Proof.
  set (l := flat_map price_pairs entries). intros I.
  assert (Pos : forall i j e, In (i, j, e) l -> 0 < D i j) by (intros a b x Ix; apply (positive_at (S (rank_number x)) a b x Ix); lia).
  destruct (best_pair l) as ([[s t] b] & Ib & Hb); [intros E; rewrite E in I; destruct I|].
  set (theta := ratio_of (s, t, b)) in *.
  assert (Below : forall a a' x, In (a, a', x) l -> p_value x <= theta * D a a').
  { intros a a' x Ix. pose proof (Pos a a' x Ix) as P. assert (ratio_of (a, a', x) <= theta) by (destruct (Hb _ Ix) as [H|[H _]]; lra).
    assert (E : p_value x == ratio_of (a, a', x) * D a a') by (unfold ratio_of; simpl; field; lra). rewrite E. nra. }
  destruct (Qlt_le_dec 1 theta) as [Big|Small].
  2: { specialize (Below i j e I). pose proof (Pos i j e I). nra. }
  exfalso. pose proof (Pos s t b Ib) as Ps.
  assert (Et : p_value b == theta * D s t) by (unfold theta, ratio_of; simpl; field; lra).
  set (lambda := / theta). assert (Lt : lambda * theta == 1) by (unfold lambda; field; lra).
  assert (L0 : 0 < lambda) by (unfold lambda; apply Qinv_lt_0_compat; lra). assert (L1 : lambda < 1) by nra.
  destruct (common_small (fun (x : state * state * price_entry) c => c <= 1 - lambda /\
    ((rank_number (snd x) < rank_number b)%nat -> lambda * p_value (snd x) + c <= D (fst (fst x)) (snd (fst x)))) l) as (k & k0 & k1 & Hk).
  { intros x a a' [H1 H2] A Le. split; [lra|]. intros R. specialize (H2 R). lra. }
  { intros [[a a'] x] Ix. simpl. destruct (Nat.lt_ge_cases (rank_number x) (rank_number b)) as [R|R].
    - assert (S : lambda * p_value x < D a a').
      { pose proof (Pos a a' x Ix). destruct (Hb _ Ix) as [Hr|[_ Hr]]; [|simpl in Hr; lia].
        assert (E : p_value x == ratio_of (a, a', x) * D a a') by (unfold ratio_of; simpl; field; lra). rewrite E.
        set (q := ratio_of (a, a', x)) in *. assert (lambda * q < 1) by nra.
        setoid_replace (lambda * (q * D a a')) with (lambda * q * D a a') by ring. nra. }
      destruct (Qlt_le_dec (1 - lambda) (D a a' - lambda * p_value x)) as [C|C].
      + exists (1 - lambda). repeat split; try lra; intros; lra.
      + exists (D a a' - lambda * p_value x). repeat split; try lra; intros; lra.
    - exists (1 - lambda). repeat split; try lra. intros R'. lia. }
  assert (K1 : k <= 1 - lambda) by (apply (Hk _ Ib)).
  destruct (pair_facts s t b Ib) as (_ & _ & (f & [Rf Wf Cf] & Gf) & (g & [Rg Wg Cg] & Gg) & Gain).
  assert (Room : forall a a', lab a = lab a' -> lambda * price_in table a a' + k * start_bound b a a' <= D a a').
  { intros a a' L. unfold price_in, start_bound, start_in. destruct (find_price table a a') as [x|] eqn:F.
    - apply find_price_in in F. fold l in F. destruct (Pos.ltb_spec (p_rank x) (p_rank b)) as [R|_].
      + destruct (Hk _ F) as [_ H]. simpl in H. assert (lambda * p_value x + k <= D a a') by (apply H; unfold rank_number; apply Pos2Nat.inj_lt; assumption). lra.
      + specialize (Below a a' x F). pose proof (Pos a a' x F). nra.
    - pose proof (D_nonneg a a' L). lra. }
  assert (A : admissible m alpha what false D (fun x => lambda * f x + k * g x)).
  { split.
    - intros a. specialize (Rf a). specialize (Rg a). nra.
    - intros a a' N L. specialize (Wf a a' N L). specialize (Wg a a' N L). specialize (Room a a' L). nra.
    - intros S a a' N L. specialize (Cf S a a' N L). specialize (Cg S a a' N L). specialize (Room a a' L).
      assert (0 <= (alpha - 1) * (1 - lambda - k)) by nra. nra.
    - discriminate. }
  specialize (Gain _ A). unfold gain in *. rewrite dot_plus, !dot_times in Gain. nra.
Qed.
End Against.
End Prices.
