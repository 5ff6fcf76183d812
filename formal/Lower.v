(** Lower values, in circles: a bound is shown by a verdict here, or by what the letters of one step lead to.

    Every open claim has a size above 0. What a step leads to among open claims is of no larger size in all, and some of it
    is of smaller rank, or the size falls. So what is still open after many steps vanishes, and the bounds that are relied
    on weigh as much as they like. *)

Require Import List PArith Arith Field Bool Lia.
Require Import Deltachain.Fields Deltachain.Cover.
Import ListNotations.

Section Choice.
Context {X A : Type} (key : A -> label).
Lemma choose_by_label (d : X) (Q : A -> X -> Prop) ps :
  NoDup (map key ps) -> (forall p, In p ps -> exists x, Q p x) -> exists c : label -> X, forall p, In p ps -> Q p (c (key p)).
Proof.
  induction ps as [|p ps IH]; intros N H; [exists (fun _ => d); intros ? []|].
  inversion N as [|? ? Np Nps]; subst. destruct IH as [c Hc]; auto. { intros; apply H; right; auto. }
  destruct (H p (or_introl eq_refl)) as [x Hx]. exists (fun a => if Pos.eqb a (key p) then x else c a). intros q [<-|Hq].
  - rewrite Pos.eqb_refl. assumption.
  - destruct (Pos.eqb_spec (key q) (key p)) as [e|_]; [|auto]. exfalso. apply Np. rewrite <- e. apply in_map. assumption.
Qed.
End Choice.

(** ** Weights that lead from open places to open places, and out of them sooner or later *)

Section Leak.
Context {F : Type} {OF : OrderedField F}.
Add Field F_field : f_field.
Variable I : Type.
Variable open : I -> bool.
Variable listed : list I.
Hypothesis all_listed : forall l, open l = true -> In l listed.
Variable size : I -> F.
Variable edges : I -> list (F * I).
Variable rank : I -> nat.
Hypothesis sizes : forall l, open l = true -> 0 < size l.
Hypothesis weights : forall l q, open l = true -> In q (edges l) -> 0 <= fst q.
Definition onward (l : I) : list (F * I) := filter (fun q => open (snd q)) (edges l).
Definition passes (l : I) : F := sum (fun q => fst q * size (snd q)) (onward l).
Hypothesis falls : forall l, open l = true -> passes l <= size l.
Hypothesis leaks : forall l, open l = true ->
  passes l < size l \/ exists q, In q (onward l) /\ 0 < fst q /\ (rank (snd q) < rank l)%nat.

(** How much is still under way after h steps. *)
Fixpoint under_way (h : nat) (l : I) : F :=
  if open l then match h with O => size l | S h => sum (fun q => fst q * under_way h (snd q)) (onward l) end else 0.

Lemma under_way_closed h l : open l = false -> under_way h l = 0.
Proof. intros E. destruct h; simpl; rewrite E; reflexivity. Qed.
Lemma onward_facts l q : open l = true -> In q (onward l) -> 0 <= fst q /\ open (snd q) = true.
Proof. intros O I'. apply filter_In in I'. destruct I' as [I' H]. split; [apply (weights l q O I') | exact H]. Qed.
Lemma under_way_nonneg h : forall l, 0 <= under_way h l.
Proof.
  induction h as [|h IH]; intros l; simpl; destruct (open l) eqn:E; try apply fle_refl.
  { apply flt_fle, sizes, E. }
  apply sum_nonneg. intros q Iq. apply fle_mul; [apply (onward_facts l q E Iq) | apply IH].
Qed.
Lemma under_way_size h : forall l, open l = true -> under_way h l <= size l.
Proof.
  induction h as [|h IH]; intros l E; simpl; rewrite E; [apply fle_refl|]. eapply fle_trans; [|apply falls, E].
  apply sum_le. intros q Iq. destruct (onward_facts l q E Iq) as [W O]. apply fle_mul_l; auto.
Qed.
(** Under way for g steps at most c of the size: then for h + g steps at most c of what is under way for h. *)
Lemma under_way_power c g : (forall l, open l = true -> under_way g l <= c * size l) ->
  forall h l, under_way (h + g) l <= c * under_way h l.
Proof.
  intros H. induction h as [|h IH]; intros l.
  - simpl. destruct (open l) eqn:E; [apply H, E | rewrite under_way_closed by exact E; apply fle_eq; ring].
  - simpl. destruct (open l) eqn:E; [|apply fle_eq; ring]. rewrite <- sum_times. apply sum_le. intros q Iq.
    destruct (onward_facts l q E Iq) as [W _]. apply (fle_by (fst q * (c * under_way h (snd q) - under_way (h + g) (snd q)))); [|ring].
    apply fle_mul; [exact W | apply fle_sub_inv, IH].
Qed.
Lemma under_way_more g h l : under_way (h + g) l <= under_way h l.
Proof.
  eapply fle_trans; [apply (under_way_power 1 g)|apply fle_eq; ring]. intros m E. eapply fle_trans; [apply under_way_size, E | apply fle_eq; ring].
Qed.

(** At rank r something is lost within r + 1 steps. *)
Definition loses (r : nat) (l : I) (e : F) : Prop := (rank l <= r)%nat -> under_way (S r) l <= size l - e * size l.
Lemma lost r : exists e, 0 < e /\ forall l, In l (filter open listed) -> loses r l e.
Proof.
  assert (Down : forall r l a b, open l = true -> loses r l a -> 0 < b -> b <= a -> loses r l b).
  { intros r0 l a b E H _ L R. eapply fle_trans; [apply H, R|]. apply (fle_by ((a - b) * size l)); [|ring].
    apply fle_mul; [apply fle_sub_inv, L | apply flt_fle, sizes, E]. }
  assert (Now : forall r0 l, open l = true -> passes l < size l -> exists e, 0 < e /\ loses r0 l e).
  { intros r0 l E L. pose proof (sizes l E) as Sz. exists ((size l - passes l) / size l). split; [apply fdiv_pos; [apply flt_sub_inv, L | exact Sz]|].
    intros _. apply fle_trans with (passes l).
    - change (S r0) with (1 + r0)%nat. eapply fle_trans; [apply under_way_more|]. simpl. rewrite E. unfold passes. apply sum_le. intros q Iq.
      destruct (onward_facts l q E Iq) as [W O]. rewrite O. apply fle_refl.
    - apply fle_eq. field. apply flt_neq, Sz. }
  induction r as [|r (e & E & H)].
    assert (U : exists a, 0 < a /\ forall x, In x (filter open listed) -> open x = true /\ loses 0 x a).
    { apply uniform_below; [intros x a b [Ox Lx] B L; split; [exact Ox | eapply Down; eassumption]|].
      intros l Il. apply filter_In in Il. destruct Il as [_ O]. destruct (leaks l O) as [L|(q & Iq & W & R)].
      - destruct (Now 0%nat l O L) as (e & E & Lo). exists e. auto.
      - exists 1. split; [apply flt_01|]. split; [exact O|]. intros R'. lia. }
    destruct U as (a & A & U). exists a. split; [exact A|]. intros l Il. apply U, Il.
  - assert (U : exists a, 0 < a /\ forall x, In x (filter open listed) -> open x = true /\ loses (S r) x a).
    { apply uniform_below; [intros x a b [Ox Lx] B L; split; [exact Ox | eapply Down; eassumption]|].
      intros l Il. apply filter_In in Il. destruct Il as [_ O]. destruct (leaks l O) as [L|(q & Iq & W & R)].
      - destruct (Now (S r) l O L) as (e' & E' & Lo). exists e'. auto.
      - destruct (onward_facts l q O Iq) as [_ Oq]. pose proof (sizes l O) as Sl. pose proof (sizes _ Oq) as Sq.
        exists (fst q * (e * size (snd q)) / size l). split; [apply fdiv_pos; [apply flt_mul; [exact W | apply flt_mul; assumption] | exact Sl]|].
        split; [exact O|]. intros R'. change (under_way (S (S r)) l) with (if open l then sum (fun q => fst q * under_way (S r) (snd q)) (onward l) else 0).
        rewrite O. apply fle_trans with (passes l - fst q * (e * size (snd q))).
        + unfold passes. eapply sum_le_one; [exact Iq| |].
          * intros y Iy. destruct (onward_facts l y O Iy) as [Wy Oy]. apply fle_mul_l; [exact Wy | apply under_way_size, Oy].
          * assert (Lq : In (snd q) (filter open listed)) by (apply filter_In; split; [apply all_listed|]; exact Oq).
            pose proof (H _ Lq ltac:(lia)) as Hq. apply flt_fle in W.
            apply (fle_by (fst q * (size (snd q) - e * size (snd q) - under_way (S r) (snd q)))); [|ring].
            apply fle_mul; [exact W | apply fle_sub_inv, Hq].
        + apply (fle_by (size l - passes l)); [apply fle_sub_inv, falls, O | field; apply flt_neq, Sl]. }
    destruct U as (a & A & U). exists a. split; [exact A|]. intros l Il. apply U, Il.
Qed.

Theorem under_way_vanishes eta : 0 < eta -> exists h, forall l, open l = true -> under_way h l <= eta * size l.
Proof.
  intros Eta. assert (R : exists r, forall l, In l listed -> (rank l <= r)%nat).
  { clear. induction listed as [|l ls [r H]]; [exists 0%nat; intros ? []|]. exists (Nat.max r (rank l)).
    intros m [<-|Im]; [lia|]. specialize (H m Im). lia. }
  destruct R as [r R]. destruct (lost r) as (e & E & H).
  assert (exists e', 0 < e' /\ e' <= 1 /\ e' <= e) as (e' & E' & L1 & Le).
  { destruct (below_both 1 e flt_01 E) as (c & C & C1 & C2). exists c. auto. }
  assert (G : forall l, open l = true -> under_way (S r) l <= (1 - e') * size l).
  { intros l O. assert (In l (filter open listed)) as Il by (apply filter_In; auto).
    eapply fle_trans; [apply (H l Il (R l (all_listed l O)))|]. apply (fle_by ((e - e') * size l)); [|ring].
    apply fle_mul; [apply fle_sub_inv, Le | apply flt_fle, sizes, O]. }
  assert (T : forall n l, open l = true -> under_way (n * S r) l <= power (1 - e') n * size l).
  { induction n as [|n IH]; intros l O.
    - simpl. rewrite O. apply fle_eq. ring.
    - change (S n * S r)%nat with (S r + n * S r)%nat. rewrite Nat.add_comm. eapply fle_trans; [apply (under_way_power _ _ G)|].
      simpl power. apply (fle_by ((1 - e') * (power (1 - e') n * size l - under_way (n * S r) l))); [|ring].
      apply fle_mul; [apply fle_sub_inv, L1 | apply fle_sub_inv, IH, O]. }
  destruct (powers_vanish e' 1 eta E' L1 fle_01 Eta) as [n N]. exists (n * S r)%nat. intros l O.
  eapply fle_trans; [apply T, O|]. apply fle_mul_r; [apply flt_fle, sizes, O|]. eapply fle_trans; [|exact N]. apply fle_eq. ring.
Qed.
End Leak.

(** ** V(w) >= v *)

Section Lower.
Context {F : Type} {OF : OrderedField F}.
Add Field F_field' : f_field.
Variable P : chain F.
Hypothesis rows : stochastic P.
Variable I : Type.
Variable vector : I -> vec F.
Variable bound : I -> F.
Variable open : I -> bool.
Variable listed : list I.
Hypothesis all_listed : forall l, open l = true -> In l listed.
Variable size : I -> F.
Variable rank : I -> nat.
Variable asked : I -> input.
Variable parts : I -> list (label * (F * I)).      (** after a letter: c, and the claim about what it leads to *)
Variable plan : I -> (label -> event) -> label -> event.   (** what is done after other letters: a verdict *)
Variable gained : I -> F.                           (** what that is worth *)
Definition edges (l : I) : list (F * I) := map snd (parts l).

(** A verdict: always, or never. *)
Hypothesis closed_ok : forall l, open l = false -> bound l <= 0 \/ bound l <= dot (vector l) one.
Hypothesis sizes : forall l, open l = true -> 0 < size l.
Hypothesis weights : forall l q, open l = true -> In q (edges l) -> 0 <= fst q.
Hypothesis falls : forall l, open l = true -> passes I open size edges l <= size l.
Hypothesis leaks : forall l, open l = true -> passes I open size edges l < size l \/
  exists q, In q (onward I open edges l) /\ 0 < fst q /\ (rank (snd q) < rank l)%nat.
Hypothesis once : forall l, open l = true -> NoDup (map fst (parts l)).
Hypothesis relies : forall l, open l = true -> bound l <= sum (fun p => fst (snd p) * bound (snd (snd p))) (parts l) + gained l.
Hypothesis descends : forall l, open l = true -> forall c : label -> event,
  sum (fun p => fst (snd p) * dot (vector (snd (snd p))) (prob P (c (fst p)))) (parts l) + gained l
    <= stepped P (asked l) (vector l) (next P (plan l c)).

Notation way h l := (under_way I open size edges h l).

Lemma open_sum (ps : list (label * (F * I))) (g : I -> F) : (forall l, open l = false -> g l = 0) ->
  sum (fun p => fst (snd p) * g (snd (snd p))) ps = sum (fun q => fst q * g (snd q)) (filter (fun q => open (snd q)) (map snd ps)).
Proof.
  intros Z. induction ps as [|[a [c l]] ps IH]; simpl; [reflexivity|]. destruct (open l) eqn:E; simpl; rewrite IH; [reflexivity|].
  rewrite (Z l E). ring.
Qed.

Lemma rounds K : 0 <= K -> (forall l, open l = true -> bound l <= K * size l) ->
  forall h l, exists E, bound l - K * way h l <= dot (vector l) (prob P E).
Proof.
  intros Kn HK. assert (Closed : forall h l, open l = false -> exists E, bound l - K * way h l <= dot (vector l) (prob P E)).
  { intros h l O. rewrite under_way_closed by exact O. destruct (closed_ok l O) as [B|B]; [exists (Verdict false) | exists (Verdict true)]; simpl;
      [rewrite dot_zero|]; (eapply fle_trans; [|exact B]); apply fle_eq; ring. }
  induction h as [|h IH]; intros l; (destruct (open l) eqn:O; [|apply Closed, O]).
  - exists (Verdict false). simpl. rewrite O, dot_zero. apply (fle_by (K * size l - bound l)); [apply fle_sub_inv, HK, O | ring].
  - destruct (choose_by_label (fun p : label * (F * I) => fst p) (Verdict false)
      (fun p E => bound (snd (snd p)) - K * way h (snd (snd p)) <= dot (vector (snd (snd p))) (prob P E)) (parts l) (once l O)) as [c Hc]; [intros; apply IH|].
    exists (Look (asked l) (plan l c)). simpl prob. eapply fle_trans; [|apply (descends l O c)]. simpl under_way. rewrite O.
    pose proof (open_sum (parts l) (fun m => way h m) (fun m Em => under_way_closed I open size edges h m Em)) as OS. unfold onward, edges in OS |- *. rewrite <- OS. fold edges.
    apply fle_trans with (sum (fun p => fst (snd p) * (bound (snd (snd p)) - K * way h (snd (snd p)))) (parts l) + gained l).
    + apply (fle_by (sum (fun p => fst (snd p) * bound (snd (snd p))) (parts l) + gained l - bound l)); [apply fle_sub_inv, relies, O|].
      rewrite (sum_ext _ (fun p => fst (snd p) * bound (snd (snd p)) - K * (fst (snd p) * way h (snd (snd p))))) by (intros; ring).
      rewrite sum_minus, sum_times. ring.
    + apply fle_add; [|apply fle_refl]. apply sum_le. intros p Ip. apply fle_mul_l; [|apply Hc, Ip].
      apply (weights l (snd p) O). apply in_map, Ip.
Qed.

Theorem lower_sound l eta : 0 < eta -> exists E, bound l - eta <= dot (vector l) (prob P E).
Proof.
  intros Eta. assert (HK : exists K, 0 <= K /\ forall m, In m (filter open listed) -> open m = true /\ bound m <= K * size m).
  { apply (uniform_above (fun m K => open m = true /\ bound m <= K * size m)).
    - intros m a b [Om H] L. split; [exact Om|]. eapply fle_trans; [exact H|]. apply fle_mul_r; [apply flt_fle, sizes, Om | exact L].
    - intros m Im. apply filter_In in Im. destruct Im as [_ Om]. exists (bound m / size m). split; [exact Om|].
      apply fle_eq. field. apply flt_neq, sizes, Om. }
  destruct HK as (K & Kn & HK).
  assert (HK' : forall m, open m = true -> bound m <= K * size m) by (intros m Om; apply HK, filter_In; auto).
  destruct (open l) eqn:O.
  2: { destruct (rounds K Kn HK' 0%nat l) as [E HE].
       exists E. eapply fle_trans; [|exact HE]. simpl. rewrite O. apply (fle_by eta); [apply flt_fle, Eta | ring]. }
  assert (0 < 1 + K * size l) as More by (apply flt_add; [apply flt_01 | apply fle_mul; [exact Kn | apply flt_fle, sizes, O]]).
  pose proof (fdiv_pos _ _ Eta More) as Small.
  destruct (under_way_vanishes I open listed all_listed size edges rank sizes weights falls leaks _ Small) as [h Hh].
  destruct (rounds K Kn HK' h l) as [E HE].
  exists E. eapply fle_trans; [|exact HE]. specialize (Hh l O).
  assert (eta / (1 + K * size l) * (1 + K * size l) = eta) as Ee by (field; apply flt_neq, More).
  set (s := size l) in *. set (e := eta / (1 + K * s)) in *.
  apply (fle_by (K * (e * s - way h l) + e)); [|rewrite <- Ee; ring].
  apply fle_add0; [apply fle_mul; [exact Kn | apply fle_sub_inv, Hh] | apply flt_fle, Small].
Qed.
End Lower.
