(** Archimedean ordered fields with Leibniz equality, vectors, and sums: all that the rules use of numbers.

    Instances (Numbers.v): Qc, with no axiom at all; R, with the axioms of Coq's reals. *)

Require Import List Permutation PArith ZArith Field Bool Lia.
Import ListNotations.

Class OrderedField (F : Type) := {
  f0 : F; f1 : F; fadd : F -> F -> F; fmul : F -> F -> F; fsub : F -> F -> F; fopp : F -> F;
  fdiv : F -> F -> F; finv : F -> F; fle : F -> F -> Prop;
  f_field : field_theory f0 f1 fadd fmul fsub fopp fdiv finv (@eq F);
  fle_refl : forall a, fle a a;
  fle_trans : forall a b c, fle a b -> fle b c -> fle a c;
  fle_antisym : forall a b, fle a b -> fle b a -> a = b;
  fle_dec : forall a b, {fle a b} + {~ fle a b};
  fle_total : forall a b, fle a b \/ fle b a;
  fle_add : forall a b c d, fle a b -> fle c d -> fle (fadd a c) (fadd b d);
  fle_mul : forall a b, fle f0 a -> fle f0 b -> fle f0 (fmul a b);
  fle_close : forall a b, (forall e, fle f0 e -> e <> f0 -> fle a (fadd b e)) -> fle a b;
  f_archimedes : forall a, exists n : nat, fle a (Nat.iter n (fadd f1) f0) }.

Declare Scope F_scope.
Delimit Scope F_scope with F.
Notation "0" := f0 : F_scope.
Notation "1" := f1 : F_scope.
Notation "a + b" := (fadd a b) : F_scope.
Notation "a * b" := (fmul a b) : F_scope.
Notation "a - b" := (fsub a b) : F_scope.
Notation "a / b" := (fdiv a b) : F_scope.
Notation "- a" := (fopp a) : F_scope.
Notation "a <= b" := (fle a b) : F_scope.
Open Scope F_scope.
Definition flt {F} {OF : OrderedField F} (a b : F) : Prop := a <= b /\ a <> b.
Notation "a < b" := (flt a b) : F_scope.

Definition state := positive.
Definition label := positive.
Definition input := positive.

Section Facts.
Context {F : Type} {OF : OrderedField F}.
Add Field F_field : f_field.

Lemma fle_by t a b : 0 <= t -> b - a = t -> a <= b.
Proof. intros H E. replace a with (a + 0) by ring. replace b with (a + (b - a)) by ring. rewrite E. apply fle_add; [apply fle_refl | exact H]. Qed.
Lemma fle_sub a b : 0 <= b - a -> a <= b.
Proof. intros H. apply (fle_by (b - a)); auto. Qed.
Lemma fle_sub_inv a b : a <= b -> 0 <= b - a.
Proof. intros H. replace 0 with (a + - a) by ring. replace (b - a) with (b + - a) by ring. apply fle_add; [exact H | apply fle_refl]. Qed.
Lemma fle_add0 a b : 0 <= a -> 0 <= b -> 0 <= a + b.
Proof. intros. replace 0 with (0 + 0) by ring. apply fle_add; assumption. Qed.
Lemma fle_mul_l c a b : 0 <= c -> a <= b -> c * a <= c * b.
Proof. intros Hc H. apply (fle_by (c * (b - a))); [apply fle_mul; [exact Hc | apply fle_sub_inv; exact H] | ring]. Qed.
Lemma fle_mul_r c a b : 0 <= c -> a <= b -> a * c <= b * c.
Proof. intros Hc H. apply (fle_by (c * (b - a))); [apply fle_mul; [exact Hc | apply fle_sub_inv; exact H] | ring]. Qed.
Lemma fle_eq a b : a = b -> a <= b. Proof. intros ->. apply fle_refl. Qed.
Lemma fle_opp a b : a <= b -> - b <= - a.
Proof. intros H. apply (fle_by (b - a)); [apply fle_sub_inv; exact H | ring]. Qed.
Lemma fle_opp0 a : a <= 0 -> 0 <= - a.
Proof. intros H. apply (fle_by (0 - a)); [apply fle_sub_inv; exact H | ring]. Qed.
Lemma f1_neq_0 : 1 <> 0. Proof. exact (F_1_neq_0 f_field). Qed.
Lemma fle_square a : 0 <= a * a.
Proof.
  destruct (fle_total 0 a) as [H|H]; [apply fle_mul; assumption|]. replace (a * a) with ((- a) * (- a)) by ring.
  apply fle_mul; apply fle_opp0; exact H.
Qed.
Lemma fle_01 : 0 <= 1. Proof. replace 1 with (1 * 1) by ring. apply fle_square. Qed.

(** Strict order *)

Lemma flt_01 : 0 < 1. Proof. split; [apply fle_01 | intros E; apply f1_neq_0; congruence]. Qed.
Lemma flt_not a b : a < b -> ~ b <= a.
Proof. intros [L N] H. apply N, fle_antisym; assumption. Qed.
Lemma not_fle a b : ~ b <= a -> a < b.
Proof. intros H. destruct (fle_total a b) as [L|L]; [|contradiction]. split; [exact L | intros ->; apply H, fle_refl]. Qed.
Lemma flt_fle a b : a < b -> a <= b. Proof. intros [L _]; exact L. Qed.
Lemma flt_fle_trans a b c : a < b -> b <= c -> a < c.
Proof. intros H L. apply not_fle. intros H'. apply (flt_not _ _ H). eapply fle_trans; eassumption. Qed.
Lemma fle_flt_trans a b c : a <= b -> b < c -> a < c.
Proof. intros L H. apply not_fle. intros H'. apply (flt_not _ _ H). eapply fle_trans; eassumption. Qed.
Lemma flt_sub a b : 0 < b - a -> a < b.
Proof. intros [L N]. split; [apply fle_sub; exact L | intros ->; apply N; ring]. Qed.
Lemma flt_sub_inv a b : a < b -> 0 < b - a.
Proof. intros [L N]. split; [apply fle_sub_inv; exact L|]. intros E. apply N. transitivity (a + (b - a)); [rewrite <- E|]; ring. Qed.
Lemma flt_neq a : 0 < a -> a <> 0. Proof. intros [_ N] E. congruence. Qed.
Lemma flt_mul a b : 0 < a -> 0 < b -> 0 < a * b.
Proof.
  intros [La Na] [Lb Nb]. split; [apply fle_mul; assumption|]. intros E. apply Nb. symmetry.
  replace b with (a * b / a) by (field; congruence). rewrite <- E. field. congruence.
Qed.
Lemma flt_add a b : 0 < a -> 0 <= b -> 0 < a + b.
Proof. intros H L. eapply flt_fle_trans; [exact H|]. apply (fle_by b); [exact L | ring]. Qed.
Lemma finv_pos a : 0 < a -> 0 < 1 / a.
Proof.
  intros [L N]. assert (a <> 0) as N' by congruence. split.
  - replace (1 / a) with (a * ((1 / a) * (1 / a))) by (field; exact N'). apply fle_mul; [exact L | apply fle_square].
  - intros E. apply f1_neq_0. transitivity (a * (1 / a)); [field; exact N' | rewrite <- E; ring].
Qed.
Lemma fdiv_pos a b : 0 < a -> 0 < b -> 0 < a / b.
Proof. intros A B. replace (a / b) with (a * (1 / b)) by (field; apply flt_neq, B). apply flt_mul; [exact A | apply finv_pos, B]. Qed.
Lemma fle_cancel c a b : 0 < c -> c * a <= c * b -> a <= b.
Proof.
  intros C H. replace a with ((1 / c) * (c * a)) by (field; apply flt_neq, C). replace b with ((1 / c) * (c * b)) by (field; apply flt_neq, C).
  apply fle_mul_l; [apply flt_fle, finv_pos, C | exact H].
Qed.
Lemma flt_mul_l c a b : 0 < c -> a < b -> c * a < c * b.
Proof. intros C H. apply flt_sub. replace (c * b - c * a) with (c * (b - a)) by ring. apply flt_mul; [exact C | apply flt_sub_inv; exact H]. Qed.

(** Naturals in F, and what Archimedes says *)

Definition nat_of (n : nat) : F := Nat.iter n (fadd 1) 0.
Lemma nat_of_nonneg n : 0 <= nat_of n.
Proof. induction n as [|n IH]; simpl; [apply fle_refl|]. apply fle_add0; [apply fle_01 | exact IH]. Qed.
Fixpoint power (a : F) (n : nat) : F := match n with O => 1 | S n => a * power a n end.
Lemma power_nonneg a n : 0 <= a -> 0 <= power a n.
Proof. intros A. induction n as [|n IH]; simpl; [apply fle_01 | apply fle_mul; assumption]. Qed.
Lemma power_pos a n : 0 < a -> 0 < power a n.
Proof. intros A. induction n as [|n IH]; simpl; [apply flt_01 | apply flt_mul; assumption]. Qed.

(** (1 - e)^n (1 + n e) <= 1 for 0 <= e <= 1: so powers of a number below 1 fall under any other. *)
Lemma bernoulli e n : 0 <= e -> e <= 1 -> power (1 - e) n * (1 + nat_of n * e) <= 1.
Proof.
  intros E L. induction n as [|n IH]; simpl; [apply fle_eq; ring|].
  set (p := power (1 - e) n) in *. assert (0 <= p) as P by (apply power_nonneg, fle_sub_inv, L).
  eapply fle_trans; [|exact IH].
  apply (fle_by (p * (e * e) * (1 + nat_of n))).
  - apply fle_mul; [apply fle_mul; [exact P | apply fle_square] | apply fle_add0; [apply fle_01 | apply nat_of_nonneg]].
  - unfold nat_of. ring.
Qed.
Lemma powers_vanish e u eta : 0 < e -> e <= 1 -> 0 <= u -> 0 < eta -> exists n, power (1 - e) n * u <= eta.
Proof.
  intros E L U H. destruct (f_archimedes (u / (eta * e))) as [n A]. exists n.
  pose proof (bernoulli e n (flt_fle _ _ E) L) as B. set (p := power (1 - e) n) in *.
  assert (0 <= p) as P by (apply power_nonneg, fle_sub_inv, L).
  assert (u <= eta * (nat_of n * e)) as UN.
  { assert (0 < eta * e) as HE by (apply flt_mul; assumption).
    replace u with ((eta * e) * (u / (eta * e))) by (field; split; apply flt_neq; assumption).
    replace (eta * (nat_of n * e)) with ((eta * e) * nat_of n) by ring. apply fle_mul_l; [apply flt_fle, HE | exact A]. }
  eapply fle_trans; [apply fle_mul_l; [exact P | exact UN]|].
  apply (fle_by (eta * (1 - p * (1 + nat_of n * e)) + eta * p)); [|ring].
  apply fle_add0; apply fle_mul; try (apply flt_fle; exact H); [apply fle_sub_inv; exact B | exact P].
Qed.

Lemma fle_near a b : (forall e, 0 < e -> a <= b + e) -> a <= b.
Proof. intros H. apply fle_close. intros e L N. apply H. split; [exact L | congruence]. Qed.
(** What is at most U/n for all large n is not above 0. *)
Lemma vanishing a U eta : 0 <= U -> 0 < eta -> exists n, forall m, (n <= m)%nat -> nat_of m * a <= U -> a <= eta.
Proof.
  intros Un Eta. destruct (f_archimedes (U / eta)) as [n A]. exists (S n). intros m Hm L.
  assert (M : nat_of (S n) <= nat_of m).
  { induction Hm as [|m Hm IH]; [apply fle_refl|]. apply fle_trans with (nat_of m); [|apply (fle_by 1); [apply fle_01 | unfold nat_of; simpl; ring]].
    clear - Hm OF. induction Hm as [|m Hm IH]; [apply fle_refl|]. eapply fle_trans; [exact IH|]. apply (fle_by 1); [apply fle_01 | unfold nat_of; simpl; ring]. }
  assert (P : 0 < nat_of m).
  { eapply flt_fle_trans; [|exact M]. unfold nat_of. simpl. apply flt_add; [apply flt_01 | apply nat_of_nonneg]. }
  apply (fle_cancel (nat_of m)); [exact P|]. eapply fle_trans; [exact L|].
  apply fle_trans with (nat_of n * eta).
  - replace U with ((U / eta) * eta) by (field; apply flt_neq, Eta). apply fle_mul_r; [apply flt_fle, Eta | exact A].
  - apply fle_mul_r; [apply flt_fle, Eta|]. eapply fle_trans; [|exact M]. apply (fle_by 1); [apply fle_01 | unfold nat_of; simpl; ring].
Qed.
Lemma below_both a b : 0 < a -> 0 < b -> exists c, 0 < c /\ c <= a /\ c <= b.
Proof. intros A B. destruct (fle_total a b); [exists a | exists b]; repeat split; try apply A; try apply B; auto using fle_refl. Qed.
Definition fmax (a b : F) : F := if fle_dec a b then b else a.
Definition fmin (a b : F) : F := if fle_dec a b then a else b.
Lemma fmax_l a b : a <= fmax a b.
Proof. unfold fmax. destruct (fle_dec a b); [assumption | apply fle_refl]. Qed.
Lemma fmax_r a b : b <= fmax a b.
Proof. unfold fmax. destruct (fle_dec a b) as [|N]; [apply fle_refl | apply flt_fle, not_fle, N]. Qed.
Lemma fmax_le a b c : a <= c -> b <= c -> fmax a b <= c.
Proof. unfold fmax. destruct (fle_dec a b); auto. Qed.
Lemma fmin_l a b : fmin a b <= a.
Proof. unfold fmin. destruct (fle_dec a b) as [|N]; [apply fle_refl | apply flt_fle, not_fle, N]. Qed.
Lemma fmin_r a b : fmin a b <= b.
Proof. unfold fmin. destruct (fle_dec a b); [assumption | apply fle_refl]. Qed.
Lemma fmin_le a b c : c <= a -> c <= b -> c <= fmin a b.
Proof. unfold fmin. destruct (fle_dec a b); auto. Qed.
Lemma above_both a b : exists c, a <= c /\ b <= c.
Proof. destruct (fle_total a b); [exists b | exists a]; split; auto using fle_refl. Qed.

(** ** Vectors: lists of entries, of which nothing is used but their products with functions of states *)

Notation vec := (list (state * F)).

Fixpoint dot (w : vec) (f : state -> F) : F :=
  match w with [] => 0 | (i, v) :: w' => v * f i + dot w' f end.

Lemma dot_app w w' f : dot (w ++ w') f = dot w f + dot w' f.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma dot_ext w f g : (forall i v, In (i, v) w -> f i = g i) -> dot w f = dot w g.
Proof.
  induction w as [|[i v] w IH]; simpl; intros H; [reflexivity|].
  rewrite (H i v) by auto. rewrite IH; [reflexivity|]. intros j u Hj. apply (H j u); auto.
Qed.
Lemma dot_ext_all w f g : (forall i, f i = g i) -> dot w f = dot w g.
Proof. intros H. apply dot_ext; auto. Qed.
Lemma dot_minus w f g : dot w (fun i => f i - g i) = dot w f - dot w g.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma dot_plus w f g : dot w (fun i => f i + g i) = dot w f + dot w g.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma dot_times w c f : dot w (fun i => c * f i) = c * dot w f.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma dot_zero w : dot w (fun _ => 0) = 0.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma dot_perm w w' (f : state -> F) : Permutation w w' -> dot w f = dot w' f.
Proof.
  induction 1 as [|[i v] l l' _ IH|[i v] [j u] l|]; simpl; try reflexivity; [rewrite IH; reflexivity | ring | etransitivity; eassumption].
Qed.
Lemma dot_map (g : state -> state) w f : dot (map (fun e => (g (fst e), snd e)) w) f = dot w (fun i => f (g i)).
Proof. induction w as [|[i v] w IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.

Definition all_nonneg (w : vec) := Forall (fun e => 0 <= snd e) w.
Lemma dot_nonneg w f : all_nonneg w -> (forall i, 0 <= f i) -> 0 <= dot w f.
Proof.
  intros H Hf. induction H as [|[i v] w Hv _ IH]; simpl in *; [apply fle_refl|].
  apply fle_add0; [apply fle_mul; auto | exact IH].
Qed.
Lemma dot_mono w f g : all_nonneg w -> (forall i, f i <= g i) -> dot w f <= dot w g.
Proof.
  intros H Hf. apply fle_sub. rewrite <- dot_minus. apply dot_nonneg; [exact H|]. intros i. apply fle_sub_inv, Hf.
Qed.

Definition scaled (c : F) (w : vec) : vec := map (fun e => (fst e, c * snd e)) w.
Lemma scaled_dot c w f : dot (scaled c w) f = c * dot w f.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Fixpoint sum {A : Type} (g : A -> F) (l : list A) : F := match l with [] => 0 | x :: r => g x + sum g r end.
Lemma sum_le {A} (g h : A -> F) l : (forall x, In x l -> g x <= h x) -> sum g l <= sum h l.
Proof. induction l as [|x l IH]; simpl; intros H; [apply fle_refl|]. apply fle_add; [apply H | apply IH; intros; apply H]; auto. Qed.
Lemma sum_ext {A} (g h : A -> F) l : (forall x, In x l -> g x = h x) -> sum g l = sum h l.
Proof. induction l as [|x l IH]; simpl; intros H; [reflexivity|]. rewrite (H x) by auto. rewrite IH; auto. Qed.
Lemma sum_plus {A} (g h : A -> F) l : sum (fun x => g x + h x) l = sum g l + sum h l.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma sum_times {A} c (g : A -> F) l : sum (fun x => c * g x) l = c * sum g l.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma sum_minus {A} (g h : A -> F) l : sum (fun x => g x - h x) l = sum g l - sum h l.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma sum_nonneg {A} (g : A -> F) l : (forall x, In x l -> 0 <= g x) -> 0 <= sum g l.
Proof. induction l as [|x l IH]; simpl; intros H; [apply fle_refl|]. apply fle_add0; [apply H | apply IH; intros; apply H]; auto. Qed.
Lemma sum_app {A} (g : A -> F) l l' : sum g (l ++ l') = sum g l + sum g l'.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma sum_zero {A} (g : A -> F) l : (forall x, In x l -> g x = 0) -> sum g l = 0.
Proof. induction l as [|x l IH]; simpl; intros H; [reflexivity|]. rewrite (H x) by auto. rewrite IH by auto. ring. Qed.
(** A sum falls by what one of its terms falls. *)
Lemma sum_le_one {A} (g h : A -> F) l x d : In x l -> (forall y, In y l -> g y <= h y) -> g x <= h x - d -> sum g l <= sum h l - d.
Proof.
  induction l as [|y l IH]; simpl; intros I H D; [destruct I|]. destruct I as [->|I].
  - replace (h x + sum h l - d) with (h x - d + sum h l) by ring. apply fle_add; [exact D | apply sum_le; intros; apply H; auto].
  - replace (h y + sum h l - d) with (h y + (sum h l - d)) by ring. apply fle_add; [apply H; auto | apply IH; auto].
Qed.

(** A positive bound for each of finitely many is one for all. *)
Lemma uniform_below {A} (P : A -> F -> Prop) l : (forall x a b, P x a -> 0 < b -> b <= a -> P x b) ->
  (forall x, In x l -> exists a, 0 < a /\ P x a) -> exists a, 0 < a /\ forall x, In x l -> P x a.
Proof.
  intros M. induction l as [|x l IH]; intros H; [exists 1; split; [apply flt_01 | intros ? []]|].
  destruct (H x (or_introl eq_refl)) as (a & Ha & Pa). destruct IH as (b & Hb & Pb); [intros; apply H; right; assumption|].
  destruct (below_both a b Ha Hb) as (c & Hc & Ca & Cb). exists c. split; [exact Hc|]. intros y [<-|I]; eapply M; eauto.
Qed.
Lemma uniform_above {A} (P : A -> F -> Prop) l : (forall x a b, P x a -> a <= b -> P x b) ->
  (forall x, In x l -> exists a, P x a) -> exists a, 0 <= a /\ forall x, In x l -> P x a.
Proof.
  intros M. induction l as [|x l IH]; intros H; [exists 0; split; [apply fle_refl | intros ? []]|].
  destruct (H x (or_introl eq_refl)) as (a & Pa). destruct IH as (b & Hb & Pb); [intros; apply H; right; assumption|].
  destruct (above_both a b) as (c & Ca & Cb). exists c. split; [eapply fle_trans; eassumption|]. intros y [<-|I]; eapply M; eauto.
Qed.
End Facts.
Notation vec F := (list (state * F)).
