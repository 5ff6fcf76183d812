(** Recipes of kind "tree", and event vectors.

    The tokens of a tree are read in the order of a walk that goes down first: [expand] expands the belief at hand, under
    every input, [leaf] bounds it by its masses, n >= 0 also by event vector n. A vector holds rounded probabilities of one
    event at the states of a label: z <= 2^30 prob E i <= z + height. *)

Require Import QArith Lqa Lia List Permutation PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model Deltachain.Integers.
Import ListNotations.
Open Scope Q_scope.

Definition expand : Z := (-1)%Z.
Definition leaf : Z := (-2)%Z.
Definition unit_bits : Z := 30.
Definition vector_unit : Z := 1073741824.   (* 2^30 *)

Inductive vector := Always (b : bool) | Listed (t : M.t Z).
Record vector_entry := { v_label : label; v_after : list (label * positive); v_input : nat }.

Definition value_at (v : vector) (i : state) : option Z :=
  match v with Always b => Some (if b then vector_unit else 0%Z) | Listed t => M.find i t end.

Section Tree.
Variable m : model.
Hypothesis stoch : stochastic m.
Hypothesis places_ok : forall i p, M.find i (places m) = Some p -> place_ok m (i, p) = true.
Notation lab := (lab m).
Notation prob := (prob m).
Variable rows : M.t (list irow).
Hypothesis rows_eq : rows = integer_rows m.
Variable groups : M.t (list state).   (** the states of each label *)

(** ** Event vectors *)

Definition describes (v : vector) (h : Z) (E : event) : Prop := forall i z, value_at v i = Some z ->
  (0 <= z)%Z /\ inject_Z z <= prob E i * inject_Z vector_unit /\ prob E i * inject_Z vector_unit <= inject_Z z + inject_Z h.
Definition good (vh : vector * Z) : Prop := exists E, describes (fst vh) (snd vh) E.

Fixpoint assoc (a : label) (l : list (label * (vector * Z))) : option (vector * Z) :=
  match l with [] => None | (b, v) :: r => if Pos.eqb a b then Some v else assoc a r end.

(** Sum of low * value and of high - low, over the arcs of a row. *)
Fixpoint weigh (after : list (label * (vector * Z))) (l : list (state * (Z * Z))) (s d : Z) : option (Z * Z) :=
  match l with
  | [] => Some (s, d)
  | (j, (low, high)) :: r =>
      match assoc (lab j) after with
      | None => weigh after r s (d + (high - low))
      | Some (v, _) => match value_at v j with
          | Some z => weigh after r (s + low * z) (d + (high - low))
          | None => None
          end
      end
  end.

Fixpoint valued (after : list (label * (vector * Z))) (k : nat) (l : list state) (acc : list (state * Z)) (worst : Z) :
  option (list (state * Z) * Z) :=
  match l with
  | [] => Some (acc, worst)
  | i :: r => let row := irow_at rows k i in
      match weigh after (shares row) 0 0 with
      | Some (s, d) => let z := (s / bottom row)%Z in
          if Z.leb 0 z then valued after k r ((i, z) :: acc) (Z.max worst (div_up (d * vector_unit) (bottom row))) else None
      | None => None
      end
  end.

Fixpoint resolve (known : M.t (vector * Z)) (l : list (label * positive)) : option (list (label * (vector * Z))) :=
  match l with
  | [] => Some []
  | (b, n) :: r => match M.find n known, resolve known r with Some v, Some l => Some ((b, v) :: l) | _, _ => None end
  end.

Definition make_vector (known : M.t (vector * Z)) (e : vector_entry) : option (vector * Z) :=
  match resolve known (v_after e), M.find (v_label e) groups with
  | Some after, Some states =>
      let height := fold_left (fun h x => Z.max h (snd (snd x))) after 0%Z in
      match valued after (v_input e) states [] 0 with
      | Some (l, worst) => Some (Listed (of_list l), (height + 1 + worst)%Z)
      | None => None
      end
  | _, _ => None
  end.

(** Numbers 1 and 2 are the impossible and the sure event. *)
Fixpoint make_vectors (l : list vector_entry) (next : positive) (known : M.t (vector * Z)) : option (M.t (vector * Z)) :=
  match l with
  | [] => Some known
  | e :: r => match make_vector known e with
      | Some v => make_vectors r (Pos.succ next) (M.add next v known)
      | None => None
      end
  end.
Definition vectors_of (l : list vector_entry) : option (M.t (vector * Z)) :=
  make_vectors l 3 (M.add 1%positive (Always false, 0%Z) (M.add 2%positive (Always true, 0%Z) (M.empty _))).

Lemma always_good b : good (Always b, 0%Z).
Proof.
  exists (Verdict b). intros i z H. simpl in H. inversion H; subst. change (inject_Z (snd (Always b, 0%Z))) with 0.
  destruct b; cbn [prob]; (split; [unfold vector_unit; lia|]); change (inject_Z 0) with 0; split; lra.
Qed.

(** One event for each label of a list, the impossible one elsewhere. *)
Lemma choose_events after : (forall b v, In (b, v) after -> good v) -> exists c : label -> event,
  (forall a v h, assoc a after = Some (v, h) -> describes v h (c a)) /\ (forall a, assoc a after = None -> c a = Verdict false).
Proof.
  induction after as [|[b [v h]] r IH]; intros H.
  - exists (fun _ => Verdict false). split; [discriminate | reflexivity].
  - destruct IH as (c & C1 & C2); [intros; eapply H; right; eassumption|].
    destruct (H b (v, h) (or_introl eq_refl)) as [E HE]. exists (fun a => if Pos.eqb a b then E else c a). simpl. split.
    + intros a v' h'. destruct (Pos.eqb_spec a b) as [->|_]; [|apply C1]. intros X; inversion X; subst. exact HE.
    + intros a. destruct (Pos.eqb_spec a b) as [->|_]; [discriminate | apply C2].
Qed.

Lemma unit_pos : 0 < inject_Z vector_unit.
Proof. unfold vector_unit. reflexivity. Qed.

Lemma weigh_spec after c H d : (0 < d)%Z -> (0 <= H)%Z ->
  (forall a v h, assoc a after = Some (v, h) -> describes v h (c a) /\ (h <= H)%Z) ->
  (forall a, assoc a after = None -> c a = Verdict false) ->
  forall r ss s0 d0 s1 d1, Forall2 (fits d) r ss -> all_nonneg same r -> weigh after ss s0 d0 = Some (s1, d1) ->
  let P := dotQ r (fun j => prob (c (lab j)) j) * inject_Z vector_unit * inject_Z d in
  inject_Z (s1 - s0) <= P /\
  P <= inject_Z (s1 - s0) + inject_Z (d1 - d0) * inject_Z vector_unit + inject_Z H * inject_Z d * dotQ r (fun _ => 1).
Proof.
  intros Hd HH C1 C2 r. pose proof (inject_pos _ Hd) as Qd. pose proof unit_pos as U0.
  assert (QH : 0 <= inject_Z H) by (change 0 with (inject_Z 0); apply inject_le; assumption).
  induction r as [|[j p] r IH]; intros ss s0 d0 s1 d1 F N W; inversion F as [|? [j' [low high]] ? ss' Fit F']; subst; simpl in W.
  - inversion W; subst. rewrite !Z.sub_diag. simpl. change (inject_Z 0) with 0. split; lra.
  - inversion N as [|? ? Np Nr]; subst. destruct Fit as (Ej & Lo & Hi). simpl in Ej, Lo, Hi, Np. subst j'. unfold same in Np.
    pose proof (prob_range m stoch (c (lab j)) j) as [R0 R1].
    set (pj := prob (c (lab j)) j) in *. set (U := inject_Z vector_unit) in *. set (D := inject_Z d) in *.
    assert (Rest : exists t, weigh after ss' (s0 + t) (d0 + (high - low)) = Some (s1, d1) /\
      inject_Z t <= p * D * (pj * U) /\ p * D * (pj * U) <= inject_Z t + (inject_Z high - inject_Z low) * U + inject_Z H * D * p).
    { destruct (assoc (lab j) after) as [[v h]|] eqn:A.
      - destruct (value_at v j) as [z|] eqn:V; [|discriminate]. exists (low * z)%Z. split; [assumption|].
        destruct (C1 _ _ _ A) as [G Hh]. destruct (G j z V) as (Z0 & Z1 & Z2). fold pj in Z1, Z2. fold U in Z1, Z2.
        apply inject_le in Z0. change (inject_Z 0) with 0 in Z0. apply inject_le in Hh. rewrite inject_Z_mult.
        set (lo := inject_Z low) in *. set (hi := inject_Z high) in *. set (z' := inject_Z z) in *. set (x := p * D) in *.
        assert (X0 : 0 <= x) by (unfold x; nra). assert (Z3 : z' <= U) by nra.
        assert (A1 : lo * z' <= x * z') by nra. assert (A2 : x * z' <= x * (pj * U)) by nra.
        assert (A3 : x * (pj * U) <= x * (z' + inject_Z H)) by nra.
        assert (A4 : (x - lo) * z' <= (x - lo) * U) by nra. assert (A5 : (x - lo) * U <= (hi - lo) * U) by nra.
        setoid_replace (inject_Z H * D * p) with (x * inject_Z H) by (unfold x; ring). split; nra.
      - exists 0%Z. rewrite Z.add_0_r. split; [assumption|]. change (inject_Z 0) with 0.
        assert (pj == 0) as -> by (unfold pj; rewrite (C2 _ A); reflexivity).
        assert (0 <= (inject_Z high - inject_Z low) * U) by nra.
        assert (0 <= inject_Z H * D * p) by (apply Qmult_le_0_compat; nra). split; lra. }
    destruct Rest as (t & W' & T1 & T2). destruct (IH _ _ _ _ _ F' Nr W') as [B1 B2]. cbv zeta in B1, B2 |- *.
    cbn [dot]. change (same p) with p. fold pj. set (S := dotQ r (fun j => prob (c (lab j)) j)) in *. set (S1 := dotQ r (fun _ => 1)) in *.
    assert (E1 : inject_Z (s1 - s0) == inject_Z (s1 - (s0 + t)) + inject_Z t).
    { rewrite <- inject_add. apply inject_eq. lia. }
    assert (E2 : inject_Z (d1 - d0) == inject_Z (d1 - (d0 + (high - low))) + (inject_Z high - inject_Z low)).
    { unfold Qminus. rewrite <- inject_Z_opp, <- !inject_add. apply inject_eq. lia. }
    rewrite E1, E2.
    setoid_replace ((p * pj + S) * U * D) with (p * D * (pj * U) + S * U * D) by ring.
    setoid_replace (inject_Z H * D * (p * 1 + S1)) with (inject_Z H * D * p + inject_Z H * D * S1) by ring. split; nra.
Qed.

Lemma height_max (after : list (label * (vector * Z))) : forall h0, (h0 <= fold_left (fun h x => Z.max h (snd (snd x))) after h0)%Z
  /\ forall a v h, assoc a after = Some (v, h) -> (h <= fold_left (fun h x => Z.max h (snd (snd x))) after h0)%Z.
Proof.
  induction after as [|[b [v' h']] r IH]; intros h0; simpl; [split; [lia | discriminate]|].
  destruct (IH (Z.max h0 h')) as [I1 I2]. split; [lia|]. intros a v h. destruct (Pos.eqb a b); [|apply I2].
  intros X; inversion X; subst. lia.
Qed.

Lemma valued_spec after k c H : (0 <= H)%Z ->
  (forall a v h, assoc a after = Some (v, h) -> describes v h (c a) /\ (h <= H)%Z) ->
  (forall a, assoc a after = None -> c a = Verdict false) ->
  forall l acc worst out W, valued after k l acc worst = Some (out, W) ->
  (worst <= W)%Z /\ forall i z, In (i, z) out -> In (i, z) acc \/
    ((0 <= z)%Z /\ inject_Z z <= prob (Look k c) i * inject_Z vector_unit
     /\ prob (Look k c) i * inject_Z vector_unit <= inject_Z z + inject_Z (H + 1 + W)).
Proof.
  intros HH C1 C2. induction l as [|i l IH]; intros acc worst out W V; simpl in V.
  - inversion V; subst. split; [lia | auto].
  - destruct (weigh after (shares (irow_at rows k i)) 0 0) as [[s d]|] eqn:Wg; [|discriminate].
    destruct (Z.leb_spec 0 (s / bottom (irow_at rows k i))) as [Z0|]; [|discriminate].
    destruct (IH _ _ _ _ V) as [L I]. split; [lia|]. intros j z Ij. destruct (I j z Ij) as [[E|Ia]|G]; [|auto|auto].
    inversion E; subst j z. right. split; [assumption|].
    rewrite rows_eq, (irow_at_eq m places_ok) in *. set (r := move m k i) in *.
    pose proof (bottom_pos r) as B. destruct (stoch k i) as [N S1]. fold r in N, S1.
    pose proof (weigh_spec after c H _ B HH C1 C2 r _ _ _ _ _ (integer_row_fits r) N Wg) as [A1 A2].
    rewrite S1 in A2. rewrite Z.sub_0_r in A1. rewrite (Z.sub_0_r s), (Z.sub_0_r d) in A2. set (b := bottom (integer_row r)) in *. pose proof (inject_pos _ B) as QB.
    change (prob (Look k c) i) with (dotQ r (fun j => prob (c (lab j)) j)). set (P := dotQ r _) in *.
    pose proof (div_le s b B) as D1. pose proof (div_gt s b B) as D2. pose proof (div_up_ge (d * vector_unit) b B) as D3.
    rewrite inject_Z_mult in D3. set (U := inject_Z vector_unit) in *. split.
    + apply Qmult_le_r with (z := inject_Z b); [assumption|]. lra.
    + assert (Wo : inject_Z (div_up (d * vector_unit) b) <= inject_Z W) by (apply inject_le; lia).
      assert (Wb : inject_Z (div_up (d * vector_unit) b) * inject_Z b <= inject_Z W * inject_Z b) by nra.
      rewrite !inject_add. change (inject_Z 1) with 1. apply Qmult_le_r with (z := inject_Z b); [assumption|].
      apply Qle_trans with (inject_Z s + inject_Z d * U + inject_Z H * inject_Z b * 1); [exact A2|].
      ring_simplify. ring_simplify in D2. lra.
Qed.

Lemma resolve_in known l after : resolve known l = Some after -> forall b v, In (b, v) after -> exists n, M.find n known = Some v.
Proof.
  revert after. induction l as [|[b n] r IH]; intros after H a v I; simpl in H; [inversion H; subst; destruct I|].
  destruct (M.find n known) as [w|] eqn:F; [|discriminate]. destruct (resolve known r) as [l'|]; [|discriminate].
  inversion H; subst. destruct I as [E|I]; [inversion E; subst; eauto | eapply IH; eauto].
Qed.

Lemma make_vector_good known e v : (forall n w, M.find n known = Some w -> good w) -> make_vector known e = Some v -> good v.
Proof.
  intros K H. unfold make_vector in H. destruct (resolve known (v_after e)) as [after|] eqn:R; [|discriminate].
  destruct (M.find (v_label e) groups) as [l|]; [|discriminate].
  destruct (valued after (v_input e) l [] 0) as [[out W]|] eqn:V; [|discriminate]. inversion H; subst.
  destruct (choose_events after) as (c & C1 & C2).
  { intros b w I. destruct (resolve_in _ _ _ R b w I) as [n F]. eapply K; eauto. }
  set (Hm := fold_left (fun h x => Z.max h (snd (snd x))) after 0%Z) in *.
  pose proof (height_max after 0) as [H0 H1]. fold Hm in H0, H1.
  pose proof (valued_spec after (v_input e) c Hm H0 (fun a v h A => conj (C1 a v h A) (H1 a v h A)) C2 l [] 0%Z out W V) as [_ G].
  exists (Look (v_input e) c). intros i z F. simpl in F. apply of_list_in in F. destruct (G i z F) as [[]|G']. exact G'.
Qed.

Lemma vectors_good l t : vectors_of l = Some t -> forall n v, M.find n t = Some v -> good v.
Proof.
  unfold vectors_of.
  assert (G : forall l next known t, (forall n v, M.find n known = Some v -> good v) -> make_vectors l next known = Some t ->
    forall n v, M.find n t = Some v -> good v).
  { clear l t. induction l as [|e l IH]; intros next known t K H; simpl in H; [inversion H; subst; exact K|].
    destruct (make_vector known e) as [v|] eqn:E; [|discriminate]. apply (IH _ _ _) with (2 := H).
    intros n w F. destruct (Pos.eq_dec n next) as [->|N]; [rewrite M.gss in F; inversion F; subst; eapply make_vector_good; eauto|].
    rewrite M.gso in F by assumption. eauto. }
  intros H. apply (G _ _ _ _) with (2 := H). intros n v F. destruct (Pos.eq_dec n 1) as [->|N1].
  - rewrite M.gss in F. inversion F. apply always_good.
  - rewrite M.gso in F by assumption. destruct (Pos.eq_dec n 2) as [->|N2].
    + rewrite M.gss in F. inversion F. apply always_good.
    + rewrite M.gso, M.gempty in F by assumption. discriminate.
Qed.

(** ** A belief against a vector *)

Fixpoint weighted (v : vector) (w : belief) (s : Z) : option Z :=
  match w with
  | [] => Some s
  | (i, x) :: r => match value_at v i with
      | Some z => weighted v r (s + Z.shiftr (x * z) unit_bits)
      | None => None
      end
  end.

Definition against (vh : vector * Z) (w : belief) : option Z :=
  match (if Z.leb 0 (snd vh) then weighted (fst vh) w 0 else None) with
  | Some s => Some (s - (Z.shiftr (snd (both_sides w)) unit_bits + 1) * snd vh)%Z
  | None => None
  end.

Lemma shiftr_div x : Z.shiftr x unit_bits = (x / vector_unit)%Z.
Proof. unfold unit_bits. rewrite Z.shiftr_div_pow2 by lia. reflexivity. Qed.

(** |w-|, the part that a height is paid for. *)
Fixpoint minus_of (w : belief) : Q :=
  match w with [] => 0 | (_, v) :: r => (if Z.ltb 0 v then 0 else - inject_Z v) + minus_of r end.
Lemma minus_of_sides w : forall pos neg, inject_Z neg + minus_of w == inject_Z (snd (sides_of w pos neg)).
Proof.
  induction w as [|[i v] w IH]; intros pos neg; simpl; [ring|]. destruct (Z.ltb 0 v); rewrite <- IH; [ring|].
  unfold Z.sub. rewrite inject_Z_plus, inject_Z_opp. ring.
Qed.

Lemma weighted_spec v h E : (0 <= h)%Z -> describes v h E -> forall w s0 s1, weighted v w s0 = Some s1 ->
  (inject_Z (s1 - s0)) * inject_Z vector_unit <= dotZ w (prob E) * inject_Z vector_unit + inject_Z h * minus_of w.
Proof.
  intros Hh G. pose proof unit_pos as U0. apply inject_le in Hh. change (inject_Z 0) with 0 in Hh.
  induction w as [|[i x] w IH]; intros s0 s1 H; simpl in H.
  - inversion H; subst. rewrite Z.sub_diag. simpl. change (inject_Z 0) with 0. lra.
  - destruct (value_at v i) as [z|] eqn:V; [|discriminate]. specialize (IH _ _ H). destruct (G i z V) as (Z0 & Z1 & Z2).
    assert (E1 : inject_Z (s1 - s0) == inject_Z (s1 - (s0 + Z.shiftr (x * z) unit_bits)) + inject_Z (x * z / vector_unit)).
    { rewrite shiftr_div, <- inject_add. apply inject_eq. lia. }
    rewrite E1. pose proof (div_le (x * z) vector_unit eq_refl) as D. rewrite inject_Z_mult in D.
    cbn [dot minus_of]. set (U := inject_Z vector_unit) in *. set (p := prob E i) in *. apply inject_le in Z0. change (inject_Z 0) with 0 in Z0.
    assert (T : inject_Z x * inject_Z z <= inject_Z x * (p * U) + inject_Z h * (if Z.ltb 0 x then 0 else - inject_Z x)).
    { destruct (Z.ltb_spec 0 x) as [X|X]; [apply inject_pos in X; nra | apply inject_le in X; change (inject_Z 0) with 0 in X; nra]. }
    setoid_replace ((inject_Z x * p + dotZ w (prob E)) * U) with (inject_Z x * (p * U) + dotZ w (prob E) * U) by ring.
    nra.
Qed.

Lemma against_spec vh w b : good vh -> against vh w = Some b -> exists E, inject_Z b <= dotZ w (prob E).
Proof.
  intros [E G] H. unfold against in H. destruct (Z.leb_spec 0 (snd vh)) as [Hh|]; [|discriminate].
  destruct (weighted (fst vh) w 0) as [s|] eqn:W; [|discriminate].
  rewrite shiftr_div in H. remember (snd (both_sides w) / vector_unit)%Z as quot eqn:Equot. injection H as <-.
  exists E. pose proof (weighted_spec _ _ E Hh G w 0 s W) as A. rewrite Z.sub_0_r in A.
  pose proof (minus_of_sides w 0 0) as B. fold (both_sides w) in B. change (inject_Z 0) with 0 in B.
  set (neg := snd (both_sides w)) in *. pose proof (div_gt neg vector_unit eq_refl) as D. rewrite <- Equot in D.
  pose proof unit_pos as U0. apply inject_le in Hh. change (inject_Z 0) with 0 in Hh.
  unfold Z.sub. rewrite inject_add, inject_Z_opp, inject_Z_mult, inject_add. change (inject_Z 1) with 1.
  apply Qmult_le_r with (z := inject_Z vector_unit); [assumption|].
  set (U := inject_Z vector_unit) in *. set (h := inject_Z (snd vh)) in *. set (q := inject_Z quot) in *.
  assert (minus_of w <= (q + 1) * U) by lra. assert (h * minus_of w <= h * ((q + 1) * U)) by nra. nra.
Qed.

(** ** The walk *)

Variable vectors : M.t (vector * Z).
Hypothesis vectors_fine : forall n v, M.find n vectors = Some v -> good v.
Variable single : bool.
Hypothesis single_choice : single = true -> forall w : belief, choices m w = 1%nat.

Definition bounded (w : belief) (b a : Z) : Prop :=
  (exists E, inject_Z b <= dotZ w (prob E)) /\ forall E, - dotZ w (prob E) <= inject_Z a.

(** The inputs of a belief. Those under which each of its states stays where it is are left out, if there are others: to ask
    for one is to wait, and the event that follows is bounded like any other. *)
Definition stays (w : belief) (k : nat) : bool :=
  forallb (fun e : state * Z => forallb (fun s : state * (Z * Z) => Pos.eqb (fst s) (fst e)) (shares (irow_at rows k (fst e)))) w.
Definition uniform (w : belief) : bool :=
  match w with [] => true | (i, _) :: r => forallb (fun e : state * Z => Pos.eqb (lab (fst e)) (lab i)) r end.
Definition asked (w : belief) : list nat :=
  if single then [0%nat] else
  let all := seq 0 (choices m w) in
  if uniform w then match filter (fun k => negb (stays w k)) all with [] => [0%nat] | moving => moving end else all.

Lemma stays_prob w k c f : stays w k = true -> uniform w = true ->
  match w with [] => True | (i, _) :: _ => f = prob (c (lab i)) end -> dotZ w (prob (Look k c)) == dotZ w f.
Proof.
  intros S U F. apply dot_ext. intros i v I. simpl. unfold stays in S. rewrite forallb_forall in S. specialize (S _ I).
  cbn [fst] in S. rewrite rows_eq, (irow_at_eq m places_ok) in S. destruct (stoch k i) as [_ S1].
  assert (Fi : f i = prob (c (lab i)) i).
  { destruct w as [|[i0 v0] r]; [destruct I|]. rewrite F. destruct I as [E|I]; [inversion E; reflexivity|].
    simpl in U. rewrite forallb_forall in U. specialize (U _ I). apply Pos.eqb_eq in U. simpl in U. rewrite U. reflexivity. }
  rewrite (dot_ext same (move m k i) _ (fun _ => f i)); [rewrite dot_const, S1; ring|].
  intros j p J. rewrite Fi. assert (j = i); [|subst; reflexivity].
  pose proof (integer_row_fits (move m k i)) as Fit. rewrite forallb_forall in S. clear - S J Fit.
  revert S J Fit. generalize (shares (integer_row (move m k i))) (bottom (integer_row (move m k i))) (move m k i).
  intros ss d r0 S J Fit. revert S J. induction Fit as [|e s r1 ss1 H Hs IH]; intros S J; [destruct J|]. destruct J as [E|J].
  - destruct H as (E' & _). specialize (S s (or_introl eq_refl)). apply Pos.eqb_eq in S. subst e. simpl in E'. congruence.
  - apply IH; [intros x Ix; apply S; right; assumption | assumption].
Qed.

Lemma asked_enough w a : (forall k c, In k (asked w) -> - dotZ w (prob (Look k c)) <= inject_Z a) ->
  forall E, - dotZ w (prob E) <= inject_Z a.
Proof.
  unfold asked. intros H. destruct single eqn:Sg.
  { intros E. destruct (as_look m stoch w E) as (k & c & L & Eq). rewrite (single_choice eq_refl w) in L. rewrite Eq. apply H. left. lia. }
  assert (All : (forall k c, In k (seq 0 (choices m w)) -> - dotZ w (prob (Look k c)) <= inject_Z a) ->
    forall E, - dotZ w (prob E) <= inject_Z a).
  { intros G E. destruct (as_look m stoch w E) as (k & c & L & Eq). rewrite Eq. apply G. apply in_seq. lia. }
  destruct (uniform w) eqn:U; [|apply All; exact H].
  set (l := filter (fun k => negb (stays w k)) (seq 0 (choices m w))) in *.
  assert (Some_k : exists k, In k (match l with [] => [0%nat] | _ => l end)).
  { destruct l as [|k r]; [exists 0%nat | exists k]; left; reflexivity. }
  destruct Some_k as [k0 K0].
  assert (H' : forall k c, In k (match l with [] => [0%nat] | _ => l end) -> - dotZ w (prob (Look k c)) <= inject_Z a) by (destruct l; exact H).
  induction E as [b|k c IH].
  - rewrite (dot_ext_all inject_Z w _ (prob (Look k0 (fun _ => Verdict b)))); [apply H'; exact K0|].
    intros i. simpl. rewrite dot_const. destruct (stoch k0 i) as [_ S1]. rewrite S1. ring.
  - destruct (look_clamped m w k c) as (k' & L & Eq). rewrite Eq.
    destruct (stays w k') eqn:S.
    + destruct w as [|[i0 v0] r] eqn:Ew; [simpl; specialize (H' k0 c K0); simpl in H'; exact H'|]. rewrite <- Ew in *.
      rewrite (stays_prob w k' c (prob (c (lab i0)))); auto. rewrite Ew. reflexivity.
    + assert (I : In k' l) by (unfold l; apply filter_In; split; [apply in_seq; lia | rewrite S; reflexivity]).
      apply H'. destruct l; [destruct I | exact I].
Qed.

Definition walk := belief -> list Z -> option (Z * Z * list Z).

Fixpoint over_parts (go : walk) (ps : list (@part Z)) (toks : list Z) (b a : Z) : option (Z * Z * list Z) :=
  match ps with
  | [] => Some (b, a, toks)
  | p :: r =>
      match nonzero (snd p) with
      | [] => over_parts go r toks b a
      | w => match go w toks with
          | Some (b', a', toks') => over_parts go r toks' (b + b') (a + a')
          | None => None
          end
      end
  end.

Fixpoint over_inputs (go : walk) (w : belief) (ks : list nat) (toks : list Z) (best : option (Z * Z)) : option (Z * Z * list Z) :=
  match ks with
  | [] => match best with Some (b, a) => Some (b, a, toks) | None => None end
  | k :: r =>
      match iparts m rows k w with
      | None => None
      | Some ps =>
          match over_parts go ps toks 0 0 with
          | None => None
          | Some (b, a, toks') => over_inputs go w r toks'
              (Some match best with None => (b, a) | Some (b0, a0) => (Z.max b0 b, Z.max a0 a) end)
          end
      end
  end.

Fixpoint eval (fuel : list Z) (w : belief) (toks : list Z) : option (Z * Z * list Z) :=
  match fuel, toks with
  | _ :: fuel', t :: rest =>
      if Z.eqb t expand then over_inputs (eval fuel') w (asked w) rest None
      else
        let s := both_sides w in let g := gain_of s in
        if Z.eqb t leaf then Some (g, snd s, rest)
        else match M.find (Z.to_pos (t + 1)) vectors with
          | Some v => match against v w with Some b => Some (Z.max g b, snd s, rest) | None => None end
          | None => None
          end
  | _, _ => None
  end.

Definition tree_bounds (root : belief) (toks : list Z) : option (Z * Z) :=
  match eval toks root toks with Some (b, a, []) => Some (b, a) | _ => None end.

Lemma over_parts_spec go : (forall w toks b a rest, go w toks = Some (b, a, rest) -> bounded w b a) ->
  forall ps toks b0 a0 b a rest, over_parts go ps toks b0 a0 = Some (b, a, rest) ->
  attained (gains m (map snd ps)) (inject_Z (b - b0)) /\ forall c, - sum_over m c ps <= inject_Z (a - a0).
Proof.
  intros G. induction ps as [|p ps IH]; intros toks b0 a0 b a rest H; simpl in H.
  - inversion H; subst. rewrite !Z.sub_diag. change (inject_Z 0) with 0. split; [apply attained_nil; lra|].
    intros c. unfold sum_over. simpl. lra.
  - destruct (nonzero (snd p)) as [|e w] eqn:Nz.
    + destruct (IH _ _ _ _ _ _ H) as [I1 I2]. assert (Z0 : forall f, dotZ (snd p) f == 0).
      { intros f. rewrite <- nonzero_dot, Nz. reflexivity. }
      split.
      * simpl. eapply attained_cons with (E := Verdict false); [apply Qle_refl | exact I1 |]. rewrite Z0. lra.
      * intros c. specialize (I2 c). unfold sum_over in *. simpl. rewrite Z0. lra.
    + destruct (go (e :: w) toks) as [[[b' a'] toks']|] eqn:Go; [|discriminate]. apply G in Go.
      rewrite <- Nz in Go. destruct (IH _ _ _ _ _ _ H) as [I1 I2]. destruct Go as [[E HE] A]. rewrite nonzero_dot in HE.
      assert (Eb : inject_Z (b - b0) == inject_Z b' + inject_Z (b - (b0 + b'))) by (rewrite <- inject_add; apply inject_eq; lia).
      assert (Ea : inject_Z (a - a0) == inject_Z a' + inject_Z (a - (a0 + a'))) by (rewrite <- inject_add; apply inject_eq; lia).
      split.
      * simpl. eapply attained_cons; [exact HE | exact I1 | lra].
      * intros c. specialize (I2 c). specialize (A (c (fst p))). rewrite nonzero_dot in A. unfold sum_over in *. simpl. lra.
Qed.

Lemma over_inputs_spec go w : (forall w toks b a rest, go w toks = Some (b, a, rest) -> bounded w b a) ->
  forall ks toks best b a rest, over_inputs go w ks toks best = Some (b, a, rest) ->
  ((exists E, inject_Z b <= dotZ w (prob E)) \/ exists a0, best = Some (b, a0))
  /\ (match best with Some (_, a0) => (a0 <= a)%Z | None => True end)
  /\ forall k c, In k ks -> - dotZ w (prob (Look k c)) <= inject_Z a.
Proof.
  intros G. induction ks as [|k ks IH]; intros toks best b a rest H; simpl in H.
  - destruct best as [[b0 a0]|]; [|discriminate]. inversion H; subst. repeat split; [right; eauto | lia | intros ? ? []].
  - destruct (iparts m rows k w) as [ps|] eqn:P; [|discriminate].
    destruct (over_parts go ps toks 0 0) as [[[b' a'] toks']|] eqn:O; [|discriminate].
    apply (over_parts_spec go G) in O. destruct O as [O1 O2]. rewrite !Z.sub_0_r in *.
    destruct (IH _ _ _ _ _ H) as (I1 & I2 & I3). rewrite rows_eq in P.
    destruct (step_gains m stoch places_ok k w ps _ P O1) as [E HE].
    assert (Here : forall c, - dotZ w (prob (Look k c)) <= inject_Z a').
    { intros c. specialize (O2 c). pose proof (iparts_look m stoch places_ok k w ps c P). lra. }
    destruct best as [[b0 a0]|].
    + repeat split; [|lia|].
      * destruct I1 as [I1|[x I1]]; [left; assumption|]. inversion I1.
        destruct (Z.max_spec b0 b') as [[_ M]|[_ M]]; rewrite M in *; [left; exists E; assumption | right; eauto].
      * intros k' c [<-|Ik]; [|apply I3; assumption]. eapply Qle_trans; [apply Here|]. apply inject_le. lia.
    + repeat split; [|].
      * destruct I1 as [I1|[x I1]]; [left; assumption|]. inversion I1; subst. left. exists E. assumption.
      * intros k' c [<-|Ik]; [|apply I3; assumption]. eapply Qle_trans; [apply Here|]. apply inject_le. lia.
Qed.

Lemma eval_spec fuel : forall w toks b a rest, eval fuel w toks = Some (b, a, rest) -> bounded w b a.
Proof.
  induction fuel as [|f fuel IH]; intros w toks b a rest H; [discriminate|]. destruct toks as [|t toks]; [discriminate|].
  cbn [eval] in H. destruct (Z.eqb t expand).
  - apply (over_inputs_spec _ _ IH) in H. destruct H as (H1 & _ & H3). split.
    + destruct H1 as [H1|[x H1]]; [assumption | discriminate].
    + apply asked_enough. intros k c I. apply H3. assumption.
  - destruct (gain_attained m w) as [E HE]. pose proof (loss_bounded m stoch w) as A. destruct (Z.eqb t leaf).
    + inversion H; subst. split; [exists E; assumption | assumption].
    + destruct (M.find (Z.to_pos (t + 1)) vectors) as [v|] eqn:F; [|discriminate].
      destruct (against v w) as [b'|] eqn:Ag; [|discriminate]. inversion H; subst. split; [|assumption].
      destruct (against_spec v w b' (vectors_fine _ _ F) Ag) as [E' HE'].
      destruct (Z.max_spec (gain_of (both_sides w)) b') as [[_ ->]|[_ ->]]; [exists E' | exists E]; assumption.
Qed.

Theorem tree_sound root toks b a : tree_bounds root toks = Some (b, a) -> bounded root b a.
Proof.
  unfold tree_bounds. destruct (eval toks root toks) as [[[b' a'] [|? ?]]|] eqn:E; try discriminate.
  intros H; inversion H; subst. eapply eval_spec; eauto.
Qed.
End Tree.
