(** Merged chains with added states, chains seen through coarser labels, and what is concluded_in about two states. *)

Require Import List Permutation PArith Arith Field Bool Lia FMapPositive.
Require Import Deltachain.Fields Deltachain.Cover Deltachain.Lower Deltachain.Visits Deltachain.Numbers
  Deltachain.Checker Deltachain.Exact Deltachain.Growth Deltachain.Distances Deltachain.Pairs
  Deltachain.Tests.
Import ListNotations.

(** ** A map of states that keeps labels, and what rows send along it, keeps every event *)

Section Morphism.
Context {F : Type} {OF : OrderedField F}.
Add Field F_field : f_field.
Variables P P' : chain F.
Variable g : state -> state.
Variable inside : state -> Prop.
Hypothesis stays : forall k i e, inside i -> In e (move P k i) -> inside (fst e).
Hypothesis labels : forall i, inside i -> lab P' (g i) = lab P i.
Hypothesis sends : forall k i f, inside i -> dot (move P k i) (fun j => f (g j)) = dot (move P' k (g i)) f.
Lemma prob_kept E : forall i, inside i -> prob P E i = prob P' E (g i).
Proof.
  induction E as [b|k c IH]; intros i D; simpl; [reflexivity|]. rewrite <- sends by exact D. apply dot_ext. intros j v I.
  pose proof (stays k i (j, v) D I) as Dj. simpl in Dj. rewrite (labels j Dj). apply IH, Dj.
Qed.
End Morphism.

(** ** What is said of two states of a chain *)

Section Said.
Context {F : Type} {OF : OrderedField F}.
Variable P : chain F.
(** The first letter is the label of the state itself. *)
Definition gain (alpha : F) (E : label -> event) (s t : state) : F := prob P (E (lab P s)) s - alpha * prob P (E (lab P t)) t.
Definition at_most (alpha : F) (s t : state) (v : F) : Prop := forall E, gain alpha E s t <= v /\ gain alpha E t s <= v.
Definition at_least (alpha : F) (s t : state) (v : F) : Prop :=
  forall eta, 0 < eta -> exists E, v - eta <= gain alpha E s t \/ v - eta <= gain alpha E t s.
End Said.

Section Program.
Context {N : Numbers}.
Notation nvec := (list (state * num)).

Record view := {
  source : listing; target : listing; first : list (state * state);
  claims : list (positive * claim); lowers : list (positive * lower); chosen : option distances }.

(** The labels that are named here are shown as others. *)
Definition relabelled (coarser : list (label * label)) (l : listing) : listing :=
  map (fun e => (fst e, {| place_label := match assoc (place_label (snd e)) coarser with Some a => a | None => place_label (snd e) end;
                           place_rows := place_rows (snd e) |})) l.

(** *** The tests, with tables that are made once *)

Section Tables.
Variable w : view.
Variables from into : M.t place.
Variables from_inputs into_inputs : M.t (list input).
Variable blocks : M.t state.
Variable upper_table : M.t claim.
Variable lower_table : M.t lower.
Variable pairs : M.t (M.t positive).
Variable prices : M.t (M.t nprice).
Definition block_of (m : M.t state) (i : state) : state := match M.find i m with Some j => j | None => i end.

Lemma unmerged (l : list (state * state)) : false || match l with [] => true | _ => false end = true -> forall i, block_of (of_list l) i = i.
Proof. destruct l; [|discriminate]. intros _ i. unfold block_of, of_list. simpl. rewrite M.gempty. reflexivity. Qed.

Definition morph_ok (from into : M.t place) (blocks : M.t state) (e : state * place) : bool :=
  match M.find (block_of blocks (fst e)) into with
  | None => false
  | Some p' =>
      Pos.eqb (place_label p') (place_label (snd e))
      && same_keys (map fst (place_rows (snd e))) (map fst (place_rows p'))
      && match place_rows (snd e) with [] => false | _ => true end
      && forallb (fun kr => vanishes (map (fun x => (block_of blocks (fst x), snd x)) (snd kr)
                                      ++ nminus (row_of p' (fst kr) (block_of blocks (fst e))))) (place_rows (snd e))
  end.

Variables alpha_u alpha_l : num.

Definition view_ok_in : bool :=
  nle n1 alpha_u && nle alpha_u alpha_l
  && forallb (place_ok from from_inputs) (source w)
  && forallb (place_ok into into_inputs) (target w)
  && forallb (morph_ok from into blocks) (source w)
  && forallb (claim_ok into into_inputs upper_table) (claims w)
  && forallb (lower_ok into upper_table lower_table) (lowers w)
  && match chosen w with Some d => neq alpha_u alpha_l && distances_ok into into_inputs upper_table alpha_u d | None => true end.

(** ** Conclusions, each with where its proof is *)

Inductive conclusion :=
| DeltaAtMost (s t : state) (v : num) (strict : bool) (by_claims : option (positive * positive))
| DeltaAtLeast (s t : state) (v : num) (strict : bool) (turned : bool) (by_lower : positive)
| RatioAtMost (s t : state) (v : num) (by_claims : positive * positive)
| RatioAtLeast (s t : state) (v : num) (turned : bool) (by_growth : option growth)
| RatioInfinite (s t : state) (least : option num) (turned : bool) (by_growth : growth)
| DeltaByEnds (s t : state) (bounds : list (bool * bool * num)) (by_visits : visits)    (** from above? strict? *)
| TradeOff (s t : state) (corners : list (num * num)) (by_visits : visits)
| DistanceAtMost (what : kind) (merged traces : bool) (s t : state) (v : num) (strict : bool)
| DistanceAtLeast (what : kind) (merged traces : bool) (s t : state) (v : num) (strict : bool)
| GuessBetween (ss : list state) (prior : list num) (gains : list (list num)) (lower : num) (upper : option num) (by_visits : visits).

(** What a guess gains, times how likely the secret is. *)
Definition weights (prior : list num) (gains : list (list num)) : list (list num) :=
  map (fun g => map (fun x => nmul (fst x) (snd x)) (combine g prior)) gains.
(** The labels of a listing, and that of states that are not in it. *)
Definition letters (l : listing) : list label := nodup Pos.eq_dec (1%positive :: map (fun e => place_label (snd e)) l).

Fixpoint weighed (w : list num) (xs : list num) : num :=
  match w, xs with c :: r, x :: ys => nadd (nmul c x) (weighed r ys) | _, _ => n0 end.
Fixpoint best_number (rows : list (list num)) (xs : list num) : option num :=
  match rows with
  | [] => None
  | [w] => Some (weighed w xs)
  | w :: r => match best_number r xs with
              | Some b => let x := weighed w xs in if nle b x then Some x else if nle x b then Some b else None
              | None => None
              end
  end.
(** What the best row at each end is worth, in all. *)
Fixpoint worth_of (rows : list (list num)) (es : list (num * list num)) : option num :=
  match es with
  | [] => Some n0
  | (h, xs) :: r => match best_number rows xs, worth_of rows r with Some b, Some t => Some (nadd (nmul h b) t) | _, _ => None end
  end.
Definition told_by_ends (es : list (num * list num)) (b : bool * bool * num) : bool :=
  let '(above, strict, v) := b in
  if above then ends_at_most alpha_u v strict (two_ends false es) && ends_at_most alpha_u v strict (two_ends true es)
  else ends_at_least alpha_l v strict (two_ends false es) || ends_at_least alpha_l v strict (two_ends true es).
Definition by_claim_in (alpha : num) (s t : state) (v : num) (strict : bool) (id : positive) : bool :=
  match M.find id upper_table with Some q => is_pair alpha s t (c_vec q) && compared strict (c_bound q) v | None => false end.
Definition by_value_in (alpha : num) (s t : state) (v : num) (strict : bool) (id : positive) : bool :=
  match M.find id lower_table with Some q => is_pair alpha s t (l_vec q) && compared strict v (l_bound q) | None => false end.

Definition word_mass_in (s : state) (l : word) : num := mass_along into s l.
(** With y = 0 the ratio is infinite, and has to be claimed so. *)
Definition ratio_by_in (v : num) (s t : state) (g : growth) : bool :=
  match g with
  | ByWord l => let x := word_mass_in s l in let y := word_mass_in t l in nlt n0 x && nlt n0 y && nle (nmul v y) x
  | ByPump _ _ _ => false
  | ByLimit prefix cycle reach l =>
      let x := along_word into s prefix in let y := along_word into t prefix in
      limit_ok into cycle reach x y l && nlt n0 (limit_of x l) && nlt n0 (limit_of y l) && nle (nmul v (limit_of y l)) (limit_of x l)
  end.
Definition infinite_by_in (d : option num) (s t : state) (g : growth) : bool :=
  match g, d with
  | ByWord l, _ => let x := word_mass_in s l in nlt n0 x && nle (word_mass_in t l) n0 && match d with Some d => nle d x | None => true end
  | ByPump prefix cycle p, None =>
      let x := along_word into s prefix in let y := along_word into t prefix in nonneg_entries x && nonneg_entries y && pump_ok into cycle x y p
  | ByLimit prefix cycle reach l, None =>
      let x := along_word into s prefix in let y := along_word into t prefix in
      limit_ok into cycle reach x y l && nlt n0 (limit_of x l) && neq (limit_of y l) n0
  | _, _ => false
  end.

Definition concluded_in (c : conclusion) : bool :=
  let b := block_of blocks in
  match c with
  | DeltaAtMost s t v strict None =>
      known from s && known from t && (compared strict n1 v || Pos.eqb (b s) (b t) && compared strict n0 v)
  | DeltaAtMost s t v strict (Some (i, j)) =>
      known from s && known from t && Pos.eqb (label_of into (b s)) (label_of into (b t))
      && by_claim_in alpha_u (b s) (b t) v strict i && by_claim_in alpha_u (b t) (b s) v strict j
  | DeltaAtLeast s t v strict turned i =>
      known from s && known from t &&
      (compared strict v n0
       || if Pos.eqb (label_of into (b s)) (label_of into (b t))
          then if turned then by_value_in alpha_l (b t) (b s) v strict i else by_value_in alpha_l (b s) (b t) v strict i
          else compared strict v n1)
  | RatioAtMost s t v (i, j) =>
      known from s && known from t && nle n1 v && Pos.eqb (label_of into (b s)) (label_of into (b t))
      && (Pos.eqb (b s) (b t) || by_claim_in v (b s) (b t) n0 false i && by_claim_in v (b t) (b s) n0 false j)
  | RatioAtLeast s t v turned None => known from s && known from t && nle v n1
  | RatioAtLeast s t v turned (Some g) =>
      known from s && known from t && (if turned then ratio_by_in v (b t) (b s) g else ratio_by_in v (b s) (b t) g)
  | RatioInfinite s t d turned g =>
      known from s && known from t && (if turned then infinite_by_in d (b t) (b s) g else infinite_by_in d (b s) (b t) g)
  | DeltaByEnds s t bounds ev =>
      known from s && known from t && visits_ok into into_inputs upper_table 2 (letters (source w)) (of_list (v_nodes ev)) (v_visits ev) (v_starts ev) [b s; b t]
      && forallb (told_by_ends (endings (of_list (v_nodes ev)) (v_visits ev))) bounds
  | TradeOff s t corners ev =>
      known from s && known from t && visits_ok into into_inputs upper_table 2 (letters (source w)) (of_list (v_nodes ev)) (v_visits ev) (v_starts ev) [b s; b t]
      && corners_ok corners (two_ends false (endings (of_list (v_nodes ev)) (v_visits ev)))
  | DistanceAtMost what merged traces s t v strict =>
      known from s && known from t
      && match chosen w with
         | Some d => is_kind (d_kind d) what && eqb traces (traces_of d)
             && (merged || match first w with [] => true | _ => false end)
             && if Pos.eqb (label_of into (b s)) (label_of into (b t)) then compared strict (most_of upper_table pairs (b s) (b t)) v else compared strict n1 v
         | None => false
         end
  | DistanceAtLeast what merged traces s t v strict =>
      known from s && known from t
      && match chosen w with
         | Some d => is_kind (d_kind d) what && eqb traces (traces_of d)
             && (merged || match first w with [] => true | _ => false end)
             && if Pos.eqb (label_of into (b s)) (label_of into (b t)) then compared strict v n0 || compared strict v (value_at prices (b s) (b t)) else compared strict v n1
         | None => false
         end
  | GuessBetween ss prior gains lower upper ev =>
      let rows := weights prior gains in let al := letters (source w) in let nodes := of_list (v_nodes ev) in
      forallb (known from) ss
      && visits_ok into into_inputs upper_table (length ss) al nodes (v_visits ev) (v_starts ev) (map b ss)
      && forallb (fun r => Nat.eqb (length r) (length ss)) rows && match rows with [] => false | _ => true end
      && match worth_of rows (endings nodes (v_visits ev)) with
         | Some v => nle lower v && match upper with Some u => nle v u | None => true end
         | None => false
         end
  end.

Definition states_of (c : conclusion) : list state :=
  match c with
  | DeltaAtMost s t _ _ _ | DeltaAtLeast s t _ _ _ _ | RatioAtMost s t _ _ | RatioAtLeast s t _ _ _ | RatioInfinite s t _ _ _ => [s; t]
  | DeltaByEnds s t _ _ | TradeOff s t _ _ | DistanceAtMost _ _ _ s t _ _ | DistanceAtLeast _ _ _ s t _ _ => [s; t]
  | GuessBetween ss _ _ _ _ _ => ss
  end.

End Tables.
Definition pairs_of (w : view) : M.t (M.t positive) := match chosen w with Some d => pair_table d | None => M.empty _ end.
Definition prices_of (w : view) : M.t (M.t nprice) := match chosen w with Some d => price_table d | None => M.empty _ end.
(** The view, and all that is concluded of it. *)
Definition all_proved (w : view) (alpha_u alpha_l : num) (cs : list conclusion) : bool :=
  let from := places (source w) in let into := places (target w) in let from_inputs := inputs (source w) in let into_inputs := inputs (target w) in
  let blocks := of_list (first w) in let upper_table := of_list (claims w) in let lower_table := of_list (lowers w) in
  let pairs := pairs_of w in let prices := prices_of w in
  view_ok_in w from into from_inputs into_inputs blocks upper_table lower_table alpha_u alpha_l
  && forallb (concluded_in w from into into_inputs blocks upper_table lower_table pairs prices alpha_u alpha_l) cs.

Section OneView.
Variable w : view.
Let from := places (source w).
Let into := places (target w).
Let from_inputs := inputs (source w).
Let into_inputs := inputs (target w).
Let blocks := of_list (first w).
Let upper_table := of_list (claims w).
Let lower_table := of_list (lowers w).
Variables alpha_u alpha_l : num.
Notation view_ok := (view_ok_in w from into from_inputs into_inputs blocks upper_table lower_table alpha_u alpha_l).
Notation by_claim := (by_claim_in upper_table).
Notation by_value := (by_value_in lower_table).
Notation word_mass := (word_mass_in into).
Notation ratio_by := (ratio_by_in into).
Notation infinite_by := (infinite_by_in into).
Notation concluded := (concluded_in w from into into_inputs blocks upper_table lower_table (pairs_of w) (prices_of w) alpha_u alpha_l).

(** ** What it means *)

Context {F : Type} {OF : OrderedField F} {V : Meaning N F}.
Add Field F_field' : f_field.

(** The chain of a listing. *)
Definition seen (l : listing) : chain F := chain_of (places l).

Definition is_large (d : option num) (g : F) : Prop := 0 < g /\ match d with Some d => value d <= g | None => True end.
(** One chain inside another: the states of [l] there, each with its label, and what its rows lead to. *)
Definition merged_into (l l' : listing) (g : state -> state) : Prop := forall i, known (places l) i = true ->
  known (places l') (g i) = true /\ lab (seen l') (g i) = lab (seen l) i /\ forall k f, dot (move (seen l) k i) (fun j => f (g j)) = dot (move (seen l') k (g i)) f.
(** Said of that chain; where nothing is merged, the states are the same ones, and what is there beside them no row of theirs leads to. *)
Definition of_merged (merged : bool) (l : listing) (said : chain F -> (state -> Prop) -> (state -> state) -> Prop) : Prop :=
  exists l' g, stochastic (seen l') /\ merged_into l l' g /\ (merged = false -> forall i, g i = i) /\ said (seen l') (fun i => known (places l') i = true) g.
Definition under (strict : bool) (a b : F) : Prop := if strict then a < b else a <= b.
Definition row_weights (prior : list num) (gains : list (list num)) : list ((nat -> F) -> F) := map row_value (map (map value) (weights prior gains)).
Definition delta_at_most (P : chain F) (alpha_u alpha_l : F) (s t : state) (strict : bool) (v : F) : Prop :=
  exists b, under strict b v /\ forall alpha, alpha_u <= alpha -> alpha <= alpha_l -> at_most P alpha s t b.
Definition delta_at_least (P : chain F) (alpha_u alpha_l : F) (s t : state) (strict : bool) (v : F) : Prop :=
  exists b, under strict v b /\ forall alpha, alpha_u <= alpha -> alpha <= alpha_l -> at_least P alpha s t b.
Definition holds_of (l : listing) (alpha_u alpha_l : F) (c : conclusion) : Prop :=
  let P := seen l in
  match c with
  | DeltaAtMost s t v strict _ => delta_at_most P alpha_u alpha_l s t strict (value v)
  | DeltaAtLeast s t v strict _ _ => delta_at_least P alpha_u alpha_l s t strict (value v)
  | DeltaByEnds s t bounds _ => forall above strict v, In (above, strict, v) bounds ->
      if above : bool then delta_at_most P alpha_u alpha_l s t strict (value v) else delta_at_least P alpha_u alpha_l s t strict (value v)
  | RatioAtMost s t v _ => forall alpha, value v <= alpha -> at_most P alpha s t 0
  | RatioAtLeast s t v _ _ => forall alpha, alpha < value v -> exists E, 0 < gain P alpha E s t \/ 0 < gain P alpha E t s
  | RatioInfinite s t d _ _ => forall alpha, exists E, is_large d (gain P alpha E s t) \/ is_large d (gain P alpha E t s)
  | TradeOff s t corners _ => forall la mu, 0 <= la -> 0 <= mu ->
      let errors E := la * prob P (E (lab P s)) s + mu * (1 - prob P (E (lab P t)) t) in
      let at_corner c := la * value (fst c) + mu * value (snd c) in
      (forall E, exists c, In c corners /\ at_corner c <= errors E)
      /\ forall c, In c corners -> forall eta, 0 < eta -> exists E, errors E <= at_corner c + eta
  | DistanceAtMost what merged traces s t v strict => of_merged merged l (fun T inside g =>
      exists b, under strict b (value v) /\ distance_at_most T inside alpha_u what traces (g s) (g t) b)
  | DistanceAtLeast what merged traces s t v strict => of_merged merged l (fun T inside g =>
      exists b, under strict (value v) b /\ distance_at_least T inside alpha_u what traces (g s) (g t) b)
  | GuessBetween ss prior gains lower upper _ => exists v, value lower <= v /\ match upper with Some u => v <= value u | None => True end
      /\ (forall plan, total_worth (letters l) (row_weights prior gains) (first_runs P ss) plan <= v)
      /\ forall eta, 0 < eta -> exists plan, v - eta <= total_worth (letters l) (row_weights prior gains) (first_runs P ss) plan
  end.

Hypothesis ok : view_ok = true.

Lemma ok_parts : (1 <= value alpha_u /\ value alpha_u <= value alpha_l)
  /\ (forall i p, M.find i from = Some p -> place_ok from from_inputs (i, p) = true)
  /\ (forall i p, M.find i into = Some p -> place_ok into into_inputs (i, p) = true)
  /\ (forall i p, M.find i from = Some p -> morph_ok from into blocks (i, p) = true)
  /\ (forall l q, M.find l upper_table = Some q -> claim_ok into into_inputs upper_table (l, q) = true)
  /\ (forall l q, M.find l lower_table = Some q -> lower_ok into upper_table lower_table (l, q) = true)
  /\ (forall d, chosen w = Some d -> value alpha_u = value alpha_l /\ distances_ok into into_inputs upper_table alpha_u d = true).
Proof.
  pose proof ok as H. unfold view_ok_in in H. apply andb_prop in H. destruct H as [H Ch]. repeat (apply andb_prop in H; destruct H as [H ?]).
  split; [split; [rewrite <- value_1|]; apply nle_le; assumption|].
  split; [intros i p E; apply (all_of_list (place_ok from from_inputs) (source w)); assumption|].
  split; [intros i p E; apply (all_of_list (place_ok into into_inputs) (target w)); assumption|].
  split; [intros i p E; apply (all_of_list (morph_ok from into blocks) (source w)); assumption|].
  split; [intros i p E; apply (all_of_list (claim_ok into into_inputs upper_table) (claims w)); assumption|].
  split; [intros i p E; apply (all_of_list (lower_ok into upper_table lower_table) (lowers w)); assumption|].
  intros d E. rewrite E in Ch. apply andb_prop in Ch. destruct Ch as [A B]. split; [apply neq_eq, A | exact B].
Qed.

Lemma source_stays k j (e : state * F) : known from j = true -> In e (move (seen (source w)) k j) -> known from (fst e) = true.
Proof. destruct ok_parts as (_ & Pf & _). apply (stays_inside from from_inputs Pf). Qed.
Lemma source_merged : merged_into (source w) (target w) (block_of blocks).
Proof.
  destruct ok_parts as (_ & _ & _ & Mo & _). intros j D. change (known from j = true) in D. unfold known in D.
  destruct (M.find j from) as [p|] eqn:E'; [|discriminate]. pose proof (Mo j p E') as H. unfold morph_ok in H. cbn [fst snd] in H.
  split; [unfold known; fold into; destruct (M.find (block_of blocks j) into); [reflexivity | discriminate]|].
  split; [simpl; fold from; fold into; unfold label_of; rewrite E'; destruct (M.find (block_of blocks j) into) as [p'|]; [|discriminate];
        repeat (apply andb_prop in H; destruct H as [H ?]); apply Pos.eqb_eq, H|].
  intros k f. simpl. fold from. fold into. unfold row. rewrite E'.
  destruct (M.find (block_of blocks j) into) as [p'|]; [|discriminate]. apply andb_prop in H. destruct H as [H Rows].
  apply andb_prop in H. destruct H as [H Ne]. apply andb_prop in H. destruct H as [_ Keys]. apply same_keys_eq in Keys.
  rewrite forallb_forall in Rows.
  assert (Same : forall k r, In (k, r) (place_rows p) -> dot (vals r) (fun i => f (block_of blocks i)) = dot (vals (row_of p' k (block_of blocks j))) f).
  { intros k' r Ir. pose proof (vanishes_dot _ f (Rows _ Ir)) as Z. cbn [fst snd] in Z. rewrite vals_app, dot_app, nminus_dot in Z.
    set (b := block_of blocks j) in *. set (d := dot (vals (row_of p' k' b)) f) in *.
    assert (M' : dot (vals (map (fun x => (block_of blocks (fst x), snd x)) r)) f = dot (vals r) (fun i => f (block_of blocks i))).
    { clear. induction r as [|[i v] r IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. }
    rewrite <- M'. set (m := dot (vals (map _ r)) f) in *. transitivity (m + - d + d); [ring | rewrite Z; ring]. }
  unfold row_of at 1. destruct (assoc k (place_rows p)) as [r|] eqn:A; [apply Same, assoc_in, A|].
  destruct (place_rows p) as [|[k0 r0] rs] eqn:Rp; [discriminate|]. rewrite (Same k0 r0 (or_introl eq_refl)).
  apply assoc_none in A. unfold row_of.
  assert (A' : assoc k (place_rows p') = None) by (apply assoc_none; intros I; apply A; assert (I' : In k (map fst (place_rows p'))) by exact I; rewrite <- Keys in I'; exact I'). rewrite A'.
  destruct (place_rows p') as [|[k1 r1] rs']; [discriminate Keys|]. simpl in Keys. inversion Keys; subst. simpl. rewrite Pos.eqb_refl. reflexivity.
Qed.
Lemma prob_of_block E i : known from i = true -> prob (seen (source w)) E i = prob (seen (target w)) E (block_of blocks i).
Proof.
  apply (prob_kept (seen (source w)) (seen (target w)) (block_of blocks) (fun i => known from i = true)).
  - apply source_stays.
  - intros j D. apply (source_merged j D).
  - intros k j f D. apply (source_merged j D).
Qed.
Lemma label_of_block i : known from i = true -> lab (seen (source w)) i = lab (seen (target w)) (block_of blocks i).
Proof. intros D. symmetry. apply (source_merged i D). Qed.
Lemma target_stochastic : stochastic (seen (target w)).
Proof. destruct ok_parts as (_ & _ & Pi & _). apply (chain_stochastic into into_inputs Pi). Qed.

Definition block_gain (alpha : F) (E : label -> event) (s t : state) : F := gain (seen (target w)) alpha E s t.
Lemma gain_of_block alpha E s t : known from s = true -> known from t = true ->
  gain (seen (source w)) alpha E s t = gain (seen (target w)) alpha E (block_of blocks s) (block_of blocks t).
Proof. intros S T. unfold gain. rewrite !prob_of_block, !label_of_block by assumption. reflexivity. Qed.

Notation T := (seen (target w)).
Lemma range E i : 0 <= prob T E i /\ prob T E i <= 1. Proof. apply prob_range, target_stochastic. Qed.
Lemma gain_le_1 alpha E s t : 0 <= alpha -> gain T alpha E s t <= 1.
Proof.
  intros A. unfold gain. set (p := prob T (E (lab T s)) s). set (q := prob T (E (lab T t)) t).
  apply (fle_by ((1 - p) + alpha * q)); [|ring]. apply fle_add0; [apply fle_sub_inv, range | apply fle_mul; [exact A | apply range]].
Qed.
Lemma gain_falls a a' E s t : a <= a' -> gain T a' E s t <= gain T a E s t.
Proof.
  intros A. unfold gain. set (p := prob T (E (lab T s)) s). set (q := prob T (E (lab T t)) t).
  apply (fle_by ((a' - a) * q)); [|ring]. apply fle_mul; [apply fle_sub_inv, A | apply range].
Qed.

Lemma by_claim_gain alpha s t v strict id : by_claim alpha s t v strict id = true -> lab T s = lab T t ->
  exists b, (if strict then b < value v else b <= value v) /\ forall a E, value alpha <= a -> gain T a E s t <= b.
Proof.
  unfold by_claim_in. destruct (M.find id upper_table) as [q|] eqn:Q; [|discriminate]. intros H L. apply andb_prop in H. destruct H as [H C].
  exists (value (c_bound q)). split; [destruct strict; [apply nlt_lt, C | apply nle_le, C]|]. intros a E A.
  eapply fle_trans; [apply gain_falls, A|]. unfold gain. rewrite L.
  destruct ok_parts as (_ & _ & Pi & _ & Cl & _).
  pose proof (accepted into into_inputs upper_table Pi Cl id q Q (E (lab T t))) as B. rewrite (pair_dot _ _ _ _ _ H) in B. exact B.
Qed.
Lemma by_value_gain alpha s t v strict id : by_value alpha s t v strict id = true -> lab T s = lab T t ->
  exists b, (if strict then value v < b else value v <= b) /\ forall a eta, a <= value alpha -> 0 < eta -> exists E, b - eta <= gain T a E s t.
Proof.
  unfold by_value_in. destruct (M.find id lower_table) as [q|] eqn:Q; [|discriminate]. intros H L. apply andb_prop in H. destruct H as [H C].
  exists (value (l_bound q)). split; [destruct strict; [apply nlt_lt, C | apply nle_le, C]|]. intros a eta A Eta.
  destruct ok_parts as (_ & _ & Pi & _ & Cl & Lo & _).
  destruct (accepted_lower into into_inputs upper_table lower_table Pi Cl (map fst (lowers w))) with (l := id) (q := q) (eta := eta) as [E HE]; auto.
  { intros l q' I. apply of_list_in in I. apply (in_map fst) in I. exact I. }
  exists (fun _ => E). eapply fle_trans; [|apply gain_falls, A]. unfold gain. rewrite (pair_dot _ _ _ _ _ H) in HE. exact HE.
Qed.

(** *** Words *)

Definition says (l : word) (b : label) : event := if Pos.eqb b (fst l) then shows (snd l) else Verdict false.
(** A word, and then n rounds of a cycle. *)
Definition rounds_after (prefix : word) (cycle : list (input * label)) (n : nat) : word := (fst prefix, snd prefix ++ repeated n cycle).
Lemma rounds_value s prefix cycle n : prob T (says (rounds_after prefix cycle n) (lab T s)) s = dot (vals (along_word into s prefix)) (u into cycle n).
Proof.
  unfold along_word, start, says, rounds_after. cbn [fst snd]. rewrite (follow_dot into). simpl lab. fold into.
  destruct (Pos.eqb (label_of into s) (fst prefix)); simpl; [|reflexivity]. rewrite value_1. unfold seen. fold into.
  rewrite (along_shows into). rewrite (along_ext into (snd prefix) _ (u into cycle n)) by (intros; apply u_shows). ring.
Qed.
Lemma rounds_gain a s t prefix cycle n : gain T a (says (rounds_after prefix cycle n)) s t
  = dot (vals (along_word into s prefix)) (u into cycle n) - a * dot (vals (along_word into t prefix)) (u into cycle n).
Proof. unfold gain. rewrite !rounds_value. reflexivity. Qed.
Lemma says_nothing l b : says (rounds_after l [] 0) b = says l b.
Proof. unfold says, rounds_after. simpl. rewrite app_nil_r. reflexivity. Qed.
Lemma mass_along_value s l : value (word_mass s l) = prob T (says l (lab T s)) s.
Proof. rewrite <- says_nothing, rounds_value. simpl. unfold word_mass_in, mass_along. apply total_value. Qed.
Lemma word_gain a s t l : gain T a (says l) s t = value (word_mass s l) - a * value (word_mass t l).
Proof. unfold gain. rewrite !mass_along_value. reflexivity. Qed.
Lemma mass_along_nonneg s l : 0 <= value (word_mass s l). Proof. rewrite mass_along_value. apply range. Qed.
(** Over a ratio that is not reached there is room. *)
Lemma room x y v a : 0 < x -> 0 <= y -> v * y <= x -> a < v -> a * y < x.
Proof.
  intros X Z Y A. apply flt_sub. apply flt_sub_inv in A. split.
  - apply (fle_by ((x - v * y) + (v - a) * y)); [|ring]. apply fle_add0; [apply fle_sub_inv, Y | apply fle_mul; [apply flt_fle, A | exact Z]].
  - intros E. assert (Zy : y = 0).
    { apply fle_antisym; [|exact Z]. apply (fle_cancel (v - a)); [exact A|]. replace ((v - a) * 0) with (x - a * y) by (rewrite <- E; ring).
      apply (fle_by (x - v * y)); [apply fle_sub_inv, Y | ring]. }
    rewrite Zy in E. apply (flt_neq _ X). transitivity (x - a * 0); [ring | symmetry; exact E].
Qed.
Lemma ratio_by_gain v s t g a : ratio_by v s t g = true -> a < value v -> exists E, 0 < gain T a E s t.
Proof.
  destruct ok_parts as (_ & _ & Pi & _). destruct g as [l|prefix cycle p|prefix cycle reach l]; simpl; intros H A; [|discriminate|].
  - apply andb_prop in H. destruct H as [H Y]. apply andb_prop in H. destruct H as [X _]. exists (says l). rewrite word_gain.
    apply flt_sub_inv. apply nlt_0 in X. apply nle_le in Y. rewrite value_mul in Y. apply (room _ _ (value v)); auto. apply mass_along_nonneg.
  - apply andb_prop in H. destruct H as [H R]. apply andb_prop in H. destruct H as [H Y0]. apply andb_prop in H. destruct H as [L X0].
    apply nlt_0 in X0, Y0. apply nle_le in R. rewrite value_mul in R.
    destruct (limit_comes into cycle reach _ _ l a L) as [n Hn]; [apply (room _ _ (value v)); auto; apply flt_fle, Y0|].
    exists (says (rounds_after prefix cycle n)). rewrite rounds_gain. apply flt_sub_inv, Hn.
Qed.
Lemma infinite_by_gain d s t g a : infinite_by d s t g = true -> exists E, is_large d (gain T a E s t).
Proof.
  destruct ok_parts as (_ & _ & Pi & _). destruct g as [l|prefix cycle p|prefix cycle reach l]; simpl; intros H.
  - apply andb_prop in H. destruct H as [H Z]. apply andb_prop in H. destruct H as [X Y]. exists (says l). unfold is_large. rewrite word_gain.
    apply nlt_0 in X. apply nle_0' in Y. assert (value (word_mass t l) = 0) as -> by (apply fle_antisym; [exact Y | apply mass_along_nonneg]).
    replace (value (word_mass s l) - a * 0) with (value (word_mass s l)) by ring. split; [exact X|]. destruct d as [d|]; [apply nle_le, Z | exact Logic.I].
  - destruct d; [discriminate|]. apply andb_prop in H. destruct H as [H Pu]. apply andb_prop in H. destruct H as [Xn Yn].
    destruct (pump_grows into into_inputs cycle Pi _ _ p a Xn Yn Pu) as [n Hn]. exists (says (rounds_after prefix cycle n)). split; [|exact Logic.I].
    rewrite rounds_gain. apply flt_sub_inv, Hn.
  - destruct d; [discriminate|]. apply andb_prop in H. destruct H as [H Y0]. apply andb_prop in H. destruct H as [L X0].
    apply nlt_0 in X0. apply neq_eq in Y0. rewrite value_0 in Y0.
    destruct (limit_comes into cycle reach _ _ l a L) as [n Hn]; [rewrite Y0; replace (a * 0) with 0 by ring; exact X0|].
    exists (says (rounds_after prefix cycle n)). split; [|exact Logic.I]. rewrite rounds_gain. apply flt_sub_inv, Hn.
Qed.

Lemma fle_weak strict a b : compared strict a b = true -> under strict (value a) (value b).
Proof. apply compared_spec. Qed.

(** *** Where runs end *)

Lemma weighed_value xs : forall r, length r = length xs -> forall j m, (forall i, (i < length xs)%nat -> m (j + i)%nat = value (nth i xs n0)) ->
  value (weighed r xs) = weighed_at (map value r) j m.
Proof.
  induction xs as [|x xs IH]; intros [|c r] L j m H; simpl in *; try discriminate; [apply value_0|].
  rewrite value_add, value_mul. rewrite (IH r) with (j := S j) (m := m); [|lia|].
  - pose proof (H 0%nat ltac:(lia)) as H0. rewrite Nat.add_0_r in H0. rewrite H0. reflexivity.
  - intros i Hi. rewrite Nat.add_succ_comm. apply (H (S i)). lia.
Qed.
Lemma best_number_spec rows xs b : rows <> [] -> (forall r, In r rows -> length r = length xs) -> best_number rows xs = Some b ->
  value b = highest (map (map value) rows) (fun j => value (nth j xs n0)).
Proof.
  intros Ne Le H.
  assert (G : forall rows b, rows <> [] -> (forall r, In r rows -> length r = length xs) -> best_number rows xs = Some b ->
    (forall r, In r rows -> row_value (map value r) (fun j => value (nth j xs n0)) <= value b) /\ exists r, In r rows /\ value b = row_value (map value r) (fun j => value (nth j xs n0))).
  { clear. induction rows as [|r rows IH]; intros b Ne Le H; [congruence|].
    assert (Wr : value (weighed r xs) = row_value (map value r) (fun j => value (nth j xs n0))) by (apply weighed_value; [apply Le; left; reflexivity | reflexivity]).
    destruct rows as [|r' rows]; [simpl in H; inversion H; subst; split; [intros x [<-|[]]; apply fle_eq; symmetry; exact Wr | exists r; split; [left; reflexivity | exact Wr]]|].
    change (best_number (r :: r' :: rows) xs) with (match best_number (r' :: rows) xs with
      | Some b => let x := weighed r xs in if nle b x then Some x else if nle x b then Some b else None | None => None end) in H.
    destruct (best_number (r' :: rows) xs) as [b'|]; [|discriminate]. destruct (IH b' ltac:(discriminate) ltac:(intros; apply Le; right; assumption) eq_refl) as (Up & y & Iy & Ey).
    cbv zeta in H. destruct (nle b' (weighed r xs)) eqn:L; [|destruct (nle (weighed r xs) b') eqn:L'; [|discriminate]]; inversion H; subst b.
    - apply nle_le in L. split; [|exists r; split; [left; reflexivity | exact Wr]]. intros x [<-|Ix]; [apply fle_eq; symmetry; exact Wr | eapply fle_trans; [apply Up, Ix | exact L]].
    - apply nle_le in L'. split; [|exists y; split; [right; exact Iy | exact Ey]]. intros x [<-|Ix]; [rewrite <- Wr; exact L' | apply Up, Ix]. }
  destruct (G rows b Ne Le H) as (Up & r & Ir & Er). apply fle_antisym.
  - rewrite Er. apply highest_ge, in_map, Ir.
  - destruct (highest_is (map (map value) rows) ltac:(intros X; apply map_eq_nil in X; contradiction) (fun j => value (nth j xs n0))) as (x & Ix & ->).
    apply in_map_iff in Ix. destruct Ix as (r' & <- & Ir'). apply Up, Ir'.
Qed.
Lemma worth_of_spec rows es v : rows <> [] -> (forall r e, In r rows -> In e es -> length r = length (snd e)) -> worth_of rows es = Some v ->
  value v = sum (fun e => value (fst e) * highest (map (map value) rows) (fun j => value (nth j (snd e) n0))) es.
Proof.
  intros Ne. revert v. induction es as [|[h xs] es IH]; intros v Le H; simpl in H; [inversion H; apply value_0|].
  destruct (best_number rows xs) as [b|] eqn:B; [|discriminate]. destruct (worth_of rows es) as [t|]; [|discriminate]. inversion H; subst v.
  rewrite value_add, value_mul, (IH t) by (auto; intros; apply Le; auto; right; assumption). simpl. f_equal. f_equal.
  apply (best_number_spec rows xs b Ne); [intros; apply (Le r (h, xs)); [assumption | left; reflexivity] | exact B].
Qed.

(** Any two weights of two runs, at their best event. *)
Lemma tests_best s t ev c0 c1 : known from s = true -> known from t = true ->
  visits_ok into into_inputs upper_table 2 (letters (source w)) (of_list (v_nodes ev)) (v_visits ev) (v_starts ev) [block_of blocks s; block_of blocks t] = true ->
  let es := two_ends false (endings (of_list (v_nodes ev)) (v_visits ev)) in
  Forall nonneg_end es /\ (forall E, tested (seen (source w)) c0 c1 s t E <= support c0 c1 es)
  /\ forall eta, 0 < eta -> exists E, support c0 c1 es - eta <= tested (seen (source w)) c0 c1 s t E.
Proof.
  intros Ks Kt Vo. destruct ok_parts as (_ & Pf & Pi & _ & Cl & _). set (al := letters (source w)) in *. set (nodes := of_list (v_nodes ev)) in *.
  assert (Nd : NoDup al) by apply NoDup_nodup.
  assert (Seen : forall i, In (lab (seen (source w)) i) al).
  { intros i. apply nodup_In. simpl. unfold label_of. destruct (M.find i (places (source w))) as [p|] eqn:E; [|left; reflexivity]. right.
    apply of_list_in in E. apply (in_map (fun e => place_label (snd e))) in E. exact E. }
  set (rows := [[c0; c1]; [0; 0]]).
  assert (Fit : forall r, In r rows -> length r = 2%nat) by (intros r [<-|[<-|[]]]; reflexivity).
  assert (Ne : rows <> []) by discriminate.
  assert (Rows : row_values rows = both_rows c0 c1) by reflexivity.
  destruct (visits_exact into into_inputs upper_table 2 al nodes (v_visits ev) (v_starts ev) _ Pi Cl Nd Vo rows Ne Fit) as [Above Below].
  pose proof (endings_nonneg into into_inputs upper_table 2 al nodes (v_visits ev) (v_starts ev) _ Vo) as Nn.
  assert (Same : forall plan, total_worth al (row_values rows) (first_of into [block_of blocks s; block_of blocks t]) plan
    = tested (seen (source w)) c0 c1 s t (fun a => event_of (plan a))).
  { intros plan. rewrite <- (total_tested (seen (source w)) al Nd Seen). unfold total_worth. apply sum_ext. intros a _. rewrite Rows. apply worth_ext.
    - intros r m m' H. unfold row_worth, both_rows. destruct r as [|[|[|r]]]; simpl; unfold row_value; simpl; rewrite !H; reflexivity.
    - intros E j. unfold first_of, first_runs. destruct j as [|[|j]]; simpl nth_error; cbv iota beta.
      + rewrite (label_of_block s Ks), (prob_of_block E s Ks). reflexivity.
      + rewrite (label_of_block t Kt), (prob_of_block E t Kt). reflexivity.
      + destruct j; reflexivity. }
  assert (Value : ends_value nodes (v_visits ev) rows = support c0 c1 (two_ends false (endings nodes (v_visits ev)))).
  { unfold ends_value, support, two_ends. rewrite sum_map. apply sum_ext. intros e _. unfold best_of. cbn [fst snd]. f_equal.
    unfold highest, rows. simpl. unfold row_value. simpl. set (m0 := value (nth 0 (snd e) n0)). set (m1 := value (nth 1 (snd e) n0)). apply fle_antisym; apply fmax_le.
    - eapply fle_trans; [|apply fmax_r]. apply fle_eq. ring.
    - eapply fle_trans; [|apply fmax_l]. apply fle_eq. ring.
    - eapply fle_trans; [|apply fmax_r]. apply fle_eq. ring.
    - eapply fle_trans; [|apply fmax_l]. apply fle_eq. ring. }
  cbv zeta. split; [|split].
  - unfold two_ends. apply Forall_forall. intros e Ie. apply in_map_iff in Ie. destruct Ie as (x & <- & Ix). destruct (Nn x Ix) as [A B]. repeat split; cbn [fst snd]; auto.
  - intros E. rewrite <- (tested_back (seen (source w)) c0 c1 s t E), <- Same, <- Value. apply Above.
  - intros eta Eta. destruct (Below eta Eta) as [plan Hp]. exists (fun a => event_of (plan a)). rewrite <- Same, <- Value. exact Hp.
Qed.
Lemma tested_gain P alpha E s t : tested P 1 (- alpha) s t E = gain P alpha E s t.
Proof. unfold tested, gain. ring. Qed.
Lemma tested_turned P alpha E s t : tested P (- alpha) 1 s t E = gain P alpha E t s.
Proof. unfold tested, gain. ring. Qed.
Lemma support_turned alpha es : support (- alpha) 1 (two_ends false es) = support 1 (- alpha) (two_ends true es).
Proof. unfold support, two_ends. rewrite !sum_map. apply sum_ext. intros e _. unfold best_of. cbn [fst snd]. f_equal. f_equal. ring. Qed.
Lemma turned_nonneg es : Forall nonneg_end (two_ends false es) -> Forall nonneg_end (two_ends true es).
Proof.
  unfold two_ends. rewrite !Forall_map. apply Forall_impl. intros e (A & B & C). repeat split; assumption.
Qed.
Lemma gain_falls_source a a' E s t : known from s = true -> known from t = true -> a <= a' -> gain (seen (source w)) a' E s t <= gain (seen (source w)) a E s t.
Proof. intros Ks Kt L. rewrite !gain_of_block by assumption. apply gain_falls, L. Qed.

Theorem conclusions_hold c : concluded c = true -> holds_of (source w) (value alpha_u) (value alpha_l) c.
Proof.
  destruct ok_parts as ((A1 & A2) & _). assert (A0 : 0 <= value alpha_u) by (eapply fle_trans; [apply fle_01 | exact A1]).
  assert (Same : forall a E s, 1 <= a -> gain T a E s s <= 0).
  { intros a E s L. unfold gain. set (p := prob T (E (lab T s)) s). apply (fle_by ((a - 1) * p)); [|ring]. apply fle_mul; [apply fle_sub_inv, L | apply range]. }
  destruct c as [s t v strict ids|s t v strict turned i|s t v [i j]|s t v turned l|s t d turned l|s t bounds ev|s t corners ev|what merged traces s t v strict|what merged traces s t v strict|ss prior gains lower upper ev]; simpl; intros H.
  - assert (K : known from s = true /\ known from t = true).
    { destruct ids as [[i j]|]; repeat (apply andb_prop in H; destruct H as [H ?]); auto. }
    destruct K as [Ks Kt]. set (s' := block_of blocks s) in *. set (t' := block_of blocks t) in *.
    assert (G : exists b, (if strict then b < value v else b <= value v) /\
      forall a E, value alpha_u <= a -> gain T a E s' t' <= b /\ gain T a E t' s' <= b).
    { destruct ids as [[i j]|].
      - apply andb_prop in H. destruct H as [H C']. apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [_ La].
        apply Pos.eqb_eq in La. destruct (by_claim_gain _ _ _ _ _ _ C La) as (b & B & G).
        destruct (by_claim_gain _ _ _ _ _ _ C' (eq_sym La)) as (b' & B' & G').
        destruct (fle_total b b') as [L|L]; [exists b' | exists b]; (split; [assumption|]); intros a E A; split; auto;
          (eapply fle_trans; [|exact L]); auto.
      - apply andb_prop in H. destruct H as [_ C]. apply orb_prop in C. destruct C as [C|C].
        + exists 1. split; [rewrite <- value_1; apply fle_weak, C|]. intros a E A. assert (0 <= a) by (eapply fle_trans; eassumption).
          split; apply gain_le_1; assumption.
        + apply andb_prop in C. destruct C as [E C]. apply Pos.eqb_eq in E. exists 0. split; [rewrite <- value_0; apply fle_weak, C|].
          intros a Ev A. rewrite E. assert (1 <= a) by (eapply fle_trans; eassumption). split; apply Same; assumption. }
    destruct G as (b & B & G). exists b. split; [exact B|]. intros a A _ E. rewrite !gain_of_block by assumption. apply G, A.
  - apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [Ks Kt].
    set (s' := block_of blocks s) in *. set (t' := block_of blocks t) in *.
    assert (G : exists b, (if strict then value v < b else value v <= b) /\
      forall a eta, a <= value alpha_l -> 0 < eta -> exists E, b - eta <= gain T a E s' t' \/ b - eta <= gain T a E t' s').
    { apply orb_prop in C. destruct C as [C|C].
      - exists 0. split; [rewrite <- value_0; apply fle_weak, C|]. intros a eta _ Eta. exists (fun _ => Verdict false). left. unfold gain. simpl.
        apply (fle_by eta); [apply flt_fle, Eta | ring].
      - destruct (Pos.eqb_spec (label_of into s') (label_of into t')) as [La|La].
        + destruct turned.
          * destruct (by_value_gain _ _ _ _ _ _ C (eq_sym La)) as (b & B & G). exists b. split; [exact B|]. intros a eta A Eta.
            destruct (G a eta A Eta) as [E HE]. exists E. right. exact HE.
          * destruct (by_value_gain _ _ _ _ _ _ C La) as (b & B & G). exists b. split; [exact B|]. intros a eta A Eta.
            destruct (G a eta A Eta) as [E HE]. exists E. left. exact HE.
        + exists 1. split; [rewrite <- value_1; apply fle_weak, C|]. intros a eta _ Eta. exists (fun x => Verdict (Pos.eqb x (label_of into s'))). left.
          unfold gain. simpl. fold into. rewrite Pos.eqb_refl. destruct (Pos.eqb_spec (label_of into t') (label_of into s')) as [E|_]; [congruence|].
          apply (fle_by eta); [apply flt_fle, Eta | ring]. }
    destruct G as (b & B & G). exists b. split; [exact B|]. intros a _ A eta Eta. destruct (G a eta A Eta) as [E HE]. exists E.
    rewrite !gain_of_block by assumption. exact HE.
  - repeat (apply andb_prop in H; destruct H as [H ?]). rename H into Ks. intros a A E. rewrite !gain_of_block by assumption.
    set (s' := block_of blocks s) in *. set (t' := block_of blocks t) in *.
    match goal with X : nle n1 v = true |- _ => apply nle_le in X; rewrite value_1 in X; rename X into V1 end.
    match goal with X : Pos.eqb (label_of _ _) _ = true |- _ => apply Pos.eqb_eq in X; rename X into La end.
    match goal with X : _ || _ = true |- _ => apply orb_prop in X; destruct X as [X|X]; rename X into C end.
    + apply Pos.eqb_eq in C. rewrite C. assert (1 <= a) by (eapply fle_trans; eassumption). split; apply Same; assumption.
    + apply andb_prop in C. destruct C as [C C']. destruct (by_claim_gain _ _ _ _ _ _ C La) as (b & B & G).
      destruct (by_claim_gain _ _ _ _ _ _ C' (eq_sym La)) as (b' & B' & G'). rewrite value_0 in B, B'.
      split; [eapply fle_trans; [apply G, A | exact B] | eapply fle_trans; [apply G', A | exact B']].
  - assert (K : known from s = true /\ known from t = true) by (destruct l; repeat (apply andb_prop in H; destruct H as [H ?]); auto).
    destruct K as [Ks Kt]. intros a A. destruct l as [g|]; apply andb_prop in H; destruct H as [_ C].
    + destruct turned; destruct (ratio_by_gain _ _ _ _ _ C A) as [E HE]; exists E; [right | left]; rewrite gain_of_block by assumption; exact HE.
    + exists (fun _ => Verdict true). left. unfold gain. simpl. apply nle_le in C. rewrite value_1 in C.
      replace (1 - a * 1) with (1 - a) by ring. apply flt_sub_inv. eapply flt_fle_trans; eassumption.
  - apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [Ks Kt]. intros a.
    destruct turned; destruct (infinite_by_gain _ _ _ _ a C) as [E HE]; exists E; [right | left]; rewrite gain_of_block by assumption; exact HE.
  - apply andb_prop in H. destruct H as [H Bo]. apply andb_prop in H. destruct H as [H Vo]. apply andb_prop in H. destruct H as [Ks Kt].
    intros above strict v Ib. rewrite forallb_forall in Bo. specialize (Bo _ Ib). unfold told_by_ends in Bo. set (es := endings (of_list (v_nodes ev)) (v_visits ev)) in *.
    destruct above.
    + apply andb_prop in Bo. destruct Bo as [B1 B2].
      destruct (tests_best s t ev 1 (- value alpha_u) Ks Kt Vo) as (Nn & Up & _). destruct (tests_best s t ev (- value alpha_u) 1 Ks Kt Vo) as (_ & Up' & _). fold es in Nn, Up, Up'.
      apply (ends_at_most_spec alpha_u v strict _ Nn) in B1. apply (ends_at_most_spec alpha_u v strict _ (turned_nonneg es Nn)) in B2.
      exists (fmax (support 1 (- value alpha_u) (two_ends false es)) (support 1 (- value alpha_u) (two_ends true es))). split.
      * unfold under, fmax. destruct (fle_dec _ _); assumption.
      * intros a A _ E. split.
        -- eapply fle_trans; [apply gain_falls_source; [exact Ks | exact Kt | exact A]|]. rewrite <- tested_gain. eapply fle_trans; [apply Up | apply fmax_l].
        -- eapply fle_trans; [apply gain_falls_source; [exact Kt | exact Ks | exact A]|]. rewrite <- tested_turned. eapply fle_trans; [apply Up'|]. rewrite support_turned. apply fmax_r.
    + destruct (tests_best s t ev 1 (- value alpha_l) Ks Kt Vo) as (Nn & _ & Lo). destruct (tests_best s t ev (- value alpha_l) 1 Ks Kt Vo) as (_ & _ & Lo'). fold es in Nn, Lo, Lo'.
      apply orb_prop in Bo. destruct Bo as [B|B].
      * apply (ends_at_least_spec alpha_l v strict _ Nn) in B. exists (support 1 (- value alpha_l) (two_ends false es)). split; [exact B|].
        intros a _ A eta Eta. destruct (Lo eta Eta) as [E HE]. exists E. left. rewrite tested_gain in HE. eapply fle_trans; [exact HE | apply gain_falls_source; assumption].
      * apply (ends_at_least_spec alpha_l v strict _ (turned_nonneg es Nn)) in B. exists (support 1 (- value alpha_l) (two_ends true es)). split; [exact B|].
        intros a _ A eta Eta. destruct (Lo' eta Eta) as [E HE]. exists E. right. rewrite tested_turned, support_turned in HE. eapply fle_trans; [exact HE | apply gain_falls_source; assumption].
  - apply andb_prop in H. destruct H as [H Co]. apply andb_prop in H. destruct H as [H Vo]. apply andb_prop in H. destruct H as [Ks Kt]. intros la mu La Mu.
    destruct (tests_best s t ev (- la) mu Ks Kt Vo) as (Nn & Up & Lo). set (es := two_ends false _) in *.
    destruct (corners_spec la mu La Mu corners es Nn Co) as ((c & Ic & Ec) & Above). unfold worth_at in Ec, Above.
    assert (Er : forall E, la * prob (seen (source w)) (E (lab (seen (source w)) s)) s + mu * (1 - prob (seen (source w)) (E (lab (seen (source w)) t)) t)
      = mu - tested (seen (source w)) (- la) mu s t E) by (intros; unfold tested; ring).
    split.
    + intros E. exists c. split; [exact Ic|]. cbv zeta. simpl in Er. rewrite Er, Ec. specialize (Up E). apply (fle_by (support (- la) mu es - tested (seen (source w)) (- la) mu s t E)); [apply fle_sub_inv, Up | ring].
    + intros x Ix eta Eta. destruct (Lo eta Eta) as [E HE]. exists E. cbv zeta. simpl in Er. rewrite Er. specialize (Above x Ix).
      set (m := mu - support (- la) mu es) in *. set (v := tested _ _ _ _ _ _) in *. set (y := la * value (fst x) + mu * value (snd x)) in *. set (sp := support _ _ _) in *.
      apply (fle_by ((y - m) + (v - (sp - eta)))); [apply fle_add0; apply fle_sub_inv; assumption | unfold m; ring].
  - apply andb_prop in H. destruct H as [Ks H]. apply andb_prop in Ks. destruct Ks as [Ks Kt]. destruct ok_parts as (_ & _ & Pi & _ & Cl & _ & Ch). unfold pairs_of, prices_of in H. destruct (chosen w) as [d|]; [|discriminate].
    destruct (Ch d eq_refl) as [_ Dk]. apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [H Mg]. apply andb_prop in H. destruct H as [Wh Tr]. apply is_kind_spec in Wh. apply eqb_prop in Tr. subst what traces.
    exists (target w), (block_of blocks). split; [apply target_stochastic|]. split; [apply source_merged|]. split; [intros ->; apply (unmerged _ Mg)|]. unfold distance_at_most. simpl lab. fold into.
    destruct (Pos.eqb (label_of into (block_of blocks s)) (label_of into (block_of blocks t))).
    + exists (D upper_table d (block_of blocks s) (block_of blocks t)). split; [apply (fle_weak strict _ _ C)|].
      exists (D upper_table d). split; [|apply fle_refl]. apply (above_sound into into_inputs upper_table alpha_u d Pi Cl A1 Dk).
    + exists 1. split; [rewrite <- value_1; apply fle_weak, C | apply fle_refl].
  - apply andb_prop in H. destruct H as [Ks H]. apply andb_prop in Ks. destruct Ks as [Ks Kt]. destruct ok_parts as (_ & _ & Pi & _ & Cl & _ & Ch). unfold pairs_of, prices_of in H. destruct (chosen w) as [d|]; [|discriminate].
    destruct (Ch d eq_refl) as [_ Dk]. apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [H Mg]. apply andb_prop in H. destruct H as [Wh Tr]. apply is_kind_spec in Wh. apply eqb_prop in Tr. subst what traces.
    exists (target w), (block_of blocks). split; [apply target_stochastic|]. split; [apply source_merged|]. split; [intros ->; apply (unmerged _ Mg)|]. unfold distance_at_least. simpl lab. fold into.
    destruct (Pos.eqb_spec (label_of into (block_of blocks s)) (label_of into (block_of blocks t))) as [La|_].
    + assert (G : exists b, under strict (value v) b /\ forall Df, prefixed (seen (target w)) (fun i => known (places (target w)) i = true) (value alpha_u) (d_kind d) (traces_of d) Df ->
        b <= Df (block_of blocks s) (block_of blocks t)).
      { apply orb_prop in C. destruct C as [C|C].
        - exists 0. split; [rewrite <- value_0; apply fle_weak, C|]. intros Df Pre.
          apply (not_negative _ _ _ _ _ _ Pre); [apply (source_merged s Ks) | apply (source_merged t Kt) | exact La].
        - exists (value (value_at (price_table d) (block_of blocks s) (block_of blocks t))). split; [apply fle_weak, C|]. intros Df Pre. unfold value_at.
          destruct (find_pair (price_table d) (block_of blocks s) (block_of blocks t)) as [e|] eqn:Fd.
          + destruct (below_sound into into_inputs upper_table alpha_u d Pi A1 Dk _ _ e Fd) as [Tr B]. rewrite Tr in Pre. apply B, Pre.
          + rewrite value_0. apply (not_negative _ _ _ _ _ _ Pre); [apply (source_merged s Ks) | apply (source_merged t Kt) | exact La]. }
      destruct G as (b & B & G). exists b. split; [exact B | exact G].
    + exists 1. split; [rewrite <- value_1; apply fle_weak, C | apply fle_refl].
  - apply andb_prop in H. destruct H as [H Bo]. apply andb_prop in H. destruct H as [H Ne]. apply andb_prop in H. destruct H as [H Fit]. apply andb_prop in H. destruct H as [Ks Vo].
    destruct ok_parts as (_ & _ & Pi & _ & Cl & _). rewrite forallb_forall in Fit, Ks.
    set (rows := map (map value) (weights prior gains)). set (es := endings (of_list (v_nodes ev)) (v_visits ev)) in *.
    assert (Some' : weights prior gains <> []) by (destruct (weights prior gains); discriminate).
    assert (Ne' : rows <> []) by (unfold rows; intros X; apply map_eq_nil in X; contradiction).
    assert (Fit' : forall r, In r rows -> length r = length ss).
    { intros r Ir. unfold rows in Ir. apply in_map_iff in Ir. destruct Ir as (x & <- & Ix). rewrite map_length. apply Nat.eqb_eq, Fit, Ix. }
    destruct (visits_exact into into_inputs upper_table (length ss) _ _ _ _ _ Pi Cl (NoDup_nodup _ _) Vo rows Ne' Fit') as [Above Below].
    destruct (worth_of (weights prior gains) es) as [v|] eqn:W; [|discriminate]. apply andb_prop in Bo. destruct Bo as [Lo Up].
    apply worth_of_spec in W; [|exact Some'|].
    2: { intros r e Ir Ie. rewrite (endings_length into into_inputs upper_table (length ss) _ _ _ _ _ Vo e Ie). apply Nat.eqb_eq, Fit, Ir. }
    assert (Same' : forall plan, total_worth (letters (source w)) (row_weights prior gains) (first_runs (seen (source w)) ss) plan
      = total_worth (letters (source w)) (row_values rows) (first_of into (map (block_of blocks) ss)) plan).
    { intros plan. unfold total_worth. apply sum_ext. intros a _. apply worth_ext.
      - apply (rows_laws (length ss) rows Ne' Fit').
      - intros E j. unfold first_runs, first_of. rewrite nth_error_map. destruct (nth_error ss j) as [s|] eqn:Ej; simpl; [|reflexivity].
        assert (Kn : known from s = true) by (apply Ks; eapply nth_error_In; exact Ej).
        pose proof (label_of_block s Kn) as La. simpl in La. pose proof (prob_of_block E s Kn) as Pb. unfold seen in *. rewrite La, Pb. reflexivity. }
    exists (value v). split; [apply nle_le, Lo|]. split; [destruct upper as [u|]; [apply nle_le, Up | exact Logic.I]|].
    assert (Vv : value v = ends_value (of_list (v_nodes ev)) (v_visits ev) rows) by exact W. rewrite Vv. split.
    + intros plan. rewrite Same'. apply Above.
    + intros eta Eta. destruct (Below eta Eta) as [plan Hp]. exists plan. rewrite Same'. exact Hp.
Qed.
End OneView.
Theorem all_hold {F : Type} {OF : OrderedField F} {V : Meaning N F} w alpha_u alpha_l cs : all_proved w alpha_u alpha_l cs = true ->
  stochastic (F := F) (seen (source w)) /\ forall c, In c cs -> holds_of (source w) (value (F := F) alpha_u) (value alpha_l) c.
Proof.
  unfold all_proved. intros H. apply andb_prop in H. destruct H as [Ok H]. rewrite forallb_forall in H. split.
  - destruct (ok_parts w alpha_u alpha_l Ok) as (_ & Pf & _). apply (chain_stochastic _ _ Pf).
  - intros c Ic. apply (conclusions_hold w alpha_u alpha_l Ok c (H c Ic)).
Qed.
End Program.
