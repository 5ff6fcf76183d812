(** Recipes of kind "levels" and "grid": many beliefs at once, joined where they point the same way (L4, R6).

    [grows L b L']: what events attain on the beliefs L', and b more, events attain on L. [shrinks L a L']: what events lose on L,
    less a, events lose on L'. Both chain, so a computation is sound if each of its moves is. *)

Require Import QArith Lqa Lia List Permutation PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model Deltachain.Integers.
Import ListNotations.
Open Scope Q_scope.

Fixpoint keys_leb (a b : list Z) : bool :=
  match a, b with
  | [], _ => true
  | _, [] => false
  | x :: a, y :: b => if Z.eqb x y then keys_leb a b else Z.ltb x y
  end.
Fixpoint keys_eqb (a b : list Z) : bool :=
  match a, b with
  | [], [] => true
  | x :: a, y :: b => Z.eqb x y && keys_eqb a b
  | _, _ => false
  end.

(** Neighbours with equal keys, together; any way to group is sound. *)
Fixpoint grouped {A} (l : list (list Z * A)) (key : list Z) (current : list A) (acc : list (list A)) : list (list A) :=
  match l with
  | [] => current :: acc
  | (k, w) :: r => if keys_eqb k key then grouped r key (w :: current) acc else grouped r k [w] (current :: acc)
  end.
Definition groups_of {A} (l : list (list Z * A)) : list (list A) :=
  match sort (fun a b => keys_leb (fst a) (fst b)) l with [] => [] | (k, w) :: r => grouped r k [w] [] end.

Lemma grouped_perm {A} (l : list (list Z * A)) : forall key current acc,
  Permutation (concat (grouped l key current acc)) (map snd l ++ current ++ concat acc).
Proof.
  induction l as [|[k w] l IH]; intros key current acc; simpl; [reflexivity|].
  destruct (keys_eqb k key); rewrite IH; symmetry; apply Permutation_middle.
Qed.

Lemma groups_perm {A} (l : list (list Z * A)) : Permutation (concat (groups_of l)) (map snd l).
Proof.
  unfold groups_of. pose proof (sort_perm (fun a b : list Z * A => keys_leb (fst a) (fst b)) l) as P.
  apply (Permutation_map snd) in P. rewrite <- P. destruct (sort _ l) as [|[k w] r]; [reflexivity|]. rewrite grouped_perm. simpl.
  symmetry. apply Permutation_cons_append.
Qed.

(** Beliefs over the same states, added up. *)
Fixpoint zip_add (a b : belief) : option belief :=
  match a, b with
  | [], [] => Some []
  | (i, x) :: a, (j, y) :: b => if Pos.eqb i j then option_map (cons (i, (x + y)%Z)) (zip_add a b) else None
  | _, _ => None
  end.
Fixpoint total_of (first : belief) (others : list belief) : option belief :=
  match others with [] => Some first | w :: r => match zip_add first w with Some s => total_of s r | None => None end end.

Lemma zip_add_dot a : forall b c f, zip_add a b = Some c -> dotZ c f == dotZ a f + dotZ b f.
Proof.
  induction a as [|[i x] a IH]; intros [|[j y] b] c f H; simpl in H; try discriminate; [inversion H; reflexivity|].
  destruct (Pos.eqb_spec i j) as [<-|]; [|discriminate]. destruct (zip_add a b) as [r|] eqn:E; [|discriminate].
  simpl in H. inversion H; subst. cbn [dot]. rewrite (IH _ _ f E), inject_add. ring.
Qed.

Section Levels.
Variable m : model.
Hypothesis stoch : stochastic m.
Hypothesis places_ok : forall i p, M.find i (places m) = Some p -> place_ok m (i, p) = true.
Notation prob := (prob m).
Hypothesis single_choice : forall w : belief, choices m w = 1%nat.
Variable rows : M.t (list irow).
Hypothesis rows_eq : rows = integer_rows m.

Definition grows (L : list belief) (b : Z) (L' : list belief) : Prop :=
  forall v, attained (gains m L') v -> attained (gains m L) (v + inject_Z b).
Definition shrinks (L : list belief) (a : Z) (L' : list belief) : Prop :=
  forall v, attained (losses m L) v -> attained (losses m L') (v - inject_Z a).

Lemma grows_then L b L' b' L'' : grows L b L' -> grows L' b' L'' -> grows L (b + b') L''.
Proof. intros H H' v A. apply H', H in A. eapply attained_le; [exact A|]. rewrite inject_add. lra. Qed.
Lemma shrinks_then L a L' a' L'' : shrinks L a L' -> shrinks L' a' L'' -> shrinks L (a + a') L''.
Proof. intros H H' v A. apply H, H' in A. eapply attained_le; [exact A|]. rewrite inject_add. lra. Qed.

Lemma grows_app L1 b1 L1' L2 b2 L2' : grows L1 b1 L1' -> grows L2 b2 L2' -> grows (L1 ++ L2) (b1 + b2) (L1' ++ L2').
Proof.
  intros H1 H2 v A. unfold gains in A. rewrite map_app in A. apply attained_split in A. destruct A as (v1 & v2 & A1 & A2 & L).
  apply H1 in A1. apply H2 in A2. unfold gains. rewrite map_app. eapply attained_le; [apply (attained_app _ _ _ _ A1 A2)|].
  rewrite inject_add. lra.
Qed.
Lemma shrinks_app L1 b1 L1' L2 b2 L2' : shrinks L1 b1 L1' -> shrinks L2 b2 L2' -> shrinks (L1 ++ L2) (b1 + b2) (L1' ++ L2').
Proof.
  intros H1 H2 v A. unfold losses in A. rewrite map_app in A. apply attained_split in A. destruct A as (v1 & v2 & A1 & A2 & L).
  apply H1 in A1. apply H2 in A2. unfold losses. rewrite map_app. eapply attained_le; [apply (attained_app _ _ _ _ A1 A2)|].
  rewrite inject_add. lra.
Qed.

Lemma grows_perm L L' : Permutation L L' -> grows L 0 L'.
Proof.
  intros P v A. change (inject_Z 0) with 0. eapply attained_le with (v := v); [|lra].
  eapply attained_perm; [apply Permutation_map, Permutation_sym, P | exact A].
Qed.
Lemma shrinks_perm L L' : Permutation L L' -> shrinks L 0 L'.
Proof.
  intros P v A. change (inject_Z 0) with 0. eapply attained_le with (v := v); [|lra].
  eapply attained_perm; [apply Permutation_map, P | exact A].
Qed.
Lemma grows_same L : grows L 0 L. Proof. apply grows_perm. reflexivity. Qed.
Lemma shrinks_same L : shrinks L 0 L. Proof. apply shrinks_perm. reflexivity. Qed.

Lemma grows_step w ps : iparts m rows 0 w = Some ps -> grows [w] 0 (map snd ps).
Proof.
  rewrite rows_eq. intros H v A. destruct (step_gains m stoch places_ok 0 w ps v H A) as [E HE].
  change (inject_Z 0) with 0. eapply attained_cons with (E := E) (v2 := 0); [exact HE | apply attained_nil; lra | lra].
Qed.
Lemma shrinks_step w ps : iparts m rows 0 w = Some ps -> shrinks [w] 0 (map snd ps).
Proof.
  rewrite rows_eq. intros H v A. inversion A as [|? E a ? b ? Hg Hl Hv]; subst. inversion Hl; subst.
  eapply attained_le; [apply (step_losses m stoch places_ok w ps E (single_choice w) H)|]. change (inject_Z 0) with 0. lra.
Qed.

Lemma grows_drop w : grows [w] (gain_of (both_sides w)) [].
Proof.
  intros v A. inversion A; subst. destruct (gain_attained m w) as [E HE].
  eapply attained_cons with (E := E) (v2 := v); [exact HE | apply attained_nil; assumption | lra].
Qed.
Lemma shrinks_drop w : shrinks [w] (snd (both_sides w)) [].
Proof.
  intros v A. inversion A as [|? E a ? b ? Hg Hl Hv]; subst. inversion Hl; subst. apply attained_nil.
  pose proof (loss_bounded m stoch w E). lra.
Qed.

(** A belief in place of another, as far as products with probabilities go. *)
Lemma grows_like w w' : (forall f, dotZ w f == dotZ w' f) -> grows [w] 0 [w'].
Proof.
  intros H v A. inversion A as [|? E a ? b ? Hg Hl Hv]; subst. change (inject_Z 0) with 0.
  eapply attained_cons with (E := E) (v1 := a) (v2 := b); [rewrite H; assumption | assumption | lra].
Qed.

(** R6: one belief in place of others, with what they leave uncovered. *)
Lemma shrinks_cover w a L : (forall f, (forall i, 0 <= f i /\ f i <= 1) ->
    - dotZ w f <= inject_Z a + fold_right (fun u s => - dotZ u f + s) 0 L) -> shrinks [w] a L.
Proof.
  intros H v A. inversion A as [|? E x ? b ? Hg Hl Hv]; subst. inversion Hl; subst.
  assert (G : attained (losses m L) (fold_right (fun u s => - dotZ u (prob E) + s) 0 L)).
  { clear. induction L as [|u L IH]; simpl; [apply attained_nil; lra|].
    eapply attained_cons with (E := E); [apply Qle_refl | exact IH | lra]. }
  eapply attained_le; [exact G|]. specialize (H (prob E) (prob_range m stoch E)). lra.
Qed.

(** L4. *)
Lemma grows_sum others : forall first t, total_of first others = Some t -> grows (first :: others) 0 [t].
Proof.
  induction others as [|w r IH]; intros first t H; simpl in H; [inversion H; subst; apply grows_same|].
  destruct (zip_add first w) as [s|] eqn:E; [|discriminate]. specialize (IH _ _ H). intros v A. apply IH in A.
  inversion A as [|? F a ? b ? Hg Hl Hv]; subst. rewrite (zip_add_dot _ _ _ _ E) in Hg.
  eapply attained_cons with (E := F); [apply Qle_refl | | apply Qle_refl || idtac].
  - eapply attained_cons with (E := F); [apply Qle_refl | exact Hl | apply Qle_refl].
  - lra.
Qed.

(** R6 for several beliefs and one sum c: w_k is covered by mu_k c and a remainder, the mu_k add up to one. *)
Lemma shrinks_join c : forall l : list (belief * Q * Z),
  (forall w mu r, In (w, mu, r) l -> 0 <= mu /\ forall f, (forall i, 0 <= f i /\ f i <= 1) -> - dotZ w f <= inject_Z r + mu * - dotZ c f) ->
  fold_right (fun x s => snd (fst x) + s) 0 l == 1 ->
  shrinks (map (fun x => fst (fst x)) l) (fold_right (fun x s => (snd x + s)%Z) 0%Z l) [c].
Proof.
  intros l H M v A.
  assert (G : exists E, v <= inject_Z (fold_right (fun x s => (snd x + s)%Z) 0%Z l)
    + fold_right (fun x s => snd (fst x) + s) 0 l * - dotZ c (prob E) /\ 0 <= fold_right (fun x s => snd (fst x) + s) 0 l).
  { clear M. revert v A. induction l as [|[[w mu] r] l IH]; intros v A; simpl in *.
    - inversion A; subst. exists (Verdict false). change (inject_Z 0) with 0. split; lra.
    - inversion A as [|? E a ? b ? Hg Hl Hv]; subst.
      destruct (IH (fun w' mu' r' I => H w' mu' r' (or_intror I)) b Hl) as (E' & HE' & M0).
      destruct (H w mu r (or_introl eq_refl)) as [mu0 Hw]. specialize (Hw (prob E) (prob_range m stoch E)).
      set (S := fold_right (fun x s => snd (fst x) + s) 0 l) in *.
      set (x := - dotZ c (prob E)) in *. set (x' := - dotZ c (prob E')) in *.
      destruct (Qlt_le_dec x x') as [L|L]; [exists E'; fold x' | exists E; fold x]; rewrite inject_add; split; nra. }
  destruct G as (E & HE & _). rewrite M in HE. eapply attained_cons with (E := E) (v2 := 0); [apply Qle_refl | apply attained_nil; lra | lra].
Qed.

(** ** Levels *)

Definition bit_length (z : Z) : Z := if Z.ltb 0 z then (Z.log2 z + 1)%Z else 0%Z.
Definition leading (z : Z) : Z := Z.shiftr z (bit_length z - 40).

Definition direction (w : belief) (size : Z) : list Z :=
  let whole := leading size in let length := bit_length size in
  flat_map (fun e : state * Z => let v := Z.abs (snd e) in
    [Zpos (fst e); if Z.ltb (snd e) 0 then 1%Z else 0%Z; (length - bit_length v)%Z; (Z.shiftl (leading v) 12 / whole)%Z]) w.

Fixpoint sift (dust : Z) (ps : list (@part Z)) (kept : list (list Z * belief)) (b a : Z) : list (list Z * belief) * Z * Z :=
  match ps with
  | [] => (kept, b, a)
  | p :: r =>
      let s := both_sides (snd p) in
      if Z.leb (Z.min (fst s) (snd s)) dust then sift dust r kept (b + gain_of s) (a + snd s)
      else let w := nonzero (snd p) in sift dust r ((direction w (fst s + snd s), w) :: kept) b a
  end.

Fixpoint expand_level (dust : Z) (level : list belief) (kept : list (list Z * belief)) (b a : Z) :
  option (list (list Z * belief) * Z * Z) :=
  match level with
  | [] => Some (kept, b, a)
  | w :: r => match iparts m rows 0 w with
      | Some ps => let '(kept', b', a') := sift dust ps kept b a in expand_level dust r kept' b' a'
      | None => None
      end
  end.

Fixpoint remainder (t w : belief) (size whole acc : Z) : option Z :=
  match t, w with
  | [], [] => Some acc
  | (i, c) :: t, (j, v) :: w => if Pos.eqb i j then remainder t w size whole (acc + Z.max (div_up (c * size) whole - v) 0) else None
  | _, _ => None
  end.

Definition size_of (w : belief) : Z := let s := both_sides w in (fst s + snd s)%Z.

Fixpoint remainders (t : belief) (whole : Z) (l : list belief) (acc : Z) : option Z :=
  match l with
  | [] => Some acc
  | w :: r => if Z.leb 0 (size_of w) then
        match remainder t w (size_of w) whole 0 with Some x => remainders t whole r (acc + x) | None => None end
      else None
  end.

(** The sum of a group, and what it costs above. *)
Definition join (g : list belief) : option (belief * Z) :=
  match g with
  | [] => None
  | [w] => Some (w, 0%Z)
  | w :: r =>
      match total_of w r with
      | None => None
      | Some t =>
          let whole := fold_right (fun w s => (size_of w + s)%Z) 0%Z g in
          if Z.ltb 0 whole then option_map (pair t) (remainders t whole g 0) else None
      end
  end.

Fixpoint join_all (gs : list (list belief)) (out : list belief) (a : Z) : option (list belief * Z) :=
  match gs with
  | [] => Some (out, a)
  | g :: r => match join g with Some (t, x) => join_all r (t :: out) (a + x) | None => None end
  end.

Definition level_step (dust : Z) (st : option (list belief * Z * Z)) : option (list belief * Z * Z) :=
  match st with
  | None | Some ([], _, _) => st
  | Some (level, b, a) =>
      match expand_level dust level [] 0 0 with
      | None => None
      | Some (kept, b1, a1) =>
          match join_all (groups_of kept) [] 0 with
          | Some (next, a2) => Some (next, (b + b1)%Z, (a + a1 + a2)%Z)
          | None => None
          end
      end
  end.

Fixpoint masses (level : list belief) (b a : Z) : Z * Z :=
  match level with
  | [] => (b, a)
  | w :: r => let s := both_sides w in masses r (b + gain_of s) (a + snd s)
  end.

Definition levels_bounds (root : belief) (depth : N) (dust : Z) : option (Z * Z) :=
  match N.iter depth (level_step dust) (Some ([root], 0%Z, 0%Z)) with
  | Some (level, b, a) => Some (masses level b a)
  | None => None
  end.

(** *** Why it is right *)

Definition moves (L : list belief) (b a : Z) (L' : list belief) : Prop := grows L b L' /\ shrinks L a L'.

Lemma moves_then L b a L' b' a' L'' : moves L b a L' -> moves L' b' a' L'' -> moves L (b + b') (a + a') L''.
Proof. intros [G S] [G' S']. split; [eapply grows_then | eapply shrinks_then]; eauto. Qed.
Lemma moves_app L1 b1 a1 L1' L2 b2 a2 L2' : moves L1 b1 a1 L1' -> moves L2 b2 a2 L2' ->
  moves (L1 ++ L2) (b1 + b2) (a1 + a2) (L1' ++ L2').
Proof. intros [G S] [G' S']. split; [eapply grows_app | eapply shrinks_app]; eauto. Qed.
Lemma moves_same L : moves L 0 0 L. Proof. split; [apply grows_same | apply shrinks_same]. Qed.
Lemma moves_perm L L' : Permutation L L' -> moves L 0 0 L'.
Proof. intros P. split; [apply grows_perm | apply shrinks_perm]; assumption. Qed.
Lemma moves_eq L b a L' b' a' : moves L b a L' -> b = b' -> a = a' -> moves L b' a' L'.
Proof. intros; subst; assumption. Qed.

Lemma moves_nonzero w : moves [w] 0 0 [nonzero w].
Proof.
  split; [apply grows_like; intros f; symmetry; apply nonzero_dot|]. apply shrinks_cover. intros f _. simpl.
  rewrite nonzero_dot. change (inject_Z 0) with 0. lra.
Qed.

Lemma sift_moves dust ps : forall kept b a kept' b' a', sift dust ps kept b a = (kept', b', a') ->
  moves (map snd ps ++ map snd kept) (b' - b) (a' - a) (map snd kept').
Proof.
  induction ps as [|p ps IH]; intros kept b a kept' b' a' H; cbn [sift] in H.
  - inversion H; subst. eapply moves_eq; [apply moves_same | lia | lia].
  - cbv zeta in H. destruct (Z.leb _ dust).
    + apply IH in H. simpl. eapply moves_eq; [|shelve|shelve].
      apply (moves_app [snd p] (gain_of (both_sides (snd p))) (snd (both_sides (snd p))) [] _ _ _ _ (conj (grows_drop _) (shrinks_drop _)) H).
      Unshelve. all: lia.
    + apply IH in H. simpl in *. eapply moves_eq; [|shelve|shelve]. eapply moves_then; [|exact H].
      eapply moves_then; [apply (moves_app [snd p] 0 0 [nonzero (snd p)] (map snd ps ++ map snd kept) 0 0 _ (moves_nonzero _) (moves_same _))|].
      apply moves_perm. simpl. apply Permutation_middle.
      Unshelve. all: lia.
Qed.

Lemma moves_step w ps : iparts m rows 0 w = Some ps -> moves [w] 0 0 (map snd ps).
Proof. intros H. split; [apply grows_step | apply shrinks_step]; assumption. Qed.

Lemma expand_moves dust level : forall kept b a kept' b' a', expand_level dust level kept b a = Some (kept', b', a') ->
  moves (level ++ map snd kept) (b' - b) (a' - a) (map snd kept').
Proof.
  induction level as [|w r IH]; intros kept b a kept' b' a' H; simpl in H.
  - inversion H; subst. eapply moves_eq; [apply moves_same | lia | lia].
  - destruct (iparts m rows 0 w) as [ps|] eqn:P; [|discriminate].
    destruct (sift dust ps kept b a) as [[k1 b1] a1] eqn:S. apply sift_moves in S. apply IH in H. simpl.
    eapply moves_eq; [|shelve|shelve]. eapply moves_then; [|exact H].
    eapply moves_then with (L' := r ++ (map snd ps ++ map snd kept)).
    { eapply moves_then; [apply (moves_app [w] 0 0 (map snd ps) (r ++ map snd kept) 0 0 _ (moves_step _ _ P) (moves_same _))|].
      apply moves_perm. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm. }
    apply (moves_app r 0 0 r _ _ _ _ (moves_same r) S).
    Unshelve. all: lia.
Qed.

Lemma remainder_spec whole size : (0 < whole)%Z -> forall t w acc x f, remainder t w size whole acc = Some x ->
  (forall i, 0 <= f i /\ f i <= 1) ->
  - dotZ w f <= inject_Z (x - acc) + inject_Z size / inject_Z whole * - dotZ t f.
Proof.
  intros W. pose proof (inject_pos _ W) as W'. induction t as [|[i c] t IH]; intros [|[j v] w] acc x f H F; simpl in H; try discriminate.
  - inversion H; subst. rewrite Z.sub_diag. simpl. change (inject_Z 0) with 0. lra.
  - destruct (Pos.eqb_spec i j) as [<-|]; [|discriminate]. specialize (IH _ _ _ f H F).
    set (e := Z.max (div_up (c * size) whole - v) 0) in *.
    assert (E : inject_Z (x - acc) == inject_Z (x - (acc + e)) + inject_Z e) by (rewrite <- inject_add; apply inject_eq; lia).
    rewrite E. cbn [dot]. destruct (F i) as [F0 F1].
    assert (A : inject_Z size / inject_Z whole * inject_Z c <= inject_Z (div_up (c * size) whole)).
    { apply Qmult_le_r with (z := inject_Z whole); [assumption|]. pose proof (div_up_ge (c * size) whole W) as D.
      rewrite inject_Z_mult in D. setoid_replace (inject_Z size / inject_Z whole * inject_Z c * inject_Z whole) with (inject_Z c * inject_Z size) by (field; lra).
      assumption. }
    assert (B0 : 0 <= inject_Z e) by (change 0 with (inject_Z 0); apply inject_le; unfold e; lia).
    assert (B1 : inject_Z (div_up (c * size) whole) - inject_Z v <= inject_Z e).
    { unfold Qminus. rewrite <- inject_Z_opp, <- inject_add. apply inject_le. unfold e. lia. }
    set (mu := inject_Z size / inject_Z whole) in *. nra.
Qed.

Lemma remainders_moves t whole : (0 < whole)%Z -> forall l acc x, remainders t whole l acc = Some x ->
  exists l', map (fun y : belief * Q * Z => fst (fst y)) l' = l
    /\ fold_right (fun y s => (snd y + s)%Z) 0%Z l' = (x - acc)%Z
    /\ fold_right (fun y s => snd (fst y) + s) 0 l' == inject_Z (fold_right (fun w s => (size_of w + s)%Z) 0%Z l) / inject_Z whole
    /\ forall w mu r, In (w, mu, r) l' -> 0 <= mu /\ forall f, (forall i, 0 <= f i /\ f i <= 1) -> - dotZ w f <= inject_Z r + mu * - dotZ t f.
Proof.
  intros W. pose proof (inject_pos _ W) as W'. induction l as [|w l IH]; intros acc x H; simpl in H.
  - inversion H; subst. exists []. split; [reflexivity|]. split; [simpl; lia|].
    split; [simpl; change (inject_Z 0) with 0; field; lra | intros ? ? ? []].
  - destruct (Z.leb_spec 0 (size_of w)) as [S|]; [|discriminate].
    destruct (remainder t w (size_of w) whole 0) as [r|] eqn:R; [|discriminate].
    destruct (IH _ _ H) as (l' & E1 & E2 & E3 & E4).
    exists ((w, inject_Z (size_of w) / inject_Z whole, r) :: l'). cbn [map fold_right fst snd]. repeat split.
    + rewrite E1. reflexivity.
    + rewrite E2. lia.
    + rewrite E3, inject_add. field. lra.
    + destruct H0 as [E|I]; [|apply (E4 _ _ _ I)]. inversion E; subst. apply inject_le in S. change (inject_Z 0) with 0 in S.
      apply Qle_shift_div_l; [assumption|lra].
    + intros f F. destruct H0 as [E|I]; [|apply (E4 _ _ _ I); assumption]. inversion E; subst.
      pose proof (remainder_spec whole (size_of w0) W t w0 0 r0 f R F) as X. rewrite Z.sub_0_r in X. exact X.
Qed.

Lemma join_moves g t x : join g = Some (t, x) -> moves g 0 x [t].
Proof.
  destruct g as [|w [|w' r]]; intros H; [discriminate| |].
  - simpl in H. inversion H; subst. apply moves_same.
  - unfold join in H. destruct (total_of w (w' :: r)) as [s|] eqn:T; [|discriminate].
    set (g := w :: w' :: r) in *. set (whole := fold_right (fun w s => (size_of w + s)%Z) 0%Z g) in *.
    destruct (Z.ltb_spec 0 whole) as [W|]; [|discriminate].
    destruct (remainders s whole g 0) as [y|] eqn:R; [|discriminate]. simpl in H. inversion H; subst.
    split; [apply (grows_sum _ _ _ T)|]. destruct (remainders_moves t whole W g 0 x R) as (l' & E1 & E2 & E3 & E4).
    rewrite <- E1. rewrite Z.sub_0_r in E2. rewrite <- E2. apply shrinks_join; [assumption|].
    rewrite E3. fold whole. apply inject_pos in W. field. lra.
Qed.

Lemma join_all_moves gs : forall out a next a', join_all gs out a = Some (next, a') -> moves (concat gs ++ out) 0 (a' - a) next.
Proof.
  induction gs as [|g gs IH]; intros out a next a' H; simpl in H.
  - inversion H; subst. eapply moves_eq; [apply moves_same | lia | lia].
  - destruct (join g) as [[t x]|] eqn:J; [|discriminate]. apply IH in H. apply join_moves in J. simpl.
    eapply moves_eq; [|shelve|shelve]. eapply moves_then; [|exact H].
    rewrite <- app_assoc. eapply moves_then; [apply (moves_app g 0 x [t] (concat gs ++ out) 0 0 _ J (moves_same _))|].
    apply moves_perm. simpl. apply Permutation_middle.
    Unshelve. all: lia.
Qed.

Definition reached (root : belief) (st : option (list belief * Z * Z)) : Prop :=
  match st with None => True | Some (level, b, a) => moves [root] b a level end.

Lemma level_step_reached root dust st : reached root st -> reached root (level_step dust st).
Proof.
  destruct st as [[[level b] a]|]; [|exact (fun H => H)]. intros H. destruct level as [|w0 l0]; [exact H|].
  unfold level_step. set (level := w0 :: l0) in *. destruct (expand_level dust level [] 0 0) as [[[kept b1] a1]|] eqn:E; [|exact I].
  destruct (join_all (groups_of kept) [] 0) as [[next a2]|] eqn:J; [|exact I]. simpl.
  apply expand_moves in E. apply join_all_moves in J. rewrite app_nil_r in E, J.
  eapply moves_eq; [|shelve|shelve]. eapply moves_then; [exact H|]. eapply moves_then; [exact E|].
  eapply moves_then; [apply moves_perm, Permutation_sym, groups_perm | exact J].
  Unshelve. all: lia.
Qed.

Lemma masses_moves level : forall b a b' a', masses level b a = (b', a') -> moves level (b' - b) (a' - a) [].
Proof.
  induction level as [|w r IH]; intros b a b' a' H; simpl in H.
  - inversion H; subst. eapply moves_eq; [apply moves_same | lia | lia].
  - apply IH in H. eapply moves_eq; [|shelve|shelve].
    apply (moves_app [w] _ _ [] r _ _ [] (conj (grows_drop w) (shrinks_drop w)) H).
    Unshelve. all: lia.
Qed.

Lemma grows_all root b : grows [root] b [] -> exists E, inject_Z b <= dotZ root (prob E).
Proof.
  intros G. assert (A : attained (gains m [root]) (0 + inject_Z b)) by (apply G, attained_nil; lra).
  inversion A as [|? E x ? y ? Hg Hl Hv]; subst. inversion Hl; subst. exists E. lra.
Qed.
Lemma shrinks_all root a E : shrinks [root] a [] -> - dotZ root (prob E) <= inject_Z a.
Proof.
  intros S. assert (A : attained (losses m [root]) (- dotZ root (prob E))).
  { eapply attained_cons with (E := E) (v2 := 0); [apply Qle_refl | apply attained_nil; lra | lra]. }
  apply S in A. inversion A; subst. lra.
Qed.

Theorem levels_sound root depth dust b a : levels_bounds root depth dust = Some (b, a) ->
  (exists E, inject_Z b <= dotZ root (prob E)) /\ forall E, - dotZ root (prob E) <= inject_Z a.
Proof.
  unfold levels_bounds. pose proof (N.iter_invariant depth _ (level_step dust) (reached root) (level_step_reached root dust)
    (Some ([root], 0%Z, 0%Z)) (moves_same [root])) as R.
  destruct (N.iter depth (level_step dust) _) as [[[level b1] a1]|]; [|discriminate]. intros H. inversion H as [Em].
  apply masses_moves in Em. simpl in R. pose proof (moves_then _ _ _ _ _ _ _ R Em) as [G S].
  replace (b1 + (b - b1))%Z with b in G by lia. replace (a1 + (a - a1))%Z with a in S by lia.
  split; [apply grows_all; assumption | intros E; apply shrinks_all; assumption].
Qed.
End Levels.
