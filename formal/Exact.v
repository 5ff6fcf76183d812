(** The checker of visits, over any numbers. *)

Require Import List Permutation PArith Arith Field Bool Lia FMapPositive.
Require Import Deltachain.Fields Deltachain.Cover Deltachain.Lower Deltachain.Visits Deltachain.Numbers
  Deltachain.Checker.
Import ListNotations.

Section Program.
Context {N : Numbers}.
Notation nvec := (list (state * num)).
Section OneModel.
Variable places : M.t place.
Variable inputs : M.t (list input).
Variable table : M.t claim.

Record vnode := {
  n_label : label; n_beliefs : list nvec; n_step : bool; n_class : bool;
  n_edges : list (label * (num * positive));
  n_base : nvec; n_ratios : list num;                         (** of a leaf: its beliefs are multiples of one *)
  n_unseen : list (list (positive * num)) }.
Record visits := { v_nodes : list (positive * vnode); v_visits : list (positive * num); v_starts : list positive }.

Variable k : nat.                                   (** runs that are watched *)
Variable alphabet : list label.
Variable nodes : M.t vnode.

Definition belief (q : vnode) (j : nat) : nvec := nth j (n_beliefs q) [].
Definition belief_at (id : positive) (j : nat) : nvec := match M.find id nodes with Some q => belief q j | None => [] end.
Definition steps_at (id : positive) : bool := match M.find id nodes with Some q => n_step q | None => false end.
Definition edges_at (id : positive) : list (label * (num * positive)) := match M.find id nodes with Some q => n_edges q | None => [] end.
Definition in_alphabet (a : label) : bool := marked (marks alphabet) a.

Definition node_masses (q : vnode) : list num := map total (n_beliefs q).
Definition unseen_of (q : vnode) (j : nat) : list (positive * num) := nth j (n_unseen q) [].

Definition edge_ok (q : vnode) (e : label * (num * positive)) : bool :=
  nle n0 (fst (snd e)) && in_alphabet (fst e) &&
  match M.find (snd (snd e)) nodes with
  | Some c => Nat.eqb (length (n_beliefs c)) k && forallb (pure_at places (fst e)) (n_beliefs c) && (n_step q || negb (n_step c))
  | None => false
  end.
(** The shares of the masses are the same after a letter. *)
Definition shares_ok (q : vnode) (e : label * (num * positive)) : bool :=
  match M.find (snd (snd e)) nodes with
  | Some c => let all := nsum (fun x => x) (node_masses q) in let there := nsum (fun x => x) (node_masses c) in
      forallb (fun j => neq (nmul all (nth j (node_masses c) n0)) (nmul there (nth j (node_masses q) n0))) (seq 0 k)
  | None => false
  end.
Definition letters_ok (q : vnode) (asked : input) (j : nat) : bool :=
  forallb (unseen_ok table) (unseen_of q j)
  && vanishes (nstep places asked (belief q j)
               ++ flat_map (fun e => nscaled (nneg (fst (snd e))) (belief_at (snd (snd e)) j)) (n_edges q)
               ++ flat_map (unseen_vec table) (unseen_of q j)).
Definition moves_ok (q : vnode) : bool :=
  match choices inputs (n_label q) with
  | [asked] => ascending (map fst (n_edges q)) && forallb (edge_ok q) (n_edges q) && forallb (letters_ok q asked) (seq 0 k)
  | _ => false
  end.
Definition leaf_ok (q : vnode) : bool :=
  nonneg_entries (n_base q)
  && forallb (fun j => forallb (unseen_ok table) (unseen_of q j)
                       && vanishes (belief q j ++ nscaled (nneg (nth j (n_ratios q) n0)) (n_base q) ++ flat_map (unseen_vec table) (unseen_of q j))) (seq 0 k)
  && Nat.eqb (length (n_ratios q)) k.
Definition vnode_ok (e : positive * vnode) : bool :=
  let q := snd e in
  Nat.eqb (length (n_beliefs q)) k
  && forallb (fun v => nonneg_entries v && pure_at places (n_label q) v) (n_beliefs q)
  && (if n_step q then moves_ok q else if n_class q then moves_ok q && forallb (shares_ok q) (n_edges q) else leaf_ok q).

Variable hs : list (positive * num).
Variable starts : list positive.
Variable runs : list state.
Definition start_label (id : positive) : label := match M.find id nodes with Some q => n_label q | None => 1%positive end.
Definition start_ok (id : positive) : bool :=
  in_alphabet (start_label id) && match M.find id nodes with Some _ => true | None => false end.
Definition origin_ok (js : nat * state) : bool :=
  vanishes (flat_map (fun id => belief_at id (fst js)) starts ++ [(snd js, nneg n1)]).
(** What the visits of a node pass on, taken away. *)
Definition passed_on (e : positive * num) : nvec :=
  if steps_at (fst e) then map (fun q => (snd (snd q), nneg (nmul (snd e) (fst (snd q))))) (edges_at (fst e)) else [].
Definition balance_ok : bool :=
  vanishes (hs ++ map (fun id => (id, nneg n1)) starts
            ++ flat_map passed_on hs).
Definition visits_ok : bool :=
  Nat.eqb (length runs) k
  && in_alphabet 1%positive && forallb (fun e : state * place => in_alphabet (place_label (snd e))) (M.elements places)
  && forallb vnode_ok (M.elements nodes)
  && forallb (fun e : positive * num => nle n0 (snd e)) hs
  && forallb start_ok starts && ascending (map start_label starts)
  && forallb origin_ok (combine (seq 0 k) runs)
  && balance_ok.
(** How much arrives where nothing more is learned, and the masses there. *)
Definition endings : list (num * list num) :=
  flat_map (fun e => match M.find (fst e) nodes with Some q => if n_step q then [] else [(snd e, node_masses q)] | None => [] end) hs.

(** ** What it means *)

Context {F : Type} {OF : OrderedField F} {V : Meaning N F}.
Add Field F_field : f_field.
Notation P := (chain_of places).
Hypothesis places_ok : forall i p, M.find i places = Some p -> place_ok places inputs (i, p) = true.
Hypothesis claims_ok : forall l q, M.find l table = Some q -> claim_ok places inputs table (l, q) = true.
Hypothesis alphabet_once : NoDup alphabet.
Hypothesis ok : visits_ok = true.

(** Rows of weights, any numbers. *)
Variable rows : list (list F).
Hypothesis rows_some : rows <> [].
Hypothesis rows_fit : forall w, In w rows -> length w = k.
Fixpoint weighed_at (w : list F) (j : nat) (m : nat -> F) : F :=
  match w with [] => 0 | c :: r => c * m j + weighed_at r (S j) m end.
Definition row_value (w : list F) (m : nat -> F) : F := weighed_at w 0 m.
Definition row_values : list ((nat -> F) -> F) := map row_value rows.
(** The runs whose first letter it is. *)
Definition first_of (ss : list state) (a : label) (E : event) (j : nat) : F :=
  match nth_error ss j with Some s => if Pos.eqb (lab P s) a then prob P E s else 0 | None => 0 end.

Lemma weighed_ext w : forall j m m', (forall j, m j = m' j) -> weighed_at w j m = weighed_at w j m'.
Proof. induction w as [|c w IH]; intros j m m' H; simpl; [reflexivity|]. rewrite H, (IH _ _ _ H). reflexivity. Qed.
Lemma weighed_sum w {A} (g : A -> nat -> F) (l : list A) : forall j, weighed_at w j (fun j => sum (fun x => g x j) l) = sum (fun x => weighed_at w j (g x)) l.
Proof.
  induction w as [|c w IH]; intros j; simpl; [symmetry; apply sum_zero; reflexivity|]. rewrite IH, sum_plus, <- sum_times. reflexivity.
Qed.
Lemma weighed_times w c m : forall j, weighed_at w j (fun j => c * m j) = c * weighed_at w j m.
Proof. induction w as [|d w IH]; intros j; simpl; [ring|]. rewrite IH. ring. Qed.
(** The best row. *)
Definition highest (m : nat -> F) : F := match rows with [] => 0 | w :: r => fold_right (fun w b => fmax (row_value w m) b) (row_value w m) r end.
Lemma highest_ge w m : In w rows -> row_value w m <= highest m.
Proof.
  unfold highest. clear rows_some rows_fit. destruct rows as [|v r]; [intros []|]. intros [<-|I].
  - induction r as [|x r IH]; simpl; [apply fle_refl | eapply fle_trans; [exact IH | apply fmax_r]].
  - induction r as [|x r IH]; [destruct I|]. simpl. destruct I as [->|I]; [apply fmax_l | eapply fle_trans; [apply IH, I | apply fmax_r]].
Qed.
Lemma highest_is m : exists w, In w rows /\ highest m = row_value w m.
Proof.
  unfold highest. clear rows_fit. destruct rows as [|v r]; [contradiction|]. clear rows_some. induction r as [|x r (w & I & E)]; [exists v; split; [left|]; reflexivity|].
  simpl. unfold fmax. destruct (fle_dec _ _); [exists w | exists x]; (split; [|first [exact E | reflexivity]]); [destruct I as [I|I]; [left | right; right]; exact I | right; left; reflexivity].
Qed.
Lemma highest_ext m m' : (forall j, m j = m' j) -> highest m = highest m'.
Proof.
  intros E. unfold highest. clear rows_some rows_fit. destruct rows as [|v r]; [reflexivity|]. assert (Er : forall w, row_value w m = row_value w m') by (intros; apply weighed_ext, E).
  induction r as [|x r IH]; simpl; [apply Er | rewrite Er, IH; reflexivity].
Qed.
Lemma highest_times c m : 0 <= c -> highest (fun j => c * m j) = c * highest m.
Proof.
  intros C. apply fle_antisym.
  - destruct (highest_is (fun j => c * m j)) as (w & I & ->). unfold row_value. rewrite weighed_times. apply fle_mul_l; [exact C | apply (highest_ge w m I)].
  - destruct (highest_is m) as (w & I & ->). eapply fle_trans; [|apply (highest_ge w _ I)]. unfold row_value. rewrite weighed_times. apply fle_refl.
Qed.

Lemma row_in r : exists w, In w rows /\ forall m, row_worth row_values r m = row_value w m.
Proof.
  unfold row_worth, row_values. destruct (nth_in_or_default r (map row_value rows) (hd (fun _ => 0) (map row_value rows))) as [H|H].
  - apply in_map_iff in H. destruct H as (w & E & Iw). exists w. split; [exact Iw|]. intros m. rewrite <- E. reflexivity.
  - rewrite H. destruct rows as [|w ws]; [contradiction|]. exists w. split; [left; reflexivity | reflexivity].
Qed.
Lemma row_at w : In w rows -> exists r, forall m, row_worth row_values r m = row_value w m.
Proof.
  intros Iw. destruct (In_nth _ _ (fun _ => 0) (in_map row_value _ _ Iw)) as (r & L & E). exists r. intros m. unfold row_worth, row_values.
  rewrite (nth_indep _ _ (fun _ => 0) L). rewrite E. reflexivity.
Qed.

Lemma visits_parts : length runs = k /\ (forall i, In (label_of places i) alphabet)
  /\ (forall id q, M.find id nodes = Some q -> vnode_ok (id, q) = true) /\ (forall e, In e hs -> 0 <= value (snd e))
  /\ (forall id, In id starts -> start_ok id = true) /\ NoDup (map start_label starts)
  /\ (forall js, In js (combine (seq 0 k) runs) -> origin_ok js = true) /\ balance_ok = true.
Proof.
  pose proof ok as H. unfold visits_ok in H. repeat (apply andb_prop in H; destruct H as [H ?]).
  assert (Al : forall a, in_alphabet a = true -> In a alphabet).
  { intros a Ha. unfold in_alphabet, marked, marks in Ha. destruct (M.find a _) as [u|] eqn:E; [|discriminate]. apply of_list_in in E.
    apply in_map_iff in E. destruct E as (b & E & Ib). inversion E; subst. exact Ib. }
  repeat split.
  - apply Nat.eqb_eq. assumption.
  - intros i. unfold label_of. destruct (M.find i places) as [p|] eqn:E; [|apply Al; assumption].
    match goal with X : forallb _ (M.elements places) = true |- _ => rewrite forallb_forall in X; apply Al, (X (i, p)), M.elements_correct, E end.
  - intros id q E. match goal with X : forallb _ (M.elements nodes) = true |- _ => rewrite forallb_forall in X; apply X, M.elements_correct, E end.
  - intros e Ie. match goal with X : forallb _ hs = true |- _ => rewrite forallb_forall in X; apply nle_0, X, Ie end.
  - intros id I'. match goal with X : forallb start_ok starts = true |- _ => rewrite forallb_forall in X; apply X, I' end.
  - apply ascending_nodup. assumption.
  - intros js I'. match goal with X : forallb origin_ok _ = true |- _ => rewrite forallb_forall in X; apply X, I' end.
  - assumption.
Qed.

Definition mu (id : positive) (E : event) (j : nat) : F := dot (vals (belief_at id j)) (prob P E).
Definition v_edges (id : positive) : list (label * (F * positive)) := map (fun e => (fst e, (value (fst (snd e)), snd (snd e)))) (edges_at id).
Definition rests (id : positive) : bool := match M.find id nodes with Some q => n_step q || n_class q | None => false end.

(** Parts of a vector by the label that comes next *)
Lemma then_next a E j : prob P ((fun b => if Pos.eqb b a then E else Verdict false) (lab P j)) j = if Pos.eqb (label_of places j) a then prob P E j else 0.
Proof. simpl. destruct (Pos.eqb (label_of places j) a); reflexivity. Qed.
Lemma pure_then a b v E : pure_at places b v = true -> dot (vals v) (next P (fun c => if Pos.eqb c a then E else Verdict false)) =
  if Pos.eqb b a then dot (vals v) (prob P E) else 0.
Proof.
  intros Pu. rewrite (dot_ext _ _ (fun i => if Pos.eqb b a then prob P E i else 0)).
  - destruct (Pos.eqb b a); [reflexivity | apply dot_zero].
  - intros i x I'. unfold next. pose proof (pure_spec places _ _ _ Pu I') as L. simpl in L. rewrite then_next, L. reflexivity.
Qed.

Lemma node_facts id q : M.find id nodes = Some q -> length (n_beliefs q) = k
  /\ (forall j, nonneg_entries (belief q j) = true /\ pure_at places (n_label q) (belief q j) = true)
  /\ (n_step q || n_class q = true -> moves_ok q = true)
  /\ (n_step q = false -> n_class q = true -> forallb (shares_ok q) (n_edges q) = true)
  /\ (n_step q = false -> n_class q = false -> leaf_ok q = true).
Proof.
  intros E. destruct visits_parts as (_ & _ & Nk & _). pose proof (Nk id q E) as H. unfold vnode_ok in H. cbn [snd] in H.
  apply andb_prop in H. destruct H as [H Kind]. apply andb_prop in H. destruct H as [H Pu]. split; [apply Nat.eqb_eq, H|]. split.
  { intros j. unfold belief. destruct (nth_in_or_default j (n_beliefs q) []) as [I'|D]; [|rewrite D; split; reflexivity].
    rewrite forallb_forall in Pu. specialize (Pu _ I'). apply andb_prop in Pu. exact Pu. }
  destruct (n_step q); [|destruct (n_class q)].
  - split; [intros; exact Kind | split; discriminate].
  - apply andb_prop in Kind. destruct Kind as [Mo Sh]. split; [intros; exact Mo | split; [intros; exact Sh | discriminate]].
  - split; [discriminate | split; [discriminate | intros; exact Kind]].
Qed.

Lemma moves_facts id q : M.find id nodes = Some q -> n_step q || n_class q = true ->
  NoDup (map fst (n_edges q))
  /\ (forall e, In e (n_edges q) -> 0 <= value (fst (snd e)) /\ In (fst e) alphabet
       /\ (exists c, M.find (snd (snd e)) nodes = Some c /\ (n_step q = true \/ n_step c = false)) /\ forall j, pure_at places (fst e) (belief_at (snd (snd e)) j) = true)
  /\ (forall kk c j, stepped P kk (vals (belief q j)) (next P c) = sum (fun e => value (fst (snd e)) * dot (vals (belief_at (snd (snd e)) j)) (next P c)) (n_edges q)).
Proof.
  intros E St. destruct (node_facts id q E) as (Lk & Be & Mo & _). specialize (Mo St). unfold moves_ok in Mo.
  destruct (choices inputs (n_label q)) as [|asked [|? ?]] eqn:Ch; try discriminate. apply andb_prop in Mo. destruct Mo as [Mo Le].
  apply andb_prop in Mo. destruct Mo as [As Ed]. rewrite forallb_forall in Ed, Le. split; [apply ascending_nodup, As|].
  assert (Edges : forall e, In e (n_edges q) -> 0 <= value (fst (snd e)) /\ In (fst e) alphabet
       /\ (exists c, M.find (snd (snd e)) nodes = Some c /\ length (n_beliefs c) = k /\ (n_step q = true \/ n_step c = false)) /\ forall j, pure_at places (fst e) (belief_at (snd (snd e)) j) = true).
  { intros e Ie. specialize (Ed e Ie). unfold edge_ok in Ed. destruct (M.find (snd (snd e)) nodes) as [c|] eqn:Ec; [|rewrite andb_false_r in Ed; discriminate].
    apply andb_prop in Ed. destruct Ed as [Ed X]. apply andb_prop in Ed. destruct Ed as [Ed1 Ed2]. apply andb_prop in X. destruct X as [X1 X3].
    apply andb_prop in X1. destruct X1 as [X1 X2]. split; [apply nle_0, Ed1|]. split.
    { unfold in_alphabet, marked, marks in Ed2. destruct (M.find (fst e) _) as [u|] eqn:U; [|discriminate]. apply of_list_in in U.
      apply in_map_iff in U. destruct U as (b & U & Ib). inversion U; subst. exact Ib. }
    split.
    { exists c. split; [reflexivity|]. split; [apply Nat.eqb_eq, X1|]. apply orb_prop in X3. destruct X3 as [X3|X3]; [left; exact X3 | right; apply negb_true_iff, X3]. }
    intros j. unfold belief_at. rewrite Ec. unfold belief. destruct (nth_in_or_default j (n_beliefs c) []) as [I'|D]; [|rewrite D; reflexivity].
    rewrite forallb_forall in X2. apply X2, I'. }
  split.
  { intros e Ie. destruct (Edges e Ie) as (A & B & (c & C1 & _ & C2) & D). split; [exact A|]. split; [exact B|]. split; [exists c; auto | exact D]. }
  intros kk c j. destruct (Nat.lt_ge_cases j k) as [Lt|Ge].
  - specialize (Le j). unfold letters_ok in Le. assert (Ij : In j (seq 0 k)) by (apply in_seq; lia). specialize (Le Ij).
    apply andb_prop in Le. destruct Le as [Us Va]. apply (vanishes_dot _ (next P c)) in Va.
    rewrite !vals_app, !dot_app, nstep_dot, !dot_flat_map in Va.
    rewrite (sum_zero (fun x => dot (vals (unseen_vec table x)) (next P c))) in Va.
    2: { intros x Ix. rewrite forallb_forall in Us. apply (unseen_next places inputs table places_ok claims_ok), Us, Ix. }
    rewrite (sum_ext (fun x => dot (vals (nscaled (nneg (fst (snd x))) (belief_at (snd (snd x)) j))) (next P c))
      (fun e => 0 - value (fst (snd e)) * dot (vals (belief_at (snd (snd e)) j)) (next P c))) in Va
      by (intros; rewrite nscaled_dot, value_neg; ring).
    rewrite sum_minus in Va. rewrite (sum_zero (fun _ => 0)) in Va by reflexivity.
    assert (Sk : stepped P kk (vals (belief q j)) (next P c) = stepped P asked (vals (belief q j)) (next P c)).
    { rewrite <- !nstep_dot. f_equal. f_equal. destruct (Be j) as [_ Pu]. unfold belief in *.
      assert (G : forall v, pure_at places (n_label q) v = true -> nstep places kk v = nstep places asked v).
      { induction v as [|[i x] v IH]; simpl; intros H; [reflexivity|]. apply andb_prop in H. destruct H as [A B]. apply Pos.eqb_eq in A.
        rewrite (IH B). f_equal. f_equal. rewrite (row_choice places inputs places_ok kk i), (row_choice places inputs places_ok asked i), A.
        pose proof (choice_in inputs (n_label q) kk) as C1. pose proof (choice_in inputs (n_label q) asked) as C2. rewrite Ch in C1, C2.
        destruct C1 as [<-|[]]. destruct C2 as [<-|[]]. reflexivity. }
      apply G, Pu. }
    rewrite Sk. set (x := stepped P asked _ _) in *. set (y := sum (fun x => value (fst (snd x)) * _) (n_edges q)) in *.
    transitivity (x + (0 - y + 0) + y); [ring | rewrite Va; ring].
  - assert (Z : belief q j = []) by (unfold belief; apply nth_overflow; lia). rewrite Z. unfold stepped. simpl. symmetry. apply sum_zero.
    intros e Ie. destruct (Edges e Ie) as (_ & _ & (c' & C1 & C2 & _) & _). unfold belief_at. rewrite C1. unfold belief. rewrite nth_overflow by lia. simpl. ring.
Qed.

Lemma rows_laws : (forall r m m', (forall j, m j = m' j) -> row_worth row_values r m = row_worth row_values r m')
  /\ (forall r A (g : A -> nat -> F) (l : list A), row_worth row_values r (fun j => sum (fun x => g x j) l) = sum (fun x => row_worth row_values r (g x)) l)
  /\ (forall r c m, row_worth row_values r (fun j => c * m j) = c * row_worth row_values r m).
Proof.
  repeat split; intros r; destruct (row_in r) as (w & _ & W); intros; rewrite ?W.
  - apply weighed_ext. assumption.
  - rewrite (sum_ext (fun x => row_worth row_values r (g x)) (fun x => row_value w (g x))) by (intros; apply W). apply weighed_sum.
  - apply weighed_times.
Qed.

Lemma leads_at id kk a E j : rests id = true ->
  later kk a (mu id) E j = sum (fun q => if Pos.eqb (fst q) a then fst (snd q) * mu (snd (snd q)) E j else 0) (v_edges id).
Proof.
  unfold rests, v_edges, edges_at. destruct (M.find id nodes) as [q|] eqn:E'; [|discriminate]. intros St.
  destruct (moves_facts id q E' St) as (_ & Ed & Le). unfold later, mu at 1, then_at, belief_at. rewrite E'.
  etransitivity; [apply (Le kk (fun b => if Pos.eqb b a then E else Verdict false) j)|]. rewrite sum_map. apply sum_ext. intros e Ie. cbn [fst snd].
  destruct (Ed e Ie) as (_ & _ & _ & Pu). rewrite (pure_then a (fst e) _ E (Pu j)). unfold mu. destruct (Pos.eqb (fst e) a); ring.
Qed.
Lemma kept_at id j : rests id = true -> sum (fun q => fst (snd q) * mu (snd (snd q)) (Verdict true) j) (v_edges id) = mu id (Verdict true) j.
Proof.
  unfold rests, v_edges, edges_at. destruct (M.find id nodes) as [q|] eqn:E'; [|discriminate]. intros St.
  destruct (moves_facts id q E' St) as (_ & _ & Le). rewrite sum_map. cbn [fst snd].
  pose proof (Le 1%positive (fun _ => Verdict true) j) as L.
  assert (N1 : forall i, next P (fun _ => Verdict true) i = one i) by reflexivity.
  unfold stepped in L. rewrite (dot_ext_all _ _ one) in L.
  2: { intros i. rewrite (dot_ext_all _ _ one) by exact N1. apply (chain_stochastic places inputs places_ok). }
  unfold mu at 2, belief_at. rewrite E'. symmetry. exact L.
Qed.

(** Ends *)

Lemma leaf_worth d : forall (z : vec F) (r : nat -> F) kappa, all_nonneg z -> (forall w, In w rows -> row_value w r <= kappa) ->
  worth alphabet row_values d (fun E j => r j * dot z (prob P E)) <= kappa * dot z one.
Proof.
  destruct visits_parts as (_ & Lab & _). destruct rows_laws as (Rx & _ & Rt).
  induction d as [i|kk c IH]; intros z r kappa Z K; simpl.
  - destruct (row_in i) as (w & Iw & W). rewrite W. unfold row_value.
    rewrite (weighed_ext w 0 _ (fun j => dot z one * r j)) by (intros; unfold one; ring). rewrite weighed_times.
    apply (fle_by (dot z one * (kappa - weighed_at w 0 r))); [|ring]. apply fle_mul; [apply dot_nonneg; [exact Z | intros; apply fle_01] | apply fle_sub_inv, (K w Iw)].
  - set (zz := flat_map (fun e => scaled (snd e) (move P kk (fst e))) z).
    assert (Zz : forall f, dot zz f = stepped P kk z f).
    { intros f. unfold zz, stepped. generalize P as C. clear. intros C. induction z as [|[i v] z IHz]; simpl; [reflexivity|]. rewrite dot_app, scaled_dot, IHz. reflexivity. }
    assert (Zn : all_nonneg zz).
    { unfold zz. clear - Z OF places_ok. induction Z as [|[i v] z Hv _ IHz]; simpl; [constructor|]. apply Forall_app. split; [|exact IHz].
      destruct (chain_stochastic places inputs places_ok kk i) as [Nn _]. unfold scaled. apply Forall_forall. intros e He. apply in_map_iff in He.
      destruct He as (e' & <- & Ie). unfold all_nonneg in Nn. rewrite Forall_forall in Nn. simpl. apply fle_mul; [exact Hv | apply Nn, Ie]. }
    set (part a := filter (fun e : state * F => Pos.eqb (label_of places (fst e)) a) zz).
    assert (Pd : forall a E, dot z (prob P (then_at kk a E)) = dot (part a) (prob P E)).
    { intros a E. unfold then_at. simpl. etransitivity; [symmetry; apply (Zz (fun j => prob P (if Pos.eqb (label_of places j) a then E else Verdict false) j))|].
      unfold part. clear. induction zz as [|[i v] y IHy]; simpl; [reflexivity|]. destruct (Pos.eqb (label_of places i) a); simpl; rewrite IHy; [reflexivity | ring]. }
    apply fle_trans with (sum (fun a => kappa * dot (part a) one) alphabet).
    + apply sum_le. intros a _. rewrite (worth_ext alphabet row_values Rx (c a) _ (fun E j => r j * dot (part a) (prob P E))).
      * apply IH; [|exact K]. unfold part. clear - Zn. unfold all_nonneg in *. rewrite Forall_forall in *. intros e Ie. apply filter_In in Ie. apply Zn, Ie.
      * intros E j. unfold later. rewrite Pd. reflexivity.
    + rewrite sum_times. apply fle_eq. f_equal. transitivity (dot zz one); [|rewrite Zz; apply (stepped_one P (chain_stochastic places inputs places_ok))].
      unfold part. clear - Lab alphabet_once OF. induction zz as [|[i v] y IHy]; simpl; [apply sum_zero; reflexivity|]. rewrite <- IHy.
      rewrite (sum_ext _ (fun a => (if Pos.eqb (label_of places i) a then v * one i else 0) + dot (filter (fun e : state * F => Pos.eqb (label_of places (fst e)) a) y) one)).
      * rewrite sum_plus. f_equal. apply (sum_pick alphabet (label_of places i) (fun _ => v * one i) alphabet_once (Lab i)).
      * intros a _. destruct (Pos.eqb (label_of places i) a); simpl; [reflexivity | ring].
Qed.

Lemma mass_value id q j : M.find id nodes = Some q -> mu id (Verdict true) j = value (nth j (node_masses q) n0).
Proof.
  intros E. unfold mu, belief_at, belief, node_masses. rewrite E. simpl prob. destruct (Nat.lt_ge_cases j (length (n_beliefs q))) as [L|G].
  - rewrite (nth_indep _ n0 (total []) ltac:(rewrite map_length; exact L)). rewrite map_nth, total_value. reflexivity.
  - rewrite !nth_overflow by (rewrite ?map_length; exact G). simpl. symmetry. apply value_0.
Qed.
Definition best (id : positive) : F := highest (fun j => mu id (Verdict true) j).

Lemma ends_worth d : forall id, steps_at id = false -> worth alphabet row_values d (mu id) <= best id.
Proof.
  destruct visits_parts as (_ & Lab & _). destruct rows_laws as (Rx & Rs & Rt).
  assert (Best : forall r id, row_worth row_values r (mu id (Verdict true)) <= best id).
  { intros r id. destruct (row_in r) as (w & Iw & W). rewrite W. apply (highest_ge w _ Iw). }
  assert (Nothing : forall id, (forall E j, mu id E j = 0) -> best id = 0).
  { intros id Z. unfold best. rewrite (highest_ext _ (fun j => 0 * 0)) by (intros; rewrite Z; ring). rewrite (highest_times 0 (fun _ => 0)) by apply fle_refl. ring. }
  assert (Zero : forall d id, M.find id nodes = None -> worth alphabet row_values d (mu id) <= best id).
  { intros d' id E. assert (Z : forall E j, mu id E j = 0) by (intros; unfold mu, belief_at; rewrite E; reflexivity).
    rewrite (Nothing id Z). apply fle_eq, (worth_zero alphabet row_values Rx Rt), Z. }
  assert (Leaf : forall d id q, M.find id nodes = Some q -> n_step q = false -> n_class q = false -> worth alphabet row_values d (mu id) <= best id).
  { intros d' id q E S1 S2. destruct (node_facts id q E) as (Lk & _ & _ & _ & Lf). specialize (Lf S1 S2). unfold leaf_ok in Lf.
    apply andb_prop in Lf. destruct Lf as [Lf Lr]. apply andb_prop in Lf. destruct Lf as [Zb Mu]. apply Nat.eqb_eq in Lr. rewrite forallb_forall in Mu.
    set (r := fun j => value (nth j (n_ratios q) n0)).
    assert (Mul : forall Ev j, mu id Ev j = r j * dot (vals (n_base q)) (prob P Ev)).
    { intros Ev j. unfold mu, belief_at. rewrite E. destruct (Nat.lt_ge_cases j k) as [Lt|Ge].
      + assert (Ij : In j (seq 0 k)) by (apply in_seq; lia). specialize (Mu j Ij). apply andb_prop in Mu. destruct Mu as [Us Va].
        apply (vanishes_dot _ (prob P Ev)) in Va. rewrite !vals_app, !dot_app, nscaled_dot, value_neg, dot_flat_map in Va.
        rewrite (sum_zero (fun x => dot (vals (unseen_vec table x)) (prob P Ev))) in Va.
        2: { intros x Ix. rewrite forallb_forall in Us. apply (unseen_zero places inputs table places_ok claims_ok), Us, Ix. }
        unfold r. set (x := dot (vals (belief q j)) _) in *. set (y := value _ * _). transitivity (x + (- value (nth j (n_ratios q) n0) * dot (vals (n_base q)) (prob P Ev) + 0) + y); [unfold y; ring | rewrite Va; ring].
      + unfold r, belief. rewrite !nth_overflow by lia. simpl. rewrite value_0. ring. }
    pose proof (nonneg_entries_all _ Zb) as Nn.
    rewrite (worth_ext alphabet row_values Rx d' _ (fun Ev j => r j * dot (vals (n_base q)) (prob P Ev))) by exact Mul.
    eapply fle_trans; [apply (leaf_worth d' _ r (highest r) Nn); intros; apply highest_ge; assumption|].
    unfold best. rewrite (highest_ext (fun j => mu id (Verdict true) j) (fun j => dot (vals (n_base q)) one * r j)) by (intros; rewrite Mul; simpl; change (fun _ : state => 1) with (@one F OF); ring).
    rewrite highest_times by (apply dot_nonneg; [exact Nn | intros; apply fle_01]). apply fle_eq. ring. }
  induction d as [r|kk c IH]; intros id S0; (destruct (M.find id nodes) as [q|] eqn:E; [|apply Zero, E]); [apply Best|].
  unfold steps_at in S0. rewrite E in S0. destruct (n_class q) eqn:Cl; [|apply (Leaf _ id q E S0 Cl)].
  assert (Re : rests id = true) by (unfold rests; rewrite E, Cl; apply orb_true_r).
  assert (St : n_step q || n_class q = true) by (rewrite Cl; apply orb_true_r).
  destruct (moves_facts id q E St) as (_ & Ed & _). destruct (node_facts id q E) as (Lk & Be & _ & Sh & _). specialize (Sh S0 Cl). rewrite forallb_forall in Sh.
  assert (Vmass : forall q' : vnode, length (n_beliefs q') = k -> value (nsum (fun x => x) (node_masses q')) = sum (fun j => value (nth j (node_masses q') n0)) (seq 0 k)).
  { intros q' L. rewrite nsum_value. unfold node_masses. rewrite <- L. generalize (n_beliefs q'). clear. intros l.
    assert (G : forall (l : list num) n, sum value l = sum (fun j => value (nth (j - n) l n0)) (seq n (length l))).
    { induction l0 as [|x l0 IHl]; intros n; simpl; [reflexivity|]. rewrite Nat.sub_diag. f_equal. rewrite (IHl (S n)). apply sum_ext. intros j Ij. apply in_seq in Ij.
      replace (j - n)%nat with (S (j - S n)) by lia. reflexivity. }
    rewrite (G _ 0%nat), map_length. apply sum_ext. intros j _. rewrite Nat.sub_0_r. reflexivity. }
  set (m := fun j => mu id (Verdict true) j). set (all := sum m (seq 0 k)).
  assert (M0 : forall j, 0 <= m j) by (intros j; unfold m, mu, belief_at; rewrite E; apply dot_nonneg; [apply nonneg_entries_all, (Be j) | intros; simpl; apply fle_01]).
  assert (All0 : 0 <= all) by (apply sum_nonneg; intros; apply M0).
  rewrite (worth_letters alphabet row_values Rx Rs Rt (mu id) mu (v_edges id) kk c alphabet_once).
  2: { intros a Ev j. apply leads_at, Re. }
  2: { intros e Ie. unfold v_edges, edges_at in Ie. rewrite E in Ie. apply in_map_iff in Ie. destruct Ie as (e' & <- & Ie). apply (Ed e' Ie). }
  assert (Edge : forall e, In e (v_edges id) -> 0 <= fst (snd e) /\ steps_at (snd (snd e)) = false
    /\ (forall j, 0 <= mu (snd (snd e)) (Verdict true) j) /\ (forall j, (k <= j)%nat -> mu (snd (snd e)) (Verdict true) j = 0)
    /\ forall j, (j < k)%nat -> all * mu (snd (snd e)) (Verdict true) j = sum (mu (snd (snd e)) (Verdict true)) (seq 0 k) * m j).
  { intros e Ie. unfold v_edges, edges_at in Ie. rewrite E in Ie. apply in_map_iff in Ie. destruct Ie as (e' & <- & Ie). cbn [fst snd].
    destruct (Ed e' Ie) as (W & _ & (c' & C1 & C2) & _). split; [exact W|]. destruct (node_facts _ c' C1) as (Lc & Bc & _).
    split; [unfold steps_at; rewrite C1; destruct C2 as [C2|C2]; [congruence | exact C2]|].
    split; [intros j; unfold mu, belief_at; rewrite C1; apply dot_nonneg; [apply nonneg_entries_all, (Bc j) | intros; simpl; apply fle_01]|].
    split; [intros j Hj; unfold mu, belief_at; rewrite C1; unfold belief; rewrite nth_overflow by lia; reflexivity|].
    intros j Hj. specialize (Sh e' Ie). unfold shares_ok in Sh. rewrite C1, forallb_forall in Sh. assert (Ij : In j (seq 0 k)) by (apply in_seq; lia). specialize (Sh j Ij).
    apply neq_eq in Sh. rewrite !value_mul, (Vmass q Lk), (Vmass c' Lc) in Sh. unfold all, m.
    rewrite (sum_ext (mu id (Verdict true)) (fun j => value (nth j (node_masses q) n0))) by (intros; apply mass_value, E).
    rewrite (sum_ext (mu (snd (snd e')) (Verdict true)) (fun j => value (nth j (node_masses c') n0))) by (intros; apply mass_value, C1).
    rewrite (mass_value id q j E), (mass_value _ c' j C1). exact Sh. }
  apply fle_trans with (sum (fun e => fst (snd e) * best (snd (snd e))) (v_edges id)).
  { apply sum_le. intros e Ie. destruct (Edge e Ie) as (W & S2 & _). apply fle_mul_l; [exact W | apply IH, S2]. }
  destruct (fle_dec all 0) as [Z|Pos].
  - (* Nothing is here, and nothing later *)
    assert (Zm : forall j, m j = 0).
    { intros j. destruct (Nat.lt_ge_cases j k) as [L|G]; [|unfold m, mu, belief_at; rewrite E; unfold belief; rewrite nth_overflow by lia; reflexivity].
      apply fle_antisym; [|apply M0]. eapply fle_trans; [|exact Z]. unfold all. assert (Ij : In j (seq 0 k)) by (apply in_seq; lia). revert Ij. generalize (seq 0 k). clear - M0 OF. induction l as [|x l IHl]; [intros []|].
      intros [->|I]; simpl; [apply (fle_by (sum m l)); [apply sum_nonneg; intros; apply M0 | ring] | eapply fle_trans; [apply IHl, I | apply (fle_by (m x)); [apply M0 | ring]]]. }
    assert (Bi : best id = 0) by (apply Nothing; intros Ev j; unfold mu, belief_at; rewrite E; apply fle_antisym;
      [|apply dot_nonneg; [apply nonneg_entries_all, (Be j) | intros; apply (prob_range P (chain_stochastic places inputs places_ok))]];
      specialize (Zm j); unfold m, mu, belief_at in Zm; rewrite E in Zm; rewrite <- Zm; apply dot_mono; [apply nonneg_entries_all, (Be j) | intros; simpl; apply (prob_range P (chain_stochastic places inputs places_ok))]).
    rewrite Bi. apply fle_eq, sum_zero. intros e Ie. destruct (Edge e Ie) as (W & _ & Nn & _).
    assert (Each : forall j, fst (snd e) * mu (snd (snd e)) (Verdict true) j = 0).
    { intros j. apply fle_antisym; [|apply fle_mul; [exact W | apply Nn]]. pose proof (kept_at id j Re) as Kj. fold (m j) in Kj. rewrite Zm in Kj. rewrite <- Kj.
      clear Kj. revert Ie. assert (Nq : forall q, In q (v_edges id) -> 0 <= fst (snd q) * mu (snd (snd q)) (Verdict true) j) by (intros q' Iq; destruct (Edge q' Iq) as (Wq & _ & Nq & _); apply fle_mul; [exact Wq | apply Nq]).
      revert Nq. generalize (v_edges id). clear. induction l as [|x l IHl]; [intros _ []|]. intros Nq [->|I]; simpl.
      - apply (fle_by (sum (fun q => fst (snd q) * mu (snd (snd q)) (Verdict true) j) l)); [apply sum_nonneg; intros; apply Nq; right; assumption | ring].
      - eapply fle_trans; [apply IHl; [intros; apply Nq; right; assumption | exact I]|]. apply (fle_by (fst (snd x) * mu (snd (snd x)) (Verdict true) j)); [apply Nq; left; reflexivity | ring]. }
    unfold best. rewrite <- (highest_times (fst (snd e)) _ W). rewrite (highest_ext _ (fun j => 0 * 0)) by (intros; rewrite Each; ring). rewrite (highest_times 0 (fun _ => 0)) by apply fle_refl. ring.
  - apply not_fle in Pos. apply (fle_cancel all); [exact Pos|]. rewrite <- sum_times.
    assert (Same : forall e, In e (v_edges id) -> all * (fst (snd e) * best (snd (snd e))) = fst (snd e) * sum (mu (snd (snd e)) (Verdict true)) (seq 0 k) * best id).
    { intros e Ie. destruct (Edge e Ie) as (W & _ & Nn & Far & Shj). set (there := sum (mu (snd (snd e)) (Verdict true)) (seq 0 k)) in *.
      assert (Ml : all * best (snd (snd e)) = there * best id).
      { assert (There : 0 <= there) by (apply sum_nonneg; intros; apply Nn). unfold best. rewrite <- (highest_times all _ All0), <- (highest_times there _ There). apply highest_ext. intros j.
        destruct (Nat.lt_ge_cases j k) as [L|G]; [apply Shj, L|]. rewrite (Far j G). assert (Z : mu id (Verdict true) j = 0) by (unfold mu, belief_at; rewrite E; unfold belief; rewrite nth_overflow by lia; reflexivity). rewrite Z. ring. }
      transitivity (fst (snd e) * (all * best (snd (snd e)))); [ring | rewrite Ml; ring]. }
    rewrite (sum_ext _ _ _ Same). apply fle_eq. transitivity (sum (fun e => fst (snd e) * sum (mu (snd (snd e)) (Verdict true)) (seq 0 k)) (v_edges id) * best id).
    + generalize (v_edges id). clear. induction l as [|x l IHl]; simpl; [ring | rewrite IHl; ring].
    + f_equal. unfold all. rewrite (sum_ext (fun e => fst (snd e) * sum _ _) (fun e => sum (fun j => fst (snd e) * mu (snd (snd e)) (Verdict true) j) (seq 0 k))) by (intros; symmetry; apply sum_times).
      rewrite sum_swap. apply sum_ext. intros j _. apply kept_at, Re.
Qed.

Definition mass_of (id : positive) : F := sum (fun j => mu id (Verdict true) j) (seq 0 k).
Lemma mu_nonneg id j : 0 <= mu id (Verdict true) j.
Proof.
  unfold mu, belief_at. destruct (M.find id nodes) as [q|] eqn:E; [|apply fle_refl]. destruct (node_facts id q E) as (_ & Be & _).
  apply dot_nonneg; [apply nonneg_entries_all, (Be j) | intros; simpl; apply fle_01].
Qed.

Lemma weights_bound : exists most, 0 <= most /\ forall id, best id <= most * mass_of id /\ - best id <= most * mass_of id.
Proof.
  assert (G : forall w j, exists K, 0 <= K /\ forall m : nat -> F, (forall j, 0 <= m j) ->
    weighed_at w j m <= K * sum m (seq j (length w)) /\ - weighed_at w j m <= K * sum m (seq j (length w))).
  { induction w as [|c w IH]; intros j; simpl; [exists 0; split; [apply fle_refl|]; intros; split; apply fle_eq; ring|].
    destruct (IH (S j)) as (K & K0 & HK). destruct (above_both c (- c)) as (A & A1 & A2). destruct (above_both A K) as (B & B1 & B2).
    exists B. split; [eapply fle_trans; eassumption|]. intros m Hm. destruct (HK m Hm) as [H1 H2]. set (s := sum m (seq (S j) (length w))) in *.
    assert (S0 : 0 <= s) by (apply sum_nonneg; intros; apply Hm).
    assert (T : K * s <= B * s) by (apply fle_mul_r; assumption). pose proof (Hm j) as Mj.
    split; [replace (B * (m j + s)) with (B * m j + B * s) by ring; apply fle_add; [|eapply fle_trans; eassumption]; apply fle_mul_r; [exact Mj | eapply fle_trans; eassumption]|].
    replace (- (c * m j + weighed_at w (S j) m)) with (- c * m j + - weighed_at w (S j) m) by ring. replace (B * (m j + s)) with (B * m j + B * s) by ring.
    apply fle_add; [|eapply fle_trans; eassumption]. apply fle_mul_r; [exact Mj | eapply fle_trans; eassumption]. }
  destruct (uniform_above (fun w K => forall m : nat -> F, (forall j, 0 <= m j) -> row_value w m <= K * sum m (seq 0 (length w)) /\ - row_value w m <= K * sum m (seq 0 (length w))) rows) as (K & K0 & HK).
  - intros w a b H L m Hm. destruct (H m Hm) as [H1 H2]. assert (S0 : 0 <= sum m (seq 0 (length w))) by (apply sum_nonneg; intros; apply Hm).
    split; (eapply fle_trans; [eassumption|]; apply fle_mul_r; assumption).
  - intros w _. destruct (G w 0%nat) as (K & _ & HK). exists K. exact HK.
  - exists K. split; [exact K0|]. intros id. unfold best. destruct (highest_is (fun j => mu id (Verdict true) j)) as (w & Iw & ->). unfold mass_of. rewrite <- (rows_fit w Iw). apply HK; [exact Iw | apply mu_nonneg].
Qed.

Lemma endings_nonneg e : In e endings -> 0 <= value (fst e) /\ forall j, 0 <= value (nth j (snd e) n0).
Proof.
  intros Ie. unfold endings in Ie. apply in_flat_map in Ie. destruct Ie as ((id & h) & Ih & Ie). cbn [fst snd] in Ie. destruct visits_parts as (_ & _ & _ & Hn & _).
  destruct (M.find id nodes) as [q|] eqn:E; [|destruct Ie]. destruct (n_step q); [destruct Ie|]. destruct Ie as [<-|[]]. cbn [fst snd].
  split; [apply (Hn (id, h) Ih)|]. intros j. rewrite <- (mass_value id q j E). apply mu_nonneg.
Qed.

Lemma endings_length e : In e endings -> length (snd e) = k.
Proof.
  intros Ie. unfold endings in Ie. apply in_flat_map in Ie. destruct Ie as ((id & h) & Ih & Ie). cbn [fst snd] in Ie.
  destruct (M.find id nodes) as [q|] eqn:E; [|destruct Ie]. destruct (n_step q); [destruct Ie|]. destruct Ie as [<-|[]]. cbn [snd]. unfold node_masses. rewrite map_length. apply (node_facts id q E).
Qed.

(** What is worth most, in all. *)
Definition ends_value : F := sum (fun e => value (fst e) * highest (fun j => value (nth j (snd e) n0))) endings.
Theorem visits_exact :
  (forall c, total_worth alphabet row_values (first_of runs) c <= ends_value)
  /\ forall eta, 0 < eta -> exists c, ends_value - eta <= total_worth alphabet row_values (first_of runs) c.
Proof.
  destruct visits_parts as (Lr & Lab & Nk & Hn & St & Once & Or & Ba). destruct rows_laws as (Rx & Rs & Rt). destruct weights_bound as (most & M0 & MB).
  set (listed := map (fun e : positive * num => (value (snd e), fst e)) hs).
  assert (Val : visits_value positive steps_at listed best = ends_value).
  { unfold visits_value, Visited, listed, ends_value, endings. rewrite sum_map.
    assert (G : forall l, sum (fun x => value (snd x) * at_end positive steps_at best (fst x)) l = sum (fun e => value (fst e) * highest (fun j => value (nth j (snd e) n0)))
      (flat_map (fun e => match M.find (fst e) nodes with Some q => if n_step q then [] else [(snd e, node_masses q)] | None => [] end) l)); [|apply G].
    assert (App : forall (g : num * list num -> F) l l', sum g (l ++ l') = sum g l + sum g l') by (intros g l l'; clear; induction l as [|x l IHl]; simpl; [ring | rewrite IHl; ring]).
    induction l as [|[id h] l IHl]; [reflexivity|]. cbn [flat_map]. rewrite App, <- IHl. simpl sum at 1. cbn [fst snd]. f_equal. unfold at_end, steps_at.
    destruct (M.find id nodes) as [q|] eqn:E.
    - destruct (n_step q); simpl; [ring|]. unfold best. rewrite (highest_ext _ (fun j => value (nth j (node_masses q) n0))) by (intros; apply mass_value, E). ring.
    - assert (best id = 0) as ->; [|simpl; ring]. unfold best. rewrite (highest_ext _ (fun j => 0 * 0)) by (intros; unfold mu, belief_at; rewrite E; simpl; ring).
      rewrite (highest_times 0 (fun _ => 0)) by apply fle_refl. ring. }
  assert (Rest : forall id, steps_at id = true -> rests id = true).
  { intros id. unfold steps_at, rests. destruct (M.find id nodes) as [q|]; [|discriminate]. intros ->. reflexivity. }
  assert (Facts : forall id, steps_at id = true -> NoDup (map fst (v_edges id)) /\ forall q, In q (v_edges id) -> 0 <= fst (snd q) /\ In (fst q) alphabet).
  { intros id S0. unfold v_edges, edges_at. pose proof (Rest id S0) as R. unfold steps_at in S0. unfold rests in R. destruct (M.find id nodes) as [q|] eqn:E; [|discriminate].
    destruct (moves_facts id q E R) as (Nd & Ed & _). split; [rewrite map_map; exact Nd|]. intros e Ie. apply in_map_iff in Ie. destruct Ie as (e' & <- & Ie). cbn [fst snd].
    destruct (Ed e' Ie) as (A & B & _). auto. }
  assert (Balance : forall g, Visited positive listed g = Started positive starts g + Visited positive listed (Passed positive steps_at v_edges g)).
  { intros g. unfold balance_ok in Ba. apply (vanishes_dot _ g) in Ba. rewrite !vals_app, !dot_app, dot_flat_map in Ba.
    assert (A1 : dot (vals hs) g = Visited positive listed g).
    { unfold Visited, listed. rewrite sum_map. clear. induction hs as [|[i v] r IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. }
    assert (A2 : dot (vals (map (fun id => (id, nneg n1)) starts)) g = - Started positive starts g).
    { unfold Started. clear. induction starts as [|i r IH]; simpl; [ring|]. rewrite IH, value_neg, value_1. ring. }
    assert (A3 : sum (fun e => dot (vals (passed_on e)) g) hs
      = - Visited positive listed (Passed positive steps_at v_edges g)).
    { unfold Visited, listed. rewrite sum_map. transitivity (sum (fun e => 0 - value (snd e) * Passed positive steps_at v_edges g (fst e)) hs); [|rewrite sum_minus, (sum_zero (fun _ => 0)) by reflexivity; simpl; ring].
      apply sum_ext. intros e _. unfold Passed, passed_on. destruct (steps_at (fst e)); [|simpl; ring]. unfold v_edges. rewrite sum_map. cbn [fst snd].
      induction (edges_at (fst e)) as [|q r IH]; simpl; [ring|]. rewrite IH, value_neg, value_mul. ring. }
    rewrite A1, A2, A3 in Ba. set (x := Visited positive listed g) in *. set (y := Started positive starts g) in *. set (z := Visited positive listed (Passed _ _ _ g)) in *.
    transitivity (x + (- y + - z) + (y + z)); [ring | rewrite Ba; ring]. }
  assert (Kept : forall id j, steps_at id = true -> sum (fun q => fst (snd q) * mu (snd (snd q)) (Verdict true) j) (v_edges id) = mu id (Verdict true) j)
    by (intros; apply kept_at, Rest; assumption).
  assert (MassKept : forall id, steps_at id = true -> sum (fun q => fst (snd q) * mass_of (snd (snd q))) (v_edges id) = mass_of id).
  { intros id S0. unfold mass_of. rewrite (sum_ext _ (fun q => sum (fun j => fst (snd q) * mu (snd (snd q)) (Verdict true) j) (seq 0 k))) by (intros; symmetry; apply sum_times).
    rewrite sum_swap. apply sum_ext. intros j _. apply Kept, S0. }
  assert (BestRow : forall id r, row_worth row_values r (mu id (Verdict true)) <= best id).
  { intros id r. destruct (row_in r) as (w & Iw & W). rewrite W. apply (highest_ge w _ Iw). }
  assert (BestIs : forall id, exists r, best id = row_worth row_values r (mu id (Verdict true))).
  { intros id. unfold best. destruct (highest_is (fun j => mu id (Verdict true) j)) as (w & Iw & ->). destruct (row_at w Iw) as [r R]. exists r. rewrite R. reflexivity. }
  assert (Origin : forall j s, nth_error runs j = Some s -> forall g, sum (fun id => dot (vals (belief_at id j)) g) starts = g s).
  { intros j s Hs g. assert (Lt : (j < k)%nat) by (rewrite <- Lr; apply nth_error_Some; congruence).
    assert (Ij : In (j, s) (combine (seq 0 k) runs)).
    { apply (nth_error_In _ j). rewrite <- Lr. clear - Hs. assert (G : forall n l j, nth_error l j = Some s -> nth_error (combine (seq n (length l)) l) j = Some ((n + j)%nat, s)).
      { intros n l. revert n. induction l as [|x l IH]; intros n [|j'] H; simpl in *; try discriminate; [inversion H; rewrite Nat.add_0_r; reflexivity|].
        rewrite (IH (S n) j' H). f_equal. f_equal. lia. }
      apply (G 0%nat runs j Hs). }
    specialize (Or _ Ij). unfold origin_ok in Or. cbn [fst snd] in Or. apply (vanishes_dot _ g) in Or. rewrite vals_app, dot_app, dot_flat_map in Or. simpl in Or.
    rewrite value_neg, value_1 in Or. set (x := sum _ starts) in *. transitivity (x + (- (1) * g s + 0) + g s); [ring | rewrite Or; ring]. }
  assert (Long : forall j id, nth_error runs j = None -> In id starts -> belief_at id j = []).
  { intros j id Hn' Ii. apply nth_error_None in Hn'. unfold belief_at. destruct (M.find id nodes) as [q|] eqn:E; [|reflexivity]. destruct (node_facts id q E) as (Lk & _).
    unfold belief. apply nth_overflow. lia. }
  assert (Cut : forall id a E j, In id starts -> dot (vals (belief_at id j)) (fun i => if Pos.eqb (label_of places i) a then prob P E i else 0)
     = if Pos.eqb (start_label id) a then mu id E j else 0).
  { intros id a E j Ii. unfold mu, belief_at, start_label. destruct (M.find id nodes) as [q|] eqn:Eq; [|simpl; destruct (Pos.eqb _ a); reflexivity].
    destruct (node_facts id q Eq) as (_ & Be & _). rewrite (dot_ext _ _ (fun i => if Pos.eqb (n_label q) a then prob P E i else 0)).
    - destruct (Pos.eqb (n_label q) a); [reflexivity | apply dot_zero].
    - intros i x I'. pose proof (pure_spec places _ _ _ (proj2 (Be j)) I') as L. simpl in L. rewrite L. reflexivity. }
  assert (FirstSum : forall a E j, first_of runs a E j = sum (fun id => if Pos.eqb (start_label id) a then mu id E j else 0) starts).
  { intros a E j. unfold first_of. destruct (nth_error runs j) as [s|] eqn:Hs.
    - simpl lab. rewrite <- (Origin j s Hs (fun i => if Pos.eqb (label_of places i) a then prob P E i else 0)). apply sum_ext. intros id Ii. apply Cut, Ii.
    - symmetry. apply sum_zero. intros id Ii. unfold mu. rewrite (Long j id Hs Ii). simpl. destruct (Pos.eqb _ a); reflexivity. }
  assert (FirstStart : forall id, In id starts -> forall E j, first_of runs (start_label id) E j = mu id E j).
  { intros id Ii E j. rewrite FirstSum. clear - Ii Once OF. induction starts as [|m r IH]; [destruct Ii|]. simpl. simpl in Once. inversion Once as [|? ? Nm Nr]; subst.
    destruct Ii as [->|Ii].
    - rewrite Pos.eqb_refl. rewrite sum_zero; [ring|]. intros x Ix. destruct (Pos.eqb_spec (start_label x) (start_label id)) as [X|_]; [|reflexivity]. exfalso. apply Nm. rewrite <- X. apply in_map, Ix.
    - destruct (Pos.eqb_spec (start_label m) (start_label id)) as [X|_]; [exfalso; apply Nm; rewrite X; apply in_map, Ii|]. rewrite (IH Nr Ii). ring. }
  assert (FirstNone : forall a, ~ In a (map start_label starts) -> forall E j, first_of runs a E j = 0).
  { intros a Na E j. rewrite FirstSum. apply sum_zero. intros id Ii. destruct (Pos.eqb_spec (start_label id) a) as [X|_]; [exfalso; apply Na; rewrite <- X; apply in_map, Ii | reflexivity]. }
  assert (StartsSeen : forall id, In id starts -> In (start_label id) alphabet).
  { intros id Ii. specialize (St id Ii). unfold start_ok in St. apply andb_prop in St. destruct St as [A _]. unfold in_alphabet, marked, marks in A.
    destruct (M.find (start_label id) _) as [u|] eqn:U; [|discriminate]. apply of_list_in in U. apply in_map_iff in U. destruct U as (b & U & Ib). inversion U; subst. exact Ib. }
  assert (MassNn : forall id, 0 <= mass_of id) by (intros; apply sum_nonneg; intros; apply mu_nonneg).
  assert (Vn : forall q, In q listed -> 0 <= fst q).
  { intros q Iq. unfold listed in Iq. apply in_map_iff in Iq. destruct Iq as (e & <- & Ie). apply Hn, Ie. }
  rewrite <- Val. split; intros.
  - apply (visits_above alphabet row_values) with (mu := mu) (edges := v_edges) (starts := starts) (mass := mass_of) (most := most) (key := start_label); auto.
    + intros l q S0. apply (Facts l S0).
    + intros l kk a E j S0. apply leads_at, Rest, S0.
    + intros l d S0. apply ends_worth, S0.
  - apply (visits_below alphabet row_values) with (mu := mu) (edges := v_edges) (starts := starts) (mass := mass_of) (most := most) (key := start_label); auto.
    + intros l q S0. apply (Facts l S0).
    + intros l S0. apply (Facts l S0).
    + intros l kk a E j S0. apply leads_at, Rest, S0.
Qed.
End OneModel.
End Program.
