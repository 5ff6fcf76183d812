(** Two runs told apart: events are decisions between two rows; δ and trade-offs by the masses where runs end. *)

Require Import List Permutation PArith Arith Field Bool Lia FMapPositive.
Require Import Deltachain.Fields Deltachain.Cover Deltachain.Visits Deltachain.Numbers Deltachain.Checker Deltachain.Exact Deltachain.Sort.
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

(** *** Trade-offs: the corners of the best tests, where ends are taken by their ratio *)

Definition mass_pair : Type := num * num.              (** how much ends there, of the two runs *)
Fixpoint mass_pairs (es : ends) : option (list mass_pair) :=
  match es with
  | [] => Some []
  | (h, x, y) :: r =>
      match mass_pairs r with
      | Some l => let X := nmul h x in let Y := nmul h y in
          if neq (nadd X Y) n0 then Some l else if nlt n0 (nadd X Y) then Some ((X, Y) :: l) else None
      | None => None
      end
  end.
Definition before (a b : mass_pair) : bool := nle (nmul (fst a) (snd b)) (nmul (fst b) (snd a)).
Definition alike (a b : mass_pair) : bool := neq (nmul (fst a) (snd b)) (nmul (fst b) (snd a)).
Fixpoint joined (l : list mass_pair) : list mass_pair :=
  match l with
  | a :: r => match joined r with
              | b :: r' => if alike a b then (nadd (fst a) (fst b), nadd (snd a) (snd b)) :: r' else a :: b :: r'
              | [] => [a]
              end
  | [] => []
  end.
Fixpoint in_order (l : list mass_pair) : bool := match l with a :: (b :: _) as r => before a b && in_order r | _ => true end.
Fixpoint corners_from (a b : num) (l : list mass_pair) : list mass_pair :=
  (a, b) :: match l with (X, Y) :: r => corners_from (nadd a X) (nsub b Y) r | [] => [] end.
Fixpoint same_corners (l l' : list mass_pair) : bool :=
  match l, l' with (a, b) :: r, (a', b') :: r' => neq a a' && neq b b' && same_corners r r' | [], [] => true | _, _ => false end.
Definition corners_ok (claimed : list mass_pair) (es : ends) : bool :=
  match mass_pairs es with
  | Some l => let g := joined (sort before l) in in_order g && forallb (fun a => nlt n0 (nadd (fst a) (snd a))) g && same_corners claimed (corners_from n0 n1 g)
  | None => false
  end.

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

(** *** Corners *)

Section Corners.
Variables la mu : F.
Hypothesis la_0 : 0 <= la.
Hypothesis mu_0 : 0 <= mu.
Definition tilted (a : mass_pair) : F := mu * value (snd a) - la * value (fst a).
Definition gains (l : list mass_pair) : F := sum (fun a => fmax (tilted a) 0) l.
Definition real (a : mass_pair) : Prop := 0 <= value (fst a) /\ 0 <= value (snd a) /\ 0 < value (fst a) + value (snd a).

Lemma fmax_0_times c x : 0 <= c -> fmax (c * x) 0 = c * fmax x 0.
Proof.
  intros C. apply fle_antisym.
  - apply fmax_le; [apply fle_mul_l; [exact C | apply fmax_l] | apply fle_mul; [exact C | apply fmax_r]].
  - unfold fmax at 1. destruct (fle_dec x 0); [eapply fle_trans; [|apply fmax_r]; apply fle_eq; ring | apply fmax_l].
Qed.
Lemma mass_pairs_gains es : Forall nonneg_end es -> forall l, mass_pairs es = Some l -> support (- la) mu es = gains l /\ Forall real l.
Proof.
  induction 1 as [|[[h x] y] r (H0 & X0 & Y0) _ IH]; intros l E; simpl in E; [inversion E; subst; split; [reflexivity | constructor]|].
  cbn [fst snd] in H0, X0, Y0. destruct (mass_pairs r) as [l'|]; [|discriminate]. destruct (IH l' eq_refl) as [S R]. unfold support in *. simpl. rewrite S.
  unfold best_of at 1. cbn [fst snd]. rewrite <- fmax_0_times by exact H0.
  assert (XY : 0 <= value (nmul h x) /\ 0 <= value (nmul h y)) by (rewrite !value_mul; split; apply fle_mul; assumption). destruct XY as [X1 Y1].
  assert (T : value h * (- la * value x + mu * value y) = tilted (nmul h x, nmul h y)) by (unfold tilted; cbn [fst snd]; rewrite !value_mul; ring). rewrite T.
  destruct (neq _ n0) eqn:Z; [|destruct (nlt n0 _) eqn:P; [|discriminate]]; inversion E; subst l.
  - apply neq_eq in Z. rewrite value_add, value_0 in Z. split; [|exact R].
    assert (value (nmul h x) = 0) as Zx by (apply fle_antisym; [apply (fle_by (value (nmul h y))); [exact Y1 | rewrite <- Z; ring] | exact X1]).
    assert (value (nmul h y) = 0) as Zy by (apply fle_antisym; [apply (fle_by (value (nmul h x))); [exact X1 | rewrite <- Z; ring] | exact Y1]).
    unfold tilted. cbn [fst snd]. rewrite Zx, Zy. assert (fmax (mu * 0 - la * 0) 0 = 0) as ->; [|ring].
    apply fle_antisym; [apply fmax_le; [apply fle_eq; ring | apply fle_refl] | apply fmax_r].
  - split; [reflexivity|]. constructor; [|exact R]. repeat split; try assumption; cbn [fst snd]; apply nlt_0 in P; rewrite value_add in P; apply P.
Qed.
Lemma alike_sign a b : real a -> real b -> value (fst a) * value (snd b) = value (fst b) * value (snd a) ->
  fmax (tilted a) 0 + fmax (tilted b) 0 = fmax (tilted a + tilted b) 0.
Proof.
  intros (A1 & A2 & A3) (B1 & B2 & B3) E.
  assert (G : tilted a * (value (fst b) + value (snd b)) = tilted b * (value (fst a) + value (snd a))).
  { unfold tilted. set (xa := value (fst a)) in *. set (ya := value (snd a)) in *. set (xb := value (fst b)) in *. set (yb := value (snd b)) in *.
    transitivity ((mu * yb - la * xb) * (xa + ya) + (mu + la) * (xb * ya - xa * yb)); [ring | rewrite E; ring]. }
  assert (Pos : forall x, 0 <= x -> fmax x 0 = x) by (intros x X; apply fle_antisym; [apply fmax_le; [apply fle_refl | exact X] | apply fmax_l]).
  assert (Neg : forall x, x <= 0 -> fmax x 0 = 0) by (intros x X; apply fle_antisym; [apply fmax_le; [exact X | apply fle_refl] | apply fmax_r]).
  destruct (fle_total 0 (tilted a)) as [P|P].
  - assert (Q : 0 <= tilted b).
    { apply (fle_cancel _ _ _ A3). apply (fle_by (tilted a * (value (fst b) + value (snd b)))); [apply fle_mul; [exact P | apply flt_fle, B3] | rewrite G; ring]. }
    rewrite !Pos; auto. apply fle_add0; assumption.
  - assert (Q : tilted b <= 0).
    { apply (fle_cancel _ _ _ A3). apply (fle_by (- tilted a * (value (fst b) + value (snd b)))); [apply fle_mul; [apply fle_opp0, P | apply flt_fle, B3]|].
      transitivity (- (tilted a * (value (fst b) + value (snd b)))); [rewrite G; ring | ring]. }
    rewrite !Neg; auto; [ring|]. replace 0 with (0 + 0) by ring. apply fle_add; assumption.
Qed.
Lemma joined_gains l : Forall real l -> gains (joined l) = gains l /\ Forall real (joined l).
Proof.
  induction 1 as [|a r Ra _ [IH Rr]]; simpl; [split; [reflexivity | constructor]|]. destruct (joined r) as [|b r']; [split; [unfold gains in *; simpl in *; rewrite <- IH; ring | constructor; [exact Ra | constructor]]|].
  inversion Rr as [|? ? Rb Rr']; subst. destruct (alike a b) eqn:Al.
  - apply neq_eq in Al. rewrite !value_mul in Al. unfold gains in *. simpl in *. rewrite <- IH. split.
    + assert (T : tilted (nadd (fst a) (fst b), nadd (snd a) (snd b)) = tilted a + tilted b) by (unfold tilted; cbn [fst snd]; rewrite !value_add; ring).
      rewrite T, <- (alike_sign a b Ra Rb Al). ring.
    + constructor; [|exact Rr']. destruct Ra as (A1 & A2 & A3), Rb as (B1 & B2 & B3). unfold real. cbn [fst snd]. rewrite !value_add. repeat split; try (apply fle_add0; assumption).
      all: assert (P : 0 < (value (fst a) + value (snd a)) + (value (fst b) + value (snd b))) by (apply flt_add; [exact A3 | apply flt_fle, B3]);
        replace (value (fst a) + value (fst b) + (value (snd a) + value (snd b))) with ((value (fst a) + value (snd a)) + (value (fst b) + value (snd b))) by ring; apply P.
  - split; [unfold gains in *; simpl in *; rewrite <- IH; reflexivity | constructor; assumption].
Qed.
Lemma gains_perm l l' : Permutation l l' -> gains l = gains l'.
Proof. unfold gains. induction 1; simpl; [reflexivity | rewrite IHPermutation; reflexivity | ring | congruence]. Qed.

(** A corner: the test of what came before. *)
Definition worth_at (c : mass_pair) : F := la * value (fst c) + mu * value (snd c).
Lemma corners_least l : Forall real l -> in_order l = true -> forall a b, exists c, In c (corners_from a b l) /\ worth_at c = worth_at (a, b) - gains l.
Proof.
  assert (Next : forall a b, real a -> real b -> before a b = true -> tilted a <= 0 -> tilted b <= 0).
  { intros a b (A1 & A2 & A3) (B1 & B2 & B3) O T. apply nle_le in O. rewrite !value_mul in O. unfold tilted in *.
    set (xa := value (fst a)) in *. set (ya := value (snd a)) in *. set (xb := value (fst b)) in *. set (yb := value (snd b)) in *.
    destruct (fle_dec xa 0) as [Z|P].
    - assert (xa = 0) as Z' by (apply fle_antisym; assumption). rewrite Z' in *. assert (Y : 0 < ya) by (replace ya with (0 + ya) by ring; exact A3).
      assert (M : mu <= 0) by (apply (fle_cancel _ _ _ Y); apply (fle_by (0 - (mu * ya - la * 0))); [apply fle_sub_inv, T | ring]).
      assert (mu = 0) as -> by (apply fle_antisym; assumption). apply (fle_by (la * xb)); [apply fle_mul; assumption | ring].
    - apply not_fle in P. apply (fle_cancel _ _ _ P).
      apply (fle_by (mu * (xb * ya - xa * yb) + xb * (0 - (mu * ya - la * xa)))); [apply fle_add0; apply fle_mul; try assumption; apply fle_sub_inv; assumption | ring]. }
  assert (None' : forall l, Forall real l -> in_order l = true -> match l with a :: _ => tilted a <= 0 | [] => True end -> gains l = 0).
  { induction l0 as [|a r IH]; intros R O T; [reflexivity|]. unfold gains in *. simpl. inversion R as [|? ? Ra Rr]; subst.
    assert (fmax (tilted a) 0 = 0) as -> by (apply fle_antisym; [apply fmax_le; [exact T | apply fle_refl] | apply fmax_r]).
    rewrite IH; [ring | exact Rr | destruct r; [reflexivity | simpl in O; apply andb_prop in O; apply O]|].
    destruct r as [|b r]; [exact Logic.I|]. inversion Rr; subst. simpl in O. apply andb_prop in O. apply (Next a b); [exact Ra | assumption | apply O | exact T]. }
  induction l as [|[X Y] r IH]; intros R O a b; [exists (a, b); split; [left; reflexivity | unfold gains; simpl; ring]|].
  destruct (fle_dec (tilted (X, Y)) 0) as [T|T].
  - exists (a, b). split; [left; reflexivity|]. transitivity (worth_at (a, b) - 0); [ring | f_equal; symmetry; apply (None' ((X, Y) :: r) R O T)].
  - apply not_fle, flt_fle in T. inversion R as [|? ? Ra Rr]; subst. destruct (IH Rr ltac:(destruct r; [reflexivity | simpl in O; apply andb_prop in O; apply O]) (nadd a X) (nsub b Y)) as (c & I & W).
    exists c. split; [right; exact I|]. rewrite W. transitivity (worth_at (a, b) - (fmax (tilted (X, Y)) 0 + gains r)); [|reflexivity].
    assert (fmax (tilted (X, Y)) 0 = tilted (X, Y)) as -> by (apply fle_antisym; [apply fmax_le; [apply fle_refl | exact T] | apply fmax_l]).
    unfold worth_at, tilted. cbn [fst snd]. rewrite value_add, value_sub. ring.
Qed.
Lemma corners_above l : forall a b c, In c (corners_from a b l) -> worth_at (a, b) - gains l <= worth_at c.
Proof.
  induction l as [|[X Y] r IH]; intros a b c I; simpl in I.
  - destruct I as [<-|[]]. apply fle_eq. unfold gains. simpl. ring.
  - change (gains ((X, Y) :: r)) with (fmax (tilted (X, Y)) 0 + gains r).
    assert (Nn : 0 <= gains r) by (apply sum_nonneg; intros; apply fmax_r). destruct I as [<-|I].
    + apply (fle_by (fmax (tilted (X, Y)) 0 + gains r)); [apply fle_add0; [apply fmax_r | exact Nn] | ring].
    + eapply fle_trans; [|apply (IH _ _ _ I)]. apply (fle_by (fmax (tilted (X, Y)) 0 - tilted (X, Y))); [apply fle_sub_inv, fmax_l|].
      unfold worth_at, tilted. cbn [fst snd]. rewrite value_add, value_sub. ring.
Qed.
Lemma same_corners_in l : forall l', same_corners l l' = true -> (forall c, In c l -> exists c', In c' l' /\ worth_at c = worth_at c') /\ (forall c, In c l' -> exists c', In c' l /\ worth_at c = worth_at c').
Proof.
  induction l as [|[a b] r IH]; intros [|[a' b'] r'] H; simpl in H; try discriminate; [split; intros ? []|].
  apply andb_prop in H. destruct H as [H S]. apply andb_prop in H. destruct H as [A B]. apply neq_eq in A, B. destruct (IH r' S) as [I1 I2].
  assert (W : worth_at (a, b) = worth_at (a', b')) by (unfold worth_at; cbn [fst snd]; rewrite A, B; reflexivity).
  split; intros c [<-|I].
  - exists (a', b'). split; [left; reflexivity | exact W].
  - destruct (I1 c I) as (c' & Ic & E). exists c'. split; [right; exact Ic | exact E].
  - exists (a, b). split; [left; reflexivity | symmetry; exact W].
  - destruct (I2 c I) as (c' & Ic & E). exists c'. split; [right; exact Ic | exact E].
Qed.
(** The least over the corners is what the best test comes to. *)
Theorem corners_spec claimed es : Forall nonneg_end es -> corners_ok claimed es = true ->
  (exists c, In c claimed /\ worth_at c = mu - support (- la) mu es) /\ forall c, In c claimed -> mu - support (- la) mu es <= worth_at c.
Proof.
  intros Nn H. unfold corners_ok in H. destruct (mass_pairs es) as [l|] eqn:E; [|discriminate]. destruct (mass_pairs_gains es Nn l E) as [S R].
  cbv zeta in H. apply andb_prop in H. destruct H as [H Sc]. apply andb_prop in H. destruct H as [O _].
  assert (R' : Forall real (sort before l)).
  { apply Forall_forall. intros a Ia. rewrite Forall_forall in R. apply R. eapply Permutation_in; [apply sort_perm | exact Ia]. }
  destruct (joined_gains _ R') as [G Rj]. rewrite (gains_perm _ _ (sort_perm before l)) in G. destruct (same_corners_in _ _ Sc) as [I1 I2].
  assert (Start : worth_at (n0, n1) = mu) by (unfold worth_at; cbn [fst snd]; rewrite value_0, value_1; ring).
  rewrite S, <- G, <- Start. split.
  - destruct (corners_least _ Rj O n0 n1) as (c & Ic & W). destruct (I2 c Ic) as (c' & Ic' & E'). exists c'. split; [exact Ic' | rewrite <- E'; exact W].
  - intros c Ic. destruct (I1 c Ic) as (c' & Ic' & ->). apply corners_above, Ic'.
Qed.
End Corners.
End Ends.
