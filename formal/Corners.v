(** All integers: why finitely many corners decide about every gap (docs/theory/all-integers.md).

    These are the lemmas that the rule `integers` of the checker in Python rests on, for any ordered field. The rule
    itself is not run here: the proved checker refuses its certificates by name. *)

Require Import List Field Arith ZArith Bool Lia.
Require Import Deltachain.Fields.
Import ListNotations.

Section Corners.
Context {F : Type} {OF : OrderedField F}.
Add Field F_field : f_field.

(** ** Lemma 1: a sequence is filtered by one root after the other; a corner is what is left at the least gap *)

Definition filtered (r : F) (f : nat -> F) (d : nat) : F := f (S d) - r * f d.
Fixpoint annihilated (roots : list F) (f : nat -> F) : Prop :=
  match roots with [] => forall d, f d = 0 | r :: roots => annihilated roots (filtered r f) end.
Fixpoint corners (roots : list F) (f : nat -> F) : list F :=
  match roots with [] => [] | r :: roots => f O :: corners roots (filtered r f) end.
Definition nonneg (l : list F) := Forall (fun r => 0 <= r) l.


(** Lemma 1. *)
Theorem corners_decide roots : nonneg roots -> forall f, annihilated roots f -> Forall (fun c => c <= 0) (corners roots f) -> forall d, f d <= 0.
Proof.
  induction 1 as [|r roots R _ IH]; simpl; intros f A C d; [apply fle_eq, A|]. inversion_clear C as [|? ? C0 C'].
  induction d as [|d ID]; [exact C0|]. replace (f (S d)) with (r * f d + filtered r f d) by (unfold filtered; ring).
  replace 0 with (r * 0 + 0) by ring. apply fle_add; [apply fle_mul_l; assumption | apply IH; assumption].
Qed.

(** *** Several gaps: corners of corners. The first roots are those of the first gap. *)

Notation grid := (list nat -> F).
Definition along (f : grid) (rest : list nat) : nat -> F := fun d => f (d :: rest).
Fixpoint filters (roots : list F) (f : grid) : list grid :=
  match roots with [] => [] | r :: roots => (fun rest => f (O :: rest)) :: filters roots (fun g => match g with [] => 0 | d :: rest => filtered r (along f rest) d end) end.
(** What each gap's recurrence says, whatever the others are. *)
Fixpoint recurrent (axes : list (list F)) (f : grid) : Prop :=
  match axes with
  | [] => True
  | roots :: axes => (forall rest, length rest = length axes -> annihilated roots (along f rest)) /\ forall d, recurrent axes (fun rest => f (d :: rest))
  end.
Fixpoint all_corners (axes : list (list F)) (f : grid) : Prop :=
  match axes with [] => f [] <= 0 | roots :: axes => Forall (all_corners axes) (filters roots f) end.

Lemma annihilated_ext roots : forall f g, (forall d, f d = g d) -> annihilated roots f -> annihilated roots g.
Proof.
  induction roots as [|r roots IH]; simpl; intros f g E H; [intros d; rewrite <- E; apply H|].
  apply (IH (filtered r f)); [|exact H]. intros d. unfold filtered. rewrite !E. reflexivity.
Qed.
Lemma annihilated_minus roots : forall r f g, annihilated roots f -> annihilated roots g -> annihilated roots (fun d => f d - r * g d).
Proof.
  induction roots as [|s roots IH]; simpl; intros r f g A B; [intros d; rewrite A, B; ring|].
  apply (annihilated_ext _ (fun d => filtered s f d - r * filtered s g d)); [intros d; unfold filtered; ring | apply IH; assumption].
Qed.
Lemma recurrent_minus axes : forall r f g, recurrent axes f -> recurrent axes g -> recurrent axes (fun rest => f rest - r * g rest).
Proof.
  induction axes as [|roots axes IH]; simpl; [constructor|]. intros r f g [A A'] [B B']. split.
  - intros rest L. apply (annihilated_minus roots r _ _ (A rest L) (B rest L)).
  - intros d. apply (IH r _ _ (A' d) (B' d)).
Qed.
Theorem all_corners_decide axes : Forall nonneg axes -> forall f, recurrent axes f -> all_corners axes f -> forall gaps, length gaps = length axes -> f gaps <= 0.
Proof.
  induction 1 as [|roots axes N _ IH]; simpl; intros f R C gaps L; [destruct gaps; [exact C | discriminate]|].
  destruct gaps as [|d rest]; [discriminate|]. injection L as L. destruct R as [A R].
  apply (corners_decide roots N (along f rest) (A rest L)). clear A N d.
  revert f R C. induction roots as [|r roots IR]; simpl; intros f R C; [constructor|]. inversion_clear C as [|? ? C0 C'].
  constructor; [apply (IH _ (R O) C0 rest L)|].
  refine (IR (fun g => match g with [] => 0 | d :: rest => filtered r (along f rest) d end) _ C').
  intros d. apply (recurrent_minus axes r _ _ (R (S d)) (R d)).
Qed.

(** ** Theorem 4: what is sublinear is on all of a region at most what it is at a corner, against the corner's mass

    [f a] is the probability of the word a, less e^ε times that from the neighbour; V sums up the positive ones. *)

Section Supremum.
Context {A : Type}.
Variable V : (A -> F) -> F.
Hypothesis V_ext : forall x y, (forall a, x a = y a) -> V x = V y.
Hypothesis V_zero : V (fun _ => 0) <= 0.
Hypothesis V_sublinear : forall r x y, 0 <= r -> V (fun a => r * x a + y a) <= r * V x + V y.

(** At each corner V is at most M times the mass. *)
Fixpoint corners_at_most (M : F) (roots : list F) (f : A -> nat -> F) (mass : nat -> F) : Prop :=
  match roots with [] => True | r :: roots => V (fun a => f a O) <= M * mass O /\ corners_at_most M roots (fun a => filtered r (f a)) (filtered r mass) end.
Theorem supremum_at_corners M roots : nonneg roots -> forall f mass, (forall a, annihilated roots (f a)) -> annihilated roots mass ->
  corners_at_most M roots f mass -> forall d, V (fun a => f a d) <= M * mass d.
Proof.
  induction 1 as [|r roots R _ IH]; simpl; intros f mass An Am C d.
  - rewrite (V_ext _ (fun _ => 0)) by (intros a; apply An). rewrite (Am d). replace (M * 0) with 0 by ring. exact V_zero.
  - destruct C as [C0 C']. induction d as [|d ID]; [exact C0|].
    rewrite (V_ext _ (fun a => r * f a d + filtered r (f a) d)) by (intros a; unfold filtered; ring).
    eapply fle_trans; [apply V_sublinear, R|]. replace (mass (S d)) with (r * mass d + filtered r mass d) by (unfold filtered; ring).
    apply (fle_by (r * (M * mass d - V (fun a => f a d)) + (M * filtered r mass d - V (fun a => filtered r (f a) d)))); [|ring].
    apply fle_add0; [apply fle_mul; [exact R | apply fle_sub_inv, ID] | apply fle_sub_inv, (IH (fun a => filtered r (f a)) (filtered r mass) An Am C' d)].
Qed.
End Supremum.

Definition gain (words : list nat) (x : nat -> F) : F := sum (fun a => fmax 0 (x a)) words.
(** With the mass of a constant 1 the bound is M itself. *)
Corollary delta_at_corners words M roots f : nonneg roots -> (forall a, annihilated roots (f a)) -> annihilated roots (fun _ => 1) ->
  corners_at_most (gain words) M roots f (fun _ => 1) -> forall d, gain words (fun a => f a d) <= M.
Proof.
  intros R A O C d. replace M with (M * 1) by ring. revert f A C.
  refine (fun f A C => supremum_at_corners (gain words) _ _ _ M roots R f (fun _ => 1) A O C d); unfold gain.
  - intros x y E. apply sum_ext. intros a _. rewrite E. reflexivity.
  - apply fle_eq, sum_zero. intros a _. unfold fmax. destruct (fle_dec 0 0); reflexivity.
  - intros r x y R'. rewrite <- sum_times, <- sum_plus. apply sum_le. intros a _.
    apply fmax_le; [apply fle_add0; [apply fle_mul; [exact R'|]|]; apply fmax_l | apply fle_add; [apply fle_mul_l; [exact R'|]|]; apply fmax_r].
Qed.

(** ** Lemma 2: a star has a recurrence in the gap between the points below it and those above

    Sums over all integers are what absolutely convergent series are: linear, the same after a shift, and sums of their parts. *)

Record summation := {
  summable : (Z -> F) -> Prop; total : (Z -> F) -> F;
  total_ext : forall a b, (forall k, a k = b k) -> summable a -> summable b /\ total a = total b;
  total_minus : forall r a b, summable a -> summable b -> summable (fun k => a k - r * b k) /\ total (fun k => a k - r * b k) = total a - r * total b;
  total_shift : forall a, summable a -> summable (fun k => a (k + 1)%Z) /\ total (fun k => a (k + 1)%Z) = total a;
  total_from : forall h a, summable a -> summable (fun k => if (h <=? k)%Z then a k else 0);
  total_nonneg : forall a, summable a -> (forall k, 0 <= a k) -> 0 <= total a;
  total_at : forall h x, summable (fun k => if (k =? h)%Z then x else 0) /\ total (fun k => if (k =? h)%Z then x else 0) = x }.

Section Star.
Variable T : summation.
Notation zseq := (Z -> F).
Definition step (r : F) (f : zseq) (d : Z) : F := f (d + 1)%Z - r * f d.
Fixpoint steps (roots : list F) (f : zseq) : zseq := match roots with [] => f | r :: roots => steps roots (step r f) end.
(** What is zero from N on stays so; operators commute; both by their definition. *)
Definition vanishes (N : Z) (f : zseq) := forall d, (N <= d)%Z -> f d = 0.
Lemma steps_ext roots : forall f g, (forall d, f d = g d) -> forall d, steps roots f d = steps roots g d.
Proof. induction roots as [|r roots IH]; simpl; intros f g E; [exact E|]. apply IH. intros d. unfold step. rewrite !E. reflexivity. Qed.
Lemma steps_minus roots : forall r f g d, steps roots (fun d => f d - r * g d) d = steps roots f d - r * steps roots g d.
Proof.
  induction roots as [|s roots IH]; simpl; intros r f g d; [reflexivity|]. rewrite <- IH. apply steps_ext. intros k. unfold step. ring.
Qed.
Lemma steps_step roots r f d : steps roots (step r f) d = step r (steps roots f) d.
Proof.
  unfold step at 1. rewrite (steps_minus roots r (fun d => f (d + 1)%Z) f). unfold step. f_equal.
  revert f d. induction roots as [|s roots IH]; simpl; intros f d; [reflexivity|]. rewrite <- IH. apply steps_ext. intros k. reflexivity.
Qed.
Lemma vanishes_step N r f : vanishes N f -> vanishes N (step r f).
Proof. intros V d L. unfold step. rewrite !V by lia. ring. Qed.
Lemma vanishes_steps N roots : forall f, vanishes N f -> vanishes N (steps roots f).
Proof. induction roots as [|r roots IH]; simpl; intros f V; [exact V | apply IH, vanishes_step, V]. Qed.
Lemma steps_app S S' f d : steps (S ++ S') f d = steps S' (steps S f) d.
Proof. revert f. induction S as [|r S IH]; simpl; intros f; [reflexivity | apply IH]. Qed.
Lemma steps_swap S S' : forall f d, steps S (steps S' f) d = steps S' (steps S f) d.
Proof.
  induction S as [|r S IH]; simpl; intros f d; [reflexivity|]. rewrite <- IH. apply steps_ext. intros k. symmetry. apply steps_step.
Qed.


Lemma steps_times roots c f d : steps roots (fun d => c * f d) d = c * steps roots f d.
Proof.
  transitivity (steps roots (fun d => f d - (1 - c) * f d) d); [apply steps_ext; intros k; ring|]. rewrite steps_minus. ring.
Qed.
(** Sums of sequences in d are taken step by step. *)
Lemma steps_total S : forall g : Z -> Z -> F, (forall d, summable T (fun k => g k d)) ->
  forall d, steps S (fun d => total T (fun k => g k d)) d = total T (fun k => steps S (g k) d).
Proof.
  induction S as [|r S IH]; simpl; intros g H d; [reflexivity|].
  rewrite <- (IH (fun k => step r (g k))); [|intros e; apply (total_minus T r _ _ (H (e + 1)%Z) (H e))].
  apply steps_ext. intros e. symmetry. apply (total_minus T r _ _ (H (e + 1)%Z) (H e)).
Qed.
Lemma total_zero a : (forall k, a k = 0) -> total T a = 0.
Proof.
  intros Z. destruct (total_at T 0%Z 0) as [S E]. rewrite <- E. symmetry.
  apply (total_ext T); [intros k; rewrite Z; destruct (k =? 0)%Z; reflexivity | exact S].
Qed.

(** The product [a] of the atoms below the gap, and [b] of those above it, which move up by d. *)
Definition star (a b : zseq) (d : Z) : F := total T (fun k => a k * b (k - d)%Z).
Definition summed (a b : zseq) := forall d, summable T (fun k => a k * b (k - d)%Z).
Definition from (h : Z) (a : zseq) : zseq := fun k => if (h <=? k)%Z then a k else 0.
Definition upto (h : Z) (a : zseq) : zseq := fun k => if (h <=? k)%Z then 0 else a k.

Lemma summed_ext a a' b : (forall k, a k = a' k) -> summed a b -> summed a' b.
Proof. intros E H d. apply (total_ext T (fun k => a k * b (k - d)%Z)); [intros k; rewrite E; reflexivity | apply H]. Qed.
Lemma summed_next a b : summed a b -> summed (fun k => a (k + 1)%Z) b.
Proof.
  intros H d. destruct (total_shift T _ (H (d + 1)%Z)) as [S _]. revert S. apply total_ext. intros k. do 2 f_equal. lia.
Qed.
Lemma summed_minus r a a' b : summed a b -> summed a' b -> summed (fun k => a k - r * a' k) b.
Proof.
  intros H H' d. destruct (total_minus T r _ _ (H d) (H' d)) as [S _]. revert S. apply total_ext. intros k. ring.
Qed.
Lemma summed_from h a b : summed a b -> summed (from h a) b.
Proof.
  intros H d. pose proof (total_from T h _ (H d)) as S. revert S. apply total_ext. intros k. unfold from. destruct (h <=? k)%Z; ring.
Qed.
Lemma upto_from h a k : upto h a k = a k - 1 * from h a k.
Proof. unfold upto, from. destruct (h <=? k)%Z; ring. Qed.
Lemma summed_upto h a b : summed a b -> summed (upto h a) b.
Proof.
  intros H. apply (summed_ext (fun k => a k - 1 * from h a k)); [intros k; symmetry; apply upto_from | apply summed_minus; [exact H | apply summed_from, H]].
Qed.
Lemma star_parts h a b d : summed a b -> star a b d = star (upto h a) b d - (- (1)) * star (from h a) b d.
Proof.
  intros H. unfold star. destruct (total_minus T (- (1)) _ _ (summed_upto h a b H d) (summed_from h a b H d)) as [S <-].
  symmetry. apply (total_ext T _ _); [|exact S]. intros k. rewrite upto_from. ring.
Qed.

Lemma star_step h r a b d : summed a b -> step r (star (from h a) b) d = star (from h (step r a)) b d - (- a h) * b (h - 1 - d)%Z.
Proof.
  intros H. assert (H' := summed_from h a b H). unfold step at 1, star.
  destruct (total_shift T _ (H' (d + 1)%Z)) as [S <-]. destruct (total_minus T r _ _ S (H' d)) as [S' <-].
  assert (HS : summed (from h (step r a)) b) by (apply summed_from; unfold step; apply summed_minus; [apply summed_next|]; exact H).
  destruct (total_at T (h - 1)%Z (a h * b (h - 1 - d)%Z)) as [P E].
  transitivity (total T (fun k => from h (step r a) k * b (k - d)%Z) - (- (1)) * (a h * b (h - 1 - d)%Z)); [|ring].
  rewrite <- E. destruct (total_minus T (- (1)) _ _ (HS d) P) as [S'' <-]. apply (total_ext T); [|exact S'].
  intros k. replace (k + 1 - (d + 1))%Z with (k - d)%Z by lia. unfold from, step.
  destruct (Z.eqb_spec k (h - 1)) as [->|N].
  - replace (h <=? h - 1 + 1)%Z with true by (symmetry; apply Z.leb_le; lia). replace (h <=? h - 1)%Z with false by (symmetry; apply Z.leb_gt; lia).
    replace (h - 1 + 1)%Z with h by lia. ring.
  - destruct (Z.leb_spec h (k + 1)), (Z.leb_spec h k); try ring; lia.
Qed.

(** Lemma 2. From h on the upper formulas of the atoms below hold, up to l the lower formulas of those above. *)
Theorem star_recurrence R S h l a b : summed a b -> vanishes h (steps R a) ->
  (forall k d, (k - d <= l)%Z -> steps S (fun d => b (k - d)%Z) d = 0) -> vanishes (h - l - 1) (steps (R ++ S) (star a b)).
Proof.
  intros H A B. set (N := (h - l - 1)%Z).
  assert (Low : vanishes N (steps S (star (upto h a) b))).
  { intros d L. unfold star. rewrite (steps_total S (fun k d => upto h a k * b (k - d)%Z)) by apply (summed_upto h a b H).
    apply total_zero. intros k. rewrite steps_times. unfold upto. destruct (Z.leb_spec h k); [ring|]. rewrite B by (unfold N in L; lia). ring. }
  assert (High : vanishes N (steps S (steps R (star (from h a) b)))).
  { clear Low. revert a H A. induction R as [|r R IH]; simpl; intros a H A.
    - apply vanishes_steps. intros d _. apply total_zero. intros k. unfold from. destruct (Z.leb_spec h k); [rewrite A by lia|]; ring.
    - intros d L. rewrite (steps_ext S _ (fun e => steps R (star (from h (step r a)) b) e - (- a h) * steps R (fun e => b (h - 1 - e)%Z) e)).
      + assert (H' : summed (step r a) b) by (unfold step; apply summed_minus; [apply summed_next|]; exact H).
        rewrite steps_minus, (IH _ H' A d L), steps_swap, (vanishes_steps N R (steps S (fun e => b (h - 1 - e)%Z))).
        * ring.
        * intros e Le. apply B. unfold N in Le. lia.
        * exact L.
      + intros e. rewrite <- steps_minus. apply steps_ext. intros k. apply star_step, H. }
  intros d L. rewrite steps_app, (steps_ext S _ (fun e => steps R (star (upto h a) b) e - (- (1)) * steps R (star (from h a) b) e)).
  - rewrite steps_minus, (High d L), steps_swap, (vanishes_steps N R _ Low d L). ring.
  - intros e. rewrite <- steps_minus. apply steps_ext. intros k. apply star_parts, H.
Qed.
(** As the sequence of [corners_decide]. *)
Lemma annihilated_from N roots : forall f, vanishes N (steps roots f) -> annihilated roots (fun d => f (N + Z.of_nat d)%Z).
Proof.
  induction roots as [|r roots IH]; simpl; intros f V; [intros d; apply V; lia|].
  apply (annihilated_ext _ (fun d => step r f (N + Z.of_nat d)%Z)); [|apply IH, V].
  intros d. unfold filtered, step. replace (N + Z.of_nat (S d))%Z with (N + Z.of_nat d + 1)%Z by lia. reflexivity.
Qed.

(** Lemma 3: a star whose atoms are at most those of another one is at most that one. *)
Lemma star_mono a b a' b' d d' : summed a b -> summed a' b' -> (forall k, a k * b (k - d)%Z <= a' k * b' (k - d')%Z) -> star a b d <= star a' b' d'.
Proof.
  intros H H' L. destruct (total_minus T 1 _ _ (H' d') (H d)) as [S E]. apply fle_sub. replace (star a' b' d' - star a b d) with (star a' b' d' - 1 * star a b d) by ring.
  unfold star. rewrite <- E. apply (total_nonneg T); [exact S|]. intros k. replace (1 * (a k * b (k - d)%Z)) with (a k * b (k - d)%Z) by ring. apply fle_sub_inv, L.
Qed.
End Star.

(** Both in one: a word with one star is at most e^ε as likely from x as from its neighbour, at every gap from N on. *)
Theorem private_at_every_gap T R S h l a b h' l' a' b' N alpha :
  nonneg (R ++ S) -> summed T a b -> summed T a' b' -> (h - l - 1 <= N)%Z -> (h' - l' - 1 <= N)%Z ->
  vanishes h (steps R a) -> (forall k d, (k - d <= l)%Z -> steps S (fun d => b (k - d)%Z) d = 0) ->
  vanishes h' (steps R a') -> (forall k d, (k - d <= l')%Z -> steps S (fun d => b' (k - d)%Z) d = 0) ->
  let f d := star T a b (N + Z.of_nat d)%Z - alpha * star T a' b' (N + Z.of_nat d)%Z in
  Forall (fun c => c <= 0) (corners (R ++ S) f) -> forall d, (N <= d)%Z -> star T a b d <= alpha * star T a' b' d.
Proof.
  intros P H H' L L' A B A' B' f C d Ld. apply fle_sub.
  assert (G : f (Z.to_nat (d - N)) <= 0).
  { refine (corners_decide (R ++ S) P f _ C _). apply annihilated_minus; apply annihilated_from.
    - intros e Le. apply (star_recurrence T R S h l a b H A B). lia.
    - intros e Le. apply (star_recurrence T R S h' l' a' b' H' A' B'). lia. }
  unfold f in G. replace (N + Z.of_nat (Z.to_nat (d - N)))%Z with d in G by lia.
  replace (alpha * star T a' b' d - star T a b d) with (- (star T a b d - alpha * star T a' b' d)) by ring. apply fle_opp0, G.
Qed.
End Corners.
