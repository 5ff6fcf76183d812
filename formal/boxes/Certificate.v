(** Certificates by recipes, for every chain inside a model of boxes: what is claimed, what is checked, and the theorem. *)

Require Import Reals Lra Lia Psatz Bool List PArith ZArith NArith.
Require Import Deltachain.functions.Products Deltachain.boxes.Chains Deltachain.boxes.Boxes
  Deltachain.boxes.Trees Deltachain.boxes.Levels Deltachain.boxes.FirstOrder Deltachain.functions.Exp.
Require Deltachain.Certificate Deltachain.Tree.
Import Deltachain.Certificate(first_bad, first_bad_all).
Import Deltachain.Tree(vector, vector_entry).
Import ListNotations.
Open Scope R_scope.

Section WithNumbers.
Context {Num : Numbers}.

Inductive recipe_kind :=
| TreeRecipe (second : bool) (tokens : list Z)
| LevelsRecipe (second : bool) (depth : N) (dust : Z)
| FirstRecipe (tokens : list Z).
Record recipe := { r_from : state; r_to : state; r_kind : recipe_kind }.
Record statement := { st_from : state; st_to : state; st_lower : num; st_upper : num }.

(** e^ε is between [alpha_upper] and [alpha_lower], and these between the two that recipes start from. *)
Record certificate := {
  alpha_upper : num; alpha_lower : num; around_upper : num; around_lower : num;
  merges : list (state * state); is_boxed : bool; bits : Z;
  vectors : list vector_entry; recipes : list recipe; statements : list statement }.

(** ** What is claimed *)

Section Claimed.
Context {Mean : Meaning Num}.

(** Whatever rows nature picks, after whatever was seen. *)
Definition holds (m : list (state * place)) (c : certificate) (st : statement) : Prop :=
  forall P, chain_inside P m -> forall alpha, value (alpha_upper c) <= alpha -> alpha <= value (alpha_lower c) ->
    let advantage F s t := full_cprob P F s - alpha * full_cprob P F t in
    (forall F, advantage F (st_from st) (st_to st) <= value (st_upper st) /\ advantage F (st_to st) (st_from st) <= value (st_upper st))
    /\ exists F, value (st_lower st) <= advantage F (st_from st) (st_to st) \/ value (st_lower st) <= advantage F (st_to st) (st_from st).
End Claimed.

(** ** The checks *)

Section Checks.
Variable m : list (state * place).
Variable c : certificate.

Definition found : M.t place := of_list m.
Definition table : M.t state := of_list (merges c).
Definition unit : Z := (2 ^ bits c)%Z.

Definition label_in (t : M.t place) (i : state) : label := match M.find i t with Some p => place_label p | None => 1%positive end.
Definition count_in (t : M.t place) (i : state) : nat := match M.find i t with Some p => length (place_rows p) | None => 1%nat end.
Definition is_first (t : M.t place) (tb : M.t state) (i : state) : bool := is_known t i && Pos.eqb (first tb i) i.

(** The rows of the merged model, in integers. *)
Definition row_table (t : M.t place) (tb : M.t state) : M.t (option (list irow)) :=
  M.mapi (fun i p => if Pos.eqb (first tb i) i then irows_of tb (place_rows p) (units p) else None) t.
Definition no_row : irow := {| bottom := 1; shares := []; rest := 0 |}.
Definition row_at (rt : M.t (option (list irow))) (k : nat) (i : state) : irow :=
  match M.find i rt with Some (Some rs) => nth_row rs k no_row | _ => no_row end.
Definition rows_ok (rt : M.t (option (list irow))) (tb : M.t state) (e : state * place) : bool :=
  negb (Pos.eqb (first tb (fst e)) (fst e)) || match M.find (fst e) rt with Some (Some _) => true | _ => false end.

(** The rows over 2^30, where a recipe needs them. *)
Definition srow_table (t : M.t place) (tb : M.t state) : M.t (option srow) :=
  if existsb (fun r => match r_kind r with FirstRecipe _ => true | _ => false end) (recipes c) then
    M.mapi (fun i p => if Pos.eqb (first tb i) i then option_map scaled (irow_of one (merged_row tb (nth_row (place_rows p) 0 (Point [])))) else None) t
  else M.empty _.
Definition no_srow : srow := {| targets := []; beyond := {| lo := 0; hi := 0; centre := 0 |} |}.
Definition srow_at (st : M.t (option srow)) (i : state) : srow := match M.find i st with Some (Some s) => s | _ => no_srow end.
Definition srows_ok (st : M.t (option srow)) (tb : M.t state) : bool :=
  forallb (fun e => negb (Pos.eqb (first tb (fst e)) (fst e)) || match M.find (fst e) st with Some (Some _) => true | _ => false end) m.

Definition groups (t : M.t place) (tb : M.t state) : M.t (list state) :=
  fold_left (fun g e => let i := fst e in let a := place_label (snd e) in
    if is_first t tb i then M.add a (i :: match M.find a g with Some l => l | None => [] end) g else g) m (M.empty _).

Definition is_single : bool := forallb (fun e => Nat.eqb (length (place_rows (snd e))) 1) m.

(** [low] units less than, [high] more than what is proved; with the shift 1 - alpha of the root, where there is one. *)
Record result := { of_from : state; of_to : state; shift_low : bool; low : Z; shift_high : bool; high : Z }.

Definition root (second : bool) (s t : state) : option belief :=
  match (if second then nfloor (around_upper c) unit else nfloor (nsub n0 (around_lower c)) unit) with
  | Some z => Some [(s, if second then (- unit)%Z else unit); (t, z)]
  | None => None
  end.

Definition from_root (second : bool) (s t : state) (bounds : belief -> option (Z * Z)) : option result :=
  match root second s t with
  | Some w => match bounds w with
      | Some (b, a) => Some {| of_from := s; of_to := t; shift_low := second; low := b; shift_high := negb second; high := a |}
      | None => None
      end
  | None => None
  end.

(** Both sides start from w itself, rounded up for the one above, down for the other. *)
Definition by_first_order (s t : state) (total : bool -> Z -> option Z) : option result :=
  match nceil (nsub n0 (around_upper c)) unit, nfloor (nsub n0 (around_lower c)) unit with
  | Some zu, Some zl => match total true zu, total false zl with
      | Some a, Some b => Some {| of_from := s; of_to := t; shift_low := false; low := (b / one)%Z; shift_high := false; high := div_up a one |}
      | _, _ => None
      end
  | _, _ => None
  end.

Definition run (t : M.t place) (rt : M.t (option (list irow))) (st : M.t (option srow)) (vs : M.t (vector * Z)) (r : recipe) : option result :=
  if is_first t table (r_from r) && is_first t table (r_to r) then
    match r_kind r with
    | TreeRecipe second tokens =>
        from_root second (r_from r) (r_to r) (fun w => tree_bounds (row_at rt) (label_in t) (count_in t) vs (is_boxed c) w tokens)
    | LevelsRecipe second depth dust =>
        if is_single then from_root second (r_from r) (r_to r) (fun w => levels_bounds (row_at rt) (label_in t) w depth dust) else None
    | FirstRecipe tokens =>
        if is_single && srows_ok st table
        then by_first_order (r_from r) (r_to r) (fun above z => first_total (srow_at st) (label_in t) above (r_from r) (r_to r) unit z tokens) else None
    end
  else None.

Fixpoint run_all (go : recipe -> option result) (l : list recipe) (k : Z) (done : list result) : list result * option Z :=
  match l with
  | [] => (done, None)
  | r :: rest => match go r with Some x => run_all go rest (k + 1) (x :: done) | None => ([], Some k) end
  end.

Definition is_about (s t : state) (x : result) : bool := Pos.eqb (of_from x) s && Pos.eqb (of_to x) t.

(** In whole units, rounded towards the safe side. *)
Definition reaches (u : num) (x : result) : bool :=
  match nfloor (if shift_high x then nadd (nsub u n1) (around_upper c) else u) unit with Some z => Z.leb (high x) z | None => false end.
Definition keeps (l : num) (x : result) : bool :=
  match nceil (if shift_low x then nadd (nsub l n1) (around_lower c) else l) unit with Some z => Z.leb z (low x) | None => false end.

Definition statement_ok (t : M.t place) (rs : list result) (st : statement) : bool :=
  let s' := first table (st_from st) in let t' := first table (st_to st) in
  is_known t (st_from st) && is_known t (st_to st) &&
  if Pos.eqb s' t' then nle n0 (st_upper st) && nle (st_lower st) n0
  else if Pos.eqb (label_in t s') (label_in t t') then
    forallb (fun p : state * state => nle n1 (st_upper st) || existsb (fun x => is_about (fst p) (snd p) x && reaches (st_upper st) x) rs)
      [(s', t'); (t', s')]
    && (nle (st_lower st) n0 || existsb (fun x => (is_about s' t' x || is_about t' s' x) && keeps (st_lower st) x) rs)
  else nle n1 (st_upper st) && nle (st_lower st) n1.

Definition alphas_ok : bool :=
  nle n1 (around_upper c) && nle (around_upper c) (alpha_upper c) && nle (alpha_upper c) (alpha_lower c) && nle (alpha_lower c) (around_lower c).

(** Where a check fails: the number of the part, and of the entry. *)
Definition check : option (Z * Z) :=
  let t := found in let tb := table in let rt := row_table t tb in
  if negb alphas_ok then Some (1, 0)%Z else
  match first_bad (place_ok t tb) m 0 with Some i => Some (2, i)%Z | None =>
  match first_bad (fun e => forallb not_empty (place_rows (snd e))) m 0 with Some i => Some (2, i)%Z | None =>
  match first_bad (merge_ok t tb) (merges c) 0 with Some i => Some (3, i)%Z | None =>
  match first_bad (rows_ok rt tb) m 0 with Some i => Some (2, i)%Z | None =>
  if negb (Z.ltb 0 unit) then Some (10, 0)%Z else
  match vectors_of (row_at rt) (label_in t) (groups t tb) (vectors c) with
  | None => Some (10, 0)%Z
  | Some vs =>
      match run_all (run t rt (srow_table t tb) vs) (recipes c) 0 [] with
      | (_, Some i) => Some (10, i)%Z
      | (rs, None) => match first_bad (statement_ok t rs) (statements c) 0 with Some i => Some (11, i)%Z | None => None end
      end
  end end end end end.
End Checks.

(** ** What they prove *)

Section Sound.
Context {Mean : Meaning Num}.
Variable m : list (state * place).
Variable c : certificate.
Hypothesis checked : check m c = None.

Let t := found m.
Let tb := table c.
Let rt := row_table t tb.

Record facts : Prop := {
  f_alpha : alphas_ok c = true;
  f_places : forall e, In e m -> place_ok t tb e = true;
  f_merges : forall e, In e (merges c) -> merge_ok t tb e = true;
  f_rows : forall e, In e m -> rows_ok rt tb e = true;
  f_unit : (0 < unit c)%Z;
  f_results : exists vs rs, vectors_of (row_at rt) (label_in t) (groups m t tb) (vectors c) = Some vs
    /\ run_all (run m c t rt (srow_table c t tb) vs) (recipes c) 0 [] = (rs, None)
    /\ forall st, In st (statements c) -> statement_ok c t rs st = true }.

Lemma all_facts : facts.
Proof.
  unfold check in checked. cbv zeta in checked. fold t tb rt in checked.
  destruct (negb (alphas_ok c)) eqn:A; [discriminate|]. apply negb_false_iff in A.
  destruct (first_bad (place_ok t tb) m 0) eqn:F1; [discriminate|].
  destruct (first_bad (fun e => forallb not_empty (place_rows (snd e))) m 0) eqn:F0; [discriminate|].
  destruct (first_bad (merge_ok t tb) (merges c) 0) eqn:F2; [discriminate|].
  destruct (first_bad (rows_ok rt tb) m 0) eqn:F3; [discriminate|].
  destruct (negb (Z.ltb 0 (unit c))) eqn:U; [discriminate|]. apply negb_false_iff, Z.ltb_lt in U.
  destruct (vectors_of _ _ _ _) as [vs|] eqn:V; [|discriminate].
  destruct (run_all _ _ _ _) as [rs [?|]] eqn:R; [discriminate|].
  destruct (first_bad (statement_ok c t rs) (statements c) 0) eqn:F4; [discriminate|].
  constructor; try assumption; try (eapply first_bad_all; eassumption).
  exists vs, rs. repeat split; auto. eapply first_bad_all; eassumption.
Qed.

Lemma irows_length tb' rs : forall ds l, irows_of tb' rs ds = Some l -> length l = length rs
  /\ forall n d, (n < length rs)%nat -> exists u, irow_of u (merged_row tb' (nth n rs (Point []))) = Some (nth n l d).
Proof.
  induction rs as [|r rs IH]; intros [|u ds] l H; simpl in H; try discriminate; [inversion H; split; [reflexivity | simpl; lia]|].
  destruct (irow_of u (merged_row tb' r)) as [x|] eqn:X; [|discriminate]. destruct (irows_of tb' rs ds) as [l'|] eqn:L; [|discriminate].
  inversion H; subst. destruct (IH _ _ L) as [E N]. split; [simpl; lia|]. intros [|n] d Ln; simpl; [eauto|]. apply N. simpl in Ln. lia.
Qed.

Notation known := (Boxes.known m (merges c)).

(** The rows of known states. *)
Lemma row_found i : known i -> exists p rs, M.find i t = Some p /\ length rs = length (place_rows p) /\ (1 <= length rs)%nat
  /\ (forall k, row_at rt k i = nth_row rs k no_row)
  /\ forall k, exists u, irow_of u (merged_row tb (nth_row (place_rows p) k (Point []))) = Some (row_at rt k i).
Proof.
  intros [K F]. change (of_list m) with t in K. change (of_list (merges c)) with tb in F. unfold is_known in K.
  destruct (M.find i t) as [p|] eqn:E; [|discriminate]. pose proof E as In_m. apply of_list_in in In_m.
  pose proof (f_rows all_facts _ In_m) as R. unfold rows_ok in R. cbn [fst] in R. rewrite F, Pos.eqb_refl in R. simpl in R.
  unfold rt, row_table in *. rewrite M.gmapi, E in R. cbn [option_map] in R. rewrite F, Pos.eqb_refl in R.
  destruct (irows_of tb (place_rows p) (units p)) as [rs|] eqn:I; [|discriminate].
  destruct (irows_length _ _ _ _ I) as [L N]. destruct (nth_fine m (merges c) (f_places all_facts) i p 0 E) as (_ & _ & Lt).
  assert (At : forall k, row_at (M.mapi (fun i p => if Pos.eqb (first tb i) i then irows_of tb (place_rows p) (units p) else None) t) k i = nth_row rs k no_row).
  { intros k. unfold row_at. rewrite M.gmapi, E. cbn [option_map]. rewrite F, Pos.eqb_refl, I. reflexivity. }
  exists p, rs. split; [reflexivity|]. split; [assumption|]. split; [lia|]. split; [assumption|]. intros k. rewrite At. unfold nth_row. rewrite L.
  apply N. lia.
Qed.

Section Inside.
Variable P : chain.
Hypothesis P_inside : chain_inside P m.
Notation P' := (merged_chain tb P).

Lemma proper' : proper P'.
Proof. apply merged_proper, P_inside. Qed.

Lemma within' h k i : known i -> within (move_of P' h k i) (row_at rt k i).
Proof.
  intros K. destruct (row_found i K) as (p & rs & F & _ & _ & _ & R). destruct (R k) as [u U]. apply irow_of_spec in U. apply U.
  apply (move_inside m (merges c) (f_places all_facts) P P_inside i p h k F).
Qed.

Lemma sensible' k i : known i -> sensible (row_at rt k i).
Proof. intros K. destruct (row_found i K) as (p & rs & _ & _ & _ & _ & R). destruct (R k) as [u U]. apply irow_of_spec in U. apply U. Qed.

Lemma label' i : known i -> lab_of P' i = label_in t i.
Proof.
  intros K. destruct (row_found i K) as (p & _ & F & _). unfold label_in. rewrite F. apply (proj2 P_inside i p F).
Qed.

Lemma targets' k i s : known i -> In s (shares (row_at rt k i)) -> known (fst s).
Proof.
  intros K I. destruct (row_found i K) as (p & rs & F & _ & _ & _ & R). destruct (R k) as [u U]. apply irow_of_spec in U.
  destruct U as (_ & T & _). destruct (T s I) as [v V]. destruct (nth_fine m (merges c) (f_places all_facts) i p k F) as (Ok & _ & _).
  apply (merged_targets m (merges c) (f_merges all_facts) _ _ _ Ok V).
Qed.

Lemma last_input' k i n : known i -> (count_in t i <= n)%nat -> row_at rt k i = row_at rt (Nat.min k (pred n)) i.
Proof.
  intros K L. destruct (row_found i K) as (p & rs & F & Len & L1 & R & _). unfold count_in in L. rewrite F in L. rewrite !R. unfold nth_row.
  f_equal. lia.
Qed.

Lemma is_first_known i : is_first t tb i = true -> known i.
Proof. unfold is_first. intros H. apply andb_prop in H. destruct H as [H1 H2]. apply Pos.eqb_eq in H2. split; assumption. Qed.

Lemma groups_known' a l i : M.find a (groups m t tb) = Some l -> In i l -> known i.
Proof.
  unfold groups. assert (G : forall es g, (forall a l i, M.find a g = Some l -> In i l -> known i) ->
    forall a l i, M.find a (fold_left (fun g e => let i := fst e in let a := place_label (snd e) in
      if is_first t tb i then M.add a (i :: match M.find a g with Some l => l | None => [] end) g else g) es g) = Some l -> In i l -> known i).
  { clear. induction es as [|e es IH]; intros g H a l i F I; simpl in F; [eauto|]. revert F I. apply IH. clear IH.
    intros a' l' i'. destruct (is_first t tb (fst e)) eqn:Fi; [|apply H]. destruct (Pos.eq_dec a' (place_label (snd e))) as [->|N].
    - rewrite M.gss. intros E. inversion E; subst. intros [<-|I]; [apply is_first_known; assumption|].
      destruct (M.find (place_label (snd e)) g) as [l0|] eqn:F; [eauto | destruct I].
    - rewrite M.gso by assumption. apply H. }
  apply G. intros a' l' i' F. rewrite M.gempty in F. discriminate.
Qed.

(** What a result says, after every word. *)
Definition proved (x : result) : Prop := forall h,
  (forall E, cprob P' h E (of_from x) - value (around_upper c) * cprob P' h E (of_to x)
     <= (if shift_high x then 1 - value (around_upper c) else 0) + IZR (high x) / IZR (unit c))
  /\ exists E, (if shift_low x then 1 - value (around_lower c) else 0) + IZR (low x) / IZR (unit c)
     <= cprob P' h E (of_from x) - value (around_lower c) * cprob P' h E (of_to x).

Lemma alphas : 1 <= value (around_upper c) /\ value (around_upper c) <= value (alpha_upper c)
  /\ value (alpha_upper c) <= value (alpha_lower c) /\ value (alpha_lower c) <= value (around_lower c).
Proof.
  pose proof (f_alpha all_facts) as A. unfold alphas_ok in A. apply andb_prop in A. destruct A as [A A4]. apply andb_prop in A.
  destruct A as [A A3]. apply andb_prop in A. destruct A as [A1 A2]. apply nle_le in A1, A2, A3, A4. rewrite value_1 in A1. auto.
Qed.

Lemma from_root_proved second s t' bounds x : known s -> known t' ->
  (forall w b a, all_known known w -> bounds w = Some (b, a) -> bounded P' w (IZR b) (IZR a)) ->
  from_root c second s t' bounds = Some x -> proved x.
Proof.
  intros Ks Kt Hb H. unfold from_root, root in H. pose proof (f_unit all_facts) as U. assert (U0 : (0 <= unit c)%Z) by lia.
  destruct alphas as (A1 & A2 & A3 & A4).
  destruct (if second then _ else _) as [z|] eqn:Z; [|discriminate]. destruct (bounds _) as [[b a]|] eqn:B; [|discriminate].
  inversion H; subst; clear H. apply Hb in B; [|constructor; [exact Ks | constructor; [exact Kt | constructor]]]. intros h. destruct (B h) as [B1 B2].
  cbn [of_from of_to shift_low low shift_high high]. destruct second; cbn [negb] in *.
  - apply nfloor_le in Z; [|assumption].
    assert (Al : 0 <= value (around_upper c) <= value (around_lower c)) by lra.
    destruct (second_root P' proper' h s t' (unit c) z (value (around_upper c)) (value (around_lower c)) a b U Al Z B1 B2) as [G1 G2].
    split; [intros E; specialize (G1 E); lra | exact G2].
  - apply nfloor_le in Z; [|assumption]. rewrite value_sub, value_0 in Z.
    assert (Al : 0 <= value (around_upper c) <= value (around_lower c)) by lra.
    assert (Zl : IZR z <= - value (around_lower c) * IZR (unit c)) by lra.
    destruct (first_root P' proper' h s t' (unit c) z (value (around_upper c)) (value (around_lower c)) a b U Al Zl B1 B2) as [G1 [E G2]].
    split; [exact G1 | exists E; lra].
Qed.

(** First order. *)
Lemma first_order_proved s t' total x : known s -> known t' ->
  (forall z T h, total true z = Some T -> forall E, dotZ [(s, unit c); (t', z)] (cprob P' h E) * IZR one <= IZR T) ->
  (forall z T h, total false z = Some T -> exists E, IZR T <= dotZ [(s, unit c); (t', z)] (cprob P' h E) * IZR one) ->
  by_first_order c s t' total = Some x -> proved x.
Proof.
  intros Ks Kt Up Down H. unfold by_first_order in H. pose proof (f_unit all_facts) as U. assert (U0 : (0 <= unit c)%Z) by lia.
  destruct (nceil (nsub n0 (around_upper c)) (unit c)) as [zu|] eqn:Zu; [|discriminate]. destruct (nfloor (nsub n0 (around_lower c)) (unit c)) as [zl|] eqn:Zl; [|discriminate].
  destruct (total true zu) as [a|] eqn:A; [|discriminate]. destruct (total false zl) as [b|] eqn:B; [|discriminate]. inversion H; subst; clear H.
  apply nceil_ge in Zu; [|assumption]. apply nfloor_le in Zl; [|assumption]. rewrite value_sub, value_0 in Zu, Zl. apply IZR_lt in U. pose proof one_pos as U1.
  intros h. cbn [of_from of_to shift_low low shift_high high]. split.
  - intros E. pose proof (Up _ _ h A E) as G. cbn [dot] in G. pose proof (div_up_ge a one eq_refl) as D. pose proof (cprob_range P' proper' E h t') as [R0 _].
    apply (Rmult_le_reg_r (IZR (unit c))); [assumption|]. rewrite Rplus_0_l. unfold Rdiv. rewrite (Rmult_assoc (IZR (div_up a one))), Rinv_l, Rmult_1_r by lra.
    assert (X : (IZR (unit c) * cprob P' h E s + (IZR zu * cprob P' h E t' + 0)) <= IZR (div_up a one)) by (apply (Rmult_le_reg_r (IZR one)); lra). nra.
  - destruct (Down _ _ h B) as [E G]. exists E. cbn [dot] in G. pose proof (div_le b one eq_refl) as D. pose proof (cprob_range P' proper' E h t') as [R0 _].
    apply (Rmult_le_reg_r (IZR (unit c))); [assumption|]. rewrite Rplus_0_l. unfold Rdiv. rewrite (Rmult_assoc (IZR (b / one))), Rinv_l, Rmult_1_r by lra.
    assert (X : IZR (b / one) <= IZR (unit c) * cprob P' h E s + (IZR zl * cprob P' h E t' + 0)) by (apply (Rmult_le_reg_r (IZR one)); lra). nra.
Qed.

Lemma srow_centre st i : (forall j s, M.find j st = Some (Some s) -> centre (beyond s) = 0%Z) -> centre (beyond (srow_at st i)) = 0%Z.
Proof. intros H. unfold srow_at. destruct (M.find i st) as [[s|]|] eqn:F; [apply (H _ _ F) | reflexivity | reflexivity]. Qed.

Lemma srow_found i s : M.find i (srow_table c t tb) = Some (Some s) -> exists p ir, M.find i t = Some p
  /\ irow_of one (merged_row tb (nth_row (place_rows p) 0 (Point []))) = Some ir /\ s = scaled ir.
Proof.
  unfold srow_table. destruct (existsb _ _); [|rewrite M.gempty; discriminate]. rewrite M.gmapi. destruct (M.find i t) as [p|]; [|discriminate].
  cbn [option_map]. destruct (Pos.eqb _ _); [|discriminate]. destruct (irow_of one _) as [ir|] eqn:I; [|discriminate]. cbn [option_map]. intros H. inversion H. exists p, ir. auto.
Qed.

Lemma srow_known i : srows_ok m (srow_table c t tb) tb = true -> known i -> exists p ir, M.find i t = Some p
  /\ irow_of one (merged_row tb (nth_row (place_rows p) 0 (Point []))) = Some ir /\ srow_at (srow_table c t tb) i = scaled ir.
Proof.
  intros S [K F]. change (of_list m) with t in K. change (of_list (merges c)) with tb in F. unfold is_known in K.
  destruct (M.find i t) as [p|] eqn:E; [|discriminate]. pose proof E as In_m. apply of_list_in in In_m.
  unfold srows_ok in S. rewrite forallb_forall in S. specialize (S _ In_m). cbn [fst] in S. rewrite F, Pos.eqb_refl in S. cbn [negb orb] in S.
  unfold srow_at. destruct (M.find i (srow_table c t tb)) as [[s|]|] eqn:Fs; try discriminate.
  destruct (srow_found i s Fs) as (p' & ir & E' & I & ->). exists p', ir. split; [congruence|]. split; [assumption | reflexivity].
Qed.

Lemma single_input : is_single m = true -> forall k i, known i -> row_at rt k i = row_at rt 0 i.
Proof.
  intros S k i K. destruct (row_found i K) as (p & rs & F & L & _ & R & _). rewrite !R. unfold nth_row.
  apply of_list_in in F. unfold is_single in S. rewrite forallb_forall in S. specialize (S _ F). apply Nat.eqb_eq in S. cbn [snd] in S.
  rewrite L, S. f_equal. lia.
Qed.

Lemma run_proved vs r x : vectors_of (row_at rt) (label_in t) (groups m t tb) (vectors c) = Some vs -> run m c t rt (srow_table c t tb) vs r = Some x -> proved x.
Proof.
  intros V H. unfold run in H. change (table c) with tb in H. destruct (is_first t tb (r_from r)) eqn:K1; [|discriminate].
  destruct (is_first t tb (r_to r)) eqn:K2; [|discriminate]. apply is_first_known in K1, K2. cbn [andb] in H.
  pose proof (vectors_good (row_at rt) (label_in t) (groups m t tb) P' proper' known within' sensible' label' targets' groups_known' _ _ V) as Vg.
  destruct (r_kind r) as [second tokens|second depth dust|tokens].
  - apply (from_root_proved _ _ _ _ _ K1 K2) in H; [assumption|]. intros w b a K T.
    apply (tree_sound (row_at rt) (label_in t) (count_in t) vs (is_boxed c) P' proper' known within' label' targets' last_input' Vg w tokens b a K T).
  - destruct (is_single m) eqn:S; [|discriminate]. apply (from_root_proved _ _ _ _ _ K1 K2) in H; [assumption|]. intros w b a K T.
    apply (levels_sound (row_at rt) (label_in t) P' proper' known within' (single_input S) label' targets' w depth dust b a K T).
  - destruct (is_single m) eqn:S; [|discriminate]. destruct (srows_ok m (srow_table c t tb) tb) eqn:Ok; [|discriminate]. cbn [andb] in H.
    assert (Rows : forall h k i, known i -> exists ps out, of_row (move_of P' h k i) ps out (srow_at (srow_table c t tb) i)).
    { intros h k i K. destruct (srow_known i Ok K) as (p & ir & F & I & ->). apply (scaled_row _ _ _ (proper' h k i)) with (2 := I).
      pose proof (move_inside m (merges c) (f_places all_facts) P P_inside i p h k F) as Mi. apply of_list_in in F. unfold is_single in S.
      rewrite forallb_forall in S. specialize (S _ F). apply Nat.eqb_eq in S. cbn [snd] in S. unfold nth_row in *. rewrite S in *.
      replace (Nat.min k (pred 1)) with 0%nat in Mi by lia. exact Mi. }
    assert (Targets : forall i x, known i -> In x (targets (srow_at (srow_table c t tb) i)) -> known (fst x)).
    { intros i y K I. destruct (srow_known i Ok K) as (p & ir & F & J & E). rewrite E in I. unfold scaled in I. cbn [targets] in I. apply in_map_iff in I.
      destruct I as (z & <- & I). cbn [fst]. apply irow_of_spec in J. destruct J as (_ & T & _). destruct (T z I) as [v Vv].
      destruct (nth_fine m (merges c) (f_places all_facts) i p 0 F) as (Ok' & _ & _). apply (merged_targets m (merges c) (f_merges all_facts) _ _ _ Ok' Vv). }
    assert (Centre : forall i, centre (beyond (srow_at (srow_table c t tb) i)) = 0%Z).
    { intros i. apply srow_centre. intros j s F. destruct (srow_found j s F) as (p & ir & _ & _ & ->). reflexivity. }
    apply (first_order_proved _ _ _ _ K1 K2) in H; [assumption | |]; intros z T h; apply (first_sound _ (label_in t) P' proper' known Rows label' Targets Centre); assumption.
Qed.

Lemma run_all_in go l : forall k done out, run_all go l k done = (out, None) ->
  forall x, In x out -> In x done \/ exists r, go r = Some x.
Proof.
  induction l as [|r l IH]; intros k done out H x I; simpl in H; [inversion H; subst; auto|].
  destruct (go r) as [y|] eqn:G; [|discriminate]. destruct (IH _ _ _ H x I) as [[<-|J]|J]; eauto.
Qed.

Lemma reaches_le u x : reaches c u x = true -> (if shift_high x then 1 - value (around_upper c) else 0) + IZR (high x) / IZR (unit c) <= value u.
Proof.
  unfold reaches. pose proof (f_unit all_facts) as U. assert (U0 : (0 <= unit c)%Z) by lia. apply IZR_lt in U.
  destruct (nfloor _ _) as [z|] eqn:F; [|discriminate]. intros H. apply Z.leb_le, IZR_le in H. apply nfloor_le in F; [|assumption].
  apply (Rmult_le_reg_r (IZR (unit c))); [assumption|]. rewrite Rmult_plus_distr_r. unfold Rdiv. rewrite (Rmult_assoc (IZR (high x))), Rinv_l, Rmult_1_r by lra.
  destruct (shift_high x); [rewrite value_add, value_sub, value_1 in F|]; lra.
Qed.

Lemma keeps_le l x : keeps c l x = true -> value l <= (if shift_low x then 1 - value (around_lower c) else 0) + IZR (low x) / IZR (unit c).
Proof.
  unfold keeps. pose proof (f_unit all_facts) as U. assert (U0 : (0 <= unit c)%Z) by lia. apply IZR_lt in U.
  destruct (nceil _ _) as [z|] eqn:F; [|discriminate]. intros H. apply Z.leb_le, IZR_le in H. apply nceil_ge in F; [|assumption].
  apply (Rmult_le_reg_r (IZR (unit c))); [assumption|]. rewrite Rmult_plus_distr_r. unfold Rdiv. rewrite (Rmult_assoc (IZR (low x))), Rinv_l, Rmult_1_r by lra.
  destruct (shift_low x); [rewrite value_add, value_sub, value_1 in F|]; lra.
Qed.

Theorem sound_inside st : In st (statements c) -> forall alpha, value (alpha_upper c) <= alpha -> alpha <= value (alpha_lower c) ->
  let advantage F s t := full_cprob P F s - alpha * full_cprob P F t in
  (forall F, advantage F (st_from st) (st_to st) <= value (st_upper st) /\ advantage F (st_to st) (st_from st) <= value (st_upper st))
  /\ exists F, value (st_lower st) <= advantage F (st_from st) (st_to st) \/ value (st_lower st) <= advantage F (st_to st) (st_from st).
Proof.
  intros I alpha L1 L2 advantage. destruct alphas as (A1 & A2 & A3 & A4).
  destruct (f_results all_facts) as (vs & rs & V & R & S). specialize (S st I). unfold statement_ok in S. cbv zeta in S.
  change (table c) with tb in S. set (s := st_from st) in *. set (u := st_to st) in *. set (s' := first tb s) in *. set (u' := first tb u) in *.
  assert (Pr : forall x, In x rs -> proved x).
  { intros x Ix. destruct (run_all_in _ _ _ _ _ R x Ix) as [[]|(r & G)]. apply (run_proved vs r x V G). }
  apply andb_prop in S. destruct S as [S H]. apply andb_prop in S. destruct S as [K1 K2].
  assert (Full : forall F i, full_cprob P F i = cprob P' [lab_of P i] (F (lab_of P i)) (first tb i)).
  { intros F i. unfold full_cprob. apply (merged_cprob m (merges c) (f_places all_facts) (f_merges all_facts) P P_inside). }
  assert (Lab : forall i, lab_of P (first tb i) = lab_of P i).
  { apply (merged_label m (merges c) (f_merges all_facts) P P_inside). }
  assert (Kn : forall i, is_known t i = true -> known (first tb i)).
  { intros i Ki. apply (first_known m (merges c) (f_merges all_facts) i Ki). }
  pose proof (Kn s K1) as Ks. pose proof (Kn u K2) as Ku. fold s' in Ks. fold u' in Ku.
  pose proof (cprob_range P' proper') as Range.
  destruct (Pos.eqb_spec s' u') as [E|E].
  - (* one block *)
    apply andb_prop in H. destruct H as [H1 H2]. apply nle_le in H1, H2. rewrite value_0 in H1, H2.
    assert (L : lab_of P s = lab_of P u) by (rewrite <- (Lab s), <- (Lab u); fold s' u'; rewrite E; reflexivity).
    unfold advantage. split.
    + intros F. rewrite !Full. fold s' u'. rewrite <- L, <- E. pose proof (Range (F (lab_of P s)) [lab_of P s] s'). split; nra.
    + exists (fun _ => Verdict false). left. rewrite !Full. simpl. lra.
  - assert (La : label_in t s' = lab_of P s /\ label_in t u' = lab_of P u).
    { rewrite <- (label' s' Ks), <- (label' u' Ku). split; apply Lab. }
    destruct La as [La1 La2]. rewrite La1, La2 in H. destruct (Pos.eqb_spec (lab_of P s) (lab_of P u)) as [L|L].
    + (* one label *)
      apply andb_prop in H. destruct H as [H1 H2]. rewrite forallb_forall in H1. set (h := [lab_of P s]).
      assert (Up : forall a b, In (a, b) [(s', u'); (u', s')] -> forall E, cprob P' h E a - value (around_upper c) * cprob P' h E b <= value (st_upper st)).
      { intros a b Iab E0. specialize (H1 (a, b) Iab). cbn [fst snd] in H1. apply orb_true_iff in H1. destruct H1 as [H1|H1].
        - apply nle_le in H1. rewrite value_1 in H1. pose proof (Range E0 h a). pose proof (Range E0 h b). nra.
        - apply existsb_exists in H1. destruct H1 as (x & Ix & Hx). apply andb_prop in Hx. destruct Hx as [Hp Hx]. apply reaches_le in Hx.
          unfold is_about in Hp. apply andb_prop in Hp. destruct Hp as [P1 P2]. apply Pos.eqb_eq in P1, P2.
          destruct (Pr x Ix h) as [G _]. specialize (G E0). rewrite P1, P2 in G. lra. }
      unfold advantage. split.
      * intros F. rewrite !Full. fold s' u'. rewrite <- L. fold h. set (E0 := F (lab_of P s)).
        pose proof (Up s' u' (or_introl eq_refl) E0). pose proof (Up u' s' (or_intror (or_introl eq_refl)) E0).
        pose proof (Range E0 h s'). pose proof (Range E0 h u'). split; nra.
      * apply orb_true_iff in H2. destruct H2 as [H2|H2].
        -- apply nle_le in H2. rewrite value_0 in H2. exists (fun _ => Verdict false). left. rewrite !Full. simpl. lra.
        -- apply existsb_exists in H2. destruct H2 as (x & Ix & Hx). apply andb_prop in Hx. destruct Hx as [Hp Hx]. apply keeps_le in Hx.
           destruct (Pr x Ix h) as [_ [E0 G]]. exists (fun _ => E0). rewrite !Full. fold s' u'. rewrite <- L. fold h.
           pose proof (Range E0 h s'). pose proof (Range E0 h u').
           apply orb_true_iff in Hp. destruct Hp as [Hp|Hp]; unfold is_about in Hp; apply andb_prop in Hp; destruct Hp as [P1 P2];
             apply Pos.eqb_eq in P1, P2; rewrite P1, P2 in G; [left|right]; nra.
    + (* labels that differ *)
      apply andb_prop in H. destruct H as [H1 H2]. apply nle_le in H1, H2. rewrite value_1 in H1, H2. unfold advantage. split.
      * intros F. rewrite !Full. fold s' u'. pose proof (Range (F (lab_of P s)) [lab_of P s] s'). pose proof (Range (F (lab_of P u)) [lab_of P u] u'). split; nra.
      * exists (fun a => Verdict (Pos.eqb a (lab_of P s))). left. rewrite !Full, Pos.eqb_refl.
        destruct (Pos.eqb_spec (lab_of P u) (lab_of P s)) as [e|_]; [congruence|]. simpl. lra.
Qed.
End Inside.

Theorem sound st : In st (statements c) -> holds m c st.
Proof. intros I P P_inside. apply sound_inside; assumption. Qed.
End Sound.
End WithNumbers.
