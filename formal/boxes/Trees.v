(** Recipes of kind "tree" and event vectors, for every chain whose rows are within limits.

    As [Deltachain.Tree], from which the walk over parts is taken: an expanded belief is bounded under every input, at a
    leaf by its masses, or by an event vector. What is lost to states elsewhere is paid at each step; so a step can be worse
    than the belief's own masses, and the better of the two counts where there are boxes. *)

Require Import Reals Lra Lia Psatz Bool List PArith ZArith.
Require Import Deltachain.functions.Products Deltachain.functions.Exp Deltachain.boxes.Chains Deltachain.boxes.Boxes.
Require Deltachain.Tree.
Import Deltachain.Tree(expand, leaf, unit_bits, vector_unit, vector, Always, Listed, vector_entry, v_label, v_after, v_input,
  value_at, assoc, resolve, resolve_in, weighted, against, shiftr_div, walk, over_parts).
Import ListNotations.
Open Scope R_scope.

Section Tree.
Variable rows : nat -> state -> irow.
Variable lb : state -> label.
Variable count : state -> nat.          (** how many inputs a state has *)
Variable groups : M.t (list state).     (** the states of each label *)

(** ** What is computed *)

(** Sum of low * value, and of high - low, over the arcs of a row. *)
Fixpoint weigh (after : list (label * (vector * Z))) (l : list (state * (Z * Z))) (s d : Z) : option (Z * Z) :=
  match l with
  | [] => Some (s, d)
  | (j, (low, high)) :: r =>
      match assoc (lb j) after with
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
  | i :: r => let b := rows k i in
      match weigh after (shares b) 0 0 with
      | Some (s, d) => let z := (s / bottom b)%Z in
          if Z.leb 0 z then valued after k r ((i, z) :: acc) (Z.max worst (div_up ((d + rest b) * vector_unit) (bottom b))) else None
      | None => None
      end
  end.

Definition make_vector (known : M.t (vector * Z)) (e : vector_entry) : option (vector * Z) :=
  match resolve known (v_after e), M.find (v_label e) groups with
  | Some after, Some states =>
      let height := fold_left (fun h x => Z.max h (snd (snd x))) after 0%Z in
      match valued after (v_input e) states [] 0 with
      | Some (l, worst) => Some (Listed (of_list l), Z.min (height + 1 + worst) vector_unit)
      | None => None
      end
  | _, _ => None
  end.

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

(** Inputs under which each state of the belief stays where it is are left out, if there are others. *)
Definition stays (w : belief) (k : nat) : bool :=
  forallb (fun e : state * Z => let b := rows k (fst e) in
    Z.leb (rest b) 0 && forallb (fun s : state * (Z * Z) => Pos.eqb (fst s) (fst e)) (shares b)) w.
Definition alike (w : belief) : bool :=
  match w with [] => true | (i, _) :: r => forallb (fun e : state * Z => Pos.eqb (lb (fst e)) (lb i)) r end.
Definition choices (w : belief) : nat := fold_right (fun e n => Nat.max (count (fst e)) n) 1%nat w.
Definition asked (w : belief) : list nat :=
  let all := seq 0 (choices w) in
  match all with
  | [_] => all
  | _ => if alike w then match filter (fun k => negb (stays w k)) all with [] => [0%nat] | moving => moving end else all
  end.

Fixpoint over_inputs (go : walk) (w : belief) (ks : list nat) (toks : list Z) (best : option (Z * Z)) : option (Z * Z * list Z) :=
  match ks with
  | [] => match best with Some (b, a) => Some (b, a, toks) | None => None end
  | k :: r =>
      match iparts rows lb k w with
      | None => None
      | Some ps =>
          let l := lost rows k w in
          match over_parts go ps toks (- l) l with
          | None => None
          | Some (b, a, toks') => over_inputs go w r toks'
              (Some match best with None => (b, a) | Some (b0, a0) => (Z.max b0 b, Z.max a0 a) end)
          end
      end
  end.

Variable vectors : M.t (vector * Z).
Variable boxed : bool.

Fixpoint eval (fuel : list Z) (w : belief) (toks : list Z) : option (Z * Z * list Z) :=
  match fuel, toks with
  | _ :: fuel', t :: rest =>
      let s := both_sides w in let g := gain_of s in
      if Z.eqb t expand then
        match over_inputs (eval fuel') w (asked w) rest None with
        | Some (b, a, toks') => Some (if boxed then (Z.max b g, Z.min a (snd s), toks') else (b, a, toks'))
        | None => None
        end
      else if Z.eqb t leaf then Some (g, snd s, rest)
      else match M.find (Z.to_pos (t + 1)) vectors with
        | Some v => match against v w with Some b => Some (Z.max g b, snd s, rest) | None => None end
        | None => None
        end
  | _, _ => None
  end.

Definition tree_bounds (root : belief) (toks : list Z) : option (Z * Z) :=
  match eval toks root toks with Some (b, a, []) => Some (b, a) | _ => None end.

(** ** Why it is right *)

Variable P : chain.
Hypothesis P_proper : proper P.
Variable known : state -> Prop.
Hypothesis P_within : forall h k i, known i -> within (move_of P h k i) (rows k i).
Hypothesis rows_sensible : forall k i, known i -> sensible (rows k i).
Hypothesis lb_ok : forall i, known i -> lab_of P i = lb i.
Hypothesis targets_known : forall k i s, known i -> In s (shares (rows k i)) -> known (fst s).
Hypothesis last_input : forall k i n, known i -> (count i <= n)%nat -> rows k i = rows (Nat.min k (pred n)) i.
Hypothesis groups_known : forall a l i, M.find a groups = Some l -> In i l -> known i.
Notation all_known := (all_known known).
Notation bounded := (fun w b a => bounded P w (IZR b) (IZR a)).

(** *** Event vectors: z <= 2^30 times the probability of one event <= z + height, after every word *)

Definition describes (v : vector) (h : Z) (E : event) : Prop := forall i z, value_at v i = Some z -> known i -> forall past,
  (0 <= z)%Z /\ IZR z <= cprob P past E i * IZR vector_unit /\ cprob P past E i * IZR vector_unit <= IZR z + IZR h.
Definition good (vh : vector * Z) : Prop := exists E, describes (fst vh) (snd vh) E.

Lemma unit_pos : 0 < IZR vector_unit. Proof. apply IZR_lt. reflexivity. Qed.

Lemma always_good b : good (Always b, 0%Z).
Proof.
  exists (Verdict b). intros i z H _ past. simpl in H. inversion H; subst. destruct b; cbn [cprob snd];
    (split; [unfold vector_unit; lia|]); split; lra.
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

Definition next (past : list label) (c : label -> event) (j : state) : R := cprob P (lab_of P j :: past) (c (lab_of P j)) j.

(** Low * value is at most, and with high - low and the heights at least, what the row weighs. *)
Lemma weigh_spec after c H : (0 <= H)%Z ->
  (forall a v h, assoc a after = Some (v, h) -> describes v h (c a) /\ (h <= H)%Z) ->
  (forall a, assoc a after = None -> c a = Verdict false) ->
  forall past l s0 d0 s1 d1, Forall (fun x => (0 <= fst (snd x))%Z /\ (fst (snd x) <= snd (snd x))%Z) l ->
  (forall x, In x l -> known (fst x)) -> weigh after l s0 d0 = Some (s1, d1) ->
  let lo := dot (fun s : Z * Z => IZR (fst s)) l in let hi := dot (fun s : Z * Z => IZR (snd s)) l in
  IZR (s1 - s0) <= lo (next past c) * IZR vector_unit
  /\ hi (next past c) * IZR vector_unit <= IZR (s1 - s0) + IZR (d1 - d0) * IZR vector_unit + IZR H * lo (fun _ => 1).
Proof.
  intros HH C1 C2 past. pose proof unit_pos as U0. apply IZR_le in HH. set (U := IZR vector_unit) in *.
  induction l as [|[j [low high]] l IH]; intros s0 d0 s1 d1 N K W; simpl in W.
  - inversion W; subst. rewrite !Z.sub_diag. simpl. lra.
  - inversion N as [|? ? [N0 N1] Nl]; subst. simpl in N0, N1. pose proof (K _ (or_introl eq_refl)) as Kj. simpl in Kj.
    assert (Kl : forall x, In x l -> known (fst x)) by (intros; apply K; right; assumption).
    pose proof (cprob_range P P_proper (c (lab_of P j)) (lab_of P j :: past) j) as [R0 R1]. fold (next past c j) in R0, R1.
    apply IZR_le in N0, N1. set (pj := next past c j) in *.
    assert (Rest : exists t, weigh after l (s0 + t) (d0 + (high - low)) = Some (s1, d1) /\
      IZR t <= IZR low * pj * U /\ IZR high * pj * U <= IZR t + (IZR high - IZR low) * U + IZR H * IZR low).
    { destruct (assoc (lb j) after) as [[v h]|] eqn:A.
      - destruct (value_at v j) as [z|] eqn:V; [|discriminate]. exists (low * z)%Z. split; [assumption|].
        destruct (C1 _ _ _ A) as [G Hh]. destruct (G j z V Kj (lab_of P j :: past)) as (Z0 & Z1 & Z2).
        rewrite <- (lb_ok j Kj) in Z1, Z2. fold (next past c j) in Z1, Z2. fold pj in Z1, Z2. fold U in Z1, Z2.
        apply IZR_le in Z0, Hh. rewrite mult_IZR. split; [nra|].
        assert (IZR low * (pj * U) <= IZR low * (IZR z + IZR H)) by nra.
        assert (pj * U <= U) by nra. assert ((IZR high - IZR low) * (pj * U) <= (IZR high - IZR low) * U) by (apply Rmult_le_compat_l; lra). lra.
      - exists 0%Z. rewrite Z.add_0_r. split; [assumption|].
        assert (pj = 0) as -> by (unfold pj, next; rewrite (lb_ok j Kj), (C2 _ A); reflexivity).
        assert (0 <= (IZR high - IZR low) * U) by nra. assert (0 <= IZR H * IZR low) by nra. split; lra. }
    destruct Rest as (t & W' & T1 & T2). destruct (IH _ _ _ _ Nl Kl W') as [B1 B2]. cbv zeta in B1, B2 |- *. cbn [dot fst snd].
    fold pj. replace (s1 - s0)%Z with ((s1 - (s0 + t)) + t)%Z by lia.
    replace (d1 - d0)%Z with ((d1 - (d0 + (high - low))) + (high - low))%Z by lia. rewrite !plus_IZR, !minus_IZR in *.
    rewrite ?plus_IZR, ?minus_IZR in *. split; lra.
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
  forall l acc worst out W, (forall i, In i l -> known i) -> valued after k l acc worst = Some (out, W) ->
  (worst <= W)%Z /\ forall i z, In (i, z) out -> In (i, z) acc \/ forall past,
    ((0 <= z)%Z /\ IZR z <= cprob P past (Look k c) i * IZR vector_unit
     /\ cprob P past (Look k c) i * IZR vector_unit <= IZR z + IZR (H + 1 + W)).
Proof.
  intros HH C1 C2. induction l as [|i l IH]; intros acc worst out W Kl V; simpl in V.
  - inversion V; subst. split; [lia | auto].
  - destruct (weigh after (shares (rows k i)) 0 0) as [[s d]|] eqn:Wg; [|discriminate].
    destruct (Z.leb_spec 0 (s / bottom (rows k i))) as [Z0|]; [|discriminate].
    assert (Ki : known i) by (apply Kl; left; reflexivity).
    destruct (IH _ _ _ _ (fun j J => Kl j (or_intror J)) V) as [L I]. split; [lia|]. intros j z Ij. destruct (I j z Ij) as [[E|Ia]|G]; [|auto|auto].
    inversion E; subst j z. right. intros past. split; [assumption|].
    destruct (P_within past k i Ki) as [B Wi]. destruct (rows_sensible k i Ki) as [R0 N]. set (b := rows k i) in *.
    destruct (weigh_spec after c H HH C1 C2 past _ _ _ _ _ N (fun x X => targets_known k i x Ki X) Wg) as [A1 A2].
    rewrite Z.sub_0_r in A1. rewrite !Z.sub_0_r in A2.
    assert (F : chances (next past c)) by (intros j; apply cprob_range; assumption).
    destruct (Wi _ F) as [W1 W2]. destruct (Wi (fun _ => 1) ltac:(intros j; lra)) as [W3 _].
    destruct (P_proper past k i) as [_ S1]. rewrite S1 in W3. unfold lows, highs in *.
    change (cprob P past (Look k c) i) with (dotR (move_of P past k i) (next past c)). set (p := dotR _ (next past c)) in *.
    pose proof unit_pos as U0. set (U := IZR vector_unit) in *. pose proof (IZR_lt _ _ B) as B'. apply (IZR_le 0) in HH.
    pose proof (div_le s (bottom b) B) as D1. pose proof (div_up_ge ((d + rest b) * vector_unit) (bottom b) B) as D3.
    rewrite mult_IZR, plus_IZR in D3. fold U in D3.
    assert (D2 : IZR s <= IZR (s / bottom b) * IZR (bottom b) + IZR (bottom b)).
    { rewrite <- mult_IZR, <- plus_IZR. apply IZR_le. pose proof (Z.mod_pos_bound s _ B). pose proof (Z.div_mod s (bottom b)). lia. }
    split; apply (Rmult_le_reg_r (IZR (bottom b))); try assumption; [nra|].
    assert (Wo : IZR (div_up ((d + rest b) * vector_unit) (bottom b)) <= IZR W) by (apply IZR_le; lia).
    rewrite !plus_IZR. assert (p * IZR (bottom b) * U <= (dot (fun s0 : Z * Z => IZR (snd s0)) (shares b) (next past c) + IZR (rest b)) * U) by nra.
    assert (IZR H * dot (fun s0 : Z * Z => IZR (fst s0)) (shares b) (fun _ => 1) <= IZR H * IZR (bottom b)) by nra.
    assert (IZR (div_up ((d + rest b) * vector_unit) (bottom b)) * IZR (bottom b) <= IZR W * IZR (bottom b)) by nra. nra.
Qed.

Lemma make_vector_good table e v : (forall n w, M.find n table = Some w -> good w) -> make_vector table e = Some v -> good v.
Proof.
  intros K H. unfold make_vector in H. destruct (resolve table (v_after e)) as [after|] eqn:R; [|discriminate].
  destruct (M.find (v_label e) groups) as [l|] eqn:Gr; [|discriminate].
  destruct (valued after (v_input e) l [] 0) as [[out W]|] eqn:V; [|discriminate]. inversion H; subst.
  destruct (choose_events after) as (c & C1 & C2).
  { intros b w I. destruct (resolve_in _ _ _ R b w I) as [n F]. eapply K; eauto. }
  set (Hm := fold_left (fun h x => Z.max h (snd (snd x))) after 0%Z) in *.
  pose proof (height_max after 0) as [H0 H1]. fold Hm in H0, H1.
  pose proof (valued_spec after (v_input e) c Hm H0 (fun a v h A => conj (C1 a v h A) (H1 a v h A)) C2 l [] 0%Z out W (fun i => groups_known _ _ _ Gr) V) as [_ G].
  exists (Look (v_input e) c). intros i z F Ki past. cbn [fst snd value_at] in *. apply of_list_in in F. destruct (G i z F) as [[]|G'].
  destruct (G' past) as (Z0 & Z1 & Z2). split; [assumption|]. split; [assumption|].
  pose proof (cprob_range P P_proper (Look (v_input e) c) past i) as [_ R1]. pose proof unit_pos.
  destruct (Z.min_spec (Hm + 1 + W) vector_unit) as [[_ ->]|[_ ->]]; [assumption|]. apply IZR_le in Z0. nra.
Qed.

Lemma vectors_good l t : vectors_of l = Some t -> forall n v, M.find n t = Some v -> good v.
Proof.
  unfold vectors_of.
  assert (G : forall l next table t, (forall n v, M.find n table = Some v -> good v) -> make_vectors l next table = Some t ->
    forall n v, M.find n t = Some v -> good v).
  { clear l t. induction l as [|e l IH]; intros nx table t K H; simpl in H; [inversion H; subst; exact K|].
    destruct (make_vector table e) as [v|] eqn:E; [|discriminate]. apply (IH _ _ _) with (2 := H).
    intros n w F. destruct (Pos.eq_dec n nx) as [->|N]; [rewrite M.gss in F; inversion F; subst; eapply make_vector_good; eauto|].
    rewrite M.gso in F by assumption. eauto. }
  intros H. apply (G _ _ _ _) with (2 := H). intros n v F. destruct (Pos.eq_dec n 1) as [->|N1].
  - rewrite M.gss in F. inversion F. apply always_good.
  - rewrite M.gso in F by assumption. destruct (Pos.eq_dec n 2) as [->|N2].
    + rewrite M.gss in F. inversion F. apply always_good.
    + rewrite M.gso, M.gempty in F by assumption. discriminate.
Qed.

(** *** A belief against a vector *)

(** |w-|, the part that a height is paid for. *)
Fixpoint minus_of (w : belief) : R :=
  match w with [] => 0 | (_, v) :: r => (if Z.ltb 0 v then 0 else - IZR v) + minus_of r end.
Lemma minus_of_sides w : forall pos neg, IZR neg + minus_of w = IZR (snd (sides_of w pos neg)).
Proof.
  induction w as [|[i v] w IH]; intros pos neg; simpl; [ring|]. destruct (Z.ltb 0 v); rewrite <- IH; [ring|]. rewrite minus_IZR. ring.
Qed.

Lemma weighted_spec v h E past : (0 <= h)%Z -> describes v h E -> forall w s0 s1, all_known w -> weighted v w s0 = Some s1 ->
  IZR (s1 - s0) * IZR vector_unit <= dotZ w (cprob P past E) * IZR vector_unit + IZR h * minus_of w.
Proof.
  intros Hh G. pose proof unit_pos as U0. apply IZR_le in Hh.
  induction w as [|[i x] w IH]; intros s0 s1 K H; simpl in H.
  - inversion H; subst. rewrite Z.sub_diag. simpl. lra.
  - inversion K as [|? ? Ki Kw]; subst. simpl in Ki. destruct (value_at v i) as [z|] eqn:V; [|discriminate]. specialize (IH _ _ Kw H).
    destruct (G i z V Ki past) as (Z0 & Z1 & Z2).
    replace (s1 - s0)%Z with ((s1 - (s0 + Z.shiftr (x * z) unit_bits)) + (x * z / vector_unit))%Z by (rewrite shiftr_div; lia).
    pose proof (div_le (x * z) vector_unit eq_refl) as D. rewrite mult_IZR in D. rewrite plus_IZR.
    cbn [dot minus_of]. set (U := IZR vector_unit) in *. set (p := cprob P past E i) in *. apply IZR_le in Z0.
    assert (T : IZR x * IZR z <= IZR x * (p * U) + IZR h * (if Z.ltb 0 x then 0 else - IZR x)).
    { destruct (Z.ltb_spec 0 x) as [X|X]; [apply IZR_lt in X | apply IZR_le in X]; nra. }
    nra.
Qed.

Lemma against_spec vh w b past : good vh -> all_known w -> against vh w = Some b -> exists E, IZR b <= dotZ w (cprob P past E).
Proof.
  intros [E G] K H. unfold against in H. destruct (Z.leb_spec 0 (snd vh)) as [Hh|]; [|discriminate].
  destruct (weighted (fst vh) w 0) as [s|] eqn:W; [|discriminate].
  rewrite shiftr_div in H. remember (snd (both_sides w) / vector_unit)%Z as quot eqn:Equot. injection H as <-.
  exists E. pose proof (weighted_spec _ _ E past Hh G w 0 s K W) as A. rewrite Z.sub_0_r in A.
  pose proof (minus_of_sides w 0 0) as B. fold (both_sides w) in B.
  set (neg := snd (both_sides w)) in *. pose proof unit_pos as U0. apply IZR_le in Hh.
  assert (D : IZR neg <= IZR quot * IZR vector_unit + IZR vector_unit).
  { rewrite <- mult_IZR, <- plus_IZR. apply IZR_le. rewrite Equot. pose proof (Z.mod_pos_bound neg vector_unit eq_refl). pose proof (Z.div_mod neg vector_unit). unfold vector_unit in *. lia. }
  rewrite minus_IZR, mult_IZR, plus_IZR. apply (Rmult_le_reg_r (IZR vector_unit)); [assumption|].
  set (U := IZR vector_unit) in *. set (h := IZR (snd vh)) in *. set (q := IZR quot) in *.
  assert (h * minus_of w <= h * ((q + 1) * U)) by nra. nra.
Qed.

(** *** Inputs that need not be asked for *)

Lemma stays_row r b i f : within r b -> is_row r -> chances f -> (rest b <= 0)%Z -> (forall s, In s (shares b) -> fst s = i) -> dotR r f = f i.
Proof.
  intros [D W] [N S] F R T. set (off := fun j => if Pos.eqb j i then 0 else 1).
  assert (O : chances off) by (intros j; unfold off; destruct (Pos.eqb j i); lra).
  destruct (W off O) as [_ H]. assert (Z : highs b off = 0).
  { unfold highs. rewrite (dot_ext _ (shares b) _ (fun _ => 0)); [apply dot_zero|]. intros j v I. apply T in I. simpl in I. subst.
    unfold off. rewrite Pos.eqb_refl. reflexivity. }
  rewrite Z in H. apply IZR_le in R. apply IZR_lt in D. assert (M0 : dotR r off <= 0) by nra.
  assert (L : dotR r f <= dotR r (fun j => f i + off j)).
  { apply dot_mono; [assumption|]. intros j. unfold off. destruct (Pos.eqb_spec j i) as [->|_]; [lra|]. pose proof (F i). pose proof (F j). lra. }
  assert (G : dotR r (fun j => f i - off j) <= dotR r f).
  { apply dot_mono; [assumption|]. intros j. unfold off. destruct (Pos.eqb_spec j i) as [->|_]; [lra|]. pose proof (F i). pose proof (F j). lra. }
  rewrite dot_plus, dot_const, S in L. rewrite dot_minus, dot_const, S in G. lra.
Qed.

Lemma stays_look h w k c i0 v0 : all_known ((i0, v0) :: w) -> stays ((i0, v0) :: w) k = true -> alike ((i0, v0) :: w) = true ->
  dotZ ((i0, v0) :: w) (cprob P h (Look k c)) = dotZ ((i0, v0) :: w) (cprob P (lb i0 :: h) (c (lb i0))).
Proof.
  intros K S U. apply dot_ext. intros i v I. unfold stays in S. rewrite forallb_forall in S. specialize (S _ I). cbn [fst snd] in S.
  apply andb_prop in S. destruct S as [R T]. apply Z.leb_le in R. rewrite forallb_forall in T. unfold Chains.all_known in K.
  rewrite Forall_forall in K. pose proof (K _ I) as Ki. simpl in Ki.
  assert (Li : lb i = lb i0).
  { destruct I as [E|I]; [inversion E; reflexivity|]. cbn [alike] in U. rewrite forallb_forall in U. specialize (U _ I). apply Pos.eqb_eq in U. exact U. }
  change (cprob P h (Look k c) i) with (dotR (move_of P h k i) (next h c)).
  rewrite (stays_row _ (rows k i) i (next h c)); auto.
  - unfold next. rewrite (lb_ok i Ki), Li. reflexivity.
  - intros j. apply cprob_range. assumption.
  - intros s Is. apply Pos.eqb_eq, T, Is.
Qed.

Lemma step k w : all_known w -> forall h ps c, iparts rows lb k w = Some ps ->
  sum_over P h c ps - IZR (lost rows k w) <= dotZ w (cprob P h (Look k c)).
Proof. intros K h ps c S. apply (step_sound rows lb P P_proper known P_within lb_ok targets_known h k w ps c K S). Qed.

Lemma choices_ge w i v : In (i, v) w -> (count i <= choices w)%nat.
Proof. unfold choices. induction w as [|e w IH]; intros I; [destruct I|]. simpl. destruct I as [->|I]; [simpl; lia | specialize (IH I); lia]. Qed.

Lemma clamped w k : all_known w -> let k' := Nat.min k (pred (choices w)) in
  (k' < choices w)%nat /\ iparts rows lb k w = iparts rows lb k' w /\ lost rows k w = lost rows k' w.
Proof.
  intros K k'. assert (C : (1 <= choices w)%nat) by (unfold choices; clear; induction w; simpl; lia). split; [unfold k'; lia|].
  assert (E : forall i v, In (i, v) w -> rows k i = rows k' i).
  { intros i v I. apply last_input; [|apply (choices_ge w i v I)]. unfold Chains.all_known in K. rewrite Forall_forall in K. apply (K _ I). }
  clearbody k'. assert (Es : istep rows k w = istep rows k' w).
  { clear - E. induction w as [|[i v] w IH]; [reflexivity|]. unfold istep in *. cbn [flat_map fst snd].
    rewrite (E i v) by (left; reflexivity). rewrite IH; [reflexivity|]. intros j u J. apply (E j u). right. assumption. }
  split; [unfold iparts; rewrite Es; reflexivity|]. clear - E. unfold lost. induction w as [|[i v] w IH]; [reflexivity|].
  cbn [fold_right fst snd]. rewrite (E i v) by (left; reflexivity). rewrite IH; [reflexivity|]. intros j u J. apply (E j u). right. assumption.
Qed.

(** A bound above of the parts under every input that is asked for is one of the belief under all. *)
Lemma asked_enough w a : all_known w ->
  (forall k, In k (asked w) -> exists ps, iparts rows lb k w = Some ps
    /\ forall h c, - sum_over P h c ps + IZR (lost rows k w) <= a) ->
  forall E h, - dotZ w (cprob P h E) <= a.
Proof.
  intros K H.
  assert (Here : forall k h c, In k (asked w) -> - dotZ w (cprob P h (Look k c)) <= a).
  { intros k h c I. destruct (H k I) as (ps & S & L). specialize (L h c). pose proof (step k w K h ps c S). lra. }
  assert (Clamp : forall k h c, In (Nat.min k (pred (choices w))) (asked w) -> - dotZ w (cprob P h (Look k c)) <= a).
  { intros k h c I. destruct (H _ I) as (ps & S & L). destruct (clamped w k K) as (_ & E1 & E2). rewrite <- E1 in S. rewrite <- E2 in L.
    specialize (L h c). pose proof (step k w K h ps c S). lra. }
  assert (All : (forall k, (k < choices w)%nat -> In k (asked w)) -> forall E h, - dotZ w (cprob P h E) <= a).
  { intros In_all E h. destruct (clamped w 0 K) as (C & _ & _). destruct E as [b|k c].
    - rewrite (verdict_look P P_proper h w b 0). apply Clamp, In_all. assumption.
    - apply Clamp, In_all. apply (clamped w k K). }
  unfold asked in *. set (all := seq 0 (choices w)) in *.
  assert (Every : forall k, (k < choices w)%nat -> In k all) by (intros k L; apply in_seq; lia).
  destruct all as [|k0 [|k1 l]] eqn:Ea; [destruct (clamped w 0 K) as (C & _); destruct (Every _ C) | apply All; assumption |].
  rewrite <- Ea in *. destruct (alike w) eqn:U; [|apply All; assumption].
  set (moving := filter (fun k => negb (stays w k)) all) in *.
  assert (Some_k : exists k, In k (match moving with [] => [0%nat] | _ => moving end)).
  { destruct moving as [|k r]; [exists 0%nat | exists k]; left; reflexivity. }
  destruct Some_k as [kk KK].
  induction E as [b|k c IH]; intros h.
  - rewrite (verdict_look P P_proper h w b kk). apply Here. destruct moving; assumption.
  - destruct (clamped w k K) as (C & E1 & E2). set (k' := Nat.min k (pred (choices w))) in *.
    assert (St : stays w k' = true -> stays w k = true).
    { unfold stays. rewrite !forallb_forall. intros St [i v] I. specialize (St _ I). cbn [fst] in *.
      rewrite (last_input k i (choices w)); [exact St | unfold Chains.all_known in K; rewrite Forall_forall in K; apply (K _ I) | apply (choices_ge w i v I)]. }
    destruct (stays w k') eqn:S.
    + specialize (St eq_refl). clear - St U K IH Here KK P_proper P_within lb_ok. destruct w as [|[i0 v0] r].
      * specialize (Here kk h c). simpl in *. apply Here. destruct moving; assumption.
      * rewrite (stays_look h r k c i0 v0 K St U). apply IH.
    + apply Clamp. assert (I : In k' moving) by (unfold moving; apply filter_In; split; [apply Every; assumption | rewrite S; reflexivity]).
      fold k'. destruct moving; [destruct I | exact I].
Qed.

(** *** The walk *)

Definition bounding (go : walk) := forall w toks b a rest, all_known w -> go w toks = Some (b, a, rest) -> bounded w b a.

Lemma over_parts_spec go : bounding go -> forall ps toks b0 a0 b a rest, NoDup (map fst ps) -> (forall p, In p ps -> all_known (snd p)) ->
  over_parts go ps toks b0 a0 = Some (b, a, rest) ->
  forall h, (exists c, IZR (b - b0) <= sum_over P h c ps) /\ forall c, - sum_over P h c ps <= IZR (a - a0).
Proof.
  intros G. induction ps as [|p ps IH]; intros toks b0 a0 b a rest N K H h; simpl in H.
  - inversion H; subst. rewrite !Z.sub_diag. unfold sum_over. simpl. split; [exists (fun _ => Verdict false); lra | intros; lra].
  - inversion N as [|? ? Np Nps]; subst.
    assert (Join : forall E b' (c : label -> event), IZR b' <= dotZ (snd p) (cprob P (fst p :: h) E) -> forall v, v <= sum_over P h c ps ->
      exists c', IZR b' + v <= sum_over P h c' (p :: ps)).
    { intros E b' c HE v Hv. exists (fun x => if Pos.eqb x (fst p) then E else c x). unfold sum_over in *. cbn [sum_parts].
      rewrite Pos.eqb_refl. rewrite (sum_parts_ext _ (fun q => dotZ (snd q) (cprob P (fst q :: h) (c (fst q))))); [lra|].
      intros q Iq. destruct (Pos.eqb_spec (fst q) (fst p)) as [e|_]; [|reflexivity]. exfalso. apply Np. rewrite <- e. apply in_map. assumption. }
    destruct (nonzero (snd p)) as [|e w] eqn:Nz.
    + destruct (IH _ _ _ _ _ _ Nps (fun q Iq => K q (or_intror Iq)) H h) as [[c I1] I2].
      assert (Z0 : forall f, dotZ (snd p) f = 0) by (intros f; rewrite <- nonzero_dot, Nz; reflexivity). split.
      * destruct (Join (Verdict false) 0%Z c) with (v := IZR (b - b0)) as [c' Hc]; [rewrite Z0; lra | assumption | exists c'; lra].
      * intros c0. specialize (I2 c0). unfold sum_over in *. cbn [sum_parts]. rewrite Z0. lra.
    + destruct (go (e :: w) toks) as [[[b' a'] toks']|] eqn:Go; [|discriminate]. apply G in Go; [|rewrite <- Nz; apply nonzero_known, K; left; reflexivity].
      rewrite <- Nz in Go. destruct (Go (fst p :: h)) as [[E HE] A]. rewrite nonzero_dot in HE.
      destruct (IH _ _ _ _ _ _ Nps (fun q Iq => K q (or_intror Iq)) H h) as [[c I1] I2]. split.
      * destruct (Join E b' c HE _ I1) as [c' Hc]. exists c'. rewrite <- plus_IZR in Hc. replace (b - b0)%Z with (b' + (b - (b0 + b')))%Z by lia. assumption.
      * intros c0. specialize (I2 c0). specialize (A (c0 (fst p))). rewrite nonzero_dot in A. unfold sum_over in *. cbn [sum_parts].
        replace (a - a0)%Z with (a' + (a - (a0 + a')))%Z by lia. rewrite plus_IZR. lra.
Qed.

Lemma over_inputs_spec go w : bounding go -> all_known w ->
  forall ks toks best b a rest, over_inputs go w ks toks best = Some (b, a, rest) ->
  ((forall h, exists E, IZR b <= dotZ w (cprob P h E)) \/ exists a0, best = Some (b, a0))
  /\ (match best with Some (_, a0) => (a0 <= a)%Z | None => True end)
  /\ forall k, In k ks -> exists ps, iparts rows lb k w = Some ps /\ forall h c, - sum_over P h c ps + IZR (lost rows k w) <= IZR a.
Proof.
  intros G K. induction ks as [|k ks IH]; intros toks best b a rest H; simpl in H.
  - destruct best as [[b0 a0]|]; [|discriminate]. inversion H; subst. repeat split; [right; eauto | lia | intros ? []].
  - destruct (iparts rows lb k w) as [ps|] eqn:S; [|discriminate]. set (l := lost rows k w) in *.
    destruct (over_parts go ps toks (- l) l) as [[[b' a'] toks']|] eqn:O; [|discriminate].
    pose proof (over_parts_spec go G ps _ _ _ _ _ _ (iparts_distinct rows lb k w ps S) (fun p => part_known rows lb known targets_known k w ps p K S) O) as B.
    destruct (IH _ _ _ _ _ H) as (I1 & I2 & I3).
    assert (Gain : forall h, exists E, IZR b' <= dotZ w (cprob P h E)).
    { intros h. destruct (B h) as [[c C] _]. exists (Look k c). pose proof (step k w K h ps c S) as St. fold l in St. rewrite minus_IZR, opp_IZR in C. lra. }
    assert (Loss : forall h c, - sum_over P h c ps + IZR l <= IZR a').
    { intros h c. destruct (B h) as [_ C]. specialize (C c). rewrite minus_IZR in C. lra. }
    assert (Le : (a' <= a)%Z) by (destruct best as [[b0 a0]|]; lia).
    assert (Here : forall k', In k' (k :: ks) -> exists ps, iparts rows lb k' w = Some ps /\ forall h c, - sum_over P h c ps + IZR (lost rows k' w) <= IZR a).
    { intros k' [<-|Ik]; [|apply I3; assumption]. exists ps. split; [assumption|]. intros h c. specialize (Loss h c). apply IZR_le in Le. fold l. lra. }
    destruct best as [[b0 a0]|].
    + split; [|split; [lia | exact Here]]. destruct I1 as [I1|[x I1]]; [left; assumption|]. inversion I1.
      destruct (Z.max_spec b0 b') as [[_ M]|[_ M]]; rewrite M in *; [left; assumption | right; eauto].
    + split; [|split; [exact I | exact Here]]. destruct I1 as [I1|[x I1]]; [left; assumption|]. inversion I1; subst. left. assumption.
Qed.

Hypothesis vectors_fine : forall n v, M.find n vectors = Some v -> good v.

Lemma eval_spec fuel : bounding (eval fuel).
Proof.
  induction fuel as [|f fuel IH]; intros w toks b a rest K H; [discriminate|]. destruct toks as [|t toks]; [discriminate|].
  pose proof (own P P_proper w) as Own. cbn [eval] in H. cbv zeta in H. destruct (Z.eqb t expand).
  - destruct (over_inputs (eval fuel) w (asked w) toks None) as [[[b' a'] toks']|] eqn:O; [|discriminate].
    apply (over_inputs_spec _ _ IH K) in O. destruct O as (O1 & _ & O3). destruct O1 as [O1|[? O1]]; [|discriminate].
    assert (St : bounded w b' a').
    { intros h. split; [apply O1|]. intros E. apply (asked_enough w (IZR a') K). exact O3. }
    destruct boxed; inversion H; subst; [|exact St]. intros h. destruct (St h) as [S1 S2]. destruct (Own h) as [G1 G2]. split.
    + destruct (Z.max_spec b' (gain_of (both_sides w))) as [[_ ->]|[_ ->]]; assumption.
    + intros E. destruct (Z.min_spec a' (snd (both_sides w))) as [[_ ->]|[_ ->]]; auto.
  - destruct (Z.eqb t leaf); [inversion H; subst; exact Own|].
    destruct (M.find (Z.to_pos (t + 1)) vectors) as [v|] eqn:F; [|discriminate].
    destruct (against v w) as [b'|] eqn:Ag; [|discriminate]. inversion H; subst. intros h. destruct (Own h) as [G1 G2]. split; [|assumption].
    destruct (against_spec v w b' h (vectors_fine _ _ F) K Ag) as [E' HE'].
    destruct (Z.max_spec (gain_of (both_sides w)) b') as [[_ ->]|[_ ->]]; [exists E'; assumption | assumption].
Qed.

Theorem tree_sound root toks b a : all_known root -> tree_bounds root toks = Some (b, a) -> bounded root b a.
Proof.
  unfold tree_bounds. intros K. destruct (eval toks root toks) as [[[b' a'] [|? ?]]|] eqn:E; try discriminate.
  intros H; inversion H; subst. eapply eval_spec; eauto.
Qed.
End Tree.
