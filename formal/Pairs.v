(** The checker of distances, over any numbers, and why what it accepts is so. *)

Require Import List PArith Arith Field Bool Lia FMapPositive.
Require Import Deltachain.Fields Deltachain.Cover Deltachain.Numbers Deltachain.Checker Deltachain.Distances.
Import ListNotations.

(** Tables by two states *)
Section Tables.
Context {A : Type}.
Definition of_pairs (l : list (state * state * A)) : M.t (M.t A) :=
  fold_left (fun m e => let '(i, j, v) := e in M.add i (M.add j v match M.find i m with Some r => r | None => M.empty A end) m) l (M.empty (M.t A)).
Definition find_pair (m : M.t (M.t A)) (i j : state) : option A := match M.find i m with Some r => M.find j r | None => None end.
Lemma of_pairs_in l i j v : find_pair (of_pairs l) i j = Some v -> In (i, j, v) l.
Proof.
  unfold of_pairs. assert (G : forall l m, find_pair (fold_left (fun m e => let '(i, j, v) := e in
      M.add i (M.add j v match M.find i m with Some r => r | None => M.empty A end) m) l m) i j = Some v -> In (i, j, v) l \/ find_pair m i j = Some v).
  { clear l. induction l as [|[[a b] x] l IH]; intros m H; simpl in *; [auto|]. destruct (IH _ H) as [I|I]; [auto|]. unfold find_pair in *.
    destruct (Pos.eq_dec a i) as [->|Na]; [rewrite M.gss in I | rewrite M.gso in I by congruence; auto].
    destruct (Pos.eq_dec b j) as [->|Nb]; [rewrite M.gss in I; inversion I; auto | rewrite M.gso in I by congruence].
    destruct (M.find i m); [auto | rewrite M.gempty in I; discriminate]. }
  intros H. destruct (G _ _ H) as [I|I]; [exact I|]. unfold find_pair in I. rewrite M.gempty in I. discriminate.
Qed.
End Tables.

Section Program.
Context {N : Numbers}.
Notation nvec := (list (state * num)).

Record nprice := { q_from : state; q_to : state; q_value : num; q_rank : positive; q_input : input; q_reach : nvec; q_start : nvec }.
Record distances := {
  d_kind : kind; d_single : bool;                    (** at alpha = 1: prices are compared along single arcs *)
  d_pairs : list (state * state * positive);          (** claims that are about the distance *)
  d_unseen : list positive;                           (** claims that no event sees these vectors, which sd may cite *)
  d_prices : list nprice }.
Definition is_kind (a b : kind) : bool := match a, b with Bd, Bd | Ld, Ld | Sd, Sd => true | _, _ => false end.
Definition traces_of (d : distances) : bool := is_kind (d_kind d) Sd && match d_unseen d with [] => false | _ => true end.
Definition is_pair (alpha : num) (s t : state) (v : nvec) : bool := vanishes (v ++ nminus [(s, n1); (t, nneg alpha)]).

Section OneModel.
Variable places : M.t place.
Variable inputs : M.t (list input).
Variable table : M.t claim.
Variable alpha : num.
Variable d : distances.
Notation what := (d_kind d).
Notation single := (d_single d).

(** ** From above *)

Definition pair_table : M.t (M.t positive) := of_pairs (d_pairs d).
Definition claim_table : M.t (state * state) := of_list (map (fun e => (snd e, fst e)) (d_pairs d)).
Definition bound_of (id : positive) : num := match M.find id table with Some q => c_bound q | None => n0 end.
Definition citation_ok (known : M.t (state * state)) (unseen : M.t unit) (q : positive * num) : bool :=
  match M.find (fst q) known with
  | Some _ => is_kind what Sd || nle n0 (snd q)
  | None => traces_of d && marked unseen (fst q) && unseen_ok table q
  end.
Definition pair_ok (pairs : M.t (M.t positive)) (known' : M.t (state * state)) (unseen : M.t unit) (e : state * state * positive) : bool :=
  let '(s, t, id) := e in
  negb (Pos.eqb s t) && known places s && known places t && Pos.eqb (label_of places s) (label_of places t)
  && match find_pair pairs s t with Some id' => Pos.eqb id' id | None => false end
  && (negb (is_kind what Bd) || match find_pair pairs t s with Some id' => neq (bound_of id') (bound_of id) | None => false end)
  && match M.find id table with
     | Some q => is_pair alpha s t (c_vec q) && nle (c_bound q) n1
         && match c_rule q with
            | Step by_input => forallb (fun k => match assoc k by_input with
                | Some c => match eta c with None => forallb (citation_ok known' unseen) (cites c) | Some _ => false end
                | None => false end) (choices inputs (name_of places (c_vec q)))
            | Flat _ => false
            end
     | None => false
     end.

(** ** From below *)

Definition price_pairs (e : nprice) : list (state * state * nprice) :=
  (q_from e, q_to e, e) :: if is_kind what Bd then [(q_to e, q_from e, e)] else [].
Definition price_table : M.t (M.t nprice) := of_pairs (flat_map price_pairs (d_prices d)).
Definition value_at (prices : M.t (M.t nprice)) (i j : state) : num := match find_pair prices i j with Some e => q_value e | None => n0 end.
Definition start_at (prices : M.t (M.t nprice)) (rank : positive) (i j : state) : num :=
  match find_pair prices i j with Some e => if Pos.ltb (q_rank e) rank then n1 else n0 | None => n0 end.
Definition at_state (f : M.t num) (i : state) : num := match M.find i f with Some v => v | None => n0 end.
Definition groups : M.t (list state) :=
  fold_left (fun m (e : state * place) => let a := place_label (snd e) in M.add a (fst e :: match M.find a m with Some l => l | None => [] end) m) (M.elements places) (M.empty _).
Definition part_at (i : state) (w : nvec) : num := total (filter (fun e : state * num => Pos.eqb (fst e) i) w).

Definition price_ok (grouped : M.t (list state)) (x y : nvec) (B : state -> state -> num) (f : M.t num) (e : state * num) : bool :=
  let i := fst e in let fi := at_state f i in
  known places i && nle n0 fi && nle fi n1
  && ((single && nle (part_at i x) (part_at i y))
      || forallb (fun j => Pos.eqb i j || negb (Pos.eqb (label_of places j) (label_of places i)) || (single && nle (part_at j y) (part_at j x))
           || nle (nsub fi (nmul alpha (at_state f j))) (B i j)
              && (single || negb (is_kind what Sd) || nle (nsub (nsub n1 (at_state f j)) (nmul alpha (nsub n1 fi))) (B j i)))
          (if single then map fst y else match M.find (label_of places i) grouped with Some g => g | None => [] end)).
Definition reached (grouped : M.t (list state)) (B : state -> state -> num) (e : nprice) (l : nvec) : option num :=
  let f := of_list l in
  let x := row places (q_input e) (q_from e) in let y := row places (q_input e) (q_to e) in
  if forallb (price_ok grouped x y B f) l then Some (nsum (fun a => nmul (snd a) (at_state f (fst a))) (x ++ nscaled (nneg alpha) y)) else None.
Definition entry_ok (grouped : M.t (list state)) (prices : M.t (M.t nprice)) (e : nprice) : bool :=
  negb (Pos.eqb (q_from e) (q_to e)) && known places (q_from e) && known places (q_to e)
  && Pos.eqb (label_of places (q_from e)) (label_of places (q_to e))
  && existsb (Pos.eqb (q_input e)) (choices inputs (label_of places (q_from e)))
  && nlt n0 (q_value e)
  && match reached grouped (value_at prices) e (q_reach e) with Some r => nle (q_value e) r | None => false end
  && match reached grouped (start_at prices (q_rank e)) e (q_start e) with Some r => nlt n0 r | None => false end.

Definition distances_ok : bool :=
  forallb (pair_ok pair_table claim_table (marks (d_unseen d))) (d_pairs d)
  && match d_prices d with [] => true | _ => negb (traces_of d) && forallb (entry_ok groups price_table) (d_prices d) end
  && (negb single || neq alpha n1).

Definition most_of (pairs : M.t (M.t positive)) (i j : state) : num := if Pos.eqb i j then n0 else match find_pair pairs i j with Some id => bound_of id | None => n1 end.

(** ** What it means *)

Context {F : Type} {OF : OrderedField F} {V : Meaning N F}.
Add Field F_field : f_field.
Notation P := (chain_of places).
Notation inside := (fun i => known places i = true).
Hypothesis places_ok : forall i p, M.find i places = Some p -> place_ok places inputs (i, p) = true.
Hypothesis claims_ok : forall l q, M.find l table = Some q -> claim_ok places inputs table (l, q) = true.
Hypothesis alpha_1 : 1 <= value alpha.
Hypothesis ok : distances_ok = true.

Lemma is_kind_spec a b : is_kind a b = true <-> a = b.
Proof. destruct a, b; simpl; split; congruence. Qed.
Lemma pair_dot s t v f : is_pair alpha s t v = true -> dot (vals v) f = f s - value alpha * f t.
Proof.
  intros H. pose proof (vanishes_dot _ f H) as Z. rewrite vals_app, dot_app in Z. simpl in Z. rewrite !value_neg, value_1 in Z.
  set (x := dot (vals v) f) in *. transitivity (x + (- (1) * f s + (- - value alpha * f t + 0)) + (f s - value alpha * f t)); [ring | rewrite Z; ring].
Qed.
Lemma stays_inside k i (e : state * F) : known places i = true -> In e (move P k i) -> known places (fst e) = true.
Proof.
  intros D Ie. simpl in Ie. unfold row in Ie. unfold known in D. destruct (M.find i places) as [p|] eqn:E'; [|discriminate].
  destruct (rows_ok places inputs places_ok k i p E') as [Z|R].
  - unfold row_of in Ie. rewrite Z in Ie. destruct Ie as [<-|[]]. simpl. unfold known. rewrite E'. reflexivity.
  - unfold row_ok in R. apply andb_prop in R. destruct R as [R _]. rewrite forallb_forall in R. unfold vals in Ie.
    apply in_map_iff in Ie. destruct Ie as (e' & <- & Ie). specialize (R e' Ie). apply andb_prop in R. apply R.
Qed.

Lemma ok_parts : (forall e, In e (d_pairs d) -> pair_ok pair_table claim_table (marks (d_unseen d)) e = true)
  /\ (forall e, In e (d_prices d) -> traces_of d = false /\ entry_ok groups price_table e = true)
  /\ (single = true -> value alpha = 1).
Proof.
  pose proof ok as H. unfold distances_ok in H. apply andb_prop in H. destruct H as [H Sg]. apply andb_prop in H. destruct H as [H Pr].
  rewrite forallb_forall in H. split; [exact H|]. split.
  - intros e Ie. destruct (d_prices d) as [|x l] eqn:E; [destruct Ie|]. apply andb_prop in Pr. destruct Pr as [Tr Pr].
    rewrite forallb_forall in Pr. split; [apply negb_true_iff, Tr | apply Pr, Ie].
  - intros Sd'. rewrite Sd' in Sg. apply neq_eq in Sg. rewrite Sg. apply value_1.
Qed.

Definition D (i j : state) : F := value (most_of pair_table i j).

Lemma pair_facts s t id : In (s, t, id) (d_pairs d) -> s <> t /\ known places s = true /\ known places t = true /\ label_of places s = label_of places t
  /\ D s t = value (bound_of id) /\ (forall f, dot (vector table id) f = f s - value alpha * f t) /\ bound table id = value (bound_of id).
Proof.
  intros I. destruct ok_parts as (Pk & _). specialize (Pk _ I). unfold pair_ok in Pk. repeat (apply andb_prop in Pk; destruct Pk as [Pk ?]).
  apply negb_true_iff, Pos.eqb_neq in Pk. repeat split; try assumption.
  - apply Pos.eqb_eq. assumption.
  - unfold D, most_of. apply Pos.eqb_neq in Pk. rewrite Pk. destruct (find_pair pair_table s t) as [id'|]; [|discriminate].
    match goal with X : Pos.eqb id' id = true |- _ => apply Pos.eqb_eq in X; subst id' end. reflexivity.
  - intros f. unfold vector. destruct (M.find id table) as [q|]; [|discriminate].
    match goal with X : is_pair _ _ _ _ && _ && _ = true |- _ => apply andb_prop in X; destruct X as [X _]; apply andb_prop in X; destruct X as [X _]; apply (pair_dot _ _ _ f X) end.
  - unfold bound, bound_of. destruct (M.find id table) as [q|]; [reflexivity | symmetry; apply value_0].
Qed.
Lemma D_nonneg i j : 0 <= D i j.
Proof.
  unfold D, most_of. destruct (Pos.eqb i j); [rewrite value_0; apply fle_refl|]. destruct (find_pair pair_table i j) as [id|] eqn:E; [|rewrite value_1; apply fle_01].
  apply of_pairs_in in E. destruct ok_parts as (Pk & _). specialize (Pk _ E). unfold pair_ok in Pk. apply andb_prop in Pk. destruct Pk as [_ Pk]. unfold bound_of.
  destruct (M.find id table) as [q|] eqn:Q; [|discriminate]. apply andb_prop in Pk. destruct Pk as [_ Ru]. pose proof (claims_ok id q Q) as C. unfold claim_ok in C. cbn [snd] in C.
  destruct (c_rule q); [|discriminate]. apply andb_prop in C. destruct C as [_ C]. apply andb_prop in C. destruct C as [C _]. apply andb_prop in C. destruct C as [C _]. apply nle_0, C.
Qed.

Theorem above_sound : prefixed P inside (value alpha) what (traces_of d) D.
Proof.
  pose proof (chain_stochastic places inputs places_ok) as Rows. destruct ok_parts as (Pk & _).
  assert (Gain : forall i j k f, known places i = true -> known places j = true -> label_of places i = label_of places j ->
    admissible P inside (value alpha) what (traces_of d) D f -> step_gain P (value alpha) k i j f <= D i j).
  { intros i j k f Ii Ij L [R W C T]. destruct (Pos.eqb_spec i j) as [->|Ne].
    { unfold D, most_of. rewrite Pos.eqb_refl, value_0. apply (gain_same P (value alpha) alpha_1 Rows). exact R. }
    destruct (find_pair pair_table i j) as [id|] eqn:E.
    2: { unfold D, most_of. apply Pos.eqb_neq in Ne. rewrite Ne, E, value_1. apply (gain_le_1 P (value alpha) alpha_1 Rows). exact R. }
    apply of_pairs_in in E. destruct (pair_facts i j id E) as (_ & _ & _ & _ & DE & Dot & Bd'). rewrite DE.
    specialize (Pk _ E). unfold pair_ok in Pk. apply andb_prop in Pk. destruct Pk as [_ Pk]. unfold vector in Dot. unfold bound_of.
    destruct (M.find id table) as [q|] eqn:Q; [|discriminate]. apply andb_prop in Pk. destruct Pk as [_ Ru]. pose proof (claims_ok id q Q) as Cl. unfold claim_ok in Cl. cbn [snd] in Cl.
    apply andb_prop in Cl. destruct Cl as [Pu Cl]. destruct (c_rule q) as [by_input|]; [|discriminate].
    apply andb_prop in Cl. destruct Cl as [_ Cl]. rewrite forallb_forall in Cl, Ru.
    specialize (Cl _ (choice_in inputs (name_of places (c_vec q)) k)). specialize (Ru _ (choice_in inputs (name_of places (c_vec q)) k)).
    destruct (assoc _ by_input) as [c|]; [|discriminate]. rewrite <- (nstep_choice places inputs places_ok k (c_vec q) Pu) in Cl.
    destruct (eta c) as [|]; [discriminate|]. unfold cover_ok in Cl. destruct (cover_cost _ _ _ c) as [s|] eqn:Cs; [|discriminate].
    destruct (cover_cost_list table _ _ _ _ Cs) as (qs & e & Qs & A & En & Cov & Cost). apply nle_le in Cl. eapply fle_trans; [|exact Cl]. rewrite <- Cost.
    assert (Gs : dot (vals (nstep places k (c_vec q))) f = step_gain P (value alpha) k i j f).
    { rewrite nstep_dot. unfold stepped. rewrite Dot. reflexivity. }
    rewrite <- Gs. eapply fle_trans; [apply Cov; intros; apply R|]. apply fle_add; [|apply dot_mono; [exact En | intros; apply R]].
    rewrite forallb_forall in Ru.
    assert (Each : forall x, In x qs -> exists n, In (fst (fst x), n) (cites c) /\ snd (fst x) = value n).
    { intros x Ix. assert (I' : In (fst x) (cited_as (cites c))) by (rewrite <- Qs; apply in_map, Ix). unfold cited_as in I'. apply in_map_iff in I'.
      destruct I' as ([id' n] & Ex & I'). exists n. rewrite <- Ex. auto. }
    clear Qs Cov Cost Cs. induction qs as [|[[id' cc] p] qs IH]; [apply fle_refl|]. unfold cover_dot in *. simpl. apply fle_add; [|apply IH; intros; [apply A | apply Each]; right; assumption].
    destruct (A _ (or_introl eq_refl)) as [Pr _]. destruct (Each _ (or_introl eq_refl)) as (n & In' & Vn). cbn [fst snd] in Vn, In', Pr. unfold priced in Pr. cbn [fst snd] in Pr.
    specialize (Ru _ In'). unfold citation_ok in Ru. cbn [fst snd] in Ru. destruct (M.find id' claim_table) as [[s' t']|] eqn:Ct.
    - apply of_list_in in Ct. apply in_map_iff in Ct. destruct Ct as ([[a b] id2] & Ex & Ct). inversion Ex; subst a b id2.
      destruct (pair_facts s' t' id' Ct) as (N' & Is & It & La & De & Dt & Be). rewrite Dt, Be, <- De in *.
      pose proof (W s' t' Is It N' La) as Up. destruct Pr as [[C0 L0]|[C0 L0]]; (eapply fle_trans; [|exact L0]).
      + apply fle_mul_l; assumption.
      + apply fle_opp0 in C0. change (one s') with 1 in *. change (one t') with 1 in *. apply orb_prop in Ru. destruct Ru as [Ru|Ru].
        * apply is_kind_spec in Ru. pose proof (C Ru s' t' Is It N' La) as Co.
          apply (fle_by (- cc * (D s' t' - ((1 - f s') - value alpha * (1 - f t'))))); [apply fle_mul; [exact C0 | apply fle_sub_inv, Co] | ring].
        * apply nle_0 in Ru. rewrite <- Vn in Ru. assert (cc = 0) as ->; [|apply fle_eq; ring].
          apply fle_antisym; [|exact Ru]. apply (fle_by (- cc)); [exact C0 | ring].
    - apply andb_prop in Ru. destruct Ru as [Ru Us]. apply andb_prop in Ru. destruct Ru as [Tr _].
      unfold unseen_ok in Us. cbn [fst] in Us. destruct (M.find id' table) as [q'|] eqn:Q'; [|discriminate].
      assert (Ev : forall Ev, dot (vals (c_vec q')) (prob P Ev) = 0).
      { intros Ev. assert (Un : unseen_ok table (id', nneg n1) = true) by (unfold unseen_ok; cbn [fst]; rewrite Q'; exact Us).
        pose proof (unseen_zero places inputs table places_ok claims_ok _ Un Ev) as Z. unfold unseen_vec in Z. cbn [fst snd] in Z. rewrite Q', nscaled_dot, !value_neg, value_1 in Z.
        set (x := dot (vals (c_vec q')) (prob P Ev)) in *. transitivity (- - (1) * x); [ring | exact Z]. }
      assert (Zero : dot (vector table id') f = 0).
      { unfold vector. rewrite Q'. apply (T Tr (name_of places (c_vec q'))); [|exact Ev]. intros x Ix. pose proof (claims_ok _ _ Q') as Ck. unfold claim_ok in Ck. cbn [snd] in Ck.
        apply andb_prop in Ck. destruct Ck as [Pu' _]. apply (pure_spec places _ _ _ Pu' Ix). }
      pose proof (accepted places inputs table places_ok claims_ok _ _ Q' (Verdict false)) as B0. rewrite Ev in B0.
      pose proof (Ev (Verdict true)) as M1.
      assert (B1 : bound table id' = value (c_bound q') /\ dot (vector table id') one = 0) by (unfold bound, vector; rewrite Q'; split; [reflexivity | exact M1]).
      destruct B1 as [B1 B2]. rewrite Zero. destruct Pr as [[C0 L0]|[C0 L0]]; (eapply fle_trans; [|exact L0]); rewrite B1, ?B2.
      + replace (cc * 0) with 0 by ring. apply fle_mul; assumption.
      + replace (cc * 0) with 0 by ring. apply fle_mul; [apply fle_opp0, C0 | apply (fle_by (value (c_bound q'))); [exact B0 | ring]]. }
  split.
  - intros. apply D_nonneg.
  - exact Gain.
  - intros Wb i j k f Ii Ij L A. eapply fle_trans; [apply Gain; eauto|]. apply fle_eq. unfold D, most_of. rewrite (Pos.eqb_sym j i). destruct (Pos.eqb i j); [reflexivity|].
    assert (Sym : forall a b id, find_pair pair_table a b = Some id -> exists id', find_pair pair_table b a = Some id' /\ value (bound_of id') = value (bound_of id)).
    { intros a b id E. pose proof (of_pairs_in _ _ _ _ E) as I. specialize (Pk _ I). unfold pair_ok in Pk. repeat (apply andb_prop in Pk; destruct Pk as [Pk ?]).
      match goal with X : negb (is_kind _ _) || _ = true |- _ => rewrite Wb in X; simpl in X; destruct (find_pair pair_table b a) as [id'|]; [|discriminate]; exists id'; split; [reflexivity | apply neq_eq, X] end. }
    destruct (find_pair pair_table i j) as [id|] eqn:E.
    + destruct (Sym i j id E) as (id' & E' & Eq). rewrite E'. exact Eq.
    + destruct (find_pair pair_table j i) as [id|] eqn:E'; [|reflexivity]. destruct (Sym j i id E') as (id' & E2 & _). congruence.
Qed.

(** From below *)

Definition meant (e : nprice) : price (F := F) := {| p_from := q_from e; p_to := q_to e; p_value := value (q_value e); p_rank := Pos.to_nat (q_rank e); p_input := q_input e;
  p_reach := fun i => value (at_state (of_list (q_reach e)) i); p_start := fun i => value (at_state (of_list (q_start e)) i) |}.
Definition claimed (i j : state) : option price := option_map meant (find_pair price_table i j).
Definition entries : list (state * state * price) := map (fun x => (fst x, meant (snd x))) (flat_map price_pairs (d_prices d)).
Notation in_bound := (in_bound P inside (value alpha) what single).

Lemma groups_in i p : M.find i places = Some p -> exists l, M.find (place_label p) groups = Some l /\ In i l.
Proof.
  intros E. apply M.elements_correct in E. unfold groups. revert E. generalize (M.elements places). intros l.
  assert (G : forall l (m : M.t (list state)), (In (i, p) l \/ exists r, M.find (place_label p) m = Some r /\ In i r) ->
    exists r, M.find (place_label p) (fold_left (fun m (e : state * place) => let a := place_label (snd e) in M.add a (fst e :: match M.find a m with Some l => l | None => [] end) m) l m) = Some r /\ In i r).
  { clear. induction l as [|[j q] l IH]; intros m H; simpl; [destruct H as [[]|H]; exact H|].
    apply IH. destruct H as [[E|H]|(r & Fr & I)]; [|left; exact H|]; right.
    - inversion E; subst. rewrite M.gss. eexists. split; [reflexivity | left; reflexivity].
    - destruct (Pos.eq_dec (place_label q) (place_label p)) as [e|n].
      + rewrite e, M.gss, Fr. eexists. split; [reflexivity | right; exact I].
      + rewrite M.gso by congruence. eauto. }
  intros E. apply G. auto.
Qed.
Lemma part_value i w : value (part_at i w) = dot (vals w) (fun a => if Pos.eqb a i then 1 else 0).
Proof.
  unfold part_at. rewrite total_value. induction w as [|[a v] w IH]; simpl; [reflexivity|]. rewrite <- IH. destruct (Pos.eqb a i); simpl; unfold one; ring.
Qed.
Lemma find_of_list {A} (l : list (positive * A)) k : M.find k (of_list l) = None \/ exists v, In (k, v) l.
Proof. destruct (M.find k (of_list l)) as [v|] eqn:E; [right; exists v; apply of_list_in, E | left; reflexivity]. Qed.

Lemma reached_spec B e l r : (forall i j, 0 <= value (B i j)) -> reached groups B e l = Some r ->
  in_bound (meant e) (fun i j => value (B i j)) (fun i => value (at_state (of_list l) i))
  /\ value r = Distances.gain P (value alpha) (meant e) (fun i => value (at_state (of_list l) i)).
Proof.
  intros B0 H. unfold reached in H. destruct (forallb _ l) eqn:Fa; [|discriminate]. inversion H; subst r. clear H. rewrite forallb_forall in Fa.
  set (f := of_list l) in *. set (x := row places (q_input e) (q_from e)) in *. set (y := row places (q_input e) (q_to e)) in *. split.
  2: { rewrite nsum_value. unfold gain, step_gain, meant. cbn [p_input p_from p_to]. simpl move. fold x y.
    assert (E : forall w, sum (fun a => value (nmul (snd a) (at_state f (fst a)))) w = dot (vals w) (fun i => value (at_state f i))).
    { induction w as [|[i v] w IH]; simpl; [reflexivity|]. rewrite IH, value_mul. reflexivity. }
    rewrite E, vals_app, dot_app, nscaled_dot, value_neg. ring. }
  assert (Zero : forall i, at_state f i = n0 \/ exists v, In (i, v) l).
  { intros i. unfold at_state. destruct (find_of_list l i) as [Z|I]; [left; fold f in Z; rewrite Z; reflexivity | right; exact I]. }
  assert (Key : forall i v, In (i, v) l -> 0 <= value (at_state f i) /\ value (at_state f i) <= 1 /\ forall j, known places j = true -> i <> j -> label_of places i = label_of places j ->
    (single = true -> leaves P (meant e) i /\ arrives P (meant e) j) -> value (at_state f i) - value alpha * value (at_state f j) <= value (B i j)
    /\ (what = Sd -> single = false -> (1 - value (at_state f j)) - value alpha * (1 - value (at_state f i)) <= value (B j i))).
  { intros i v Ii. specialize (Fa _ Ii). unfold price_ok in Fa. cbn [fst] in Fa. apply andb_prop in Fa. destruct Fa as [Fa Rest]. apply andb_prop in Fa. destruct Fa as [Fa F1].
    apply andb_prop in Fa. destruct Fa as [Ki F0]. apply nle_0 in F0. apply nle_le in F1. rewrite value_1 in F1. split; [exact F0|]. split; [exact F1|].
    intros j Kj Ne La Ar.
    assert (No : single && nle (part_at i x) (part_at i y) = false /\ single && nle (part_at j y) (part_at j x) = false).
    { destruct single; [|split; reflexivity]. destruct (Ar eq_refl) as [Lv Av]. unfold leaves, arrives in Lv, Av. unfold meant in Lv, Av. cbn [p_input p_from p_to] in Lv, Av. simpl move in Lv, Av.
      fold x y in Lv, Av. rewrite <- !part_value in Lv, Av. split; simpl.
      - destruct (nle (part_at i x) (part_at i y)) eqn:L; [|reflexivity]. apply nle_le in L. exfalso. apply (flt_not _ _ Lv L).
      - destruct (nle (part_at j y) (part_at j x)) eqn:L; [|reflexivity]. apply nle_le in L. exfalso. apply (flt_not _ _ Av L). }
    destruct No as [No1 No2]. rewrite No1 in Rest. simpl in Rest. rewrite forallb_forall in Rest.
    assert (Ij : In j (if single then map fst y else match M.find (label_of places i) groups with Some g => g | None => [] end)).
    { destruct single eqn:Sg.
      - destruct (Ar eq_refl) as [_ Av]. unfold arrives in Av. unfold meant in Av. cbn [p_input p_from p_to] in Av. simpl move in Av. fold x y in Av.
        destruct (in_dec Pos.eq_dec j (map fst y)) as [I|Ni]; [exact I|]. exfalso. apply (flt_not _ _ Av).
        assert (Zy : dot (vals y) (fun a => if Pos.eqb a j then 1 else 0) = 0).
        { rewrite (dot_ext _ _ (fun _ => 0)); [apply dot_zero|]. intros a u Ia. destruct (Pos.eqb_spec a j) as [->|_]; [|reflexivity]. exfalso. apply Ni.
          unfold vals in Ia. apply in_map_iff in Ia. destruct Ia as (z & Ez & Iz). inversion Ez; subst. apply in_map, Iz. }
        rewrite Zy. destruct (chain_stochastic places inputs places_ok (q_input e) (q_from e)) as [Nn _]. apply dot_nonneg; [exact Nn|].
        intros a. destruct (Pos.eqb a j); [apply fle_01 | apply fle_refl].
      - rewrite La. unfold label_of. unfold known in Kj. destruct (M.find j places) as [p|] eqn:Ep; [|discriminate]. destruct (groups_in j p Ep) as (g & Eg & I). rewrite Eg. exact I. }
    specialize (Rest j Ij). apply Pos.eqb_neq in Ne. rewrite Ne, <- La, Pos.eqb_refl, No2 in Rest. simpl in Rest. apply andb_prop in Rest. destruct Rest as [Rs Co].
    apply nle_le in Rs. rewrite value_sub, value_mul in Rs. split; [exact Rs|]. intros Ws Sg. rewrite Sg, Ws in Co. simpl in Co. apply nle_le in Co.
    rewrite !value_sub, value_mul, value_sub, value_1 in Co. exact Co. }
  assert (Ra : ranged (fun i => value (at_state f i))).
  { intros i. destruct (Zero i) as [Z|(v & I)]; [rewrite Z, value_0; split; [apply fle_refl | apply fle_01]|]. destruct (Key i v I) as (A & A' & _). auto. }
  split; [exact Ra| |].
  - intros i j (Ki & Kj & Ne & La & Ar). destruct (Zero i) as [Z|(v & I)].
    + rewrite Z, value_0. eapply fle_trans; [|apply B0]. apply (fle_by (value alpha * value (at_state f j))); [|ring].
      apply fle_mul; [eapply fle_trans; [apply fle_01 | exact alpha_1] | apply Ra].
    + apply (Key i v I); assumption.
  - intros Ws Sg i j (Ki & Kj & Ne & La & Ar). destruct (Zero j) as [Z|(v & I)].
    + rewrite Z, value_0. eapply fle_trans; [|apply B0]. destruct (Ra i) as [R0 _]. apply (fle_by ((value alpha - 1) + value (at_state f i))); [|ring].
      apply fle_add0; [apply fle_sub_inv, alpha_1 | exact R0].
    + apply (Key j v I); auto. intros; congruence.
Qed.

Lemma entry_facts i j e : In (i, j, e) (flat_map price_pairs (d_prices d)) -> In e (d_prices d) /\ ((q_from e = i /\ q_to e = j) \/ (what = Bd /\ q_from e = j /\ q_to e = i)).
Proof.
  intros I. apply in_flat_map in I. destruct I as (e' & Ie & I). unfold price_pairs in I. destruct I as [I|I].
  - inversion I; subst. auto.
  - destruct (is_kind what Bd) eqn:K; [|destruct I]. destruct I as [I|[]]. inversion I; subst. split; [exact Ie|]. right. split; [apply is_kind_spec, K | auto].
Qed.
Lemma claimed_value i j : value (value_at price_table i j) = value_in claimed i j.
Proof. unfold value_at, value_in, claimed. destruct (find_pair price_table i j); simpl; [reflexivity | apply value_0]. Qed.
Lemma claimed_start rank i j : value (start_at price_table rank i j) = start_in claimed (Pos.to_nat rank) i j.
Proof.
  unfold start_at, start_in, claimed. destruct (find_pair price_table i j) as [e|]; simpl; [|apply value_0].
  destruct (Pos.ltb_spec (q_rank e) rank) as [L|L].
  - destruct (Nat.ltb_spec (Pos.to_nat (q_rank e)) (Pos.to_nat rank)); [apply value_1 | lia].
  - destruct (Nat.ltb_spec (Pos.to_nat (q_rank e)) (Pos.to_nat rank)); [lia | apply value_0].
Qed.
Lemma bound_ext e B B' f : (forall i j, B i j = B' i j) -> in_bound e B f -> in_bound e B' f.
Proof. intros E [R W C]. split; [exact R | |]; intros; rewrite <- E; auto. Qed.

Theorem below_sound i j e : find_pair price_table i j = Some e -> traces_of d = false
  /\ forall Df, prefixed P inside (value alpha) what false Df -> value (q_value e) <= Df i j.
Proof.
  intros Find. pose proof (chain_stochastic places inputs places_ok) as Rows. destruct ok_parts as (_ & Ek & Sg1).
  pose proof (of_pairs_in _ _ _ _ Find) as I. split; [apply (Ek e), (entry_facts i j e I)|]. intros Df Pre.
  assert (Nv : forall a b, 0 <= value (value_at price_table a b)).
  { intros a b. unfold value_at. destruct (find_pair price_table a b) as [x|] eqn:E; [|rewrite value_0; apply fle_refl]. apply of_pairs_in, entry_facts in E. destruct E as [Ix _].
    destruct (Ek x Ix) as [_ Ok]. unfold entry_ok in Ok. repeat (apply andb_prop in Ok; destruct Ok as [Ok ?]). apply flt_fle, nlt_0. assumption. }
  assert (Ns : forall rank a b, 0 <= value (start_at price_table rank a b)).
  { intros rank a b. unfold start_at. destruct (find_pair price_table a b) as [x|]; [destruct (Pos.ltb _ _)|]; rewrite ?value_0, ?value_1; auto using fle_refl, fle_01. }
  assert (Facts : forall a b x, In (a, b, x) entries -> known places a = true /\ known places b = true /\ label_of places a = label_of places b /\ 0 < p_value x
    /\ (exists f, in_bound x (value_in claimed) f /\ p_value x <= Distances.gain P (value alpha) x f)
    /\ exists g, in_bound x (start_in claimed (p_rank x)) g /\ 0 < Distances.gain P (value alpha) x g).
  { intros a b x Ix. unfold entries in Ix. apply in_map_iff in Ix. destruct Ix as ([[a' b'] e'] & Ex & Ix). cbn [fst snd] in Ex. inversion Ex; subst a' b' x. clear Ex.
    apply entry_facts in Ix. destruct Ix as [Ie Way]. destruct (Ek e' Ie) as [_ Ok]. unfold entry_ok in Ok. apply andb_prop in Ok. destruct Ok as [Ok St]. apply andb_prop in Ok. destruct Ok as [Ok Re].
    apply andb_prop in Ok. destruct Ok as [Ok Vp]. apply andb_prop in Ok. destruct Ok as [Ok _]. apply andb_prop in Ok. destruct Ok as [Ok La]. apply andb_prop in Ok. destruct Ok as [Ok Kt].
    apply andb_prop in Ok. destruct Ok as [_ Kf]. apply Pos.eqb_eq in La.
    split; [destruct Way as [[<- _]|(_ & _ & <-)]; assumption|]. split; [destruct Way as [[_ <-]|(_ & <- & _)]; assumption|].
    split; [destruct Way as [[<- <-]|(_ & <- & <-)]; [exact La | symmetry; exact La]|]. split; [apply nlt_0, Vp|]. split.
    - destruct (reached groups (value_at price_table) e' (q_reach e')) as [r|] eqn:R; [|discriminate]. apply nle_le in Re.
      destruct (reached_spec _ _ _ _ Nv R) as [Ib Gv]. eexists. split; [eapply bound_ext; [|exact Ib]; intros; apply claimed_value|]. rewrite Gv in Re. exact Re.
    - destruct (reached groups (start_at price_table (q_rank e')) e' (q_start e')) as [r|] eqn:R; [|discriminate]. apply nlt_0 in St.
      destruct (reached_spec _ _ _ _ (Ns (q_rank e')) R) as [Ib Gv]. eexists. split; [eapply bound_ext; [|exact Ib]; intros; apply claimed_start|]. rewrite Gv in St. exact St. }
  assert (Turn : forall a b x, In (a, b, x) entries -> (p_from x = a /\ p_to x = b) \/ (what = Bd /\ p_from x = b /\ p_to x = a)).
  { intros a b x Ix. unfold entries in Ix. apply in_map_iff in Ix. destruct Ix as ([[a' b'] e'] & Ex & Ix). cbn [fst snd] in Ex. inversion Ex; subst a' b' x. apply entry_facts in Ix. apply Ix. }
  assert (List : forall a b x, claimed a b = Some x -> In (a, b, x) entries).
  { intros a b x Cx. unfold claimed in Cx. destruct (find_pair price_table a b) as [e'|] eqn:E; [|discriminate]. inversion Cx; subst x. apply of_pairs_in in E. unfold entries.
    apply (in_map (fun x => (fst x, meant (snd x)))) in E. exact E. }
  assert (Ie : In (i, j, meant e) entries) by (apply (in_map (fun x => (fst x, meant (snd x)))) in I; exact I).
  change (value (q_value e)) with (p_value (meant e)).
  destruct single eqn:Sg.
  - apply (prices_single P inside (value alpha) alpha_1 Rows stays_inside what true claimed entries List Facts Turn (map fst (M.elements places))) with (D := Df); auto.
    + intros a. unfold known. split.
      * intros K. destruct (M.find a places) as [p|] eqn:E; [|discriminate]. apply M.elements_correct in E. apply (in_map fst) in E. exact E.
      * intros Ia. apply in_map_iff in Ia. destruct Ia as ([b p] & <- & Ib). apply M.elements_complete in Ib. simpl. rewrite Ib. reflexivity.
    + pose proof (M.elements_3w places) as Nd. clear - Nd. induction Nd as [|[a p] l Ni _ IH]; simpl; constructor; [|exact IH].
      intros Ia. apply Ni. apply in_map_iff in Ia. destruct Ia as ([b q] & Eb & Ib). simpl in Eb. subst b. apply SetoidList.InA_alt. exists (a, q). split; [reflexivity | exact Ib].
  - apply (prices_full P inside (value alpha) alpha_1 what false claimed entries List Facts Turn) with (D := Df); auto.
Qed.
End OneModel.
End Program.
