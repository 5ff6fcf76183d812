(** Chains, events, and signed covers: one rule for every upper bound.

    A chain has a label for each state and a row for each input. An event is a decision tree: the observer asks for an
    input, sees the next label, and so on, until a verdict; so it is a strategy and an event about finitely many letters.
    [prob E i] is its probability from [i], about what is seen after the label of [i]. *)

Require Import List PArith Arith Field Bool Lia.
Require Import Deltachain.Fields.
Import ListNotations.

Inductive event :=
| Verdict : bool -> event
| Look : input -> (label -> event) -> event.

Fixpoint neg (E : event) : event :=
  match E with Verdict b => Verdict (negb b) | Look k c => Look k (fun a => neg (c a)) end.

Record chain (F : Type) := { lab : state -> label; move : input -> state -> vec F }.
Arguments lab {F}. Arguments move {F}.

Section Cover.
Context {F : Type} {OF : OrderedField F}.
Add Field F_field : f_field.
Notation vec := (vec F).
Variable P : chain F.

Fixpoint prob (E : event) (i : state) : F :=
  match E with
  | Verdict b => if b then 1 else 0
  | Look k c => dot (move P k i) (fun j => prob (c (lab P j)) j)
  end.
Definition one : state -> F := fun _ => 1.
(** The next look, as a function of the state arrived at. *)
Definition next (c : label -> event) (j : state) : F := prob (c (lab P j)) j.
(** Every row is of numbers that are not negative and sum to one. *)
Definition stochastic : Prop := forall k i, all_nonneg (move P k i) /\ dot (move P k i) one = 1.
Hypothesis rows : stochastic.

Lemma prob_range E : forall i, 0 <= prob E i /\ prob E i <= 1.
Proof.
  induction E as [b|k c IH]; intros i; simpl.
  - destruct b; split; auto using fle_refl, fle_01.
  - destruct (rows k i) as [N S]. split.
    + apply dot_nonneg; [exact N|]. intros j. apply IH.
    + rewrite <- S. apply dot_mono; [exact N|]. intros j. apply IH.
Qed.
Lemma prob_neg E : forall i, prob (neg E) i = 1 - prob E i.
Proof.
  induction E as [b|k c IH]; intros i; simpl; [destruct b; simpl; ring|].
  destruct (rows k i) as [_ S]. rewrite <- S at 1. unfold one. rewrite <- dot_minus. apply dot_ext_all. intros j. apply IH.
Qed.
Lemma next_range c i : 0 <= next c i /\ next c i <= 1. Proof. apply prob_range. Qed.
Lemma next_neg c i : next (fun a => neg (c a)) i = 1 - next c i. Proof. apply prob_neg. Qed.

(** The vector after one step: w P. *)
Definition stepped (k : input) (w : vec) (f : state -> F) : F := dot w (fun i => dot (move P k i) f).
Lemma stepped_one k w : stepped k w one = dot w one.
Proof. unfold stepped. apply dot_ext_all. intros i. apply rows. Qed.

(** ** Claims, of any number: V(w) <= v *)

Variable I : Type.
Variable vector : I -> vec.
Variable bound : I -> F.
(** All states of a vector have one label. *)
Variable name : I -> label.
Hypothesis pure : forall l e, In e (vector l) -> lab P (fst e) = name l.

(** A citation (l, c) stands for c w_l. It costs c v_l; below 0, |c| (v_l - w_l 1), for the complement of an event is one. *)
Notation citation := (I * F)%type.
Definition cover_dot (qs : list citation) (f : state -> F) : F := sum (fun q => snd q * dot (vector (fst q)) f) qs.
(** Any cost that is large enough. *)
Definition priced (q : citation) (p : F) : Prop :=
  (0 <= snd q /\ snd q * bound (fst q) <= p) \/
  (snd q <= 0 /\ - snd q * (bound (fst q) - dot (vector (fst q)) one) <= p).

(** [z] is at most what is cited plus [eta], pointwise; said by products with all f >= 0. *)
Definition covers (good : I -> Prop) (z : (state -> F) -> F) (v : F) : Prop := exists (qs : list (citation * F)) (eta : vec),
  (forall q, In q qs -> priced (fst q) (snd q) /\ good (fst (fst q)))
  /\ all_nonneg eta
  /\ (forall f, (forall i, 0 <= f i) -> z f <= cover_dot (map fst qs) f + dot eta f)
  /\ sum snd qs + dot eta one <= v.

Definition holds (l : I) (f : state -> F) : Prop := dot (vector l) f <= bound l /\ dot (vector l) one - dot (vector l) f <= bound l.

Lemma covers_bound good z v f : covers good z v -> (forall i, 0 <= f i /\ f i <= 1) -> (forall l, good l -> holds l f) -> z f <= v.
Proof.
  intros (qs & eta & Q & Eok & Cov & Cost) R B. eapply fle_trans; [apply Cov; intros; apply R|].
  eapply fle_trans; [|exact Cost]. apply fle_add; [|apply dot_mono; [exact Eok | intros; apply R]].
  clear - Q B OF. induction qs as [|[[l c] p] qs IH]; simpl; [apply fle_refl|].
  unfold cover_dot in *. simpl. apply fle_add; [|apply IH; intros; apply Q; right; assumption].
  destruct (Q _ (or_introl eq_refl)) as [Pr G]. simpl in Pr, G. destruct (B l G) as [B1 B2].
  destruct Pr as [[C L]|[C L]]; simpl in C, L; (eapply fle_trans; [|exact L]).
  - apply fle_mul_l; assumption.
  - apply fle_opp0 in C. set (m := dot (vector l) one) in *. set (d := dot (vector l) f) in *.
    apply (fle_by (- c * (bound l - (m - d)))); [apply fle_mul; [exact C | apply fle_sub_inv, B2] | ring].
Qed.

(** ** The rule. A step may cite any claim; covers without a step cite claims of smaller rank. *)

Variable rank : I -> nat.
Definition step_ok (l : I) : Prop :=
  0 <= bound l /\ dot (vector l) one <= bound l /\ forall k, covers (fun _ => True) (stepped k (vector l)) (bound l).
Definition flat_ok (l : I) : Prop := covers (fun l' => (rank l' < rank l)%nat) (dot (vector l)) (bound l).
Hypothesis all_ok : forall l, step_ok l \/ flat_ok l.

Lemma pure_next l c : dot (vector l) (next c) = dot (vector l) (prob (c (name l))).
Proof. apply dot_ext. intros i v Hi. unfold next. rewrite (pure l (i, v) Hi : lab P i = name l). reflexivity. Qed.
Lemma holds_neg l f g : (forall i, g i = 1 - f i) -> holds l f -> holds l g.
Proof.
  intros E [A B]. unfold holds. rewrite (dot_ext_all (vector l) g (fun i => one i - f i)) by exact E. rewrite dot_minus. split; [exact B|].
  match goal with |- ?m - (?m - ?d) <= _ => replace (m - (m - d)) with d by ring end. exact A.
Qed.
Lemma holds_both l f g : dot (vector l) f <= bound l -> (forall i, g i = 1 - f i) -> dot (vector l) g <= bound l -> holds l f.
Proof.
  intros A E B. split; [exact A|]. rewrite <- dot_minus. rewrite (dot_ext_all _ _ g); [exact B | intros i; rewrite E; reflexivity].
Qed.

Theorem cover_sound : forall E l, dot (vector l) (prob E) <= bound l.
Proof.
  assert (G : forall E l, holds l (prob E)).
  { (* From a bound on step claims, for an event and its complement, to all claims. *)
    assert (Flat : forall E, (forall l, step_ok l -> dot (vector l) (prob E) <= bound l /\ dot (vector l) (prob (neg E)) <= bound l) ->
      forall l, holds l (prob E)).
    { intros E St. assert (H : forall n l, (rank l < n)%nat -> holds l (prob E)).
      { induction n as [|n IHn]; intros l Hn; [lia|]. destruct (all_ok l) as [S|C].
        - destruct (St l S) as [A B]. apply (holds_both l _ (prob (neg E))); [exact A | apply prob_neg | exact B].
        - assert (L : forall l', (rank l' < rank l)%nat -> holds l' (prob E)) by (intros; apply IHn; lia).
          apply (holds_both l _ (prob (neg E))); [|apply prob_neg|].
          + apply (covers_bound _ _ _ _ C); [apply prob_range | exact L].
          + apply (covers_bound _ _ _ _ C); [apply prob_range|]. intros l' Hl'. apply (holds_neg l' (prob E)); [apply prob_neg | apply L, Hl']. }
      intros l. apply (H (S (rank l)) l). lia. }
    induction E as [b|k c IH]; apply Flat; intros l (V0 & V1 & St).
    - assert (B : forall b, dot (vector l) (prob (Verdict b)) <= bound l) by (intros []; simpl; [exact V1 | rewrite dot_zero; exact V0]).
      split; apply B.
    - assert (N : forall l', holds l' (next c)).
      { intros l'. destruct (IH (name l') l') as [A B]. unfold holds. rewrite pure_next. split; assumption. }
      split; simpl.
      + apply (covers_bound _ _ _ (next c) (St k)); [apply next_range | intros; apply N].
      + apply (covers_bound _ _ _ (next (fun a => neg (c a))) (St k)); [apply next_range|].
        intros l' _. apply (holds_neg l' (next c)); [apply next_neg | apply N]. }
  intros E l. apply G.
Qed.
End Cover.
