(** Real chains, and one step of a signed belief in integers for every chain whose rows are within limits.

    A chain may have states that the model does not know, of any label and behaviour. Nature picks rows anew after each word
    of labels that was seen, the last label first: so chains whose rows depend on nothing, and those whose rows change with
    time, are among them. *)

Require Import Reals Lra Lia Psatz Bool List PArith ZArith.
Require Import Deltachain.functions.Products Deltachain.functions.Exp.
Require Deltachain.Integers.
Export Deltachain.Integers(sides_of, both_sides, gain_of, nonzero).
Import ListNotations.
Open Scope R_scope.

Definition itself (r : R) : R := r.
Notation dotR := (dot itself).
Notation dotZ := (dot IZR).
Notation belief := (list (state * Z)).

Record chain := { lab_of : state -> label; move_of : list label -> nat -> state -> list (state * R) }.

(** The probability of an event after the word [h] was seen. *)
Fixpoint cprob (P : chain) (h : list label) (E : event) (i : state) : R :=
  match E with
  | Verdict b => if b then 1 else 0
  | Look k c => dotR (move_of P h k i) (fun j => cprob P (lab_of P j :: h) (c (lab_of P j)) j)
  end.

(** The first letter is the label of the state itself. *)
Definition full_cprob (P : chain) (F : label -> event) (i : state) : R := cprob P [lab_of P i] (F (lab_of P i)) i.

Definition is_row (r : list (state * R)) : Prop := all_nonneg itself r /\ dotR r (fun _ => 1) = 1.
Definition proper (P : chain) : Prop := forall h k i, is_row (move_of P h k i).
Definition chances (f : state -> R) : Prop := forall i, 0 <= f i /\ f i <= 1.

Lemma cprob_range P : proper P -> forall E h, chances (cprob P h E).
Proof.
  intros H. induction E as [b|k c IH]; intros h i; simpl; [destruct b; lra|]. destruct (H h k i) as [N S]. split.
  - apply dot_nonneg; [assumption|]. intros j. apply IH.
  - rewrite <- S. apply dot_mono; [assumption|]. intros j. apply IH.
Qed.

Fixpoint neg (E : event) : event :=
  match E with Verdict b => Verdict (negb b) | Look k c => Look k (fun a => neg (c a)) end.
Lemma cprob_neg P : proper P -> forall E h i, cprob P h (neg E) i = 1 - cprob P h E i.
Proof.
  intros H. induction E as [b|k c IH]; intros h i; simpl; [destruct b; simpl; ring|].
  destruct (H h k i) as [_ S]. rewrite <- S at 1. rewrite <- dot_minus. apply dot_ext_all. intros j. apply IH.
Qed.

(** ** Rows in integers: what a row weighs, against all chances f, is between its lows and its highs *)

Record irow := { bottom : Z; shares : list (state * (Z * Z)); rest : Z }.

Definition lows (b : irow) (f : state -> R) : R := dot (fun s : Z * Z => IZR (fst s)) (shares b) f.
Definition highs (b : irow) (f : state -> R) : R := dot (fun s : Z * Z => IZR (snd s)) (shares b) f.

Definition within (r : list (state * R)) (b : irow) : Prop := (0 < bottom b)%Z /\
  forall f, chances f -> lows b f <= dotR r f * IZR (bottom b) /\ dotR r f * IZR (bottom b) <= highs b f + IZR (rest b).

(** [floor (v low)] for positive v, else [floor (v high)]: never more than v times the row. *)
Definition share (v d : Z) (s : Z * Z) : Z := ((v * (if Z.ltb 0 v then fst s else snd s)) / d)%Z.
Definition sent (b : irow) (v : Z) : belief := map (fun s : state * (Z * Z) => (fst s, share v (bottom b) (snd s))) (shares b).
(** What may go elsewhere costs where v is negative. *)
Definition lost_by (b : irow) (v : Z) : Z := if Z.ltb v 0 then div_up (- v * rest b) (bottom b) else 0%Z.

Lemma sent_le b v f : (0 < bottom b)%Z -> chances f ->
  dotZ (sent b v) f * IZR (bottom b) <= IZR v * (if Z.ltb 0 v then lows b f else highs b f).
Proof.
  intros D F. unfold sent, lows, highs. generalize (shares b). intros l.
  induction l as [|[j s] l IH]; cbn [map dot fst snd]; [destruct (Z.ltb 0 v); simpl; lra|].
  pose proof (div_le (v * (if Z.ltb 0 v then fst s else snd s)) (bottom b) D) as L. fold (share v (bottom b) s) in L.
  rewrite mult_IZR in L. destruct (F j) as [F0 _]. destruct (Z.ltb 0 v); nra.
Qed.

Lemma row_le r b v f : within r b -> is_row r -> chances f -> dotZ (sent b v) f - IZR (lost_by b v) <= IZR v * dotR r f.
Proof.
  intros [D W] [N _] F. destruct (W f F) as [L H]. pose proof (sent_le b v f D F) as S. pose proof (IZR_lt _ _ D) as D'.
  apply (Rmult_le_reg_r (IZR (bottom b))); [assumption|]. unfold lost_by.
  assert (R0 : 0 <= dotR r f) by (apply dot_nonneg; [assumption | intros; apply F]).
  destruct (Z.ltb_spec v 0) as [V|V]; destruct (Z.ltb_spec 0 v) as [V'|V']; try lia.
  - pose proof (div_up_ge (- v * rest b) (bottom b) D) as G. rewrite mult_IZR, opp_IZR in G. apply IZR_lt in V. nra.
  - apply IZR_lt in V'. nra.
  - assert (v = 0)%Z by lia. subst v. lra.
Qed.

(** ** Sides: |w+| and |w-| *)

Lemma sides_spec w : forall pos neg f, chances f -> let s := sides_of w pos neg in
  IZR (fst s) - IZR (snd s) = IZR pos - IZR neg + dotZ w (fun _ => 1) /\ IZR neg - dotZ w f <= IZR (snd s).
Proof.
  induction w as [|[i v] w IH]; intros pos neg f F; cbn [sides_of]; [cbv zeta; cbn [fst snd dot]; split; [ring | lra]|].
  destruct (Z.ltb_spec 0 v) as [V|V].
  - destruct (IH (pos + v)%Z neg f F) as [A B]. cbv zeta in *. rewrite plus_IZR in A. cbn [dot]. apply IZR_lt in V. destruct (F i).
    split; [rewrite A; ring | nra].
  - destruct (IH pos (neg - v)%Z f F) as [A B]. cbv zeta in *. rewrite minus_IZR in A, B. cbn [dot].
    apply IZR_le in V. destruct (F i). split; [rewrite A; ring | nra].
Qed.

Lemma nonzero_dot w f : dotZ (nonzero w) f = dotZ w f.
Proof.
  induction w as [|[i v] w IH]; simpl; [reflexivity|]. destruct (Z.eqb_spec v 0) as [->|_]; simpl; rewrite IH; [ring|reflexivity].
Qed.

(** ** One step *)

Section Step.
Variable rows : nat -> state -> irow.
Variable lb : state -> label.

Definition istep (k : nat) (w : belief) : belief := flat_map (fun e : state * Z => sent (rows k (fst e)) (snd e)) w.
Definition lost (k : nat) (w : belief) : Z := fold_right (fun e n => (lost_by (rows k (fst e)) (snd e) + n)%Z) 0%Z w.
Definition iparts (k : nat) (w : belief) : option (list (@part Z)) := split lb (gather Z.add (istep k w)).

Variable P : chain.
Hypothesis P_proper : proper P.
Variable known : state -> Prop.
Hypothesis P_within : forall h k i, known i -> within (move_of P h k i) (rows k i).
Hypothesis lb_ok : forall i, known i -> lab_of P i = lb i.
Hypothesis targets_known : forall k i s, known i -> In s (shares (rows k i)) -> known (fst s).

Definition all_known (w : belief) : Prop := Forall (fun e => known (fst e)) w.

Lemma istep_dot h k w f : all_known w -> chances f ->
  dotZ (istep k w) f - IZR (lost k w) <= dotZ w (fun i => dotR (move_of P h k i) f).
Proof.
  intros K F. induction w as [|[i v] w IH]; [simpl; lra|]. inversion K as [|? ? Ki Kw]; subst. specialize (IH Kw).
  change (istep k ((i, v) :: w)) with (sent (rows k i) v ++ istep k w).
  change (lost k ((i, v) :: w)) with (lost_by (rows k i) v + lost k w)%Z.
  rewrite dot_app, plus_IZR. cbn [dot]. pose proof (row_le _ _ v f (P_within h k i Ki) (P_proper h k i) F). lra.
Qed.

Lemma istep_known k w : all_known w -> all_known (istep k w).
Proof.
  intros K. unfold all_known in *. rewrite Forall_forall in *. intros [j z] I. unfold istep in I. apply in_flat_map in I.
  destruct I as ([i v] & Iw & Ij). apply in_map_iff in Ij. destruct Ij as (s & E & Is). inversion E; subst. simpl in *.
  apply (targets_known k i s (K _ Iw) Is).
Qed.

Lemma runs_in (w : belief) p : In p (runs lb w) -> forall e, In e (snd p) -> In e w.
Proof.
  revert p. induction w as [|[i v] w IH]; simpl; intros p I e Ie; [destruct I|].
  destruct (runs lb w) as [|[a q] r]; [destruct I as [<-|[]]; simpl in Ie; tauto|].
  destruct (Pos.eqb (lb i) a).
  - destruct I as [<-|I]; [|right; apply (IH p (or_intror I) e Ie)]. simpl in Ie. destruct Ie as [<-|Ie]; [auto|].
    right. apply (IH (a, q) (or_introl eq_refl) e Ie).
  - destruct I as [<-|I]; [simpl in Ie; tauto|]. right. apply (IH p I e Ie).
Qed.

Lemma part_known k w ps p : all_known w -> iparts k w = Some ps -> In p ps -> all_known (snd p).
Proof.
  intros K S I. unfold iparts, split in S. destruct (ascending _); [|discriminate]. injection S as <-.
  unfold all_known. apply Forall_forall. intros e Ie. pose proof (runs_in _ _ I e Ie) as G.
  pose proof (gather_in Z.add (istep k w) known (istep_known k w K)) as H. rewrite Forall_forall in H. apply (H e G).
Qed.

Lemma nonzero_known w : all_known w -> all_known (nonzero w).
Proof. unfold all_known, nonzero. rewrite !Forall_forall. intros H e I. apply filter_In in I. apply H, I. Qed.

(** The events after each label, on the parts of a step. *)
Definition sum_over (h : list label) (c : label -> event) (ps : list (@part Z)) : R :=
  sum_parts (fun p => dotZ (snd p) (cprob P (fst p :: h) (c (fst p)))) ps.

(** What the parts gain, less what is lost, is at most what the belief gains: R3 and L2 at once. *)
Theorem step_sound h k w ps c : all_known w -> iparts k w = Some ps ->
  sum_over h c ps - IZR (lost k w) <= dotZ w (cprob P h (Look k c)).
Proof.
  intros K H. apply (split_spec IZR lb) in H. destruct H as (_ & Pure & S).
  assert (E : sum_over h c ps = dotZ (istep k w) (fun j => cprob P (lab_of P j :: h) (c (lab_of P j)) j)).
  { rewrite <- (gather_dot IZR Z.add plus_IZR).
    rewrite (dot_ext IZR (gather Z.add (istep k w)) _ (fun j => cprob P (lb j :: h) (c (lb j)) j)).
    - rewrite S. unfold sum_over. apply sum_parts_ext. intros p I. symmetry.
      rewrite Forall_forall in Pure. apply (part_dot IZR lb p (fun a => cprob P (a :: h) (c a))). auto.
    - intros i v I. rewrite lb_ok; [reflexivity|].
      pose proof (gather_in Z.add (istep k w) known (istep_known k w K)) as G. rewrite Forall_forall in G. apply (G _ I). }
  rewrite E. apply istep_dot; [assumption|]. intros i. apply cprob_range. assumption.
Qed.

Lemma iparts_distinct k w ps : iparts k w = Some ps -> NoDup (map fst ps).
Proof. intros H. apply (split_spec IZR lb) in H. apply H. Qed.

(** ** What is proved of a belief: after every word some event gains b, and every event loses at most a *)

Definition bounded (w : belief) (b a : R) : Prop :=
  forall h, (exists E, b <= dotZ w (cprob P h E)) /\ forall E, - dotZ w (cprob P h E) <= a.

Lemma own w : bounded w (IZR (gain_of (both_sides w))) (IZR (snd (both_sides w))).
Proof.
  intros h. split.
  - destruct (sides_spec w 0 0 (fun _ => 1)) as [A _]; [intros i; lra|]. cbv zeta in A. fold (both_sides w) in A.
    unfold gain_of. destruct (Z.max_spec (fst (both_sides w) - snd (both_sides w)) 0) as [[_ ->]|[_ ->]].
    + exists (Verdict false). simpl. rewrite dot_zero. lra.
    + exists (Verdict true). simpl. rewrite minus_IZR. lra.
  - intros E. destruct (sides_spec w 0 0 (cprob P h E)) as [_ B]; [intros i; apply cprob_range; assumption|].
    cbv zeta in B. fold (both_sides w) in B. lra.
Qed.

Lemma bounded_weaker w b a b' a' : bounded w b a -> b' <= b -> a <= a' -> bounded w b' a'.
Proof.
  intros H B A h. destruct (H h) as [[E HE] G]. split; [exists E; lra | intros E'; specialize (G E'); lra].
Qed.

Lemma verdict_look h w b k : dotZ w (cprob P h (Verdict b)) = dotZ w (cprob P h (Look k (fun _ => Verdict b))).
Proof. apply dot_ext_all. intros i. simpl. rewrite dot_const. destruct (P_proper h k i) as [_ S]. rewrite S. ring. Qed.

End Step.

(** ** Two roots: V(w) = w.1 + V(-w) *)

Section Roots.
Variable P : chain.
Hypothesis P_proper : proper P.

(** m <= w unit, m_s = unit, m_t = floor(- alpha unit). *)
Lemma first_root h s t unit mt au al above below : (0 < unit)%Z -> 0 <= au <= al -> IZR mt <= - al * IZR unit ->
  (exists E, IZR below <= dotZ [(s, unit); (t, mt)] (cprob P h E)) -> (forall E, - dotZ [(s, unit); (t, mt)] (cprob P h E) <= IZR above) ->
  (forall E, cprob P h E s - au * cprob P h E t <= 1 - au + IZR above / IZR unit)
  /\ exists E, IZR below / IZR unit <= cprob P h E s - al * cprob P h E t.
Proof.
  intros U [A0 A1] L [E0 B] A. pose proof (IZR_lt _ _ U) as U'. cbn [dot] in *. split.
  - intros E. apply Rmult_le_reg_r with (1 := U'). unfold Rdiv. rewrite Rmult_plus_distr_r, Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    specialize (A (neg E)). rewrite !(cprob_neg P P_proper) in A. pose proof (cprob_range P P_proper E h t).
    assert (IZR mt <= - au * IZR unit) by nra. nra.
  - exists E0. apply Rmult_le_reg_r with (1 := U'). unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    pose proof (cprob_range P P_proper E0 h t). nra.
Qed.

(** m <= - w unit, m_s = - unit, m_t = floor(alpha unit): the two sides change places. *)
Lemma second_root h s t unit mt au al above below : (0 < unit)%Z -> 0 <= au <= al -> IZR mt <= au * IZR unit ->
  (exists E, IZR below <= dotZ [(s, (- unit)%Z); (t, mt)] (cprob P h E)) ->
  (forall E, - dotZ [(s, (- unit)%Z); (t, mt)] (cprob P h E) <= IZR above) ->
  (forall E, cprob P h E s - au * cprob P h E t <= IZR above / IZR unit)
  /\ exists E, 1 - al + IZR below / IZR unit <= cprob P h E s - al * cprob P h E t.
Proof.
  intros U [A0 A1] L [E0 B] A. pose proof (IZR_lt _ _ U) as U'. cbn [dot] in *. split.
  - intros E. apply Rmult_le_reg_r with (1 := U'). unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    specialize (A E). rewrite opp_IZR in A. pose proof (cprob_range P P_proper E h t). nra.
  - exists (neg E0). rewrite !(cprob_neg P P_proper). apply Rmult_le_reg_r with (1 := U'). unfold Rdiv.
    rewrite Rmult_plus_distr_r, Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    rewrite opp_IZR in B. pose proof (cprob_range P P_proper E0 h t). assert (IZR mt <= al * IZR unit) by nra. nra.
Qed.
End Roots.
