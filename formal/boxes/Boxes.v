(** Models whose rows are boxes: what is inside, tightening, merging, and rows in integers.

    A row of a box has each listed entry between two ends, and sends at most [rest] elsewhere: to states that the model does
    not know, or to others that it knows. An exact row is a box of points. The ends are numbers of any kind, so rows of
    functions of e^(1/k) are among them. *)

Require Import Reals Lra Lia Psatz Bool List PArith ZArith Permutation.
Require Import Deltachain.functions.Products Deltachain.functions.Model Deltachain.boxes.Chains.
Import ListNotations.
Open Scope R_scope.

Section WithNumbers.
Context {Num : Numbers}.

Record box := { ends : list (state * (num * num)); outside : num }.
Inductive row := Point (l : list (state * num)) | Between (b : box).
Definition given (r : row) : box :=
  match r with Point l => {| ends := map (fun e => (fst e, (snd e, snd e))) l; outside := n0 |} | Between b => b end.

(** [units] are the denominators of rows in integers; any will do. *)
Record place := { place_label : label; place_rows : list row; units : list Z }.

(** An input beyond the last one counts as the last. *)
Definition nth_row {A} (rs : list A) (k : nat) (d : A) : A := nth (Nat.min k (pred (length rs))) rs d.

(** ** Tightening *)

Definition nmin (a b : num) : num := if nle a b then a else b.
Definition nmax (a b : num) : num := if nle a b then b else a.

Definition tightened (b : box) : box :=
  let low := total (fun e => fst (snd e)) (ends b) in
  let high := total (fun e => snd (snd e)) (ends b) in
  let most := nmin (outside b) (nsub n1 low) in
  let tight (e : state * (num * num)) := let '(j, (lo, hi)) := e in
    (j, (nmax lo (nsub (nsub n1 most) (nsub high hi)), nmin hi (nsub n1 (nsub low lo)))) in
  {| ends := filter (fun e => negb (is_zero (snd (snd e)))) (map tight (ends b)); outside := most |}.

Definition tight (r : row) : box := match r with Point _ => given r | Between b => tightened b end.

(** ** Merging *)

Definition first (table : M.t state) (i : state) : state := match M.find i table with Some r => r | None => i end.
Definition into_blocks (table : M.t state) (b : box) : box :=
  {| ends := gather pair_add (map (fun e => (first table (fst e), snd e)) (ends b)); outside := outside b |}.

Definition merged_row (table : M.t state) (r : row) : box :=
  if M.is_empty table then tight r else
  match r with Point _ => into_blocks table (given r) | Between b => tightened (into_blocks table (tightened b)) end.

(** ** In integers *)

Definition nceil (a : num) (d : Z) : option Z := option_map Z.opp (nfloor (nsub n0 a) d).

Fixpoint shares_of (d : Z) (l : list (state * (num * num))) : option (list (state * (Z * Z))) :=
  match l with
  | [] => Some []
  | (j, (lo, hi)) :: r =>
      match nfloor lo d, nceil hi d, shares_of d r with
      | Some a, Some b, Some s => if Z.leb 0 a && Z.leb a b then Some ((j, (a, b)) :: s) else None
      | _, _, _ => None
      end
  end.

Definition irow_of (d : Z) (b : box) : option irow :=
  if Z.ltb 0 d then
    match shares_of d (ends b), nceil (outside b) d with
    | Some s, Some r => if Z.leb 0 r then Some {| bottom := d; shares := s; rest := r |} else None
    | _, _ => None
    end
  else None.

Fixpoint irows_of (table : M.t state) (rs : list row) (ds : list Z) : option (list irow) :=
  match rs, ds with
  | [], [] => Some []
  | r :: rs, d :: ds =>
      match irow_of d (merged_row table r), irows_of table rs ds with Some x, Some xs => Some (x :: xs) | _, _ => None end
  | _, _ => None
  end.

(** ** What is checked of a model *)

Definition is_known (t : M.t place) (i : state) : bool := match M.find i t with Some _ => true | None => false end.
Fixpoint strictly (l : list (state * (num * num))) : bool :=
  match l with
  | (i, _) :: (((j, _) :: _) as r) => Pos.ltb i j && strictly r
  | _ => true
  end.

Definition row_ok (t : M.t place) (r : row) : bool :=
  forallb (fun e => is_nonneg (fst (snd e)) && is_known t (fst e)) (ends (given r)).
Definition blocks_ok (table : M.t state) (r : row) : bool :=
  M.is_empty table || strictly (ends (into_blocks table (tight r))).

(** Some row is inside: no claim is to hold because there is none. *)
Definition not_empty (r : row) : bool :=
  let b := given r in let low := total (fun e => fst (snd e)) (ends b) in
  match r with
  | Point _ => is_zero (nsub low n1)
  | Between _ => nle low n1 && nle n1 (nadd (total (fun e => snd (snd e)) (ends b)) (outside b))
  end.

(** A point: both ends are the same, and nothing goes elsewhere. *)
Definition is_point (b : box) : bool :=
  forallb (fun e => is_zero (nsub (snd (snd e)) (fst (snd e)))) (ends b) && is_zero (outside b).
Definition differences (b b' : box) : list (state * num) :=
  map (fun e => (fst e, fst (snd e))) (ends b) ++ map (fun e => (fst e, nsub n0 (fst (snd e)))) (ends b').
Definition same_point (b b' : box) : bool := is_point b && is_point b' && entries_ok nadd is_zero (differences b b').

Fixpoint same_rows (table : M.t state) (rs rs' : list row) : bool :=
  match rs, rs' with
  | [], [] => true
  | r :: rs, r' :: rs' => same_point (merged_row table r) (merged_row table r') && same_rows table rs rs'
  | _, _ => false
  end.

Definition place_ok (t : M.t place) (table : M.t state) (e : state * place) : bool :=
  Nat.leb 1 (length (place_rows (snd e)))
  && forallb (fun r => row_ok t r && blocks_ok table r) (place_rows (snd e)).

(** Another state of a block has the label of its first, and the same probability into every block. *)
Definition merge_ok (t : M.t place) (table : M.t state) (e : state * state) : bool :=
  Pos.eqb (first table (snd e)) (snd e) &&
  match M.find (fst e) t, M.find (snd e) t with
  | Some p, Some p' => Pos.eqb (place_label p) (place_label p') && same_rows table (place_rows p) (place_rows p')
  | _, _ => false
  end.

(** ** What it means *)

Context {Mean : Meaning Num}.

Definition between (e : state * R) (x : state * (num * num)) : Prop :=
  fst x = fst e /\ value (fst (snd x)) <= snd e /\ snd e <= value (snd (snd x)).
Definition row_inside (r : list (state * R)) (b : box) : Prop := exists listed out,
  (forall f, dotR r f = dotR listed f + dotR out f) /\ Forall2 between listed (ends b)
  /\ all_nonneg itself out /\ dotR out (fun _ => 1) <= value (outside b).

Definition chain_inside (P : chain) (m : list (state * place)) : Prop :=
  proper P /\ forall i p, M.find i (of_list m) = Some p -> lab_of P i = place_label p
    /\ forall h k, row_inside (move_of P h k i) (given (nth_row (place_rows p) k (Point []))).

Notation lo_of := (fun v : num * num => value (fst v)).
Notation hi_of := (fun v : num * num => value (snd v)).

Lemma listed_between listed l : Forall2 between listed l -> forall f, (forall i, 0 <= f i) ->
  dot lo_of l f <= dotR listed f /\ dotR listed f <= dot hi_of l f.
Proof.
  intros H f F. induction H as [|[j p] [j' v] listed l (E & L & U) H IH]; simpl; [lra|]. simpl in *. subst j'.
  specialize (F j). change (itself p) with p. destruct IH. split; nra.
Qed.

Lemma total_dot {A} (F : A -> num) (l : list (state * A)) : value (total (fun e => F (snd e)) l) = dot (fun v => value (F v)) l (fun _ => 1).
Proof. induction l as [|[i v] l IH]; simpl; [apply value_0|]. rewrite value_add, IH. ring. Qed.

Lemma nmin_ge x a b : x <= value a -> x <= value b -> x <= value (nmin a b).
Proof. unfold nmin. destruct (nle a b); auto. Qed.
Lemma nmax_le x a b : value a <= x -> value b <= x -> value (nmax a b) <= x.
Proof. unfold nmax. destruct (nle a b); auto. Qed.

(** Tightening loses no row (Σ p = 1), and what it drops is 0. *)
Definition low_ends_nonneg (b : box) : Prop := Forall (fun e => 0 <= value (fst (snd e))) (ends b).

Lemma tightened_inside r b : is_row r -> low_ends_nonneg b -> row_inside r b -> row_inside r (tightened b).
Proof.
  intros [_ S] Pos0 (listed & out & Eq & B & N & O).
  pose proof (listed_between _ _ B (fun _ => 1) (fun _ => Rle_0_1)) as [L H]. rewrite Eq in S.
  set (low := total (fun e => fst (snd e)) (ends b)). set (high := total (fun e => snd (snd e)) (ends b)).
  assert (El : value low = dot lo_of (ends b) (fun _ => 1)) by apply total_dot.
  assert (Eh : value high = dot hi_of (ends b) (fun _ => 1)) by apply total_dot.
  assert (O0 : 0 <= dotR out (fun _ => 1)) by (apply dot_nonneg; [assumption | intros; lra]).
  set (most := nmin (outside b) (nsub n1 low)).
  assert (O1 : dotR out (fun _ => 1) <= value most).
  { apply nmin_ge; [assumption|]. rewrite value_sub, value_1. lra. }
  set (m := dotR listed (fun _ => 1)) in *. set (o := dotR out (fun _ => 1)) in *.
  (* each entry between its tighter ends *)
  assert (T : forall listed' l', Forall2 between listed' l' -> forall dl dh,
    dotR listed' (fun _ => 1) + dl <= m -> m <= dotR listed' (fun _ => 1) + dh ->
    value low - dot lo_of l' (fun _ => 1) <= dl -> dh <= value high - dot hi_of l' (fun _ => 1) -> Forall2 between listed'
    (map (fun e : state * (num * num) => let '(j, (lo, hi)) := e in
       (j, (nmax lo (nsub (nsub n1 most) (nsub high hi)), nmin hi (nsub n1 (nsub low lo))))) l')).
  { induction 1 as [|[j p] [j' [lo hi]] listed' l' (E & Lo & Hi) B' IH]; intros dl dh M1 M2 D1 D2; simpl in *; constructor.
    - simpl in *. subst j'. change (itself p) with p in M1, M2. pose proof (listed_between _ _ B' (fun _ => 1) (fun _ => Rle_0_1)).
      repeat split; simpl.
      + apply nmax_le; [assumption|]. rewrite !value_sub, value_1. lra.
      + apply nmin_ge; [assumption|]. rewrite !value_sub, value_1. lra.
    - subst j'. change (itself p) with p in M1, M2. apply (IH (p + dl) (p + dh)); lra. }
  specialize (T listed (ends b) B 0 0). fold m in T. specialize (T ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (NN : Forall (fun e => 0 <= snd e) listed).
  { clear - B Pos0. unfold low_ends_nonneg in Pos0. induction B as [|[j p] [j' v] listed l (_ & Lo & _) B IH]; constructor;
      inversion Pos0; subst; simpl in *; [lra | auto]. }
  set (l' := map _ (ends b)) in T.
  exists (map fst (filter (fun x => negb (is_zero (snd (snd (snd x))))) (combine listed l'))), out.
  split; [|split; [|split; assumption]].
  - intros f. rewrite Eq. f_equal. clear - T NN. induction T as [|[j p] [j' v] listed l (E & Lo & Hi) B IH]; [reflexivity|].
    inversion NN as [|? ? P0 NN']; subst. specialize (IH NN'). cbn [combine filter snd]. simpl in E, Lo, Hi, P0.
    destruct (is_zero (snd v)) eqn:Z; cbn [negb map fst dot]; rewrite IH; [|reflexivity].
    apply is_zero_eq in Z. assert (p = 0) as -> by lra. change (itself 0) with 0. ring.
  - unfold tightened. cbn [ends]. fold low high most. fold l'. clear - T.
    induction T as [|e x listed l H B IH]; [constructor|]. cbn [combine filter snd]. destruct (is_zero (snd (snd x))); simpl; [assumption|].
    constructor; assumption.
Qed.

Lemma tightened_nonneg b : low_ends_nonneg b -> low_ends_nonneg (tightened b).
Proof.
  unfold low_ends_nonneg. intros H. apply Forall_forall. intros e I. unfold tightened in I. cbn [ends] in I. apply filter_In in I.
  destruct I as [I _]. apply in_map_iff in I. destruct I as ([j [lo hi]] & <- & I). rewrite Forall_forall in H. specialize (H _ I).
  simpl in *. unfold nmax. destruct (nle _ _) eqn:Le; [|assumption]. apply nle_le in Le. lra.
Qed.

(** ** Merged rows *)

Definition pushed (table : M.t state) (r : list (state * R)) : list (state * R) := map (fun e => (first table (fst e), snd e)) r.
Lemma pushed_dot table r f : dotR (pushed table r) f = dotR r (fun j => f (first table j)).
Proof. induction r as [|[j p] r IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.

Lemma pushed_row table r : is_row r -> is_row (pushed table r).
Proof.
  intros [N S]. split; [|rewrite pushed_dot; assumption]. unfold pushed. apply Forall_forall. intros e I. apply in_map_iff in I.
  destruct I as (x & <- & I). simpl. unfold all_nonneg in N. rewrite Forall_forall in N. apply (N x I).
Qed.

Definition is_at (B i : state) : R := if Pos.eqb i B then 1 else 0.

Lemma strictly_above l : forall i v, strictly ((i, v) :: l) = true -> Forall (fun e : state * (num * num) => (i < fst e)%positive) l.
Proof.
  induction l as [|[j u] l IH]; intros i v H; [constructor|]. cbn [strictly] in H. apply andb_prop in H. destruct H as [H1 H2].
  apply Pos.ltb_lt in H1. constructor; [assumption|]. specialize (IH j u H2). eapply Forall_impl; [|exact IH]. simpl. intros; lia.
Qed.
Lemma strictly_tail l i v : strictly ((i, v) :: l) = true -> strictly l = true.
Proof. destruct l as [|[j u] l]; [reflexivity|]. cbn [strictly]. intros H. apply andb_prop in H. apply H. Qed.

(** The entries of different states, one by one. *)
Lemma strictly_at (val : num * num -> R) l : strictly l = true -> forall B v, In (B, v) l -> dot val l (is_at B) = val v.
Proof.
  induction l as [|[i u] l IH]; intros S B v I; [destruct I|]. pose proof (strictly_above _ _ _ S) as A. apply strictly_tail in S.
  assert (Rest : forall C, (C <= i)%positive -> dot val l (is_at C) = 0).
  { intros C L. rewrite (dot_ext val l _ (fun _ => 0)); [apply dot_zero|]. intros j w J. rewrite Forall_forall in A. specialize (A _ J).
    simpl in A. unfold is_at. destruct (Pos.eqb_spec j C); [lia | reflexivity]. }
  cbn [dot]. destruct I as [E|I].
  - inversion E; subst. rewrite Rest by lia. unfold is_at. rewrite Pos.eqb_refl. ring.
  - rewrite (IH S B v I). rewrite Forall_forall in A. specialize (A _ I). simpl in A. unfold is_at.
    destruct (Pos.eqb_spec i B); [lia | ring].
Qed.

Lemma strictly_sum l : strictly l = true -> forall f i, (exists v, In (i, v) l) ->
  fold_right (fun (e : state * (num * num)) s => f (fst e) * is_at (fst e) i + s) 0 l = f i.
Proof.
  induction l as [|[j u] l IH]; intros S f i [v I]; [destruct I|]. pose proof (strictly_above _ _ _ S) as A. apply strictly_tail in S.
  cbn [fold_right fst]. unfold is_at at 1. destruct (Pos.eqb_spec i j) as [->|n].
  - assert (Z : fold_right (fun (e : state * (num * num)) s => f (fst e) * is_at (fst e) j + s) 0 l = 0).
    { clear - A. induction A as [|[b w] l H A IH]; [reflexivity|]. cbn [fold_right fst] in *. rewrite IH. unfold is_at.
      destruct (Pos.eqb_spec j b); [lia | ring]. }
    rewrite Z. ring.
  - destruct I as [E|I]; [inversion E; congruence|]. rewrite (IH S f i (ex_intro _ v I)). ring.
Qed.

Lemma gather_has (w : list (state * (num * num))) i v : In (i, v) w -> exists u, In (i, u) (gather pair_add w).
Proof.
  intros I. unfold gather. assert (J : In (i, v) (sort state_leb w)) by (eapply Permutation_in; [apply Permutation_sym, sort_perm | exact I]).
  clear I. induction (sort state_leb w) as [|[j u] t IH]; [destruct J|]. simpl. destruct J as [E|J].
  - inversion E; subst. destruct (collect pair_add t) as [|[b x] r]; [eexists; left; reflexivity|].
    destruct (Pos.eqb i b); eexists; left; reflexivity.
  - destruct (IH J) as [x X]. destruct (collect pair_add t) as [|[b y] r]; [destruct X|].
    destruct (Pos.eqb_spec j b) as [->|_]; [|exists x; right; assumption].
    destruct X as [E|X]; [inversion E; subst; eexists; left; reflexivity | exists x; right; assumption].
Qed.

Lemma into_blocks_dot table b (val : num * num -> R) : (forall u v, val (pair_add u v) = val u + val v) ->
  forall f, dot val (ends (into_blocks table b)) f = dot val (ends b) (fun j => f (first table j)).
Proof.
  intros Add f. unfold into_blocks. cbn [ends]. rewrite (gather_dot val pair_add Add). generalize (ends b). clear.
  induction l as [|[j v] l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity.
Qed.

Lemma into_blocks_nonneg table b : strictly (ends (into_blocks table b)) = true -> low_ends_nonneg b -> low_ends_nonneg (into_blocks table b).
Proof.
  intros S N. apply Forall_forall. intros [C v] I. cbn [fst snd]. rewrite <- (strictly_at lo_of _ S C v I).
  rewrite (into_blocks_dot table b lo_of) by (intros; simpl; apply value_add). apply dot_nonneg.
  - unfold all_nonneg, low_ends_nonneg in *. assumption.
  - intros i. unfold is_at. destruct (Pos.eqb _ _); lra.
Qed.

Lemma pushed_inside table r b : strictly (ends (into_blocks table b)) = true -> row_inside r b ->
  row_inside (pushed table r) (into_blocks table b).
Proof.
  intros S (listed & out & Eq & B & N & O). set (G := ends (into_blocks table b)) in *.
  exists (map (fun e => (fst e, dotR listed (fun j => is_at (fst e) (first table j)))) G), (pushed table out).
  pose proof (into_blocks_dot table b) as D. fold G in D.
  split; [|split; [|split]].
  - intros f. rewrite !pushed_dot, Eq. f_equal.
    assert (Has : Forall (fun e => exists v, In (first table (fst e), v) G) listed).
    { clear - B. unfold G, into_blocks. cbn [ends]. apply Forall_forall. intros [j p] I.
      assert (J : exists v, In (j, v) (ends b)).
      { clear - B I. induction B as [|e x listed l (E & _) B IH]; [destruct I|]. destruct I as [->|I].
        - exists (snd x). left. simpl in E. rewrite <- E. destruct x; reflexivity.
        - destruct (IH I) as [v V]. exists v. right. assumption. }
      destruct J as [v V]. apply (gather_has _ _ v). apply in_map_iff. exists (j, v). auto. }
    transitivity (fold_right (fun (e : state * (num * num)) s => dotR listed (fun j => f (fst e) * is_at (fst e) (first table j)) + s) 0 G).
    + assert (T : dotR listed (fun j => f (first table j))
        = dotR listed (fun j => fold_right (fun (e : state * (num * num)) s => f (fst e) * is_at (fst e) (first table j) + s) 0 G)).
      { apply dot_ext. intros j p I. rewrite Forall_forall in Has. specialize (Has _ I). symmetry. apply strictly_sum; assumption. }
      rewrite T. clear. induction G as [|e G IH]; simpl; [apply dot_zero|]. rewrite dot_plus, IH. reflexivity.
    + clear. induction G as [|e G IH]; simpl; [reflexivity|]. rewrite IH, dot_times. unfold itself. ring.
  - assert (All : forall e, In e G -> between (fst e, dotR listed (fun j => is_at (fst e) (first table j))) e).
    { intros [C v] I. pose proof (listed_between _ _ B (fun j => is_at C (first table j))) as LB.
      assert (P : forall i, 0 <= is_at C (first table i)) by (intros i; unfold is_at; destruct (Pos.eqb _ _); lra).
      specialize (LB P). rewrite <- (D lo_of), <- (D hi_of) in LB by (intros; simpl; apply value_add).
      rewrite !(strictly_at _ G S C v I) in LB. repeat split; simpl; apply LB. }
    fold G. clear - All. clearbody G. induction G as [|e G IH]; simpl; constructor; [apply All; left; reflexivity | apply IH; intros; apply All; right; assumption].
  - unfold pushed. apply Forall_forall. intros e I. apply in_map_iff in I. destruct I as (x & <- & I). simpl.
    unfold all_nonneg in N. rewrite Forall_forall in N. apply (N x I).
  - rewrite pushed_dot. assumption.
Qed.
(** The row of a chain, after merging, in what the boxes say after merging. *)
Lemma inside_like r r' b : (forall f, dotR r' f = dotR r f) -> row_inside r b -> row_inside r' b.
Proof. intros E (listed & out & Eq & H). exists listed, out. split; [intros f; rewrite E; apply Eq | assumption]. Qed.

Lemma first_empty table i : M.is_empty table = true -> first table i = i.
Proof.
  intros E. apply M.is_empty_2 in E. unfold first. destruct (M.find i table) as [r|] eqn:F; [|reflexivity].
  exfalso. apply (E i r). exact F.
Qed.

Lemma row_ok_nonneg t r : row_ok t r = true -> low_ends_nonneg (given r).
Proof.
  unfold row_ok, low_ends_nonneg. intros H. apply Forall_forall. intros e I. rewrite forallb_forall in H. specialize (H e I).
  apply andb_prop in H. apply is_nonneg_le, H.
Qed.

Lemma merged_inside t table r x : row_ok t r = true -> blocks_ok table r = true -> is_row x -> row_inside x (given r) ->
  row_inside (pushed table x) (merged_row table r).
Proof.
  intros Ok B Rx I. apply row_ok_nonneg in Ok. unfold merged_row, blocks_ok in *.
  assert (T : row_inside x (tight r)) by (destruct r; [assumption | apply tightened_inside; assumption]).
  destruct (M.is_empty table) eqn:E.
  - apply (inside_like x); [|assumption]. intros f. rewrite pushed_dot. apply dot_ext_all. intros j. rewrite first_empty by assumption. reflexivity.
  - simpl in B. destruct r as [l|b]; [apply pushed_inside; assumption|].
    apply tightened_inside; [apply pushed_row; assumption | | apply pushed_inside; assumption].
    apply into_blocks_nonneg; [assumption | apply tightened_nonneg; assumption].
Qed.

(** ** Rows in integers *)

Lemma nceil_ge a d z : (0 <= d)%Z -> nceil a d = Some z -> value a * IZR d <= IZR z.
Proof.
  unfold nceil. intros D H. destruct (nfloor (nsub n0 a) d) as [y|] eqn:F; [|discriminate]. inversion H; subst.
  apply nfloor_le in F; [|assumption]. rewrite value_sub, value_0 in F. rewrite opp_IZR. lra.
Qed.

Definition rounds (d : Z) (x : state * (num * num)) (s : state * (Z * Z)) : Prop := fst s = fst x
  /\ IZR (fst (snd s)) <= value (fst (snd x)) * IZR d /\ value (snd (snd x)) * IZR d <= IZR (snd (snd s)).

Lemma shares_of_spec d : (0 <= d)%Z -> forall l s, shares_of d l = Some s ->
  Forall2 (rounds d) l s /\ Forall (fun x => (0 <= fst (snd x))%Z /\ (fst (snd x) <= snd (snd x))%Z) s.
Proof.
  intros D. induction l as [|[j [lo hi]] l IH]; intros s H; simpl in H; [inversion H; split; constructor|].
  destruct (nfloor lo d) as [a|] eqn:A; [|discriminate]. destruct (nceil hi d) as [b|] eqn:B; [|discriminate].
  destruct (shares_of d l) as [s'|]; [|discriminate]. destruct (Z.leb_spec 0 a); [|discriminate]. destruct (Z.leb_spec a b); [|discriminate].
  inversion H; subst. destruct (IH s' eq_refl) as [I1 I2].
  split; constructor; auto; simpl; try lia. repeat split; simpl; [apply nfloor_le; assumption | apply nceil_ge; assumption].
Qed.

(** What else is known of rows in integers. *)
Definition sensible (b : irow) : Prop :=
  (0 <= rest b)%Z /\ Forall (fun x => (0 <= fst (snd x))%Z /\ (fst (snd x) <= snd (snd x))%Z) (shares b).

Lemma irow_of_spec d b ir : irow_of d b = Some ir ->
  sensible ir /\ (forall x, In x (shares ir) -> exists v, In (fst x, v) (ends b)) /\ forall r, row_inside r b -> within r ir.
Proof.
  unfold irow_of. intros H. destruct (Z.ltb_spec 0 d) as [D|]; [|discriminate]. destruct (shares_of d (ends b)) as [s|] eqn:S; [|discriminate].
  destruct (nceil (outside b) d) as [rs|] eqn:C; [|discriminate]. destruct (Z.leb_spec 0 rs); [|discriminate]. inversion H; subst. clear H.
  assert (D0 : (0 <= d)%Z) by lia. destruct (shares_of_spec d D0 _ _ S) as [R N]. apply nceil_ge in C; [|assumption].
  split; [|split].
  - split; assumption.
  - cbn [shares]. clear - R. induction R as [|[j v] y l s (E & _) R IH]; intros x I; [destruct I|]. destruct I as [->|I].
    + exists v. left. simpl in E. rewrite E. reflexivity.
    + destruct (IH x I) as [u U]. exists u. right. assumption.
  - intros r (listed & out & Eq & B & No & O). split; [exact D|]. intros f F. cbn [bottom rest]. unfold lows, highs. cbn [shares].
    pose proof (listed_between _ _ B f (fun i => proj1 (F i))) as [L U]. rewrite Eq. apply IZR_lt in D.
    assert (O0 : 0 <= dotR out f) by (apply dot_nonneg; [assumption | intros; apply F]).
    assert (O1 : dotR out f <= dotR out (fun _ => 1)) by (apply dot_mono; [assumption | intros; apply F]).
    assert (Q : dot (fun x : Z * Z => IZR (fst x)) s f <= dot lo_of (ends b) f * IZR d
      /\ dot hi_of (ends b) f * IZR d <= dot (fun x : Z * Z => IZR (snd x)) s f).
    { clear - R F. induction R as [|[j v] [j' w] l s (E & A & Z) R IH]; simpl; [lra|]. simpl in *. subst j'. destruct (F j). split; nra. }
    split; nra.
Qed.

(** ** The merged chain *)

Definition merged_chain (table : M.t state) (P : chain) : chain :=
  {| lab_of := lab_of P; move_of h k i := pushed table (move_of P h k i) |}.

Lemma merged_proper table P : proper P -> proper (merged_chain table P).
Proof. intros H h k i. apply pushed_row, H. Qed.

Lemma point_dot b r : is_point b = true -> row_inside r b -> forall f, chances f -> dotR r f = dot lo_of (ends b) f.
Proof.
  unfold is_point. intros H (listed & out & Eq & B & N & O) f F. apply andb_prop in H. destruct H as [H Z]. apply is_zero_eq in Z.
  assert (O0 : 0 <= dotR out f) by (apply dot_nonneg; [assumption | intros; apply F]).
  assert (O1 : dotR out f <= dotR out (fun _ => 1)) by (apply dot_mono; [assumption | intros; apply F]).
  rewrite Eq. assert (E : dotR listed f = dot lo_of (ends b) f); [|lra]. clear - B H.
  induction B as [|[j p] [j' v] listed l (E & L & U) B IH]; [reflexivity|]. cbn [forallb] in H. apply andb_prop in H. destruct H as [H1 H2].
  apply is_zero_eq in H1. simpl in *. subst j'. rewrite value_sub in H1. rewrite IH by assumption. change (itself p) with p.
  replace p with (value (fst v)) by lra. reflexivity.
Qed.

Lemma same_point_dot b b' r r' : same_point b b' = true -> row_inside r b -> row_inside r' b' ->
  forall f, chances f -> dotR r f = dotR r' f.
Proof.
  unfold same_point. intros H I I' f F. apply andb_prop in H. destruct H as [H D]. apply andb_prop in H. destruct H as [P P'].
  rewrite (point_dot b r P I f F), (point_dot b' r' P' I' f F).
  pose proof (entries_zero value nadd value_add is_zero _ f is_zero_eq D) as Z. unfold differences in Z. rewrite dot_app in Z.
  assert (E : dotN (map (fun e : state * (num * num) => (fst e, fst (snd e))) (ends b)) f = dot lo_of (ends b) f).
  { clear. induction (ends b) as [|[j v] l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. }
  assert (E' : dotN (map (fun e : state * (num * num) => (fst e, nsub n0 (fst (snd e)))) (ends b')) f = - dot lo_of (ends b') f).
  { clear. induction (ends b') as [|[j v] l IH]; simpl; [ring|]. rewrite IH, value_sub, value_0. ring. }
  rewrite E, E' in Z. lra.
Qed.

Lemma same_rows_nth table d rs : forall rs', same_rows table rs rs' = true -> length rs = length rs'
  /\ forall n, (n < length rs)%nat -> same_point (merged_row table (nth n rs d)) (merged_row table (nth n rs' d)) = true.
Proof.
  induction rs as [|r rs IH]; intros [|r' rs'] H; simpl in H; try discriminate; [split; [reflexivity | simpl; lia]|].
  apply andb_prop in H. destruct H as [H1 H2]. destruct (IH _ H2) as [L N]. split; [simpl; lia|].
  intros [|n] Ln; [assumption|]. apply N. simpl in Ln. lia.
Qed.

Section Merged.
Variable m : list (state * place).
Variable merges : list (state * state).
Let t := of_list m.
Let table := of_list merges.
Hypothesis places_fine : forall e, In e m -> place_ok t table e = true.
Hypothesis merges_fine : forall e, In e merges -> merge_ok t table e = true.
Variable P : chain.
Hypothesis P_inside : chain_inside P m.
Notation P' := (merged_chain table P).

Lemma found_fine i p : M.find i t = Some p -> place_ok t table (i, p) = true.
Proof. intros F. apply places_fine, of_list_in. assumption. Qed.

Lemma nth_fine i p k : M.find i t = Some p -> row_ok t (nth_row (place_rows p) k (Point [])) = true
  /\ blocks_ok table (nth_row (place_rows p) k (Point [])) = true /\ (Nat.min k (pred (length (place_rows p))) < length (place_rows p))%nat.
Proof.
  intros F. apply found_fine in F. unfold place_ok in F. cbn [snd] in F. apply andb_prop in F. destruct F as [L F]. apply Nat.leb_le in L.
  assert (N : (Nat.min k (pred (length (place_rows p))) < length (place_rows p))%nat) by lia.
  rewrite forallb_forall in F. specialize (F _ (nth_In _ (Point []) N)). apply andb_prop in F. unfold nth_row. tauto.
Qed.

Lemma move_inside i p h k : M.find i t = Some p ->
  row_inside (move_of P' h k i) (merged_row table (nth_row (place_rows p) k (Point []))).
Proof.
  intros F. destruct (nth_fine i p k F) as (R & B & _). destruct P_inside as [Pp Pin]. apply (merged_inside t); auto. apply (Pin i p F).
Qed.

Lemma first_cases i : first table i = i \/ exists p p', M.find i t = Some p /\ M.find (first table i) t = Some p'
  /\ place_label p = place_label p' /\ same_rows table (place_rows p) (place_rows p') = true.
Proof.
  unfold first. destruct (M.find i table) as [r|] eqn:F; [|left; reflexivity]. right. apply of_list_in in F.
  specialize (merges_fine _ F). unfold merge_ok in merges_fine. cbn [fst snd] in merges_fine. apply andb_prop in merges_fine.
  destruct merges_fine as [_ G]. destruct (M.find i t) as [p|]; [|discriminate]. destruct (M.find r t) as [p'|]; [|discriminate].
  apply andb_prop in G. destruct G as [G1 G2]. apply Pos.eqb_eq in G1. exists p, p'. auto.
Qed.

Lemma merged_label i : lab_of P (first table i) = lab_of P i.
Proof.
  destruct (first_cases i) as [->|(p & p' & F & F' & L & _)]; [reflexivity|]. destruct P_inside as [_ Pin].
  rewrite (proj1 (Pin _ _ F)), (proj1 (Pin _ _ F')). congruence.
Qed.

Lemma first_first i : first table (first table i) = first table i.
Proof.
  unfold first at 2 3. destruct (M.find i table) as [r|] eqn:F; [|unfold first; rewrite F; reflexivity]. apply of_list_in in F.
  specialize (merges_fine _ F). unfold merge_ok in merges_fine. apply andb_prop in merges_fine. apply Pos.eqb_eq. apply merges_fine.
Qed.

(** R5 for boxes: what is seen from a state is what is seen from the first of its block, in the merged chain. *)
Theorem merged_cprob E : forall h i, cprob P h E i = cprob P' h E (first table i).
Proof.
  pose proof (merged_proper table P (proj1 P_inside)) as Pp. induction E as [b|k c IH]; intros h i; [reflexivity|]. cbn [cprob].
  change (lab_of P') with (lab_of P). set (g := fun j => cprob P' (lab_of P j :: h) (c (lab_of P j)) j).
  assert (G : chances g) by (intros j; apply cprob_range; assumption).
  assert (A : dotR (move_of P h k i) (fun j => cprob P (lab_of P j :: h) (c (lab_of P j)) j) = dotR (move_of P' h k i) g).
  { cbn [move_of merged_chain]. rewrite pushed_dot. apply dot_ext_all. intros j. unfold g. rewrite merged_label. apply IH. }
  rewrite A. destruct (first_cases i) as [->|(p & p' & F & F' & _ & S)]; [reflexivity|].
  destruct (same_rows_nth table (Point []) _ _ S) as [L N]. destruct (nth_fine i p k F) as (_ & _ & Lt). specialize (N _ Lt).
  apply (same_point_dot _ _ _ _ N); [apply (move_inside i p h k F) | | exact G].
  pose proof (move_inside _ _ h k F') as I. unfold nth_row in I. rewrite <- L in I. exact I.
Qed.

Definition known (i : state) : Prop := is_known t i = true /\ first table i = i.

Lemma first_known i : is_known t i = true -> known (first table i).
Proof.
  intros K. split; [|apply first_first]. destruct (first_cases i) as [->|(p & p' & _ & F & _)]; [assumption|]. unfold is_known. rewrite F. reflexivity.
Qed.

(** The states that a row leads to. *)
Lemma merged_targets r j v : row_ok t r = true -> In (j, v) (ends (merged_row table r)) -> known j.
Proof.
  intros Ok. assert (G : forall j v, In (j, v) (ends (given r)) -> is_known t j = true).
  { intros j' v' I. unfold row_ok in Ok. rewrite forallb_forall in Ok. specialize (Ok _ I). apply andb_prop in Ok. apply Ok. }
  assert (T : forall b j v, In (j, v) (ends (tightened b)) -> exists u, In (j, u) (ends b)).
  { clear. intros b j v I. unfold tightened in I. cbn [ends] in I. apply filter_In in I. destruct I as [I _]. apply in_map_iff in I.
    destruct I as ([j' [lo hi]] & E & I). inversion E; subst. eauto. }
  assert (B : forall b j v, In (j, v) (ends (into_blocks table b)) -> (forall j v, In (j, v) (ends b) -> is_known t j = true) -> known j).
  { clear j v. intros b j v I Hb. unfold into_blocks in I. cbn [ends] in I.
    assert (A : Forall (fun e : state * (num * num) => known (fst e)) (gather pair_add (map (fun e => (first table (fst e), snd e)) (ends b)))).
    { apply gather_in. apply Forall_forall. intros e Ie. apply in_map_iff in Ie. destruct Ie as ([x y] & <- & Ix). simpl. apply first_known, (Hb x y Ix). }
    rewrite Forall_forall in A. apply (A _ I). }
  unfold merged_row. destruct (M.is_empty table) eqn:E.
  - intros I. split; [|apply first_empty; assumption]. destruct r as [l|b]; [apply (G j v I)|]. destruct (T _ _ _ I) as [u U]. apply (G j u U).
  - destruct r as [l|b]; intros I; [apply (B _ _ _ I G)|]. destruct (T _ _ _ I) as [u U]. apply (B _ _ _ U).
    intros j' v' I'. destruct (T _ _ _ I') as [u' U']. apply (G j' u' U').
Qed.
End Merged.
End WithNumbers.
