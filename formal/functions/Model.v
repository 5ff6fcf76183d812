(** Labelled Markov chains with inputs, as in [Deltachain.Model], with probabilities of any kind of numbers.

    Events, and what an observer may do, are those of [Deltachain.Model]. An input beyond the last one of a label counts as
    the last, so that every event can be played. *)

Require Import Reals Lra Lia Psatz Bool List PArith ZArith.
Require Import Deltachain.functions.Products.
Import ListNotations.
Open Scope R_scope.

(** ** Models *)

Section WithNumbers.
Context {Num : Numbers} {Mean : Meaning Num}.
Notation row_of := (list (state * num)).

Record place := { place_label : label; place_rows : list row_of }.

Record model := { listing : list (state * place); places : M.t place; counts : M.t nat }.

Definition make_model (l : list (state * place)) : model :=
  {| listing := l; places := of_list l;
     counts := of_list (map (fun e => (place_label (snd e), length (place_rows (snd e)))) l) |}.

Section Semantics.
Variable m : model.

Definition lab (i : state) : label := match M.find i (places m) with Some p => place_label p | None => 1%positive end.
Definition inputs (a : label) : nat := match M.find a (counts m) with Some n => n | None => 1%nat end.
Definition row (k : nat) (i : state) : row_of :=
  match M.find i (places m) with Some p => nth k (place_rows p) [(i, n1)] | None => [(i, n1)] end.
Definition clamp (a : label) (k : nat) : nat := Nat.min k (pred (inputs a)).
Definition move (k : nat) (i : state) : row_of := row (clamp (lab i) k) i.

(** The probability of the event, about what is seen after the label of [i]. *)
Fixpoint prob (E : event) (i : state) : R :=
  match E with
  | Verdict b => if b then 1 else 0
  | Look k c => dotN (move k i) (fun j => prob (c (lab j)) j)
  end.

(** The first letter is the label of the state itself. *)
Definition full_prob (F : label -> event) (i : state) : R := prob (F (lab i)) i.

(** ** What is checked of a model *)

Definition mass_of (r : row_of) : num := total snd r.
Lemma mass_of_eq r : value (mass_of r) = dotN r (fun _ => 1).
Proof.
  unfold mass_of. induction r as [|[i p] r IH]; simpl; [apply value_0|].
  rewrite value_add, IH. ring.
Qed.

Definition row_ok (r : row_of) : bool :=
  forallb (fun e : state * num => is_nonneg (snd e) && match M.find (fst e) (places m) with Some _ => true | None => false end) r
  && is_zero (nsub (mass_of r) n1).
Definition place_ok (e : state * place) : bool :=
  forallb row_ok (place_rows (snd e))
  && Nat.eqb (length (place_rows (snd e))) (inputs (place_label (snd e)))
  && Nat.leb 1 (length (place_rows (snd e)))
  && negb (Pos.eqb (place_label (snd e)) 1).

Definition stochastic := forall k i, all_nonneg value (move k i) /\ dotN (move k i) (fun _ => 1) = 1.

Lemma stochastic_move : (forall i p, M.find i (places m) = Some p -> place_ok (i, p) = true) -> stochastic.
Proof.
  intros H k i. unfold move, row. remember (clamp (lab i) k) as c. clear Heqc.
  assert (S1 : all_nonneg value [(i, n1)] /\ dotN [(i, n1)] (fun _ => 1) = 1).
  { split; [repeat constructor; simpl; rewrite value_1; lra | simpl; rewrite value_1; ring]. }
  destruct (M.find i (places m)) as [p|] eqn:E; [|exact S1].
  specialize (H i p E). unfold place_ok in H. simpl in H.
  do 3 (apply andb_prop in H; destruct H as [H _]).
  destruct (nth_in_or_default c (place_rows p) [(i, n1)]) as [I|e]; [|rewrite e; exact S1].
  rewrite forallb_forall in H. specialize (H _ I). unfold row_ok in H. apply andb_prop in H. destruct H as [H1 H2].
  split.
  - rewrite forallb_forall in H1. apply Forall_forall. intros e He. specialize (H1 e He).
    apply andb_prop in H1. apply is_nonneg_le, H1.
  - rewrite <- mass_of_eq. apply is_zero_eq in H2. rewrite value_sub, value_1 in H2. lra.
Qed.

(** ** Probabilities *)

Hypothesis stoch : stochastic.

Lemma prob_range E : forall i, 0 <= prob E i /\ prob E i <= 1.
Proof.
  induction E as [b|k c IH]; intros i; simpl; [destruct b; lra|].
  destruct (stoch k i) as [N S]. split.
  - apply dot_nonneg; [assumption|]. intros j. apply IH.
  - rewrite <- S. apply dot_mono; [assumption|]. intros j. apply IH.
Qed.

Definition choices {A} (w : list (state * A)) : nat := fold_right (fun e n => Nat.max (inputs (lab (fst e))) n) 1%nat w.

(** ** One step of a vector *)

Section Step.
Context {A : Type} (val : A -> R) (scale : num -> A -> A).
Hypothesis val_scale : forall p v, val (scale p v) = value p * val v.

Definition step (k : nat) (w : list (state * A)) : list (state * A) :=
  flat_map (fun e : state * A => map (fun r : state * num => (fst r, scale (snd r) (snd e))) (move k (fst e))) w.

Lemma step_dot k w f : dot val (step k w) f = dot val w (fun i => dotN (move k i) f).
Proof.
  induction w as [|[i v] w IH]; simpl; [reflexivity|].
  rewrite dot_app, IH. f_equal.
  generalize (move k i) as r. induction r as [|[j p] r IHr]; simpl; [ring|].
  rewrite IHr, val_scale. ring.
Qed.

Lemma look_dot k c w : dot val w (prob (Look k c)) = dot val (step k w) (fun j => prob (c (lab j)) j).
Proof. rewrite step_dot. reflexivity. Qed.

Lemma choices_step k (w : list (state * A)) : step k w = step (Nat.min k (pred (choices w))) w.
Proof.
  assert (G : forall n, (choices w <= n)%nat -> step k w = step (Nat.min k (pred n)) w).
  { induction w as [|[i v] w IH]; intros n H; simpl in *; [reflexivity|].
    rewrite (IH n) by lia. f_equal. f_equal. unfold move, clamp. f_equal. lia. }
  apply G. lia.
Qed.

Lemma choices_in k (w : list (state * A)) : In (Nat.min k (pred (choices w))) (seq 0 (choices w)).
Proof.
  apply in_seq. assert (1 <= choices w)%nat; [|lia].
  unfold choices. induction w as [|e w IH]; simpl; lia.
Qed.
End Step.
End Semantics.

(** ** Pairs of beliefs (x, y), as vectors of pairs *)

Definition pair_val (alpha : R) (v : num * num) : R := value (fst v) - alpha * value (snd v).
Definition pair_add (u v : num * num) : num * num := (nadd (fst u) (fst v), nadd (snd u) (snd v)).
Definition pair_scale (p : num) (v : num * num) : num * num := (nmul p (fst v), nmul p (snd v)).

Lemma pair_val_add alpha u v : pair_val alpha (pair_add u v) = pair_val alpha u + pair_val alpha v.
Proof. unfold pair_val, pair_add. simpl. rewrite !value_add. ring. Qed.
Lemma pair_val_scale alpha p v : pair_val alpha (pair_scale p v) = value p * pair_val alpha v.
Proof. unfold pair_val, pair_scale. simpl. rewrite !value_mul. ring. Qed.
End WithNumbers.
Notation row_of := (list (state * num)).
