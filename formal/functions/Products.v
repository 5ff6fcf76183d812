(** Products of vectors with functions of states, in reals; and numbers that are computed with.

    Vectors are those of [Deltachain.Vectors]: lists of entries, of which nothing is used but their products. Here the
    products are real numbers. The numbers of a certificate are a class: what is computed ([Numbers]) is kept apart from
    what it means ([Meaning]), so that no real number is ever part of what is extracted. *)

Require Import Reals Lra Lia Psatz Bool List Permutation PArith ZArith.
Require Deltachain.Vectors Deltachain.Model.
Export Deltachain.Vectors(state, label, sort, sort_perm, collect, state_leb, gather, gather_in, entries_ok,
  part, runs, runs_pure, ascending, ascending_nodup, split, pure, choose_by_label).
Export Deltachain.Model(of_list, of_list_in, event, Verdict, Look).
Import ListNotations.
Open Scope R_scope.
Module M := Deltachain.Model.M.

Section Dot.
Context {A : Type} (val : A -> R).

Fixpoint dot (w : list (state * A)) (f : state -> R) : R :=
  match w with [] => 0 | (i, v) :: w' => val v * f i + dot w' f end.

Lemma dot_app w w' f : dot (w ++ w') f = dot w f + dot w' f.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma dot_perm w w' f : Permutation w w' -> dot w f = dot w' f.
Proof.
  induction 1 as [|[i v] l l' _ IH|[i v] [j u] l|]; simpl; try reflexivity.
  - rewrite IH. reflexivity.
  - ring.
  - etransitivity; eassumption.
Qed.

Lemma dot_ext w f g : (forall i v, In (i, v) w -> f i = g i) -> dot w f = dot w g.
Proof.
  induction w as [|[i v] w IH]; simpl; intros H; [reflexivity|].
  rewrite (H i v) by auto. rewrite IH; [reflexivity|]. intros j u Hj. apply (H j u); auto.
Qed.

Lemma dot_ext_all w f g : (forall i, f i = g i) -> dot w f = dot w g.
Proof. intros H. apply dot_ext; auto. Qed.

Lemma dot_plus w f g : dot w (fun i => f i + g i) = dot w f + dot w g.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma dot_times w c f : dot w (fun i => c * f i) = c * dot w f.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma dot_minus w f g : dot w (fun i => f i - g i) = dot w f - dot w g.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma dot_zero w : dot w (fun _ => 0) = 0.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma dot_const w c : dot w (fun _ => c) = c * dot w (fun _ => 1).
Proof. rewrite <- dot_times. apply dot_ext_all. intros; ring. Qed.

Definition all_nonneg w := Forall (fun e : state * A => 0 <= val (snd e)) w.

Lemma dot_nonneg w f : all_nonneg w -> (forall i, 0 <= f i) -> 0 <= dot w f.
Proof.
  intros H Hf. induction w as [|[i v] w IH]; simpl; [lra|].
  inversion H as [|? ? Hv Hw]; subst; simpl in *. specialize (IH Hw). specialize (Hf i). nra.
Qed.

Lemma dot_mono w f g : all_nonneg w -> (forall i, f i <= g i) -> dot w f <= dot w g.
Proof.
  intros H Hf. induction w as [|[i v] w IH]; simpl; [lra|].
  inversion H as [|? ? Hv Hw]; subst; simpl in *. specialize (IH Hw). specialize (Hf i). nra.
Qed.
End Dot.

(** ** Adding up entries *)

Section Gather.
Context {A : Type} (val : A -> R) (add : A -> A -> A).
Hypothesis val_add : forall a b, val (add a b) = val a + val b.

Lemma collect_dot w f : dot val (collect add w) f = dot val w f.
Proof.
  induction w as [|[i v] t IH]; simpl; [reflexivity|].
  destruct (collect add t) as [|[j u] r]; simpl in *; [rewrite <- IH; ring|].
  destruct (Pos.eqb_spec i j) as [->|_]; simpl; rewrite <- IH; [|reflexivity].
  rewrite val_add. ring.
Qed.

Lemma gather_dot w f : dot val (gather add w) f = dot val w f.
Proof. unfold gather. rewrite collect_dot. apply dot_perm, sort_perm. Qed.

Lemma entries_zero test w f : (forall v, test v = true -> val v = 0) -> entries_ok add test w = true -> dot val w f = 0.
Proof.
  intros H T. rewrite <- gather_dot. unfold entries_ok in T. induction (gather add w) as [|[i v] t IH]; simpl; [reflexivity|].
  simpl in T. apply andb_prop in T. destruct T as [Tv Tt]. rewrite IH by assumption. rewrite (H v Tv). ring.
Qed.
End Gather.

(** ** Parts by label *)

Section Parts.
Context {A : Type} (val : A -> R) (lab : state -> label).

Fixpoint sum_parts (F : @part A -> R) (ps : list (@part A)) : R :=
  match ps with [] => 0 | p :: r => F p + sum_parts F r end.

Lemma runs_dot w f : dot val w f = sum_parts (fun p => dot val (snd p) f) (runs lab w).
Proof.
  induction w as [|[i v] t IH]; simpl; [reflexivity|]. rewrite IH.
  destruct (runs lab t) as [|[a p] r]; simpl; [ring|].
  destruct (Pos.eqb (lab i) a); simpl; ring.
Qed.

Lemma sum_parts_le F G ps : (forall p, In p ps -> F p <= G p) -> sum_parts F ps <= sum_parts G ps.
Proof.
  induction ps as [|p ps IH]; simpl; intros H; [lra|]. pose proof (H p (or_introl eq_refl)).
  assert (sum_parts F ps <= sum_parts G ps) by (apply IH; intros; apply H; auto). lra.
Qed.

Lemma sum_parts_ext F G ps : (forall p, In p ps -> F p = G p) -> sum_parts F ps = sum_parts G ps.
Proof.
  induction ps as [|p ps IH]; simpl; intros H; [reflexivity|].
  rewrite (H p) by auto. rewrite IH; [reflexivity|]. intros; apply H; auto.
Qed.

Lemma sum_parts_plus F G ps : sum_parts (fun p => F p + G p) ps = sum_parts F ps + sum_parts G ps.
Proof. induction ps as [|p ps IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma sum_parts_times c F ps : sum_parts (fun p => c * F p) ps = c * sum_parts F ps.
Proof. induction ps as [|p ps IH]; simpl; [ring|]. rewrite IH. ring. Qed.

(** What holds of a split: labels that differ, parts of one label each, and the same products. *)
Lemma split_spec w ps : split lab w = Some ps ->
  NoDup (map fst ps) /\ Forall (pure lab) ps /\ forall f, dot val w f = sum_parts (fun p => dot val (snd p) f) ps.
Proof.
  unfold split. destruct (ascending (runs lab w)) eqn:E; [|discriminate]. intros H; inversion H; subst.
  split; [apply ascending_nodup; assumption|]. split; [apply runs_pure | intros; apply runs_dot].
Qed.

(** The product of a part with a function that looks at the label. *)
Lemma part_dot (p : part) (g : label -> state -> R) : pure lab p ->
  dot val (snd p) (fun j => g (lab j) j) = dot val (snd p) (g (fst p)).
Proof.
  intros H. apply dot_ext. intros i v I. unfold pure in H. rewrite Forall_forall in H.
  pose proof (H (i, v) I) as E. simpl in E. rewrite E. reflexivity.
Qed.
End Parts.

(** ** Numbers that are computed with, and the reals that they stand for.

    Every test may say no where it should say yes, and nothing else is asked of it: a sign that an enclosure does not tell
    makes a check fail. *)

Class Numbers := {
  num : Type; n0 : num; n1 : num;
  nadd : num -> num -> num; nmul : num -> num -> num; nsub : num -> num -> num; ndiv : num -> num -> num;
  is_zero : num -> bool; nle : num -> num -> bool; nlt : num -> num -> bool;
  nfloor : num -> Z -> option Z }.   (** of d times the number *)

(** What they mean is no part of what is computed. *)
Class Meaning (Num : Numbers) := {
  value : num -> R;
  value_0 : value n0 = 0; value_1 : value n1 = 1;
  value_add : forall a b, value (nadd a b) = value a + value b;
  value_mul : forall a b, value (nmul a b) = value a * value b;
  value_sub : forall a b, value (nsub a b) = value a - value b;
  value_div : forall a b, nlt n0 b = true -> value (ndiv a b) = value a / value b;
  is_zero_eq : forall a, is_zero a = true -> value a = 0;
  nle_le : forall a b, nle a b = true -> value a <= value b;
  nlt_lt : forall a b, nlt a b = true -> value a < value b;
  nfloor_le : forall a d z, (0 <= d)%Z -> nfloor a d = Some z -> IZR z <= value a * IZR d }.

Section Numbers.
Context {Num : Numbers} {Mean : Meaning Num}.
Definition is_nonneg (a : num) : bool := nle n0 a.
Lemma is_nonneg_le a : is_nonneg a = true -> 0 <= value a.
Proof. intros H. apply nle_le in H. rewrite value_0 in H. assumption. Qed.
Definition positive_part (a : num) : num := if is_nonneg a then a else n0.
Lemma positive_part_cases a : value (positive_part a) = 0 \/ value (positive_part a) = value a.
Proof. unfold positive_part. destruct (is_nonneg a); [right; reflexivity | left; apply value_0]. Qed.

Fixpoint total {X : Type} (F : X -> num) (l : list X) : num :=
  match l with [] => n0 | x :: r => nadd (F x) (total F r) end.
End Numbers.
Notation dotN := (dot value).
