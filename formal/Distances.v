(** Distances bd, ld and sd: least pre-fixed points of a step, from above by covers, from below by prices and ranks.

    [admissible D f]: what an event's probabilities satisfy if D bounds what any two states of one label gain. A pre-fixed
    point is a D that bounds every gain of admissible f after one step; the distance is the least one. *)

Require Import List PArith Arith Field Bool Lia.
Require Import Deltachain.Fields Deltachain.Cover.
Import ListNotations.

Inductive kind := Bd | Ld | Sd.

Section Distances.
Context {F : Type} {OF : OrderedField F}.
Add Field F_field : f_field.
Variable P : chain F.
(** The states of the chain. *)
Variable inside : state -> Prop.
Variable alpha : F.
Notation function := (state -> state -> F).

(** ** What a distance is *)

(** No event sees n, a vector on one label: then f, which looks like an event's probabilities, sees nothing either. *)
Definition traceable (f : state -> F) : Prop :=
  forall a (n : vec F), (forall e, In e n -> lab P (fst e) = a) -> (forall E, dot n (prob P E) = 0) -> dot n f = 0.
Definition ranged (f : state -> F) : Prop := forall i, 0 <= f i /\ f i <= 1.
Record admissible (what : kind) (traces : bool) (D : function) (f : state -> F) : Prop := {
  in_range : ranged f;
  rows_within : forall i j, inside i -> inside j -> i <> j -> lab P i = lab P j -> f i - alpha * f j <= D i j;
  complement_within : what = Sd -> forall i j, inside i -> inside j -> i <> j -> lab P i = lab P j -> (1 - f i) - alpha * (1 - f j) <= D i j;
  sees_nothing : traces = true -> traceable f }.
Definition step_gain (k : input) (i j : state) (f : state -> F) : F := dot (move P k i) f - alpha * dot (move P k j) f.
Record prefixed (what : kind) (traces : bool) (D : function) : Prop := {
  not_negative : forall i j, inside i -> inside j -> lab P i = lab P j -> 0 <= D i j;
  bounds_gain : forall i j k f, inside i -> inside j -> lab P i = lab P j -> admissible what traces D f -> step_gain k i j f <= D i j;
  bounds_reverse : what = Bd -> forall i j k f, inside i -> inside j -> lab P i = lab P j -> admissible what traces D f -> step_gain k j i f <= D i j }.

(** The least pre-fixed point is the infimum of all; 1 by definition where labels differ. *)
Definition distance_at_most (what : kind) (traces : bool) (i j : state) (v : F) : Prop :=
  if Pos.eqb (lab P i) (lab P j) then exists D, prefixed what traces D /\ D i j <= v else 1 <= v.
Definition distance_at_least (what : kind) (traces : bool) (i j : state) (v : F) : Prop :=
  if Pos.eqb (lab P i) (lab P j) then forall D, prefixed what traces D -> v <= D i j else v <= 1.

Hypothesis alpha_1 : 1 <= alpha.
Hypothesis rows : stochastic P.
Hypothesis stays : forall k i e, inside i -> In e (move P k i) -> inside (fst e).

Lemma dot_ranged k i f : ranged f -> 0 <= dot (move P k i) f /\ dot (move P k i) f <= 1.
Proof.
  intros R. destruct (rows k i) as [N S]. split; [apply dot_nonneg; [exact N | intros; apply R]|].
  rewrite <- S. apply dot_mono; [exact N | intros; apply R].
Qed.
Lemma alpha_0 : 0 <= alpha. Proof. eapply fle_trans; [apply fle_01 | exact alpha_1]. Qed.
Lemma gain_le_1 k i j f : ranged f -> step_gain k i j f <= 1.
Proof.
  intros R. unfold step_gain. destruct (dot_ranged k i f R) as [_ A]. destruct (dot_ranged k j f R) as [B _].
  apply (fle_by ((1 - dot (move P k i) f) + alpha * dot (move P k j) f)); [|ring]. apply fle_add0; [apply fle_sub_inv, A | apply fle_mul; [apply alpha_0 | exact B]].
Qed.
Lemma gain_same k i f : ranged f -> step_gain k i i f <= 0.
Proof.
  intros R. unfold step_gain. destruct (dot_ranged k i f R) as [A _].
  apply (fle_by ((alpha - 1) * dot (move P k i) f)); [apply fle_mul; [apply fle_sub_inv, alpha_1 | exact A] | ring].
Qed.

(** ** From below: prices *)

(** A claim that d(i, j) >= v: prices f reach it, and prices g are positive though they ask for nothing but pairs of smaller
    rank. Along single arcs, at alpha = 1, only i of which more leaves is compared, with j where more arrives. *)
Record price := { p_from : state; p_to : state; p_value : F; p_rank : nat; p_input : input; p_reach : state -> F; p_start : state -> F }.
Variable what : kind.
Variable single : bool.
Variable claimed : state -> state -> option price.
Variable entries : list (state * state * price).
Hypothesis listed_price : forall i j e, claimed i j = Some e -> In (i, j, e) entries.

Definition value_in (i j : state) : F := match claimed i j with Some e => p_value e | None => 0 end.
Definition start_in (rank : nat) (i j : state) : F := match claimed i j with Some e => if Nat.ltb (p_rank e) rank then 1 else 0 | None => 0 end.
Definition leaves (e : price) (i : state) : Prop := dot (move P (p_input e) (p_to e)) (fun a => if Pos.eqb a i then 1 else 0) < dot (move P (p_input e) (p_from e)) (fun a => if Pos.eqb a i then 1 else 0).
Definition arrives (e : price) (i : state) : Prop := dot (move P (p_input e) (p_from e)) (fun a => if Pos.eqb a i then 1 else 0) < dot (move P (p_input e) (p_to e)) (fun a => if Pos.eqb a i then 1 else 0).
Definition compared (e : price) (i j : state) : Prop := inside i /\ inside j /\ i <> j /\ lab P i = lab P j /\ (single = true -> leaves e i /\ arrives e j).
Record in_bound (e : price) (B : function) (f : state -> F) : Prop := {
  ib_range : ranged f;
  ib_rows : forall i j, compared e i j -> f i - alpha * f j <= B i j;
  ib_complement : what = Sd -> single = false -> forall i j, compared e i j -> (1 - f i) - alpha * (1 - f j) <= B i j }.
Definition gain (e : price) (f : state -> F) : F := step_gain (p_input e) (p_from e) (p_to e) f.

Hypothesis facts : forall i j e, In (i, j, e) entries -> inside i /\ inside j /\ lab P i = lab P j /\ 0 < p_value e
  /\ (exists f, in_bound e value_in f /\ p_value e <= gain e f) /\ exists g, in_bound e (start_in (p_rank e)) g /\ 0 < gain e g.

Section Against.
Variable D : function.
Hypothesis D_nonneg : forall i j, inside i -> inside j -> lab P i = lab P j -> 0 <= D i j.
Hypothesis bounds : forall i j e f, In (i, j, e) entries -> in_bound e D f -> gain e f <= D i j.

Lemma gain_times e c f : gain e (fun i => c * f i) = c * gain e f.
Proof. unfold gain, step_gain. rewrite !dot_times. ring. Qed.
Lemma gain_plus e f g : gain e (fun i => f i + g i) = gain e f + gain e g.
Proof. unfold gain, step_gain. rewrite !dot_plus. ring. Qed.
Lemma compared_D e i j : compared e i j -> 0 <= D i j.
Proof. intros (I & J & _ & L & _). apply D_nonneg; assumption. Qed.

(** h = a f + b g, a + b <= 1, is within D where a B + b C is. *)
Lemma in_bound_mix e B C f g a b : in_bound e B f -> in_bound e C g -> 0 <= a -> 0 <= b -> a + b <= 1 ->
  (forall i j, compared e i j -> a * B i j + b * C i j <= D i j) -> in_bound e D (fun i => a * f i + b * g i).
Proof.
  intros [R1 W1 C1] [R2 W2 C2] A0 B0 S H. split.
  - intros i. destruct (R1 i) as [F0 F1]. destruct (R2 i) as [G0 G1]. split; [apply fle_add0; apply fle_mul; assumption|].
    apply (fle_by ((1 - (a + b)) + (a * (1 - f i) + b * (1 - g i)))); [|ring].
    apply fle_add0; [apply fle_sub_inv, S | apply fle_add0; apply fle_mul; try assumption; apply fle_sub_inv; assumption].
  - intros i j Co. specialize (W1 i j Co). specialize (W2 i j Co). eapply fle_trans; [|apply (H i j Co)].
    apply (fle_by (a * (B i j - (f i - alpha * f j)) + b * (C i j - (g i - alpha * g j)))); [|ring].
    apply fle_add0; apply fle_mul; try assumption; apply fle_sub_inv; assumption.
  - intros Ws Sg i j Co. specialize (C1 Ws Sg i j Co). specialize (C2 Ws Sg i j Co). eapply fle_trans; [|apply (H i j Co)].
    apply (fle_by (a * (B i j - ((1 - f i) - alpha * (1 - f j))) + b * (C i j - ((1 - g i) - alpha * (1 - g j))) + (1 - (a + b)) * (alpha - 1))); [|ring].
    apply fle_add0; [apply fle_add0; apply fle_mul; try assumption; apply fle_sub_inv; assumption | apply fle_mul; apply fle_sub_inv; assumption].
Qed.

Lemma D_positive n : forall i j e, In (i, j, e) entries -> (p_rank e < n)%nat -> 0 < D i j.
Proof.
  induction n as [|n IH]; intros i j e I N; [lia|].
  destruct (uniform_below (fun (x : state * state * price) c => c <= 1 /\ ((p_rank (snd x) < p_rank e)%nat -> c <= D (fst (fst x)) (snd (fst x)))) entries) as (c & C & Hc).
  { intros x a b [L1 L2] _ L. split; [eapply fle_trans; eassumption|]. intros R. eapply fle_trans; [exact L | apply L2, R]. }
  { intros [[a b] x] Ix. cbn [fst snd]. destruct (Nat.lt_ge_cases (p_rank x) (p_rank e)) as [L|L].
    - destruct (below_both 1 (D a b) flt_01 (IH a b x Ix ltac:(lia))) as (c & C & C1 & C2). exists c. auto.
    - exists 1. split; [apply flt_01|]. split; [apply fle_refl | intros; lia]. }
  destruct (facts i j e I) as (_ & _ & _ & _ & _ & g & G & Gg). pose proof (flt_fle _ _ C) as C0.
  assert (B : in_bound e D (fun x => 0 * g x + c * g x)).
  { apply (in_bound_mix e (start_in (p_rank e)) (start_in (p_rank e))); auto using fle_refl.
    - apply fle_trans with c; [apply fle_eq; ring | apply (Hc _ I)].
    - intros a b Co. unfold start_in. destruct (claimed a b) as [x|] eqn:Cl.
      + apply listed_price in Cl. destruct (Hc _ Cl) as [_ H]. cbn [fst snd] in H. destruct (Nat.ltb_spec (p_rank x) (p_rank e)) as [L|L].
        * specialize (H L). eapply fle_trans; [|exact H]. apply fle_eq. ring.
        * eapply fle_trans; [|apply (compared_D e), Co]. apply fle_eq. ring.
      + eapply fle_trans; [|apply (compared_D e), Co]. apply fle_eq. ring. }
  pose proof (bounds i j e _ I B) as L. rewrite gain_plus, !gain_times in L. eapply flt_fle_trans; [|exact L].
  replace (0 * gain e g + c * gain e g) with (c * gain e g) by ring. apply flt_mul; assumption.
Qed.

Definition ratio_of (x : state * state * price) : F := p_value (snd x) / D (fst (fst x)) (snd (fst x)).
(** The largest ratio, at the smallest rank. *)
Lemma best_pair l : l <> [] -> exists x, In x l /\ forall y, In y l ->
  ratio_of y < ratio_of x \/ (ratio_of y = ratio_of x /\ (p_rank (snd x) <= p_rank (snd y))%nat).
Proof.
  induction l as [|x l IH]; intros N; [congruence|]. destruct l as [|z l].
  { exists x. split; [left; reflexivity|]. intros y [<-|[]]. right. auto. }
  destruct IH as (b & Ib & Hb); [discriminate|].
  destruct (fle_dec (ratio_of x) (ratio_of b)) as [L|L]; [destruct (fle_dec (ratio_of b) (ratio_of x)) as [L'|L']|].
  - pose proof (fle_antisym _ _ L L') as E. destruct (Nat.le_ge_cases (p_rank (snd b)) (p_rank (snd x))) as [R|R].
    + exists b. split; [right; exact Ib|]. intros y [<-|Iy]; [right; auto | apply Hb, Iy].
    + exists x. split; [left; reflexivity|]. intros y [<-|Iy]; [right; auto|].
      destruct (Hb y Iy) as [H|[H H']]; [left; rewrite E; exact H | right; split; [congruence | lia]].
  - exists b. split; [right; exact Ib|]. intros y [<-|Iy]; [left; apply not_fle, L' | apply Hb, Iy].
  - apply not_fle in L. exists x. split; [left; reflexivity|]. intros y [<-|Iy]; [right; auto|]. left.
    destruct (Hb y Iy) as [H|[H _]]; [eapply flt_fle_trans; [exact H | apply flt_fle, L] | rewrite H; exact L].
Qed.

Lemma prices_against i j e : In (i, j, e) entries -> p_value e <= D i j.
Proof.
  intros I. assert (Pos : forall a b x, In (a, b, x) entries -> 0 < D a b) by (intros a b x Ix; apply (D_positive (S (p_rank x)) a b x Ix); lia).
  destruct (best_pair entries) as ([[s t] b] & Ib & Hb); [intros E; rewrite E in I; destruct I|]. set (theta := ratio_of (s, t, b)) in *.
  assert (Is : forall a a' x, In (a, a', x) entries -> p_value x = ratio_of (a, a', x) * D a a').
  { intros a a' x Ix. unfold ratio_of. cbn [fst snd]. field. apply flt_neq, (Pos a a' x Ix). }
  assert (Below : forall a a' x, In (a, a', x) entries -> p_value x <= theta * D a a').
  { intros a a' x Ix. rewrite (Is _ _ _ Ix). apply fle_mul_r; [apply flt_fle, (Pos _ _ _ Ix)|]. destruct (Hb _ Ix) as [H|[H _]]; [apply flt_fle, H | apply fle_eq, H]. }
  destruct (fle_dec theta 1) as [Small|Big].
  { eapply fle_trans; [apply Below, I|]. eapply fle_trans; [apply fle_mul_r; [apply flt_fle, (Pos _ _ _ I) | exact Small]|]. apply fle_eq. ring. }
  exfalso. apply not_fle in Big. pose proof (Pos s t b Ib) as Ps. assert (T0 : 0 < theta) by (eapply flt_fle_trans; [apply flt_01 | apply flt_fle, Big]).
  set (la := 1 / theta). assert (La0 : 0 < la) by (apply finv_pos, T0). assert (Lt : la * theta = 1) by (unfold la; field; apply flt_neq, T0).
  assert (La1 : la < 1).
  { apply flt_sub. replace (1 - la) with (la * (theta - 1)) by (rewrite <- Lt at 2; ring). apply flt_mul; [exact La0 | apply flt_sub_inv, Big]. }
  destruct (uniform_below (fun (x : state * state * price) c => c <= 1 - la /\
    ((p_rank (snd x) < p_rank b)%nat -> la * p_value (snd x) + c <= D (fst (fst x)) (snd (fst x)))) entries) as (k & K0 & Hk).
  { intros x a a' [H1 H2] _ L. split; [eapply fle_trans; eassumption|]. intros R. eapply fle_trans; [|apply H2, R]. apply fle_add; [apply fle_refl | exact L]. }
  { intros [[a a'] x] Ix. cbn [fst snd]. pose proof (flt_sub_inv _ _ La1) as Room. destruct (Nat.lt_ge_cases (p_rank x) (p_rank b)) as [R|R]; [|exists (1 - la); repeat split; try apply Room; auto using fle_refl; intros; lia].
    assert (S : 0 < D a a' - la * p_value x).
    { apply flt_sub_inv. pose proof (Pos _ _ _ Ix) as Px. destruct (Hb _ Ix) as [Hr|[_ Hr]]; [|cbn [snd] in Hr; lia].
      rewrite (Is _ _ _ Ix). set (q := ratio_of (a, a', x)) in *. apply flt_sub. replace (D a a' - la * (q * D a a')) with (la * D a a' * (theta - q)).
      - apply flt_mul; [apply flt_mul; assumption | apply flt_sub_inv, Hr].
      - transitivity (la * theta * D a a' - la * (q * D a a')); [ring | rewrite Lt; ring]. }
    destruct (below_both _ _ Room S) as (c & C & C1 & C2). exists c. split; [exact C|]. split; [exact C1|]. intros _.
    apply (fle_by (D a a' - la * p_value x - c)); [apply fle_sub_inv, C2 | ring]. }
  destruct (facts s t b Ib) as (_ & _ & _ & _ & (f & Bf & Gf) & g & Bg & Gg). destruct (Hk _ Ib) as [K1 _].
  assert (B : in_bound b D (fun x => la * f x + k * g x)).
  { apply (in_bound_mix b value_in (start_in (p_rank b))); auto using flt_fle.
    - apply (fle_by (1 - la - k)); [apply fle_sub_inv, K1 | ring].
    - intros a a' Co. unfold value_in, start_in. destruct (claimed a a') as [x|] eqn:Cl.
      + apply listed_price in Cl. destruct (Nat.ltb_spec (p_rank x) (p_rank b)) as [R|_].
        * destruct (Hk _ Cl) as [_ H]. specialize (H R). cbn [fst snd] in H. eapply fle_trans; [|exact H]. apply fle_eq. ring.
        * pose proof (Below _ _ _ Cl) as L. apply (fle_by (la * (theta * D a a' - p_value x))); [apply fle_mul; [apply flt_fle, La0 | apply fle_sub_inv, L]|].
          transitivity (la * theta * D a a' - (la * p_value x + k * 0)); [rewrite Lt; ring | ring].
      + eapply fle_trans; [|apply (compared_D b), Co]. apply fle_eq. ring. }
  pose proof (bounds _ _ _ _ Ib B) as L. rewrite gain_plus, !gain_times in L.
  apply (flt_not (D s t) (la * gain b f + k * gain b g)); [|exact L]. apply flt_sub.
  replace (la * gain b f + k * gain b g - D s t) with (k * gain b g + la * (gain b f - p_value b)).
  - apply flt_add; [apply flt_mul; assumption | apply fle_mul; [apply flt_fle, La0 | apply fle_sub_inv, Gf]].
  - rewrite (Is _ _ _ Ib). fold theta. transitivity (la * gain b f + k * gain b g - la * theta * D s t); [ring | rewrite Lt; ring].
Qed.
End Against.

(** Which way round an entry is claimed. *)
Hypothesis turned : forall i j e, In (i, j, e) entries -> (p_from e = i /\ p_to e = j) \/ (what = Bd /\ p_from e = j /\ p_to e = i).

Lemma pairs_gain D i j e f : prefixed what false D -> In (i, j, e) entries -> admissible what false D f -> gain e f <= D i j.
Proof.
  intros [_ G B] I A. destruct (facts i j e I) as (Ii & Ij & L & _). unfold gain. destruct (turned i j e I) as [[-> ->]|(W & -> & ->)]; [apply G | apply B]; assumption.
Qed.
Lemma prices_full : single = false -> forall D, prefixed what false D -> forall i j e, In (i, j, e) entries -> p_value e <= D i j.
Proof.
  intros Sg D Pre. apply (prices_against D); [apply (not_negative _ _ _ Pre)|]. intros i j e f I [R W C]. apply (pairs_gain D i j e f Pre I).
  assert (Co : forall a b, inside a -> inside b -> a <> b -> lab P a = lab P b -> compared e a b) by (intros; repeat split; auto; congruence).
  split; [exact R | | | discriminate]; intros; [apply W | apply C]; auto.
Qed.

(** *** Single arcs *)

Variable all : list state.
Hypothesis all_inside : forall i, inside i <-> In i all.
Hypothesis all_once : NoDup all.

Section Single.
Hypothesis at_one : alpha = 1.
(** At alpha = 1 distances may be taken as metrics: what is admissible is a Lipschitz condition. *)
Definition lipschitz (D : function) (f : state -> F) : Prop :=
  ranged f /\ forall i j, inside i -> inside j -> i <> j -> lab P i = lab P j -> f i - f j <= D i j.
Record good (D : function) : Prop := {
  g_nonneg : forall i j, inside i -> inside j -> lab P i = lab P j -> 0 <= D i j;
  g_gain : forall i j k f, inside i -> inside j -> lab P i = lab P j -> lipschitz D f -> step_gain k i j f <= D i j /\ (what = Bd -> step_gain k j i f <= D i j) }.

Lemma gain_one k i j f : step_gain k i j f = dot (move P k i) f - dot (move P k j) f.
Proof. unfold step_gain. rewrite at_one. ring. Qed.
Lemma good_of D : prefixed what false D -> exists D', good D' /\ forall i j, D' i j <= D i j.
Proof.
  intros [N G B]. assert (Case : what = Sd \/ what <> Sd) by (destruct what; auto; right; discriminate). destruct Case as [W|W].
  2: { exists D. split; [|intros; apply fle_refl]. split; [exact N|]. intros i j k f Ii Ij L [R Li].
    assert (A : admissible what false D f).
    { split; [exact R | | contradiction | discriminate]. intros a b Ia Ib Ne La. rewrite at_one. eapply fle_trans; [|apply (Li a b); assumption]. apply fle_eq. ring. }
    split; [apply G; assumption | intros Wb; apply B; assumption]. }
  rewrite W in G.
  exists (fun i j => fmin (D i j) (D j i)). split; [|intros; apply fmin_l]. split.
  - intros. apply fmin_le; apply N; auto.
  - intros i j k f Ii Ij L [R Li]. split; [|rewrite W; discriminate].
    assert (A : forall g, (forall i, g i = f i) \/ (forall i, g i = 1 - f i) -> admissible Sd false D g).
    { intros g Hg. assert (Both : forall a b, inside a -> inside b -> a <> b -> lab P a = lab P b -> g a - g b <= D a b /\ g b - g a <= D a b).
      { intros a b Ia Ib Ne La. pose proof (Li a b Ia Ib Ne La) as L1. pose proof (Li b a Ib Ia (not_eq_sym Ne) (eq_sym La)) as L2.
        pose proof (fle_trans _ _ _ L1 (fmin_l _ _)) as M1. pose proof (fle_trans _ _ _ L2 (fmin_r _ _)) as M2.
        destruct Hg as [Hg|Hg]; rewrite !Hg; split; first [eapply fle_trans; [|exact M1]; apply fle_eq; ring | eapply fle_trans; [|exact M2]; apply fle_eq; ring]. }
      split.
      - intros a. destruct (R a) as [R0 R1]. destruct Hg as [Hg|Hg]; rewrite Hg; split; auto; [apply fle_sub_inv, R1 | apply (fle_by (f a)); [exact R0 | ring]].
      - intros a b Ia Ib Ne La. rewrite at_one. eapply fle_trans; [|apply (proj1 (Both a b Ia Ib Ne La))]. apply fle_eq. ring.
      - intros _ a b Ia Ib Ne La. rewrite at_one. eapply fle_trans; [|apply (proj2 (Both a b Ia Ib Ne La))]. apply fle_eq. ring.
      - discriminate. }
    apply fmin_le; [apply G; auto|]. eapply fle_trans; [|apply (G j i k (fun x => 1 - f x)); auto]. rewrite !gain_one.
    assert (One : forall l, dot (move P k l) (fun x => 1 - f x) = 1 - dot (move P k l) f).
    { intros l. destruct (rows k l) as [_ S]. rewrite dot_minus. unfold one in S. rewrite S. reflexivity. }
    rewrite !One. apply fle_eq. ring.
Qed.
Definition via (z : state) (D : function) : function := fun i j =>
  if Pos.eqb (lab P i) (lab P z) && Pos.eqb (lab P z) (lab P j) then fmin (D i j) (D i z + D z j) else D i j.
Lemma via_le z D i j : via z D i j <= D i j.
Proof. unfold via. destruct (_ && _); [apply fmin_l | apply fle_refl]. Qed.
Definition short (D : function) (z : state) : Prop := forall i j, inside i -> inside j -> lab P i = lab P z -> lab P z = lab P j -> D i j <= D i z + D z j.
Lemma via_good z D : inside z -> good D -> good (via z D).
Proof.
  intros Iz [N G]. assert (Li : forall f, lipschitz (via z D) f -> lipschitz D f).
  { intros f [R H]. split; [exact R|]. intros. eapply fle_trans; [apply H; assumption | apply via_le]. }
  split.
  - intros i j Ii Ij L. unfold via. destruct (_ && _) eqn:E; [|auto]. apply andb_prop in E. destruct E as [E1 E2]. apply Pos.eqb_eq in E1, E2.
    apply fmin_le; [auto | apply fle_add0; auto].
  - intros i j k f Ii Ij L H. apply Li in H. pose proof (G i j k f Ii Ij L H) as [A B]. unfold via. destruct (_ && _) eqn:E; [|split; assumption].
    apply andb_prop in E. destruct E as [E1 E2]. apply Pos.eqb_eq in E1, E2.
    destruct (G i z k f Ii Iz E1 H) as [A1 B1]. destruct (G z j k f Iz Ij E2 H) as [A2 B2]. rewrite !gain_one in *.
    set (x := dot (move P k i) f) in *. set (y := dot (move P k j) f) in *. set (m := dot (move P k z) f) in *.
    split; [|intros W; specialize (B W); specialize (B1 W); specialize (B2 W)]; apply fmin_le; try assumption.
    + apply (fle_by ((D i z - (x - m)) + (D z j - (m - y)))); [apply fle_add0; apply fle_sub_inv; assumption | ring].
    + apply (fle_by ((D i z - (m - x)) + (D z j - (y - m)))); [apply fle_add0; apply fle_sub_inv; assumption | ring].
Qed.
Lemma via_short z D : inside z -> good D -> short (via z D) z /\ forall z', inside z' -> short D z' -> short (via z D) z'.
Proof.
  intros Iz [N _]. assert (Through : forall a b, inside a -> inside b -> lab P a = lab P z -> lab P z = lab P b -> via z D a b <= D a z + D z b /\ via z D a b <= D a b).
  { intros a b Ia Ib L1 L2. split; [|apply via_le]. unfold via. rewrite <- L1, <- L2, L1, Pos.eqb_refl. simpl. apply fmin_r. }
  assert (Is : forall a b, inside a -> inside b -> lab P a = lab P z -> lab P z = lab P b -> via z D a b = D a b \/ via z D a b = D a z + D z b).
  { intros a b Ia Ib L1 L2. unfold via. destruct (_ && _); [|auto]. unfold fmin. destruct (fle_dec _ _); auto. }
  pose proof (N z z Iz Iz eq_refl) as Zz.
  assert (Loop : forall a, inside a -> lab P a = lab P z -> D a z <= via z D a z /\ D z a <= via z D z a).
  { intros a Ia L. split; [destruct (Is a z Ia Iz L eq_refl) as [E|E] | destruct (Is z a Iz Ia eq_refl (eq_sym L)) as [E|E]]; rewrite E; try apply fle_refl;
      apply (fle_by (D z z)); try exact Zz; ring. }
  split.
  - intros i j Ii Ij L1 L2. destruct (Through i j Ii Ij L1 L2) as [T _]. eapply fle_trans; [exact T|]. apply fle_add; [apply Loop | apply Loop]; auto.
  - intros z' Iz' Sh i j Ii Ij L1 L2. destruct (Pos.eq_dec (lab P z') (lab P z)) as [E|E].
    2: { unfold via. assert (X : forall a b, lab P a <> lab P z -> Pos.eqb (lab P a) (lab P z) && Pos.eqb (lab P z) (lab P b) = false).
         { intros a b Ne. destruct (Pos.eqb_spec (lab P a) (lab P z)); [contradiction | reflexivity]. }
         rewrite !X by congruence. apply Sh; assumption. }
    destruct (Through i j Ii Ij ltac:(congruence) ltac:(congruence)) as [T1 T2].
    assert (Zp : 0 <= D z z') by (apply N; auto). assert (Pz : 0 <= D z' z) by (apply N; auto).
    destruct (Is i z' Ii Iz' ltac:(congruence) (eq_sym E)) as [E1|E1]; destruct (Is z' j Iz' Ij E ltac:(congruence)) as [E2|E2]; rewrite E1, E2.
    + eapply fle_trans; [exact T2 | apply Sh; assumption].
    + eapply fle_trans; [exact T1|]. pose proof (Sh i z Ii Iz L1 E) as S1. apply (fle_by (D i z' + D z' z - D i z)); [apply fle_sub_inv, S1 | ring].
    + eapply fle_trans; [exact T1|]. pose proof (Sh z j Iz Ij (eq_sym E) L2) as S1. apply (fle_by (D z z' + D z' j - D z j)); [apply fle_sub_inv, S1 | ring].
    + eapply fle_trans; [exact T1|]. apply (fle_by (D z z' + D z' z)); [apply fle_add0; assumption | ring].
Qed.
Lemma metric_of D : good D -> exists D', good D' /\ (forall i j, D' i j <= D i j) /\ forall z, inside z -> short D' z.
Proof.
  assert (G : forall l, (forall z, In z l -> inside z) -> good D -> exists D', good D' /\ (forall i j, D' i j <= D i j) /\ forall z, In z l -> short D' z).
  { induction l as [|z l IH]; intros In_l Gd.
    - exists D. split; [exact Gd|]. split; [intros; apply fle_refl | intros ? []].
    - destruct IH as (D' & G' & L' & S'); auto; [intros; apply In_l; right; assumption|]. assert (Iz : inside z) by (apply In_l; left; reflexivity).
      destruct (via_short z D' Iz G') as [S1 S2]. exists (via z D'). split; [apply via_good; assumption|]. split.
      + intros i j. eapply fle_trans; [apply via_le | apply L'].
      + intros y [<-|Iy]; [exact S1|]. apply S2; [apply In_l; right; exact Iy | apply S', Iy]. }
  intros Gd. destruct (G all) as (D' & A & B & C); auto; [intros z; apply all_inside|]. exists D'. split; [exact A|]. split; [exact B|]. intros z Iz. apply C, all_inside, Iz.
Qed.

(** A dot product, state by state. *)
Definition unit_at (i : state) : state -> F := fun a => if Pos.eqb a i then 1 else 0.
Lemma by_states (w : vec F) f : (forall e, In e w -> inside (fst e)) -> dot w f = sum (fun i => dot w (unit_at i) * f i) all.
Proof.
  intros H. induction w as [|[a v] w IH]; simpl; [symmetry; apply sum_zero; intros; ring|]. rewrite IH by (intros; apply H; right; assumption).
  rewrite (sum_ext (fun i => (v * unit_at i a + dot w (unit_at i)) * f i) (fun i => v * (unit_at i a * f i) + dot w (unit_at i) * f i)) by (intros; ring).
  rewrite sum_plus, sum_times. f_equal. f_equal. assert (Ia : In a all) by (apply all_inside, (H (a, v)); left; reflexivity).
  clear - Ia all_once OF. induction all as [|x l IHl]; [destruct Ia|]. inversion all_once as [|? ? Nx Nl]; subst. simpl. unfold unit_at at 1. destruct (Pos.eqb_spec a x) as [->|Ne].
  - rewrite sum_zero; [ring|]. intros y Iy. unfold unit_at. destruct (Pos.eqb_spec x y) as [->|_]; [contradiction | ring].
  - destruct Ia as [Ia|Ia]; [congruence|]. rewrite <- (IHl Nl Ia). ring.
Qed.

(** f where it is compared, and as large or small as D lets it be elsewhere. *)
Definition goal_of (D : function) (h : state -> F) (a : state) (j : state) : F := if Pos.eqb a j then h j else h j + D a j.
Fixpoint lowest (D : function) (h : state -> F) (a : state) (goals : list state) : F :=
  match goals with [] => 1 | j :: r => if Pos.eqb (lab P a) (lab P j) then fmin (goal_of D h a j) (lowest D h a r) else lowest D h a r end.
Lemma lowest_le_1 D h a goals : lowest D h a goals <= 1.
Proof. induction goals as [|j r IH]; simpl; [apply fle_refl|]. destruct (Pos.eqb _ _); [eapply fle_trans; [apply fmin_r | exact IH] | exact IH]. Qed.
Lemma lowest_le D h a goals j : In j goals -> lab P a = lab P j -> lowest D h a goals <= goal_of D h a j.
Proof.
  intros I L. induction goals as [|x r IH]; [destruct I|]. simpl. destruct I as [->|I].
  - rewrite L, Pos.eqb_refl. apply fmin_l.
  - destruct (Pos.eqb _ _); [eapply fle_trans; [apply fmin_r|] |]; apply IH, I.
Qed.
Lemma lowest_ge D h a goals c : c <= 1 -> (forall j, In j goals -> lab P a = lab P j -> c <= goal_of D h a j) -> c <= lowest D h a goals.
Proof.
  intros C H. induction goals as [|x r IH]; simpl; [exact C|]. destruct (Pos.eqb_spec (lab P a) (lab P x)) as [L|_]; [apply fmin_le; [apply H; [left; reflexivity | exact L]|]|];
    apply IH; intros; apply H; auto; right; assumption.
Qed.

Lemma prices_single : single = true -> forall D, prefixed what false D -> forall i j e, In (i, j, e) entries -> p_value e <= D i j.
Proof.
  intros Sg D0 Pre. destruct (good_of D0 Pre) as (D1 & G1 & L1). destruct (metric_of D1 G1) as (D & [N G] & L2 & Sh).
  assert (Le : forall i j e, In (i, j, e) entries -> p_value e <= D i j).
  2: { intros i j e I. eapply fle_trans; [apply Le, I|]. eapply fle_trans; [apply L2 | apply L1]. }
  apply (prices_against D N). intros i j e h I [R W _]. destruct (facts i j e I) as (Ii & Ij & L & _).
  set (x := move P (p_input e) (p_from e)). set (y := move P (p_input e) (p_to e)).
  set (more := fun a => if fle_dec (dot y (unit_at a)) (dot x (unit_at a)) then false else true).
  set (goals := filter more all).
  assert (Ar : forall a, In a goals -> arrives e a /\ inside a).
  { intros a Ia. unfold goals in Ia. apply filter_In in Ia. destruct Ia as [Ia M]. split; [|apply all_inside, Ia]. unfold more in M. unfold arrives.
    destruct (fle_dec (dot y (unit_at a)) (dot x (unit_at a))) as [|Nl]; [discriminate | apply not_fle, Nl]. }
  set (f := fun a => lowest D h a goals).
  assert (Ends : inside (p_from e) /\ inside (p_to e)) by (destruct (turned i j e I) as [[-> ->]|(_ & -> & ->)]; auto). destruct Ends as [If It].
  assert (H0 : forall a, 0 <= h a) by (intros; apply R).
  assert (Nn : forall a b, inside a -> inside b -> lab P a = lab P b -> 0 <= goal_of D h a b).
  { intros a b Ia Ib La. unfold goal_of. destruct (Pos.eqb a b); [apply H0 | apply fle_add0; [apply H0 | apply N; assumption]]. }
  set (g := fun a => if in_dec Pos.eq_dec a all then f a else 0).
  assert (Gf : forall a, inside a -> g a = f a).
  { intros a Ia. unfold g. destruct (in_dec Pos.eq_dec a all) as [_|Ne]; [reflexivity | exfalso; apply Ne, all_inside, Ia]. }
  assert (Li : lipschitz D g).
  { split.
    - intros a. unfold g. destruct (in_dec Pos.eq_dec a all) as [Ia|_]; [|split; [apply fle_refl | apply fle_01]]. apply all_inside in Ia. split; [|apply lowest_le_1].
      apply lowest_ge; [apply fle_01|]. intros b Ib La. apply Nn; auto. apply Ar, Ib.
    - intros a b Ia Ib Ne La. rewrite !Gf by assumption. apply (fle_by (f b - (f a - D a b))); [|ring]. apply fle_sub_inv. unfold f at 2. apply lowest_ge.
      + apply fle_trans with (f a); [|apply lowest_le_1]. apply (fle_by (D a b)); [apply N; assumption | ring].
      + intros c Ic Lc. destruct (Ar c Ic) as [_ Inc]. assert (Lac : lab P a = lab P c) by congruence.
        pose proof (lowest_le D h a goals c Ic Lac) as T. fold (f a) in T. unfold goal_of in *.
        destruct (Pos.eqb_spec b c) as [->|Nbc].
        * destruct (Pos.eqb_spec a c) as [X|_]; [congruence|]. apply (fle_by (h c + D a c - f a)); [apply fle_sub_inv, T | ring].
        * pose proof (Sh b Ib a c Ia Inc La ltac:(congruence)) as S1. destruct (Pos.eqb_spec a c) as [->|_].
          { apply (fle_by ((h c - f c) + (D c b + D b c))); [apply fle_add0; [apply fle_sub_inv, T | apply fle_add0; apply N; congruence] | ring]. }
          apply (fle_by ((h c + D a c - f a) + (D a b + D b c - D a c))); [apply fle_add0; apply fle_sub_inv; assumption | ring]. }
  assert (Up : gain e h <= gain e g).
  { unfold gain. rewrite !gain_one. fold x y. rewrite !(by_states x), !(by_states y) by (intros a Ia; eapply stays; [|exact Ia]; assumption).
    rewrite <- !sum_minus. apply sum_le. intros a Ia. apply all_inside in Ia. rewrite (Gf a Ia). set (xa := dot x (unit_at a)). set (ya := dot y (unit_at a)).
    destruct (fle_dec ya xa) as [Le|Lt].
    - destruct (fle_dec xa ya) as [Le'|Gt]; [rewrite (fle_antisym _ _ Le Le'); apply fle_eq; ring|].
      apply (fle_by ((xa - ya) * (f a - h a))); [|ring]. apply fle_mul; [apply fle_sub_inv, Le|]. apply fle_sub_inv. apply lowest_ge; [apply R|].
      intros b Ib La. destruct (Ar b Ib) as [Arb Inb]. unfold goal_of. destruct (Pos.eqb_spec a b) as [->|Ne]; [apply fle_refl|].
      assert (Lv : leaves e a) by (apply not_fle, Gt). pose proof (W a b (conj Ia (conj Inb (conj Ne (conj La (fun _ => conj Lv Arb)))))) as Wb.
      rewrite at_one in Wb. apply (fle_by (D a b - (h a - 1 * h b))); [apply fle_sub_inv, Wb | ring].
    - assert (Ig : In a goals) by (apply filter_In; split; [apply all_inside, Ia | unfold more; fold xa ya; destruct (fle_dec ya xa); [contradiction | reflexivity]]).
      pose proof (lowest_le D h a goals a Ig eq_refl) as T. unfold goal_of in T. rewrite Pos.eqb_refl in T. fold (f a) in T. apply not_fle, flt_fle in Lt.
      apply (fle_by ((ya - xa) * (h a - f a))); [apply fle_mul; apply fle_sub_inv; assumption | ring]. }
  eapply fle_trans; [exact Up|]. unfold gain. destruct (turned i j e I) as [[-> ->]|(Wh & -> & ->)]; [apply (G i j _ g Ii Ij L Li) | apply (G i j _ g Ii Ij L Li), Wh].
Qed.
End Single.
End Distances.
