(** Labelled Markov chains with inputs, and what an observer may do.

    A state has a label, which is seen, and one row of probabilities for each input; how many inputs there are depends on
    the label alone. A chain without inputs has one for each label. An event is a decision tree: the observer asks for an
    input, sees the next label, and so on, until a verdict is given. It is a strategy and an event about finitely many
    letters at once. An input beyond the last one of a label counts as the last, so that every tree can be played. *)

Require Import QArith Lqa Lia List Permutation PArith ZArith FMapPositive.
Require Import Deltachain.Vectors.
Import ListNotations.
Open Scope Q_scope.
Module M := PositiveMap.

(** ** Tables out of lists *)

Definition of_list {A} (l : list (positive * A)) : M.t A :=
  fold_left (fun m e => M.add (fst e) (snd e) m) l (M.empty A).

Lemma of_list_in {A} (l : list (positive * A)) k v : M.find k (of_list l) = Some v -> In (k, v) l.
Proof.
  unfold of_list. assert (G : forall m, M.find k (fold_left (fun m e => M.add (fst e) (snd e) m) l m) = Some v ->
    In (k, v) l \/ M.find k m = Some v).
  { induction l as [|[j u] l IH]; intros m H; simpl in *; [auto|].
    destruct (IH _ H) as [I|I]; [auto|]. destruct (Pos.eq_dec j k) as [->|n].
    - rewrite M.gss in I. inversion I; subst. auto.
    - rewrite M.gso in I by congruence. auto. }
  intros H. destruct (G _ H) as [I|I]; [assumption|]. rewrite M.gempty in I. discriminate.
Qed.

(** ** Models *)

Notation row_of := (list (state * Q)).

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
  match M.find i (places m) with Some p => nth k (place_rows p) [(i, 1)] | None => [(i, 1)] end.
Definition clamp (a : label) (k : nat) : nat := Nat.min k (pred (inputs a)).
Definition move (k : nat) (i : state) : row_of := row (clamp (lab i) k) i.

Inductive event :=
| Verdict : bool -> event
| Look : nat -> (label -> event) -> event.

(** The probability of the event, about what is seen after the label of [i]. *)
Fixpoint prob (E : event) (i : state) : Q :=
  match E with
  | Verdict b => if b then 1 else 0
  | Look k c => dotQ (move k i) (fun j => prob (c (lab j)) j)
  end.

(** The first letter is the label of the state itself. *)
Definition full_prob (F : label -> event) (i : state) : Q := prob (F (lab i)) i.

Fixpoint neg (E : event) : event :=
  match E with Verdict b => Verdict (negb b) | Look k c => Look k (fun a => neg (c a)) end.

(** ** What is checked of a model *)

Definition mass_of (r : row_of) : Q := total snd r.
Lemma mass_of_eq r : mass_of r == dotQ r (fun _ => 1).
Proof.
  unfold mass_of. induction r as [|[i p] r IH]; simpl; [reflexivity|].
  rewrite qadd_eq, IH. unfold same. ring.
Qed.

Definition row_ok (r : row_of) : bool :=
  forallb (fun e : state * Q => is_nonneg (snd e) && match M.find (fst e) (places m) with Some _ => true | None => false end) r
  && qeq (mass_of r) 1.
Definition place_ok (e : state * place) : bool :=
  forallb row_ok (place_rows (snd e))
  && Nat.eqb (length (place_rows (snd e))) (inputs (place_label (snd e)))
  && Nat.leb 1 (length (place_rows (snd e)))
  && negb (Pos.eqb (place_label (snd e)) 1).

Definition stochastic := forall k i, all_nonneg same (move k i) /\ dotQ (move k i) (fun _ => 1) == 1.

Lemma stochastic_move : (forall i p, M.find i (places m) = Some p -> place_ok (i, p) = true) -> stochastic.
Proof.
  intros H k i. unfold move, row. remember (clamp (lab i) k) as c. clear Heqc.
  assert (S1 : all_nonneg same [(i, 1)] /\ dotQ [(i, 1)] (fun _ => 1) == 1).
  { split; [repeat constructor; simpl; unfold same; lra | simpl; unfold same; ring]. }
  destruct (M.find i (places m)) as [p|] eqn:E; [|exact S1].
  specialize (H i p E). unfold place_ok in H. simpl in H.
  do 3 (apply andb_prop in H; destruct H as [H _]).
  destruct (nth_in_or_default c (place_rows p) [(i, 1)]) as [I|e]; [|rewrite e; exact S1].
  rewrite forallb_forall in H. specialize (H _ I). unfold row_ok in H. apply andb_prop in H. destruct H as [H1 H2].
  split.
  - rewrite forallb_forall in H1. apply Forall_forall. intros e He. specialize (H1 e He).
    apply andb_prop in H1. apply is_nonneg_le, H1.
  - rewrite <- mass_of_eq. apply qeq_eq. assumption.
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

Lemma prob_neg E : forall i, prob (neg E) i == 1 - prob E i.
Proof.
  induction E as [b|k c IH]; intros i; simpl; [destruct b; simpl; ring|].
  destruct (stoch k i) as [N S]. rewrite <- S at 1. rewrite <- dot_minus. apply dot_ext_all. intros j. apply IH.
Qed.

(** Waiting one letter changes nothing. *)
Lemma prob_verdict b i : prob (Verdict b) i == prob (Look 0 (fun _ => Verdict b)) i.
Proof. simpl. rewrite dot_const. destruct (stoch 0%nat i) as [_ S]. rewrite S. ring. Qed.

Definition choices {A} (w : list (state * A)) : nat := fold_right (fun e n => Nat.max (inputs (lab (fst e))) n) 1%nat w.

(** ** One step of a vector *)

Section Step.
Context {A : Type} (val : A -> Q) (scale : Q -> A -> A).
Hypothesis val_scale : forall p v, val (scale p v) == p * val v.

Definition step (k : nat) (w : list (state * A)) : list (state * A) :=
  flat_map (fun e : state * A => map (fun r : state * Q => (fst r, scale (snd r) (snd e))) (move k (fst e))) w.

Lemma step_dot k w f : dot val (step k w) f == dot val w (fun i => dotQ (move k i) f).
Proof.
  induction w as [|[i v] w IH]; simpl; [reflexivity|].
  rewrite dot_app, IH. apply Qplus_inj_r.
  generalize (move k i) as r. induction r as [|[j p] r IHr]; simpl; [ring|].
  rewrite IHr, val_scale. unfold same. ring.
Qed.

Lemma look_dot k c w : dot val w (prob (Look k c)) == dot val (step k w) (fun j => prob (c (lab j)) j).
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

Definition pair_val (alpha : Q) (v : Q * Q) : Q := fst v - alpha * snd v.
Definition pair_add (u v : Q * Q) : Q * Q := (qadd (fst u) (fst v), qadd (snd u) (snd v)).
Definition pair_scale (p : Q) (v : Q * Q) : Q * Q := (qmul p (fst v), qmul p (snd v)).

Lemma pair_val_add alpha u v : pair_val alpha (pair_add u v) == pair_val alpha u + pair_val alpha v.
Proof. unfold pair_val, pair_add. simpl. rewrite !qadd_eq. ring. Qed.
Lemma pair_val_scale alpha p v : pair_val alpha (pair_scale p v) == p * pair_val alpha v.
Proof. unfold pair_val, pair_scale. simpl. rewrite !qmul_eq. ring. Qed.
