(** Two runs told apart: events are decisions between two rows; δ and trade-offs by the masses where runs end. *)

Require Import List PArith Arith Field Bool Lia FMapPositive.
Require Import Deltachain.Fields Deltachain.Cover Deltachain.Visits Deltachain.Numbers Deltachain.Checker Deltachain.Exact.
Import ListNotations.

(** ** Events as decisions: between the row of both runs, and nothing *)

Fixpoint event_of (d : decision) : event :=
  match d with Choose r => Verdict (negb (Nat.eqb r 1)) | Ask k c => Look k (fun a => event_of (c a)) end.
Fixpoint decision_of (E : event) : decision :=
  match E with Verdict b => Choose (if b then 0 else 1) | Look k c => Ask k (fun a => decision_of (c a)) end.

Section Events.
Context {F : Type} {OF : OrderedField F}.
Add Field F_field : f_field.
Variable P : chain F.
Variable alphabet : list label.
Hypothesis once : NoDup alphabet.
Hypothesis seen : forall i, In (lab P i) alphabet.

Lemma event_back E : forall i, prob P (event_of (decision_of E)) i = prob P E i.
Proof. induction E as [b|k c IH]; intros i; simpl; [destruct b; reflexivity|]. apply dot_ext_all. intros j. apply IH. Qed.

Variables c0 c1 : F.
Definition both_rows : list ((nat -> F) -> F) := [row_value [c0; c1]; row_value [0; 0]].
Definition both (m : nat -> F) : F := c0 * m 0%nat + c1 * m 1%nat.
Lemma both_worth d : forall v : nat -> vec F, worth alphabet both_rows d (fun E j => dot (v j) (prob P E)) = both (fun j => dot (v j) (prob P (event_of d))).
Proof.
  induction d as [r|k c IH]; intros v.
  - unfold both. simpl. unfold row_worth, both_rows. destruct r as [|[|r]]; simpl; unfold row_value; simpl; rewrite ?dot_zero; try ring.
    destruct r; simpl; ring.
  - simpl worth. set (part a j := filter (fun e : state * F => Pos.eqb (lab P (fst e)) a) (flat_map (fun e => scaled (snd e) (move P k (fst e))) (v j))).
    assert (Whole : forall j f, dot (flat_map (fun e => scaled (snd e) (move P k (fst e))) (v j)) f = dot (v j) (fun i => dot (move P k i) f)).
    { intros j f. induction (v j) as [|[i x] w IHw]; simpl; [reflexivity|]. rewrite dot_app, scaled_dot, IHw. reflexivity. }
    assert (Part : forall a j E, dot (v j) (prob P (then_at k a E)) = dot (part a j) (prob P E)).
    { intros a j E. unfold then_at, part. simpl. etransitivity; [symmetry; apply (Whole j (fun i => prob P (if Pos.eqb (lab P i) a then E else Verdict false) i))|].
      induction (flat_map _ (v j)) as [|[i x] w IHw]; simpl; [reflexivity|]. destruct (Pos.eqb (lab P i) a); simpl; rewrite IHw; [reflexivity | ring]. }
    assert (All : forall j, dot (v j) (prob P (event_of (Ask k c))) = sum (fun a => dot (part a j) (prob P (event_of (c a)))) alphabet).
    { intros j. simpl. rewrite <- Whole. unfold part. induction (flat_map _ (v j)) as [|[i x] w IHw]; simpl; [symmetry; apply sum_zero; reflexivity|]. rewrite IHw.
      rewrite (sum_ext (fun a => dot (if Pos.eqb (lab P i) a then (i, x) :: filter _ w else filter _ w) _)
        (fun a => (if Pos.eqb (lab P i) a then x * prob P (event_of (c a)) i else 0) + dot (filter (fun e => Pos.eqb (lab P (fst e)) a) w) (prob P (event_of (c a))))).
      - rewrite sum_plus. f_equal. symmetry. apply (sum_pick alphabet (lab P i) (fun a => x * prob P (event_of (c a)) i) once (seen i)).
      - intros a _. destruct (Pos.eqb (lab P i) a); simpl; ring. }
    unfold both. rewrite !All, <- !sum_times, <- sum_plus. apply sum_ext. intros a _.
    rewrite (worth_ext alphabet both_rows) with (mu' := fun E j => dot (part a j) (prob P E)); [apply (IH a (part a))| |].
    + intros r m m' H. unfold row_worth, both_rows. destruct r as [|[|[|r]]]; simpl; unfold row_value; simpl; rewrite !H; reflexivity.
    + intros E j. apply Part.
Qed.

(** All that an observer of two runs may do. *)
Definition tested (s t : state) (E : label -> event) : F := c0 * prob P (E (lab P s)) s + c1 * prob P (E (lab P t)) t.
Definition first_runs (ss : list state) (a : label) (E : event) (j : nat) : F :=
  match nth_error ss j with Some s => if Pos.eqb (lab P s) a then prob P E s else 0 | None => 0 end.
Lemma total_tested s t plan : total_worth alphabet both_rows (first_runs [s; t]) plan = tested s t (fun a => event_of (plan a)).
Proof.
  unfold total_worth, tested.
  set (start a j := match nth_error [s; t] j with Some i => if Pos.eqb (lab P i) a then [(i, 1)] else [] | None => [] end : vec F).
  transitivity (sum (fun a => both (fun j => dot (start a j) (prob P (event_of (plan a))))) alphabet).
  { apply sum_ext. intros a _. rewrite <- both_worth. apply worth_ext.
    - intros r m m' H. unfold row_worth, both_rows. destruct r as [|[|[|r]]]; simpl; unfold row_value; simpl; rewrite !H; reflexivity.
    - intros E j. unfold first_runs, start. destruct (nth_error [s; t] j) as [i|]; [|reflexivity]. destruct (Pos.eqb (lab P i) a); simpl; ring. }
  unfold both. rewrite sum_plus, !sum_times. f_equal; f_equal;
    (etransitivity; [|apply (sum_pick alphabet _ (fun a => prob P (event_of (plan a)) _) once (seen _))]; apply sum_ext; intros a _; unfold start; simpl;
     match goal with |- context [if ?b then _ else _] => destruct b end; simpl; ring).
Qed.
Lemma tested_back s t E : tested s t (fun a => event_of (decision_of (E a))) = tested s t E.
Proof. unfold tested. rewrite !event_back. reflexivity. Qed.
End Events.

(** ** Where runs end *)

Section Ends.
Context {N : Numbers}.
Notation ends := (list (num * num * num)).             (** how much arrives, and the masses there of the two runs *)
Definition two_ends (turned : bool) (es : list (num * list num)) : ends :=
  map (fun e => let x := nth 0 (snd e) n0 in let y := nth 1 (snd e) n0 in (fst e, if turned then y else x, if turned then x else y)) es.
Definition compared (strict : bool) (a b : num) : bool := if strict then nlt a b else nle a b.

(** The gains of ends with a gap of no settled sign, those together whose gaps are of one sign for sure. *)
Record group := { g_size : num; g_gap : num; g_gain : num }.
Fixpoint put (size gap gain : num) (gs : list group) : list group :=
  match gs with
  | [] => [{| g_size := size; g_gap := gap; g_gain := gain |}]
  | g :: r => if nlt n0 (g_size g) && neq (nmul gap (g_size g)) (nmul (g_gap g) size)
              then {| g_size := g_size g; g_gap := g_gap g; g_gain := nadd (g_gain g) gain |} :: r else g :: put size gap gain r
  end.
Definition split_one (alpha : num) (s : num * list group) (e : num * num * num) : num * list group :=
  let '(h, x, y) := e in let '(base, gs) := s in
  let gap := nsub x (nmul alpha y) in
  if nle gap n0 then (base, gs) else if nle n0 gap then (nadd base (nmul h gap), gs) else (base, put (nadd x y) gap (nmul h gap) gs).
Definition split_ends (alpha : num) (es : ends) : num * list group := fold_left (split_one alpha) es (n0, []).
Fixpoint sums (base : num) (gs : list group) : list num :=
  match gs with [] => [base] | g :: r => sums base r ++ sums (nadd base (g_gain g)) r end.
Definition most_mixed : nat := 6.
Definition ends_at_most (alpha v : num) (strict : bool) (es : ends) : bool :=
  let (base, gs) := split_ends alpha es in Nat.leb (length gs) most_mixed && forallb (fun x => compared strict x v) (sums base gs).
Definition gain_at (alpha : num) (e : num * num * num) : num := let '(h, x, y) := e in nmul h (nsub x (nmul alpha y)).
(** Any event will do: that of what is likely to gain; or one word. *)
Definition ends_at_least (alpha v : num) (strict : bool) (es : ends) : bool :=
  compared strict v (nsum (gain_at alpha) (filter (fun e => nlikely (gain_at alpha e)) es)) || existsb (fun e => compared strict v (gain_at alpha e)) es.

(** *** What it means *)

Context {F : Type} {OF : OrderedField F} {V : Meaning N F}.
Add Field F_field' : f_field.
Definition nonneg_end (e : num * num * num) : Prop := 0 <= value (fst (fst e)) /\ 0 <= value (snd (fst e)) /\ 0 <= value (snd e).
Definition best_of (c0 c1 : F) (e : num * num * num) : F := value (fst (fst e)) * fmax (c0 * value (snd (fst e)) + c1 * value (snd e)) 0.
Definition support (c0 c1 : F) (es : ends) : F := sum (best_of c0 c1) es.
Lemma compared_spec strict a b : compared strict a b = true -> if strict then value a < value b else value a <= value b.
Proof. destruct strict; intros H; [apply nlt_lt, H | apply nle_le, H]. Qed.

Section Alpha.
Variable alpha : num.
Notation best := (best_of 1 (- value alpha)).
Lemma gap_value x y : value (nsub x (nmul alpha y)) = 1 * value x + - value alpha * value y.
Proof. rewrite value_sub, value_mul. ring. Qed.
(** A group, and what its ends gain at best. *)
Definition good_group (g : group) (M : F) : Prop :=
  (0 <= value (g_gap g) -> M = value (g_gain g)) /\ (value (g_gap g) <= 0 -> M = 0 /\ value (g_gain g) <= 0).
Lemma put_good h x y gs Ms : nonneg_end (h, x, y) -> Forall2 good_group gs Ms -> exists Ms',
  Forall2 good_group (put (nadd x y) (nsub x (nmul alpha y)) (nmul h (nsub x (nmul alpha y))) gs) Ms' /\ sum (fun m => m) Ms' = sum (fun m => m) Ms + best (h, x, y).
Proof.
  intros (H0 & X0 & Y0). cbn [fst snd] in *. set (gap := nsub x (nmul alpha y)). pose proof (gap_value x y) as G. fold gap in G.
  assert (B1 : 0 <= value gap -> best (h, x, y) = value (nmul h gap)).
  { intros P. unfold best_of. cbn [fst snd]. rewrite <- G, value_mul. f_equal. apply fle_antisym; [apply fmax_le; [apply fle_refl | exact P] | apply fmax_l]. }
  assert (B2 : value gap <= 0 -> best (h, x, y) = 0 /\ value (nmul h gap) <= 0).
  { intros P. unfold best_of. cbn [fst snd]. rewrite <- G, value_mul. split.
    - assert (fmax (value gap) 0 = 0) as ->; [|ring]. apply fle_antisym; [apply fmax_le; [exact P | apply fle_refl] | apply fmax_r].
    - apply (fle_by (value h * - value gap)); [apply fle_mul; [exact H0 | apply fle_opp0, P] | ring]. }
  induction 1 as [|g M gs Ms Gg Tl (Ms' & A & B)]; simpl.
  - exists [best (h, x, y)]. split; [constructor; [|constructor]; split; cbn; assumption | simpl; ring].
  - destruct (nlt n0 (g_size g) && neq (nmul gap (g_size g)) (nmul (g_gap g) (nadd x y))) eqn:E.
    + apply andb_prop in E. destruct E as [Sz Eq]. apply nlt_0 in Sz. apply neq_eq in Eq. rewrite !value_mul, value_add in Eq. destruct Gg as [G1 G2].
      exists (M + best (h, x, y) :: Ms). split; [|simpl; ring]. constructor; [|assumption]. split; cbn.
      * intros P. rewrite value_add, (G1 P). f_equal. apply B1. apply (fle_cancel (value (g_size g))); [exact Sz|].
        apply (fle_by (value (g_gap g) * (value x + value y))); [apply fle_mul; [exact P | apply fle_add0; assumption] | rewrite <- Eq; ring].
      * intros P. assert (Pg : value gap <= 0).
        { apply (fle_cancel (value (g_size g))); [exact Sz|]. apply (fle_by (- value (g_gap g) * (value x + value y))); [apply fle_mul; [apply fle_opp0, P | apply fle_add0; assumption]|].
          transitivity (- (value gap * value (g_size g))); [ring | rewrite Eq; ring]. }
        destruct (G2 P) as [-> L]. destruct (B2 Pg) as [-> L']. split; [ring|]. rewrite value_add. replace 0 with (0 + 0) by ring. apply fle_add; assumption.
    + exists (M :: Ms'). split; [constructor; assumption | simpl; rewrite B; ring].
Qed.
Lemma split_good es : Forall nonneg_end es -> let (base, gs) := split_ends alpha es in
  exists Ms, Forall2 good_group gs Ms /\ support 1 (- value alpha) es = value base + sum (fun m => m) Ms.
Proof.
  intros Nn. unfold split_ends.
  assert (G : forall base gs Ms, Forall2 good_group gs Ms -> let (base', gs') := fold_left (split_one alpha) es (base, gs) in
    exists Ms', Forall2 good_group gs' Ms' /\ value base + sum (fun m => m) Ms + support 1 (- value alpha) es = value base' + sum (fun m => m) Ms').
  { unfold support. induction Nn as [|[[h x] y] r Ne _ IH]; intros base gs Ms Good; simpl; [exists Ms; split; [exact Good | ring]|].
    pose proof Ne as (H0 & X0 & Y0). cbn [fst snd] in H0, X0, Y0. pose proof (gap_value x y) as Gv. set (gap := nsub x (nmul alpha y)) in *.
    destruct (nle gap n0) eqn:L; [|destruct (nle n0 gap) eqn:L'].
    - apply nle_0' in L. specialize (IH base gs Ms Good). destruct (fold_left _ r _) as [base' gs']. destruct IH as (Ms' & A & B). exists Ms'. split; [exact A|]. rewrite <- B.
      assert (best (h, x, y) = 0) as ->; [|ring]. unfold best_of. cbn [fst snd]. rewrite <- Gv. assert (fmax (value gap) 0 = 0) as ->; [|ring].
      apply fle_antisym; [apply fmax_le; [exact L | apply fle_refl] | apply fmax_r].
    - apply nle_0 in L'. specialize (IH (nadd base (nmul h gap)) gs Ms Good). destruct (fold_left _ r _) as [base' gs']. destruct IH as (Ms' & A & B). exists Ms'. split; [exact A|]. rewrite <- B.
      rewrite value_add, value_mul. unfold best_of at 1. cbn [fst snd]. rewrite <- Gv. assert (fmax (value gap) 0 = value gap) as ->; [|ring].
      apply fle_antisym; [apply fmax_le; [apply fle_refl | exact L'] | apply fmax_l].
    - destruct (put_good h x y gs Ms Ne Good) as (Ms1 & A1 & B1). fold gap in A1. specialize (IH base _ Ms1 A1). destruct (fold_left _ r _) as [base' gs']. destruct IH as (Ms' & A & B).
      exists Ms'. split; [exact A|]. rewrite <- B, B1. ring. }
  specialize (G n0 [] [] (Forall2_nil _)). destruct (fold_left _ es _) as [base gs]. destruct G as (Ms & A & B). exists Ms. split; [exact A|]. rewrite <- B, value_0. simpl. ring.
Qed.
Lemma sums_good gs Ms : Forall2 good_group gs Ms -> forall base, exists x, In x (sums base gs) /\ value base + sum (fun m => m) Ms <= value x.
Proof.
  induction 1 as [|g M gs Ms [G1 G2] _ IH]; intros base; simpl; [exists base; split; [left; reflexivity | apply fle_eq; ring]|].
  destruct (fle_total 0 (value (g_gap g))) as [P|P].
  - destruct (IH (nadd base (g_gain g))) as (x & I & L). exists x. split; [apply in_or_app; right; exact I|]. eapply fle_trans; [|exact L]. rewrite value_add, (G1 P). apply fle_eq. ring.
  - destruct (IH base) as (x & I & L). exists x. split; [apply in_or_app; left; exact I|]. eapply fle_trans; [|exact L]. destruct (G2 P) as [-> _]. apply fle_eq. ring.
Qed.
Lemma ends_at_most_spec v strict es : Forall nonneg_end es -> ends_at_most alpha v strict es = true ->
  if strict then support 1 (- value alpha) es < value v else support 1 (- value alpha) es <= value v.
Proof.
  intros Nn H. unfold ends_at_most in H. pose proof (split_good es Nn) as S. destruct (split_ends alpha es) as [base gs]. destruct S as (Ms & A & ->).
  apply andb_prop in H. destruct H as [_ H]. rewrite forallb_forall in H. destruct (sums_good gs Ms A base) as (x & I & L). specialize (H x I). apply compared_spec in H.
  destruct strict; [eapply fle_flt_trans | eapply fle_trans]; eassumption.
Qed.
Lemma best_ge e : nonneg_end e -> value (gain_at alpha e) <= best e /\ 0 <= best e.
Proof.
  destruct e as [[h x] y]. intros (H0 & _). cbn [fst snd] in H0. unfold best_of, gain_at. cbn [fst snd]. rewrite value_mul, gap_value. split.
  - apply fle_mul_l; [exact H0 | apply fmax_l].
  - apply fle_mul; [exact H0 | apply fmax_r].
Qed.
Lemma ends_at_least_spec v strict es : Forall nonneg_end es -> ends_at_least alpha v strict es = true ->
  if strict then value v < support 1 (- value alpha) es else value v <= support 1 (- value alpha) es.
Proof.
  intros Nn H. assert (G : exists g, compared strict v g = true /\ value g <= support 1 (- value alpha) es).
  { unfold ends_at_least in H. apply orb_prop in H. destruct H as [H|H].
    - eexists. split; [exact H|]. rewrite nsum_value. unfold support. clear H. induction Nn as [|e r Ne _ IH]; simpl; [apply fle_refl|]. destruct (best_ge e Ne) as [B1 B2].
      destruct (nlikely _); simpl; [apply fle_add; assumption|]. eapply fle_trans; [exact IH|]. apply (fle_by (best e)); [exact B2 | ring].
    - apply existsb_exists in H. destruct H as (e & Ie & H). exists (gain_at alpha e). split; [exact H|]. unfold support. rewrite Forall_forall in Nn.
      clear H. induction es as [|x r IH]; [destruct Ie|]. simpl. destruct Ie as [->|Ie].
      + destruct (best_ge e (Nn e (or_introl eq_refl))) as [B1 _]. eapply fle_trans; [exact B1|]. apply (fle_by (sum best r)); [|ring].
        apply sum_nonneg. intros y Iy. apply best_ge, Nn. right. exact Iy.
      + eapply fle_trans; [apply IH; [intros; apply Nn; right; assumption | exact Ie]|]. apply (fle_by (best x)); [apply best_ge, Nn; left; reflexivity | ring]. }
  destruct G as (g & C & L). apply compared_spec in C. destruct strict; [eapply flt_fle_trans | eapply fle_trans]; eassumption.
Qed.
End Alpha.
End Ends.
