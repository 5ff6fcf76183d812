(** The checker of covers and of lower values, over any numbers, and why what it accepts is so. *)

Require Import List Permutation PArith Arith Field Bool Lia FMapPositive.
Require Import Deltachain.Fields Deltachain.Cover Deltachain.Lower Deltachain.Numbers.
Require Import Deltachain.Sort.
Import ListNotations.
Module M := PositiveMap.

Definition of_list {A} (l : list (positive * A)) : M.t A := fold_left (fun m e => M.add (fst e) (snd e) m) l (M.empty A).
Lemma of_list_in {A} (l : list (positive * A)) k v : M.find k (of_list l) = Some v -> In (k, v) l.
Proof.
  unfold of_list. assert (G : forall m, M.find k (fold_left (fun m e => M.add (fst e) (snd e) m) l m) = Some v ->
    In (k, v) l \/ M.find k m = Some v).
  { induction l as [|[j u] l IH]; intros m H; simpl in *; [auto|].
    destruct (IH _ H) as [I|I]; [auto|]. destruct (Pos.eq_dec j k) as [->|n].
    - rewrite M.gss in I. inversion I; subst. auto.
    - rewrite M.gso in I by congruence. auto. }
  intros H. destruct (G _ H) as [I|I]; [assumption|]. rewrite M.gempty in I. discriminate.
Qed.
Lemma all_of_list {A} (test : positive * A -> bool) l k v : forallb test l = true -> M.find k (of_list l) = Some v -> test (k, v) = true.
Proof. intros T H. rewrite forallb_forall in T. apply T, of_list_in, H. Qed.

Fixpoint assoc {A} (k : positive) (l : list (positive * A)) : option A :=
  match l with [] => None | (j, v) :: r => if Pos.eqb k j then Some v else assoc k r end.
Lemma assoc_in {A} k (l : list (positive * A)) v : assoc k l = Some v -> In (k, v) l.
Proof. induction l as [|[j u] l IH]; simpl; [discriminate|]. destruct (Pos.eqb_spec k j) as [->|_]; intros H; [inversion H|]; auto. Qed.
Lemma assoc_none {A} k (l : list (positive * A)) : assoc k l = None <-> ~ In k (map fst l).
Proof.
  induction l as [|[j u] l IH]; simpl; [split; auto|]. destruct (Pos.eqb_spec k j) as [->|N]; [|rewrite IH; firstorder congruence].
  split; [discriminate|]. intros H. exfalso. apply H. auto.
Qed.

Fixpoint same_keys (l l' : list positive) : bool :=
  match l, l' with [], [] => true | a :: r, b :: r' => Pos.eqb a b && same_keys r r' | _, _ => false end.
Lemma same_keys_eq l : forall l', same_keys l l' = true -> l = l'.
Proof.
  induction l as [|a r IH]; intros [|b r']; simpl; try discriminate; [reflexivity|]. intros H. apply andb_prop in H.
  destruct H as [A B]. apply Pos.eqb_eq in A. rewrite A, (IH r' B). reflexivity.
Qed.
Fixpoint ascending (l : list positive) : bool :=
  match l with a :: (b :: _) as r => Pos.ltb a b && ascending r | _ => true end.
Lemma ascending_nodup l : ascending l = true -> NoDup l.
Proof.
  assert (G : forall l a, ascending (a :: l) = true -> forall b, In b l -> (a < b)%positive).
  { clear. induction l as [|b r IH]; intros a H c; [intros []|]. simpl in H. apply andb_prop in H. destruct H as [H1 H2].
    apply Pos.ltb_lt in H1. intros [<-|I]; [exact H1|]. pose proof (IH b H2 c I). lia. }
  induction l as [|a r IH]; intros H; constructor.
  - intros I. pose proof (G r a H a I). lia.
  - apply IH. destruct r as [|b r]; [reflexivity|]. simpl in H. apply andb_prop in H. apply H.
Qed.

Section Program.
Context {N : Numbers}.
Notation nvec := (list (state * num)).

Fixpoint total (w : nvec) : num := match w with [] => n0 | (_, v) :: r => nadd v (total r) end.
Definition nscaled (c : num) (w : nvec) : nvec := map (fun e => (fst e, nmul c (snd e))) w.
Definition nneg (c : num) : num := nsub n0 c.
Definition nminus (w : nvec) : nvec := map (fun e => (fst e, nneg (snd e))) w.
Fixpoint collect (w : nvec) : nvec :=
  match w with
  | [] => []
  | (i, v) :: t => match collect t with
                   | (j, u) :: r => if Pos.eqb i j then (i, nadd v u) :: r else (i, v) :: (j, u) :: r
                   | [] => [(i, v)]
                   end
  end.
Definition gather (w : nvec) : nvec := collect (sort (fun a b : state * num => Pos.leb (fst a) (fst b)) w).
Definition nonneg_entries (w : nvec) : bool := forallb (fun e : state * num => nle n0 (snd e)) w.
Definition vanishes (w : nvec) : bool := forallb (fun e : state * num => neq (snd e) n0) (gather w).

(** ** Models *)

Record place := { place_label : label; place_rows : list (input * nvec) }.
Definition listing := list (state * place).

(** An input that a state does not offer counts as the first one that it offers. *)
Definition row_of (p : place) (k : input) (i : state) : nvec :=
  match assoc k (place_rows p) with Some r => r | None => match place_rows p with (_, r) :: _ => r | [] => [(i, n1)] end end.

Section Model.
Variable listed : listing.
Definition places : M.t place := of_list listed.
Definition inputs : M.t (list input) := of_list (map (fun e => (place_label (snd e), map fst (place_rows (snd e)))) listed).
End Model.

Section OneModel.
Variable places : M.t place.
Variable inputs : M.t (list input).
Definition label_of (i : state) : label := match M.find i places with Some p => place_label p | None => 1%positive end.
Definition row (k : input) (i : state) : nvec := match M.find i places with Some p => row_of p k i | None => [(i, n1)] end.
Definition known (i : state) : bool := match M.find i places with Some _ => true | None => false end.

Definition row_ok (r : nvec) : bool :=
  forallb (fun e : state * num => nle n0 (snd e) && known (fst e)) r && neq (total r) n1.
Definition place_ok (e : state * place) : bool :=
  forallb (fun r => row_ok (snd r)) (place_rows (snd e))
  && match M.find (place_label (snd e)) inputs with Some ks => same_keys (map fst (place_rows (snd e))) ks | None => false end.

Definition choices (a : label) : list input := match M.find a inputs with Some (k :: ks) => k :: ks | _ => [1%positive] end.
Definition choice (a : label) (k : input) : input :=
  if existsb (Pos.eqb k) (choices a) then k else match choices a with j :: _ => j | [] => k end.

(** ** Covers *)

Record cover := { cites : list (positive * num); eta : option nvec }.
Inductive rule := Step (by_input : list (input * cover)) | Flat (c : cover).
Record claim := { c_vec : nvec; c_bound : num; c_rule : rule }.
Variable table : M.t claim.

Definition nstep (k : input) (w : nvec) : nvec := flat_map (fun e : state * num => nscaled (snd e) (row k (fst e))) w.

(** Less what is cited, and what the citations cost. *)
Definition price (q : claim) (c : num) : option num :=
  if nle n0 c then Some (nmul c (c_bound q))
  else if nle c n0 then Some (nmul (nneg c) (nsub (c_bound q) (total (c_vec q)))) else None.
Fixpoint cited (test : positive -> claim -> bool) (l : list (positive * num)) : option (nvec * num) :=
  match l with
  | [] => Some ([], n0)
  | (id, c) :: r =>
      match M.find id table with
      | Some q => if test id q then match price q c, cited test r with
                                    | Some p, Some (z, s) => Some (nscaled (nneg c) (c_vec q) ++ z, nadd p s)
                                    | _, _ => None end else None
      | None => None
      end
  end.
(** The positive part: its signs have to be told. *)
Fixpoint excess (w : nvec) : option nvec :=
  match w with
  | [] => Some []
  | (i, v) :: r => match excess r with
                   | Some e => if nle v n0 then Some e else if nle n0 v then Some ((i, v) :: e) else None
                   | None => None
                   end
  end.
(** What a cover of z costs. Where its eta is written, nothing may be left. *)
Definition cover_cost (test : positive -> claim -> bool) (z : nvec) (c : cover) : option num :=
  match cited test (cites c) with
  | None => None
  | Some (z', s) =>
      let e := match eta c with Some e => e | None => [] end in
      if nonneg_entries e then
        match excess (gather (z ++ z' ++ nminus e)), eta c with
        | Some [], _ => Some (nadd s (total e))
        | Some x, None => Some (nadd s (total x))
        | _, _ => None
        end
      else None
  end.
Definition cover_ok (test : positive -> claim -> bool) (z : nvec) (c : cover) (v : num) : bool :=
  match cover_cost test z c with Some s => nle s v | None => false end.

Definition name_of (w : nvec) : label := match w with [] => 1%positive | (i, _) :: _ => label_of i end.
Definition pure_at (a : label) (w : nvec) : bool := forallb (fun e : state * num => Pos.eqb (label_of (fst e)) a) w.
Definition is_step (q : claim) : bool := match c_rule q with Step _ => true | Flat _ => false end.

Definition claim_ok (e : positive * claim) : bool :=
  let q := snd e in
  pure_at (name_of (c_vec q)) (c_vec q) &&
  match c_rule q with
  | Step by_input => nle n0 (c_bound q) && nle (total (c_vec q)) (c_bound q)
      && forallb (fun k => match assoc k by_input with
                           | Some c => cover_ok (fun _ _ => true) (nstep k (c_vec q)) c (c_bound q)
                           | None => false end) (choices (name_of (c_vec q)))
  | Flat c => cover_ok (fun id q' => is_step q' || Pos.ltb id (fst e)) (c_vec q) c (c_bound q)
  end.

(** ** Lower values *)

Record lower := {
  l_vec : nvec; l_bound : num; l_open : bool; l_size : num; l_rank : positive; l_asked : input;
  l_parts : list (label * (num * positive));      (** after a letter: c, and the claim that is relied on *)
  l_taken : list label;                            (** the letters after which the verdict is yes *)
  l_gained : num;                                  (** what those are worth *)
  l_unseen : list (positive * num) }.
Variable lowers : M.t lower.

Definition is_open (id : positive) : bool := match M.find id lowers with Some q => l_open q | None => false end.
Definition size_of (id : positive) : num := match M.find id lowers with Some q => l_size q | None => n1 end.
Definition rank_of (id : positive) : positive := match M.find id lowers with Some q => l_rank q | None => 1%positive end.
Definition lower_vec (id : positive) : nvec := match M.find id lowers with Some q => l_vec q | None => [] end.
Definition lower_bound (id : positive) : num := match M.find id lowers with Some q => l_bound q | None => n0 end.
Definition nsum {A} (f : A -> num) (l : list A) : num := fold_right (fun x s => nadd (f x) s) n0 l.
Definition onwards (q : lower) : list (num * positive) := filter (fun p : num * positive => is_open (snd p)) (map snd (l_parts q)).
Definition marks (l : list label) : M.t unit := of_list (map (fun a => (a, tt)) l).
Definition marked (m : M.t unit) (a : label) : bool := match M.find a m with Some _ => true | None => false end.

(** What the rest is worth: nothing is lost after letters with a part, and some is taken after others. *)
Fixpoint taken (parts yes : M.t unit) (w : nvec) : option num :=
  match w with
  | [] => Some n0
  | (i, v) :: r =>
      match taken parts yes r with
      | Some s => let a := label_of i in
          if marked parts a then if nle n0 v then Some s else None
          else if marked yes a then Some (nadd v s) else Some s
      | None => None
      end
  end.
Definition unseen_ok (e : positive * num) : bool :=
  match M.find (fst e) table with
  | Some q => nle (c_bound q) n0 && nle (nsub (c_bound q) (total (c_vec q))) n0
  | None => false
  end.
Definition unseen_vec (e : positive * num) : nvec :=
  match M.find (fst e) table with Some q => nscaled (nneg (snd e)) (c_vec q) | None => [] end.

Definition lower_ok (e : positive * lower) : bool :=
  let q := snd e in
  if l_open q then
    let sizes := nsum (fun p => nmul (fst p) (size_of (snd p))) (onwards q) in
    nlt n0 (l_size q)
    && forallb (fun p => nle n0 (fst (snd p)) && pure_at (fst p) (lower_vec (snd (snd p)))) (l_parts q)
    && ascending (map fst (l_parts q))
    && nle sizes (l_size q)
    && (nlt sizes (l_size q) || existsb (fun p => nlt n0 (fst p) && Pos.ltb (rank_of (snd p)) (l_rank q)) (onwards q))
    && nle (l_bound q) (nadd (nsum (fun p => nmul (fst (snd p)) (lower_bound (snd (snd p)))) (l_parts q)) (l_gained q))
    && forallb unseen_ok (l_unseen q)
    && match taken (marks (map fst (l_parts q))) (marks (l_taken q))
               (gather (nstep (l_asked q) (l_vec q)
                        ++ flat_map (fun p => nscaled (nneg (fst (snd p))) (lower_vec (snd (snd p)))) (l_parts q)
                        ++ flat_map unseen_vec (l_unseen q))) with
       | Some s => nle (l_gained q) s
       | None => false
       end
  else nle (l_bound q) n0 || nle (l_bound q) (total (l_vec q)).

(** ** What it means *)

Context {F : Type} {OF : OrderedField F} {V : Meaning N F}.
Add Field F_field : f_field.

Definition vals (w : nvec) : vec F := map (fun e => (fst e, value (snd e))) w.
Definition chain_of : chain F := {| lab := label_of; move := fun k i => vals (row k i) |}.

Lemma value_neg c : value (nneg c) = - value c.
Proof. unfold nneg. rewrite value_sub, value_0. ring. Qed.
Lemma nle_0 a : nle n0 a = true -> 0 <= value a.
Proof. intros H. apply nle_le in H. rewrite value_0 in H. exact H. Qed.
Lemma nle_0' a : nle a n0 = true -> value a <= 0.
Proof. intros H. apply nle_le in H. rewrite value_0 in H. exact H. Qed.
Lemma nlt_0 a : nlt n0 a = true -> 0 < value a.
Proof. intros H. apply nlt_lt in H. rewrite value_0 in H. exact H. Qed.
Lemma total_value w : value (total w) = dot (vals w) one.
Proof. induction w as [|[i v] w IH]; simpl; [apply value_0|]. rewrite value_add, IH. unfold one. ring. Qed.
Lemma vals_app w w' : vals (w ++ w') = vals w ++ vals w'. Proof. apply map_app. Qed.
Lemma nscaled_dot c w f : dot (vals (nscaled c w)) f = value c * dot (vals w) f.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH, value_mul. ring. Qed.
Lemma nminus_dot w f : dot (vals (nminus w)) f = - dot (vals w) f.
Proof. induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH, value_neg. ring. Qed.
Lemma nstep_dot k w f : dot (vals (nstep k w)) f = stepped chain_of k (vals w) f.
Proof.
  unfold stepped. induction w as [|[i v] w IH]; simpl; [reflexivity|]. rewrite vals_app, dot_app, nscaled_dot, IH. reflexivity.
Qed.
Lemma collect_dot w f : dot (vals (collect w)) f = dot (vals w) f.
Proof.
  induction w as [|[i v] t IH]; simpl; [reflexivity|]. destruct (collect t) as [|[j u] r]; simpl in *; [rewrite <- IH; ring|].
  destruct (Pos.eqb_spec i j) as [->|_]; simpl; rewrite <- IH; [rewrite value_add; ring | reflexivity].
Qed.
Lemma gather_dot w f : dot (vals (gather w)) f = dot (vals w) f.
Proof. unfold gather. rewrite collect_dot. apply dot_perm. unfold vals. apply Permutation_map, sort_perm. Qed.
Lemma vanishes_dot w f : vanishes w = true -> dot (vals w) f = 0.
Proof.
  unfold vanishes. rewrite <- gather_dot. induction (gather w) as [|[i v] r IH]; simpl; intros H; [reflexivity|].
  apply andb_prop in H. destruct H as [A B]. rewrite (IH B). apply neq_eq in A. rewrite A, value_0. ring.
Qed.
Lemma nonneg_entries_all w : nonneg_entries w = true -> all_nonneg (vals w).
Proof.
  induction w as [|[i v] r IH]; simpl; intros H; constructor; apply andb_prop in H; destruct H as [A B]; [apply nle_0, A | apply IH, B].
Qed.

Hypothesis places_ok : forall i p, M.find i places = Some p -> place_ok (i, p) = true.

Lemma rows_ok k i p : M.find i places = Some p -> place_rows p = [] \/ row_ok (row_of p k i) = true.
Proof.
  intros E. specialize (places_ok i p E). unfold place_ok in places_ok. simpl in places_ok. apply andb_prop in places_ok.
  destruct places_ok as [H _]. rewrite forallb_forall in H. unfold row_of.
  destruct (assoc k (place_rows p)) as [r|] eqn:A; [right; apply (H (k, r)), assoc_in, A|].
  destruct (place_rows p) as [|[j r] rs]; [left; reflexivity | right; apply (H (j, r)); left; reflexivity].
Qed.
Lemma chain_stochastic : stochastic chain_of.
Proof.
  intros k i. simpl. unfold row. assert (S1 : all_nonneg (vals [(i, n1)]) /\ dot (vals [(i, n1)]) one = 1).
  { split; [repeat constructor; simpl; rewrite value_1; apply fle_01 | simpl; rewrite value_1; unfold one; ring]. }
  destruct (M.find i places) as [p|] eqn:E; [|exact S1].
  destruct (rows_ok k i p E) as [Z|H]; [unfold row_of; rewrite Z; exact S1|].
  unfold row_ok in H. apply andb_prop in H. destruct H as [H1 H2]. split.
  - apply nonneg_entries_all. unfold nonneg_entries. rewrite forallb_forall in H1 |- *. intros e He.
    specialize (H1 e He). apply andb_prop in H1. apply H1.
  - apply neq_eq in H2. rewrite total_value, value_1 in H2. exact H2.
Qed.
Lemma row_choice k i : row k i = row (choice (label_of i) k) i.
Proof.
  unfold row. destruct (M.find i places) as [p|] eqn:E; [|reflexivity].
  pose proof (places_ok i p E) as H. unfold place_ok in H. simpl in H. apply andb_prop in H. destruct H as [_ H].
  assert (La : label_of i = place_label p) by (unfold label_of; rewrite E; reflexivity). rewrite La. clear La.
  destruct (M.find (place_label p) inputs) as [ks|] eqn:K; [|discriminate]. apply same_keys_eq in H.
  unfold choice, choices. rewrite K. destruct (existsb (Pos.eqb k) _) eqn:X; [reflexivity|].
  assert (Nk : assoc k (place_rows p) = None).
  { apply assoc_none. intros I'. assert (I : In k ks) by (rewrite <- H; exact I'). assert (existsb (Pos.eqb k) ks = true) as T by (apply existsb_exists; exists k; split; [exact I | apply Pos.eqb_refl]).
    destruct ks as [|j ks]; [destruct I|]. congruence. }
  unfold row_of. rewrite Nk. destruct (place_rows p) as [|[j r] rs]; simpl in H; [rewrite <- H; reflexivity|].
  rewrite <- H. simpl. rewrite Pos.eqb_refl. reflexivity.
Qed.
Lemma choice_in a k : In (choice a k) (choices a).
Proof.
  unfold choice. destruct (existsb (Pos.eqb k) (choices a)) eqn:X.
  - apply existsb_exists in X. destruct X as (j & I & E). apply Pos.eqb_eq in E. subst. exact I.
  - unfold choices. destruct (M.find a inputs) as [[|j ks]|]; left; reflexivity.
Qed.
Lemma nstep_choice k w : pure_at (name_of w) w = true -> nstep k w = nstep (choice (name_of w) k) w.
Proof.
  generalize (name_of w) as a. intros a. unfold nstep. induction w as [|[i v] w IH]; simpl; intros H; [reflexivity|].
  apply andb_prop in H. destruct H as [A B]. apply Pos.eqb_eq in A. rewrite <- (IH B), (row_choice k i), A. reflexivity.
Qed.

(** *** Covers *)

Definition vector (l : positive) : vec F := match M.find l table with Some q => vals (c_vec q) | None => [] end.
Definition bound (l : positive) : F := match M.find l table with Some q => value (c_bound q) | None => 0 end.
Definition name (l : positive) : label := match M.find l table with Some q => name_of (c_vec q) | None => 1%positive end.
Notation covers := (covers positive vector bound).

Definition meant (l : list (positive * num)) (ps : list F) : list ((positive * F) * F) :=
  combine (map (fun q => (fst q, value (snd q))) l) ps.

Lemma price_spec id q c p : M.find id table = Some q -> price q c = Some p -> priced positive vector bound (id, value c) (value p).
Proof.
  intros E H. unfold price in H. unfold priced, bound, vector. simpl. rewrite E. destruct (nle n0 c) eqn:C.
  - inversion H; subst. left. split; [apply nle_0, C | rewrite value_mul; apply fle_refl].
  - destruct (nle c n0) eqn:C'; [|discriminate]. inversion H; subst. right. split; [apply nle_0', C'|].
    rewrite value_mul, value_neg, value_sub, total_value. apply fle_refl.
Qed.
Definition cited_as (l : list (positive * num)) : list (positive * F) := map (fun q => (fst q, value (snd q))) l.
Lemma cited_spec test l : forall z s, cited test l = Some (z, s) -> exists qs, map fst qs = cited_as l
  /\ (forall q, In q qs -> priced positive vector bound (fst q) (snd q) /\
     exists cl, M.find (fst (fst q)) table = Some cl /\ test (fst (fst q)) cl = true)
  /\ (forall f, dot (vals z) f = - cover_dot positive vector (map fst qs) f) /\ value s = sum snd qs.
Proof.
  induction l as [|[id c] r IH]; intros z s H; simpl in H.
  - inversion H; subst. exists []. split; [reflexivity|]. split; [intros ? []|]. split; [intros; unfold cover_dot; simpl; ring | apply value_0].
  - destruct (M.find id table) as [q|] eqn:E; [|discriminate]. destruct (test id q) eqn:T; [|discriminate].
    destruct (price q c) as [p|] eqn:Pr; [|discriminate]. destruct (cited test r) as [[z' s']|]; [|discriminate].
    inversion H; subst. destruct (IH z' s' eq_refl) as (qs & Q & A & B & D). exists (((id, value c), value p) :: qs). split; [simpl; rewrite Q; reflexivity|]. split; [|split].
    + intros x [<-|I]; [|apply A, I]. simpl. split; [eapply price_spec; eassumption | exists q; auto].
    + intros f. rewrite vals_app, dot_app, nscaled_dot, B, value_neg. unfold cover_dot. simpl. unfold vector at 2. rewrite E. ring.
    + rewrite value_add, D. reflexivity.
Qed.
Lemma excess_spec w : forall x, excess w = Some x -> all_nonneg (vals x)
  /\ forall f, (forall i, 0 <= f i) -> dot (vals w) f <= dot (vals x) f.
Proof.
  induction w as [|[i v] w IH]; intros x H; simpl in H.
  - inversion H; subst. split; [constructor | intros; apply fle_refl].
  - destruct (excess w) as [e|]; [|discriminate]. destruct (IH e eq_refl) as [A B].
    destruct (nle v n0) eqn:L.
    + inversion H; subst. split; [exact A|]. intros f Hf. simpl. apply nle_0' in L.
      replace (dot (vals x) f) with (0 + dot (vals x) f) by ring. apply fle_add; [|auto].
      apply (fle_by (- value v * f i)); [apply fle_mul; [apply fle_opp0, L | apply Hf] | ring].
    + destruct (nle n0 v) eqn:G; [|discriminate]. inversion H; subst. apply nle_0 in G. split; [constructor; assumption|].
      intros f Hf. simpl. apply fle_add; [apply fle_refl | auto].
Qed.
Lemma cover_cost_list test z c s : cover_cost test z c = Some s -> exists (qs : list ((positive * F) * F)) (e : vec F), map fst qs = cited_as (cites c)
  /\ (forall q, In q qs -> priced positive vector bound (fst q) (snd q) /\ exists cl, M.find (fst (fst q)) table = Some cl /\ test (fst (fst q)) cl = true)
  /\ all_nonneg e /\ (forall f, (forall i, 0 <= f i) -> dot (vals z) f <= cover_dot positive vector (map fst qs) f + dot e f)
  /\ sum snd qs + dot e one = value s.
Proof.
  intros H. unfold cover_cost in H. destruct (cited test (cites c)) as [[z' p]|] eqn:C; [|discriminate].
  set (e := match eta c with Some e => e | None => [] end) in *.
  destruct (nonneg_entries e) eqn:Ne; [|discriminate]. apply nonneg_entries_all in Ne.
  destruct (excess (gather (z ++ z' ++ nminus e))) as [x|] eqn:X; [|discriminate].
  destruct (cited_spec _ _ _ _ C) as (qs & Q & A & B & D). destruct (excess_spec _ _ X) as [A' B'].
  assert (S : value s = sum snd qs + dot (vals (e ++ x)) one).
  { rewrite vals_app, dot_app, <- D, <- !total_value. destruct x as [|y x].
    - inversion H; subst. rewrite value_add. simpl. rewrite value_0. ring.
    - unfold e in *. destruct (eta c); [discriminate|]. remember (y :: x) as yx. inversion H; subst s. rewrite value_add. change (total []) with n0. rewrite value_0. ring. }
  exists qs, (vals (e ++ x)). split; [exact Q|]. split; [exact A|]. split; [|split].
  - rewrite vals_app. apply Forall_app. split; assumption.
  - intros f Hf. specialize (B' f Hf). rewrite gather_dot, !vals_app, !dot_app, B, nminus_dot in B'. rewrite vals_app, dot_app.
    apply fle_sub. apply fle_sub_inv in B'. eapply fle_trans; [exact B'|]. apply fle_eq. ring.
  - symmetry. exact S.
Qed.
Lemma cover_cost_spec test z c s (good : positive -> Prop) : cover_cost test z c = Some s ->
  (forall id cl, M.find id table = Some cl -> test id cl = true -> good id) -> covers good (dot (vals z)) (value s).
Proof.
  intros H G. destruct (cover_cost_list _ _ _ _ H) as (qs & e & _ & A & Ne & B & S). exists qs, e. split; [|split; [exact Ne | split; [exact B | apply fle_eq, S]]].
  intros q Iq. destruct (A q Iq) as [Pr (cl & E & T)]. split; [exact Pr | eapply G; eassumption].
Qed.
Lemma covers_le good z v v' : covers good z v -> v <= v' -> covers good z v'.
Proof. intros (qs & e & A & B & C & D) L. exists qs, e. repeat split; try assumption; try apply A; auto. eapply fle_trans; eassumption. Qed.
Lemma cover_ok_spec test z c v (good : positive -> Prop) : cover_ok test z c v = true ->
  (forall id cl, M.find id table = Some cl -> test id cl = true -> good id) -> covers good (dot (vals z)) (value v).
Proof.
  unfold cover_ok. destruct (cover_cost test z c) as [s|] eqn:E; [|discriminate]. intros L G.
  eapply covers_le; [eapply cover_cost_spec; eassumption | apply nle_le, L].
Qed.

Hypothesis claims_ok : forall l q, M.find l table = Some q -> claim_ok (l, q) = true.

Definition rank (l : positive) : nat :=
  match M.find l table with Some q => if is_step q then 0%nat else Pos.to_nat l | None => 0%nat end.

Lemma pure_spec a w e : pure_at a w = true -> In e (vals w) -> label_of (fst e) = a.
Proof.
  intros H I. unfold pure_at in H. rewrite forallb_forall in H. unfold vals in I. apply in_map_iff in I. destruct I as (e' & <- & I).
  simpl. apply Pos.eqb_eq, (H e' I).
Qed.
Lemma names l e : In e (vector l) -> lab chain_of (fst e) = name l.
Proof.
  unfold vector, name. destruct (M.find l table) as [q|] eqn:E; [|intros []]. specialize (claims_ok l q E). unfold claim_ok in claims_ok.
  apply andb_prop in claims_ok. destruct claims_ok as [H _]. simpl in H. apply (pure_spec _ _ _ H).
Qed.

Lemma claims_hold l : step_ok chain_of positive vector bound l \/ flat_ok positive vector bound rank l.
Proof.
  destruct (M.find l table) as [q|] eqn:El.
  - assert (Ev : vector l = vals (c_vec q)) by (unfold vector; rewrite El; reflexivity).
    assert (Eb : bound l = value (c_bound q)) by (unfold bound; rewrite El; reflexivity).
    pose proof (claims_ok l q El) as H. unfold claim_ok in H. simpl in H. apply andb_prop in H. destruct H as [Pu H].
    destruct (c_rule q) as [by_input|c] eqn:Ru.
    + left. unfold step_ok. rewrite Ev, Eb. apply andb_prop in H. destruct H as [H S]. apply andb_prop in H. destruct H as [H0 H1].
      split; [apply nle_0, H0|]. split; [apply nle_le in H1; rewrite total_value in H1; exact H1|].
      intros k. rewrite forallb_forall in S. specialize (S _ (choice_in (name_of (c_vec q)) k)).
      destruct (assoc _ by_input) as [c|]; [|discriminate]. rewrite <- nstep_choice in S by exact Pu.
      apply (cover_ok_spec _ _ _ _ (fun _ => True)) in S; [|auto]. destruct S as (qs & e & A & B & C & D).
      exists qs, e. repeat split; try assumption; try apply A; auto. intros f Hf. rewrite <- nstep_dot. apply C, Hf.
    + right. unfold flat_ok. rewrite Ev, Eb. eapply cover_ok_spec; [exact H|]. intros id cl E T. unfold rank. rewrite E, El.
      unfold is_step at 2. rewrite Ru. destruct (is_step cl) eqn:Sc; [lia|]. cbv beta in T. rewrite Sc in T. simpl in T. apply Pos.ltb_lt in T. lia.
  - left. unfold step_ok, vector, bound. rewrite El. split; [apply fle_refl|]. split; [apply fle_refl|]. intros k. exists [], [].
    split; [intros ? []|]. split; [constructor|]. unfold stepped, cover_dot. split; [intros; simpl; apply fle_eq; ring | simpl; apply fle_eq; ring].
Qed.

Theorem accepted l q : M.find l table = Some q -> forall E, dot (vals (c_vec q)) (prob chain_of E) <= value (c_bound q).
Proof.
  intros Hl E. pose proof (cover_sound chain_of chain_stochastic positive vector bound name names rank claims_hold E l) as G.
  unfold vector, bound in G. rewrite Hl in G. exact G.
Qed.

Lemma unseen_zero e : unseen_ok e = true -> forall E, dot (vals (unseen_vec e)) (prob chain_of E) = 0.
Proof.
  unfold unseen_ok, unseen_vec. destruct (M.find (fst e) table) as [q|] eqn:Q; [|discriminate]. intros H E. apply andb_prop in H.
  destruct H as [A B]. apply nle_0' in A, B. rewrite value_sub, total_value in B. rewrite nscaled_dot.
  pose proof (accepted _ _ Q E) as U. pose proof (accepted _ _ Q (neg E)) as U'.
  rewrite (dot_ext_all _ _ (fun i => one i - prob chain_of E i)) in U' by (intros; apply prob_neg, chain_stochastic). rewrite dot_minus in U'.
  set (d := dot (vals (c_vec q)) (prob chain_of E)) in *. set (m := dot (vals (c_vec q)) one) in *.
  assert (d = 0) as ->; [|ring]. apply fle_antisym; [eapply fle_trans; eassumption|].
  apply (fle_by ((value (c_bound q) - (m - d)) + (0 - (value (c_bound q) - m)))); [apply fle_add0; apply fle_sub_inv; assumption | ring].
Qed.

Lemma unseen_next e c : unseen_ok e = true -> dot (vals (unseen_vec e)) (next chain_of c) = 0.
Proof.
  intros U. unfold unseen_vec. destruct (M.find (fst e) table) as [cl|] eqn:Cl; [|reflexivity].
  pose proof (unseen_zero e U (c (name_of (c_vec cl)))) as Z. unfold unseen_vec in Z. rewrite Cl in Z.
  rewrite <- Z. apply dot_ext. intros i v Iv. unfold next. simpl.
  pose proof (claims_ok _ _ Cl) as Ck. unfold claim_ok in Ck. apply andb_prop in Ck. destruct Ck as [Pu _]. simpl in Pu.
  assert (In i (map fst (c_vec cl))) as Ii.
  { unfold vals, nscaled in Iv. rewrite map_map in Iv. simpl in Iv. apply in_map_iff in Iv. destruct Iv as (y & Y & Iy). inversion Y; subst. apply in_map, Iy. }
  apply in_map_iff in Ii. destruct Ii as (y & <- & Iy). unfold pure_at in Pu. rewrite forallb_forall in Pu. specialize (Pu y Iy).
  apply Pos.eqb_eq in Pu. rewrite Pu. reflexivity.
Qed.

(** *** Lower values *)

Variable all_lowers : list positive.
Hypothesis lowers_listed : forall l q, M.find l lowers = Some q -> In l all_lowers.
Hypothesis lowers_ok : forall l q, M.find l lowers = Some q -> lower_ok (l, q) = true.

Definition on_lower {A} (f : lower -> A) (d : A) (l : positive) : A := match M.find l lowers with Some q => f q | None => d end.
Definition v_parts (l : positive) : list (label * (F * positive)) :=
  on_lower (fun q => map (fun p => (fst p, (value (fst (snd p)), snd (snd p)))) (l_parts q)) [] l.
Definition v_plan (l : positive) (c : label -> event) (a : label) : event :=
  on_lower (fun q => if marked (marks (map fst (l_parts q))) a then c a else Verdict (marked (marks (l_taken q)) a)) (Verdict false) l.

Lemma marked_in l a : In a l -> marked (marks l) a = true.
Proof.
  unfold marked, marks, of_list. assert (G : forall m, (In a l \/ M.find a m <> None) ->
    M.find a (fold_left (fun m e => M.add (fst e) (snd e) m) (map (fun a => (a, tt)) l) m) <> None).
  { induction l as [|b l IH]; simpl; intros m H; [destruct H as [[]|H]; exact H|]. apply IH.
    destruct (Pos.eq_dec a b) as [->|n]; [right; rewrite M.gss; discriminate|].
    destruct H as [[H|H]|H]; [congruence | auto | right; rewrite M.gso by congruence; exact H]. }
  intros I. specialize (G (M.empty unit) (or_introl I)). destruct (M.find a _); [reflexivity | congruence].
Qed.
Lemma nsum_value {A} (f : A -> num) l : value (nsum f l) = sum (fun x => value (f x)) l.
Proof. induction l as [|x l IH]; simpl; [apply value_0|]. rewrite value_add. f_equal. exact IH. Qed.
Lemma sum_map {A B} (g : B -> F) (h : A -> B) l : sum g (map h l) = sum (fun x => g (h x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma dot_flat_map {A} (g : A -> nvec) l f : dot (vals (flat_map g l)) f = sum (fun x => dot (vals (g x)) f) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite vals_app, dot_app, IH. reflexivity. Qed.
Lemma filter_map {A B} (h : A -> B) t l : filter t (map h l) = map h (filter (fun x => t (h x)) l).
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. destruct (t (h x)); simpl; rewrite IH; reflexivity. Qed.

Lemma taken_spec parts yes (g : state -> F) w : (forall i, 0 <= g i) ->
  (forall i, marked parts (label_of i) = false -> g i = if marked yes (label_of i) then 1 else 0) ->
  forall s, taken parts yes w = Some s -> value s <= dot (vals w) g.
Proof.
  intros G0 G. induction w as [|[i v] r IH]; simpl; intros s H; [inversion H; subst; rewrite value_0; apply fle_refl|].
  destruct (taken parts yes r) as [s'|]; [|discriminate]. specialize (IH s' eq_refl). destruct (marked parts (label_of i)) eqn:Pm.
  - destruct (nle n0 v) eqn:L; [|discriminate]. inversion H; subst. apply nle_0 in L. eapply fle_trans; [exact IH|].
    apply (fle_by (value v * g i)); [apply fle_mul; auto | ring].
  - rewrite (G i Pm). destruct (marked yes (label_of i)); inversion H; subst; [rewrite value_add|]; (eapply fle_trans; [|apply fle_add; [apply fle_refl | exact IH]]);
      apply fle_eq; ring.
Qed.

Theorem accepted_lower l q : M.find l lowers = Some q -> forall eta, 0 < eta ->
  exists E, value (l_bound q) - eta <= dot (vals (l_vec q)) (prob chain_of E).
Proof.
  intros Hl eta Eta.
  set (size l := value (size_of l)). set (bnd l := value (lower_bound l)). set (vc l := vals (lower_vec l)).
  set (gained := on_lower (fun q => value (l_gained q)) 0).
  assert (Open : forall m, is_open m = true -> exists q', M.find m lowers = Some q' /\ l_open q' = true /\ lower_ok (m, q') = true).
  { intros m Om. unfold is_open in Om. destruct (M.find m lowers) as [q'|] eqn:E; [|discriminate]. exists q'. auto. }
  assert (Passes : forall m q', M.find m lowers = Some q' ->
    passes positive is_open size (edges positive v_parts) m = value (nsum (fun p => nmul (fst p) (size_of (snd p))) (onwards q'))).
  { intros m q' E. unfold passes, onward, edges, v_parts, on_lower, onwards. rewrite E, nsum_value, map_map.
    rewrite (map_ext _ (fun p => (value (fst (snd p)), snd (snd p)))) by reflexivity.
    rewrite !filter_map, !sum_map. apply sum_ext. intros x _. simpl. unfold size. rewrite value_mul. reflexivity. }
  pose proof (lower_sound chain_of positive vc bnd is_open all_lowers) as LS.
  specialize (LS) with (size := size) (rank := fun m => Pos.to_nat (rank_of m)) (asked := fun m => on_lower l_asked 1%positive m)
    (parts := v_parts) (plan := v_plan) (gained := gained) (l := l) (eta := eta).
  assert (R : exists E, bnd l - eta <= dot (vc l) (prob chain_of E)).
  2: { unfold bnd, vc, lower_bound, lower_vec in R. rewrite Hl in R. exact R. }
  apply LS; clear LS; try exact Eta.
  - intros m Om. destruct (Open m Om) as (q' & E & _). eapply lowers_listed; exact E.
  - intros m Om. unfold bnd, vc, lower_bound, lower_vec. unfold is_open in Om. destruct (M.find m lowers) as [q'|] eqn:E.
    + pose proof (lowers_ok m q' E) as H. unfold lower_ok in H. simpl in H. rewrite Om in H. apply orb_prop in H.
      destruct H as [H|H]; [left; apply nle_0', H | right; apply nle_le in H; rewrite total_value in H; exact H].
    + left. rewrite value_0. apply fle_refl.
  - intros m Om. destruct (Open m Om) as (q' & E & O & H). unfold lower_ok in H. cbn [snd] in H. rewrite O in H.
    repeat (apply andb_prop in H; destruct H as [H ?]). unfold size, size_of. rewrite E. apply nlt_0, H.
  - intros m p Om Ip. destruct (Open m Om) as (q' & E & O & H). unfold lower_ok in H. cbn [snd] in H. rewrite O in H.
    repeat (apply andb_prop in H; destruct H as [H ?]).
    unfold edges, v_parts, on_lower in Ip. rewrite E, map_map in Ip. apply in_map_iff in Ip. destruct Ip as (x & <- & Ix).
    match goal with A : forallb (fun p => nle n0 _ && _) _ = true |- _ => rewrite forallb_forall in A; specialize (A x Ix); apply andb_prop in A; destruct A as [A _] end.
    simpl. apply nle_0. assumption.
  - intros m Om. destruct (Open m Om) as (q' & E & O & H). unfold lower_ok in H. cbn [snd] in H. rewrite O in H.
    repeat (apply andb_prop in H; destruct H as [H ?]). rewrite (Passes m q' E). unfold size, size_of. rewrite E. apply nle_le. assumption.
  - intros m Om. destruct (Open m Om) as (q' & E & O & H). unfold lower_ok in H. cbn [snd] in H. rewrite O in H.
    repeat (apply andb_prop in H; destruct H as [H ?]). rewrite (Passes m q' E).
    match goal with A : _ || _ = true |- _ => apply orb_prop in A; destruct A as [A|A] end.
    + left. unfold size, size_of. rewrite E. apply nlt_lt. assumption.
    + right. match goal with A : existsb _ _ = true |- _ => rename A into Ex end. apply existsb_exists in Ex. destruct Ex as (x & Ix & Ex).
      apply andb_prop in Ex. destruct Ex as [A1 A2]. exists (value (fst x), snd x). split.
      * unfold onward, edges, v_parts, on_lower. rewrite E, map_map. unfold onwards in Ix. apply filter_In in Ix. destruct Ix as [Ix Ox].
        apply filter_In. split; [|exact Ox]. apply in_map_iff in Ix. destruct Ix as (y & <- & Iy). apply in_map_iff. exists y. auto.
      * simpl. split; [apply nlt_0, A1|]. unfold rank_of at 2. rewrite E. apply Pos.ltb_lt in A2. lia.
  - intros m Om. destruct (Open m Om) as (q' & E & O & H). unfold lower_ok in H. cbn [snd] in H. rewrite O in H.
    repeat (apply andb_prop in H; destruct H as [H ?]). unfold v_parts, on_lower. rewrite E, map_map. apply ascending_nodup. assumption.
  - intros m Om. destruct (Open m Om) as (q' & E & O & H). unfold lower_ok in H. cbn [snd] in H. rewrite O in H.
    repeat (apply andb_prop in H; destruct H as [H ?]). unfold v_parts, gained, on_lower, bnd, lower_bound. rewrite E, sum_map. fold lower_bound.
    match goal with A : nle (l_bound q') (nadd _ _) = true |- _ => apply nle_le in A; rewrite value_add, nsum_value in A; eapply fle_trans; [exact A|] end.
    apply fle_add; [|apply fle_refl]. apply fle_eq, sum_ext. intros x _. rewrite value_mul. reflexivity.
  - intros m Om c. destruct (Open m Om) as (q' & E & O & H). unfold lower_ok in H. cbn [snd] in H. rewrite O in H.
    repeat (apply andb_prop in H; destruct H as [H ?]).
    match goal with A : match taken ?a ?b ?w with _ => _ end = true |- _ => destruct (taken a b w) as [s|] eqn:T; [|discriminate] end.
    set (g := next chain_of (v_plan m c)).
    assert (G0 : forall i, 0 <= g i) by (intros; apply next_range, chain_stochastic).
    apply (taken_spec _ _ g) in T; [|exact G0|].
    2: { intros i Mi. unfold g, next. simpl. unfold v_plan, on_lower. rewrite E, Mi. destruct (marked _ (label_of i)); reflexivity. }
    rewrite gather_dot, !vals_app, !dot_app, nstep_dot, !dot_flat_map in T.
    assert (Un : sum (fun x => dot (vals (unseen_vec x)) g) (l_unseen q') = 0).
    { match goal with A : forallb unseen_ok _ = true |- _ => rewrite forallb_forall in A; rename A into Us end.
      rewrite (sum_ext _ (fun _ => 0)).
      - apply sum_zero. reflexivity.
      - intros x Ix. apply unseen_next, Us, Ix. }
    rewrite Un in T. unfold v_parts, gained, on_lower, vc. rewrite E, sum_map.
    assert (Vm : vals (lower_vec m) = vals (l_vec q')) by (unfold lower_vec; rewrite E; reflexivity).
    match goal with A : nle (l_gained q') s = true |- _ => apply nle_le in A; rename A into Gs end.
    assert (Su : sum (fun x => dot (vals (nscaled (nneg (fst (snd x))) (lower_vec (snd (snd x))))) g) (l_parts q')
      = - sum (fun x => value (fst (snd x)) * dot (vals (lower_vec (snd (snd x)))) (prob chain_of (c (fst x)))) (l_parts q')).
    { match goal with A : forallb (fun p => nle n0 _ && _) _ = true |- _ => rewrite forallb_forall in A; rename A into Pp end.
      assert (Inn : forall x, In x (l_parts q') -> In (fst x) (map fst (l_parts q'))) by (intros; apply in_map; assumption).
      revert Pp Inn. generalize (l_parts q') at 1 2 4 5 as ps. intros ps Pp Inn. induction ps as [|x ps IH]; simpl; [ring|].
      rewrite IH; [|intros; apply Pp; right; assumption | intros; apply Inn; right; assumption].
      rewrite nscaled_dot, value_neg.
      assert (D : dot (vals (lower_vec (snd (snd x)))) g = dot (vals (lower_vec (snd (snd x)))) (prob chain_of (c (fst x)))).
      { apply dot_ext. intros i v Iv. specialize (Pp x (or_introl eq_refl)). apply andb_prop in Pp. destruct Pp as [_ Pu].
        pose proof (pure_spec _ _ _ Pu Iv) as La. simpl in La. unfold g, next. simpl. rewrite La. unfold v_plan, on_lower. rewrite E.
        rewrite marked_in by (apply Inn; left; reflexivity). reflexivity. }
      rewrite D. ring. }
    rewrite Su in T. rewrite Vm. cbn [fst snd].
    eapply fle_trans; [apply fle_add; [apply fle_refl | exact Gs]|]. apply fle_sub. apply fle_sub_inv in T. eapply fle_trans; [exact T|].
    apply fle_eq. unfold g. ring.
Qed.
End OneModel.
End Program.
