(** Recipes of kind "levels", for every chain whose rows are within limits (R6, L4).

    Many beliefs at once, joined where they point the same way. After different words the rows may be different ones, so the
    members of a group need not have one value function: what the sum leaves of a member is paid for on both sides. What is
    computed is [Deltachain.Levels], with what is lost at each step. *)

Require Import Reals Lra Lia Psatz Bool List Permutation PArith ZArith NArith.
Require Import Deltachain.functions.Products Deltachain.functions.Exp Deltachain.boxes.Chains.
Require Deltachain.Levels.
Import Deltachain.Levels(groups_of, groups_perm, zip_add, total_of, remainder, size_of, remainders, join, join_all, sift, masses).
Import ListNotations.
Open Scope R_scope.

Section Levels.
Variable rows : nat -> state -> irow.
Variable lb : state -> label.

Fixpoint expand_level (dust : Z) (level : list belief) (kept : list (list Z * belief)) (b a : Z) :
  option (list (list Z * belief) * Z * Z) :=
  match level with
  | [] => Some (kept, b, a)
  | w :: r => match iparts rows lb 0 w with
      | Some ps => let l := lost rows 0 w in let '(kept', b', a') := sift dust ps kept (b - l) (a + l) in expand_level dust r kept' b' a'
      | None => None
      end
  end.

Definition level_step (dust : Z) (st : option (list belief * Z * Z)) : option (list belief * Z * Z) :=
  match st with
  | None | Some ([], _, _) => st
  | Some (level, b, a) =>
      match expand_level dust level [] 0 0 with
      | None => None
      | Some (kept, b1, a1) =>
          match join_all (groups_of kept) [] 0 with
          | Some (next, x) => Some (next, (b + b1 - x)%Z, (a + a1 + x)%Z)
          | None => None
          end
      end
  end.

Definition levels_bounds (root : belief) (depth : N) (dust : Z) : option (Z * Z) :=
  match N.iter depth (level_step dust) (Some ([root], 0%Z, 0%Z)) with
  | Some (level, b, a) => Some (masses level b a)
  | None => None
  end.

(** ** Why it is right *)

Variable P : chain.
Hypothesis P_proper : proper P.
Variable known : state -> Prop.
Hypothesis P_within : forall h k i, known i -> within (move_of P h k i) (rows k i).
Hypothesis one_input : forall k i, known i -> rows k i = rows 0 i.
Hypothesis lb_ok : forall i, known i -> lab_of P i = lb i.
Hypothesis targets_known : forall k i s, known i -> In s (shares (rows k i)) -> known (fst s).
Notation all_known := (all_known known).
Notation bounded := (bounded P).

(** Bounds of several beliefs: sums of bounds of each. *)
Inductive limits : list belief -> R -> R -> Prop :=
| limits_nil b a : b <= 0 -> 0 <= a -> limits [] b a
| limits_cons w b1 a1 L b2 a2 b a : bounded w b1 a1 -> limits L b2 a2 -> b <= b1 + b2 -> a1 + a2 <= a -> limits (w :: L) b a.

Lemma limits_weaker L b a b' a' : limits L b a -> b' <= b -> a <= a' -> limits L b' a'.
Proof. intros H B A. inversion H; subst; [apply limits_nil; lra | eapply limits_cons; eauto; lra]. Qed.

Lemma limits_app L1 L2 b1 a1 b2 a2 : limits L1 b1 a1 -> limits L2 b2 a2 -> limits (L1 ++ L2) (b1 + b2) (a1 + a2).
Proof.
  intros H. revert b2 a2. induction H as [b a B A|w x y L x' y' b a Bd Li IH B A]; intros b2 a2 H2; simpl.
  - eapply limits_weaker; [exact H2 | lra | lra].
  - eapply limits_cons; [exact Bd | apply IH; exact H2 | lra | lra].
Qed.

Lemma limits_split L1 : forall L2 b a, limits (L1 ++ L2) b a -> exists b1 a1 b2 a2,
  limits L1 b1 a1 /\ limits L2 b2 a2 /\ b <= b1 + b2 /\ a1 + a2 <= a.
Proof.
  induction L1 as [|w L1 IH]; intros L2 b a H; simpl in H.
  - exists 0, 0, b, a. repeat split; [apply limits_nil; lra | assumption | lra | lra].
  - inversion H as [|? x y ? x' y' ? ? Bd Li B A]; subst. destruct (IH _ _ _ Li) as (b1 & a1 & b2 & a2 & H1 & H2 & B' & A').
    exists (x + b1), (y + a1), b2, a2. repeat split; [eapply limits_cons; eauto; lra | assumption | lra | lra].
Qed.

Lemma limits_perm L L' : Permutation L L' -> forall b a, limits L b a -> limits L' b a.
Proof.
  induction 1 as [|w L L' H IH|w w' L|L L' L'' H1 IH1 H2 IH2]; intros b a A; auto.
  - inversion A; subst. eapply limits_cons; eauto.
  - inversion A as [|? x y ? x' y' ? ? Bd Li B1 A1]; subst. inversion Li as [|? u v ? u' v' ? ? Bd' Li' B2 A2]; subst.
    eapply limits_cons; [exact Bd' | eapply limits_cons; [exact Bd | exact Li' | apply Rle_refl | apply Rle_refl] | lra | lra].
Qed.

(** What bounds L' bounds L, with b and a more. *)
Definition moves (L : list belief) (b a : Z) (L' : list belief) : Prop := Forall all_known L ->
  Forall all_known L' /\ forall v u, limits L' v u -> limits L (v + IZR b) (u + IZR a).

Lemma moves_then L b a L' b' a' L'' : moves L b a L' -> moves L' b' a' L'' -> moves L (b + b') (a + a') L''.
Proof.
  intros H H' K. destruct (H K) as [K' G]. destruct (H' K') as [K'' G']. split; [assumption|]. intros v u A.
  apply G', G in A. eapply limits_weaker; [exact A | |]; rewrite plus_IZR; lra.
Qed.
Lemma moves_app L1 b1 a1 L1' L2 b2 a2 L2' : moves L1 b1 a1 L1' -> moves L2 b2 a2 L2' ->
  moves (L1 ++ L2) (b1 + b2) (a1 + a2) (L1' ++ L2').
Proof.
  intros H1 H2 K. apply Forall_app in K. destruct K as [K1 K2]. destruct (H1 K1) as [K1' G1]. destruct (H2 K2) as [K2' G2].
  split; [apply Forall_app; auto|]. intros v u A. apply limits_split in A. destruct A as (x & y & x' & y' & A1 & A2 & B & A).
  apply G1 in A1. apply G2 in A2. eapply limits_weaker; [apply (limits_app _ _ _ _ _ _ A1 A2) | |]; rewrite plus_IZR; lra.
Qed.
Lemma moves_perm L L' : Permutation L L' -> moves L 0 0 L'.
Proof.
  intros H K. split; [eapply Permutation_Forall; eassumption|]. intros v u A.
  eapply limits_weaker; [eapply limits_perm; [apply Permutation_sym; exact H | exact A] | |]; lra.
Qed.
Lemma moves_same L : moves L 0 0 L. Proof. apply moves_perm. reflexivity. Qed.
Lemma moves_eq L b a L' b' a' : moves L b a L' -> b = b' -> a = a' -> moves L b' a' L'.
Proof. intros; subst; assumption. Qed.

Lemma moves_drop w : moves [w] (gain_of (both_sides w)) (snd (both_sides w)) [].
Proof.
  intros _. split; [constructor|]. intros v u A. inversion A; subst.
  eapply limits_cons with (b2 := v) (a2 := u); [apply (own P P_proper w) | apply limits_nil; assumption | lra | lra].
Qed.

Lemma moves_nonzero w : moves [w] 0 0 [nonzero w].
Proof.
  intros K. inversion K; subst. split; [constructor; [apply nonzero_known; assumption | constructor]|]. intros v u A.
  inversion A as [|? x y ? x' y' ? ? Bd Li B C]; subst. apply limits_cons with (b1 := x) (a1 := y) (2 := Li); [|lra|lra].
  intros h. destruct (Bd h) as [[E HE] G]. rewrite nonzero_dot in HE. split; [exists E; assumption|]. intros E'. rewrite <- nonzero_dot. apply G.
Qed.

Lemma moves_step w ps : iparts rows lb 0 w = Some ps -> moves [w] (- lost rows 0 w) (lost rows 0 w) (map snd ps).
Proof.
  intros S K. inversion K as [|? ? Kw _]; subst. split.
  { apply Forall_forall. intros x I. apply in_map_iff in I. destruct I as (p & <- & I). apply (part_known rows lb known targets_known 0 w ps p Kw S I). }
  intros v u A. rewrite opp_IZR. set (l := IZR (lost rows 0 w)). assert (N := iparts_distinct rows lb 0 w ps S).
  assert (G : forall h, (exists c, v <= sum_over P h c ps) /\ forall c, - sum_over P h c ps <= u).
  { clear S K Kw. intros h. unfold sum_over. revert v u A. induction ps as [|p ps IH]; intros v u A; simpl in A.
    - inversion A; subst. simpl. split; [exists (fun _ => Verdict false); lra | intros; lra].
    - inversion N as [|? ? Np Nps]; subst. inversion A as [|? x y ? x' y' ? ? Bd Li B C]; subst. destruct (IH Nps _ _ Li) as [[c Hc] Hu].
      destruct (Bd (fst p :: h)) as [[E HE] G]. cbn [sum_parts]. split.
      + exists (fun a => if Pos.eqb a (fst p) then E else c a). rewrite Pos.eqb_refl.
        rewrite (sum_parts_ext _ (fun q => dotZ (snd q) (cprob P (fst q :: h) (c (fst q))))); [lra|].
        intros q Iq. destruct (Pos.eqb_spec (fst q) (fst p)) as [e|_]; [|reflexivity]. exfalso. apply Np. rewrite <- e. apply in_map. assumption.
      + intros c'. specialize (Hu c'). specialize (G (c' (fst p))). lra. }
  assert (Ex : forall k, iparts rows lb k w = Some ps /\ lost rows k w = lost rows 0 w).
  { intros k. assert (E : istep rows k w = istep rows 0 w /\ lost rows k w = lost rows 0 w).
    { clear - Kw one_input. unfold istep, lost. induction Kw as [|[i x] w Ki Kw [I1 I2]]; [split; reflexivity|].
      cbn [flat_map fold_right fst snd] in *. rewrite (one_input k i Ki), I1, I2. split; reflexivity. }
    destruct E as [E1 E2]. split; [unfold iparts in *; rewrite E1; assumption | assumption]. }
  assert (St : forall h k c, sum_over P h c ps - l <= dotZ w (cprob P h (Look k c))).
  { intros h k c. destruct (Ex k) as [E1 E2]. unfold l. rewrite <- E2.
    apply (step_sound rows lb P P_proper known P_within lb_ok targets_known h k w ps c Kw E1). }
  apply limits_cons with (b1 := v - l) (a1 := u + l) (b2 := 0) (a2 := 0); [|apply limits_nil; lra | lra | lra].
  intros h. destruct (G h) as [[c Hc] Hu]. split.
  - exists (Look 0 c). specialize (St h 0%nat c). lra.
  - intros [b|k c']; [rewrite (verdict_look P P_proper h w b 0)|]; [specialize (St h 0%nat (fun _ => Verdict b)); specialize (Hu (fun _ => Verdict b))
      | specialize (St h k c'); specialize (Hu c')]; lra.
Qed.

Lemma sift_moves dust ps : forall kept b a kept' b' a', sift dust ps kept b a = (kept', b', a') ->
  moves (map snd ps ++ map snd kept) (b' - b) (a' - a) (map snd kept').
Proof.
  induction ps as [|p ps IH]; intros kept b a kept' b' a' H; cbn [sift] in H.
  - inversion H; subst. eapply moves_eq; [apply moves_same | lia | lia].
  - cbv zeta in H. destruct (Z.leb _ dust).
    + apply IH in H. simpl. eapply moves_eq; [apply (moves_app [snd p] _ _ [] _ _ _ _ (moves_drop _) H) | lia | lia].
    + apply IH in H. simpl in *. eapply moves_eq; [eapply moves_then; [|exact H] | shelve | shelve].
      eapply moves_then; [apply (moves_app [snd p] 0 0 [nonzero (snd p)] (map snd ps ++ map snd kept) 0 0 _ (moves_nonzero _) (moves_same _))|].
      apply moves_perm. simpl. apply Permutation_middle.
      Unshelve. all: lia.
Qed.

Lemma expand_moves dust level : forall kept b a kept' b' a', expand_level dust level kept b a = Some (kept', b', a') ->
  moves (level ++ map snd kept) (b' - b) (a' - a) (map snd kept').
Proof.
  induction level as [|w r IH]; intros kept b a kept' b' a' H; simpl in H.
  - inversion H; subst. eapply moves_eq; [apply moves_same | lia | lia].
  - destruct (iparts rows lb 0 w) as [ps|] eqn:S; [|discriminate]. set (l := lost rows 0 w) in *.
    destruct (sift dust ps kept (b - l) (a + l)) as [[k1 b1] a1] eqn:Si. apply sift_moves in Si. apply IH in H. simpl.
    eapply moves_eq; [eapply moves_then; [|exact H] | shelve | shelve].
    eapply moves_then with (L' := r ++ (map snd ps ++ map snd kept)).
    { eapply moves_then; [apply (moves_app [w] _ _ (map snd ps) (r ++ map snd kept) 0 0 _ (moves_step _ _ S) (moves_same _))|].
      apply moves_perm. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm. }
    apply (moves_app r 0 0 r _ _ _ _ (moves_same r) Si).
    Unshelve. all: fold l; lia.
Qed.

(** ** Joining *)

Lemma zip_add_spec a : forall b c, zip_add a b = Some c -> (forall f, dotZ c f = dotZ a f + dotZ b f) /\ (all_known a -> all_known c).
Proof.
  induction a as [|[i x] a IH]; intros [|[j y] b] c H; simpl in H; try discriminate; [inversion H; split; [intros; simpl; ring | auto]|].
  destruct (Pos.eqb_spec i j) as [<-|]; [|discriminate]. destruct (zip_add a b) as [r|] eqn:E; [|discriminate].
  simpl in H. inversion H; subst. destruct (IH _ _ E) as [D K]. split.
  - intros f. cbn [dot]. rewrite D, plus_IZR. ring.
  - intros Ka. inversion Ka; subst. constructor; [assumption | apply K; assumption].
Qed.

Lemma total_of_known others : forall first t, total_of first others = Some t -> all_known first -> all_known t.
Proof.
  induction others as [|w r IH]; intros first t H K; simpl in H; [inversion H; subst; assumption|].
  destruct (zip_add first w) as [s|] eqn:E; [|discriminate]. apply (IH _ _ H). apply (zip_add_spec _ _ _ E), K.
Qed.

(** A member is at least its part of the sum, less the remainder. *)
Lemma remainder_spec whole size : (0 < whole)%Z -> forall t w acc x f, remainder t w size whole acc = Some x -> chances f ->
  IZR size / IZR whole * dotZ t f - IZR (x - acc) <= dotZ w f.
Proof.
  intros W. pose proof (IZR_lt _ _ W) as W'. set (mu := IZR size / IZR whole).
  induction t as [|[i c] t IH]; intros [|[j v] w] acc x f H F; simpl in H; try discriminate.
  - inversion H; subst. rewrite Z.sub_diag. simpl. lra.
  - destruct (Pos.eqb_spec i j) as [<-|]; [|discriminate]. specialize (IH _ _ _ f H F).
    change (Deltachain.Integers.div_up (c * size) whole) with (div_up (c * size) whole) in *.
    set (e := Z.max (div_up (c * size) whole - v) 0) in *. replace (x - acc)%Z with ((x - (acc + e)) + e)%Z by lia. rewrite plus_IZR.
    cbn [dot]. destruct (F i) as [F0 F1].
    assert (A : mu * IZR c <= IZR (div_up (c * size) whole)).
    { apply (Rmult_le_reg_r (IZR whole)); [assumption|]. pose proof (div_up_ge (c * size) whole W) as D. rewrite mult_IZR in D.
      unfold mu. replace (IZR size / IZR whole * IZR c * IZR whole) with (IZR c * IZR size) by (field; lra). assumption. }
    assert (B0 : 0 <= IZR e) by (apply (IZR_le 0); unfold e; lia).
    assert (B1 : IZR (div_up (c * size) whole) - IZR v <= IZR e) by (rewrite <- minus_IZR; apply IZR_le; unfold e; lia).
    assert ((mu * IZR c - IZR v) * f i <= IZR e) by nra. nra.
Qed.

Lemma remainders_limits t whole v u : (0 < whole)%Z -> bounded t v u -> forall l acc x, remainders t whole l acc = Some x ->
  let mu := IZR (fold_right (fun w s => (size_of w + s)%Z) 0%Z l) / IZR whole in
  limits l (mu * v - IZR (x - acc)) (mu * u + IZR (x - acc)).
Proof.
  intros W B. pose proof (IZR_lt _ _ W) as W'. induction l as [|w l IH]; intros acc x H; simpl in H.
  - inversion H; subst. rewrite Z.sub_diag. apply limits_nil; simpl; unfold Rdiv; lra.
  - destruct (Z.leb_spec 0 (size_of w)) as [S|]; [|discriminate].
    destruct (remainder t w (size_of w) whole 0) as [r|] eqn:R; [|discriminate]. specialize (IH _ _ H). cbv zeta in *.
    cbn [fold_right]. set (mu := IZR (size_of w) / IZR whole). apply IZR_le in S.
    assert (M0 : 0 <= mu) by (unfold mu, Rdiv; apply Rmult_le_pos; [assumption | left; apply Rinv_0_lt_compat; assumption]).
    apply limits_cons with (b1 := mu * v - IZR r) (a1 := mu * u + IZR r) (2 := IH).
    + intros h. destruct (B h) as [[E HE] G].
      assert (Q : forall E', mu * dotZ t (cprob P h E') - IZR r <= dotZ w (cprob P h E')).
      { intros E'. pose proof (remainder_spec whole (size_of w) W t w 0 r (cprob P h E') R (cprob_range P P_proper E' h)) as X.
        rewrite Z.sub_0_r in X. exact X. }
      split; [exists E; specialize (Q E); nra | intros E'; specialize (Q E'); specialize (G E'); nra].
    + rewrite plus_IZR. replace (x - acc)%Z with ((x - (acc + r)) + r)%Z by lia. rewrite plus_IZR. unfold mu, Rdiv. lra.
    + rewrite plus_IZR. replace (x - acc)%Z with ((x - (acc + r)) + r)%Z by lia. rewrite plus_IZR. unfold mu, Rdiv. lra.
Qed.

Lemma join_moves g t x : join g = Some (t, x) -> moves g (- x) x [t].
Proof.
  destruct g as [|w [|w' r]]; intros H; [discriminate| |].
  - simpl in H. inversion H; subst. eapply moves_eq; [apply moves_same | reflexivity | reflexivity].
  - unfold join in H. destruct (total_of w (w' :: r)) as [s|] eqn:T; [|discriminate].
    set (g := w :: w' :: r) in *. set (whole := fold_right (fun w s => (size_of w + s)%Z) 0%Z g) in *.
    destruct (Z.ltb_spec 0 whole) as [W|]; [|discriminate].
    destruct (remainders s whole g 0) as [y|] eqn:R; [|discriminate]. simpl in H. inversion H; subst.
    intros K. split; [constructor; [|constructor]; apply (total_of_known _ _ _ T); inversion K; assumption|].
    intros v u A. inversion A as [|? x0 y0 ? x1 y1 ? ? Bd Li B C]; subst. inversion Li; subst.
    pose proof (remainders_limits t whole x0 y0 W Bd g 0 x R) as L. cbv zeta in L. fold whole in L. rewrite Z.sub_0_r in L. apply IZR_lt in W.
    replace (IZR whole / IZR whole) with 1 in L by (field; lra). rewrite opp_IZR. eapply limits_weaker; [exact L | lra | lra].
Qed.

Lemma join_all_moves gs : forall out a next a', join_all gs out a = Some (next, a') -> moves (concat gs ++ out) (a - a') (a' - a) next.
Proof.
  induction gs as [|g gs IH]; intros out a next a' H; simpl in H.
  - inversion H; subst. eapply moves_eq; [apply moves_same | lia | lia].
  - destruct (join g) as [[t x]|] eqn:J; [|discriminate]. apply IH in H. apply join_moves in J. simpl.
    eapply moves_eq; [eapply moves_then; [|exact H] | shelve | shelve].
    rewrite <- app_assoc. eapply moves_then; [apply (moves_app g _ _ [t] (concat gs ++ out) 0 0 _ J (moves_same _))|].
    apply moves_perm. simpl. apply Permutation_middle.
    Unshelve. all: lia.
Qed.

Definition reached (root : belief) (st : option (list belief * Z * Z)) : Prop :=
  match st with None => True | Some (level, b, a) => moves [root] b a level end.

Lemma level_step_reached root dust st : reached root st -> reached root (level_step dust st).
Proof.
  destruct st as [[[level b] a]|]; [|exact (fun H => H)]. intros H. destruct level as [|w0 l0]; [exact H|].
  unfold level_step. set (level := w0 :: l0) in *. destruct (expand_level dust level [] 0 0) as [[[kept b1] a1]|] eqn:E; [|exact I].
  destruct (join_all (groups_of kept) [] 0) as [[next x]|] eqn:J; [|exact I]. simpl.
  apply expand_moves in E. apply join_all_moves in J. rewrite app_nil_r in E, J.
  eapply moves_eq; [eapply moves_then; [exact H|]; eapply moves_then; [exact E|];
    eapply moves_then; [apply moves_perm, Permutation_sym, groups_perm | exact J] | lia | lia].
Qed.

Lemma masses_moves level : forall b a b' a', masses level b a = (b', a') -> moves level (b' - b) (a' - a) [].
Proof.
  induction level as [|w r IH]; intros b a b' a' H; simpl in H.
  - inversion H; subst. eapply moves_eq; [apply moves_same | lia | lia].
  - apply IH in H. eapply moves_eq; [apply (moves_app [w] _ _ [] r _ _ [] (moves_drop w) H) | lia | lia].
Qed.

Theorem levels_sound root depth dust b a : all_known root -> levels_bounds root depth dust = Some (b, a) -> bounded root (IZR b) (IZR a).
Proof.
  unfold levels_bounds. intros K. pose proof (N.iter_invariant depth _ (level_step dust) (reached root) (level_step_reached root dust)
    (Some ([root], 0%Z, 0%Z)) (moves_same [root])) as R.
  destruct (N.iter depth (level_step dust) _) as [[[level b1] a1]|]; [|discriminate]. intros H. inversion H as [Em].
  apply masses_moves in Em. simpl in R. pose proof (moves_then _ _ _ _ _ _ _ R Em) as G.
  replace (b1 + (b - b1))%Z with b in G by lia. replace (a1 + (a - a1))%Z with a in G by lia.
  destruct (G ltac:(constructor; [assumption | constructor])) as [_ L]. specialize (L 0 0 ltac:(apply limits_nil; lra)).
  inversion L as [|? x y ? x' y' ? ? Bd Li B A]; subst. inversion Li; subst. apply (bounded_weaker P root x y); [assumption | lra | lra].
Qed.
End Levels.
