(** Recipes: bounds that the checker computes itself, from w = e_s - alpha e_t in units of 2^-bits. *)

Require Import QArith Lqa Lia List Permutation PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model Deltachain.Integers Deltachain.Tree Deltachain.Levels Deltachain.Grid.
Import ListNotations.
Open Scope Q_scope.

Inductive recipe_kind :=
| TreeRecipe (tokens : list Z)
| LevelsRecipe (depth : N) (dust : Z)
| GridRecipe (size : Z) (depth : N).
Record recipe := { r_from : state; r_to : state; r_kind : recipe_kind }.
Record result := { of_from : state; of_to : state; is_below : Z; is_above : Z }.

Section Recipes.
Variable m : model.
Hypothesis stoch : stochastic m.
Hypothesis places_ok : forall i p, M.find i (places m) = Some p -> place_ok m (i, p) = true.
Notation prob := (prob m).
Variable rows : M.t (list irow).
Hypothesis rows_eq : rows = integer_rows m.
Variable vectors : M.t (vector * Z).
Hypothesis vectors_fine : forall n v, M.find n vectors = Some v -> good m v.
Variable single : bool.
Hypothesis single_choice : single = true -> forall w : belief, choices m w = 1%nat.
Variable unit : Z.
Variable alpha : Q.

Definition root (s t : state) : belief := [(s, unit); (t, ((- Qnum alpha * unit) / Zpos (Qden alpha))%Z)].

Definition run (r : recipe) : option result :=
  let w := root (r_from r) (r_to r) in
  let found :=
    match r_kind r with
    | TreeRecipe tokens => tree_bounds m rows vectors single w tokens
    | LevelsRecipe depth dust => if single then levels_bounds m rows w depth dust else None
    | GridRecipe size depth =>
        if single then
          match grid_below m rows size w depth, grid_above m rows size w depth with Some b, Some a => Some (b, a) | _, _ => None end
        else None
    end in
  option_map (fun ba => {| of_from := r_from r; of_to := r_to r; is_below := fst ba; is_above := snd ba |}) found.

Definition proved (x : result) : Prop :=
  (exists E, inject_Z (is_below x) <= dotZ (root (of_from x) (of_to x)) (prob E))
  /\ forall E, - dotZ (root (of_from x) (of_to x)) (prob E) <= inject_Z (is_above x).

Theorem run_sound r x : run r = Some x -> proved x.
Proof.
  unfold run. set (w := root (r_from r) (r_to r)). intros H.
  assert (G : forall b a, (match r_kind r with
    | TreeRecipe tokens => tree_bounds m rows vectors single w tokens
    | LevelsRecipe depth dust => if single then levels_bounds m rows w depth dust else None
    | GridRecipe size depth =>
        if single then
          match grid_below m rows size w depth, grid_above m rows size w depth with Some b, Some a => Some (b, a) | _, _ => None end
        else None
    end) = Some (b, a) -> (exists E, inject_Z b <= dotZ w (prob E)) /\ forall E, - dotZ w (prob E) <= inject_Z a).
  { intros b a. destruct (r_kind r) as [tokens|depth dust|size depth].
    - apply (tree_sound m stoch places_ok rows rows_eq vectors vectors_fine single single_choice).
    - destruct single eqn:S; [|discriminate].
      apply (levels_sound m stoch places_ok (single_choice eq_refl) rows rows_eq).
    - destruct single eqn:S; [|discriminate].
      destruct (grid_below m rows size w depth) as [b'|] eqn:B; [|discriminate].
      destruct (grid_above m rows size w depth) as [a'|] eqn:A; [|discriminate].
      intros X; injection X as <- <-. split.
      + apply (grid_below_sound m stoch places_ok (single_choice eq_refl) rows rows_eq size _ _ _ B).
      + apply (grid_above_sound m stoch places_ok (single_choice eq_refl) rows rows_eq size _ _ _ A). }
  destruct (match r_kind r with TreeRecipe _ => _ | LevelsRecipe _ _ => _ | GridRecipe _ _ => _ end) as [[b a]|]; [|discriminate].
  simpl in H. injection H as <-. exact (G b a eq_refl).
Qed.

Hypothesis unit_positive : (0 < unit)%Z.

Definition lowest (x : result) : Q := reduce (inject_Z (is_below x) / inject_Z unit).
Definition highest (alpha' : Q) (x : result) : Q := positive_part (reduce (1 - alpha' + inject_Z (is_above x) / inject_Z unit)).

Lemma root_le s t E : dotZ (root s t) (prob E) <= inject_Z unit * (prob E s - alpha * prob E t).
Proof.
  unfold root. cbn [dot]. pose proof (prob_range m stoch E t) as [R0 R1].
  pose proof (div_le (- Qnum alpha * unit) (Zpos (Qden alpha)) eq_refl) as D.
  assert (A : inject_Z ((- Qnum alpha * unit) / Zpos (Qden alpha)) <= - alpha * inject_Z unit).
  { assert (P : 0 < inject_Z (Zpos (Qden alpha))) by (apply inject_pos; reflexivity).
    apply Qmult_le_r with (z := inject_Z (Zpos (Qden alpha))); [assumption|]. eapply Qle_trans; [exact D|].
    rewrite inject_Z_mult, inject_Z_opp. destruct alpha as [n q]. cbn [Qnum Qden]. rewrite (Qmake_Qdiv n q).
    apply Qle_lteq. right. field. cbn [Qden] in P. lra. }
  nra.
Qed.

Lemma lowest_attained x : proved x -> exists E, lowest x <= prob E (of_from x) - alpha * prob E (of_to x).
Proof.
  intros [[E HE] _]. exists E. unfold lowest. rewrite reduce_eq. apply inject_pos in unit_positive.
  apply Qle_shift_div_r; [assumption|]. pose proof (root_le (of_from x) (of_to x) E). lra.
Qed.

Lemma highest_bounds x alpha' E : proved x -> alpha' <= alpha ->
  prob E (of_from x) - alpha' * prob E (of_to x) <= highest alpha' x.
Proof.
  intros [_ H] A. specialize (H (neg E)). pose proof (root_le (of_from x) (of_to x) (neg E)) as R.
  rewrite !(prob_neg m stoch) in R. pose proof (prob_range m stoch E (of_to x)) as [T0 T1].
  pose proof (positive_part_ge (reduce (1 - alpha' + inject_Z (is_above x) / inject_Z unit))) as [P _]. fold (highest alpha' x) in P.
  rewrite reduce_eq in P at 1. eapply Qle_trans; [|exact P]. apply inject_pos in unit_positive.
  set (U := inject_Z unit) in *. set (a := inject_Z (is_above x)) in *. set (ps := prob E (of_from x)) in *. set (pt := prob E (of_to x)) in *.
  assert (Y : - a <= U * (1 - ps - alpha * (1 - pt))) by lra.
  assert (Z : - (1 - ps - alpha * (1 - pt)) <= a / U) by (apply Qle_shift_div_l; [assumption | lra]).
  nra.
Qed.
End Recipes.
