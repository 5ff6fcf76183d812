(** Visits: exact values of what an observer can do with what is seen, such as a guess, from how much arrives where.

    An observer of several runs at once sees the same letters of each, asks for inputs, and at last chooses one of finitely
    many rows of weights: what the choice is worth is the sum of weights times probabilities of the word. Guessing gains,
    the best of two tests, and every other maximum of linear functions of the masses are of this form.

    Nodes hold the beliefs of all runs. What is learned of them ends at some; at the others a step leads on. Visits h solve
    h = start + h C. Then h at the ends is what arrives there, and the value is the sum of h times the best row at each end. *)

Require Import List PArith Arith Field Bool Lia.
Require Import Deltachain.Fields Deltachain.Cover Deltachain.Lower.
Import ListNotations.

Inductive decision := Choose (r : nat) | Ask (k : input) (c : label -> decision).
(** Being at [a] after the next letter, and then an event. *)
Definition then_at (k : input) (a : label) (E : event) : event := Look k (fun b => if Pos.eqb b a then E else Verdict false).

Section Worth.
Context {F : Type} {OF : OrderedField F}.
Add Field F_field : f_field.
(** Probabilities of events, for each of the runs: numbered 0, 1, ... *)
Notation measure := (event -> nat -> F).
Variable alphabet : list label.
(** What a row gives, of the probabilities of one word. *)
Variable rows : list ((nat -> F) -> F).
Definition row_worth (r : nat) (m : nat -> F) : F := nth r rows (hd (fun _ => 0) rows) m.
Definition later (k : input) (a : label) (mu : measure) : measure := fun E => mu (then_at k a E).
Fixpoint worth (d : decision) (mu : measure) : F :=
  match d with
  | Choose r => row_worth r (mu (Verdict true))
  | Ask k c => sum (fun a => worth (c a) (later k a mu)) alphabet
  end.

Hypothesis row_ext : forall r m m', (forall j, m j = m' j) -> row_worth r m = row_worth r m'.
Hypothesis row_sum : forall r {A} (g : A -> nat -> F) (l : list A), row_worth r (fun j => sum (fun x => g x j) l) = sum (fun x => row_worth r (g x)) l.
Hypothesis row_times : forall r c m, row_worth r (fun j => c * m j) = c * row_worth r m.

Lemma worth_ext d : forall mu mu', (forall E j, mu E j = mu' E j) -> worth d mu = worth d mu'.
Proof.
  induction d as [r|k c IH]; intros mu mu' H; simpl; [apply row_ext, H|]. apply sum_ext. intros a _. apply IH. intros E j. apply H.
Qed.
Lemma worth_times d : forall c mu, worth d (fun E j => c * mu E j) = c * worth d mu.
Proof.
  induction d as [r|k f IH]; intros c mu; simpl; [apply row_times|]. rewrite <- sum_times. apply sum_ext. intros a _. apply (IH a c (later k a mu)).
Qed.
Lemma worth_sum d {A} (g : A -> measure) (l : list A) : worth d (fun E j => sum (fun x => g x E j) l) = sum (fun x => worth d (g x)) l.
Proof.
  revert g. induction d as [r|k f IH]; intros g; simpl; [apply (row_sum r (fun x => g x (Verdict true)))|].
  transitivity (sum (fun a => sum (fun x => worth (f a) (later k a (g x))) l) alphabet).
  - apply sum_ext. intros a _. apply (IH a (fun x => later k a (g x))).
  - clear. induction alphabet as [|a al IHa]; simpl; [induction l as [|x l IHl]; simpl; [reflexivity | rewrite <- IHl; ring]|]. rewrite IHa, sum_plus. reflexivity.
Qed.
Lemma worth_zero d mu : (forall E j, mu E j = 0) -> worth d mu = 0.
Proof.
  intros H. rewrite (worth_ext d mu (fun E j => 0 * mu E j)) by (intros; rewrite H; ring). rewrite worth_times. ring.
Qed.

Lemma sum_swap {A B} (g : A -> B -> F) (l : list A) (l' : list B) : sum (fun x => sum (g x) l') l = sum (fun y => sum (fun x => g x y) l) l'.
Proof.
  induction l as [|x l IH]; simpl; [induction l' as [|y l' IHl]; simpl; [reflexivity | rewrite <- IHl; ring]|]. rewrite IH, sum_plus. reflexivity.
Qed.
Lemma sum_pick (l : list label) b (g : label -> F) : NoDup l -> In b l -> sum (fun a => if Pos.eqb b a then g a else 0) l = g b.
Proof.
  induction l as [|c l IH]; intros ND Ib; [destruct Ib|]. inversion ND as [|? ? Nc Nl]; subst. simpl. destruct (Pos.eqb_spec b c) as [->|Ne].
  - rewrite sum_zero; [ring|]. intros a Ia. destruct (Pos.eqb_spec c a) as [->|_]; [contradiction | reflexivity].
  - destruct Ib as [Ib|Ib]; [congruence|]. rewrite (IH Nl Ib). ring.
Qed.
(** After a letter: c times one of the others, or nothing. *)
Lemma worth_letters {A} (m : measure) (child : A -> measure) (es : list (label * (F * A))) k c : NoDup alphabet ->
  (forall a E j, later k a m E j = sum (fun q => if Pos.eqb (fst q) a then fst (snd q) * child (snd (snd q)) E j else 0) es) ->
  (forall q, In q es -> In (fst q) alphabet) -> worth (Ask k c) m = sum (fun q => fst (snd q) * worth (c (fst q)) (child (snd (snd q)))) es.
Proof.
  intros Once L A'. simpl. transitivity (sum (fun a => sum (fun q => if Pos.eqb (fst q) a then fst (snd q) * worth (c a) (child (snd (snd q))) else 0) es) alphabet).
  - apply sum_ext. intros a _.
    rewrite (worth_ext (c a) _ (fun E j => sum (fun q => (if Pos.eqb (fst q) a then fst (snd q) else 0) * child (snd (snd q)) E j) es)).
    + rewrite (worth_sum (c a) (fun q E j => (if Pos.eqb (fst q) a then fst (snd q) else 0) * child (snd (snd q)) E j) es). apply sum_ext. intros q _.
      rewrite (worth_times (c a) (if Pos.eqb (fst q) a then fst (snd q) else 0) (child (snd (snd q)))). destruct (Pos.eqb (fst q) a); ring.
    + intros E j. rewrite L. apply sum_ext. intros q _. destruct (Pos.eqb (fst q) a); ring.
  - rewrite sum_swap. apply sum_ext. intros q Iq.
    apply (sum_pick alphabet (fst q) (fun a => fst (snd q) * worth (c a) (child (snd (snd q)))) Once). apply A', Iq.
Qed.

(** ** Nodes *)

Variable I : Type.
Variable mu : I -> measure.
Variable stepping : I -> bool.
Variable edges : I -> list (label * (F * I)).
Variable listed : list (F * I).                        (** visits *)
Variable starts : list I.
Variable best : I -> F.
Variable mass : I -> F.
Hypothesis alphabet_once : NoDup alphabet.
Hypothesis weights : forall l q, stepping l = true -> In q (edges l) -> 0 <= fst (snd q) /\ In (fst q) alphabet.
Hypothesis once : forall l, stepping l = true -> NoDup (map fst (edges l)).
(** After a letter: c times the child, or nothing. *)
Hypothesis leads : forall l k a E j, stepping l = true ->
  later k a (mu l) E j = sum (fun q => if Pos.eqb (fst q) a then fst (snd q) * mu (snd (snd q)) E j else 0) (edges l).
Hypothesis best_row : forall l r, row_worth r (mu l (Verdict true)) <= best l.
Hypothesis best_is : forall l, exists r, best l = row_worth r (mu l (Verdict true)).
(** Where nothing more is learned: nothing is worth more than a choice at once. *)
Hypothesis ends : forall l d, stepping l = false -> worth d (mu l) <= best l.
(** Masses are kept by steps, and bound what a choice is worth. *)
Hypothesis mass_nonneg : forall l, 0 <= mass l.
Hypothesis mass_kept : forall l, stepping l = true -> sum (fun q => fst (snd q) * mass (snd (snd q))) (edges l) = mass l.
Hypothesis kept : forall l j, stepping l = true -> sum (fun q => fst (snd q) * mu (snd (snd q)) (Verdict true) j) (edges l) = mu l (Verdict true) j.
Variable most : F.
Hypothesis most_nonneg : 0 <= most.
Hypothesis best_bound : forall l, best l <= most * mass l /\ - best l <= most * mass l.
Hypothesis visits_nonneg : forall q, In q listed -> 0 <= fst q.

Definition Passed (g : I -> F) (l : I) : F := if stepping l then sum (fun q => fst (snd q) * g (snd (snd q))) (edges l) else 0.
Definition Visited (g : I -> F) : F := sum (fun q => fst q * g (snd q)) listed.
Definition Started (g : I -> F) : F := sum g starts.
(** h = start + h C. *)
Hypothesis balance : forall g, Visited g = Started g + Visited (Passed g).

Fixpoint iter (n : nat) (g : I -> F) : I -> F := match n with O => g | S n => Passed (iter n g) end.
Definition at_end (g : I -> F) (l : I) : F := if stepping l then 0 else g l.
Definition at_step (g : I -> F) (l : I) : F := if stepping l then g l else 0.

Lemma Q_ext g g' : (forall l, g l = g' l) -> forall l, Passed g l = Passed g' l.
Proof. intros E l. unfold Passed. destruct (stepping l); [|reflexivity]. apply sum_ext. intros. rewrite E. reflexivity. Qed.
Lemma iter_ext n : forall g g', (forall l, g l = g' l) -> forall l, iter n g l = iter n g' l.
Proof. induction n as [|n IH]; intros g g' E l; simpl; [apply E|]. apply Q_ext. intros; apply IH, E. Qed.
Lemma Q_le g g' : (forall l, g l <= g' l) -> forall l, Passed g l <= Passed g' l.
Proof.
  intros E l. unfold Passed. destruct (stepping l) eqn:O; [|apply fle_refl]. apply sum_le. intros q Iq. apply fle_mul_l; [apply (weights l q O Iq) | apply E].
Qed.
Lemma iter_le n : forall g g', (forall l, g l <= g' l) -> forall l, iter n g l <= iter n g' l.
Proof. induction n as [|n IH]; intros g g' E l; simpl; [apply E|]. apply Q_le. intros; apply IH, E. Qed.
Lemma Q_lin a b g g' l : Passed (fun l => a * g l + b * g' l) l = a * Passed g l + b * Passed g' l.
Proof.
  unfold Passed. destruct (stepping l); [|ring]. rewrite <- !sum_times, <- sum_plus. apply sum_ext. intros. ring.
Qed.
Lemma iter_lin n a b g g' : forall l, iter n (fun l => a * g l + b * g' l) l = a * iter n g l + b * iter n g' l.
Proof.
  induction n as [|n IH]; intros l; simpl; [reflexivity|]. rewrite (Q_ext _ _ IH). apply Q_lin.
Qed.
Lemma iter_Q n g : forall l, iter n (Passed g) l = Passed (iter n g) l.
Proof. induction n as [|n IH]; intros l; simpl; [reflexivity|]. apply Q_ext, IH. Qed.
Lemma H_le g g' : (forall l, g l <= g' l) -> Visited g <= Visited g'.
Proof. intros E. unfold Visited. apply sum_le. intros q Iq. apply fle_mul_l; [apply visits_nonneg, Iq | apply E]. Qed.
Lemma H_lin a b g g' : Visited (fun l => a * g l + b * g' l) = a * Visited g + b * Visited g'.
Proof. unfold Visited. rewrite <- !sum_times, <- sum_plus. apply sum_ext. intros. ring. Qed.
Lemma H_ext g g' : (forall l, g l = g' l) -> Visited g = Visited g'.
Proof. intros E. unfold Visited. apply sum_ext. intros. rewrite E. reflexivity. Qed.
Lemma S_ext g g' : (forall l, g l = g' l) -> Started g = Started g'.
Proof. intros E. unfold Started. apply sum_ext. intros; apply E. Qed.
Lemma S_le g g' : (forall l, g l <= g' l) -> Started g <= Started g'.
Proof. intros E. unfold Started. apply sum_le. intros; apply E. Qed.
Lemma S_lin a b g g' : Started (fun l => a * g l + b * g' l) = a * Started g + b * Started g'.
Proof. unfold Started. rewrite <- !sum_times, <- sum_plus. reflexivity. Qed.
Lemma S_nonneg g : (forall l, 0 <= g l) -> 0 <= Started g.
Proof. intros E. apply sum_nonneg. intros; apply E. Qed.
Lemma H_nonneg g : (forall l, 0 <= g l) -> 0 <= Visited g.
Proof. intros E. apply sum_nonneg. intros q Iq. apply fle_mul; [apply visits_nonneg, Iq | apply E]. Qed.
Lemma Q_nonneg g : (forall l, 0 <= g l) -> forall l, 0 <= Passed g l.
Proof. intros E l. unfold Passed. destruct (stepping l) eqn:O; [|apply fle_refl]. apply sum_nonneg. intros q Iq. apply fle_mul; [apply (weights l q O Iq) | apply E]. Qed.
Lemma iter_nonneg n g : (forall l, 0 <= g l) -> forall l, 0 <= iter n g l.
Proof. intros E. induction n as [|n IH]; simpl; [exact E | apply Q_nonneg, IH]. Qed.

Lemma Q_mass l : Passed mass l = at_step mass l.
Proof. unfold Passed, at_step. destruct (stepping l) eqn:O; [apply mass_kept, O | reflexivity]. Qed.
Lemma mass_falls n l : iter (S n) mass l <= iter n mass l.
Proof.
  simpl. rewrite <- iter_Q. apply iter_le. intros m. rewrite Q_mass. unfold at_step. destruct (stepping m); [apply fle_refl | apply mass_nonneg].
Qed.

(** The sum of what has arrived, step by step. *)
Fixpoint arrived (n : nat) (g : I -> F) : F := match n with O => 0 | S n => arrived n g + Started (iter n g) end.
Lemma balance_iter n g : Visited g = arrived n g + Visited (iter n g).
Proof.
  induction n as [|n IH]; simpl; [ring|]. rewrite IH, (balance (iter n g)). ring.
Qed.
(** What is still under way falls as 1/n. *)
Lemma under_way n : nat_of n * Started (iter n mass) <= Visited mass.
Proof.
  apply fle_trans with (arrived n mass).
  - induction n as [|n IH]; simpl; [apply fle_eq; unfold nat_of; simpl; ring|].
    apply fle_trans with (nat_of n * Started (iter n mass) + Started (iter n mass)).
    + assert (L : Started (iter (S n) mass) <= Started (iter n mass)) by (apply S_le; intros; apply mass_falls). simpl in L.
      apply (fle_by ((nat_of n + 1) * (Started (iter n mass) - Started (Passed (iter n mass))))).
      * apply fle_mul; [apply fle_add0; [apply nat_of_nonneg | apply fle_01] | apply fle_sub_inv, L].
      * unfold nat_of. simpl. ring.
    + apply fle_add; [exact IH | apply fle_refl].
  - rewrite (balance_iter n mass). apply (fle_by (Visited (iter n mass))); [apply H_nonneg, iter_nonneg, mass_nonneg | ring].
Qed.
(** What is to arrive at ends is what is under way. *)
Lemma to_arrive n : Visited (iter n (at_end mass)) = Started (iter n mass).
Proof.
  assert (A : arrived n (at_end mass) = Started mass - Started (iter n mass)).
  { induction n as [|n IH]; simpl; [ring|]. rewrite IH.
    assert (E : Started (iter n (at_end mass)) = Started (iter n mass) - Started (Passed (iter n mass))).
    { rewrite (S_ext (Passed (iter n mass)) (iter n (at_step mass))).
      - rewrite (S_ext (iter n (at_end mass)) (iter n (fun l => 1 * mass l + - (1) * at_step mass l))).
        + rewrite (S_ext _ (fun l => 1 * iter n mass l + - (1) * iter n (at_step mass) l)) by apply iter_lin. rewrite S_lin. ring.
        + intros l. apply iter_ext. intros m. unfold at_end, at_step. destruct (stepping m); ring.
      - intros l. rewrite <- iter_Q. apply iter_ext, Q_mass. }
    rewrite E. ring. }
  assert (B : Visited (at_end mass) = Started mass).
  { rewrite (H_ext (at_end mass) (fun l => 1 * mass l + - (1) * at_step mass l)) by (intros; unfold at_end, at_step; destruct (stepping l); ring).
    rewrite H_lin. rewrite (balance mass) at 1. rewrite (H_ext (Passed mass) (at_step mass)) by apply Q_mass. ring. }
  pose proof (balance_iter n (at_end mass)) as C. rewrite A, B in C.
  transitivity (Started mass - (Started mass - Started (iter n mass))); [rewrite C at 1; ring | ring].
Qed.

(** What a depth of n letters is worth at a node. *)
Fixpoint value_at (n : nat) (l : I) : F :=
  if stepping l then match n with O => best l | S n => sum (fun q => fst (snd q) * value_at n (snd (snd q))) (edges l) end else best l.
Lemma value_at_sum n : Started (value_at n) = arrived n (at_end best) + Started (iter n best).
Proof.
  assert (G : forall n l, value_at (S n) l = at_end best l + Passed (value_at n) l).
  { intros m l. unfold Passed, at_end. simpl. destruct (stepping l); ring. }
  assert (E : forall n l, value_at n l = (fix go n := match n with O => 0 | S n => go n + iter n (at_end best) l end) n + iter n best l).
  { induction n0 as [|n0 IH]; intros l; [simpl; destruct (stepping l); ring|]. rewrite G.
    rewrite (Q_ext _ _ IH). clear IH.
    assert (L : forall m, Passed (fun l => (fix go n := match n with O => 0 | S n => go n + iter n (at_end best) l end) m + iter n0 best l) l
       + at_end best l = (fix go n := match n with O => 0 | S n => go n + iter n (at_end best) l end) (S m) + Passed (iter n0 best) l).
    { induction m as [|m IHm].
      - simpl. rewrite (Q_ext _ (iter n0 best)) by (intros; ring). ring.
      - simpl in *. rewrite (Q_ext _ (fun l => 1 * ((fix go n := match n with O => 0 | S n => go n + iter n (at_end best) l end) m + iter n0 best l) + 1 * iter m (at_end best) l))
          by (intros; ring). rewrite Q_lin. transitivity ((Passed (fun l => (fix go n := match n with O => 0 | S n => go n + iter n (at_end best) l end) m + iter n0 best l) l + at_end best l) + Passed (iter m (at_end best)) l); [ring|].
        rewrite IHm. ring. }
    specialize (L n0). simpl in *. rewrite <- L. ring. }
  rewrite (S_ext _ _ (E n)). clear. induction n as [|n IH]; simpl; [unfold Started; induction starts as [|x r IHr]; simpl; [ring | rewrite IHr; ring]|].
  assert (X : forall g g', Started (fun l => g l + g' l) = Started g + Started g') by (intros; unfold Started; apply sum_plus). rewrite X in IH |- *. rewrite X.
  match goal with |- ?a + ?b + ?c = ?d + ?e + ?f => replace (d) with (a + Started (iter n best) - Started (iter n best)) by (rewrite IH; ring) end. ring.
Qed.

Definition visits_value : F := Visited (at_end best).
Lemma value_near n : nat_of n * (Started (value_at n) - visits_value) <= (most + most) * Visited mass /\ nat_of n * (visits_value - Started (value_at n)) <= (most + most) * Visited mass.
Proof.
  unfold visits_value. rewrite (balance_iter n (at_end best)), value_at_sum. set (A := arrived n (at_end best)).
  assert (B1 : forall s, s = 1 \/ s = - (1) -> s * Started (iter n best) <= most * Started (iter n mass)).
  { intros s Hs. unfold Started. rewrite <- !sum_times. apply sum_le. intros l _.
    assert (L : iter n (fun l => s * best l + 0 * best l) l <= iter n (fun l => most * mass l + 0 * mass l) l).
    { apply iter_le. intros m. destruct (best_bound m) as [U V]. destruct Hs as [->| ->].
      - eapply fle_trans; [|eapply fle_trans; [exact U|]]; apply fle_eq; ring.
      - eapply fle_trans; [|eapply fle_trans; [exact V|]]; apply fle_eq; ring. }
    rewrite !iter_lin in L. eapply fle_trans; [|eapply fle_trans; [exact L|]]; apply fle_eq; ring. }
  assert (B2 : forall s, s = 1 \/ s = - (1) -> s * Visited (iter n (at_end best)) <= most * Started (iter n mass)).
  { intros s Hs. rewrite <- to_arrive.
    assert (L : Visited (fun l => s * iter n (at_end best) l + 0 * iter n (at_end best) l) <= Visited (fun l => most * iter n (at_end mass) l + 0 * iter n (at_end mass) l)).
    { apply H_le. intros l. rewrite <- !iter_lin. apply iter_le. intros m. unfold at_end. destruct (stepping m); [apply fle_eq; ring|].
      destruct (best_bound m) as [U V]. destruct Hs as [->| ->].
      - eapply fle_trans; [|eapply fle_trans; [exact U|]]; apply fle_eq; ring.
      - eapply fle_trans; [|eapply fle_trans; [exact V|]]; apply fle_eq; ring. }
    rewrite !H_lin in L. eapply fle_trans; [|eapply fle_trans; [exact L|]]; apply fle_eq; ring. }
  assert (T : nat_of n * ((most + most) * Started (iter n mass)) <= (most + most) * Visited mass).
  { replace (nat_of n * ((most + most) * Started (iter n mass))) with ((most + most) * (nat_of n * Started (iter n mass))) by ring.
    apply fle_mul_l; [apply fle_add0; exact most_nonneg | apply under_way]. }
  pose proof (B1 1 (or_introl eq_refl)) as P1. pose proof (B1 (- (1)) (or_intror eq_refl)) as N1.
  pose proof (B2 1 (or_introl eq_refl)) as P2. pose proof (B2 (- (1)) (or_intror eq_refl)) as N2.
  set (x := Started (iter n best)) in *. set (y := Visited (iter n (at_end best))) in *. set (z := most * Started (iter n mass)) in *.
  split; (eapply fle_trans; [|exact T]); apply fle_mul_l; try apply nat_of_nonneg.
  - apply (fle_by ((z - 1 * x) + (z - - (1) * y))); [apply fle_add0; apply fle_sub_inv; assumption | unfold z; ring].
  - apply (fle_by ((z - - (1) * x) + (z - 1 * y))); [apply fle_add0; apply fle_sub_inv; assumption | unfold z; ring].
Qed.

(** ** Decisions *)

Lemma worth_step k c l : stepping l = true -> worth (Ask k c) (mu l) = sum (fun q => fst (snd q) * worth (c (fst q)) (mu (snd (snd q)))) (edges l).
Proof.
  intros O. apply worth_letters; [exact alphabet_once | intros; apply leads, O | intros q Iq; apply (weights l q O Iq)].
Qed.
Lemma value_at_grows n : forall l, value_at n l <= value_at (S n) l.
Proof.
  induction n as [|n IH]; intros l; simpl; destruct (stepping l) eqn:O; try apply fle_refl.
  - destruct (best_is l) as [r Hr]. rewrite Hr.
    rewrite (row_ext r _ (fun j => sum (fun q => fst (snd q) * mu (snd (snd q)) (Verdict true) j) (edges l))) by (intros; symmetry; apply kept, O).
    rewrite (row_sum r (fun q j => fst (snd q) * mu (snd (snd q)) (Verdict true) j)). apply sum_le. intros q Iq. rewrite row_times.
    apply fle_mul_l; [apply (weights l q O Iq)|]. destruct (stepping (snd (snd q))); apply best_row.
  - apply sum_le. intros q Iq. apply fle_mul_l; [apply (weights l q O Iq)|]. specialize (IH (snd (snd q))). exact IH.
Qed.
Lemma value_at_le n n' : (n <= n')%nat -> forall l, value_at n l <= value_at n' l.
Proof. induction 1 as [|n' _ IH]; intros l; [apply fle_refl|]. eapply fle_trans; [apply IH | apply value_at_grows]. Qed.
Lemma worth_bound d : exists n, forall l, worth d (mu l) <= value_at n l.
Proof.
  induction d as [r|k c IH].
  - exists 0%nat. intros l. simpl. destruct (stepping l); apply best_row.
  - assert (N : forall al, exists n, forall a, In a al -> forall l, worth (c a) (mu l) <= value_at n l).
    { induction al as [|a al [n Hn]]; [exists 0%nat; intros ? []|]. destruct (IH a) as [m Hm]. exists (Nat.max m n). intros b [<-|Ib] l.
      - eapply fle_trans; [apply Hm | apply value_at_le; lia].
      - eapply fle_trans; [apply Hn, Ib | apply value_at_le; lia]. }
    specialize (N alphabet).
    destruct N as [n Hn]. exists (S n). intros l. destruct (stepping l) eqn:O.
    + rewrite worth_step by exact O. simpl. rewrite O. apply sum_le. intros q Iq. destruct (weights l q O Iq) as [W A].
      apply fle_mul_l; [exact W | apply Hn, A].
    + simpl value_at. rewrite O. apply ends, O.
Qed.
(** A decision that attains it: ask n times, and choose the best. *)
Lemma worth_attained n : forall l, exists d, value_at n l <= worth d (mu l).
Proof.
  induction n as [|n IH]; intros l.
  - destruct (best_is l) as [r Hr]. exists (Choose r). simpl. rewrite <- Hr. destruct (stepping l); apply fle_refl.
  - destruct (stepping l) eqn:O.
    + destruct (choose_by_label fst (Choose 0) (fun q d => value_at n (snd (snd q)) <= worth d (mu (snd (snd q)))) (edges l) (once l O)) as [c Hc]; [intros; apply IH|].
      exists (Ask 1%positive c). rewrite worth_step by exact O. simpl. rewrite O. apply sum_le. intros q Iq.
      apply fle_mul_l; [apply (weights l q O Iq) | apply Hc, Iq].
    + destruct (best_is l) as [r Hr]. exists (Choose r). simpl. rewrite O, <- Hr. apply fle_refl.
Qed.

(** ** The start: one node for each first letter *)

Variable key : I -> label.
Hypothesis starts_once : NoDup (map key starts).

Variable first : label -> measure.                     (** the runs whose first letter it is *)
Hypothesis first_start : forall l, In l starts -> forall E j, first (key l) E j = mu l E j.
Hypothesis first_none : forall a, ~ In a (map key starts) -> forall E j, first a E j = 0.
Hypothesis starts_seen : forall l, In l starts -> In (key l) alphabet.
Definition total_worth (c : label -> decision) : F := sum (fun a => worth (c a) (first a)) alphabet.

Lemma total_starts c : total_worth c = sum (fun l => worth (c (key l)) (mu l)) starts.
Proof.
  unfold total_worth. transitivity (sum (fun a => sum (fun l => if Pos.eqb (key l) a then worth (c a) (mu l) else 0) starts) alphabet).
  - apply sum_ext. intros a _. destruct (in_dec Pos.eq_dec a (map key starts)) as [Ia|Na].
    + apply in_map_iff in Ia. destruct Ia as (l & <- & Il). rewrite (worth_ext _ _ (mu l)) by (intros; apply first_start, Il).
      clear first_start first_none starts_seen. induction starts as [|m r IH]; [destruct Il|]. simpl. inversion starts_once as [|? ? Nm Nr]; subst.
      destruct Il as [->|Il].
      * rewrite Pos.eqb_refl. rewrite sum_zero; [ring|]. clear IH. intros x Ix. destruct (Pos.eqb_spec (key x) (key l)) as [E|_]; [|reflexivity]. exfalso. apply Nm. rewrite <- E. apply in_map, Ix.
      * destruct (Pos.eqb_spec (key m) (key l)) as [E|_]; [exfalso; apply Nm; rewrite E; apply in_map, Il|]. rewrite <- (IH Nr Il). ring.
    + rewrite worth_zero by (apply first_none, Na). symmetry. clear - Na OF. induction starts as [|m r IH]; simpl; [reflexivity|]. rewrite IH.
      * destruct (Pos.eqb_spec (key m) a) as [E|_]; [exfalso; apply Na; left; exact E | ring].
      * intros Ia. apply Na. right. exact Ia.
  - rewrite sum_swap. apply sum_ext. intros l Il. apply (sum_pick alphabet (key l) (fun a => worth (c a) (mu l)) alphabet_once). apply starts_seen, Il.
Qed.

Lemma bound_nonneg : 0 <= (most + most) * Visited mass.
Proof. apply fle_mul; [apply fle_add0; exact most_nonneg | apply H_nonneg, mass_nonneg]. Qed.

Theorem visits_above c : total_worth c <= visits_value.
Proof.
  rewrite total_starts.
  assert (N : forall ls, exists n, forall l, In l ls -> worth (c (key l)) (mu l) <= value_at n l).
  { induction ls as [|l ls [n Hn]]; [exists 0%nat; intros ? []|]. destruct (worth_bound (c (key l))) as [m Hm]. exists (Nat.max m n). intros b [<-|Ib].
    - eapply fle_trans; [apply Hm | apply value_at_le; lia].
    - eapply fle_trans; [apply Hn, Ib | apply value_at_le; lia]. }
  destruct (N starts) as [n Hn]. set (W := sum (fun l => worth (c (key l)) (mu l)) starts). apply fle_near. intros e E.
  destruct (vanishing (W - visits_value) _ e bound_nonneg E) as [n' V].
  assert (L : W - visits_value <= e).
  { apply (V (Nat.max n n')); [lia|]. eapply fle_trans; [|apply (proj1 (value_near (Nat.max n n')))]. apply fle_mul_l; [apply nat_of_nonneg|].
    assert (L : W <= Started (value_at (Nat.max n n'))).
    { unfold Started, W. apply sum_le. intros l Il. eapply fle_trans; [apply Hn, Il | apply value_at_le; lia]. }
    set (s := Started (value_at (Nat.max n n'))) in *. apply (fle_by (s - W)); [apply fle_sub_inv, L | ring]. }
  apply (fle_by (e - (W - visits_value))); [apply fle_sub_inv, L | ring].
Qed.

Theorem visits_below eta : 0 < eta -> exists c, visits_value - eta <= total_worth c.
Proof.
  intros Eta.
  assert (Near : exists n, visits_value - Started (value_at n) <= eta).
  { destruct (f_archimedes ((most + most) * Visited mass / eta)) as [m A]. exists (S m).
    assert (P : 0 < nat_of (S m)) by (unfold nat_of; simpl; apply flt_add; [apply flt_01 | apply nat_of_nonneg]).
    apply (fle_cancel (nat_of (S m))); [exact P|]. eapply fle_trans; [apply (proj2 (value_near _))|].
    apply fle_trans with (nat_of m * eta).
    - replace ((most + most) * Visited mass) with ((most + most) * Visited mass / eta * eta) at 1 by (field; apply flt_neq, Eta). apply fle_mul_r; [apply flt_fle, Eta | exact A].
    - apply fle_mul_r; [apply flt_fle, Eta|]. apply (fle_by 1); [apply fle_01 | unfold nat_of; simpl; ring]. }
  destruct Near as [n Near].
  destruct (choose_by_label key (Choose 0) (fun l d => value_at n l <= worth d (mu l)) starts starts_once) as [c Hc]; [intros; apply worth_attained|].
  exists c. rewrite total_starts. apply fle_trans with (Started (value_at n)).
  - apply (fle_by (eta - (visits_value - Started (value_at n)))); [apply fle_sub_inv, Near | ring].
  - unfold Started. apply sum_le. intros l Il. apply Hc, Il.
Qed.
End Worth.
