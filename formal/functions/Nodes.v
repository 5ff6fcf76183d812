(** Claims about pairs of beliefs (R0, R2, R3, R4 above; L1, L2 with ranks below).

    A node is a pair of beliefs (x, y), kept as one vector of pairs; turned round it is (y, x). Its value is that of the
    signed belief w = x - alpha y: the supremum of dot w (prob E) over all events E. Claims may cite each other in
    circles. Above, the proof is by induction on the event; below, by a potential that falls along the ranks. *)

Require Import Reals Lra Lia Psatz Bool List PArith ZArith.
Require Import Deltachain.functions.Products Deltachain.functions.Model.
Import ListNotations.
Open Scope R_scope.

Section WithNumbers.
Context {Num : Numbers} {Mean : Meaning Num}.
Notation node := (list (state * (num * num))).

Inductive rule :=
| Mass | Same | Gap
| Step (children : list (M.t positive)).   (** for each input: label -> number of a node *)

Record claim := { c_node : positive; c_turned : bool; c_value : num; c_rank : positive; c_input : nat; c_rule : rule }.

Definition swap (v : num * num) : num * num := (snd v, fst v).
Definition turn (turned : bool) (w : node) : node :=
  if turned then map (fun e => (fst e, swap (snd e))) w else w.

Definition x_mass (w : node) : num := total (fun e => fst (snd e)) w.
Definition y_mass (w : node) : num := total (fun e => snd (snd e)) w.
Definition size (w : node) : num := nadd (x_mass w) (y_mass w).

Definition pair_nonneg (v : num * num) : bool := is_nonneg (fst v) && is_nonneg (snd v).
Definition node_nonneg (w : node) : bool := forallb (fun e => pair_nonneg (snd e)) w.
Definition node_ok (w : node) : bool := node_nonneg w && nlt n0 (size w).

Definition claim_key (n : positive) (turned : bool) : positive := if turned then xI n else xO n.
Definition claim_table (l : list claim) : M.t claim := of_list (map (fun c => (claim_key (c_node c) (c_turned c), c)) l).
Definition find_claim (table : M.t claim) (n : positive) (turned : bool) : option claim :=
  match M.find (claim_key n turned) table with
  | Some c => if Pos.eqb (c_node c) n && Bool.eqb (c_turned c) turned then Some c else None
  | None => None
  end.

Lemma find_claim_in l n turned c : find_claim (claim_table l) n turned = Some c ->
  In c l /\ c_node c = n /\ c_turned c = turned.
Proof.
  unfold find_claim. destruct (M.find (claim_key n turned) (claim_table l)) as [d|] eqn:E; [|discriminate].
  destruct (Pos.eqb_spec (c_node d) n); [|discriminate]. destruct (Bool.eqb_spec (c_turned d) turned); [|discriminate].
  intros H; inversion H; subst. apply of_list_in in E. apply in_map_iff in E.
  destruct E as (d & E & I). inversion E; subst. auto.
Qed.

Lemma x_mass_eq w alpha : dot (pair_val alpha) w (fun _ => 1) = value (x_mass w) - alpha * value (y_mass w).
Proof.
  induction w as [|[i [x y]] w IH]; unfold x_mass, y_mass in *; simpl; [rewrite value_0; ring|].
  rewrite !value_add, IH. unfold pair_val. simpl. ring.
Qed.

Lemma size_eq w : value (size w) = dot (pair_val (- (1))) w (fun _ => 1).
Proof. unfold size. rewrite value_add, x_mass_eq. ring. Qed.

Lemma x_mass_nonneg w : node_nonneg w = true -> 0 <= value (x_mass w) /\ 0 <= value (y_mass w).
Proof.
  unfold x_mass, y_mass. induction w as [|[i [x y]] w IH]; simpl; intros H; [rewrite value_0; lra|].
  apply andb_prop in H; destruct H as [H Hw]. apply andb_prop in H; destruct H as [Hx Hy]. simpl in *.
  apply is_nonneg_le in Hx, Hy. destruct (IH Hw). rewrite !value_add. lra.
Qed.

(** For probabilities f: 0 <= dot x f <= |x|, and so for y. *)
Lemma sides w f : node_nonneg w = true -> (forall i, 0 <= f i /\ f i <= 1) ->
  exists X Y, 0 <= X /\ X <= value (x_mass w) /\ 0 <= Y /\ Y <= value (y_mass w) /\
    forall alpha, dot (pair_val alpha) w f = X - alpha * Y.
Proof.
  intros H R. unfold x_mass, y_mass. induction w as [|[i [x y]] w IH]; simpl in *.
  - exists 0, 0. rewrite value_0. repeat split; try lra. intros; ring.
  - apply andb_prop in H; destruct H as [H Hw]. apply andb_prop in H; destruct H as [Hx Hy]. simpl in *.
    apply is_nonneg_le in Hx, Hy. destruct (IH Hw) as (X & Y & A & B & C & D & E). specialize (R i).
    exists (value x * f i + X), (value y * f i + Y). rewrite !value_add. repeat split; try nra.
    intros alpha. rewrite E. unfold pair_val. simpl. ring.
Qed.

Section Nodes.
Variable m : model.
Hypothesis stoch : stochastic m.
Variable anum : num.
Notation alpha := (value anum).
Hypothesis alpha_ge1 : 1 <= alpha.

Notation lab := (lab m).
Notation prob := (prob m).
Notation val := (pair_val alpha).

Variable nodes : M.t node.
Hypothesis nodes_ok : forall n w, M.find n nodes = Some w -> node_ok w = true.

(** Vectors that no event sees: zero, or zero in the coordinates of a basis. *)
Variable vanishes : node -> bool.
Hypothesis vanishes_prob : forall w a E, vanishes w = true -> dot (pair_val a) w (prob E) = 0.

Definition scaled (c : num) (w : node) : node := map (fun e => (fst e, pair_scale c (snd e))) w.
Lemma scaled_dot a c w f : dot (pair_val a) (scaled c w) f = value c * dot (pair_val a) w f.
Proof.
  induction w as [|[i v] w IH]; simpl; [ring|]. rewrite IH, pair_val_scale. ring.
Qed.

Lemma turn_size d w : value (size (turn d w)) = value (size w).
Proof.
  rewrite !size_eq. destruct d; [|reflexivity]. simpl. induction w as [|[i [x y]] w IH]; simpl; [reflexivity|].
  rewrite IH. unfold pair_val. simpl. ring.
Qed.
Lemma turn_nonneg d w : node_nonneg (turn d w) = node_nonneg w.
Proof.
  destruct d; [|reflexivity]. simpl. unfold node_nonneg. induction w as [|[i [x y]] w IH]; simpl; [reflexivity|].
  rewrite IH. unfold pair_nonneg, swap. simpl. rewrite (andb_comm (is_nonneg y)). reflexivity.
Qed.

(** ** One step and its citations (R4) *)

Definition belief_of (c : claim) : option node := option_map (turn (c_turned c)) (M.find (c_node c) nodes).

(** What a part of a step is worth: [None] nothing (an error), [Some None] it is not listed, else a multiple of a claim. *)
Definition cite (table : M.t claim) (turned : bool) (children : M.t positive) (p : @part (num * num)) :
  option (option (num * claim)) :=
  if node_nonneg (snd p) then
    match M.find (fst p) children with
    | None => Some None
    | Some n =>
        match find_claim table n turned with
        | None => None
        | Some c =>
            match belief_of c with
            | None => None
            | Some goal =>
                let s := ndiv (size (snd p)) (size goal) in
                if nlt n0 (size goal) && is_nonneg s && vanishes (snd p ++ scaled (nsub n0 s) goal) then Some (Some (s, c)) else None
            end
        end
    end
  else None.

Definition parts_of (k : nat) (w : node) : option (list part) := split lab (gather pair_add (step m pair_scale k w)).

Lemma goal_ok c goal : belief_of c = Some goal -> node_nonneg goal = true /\ 0 < value (size goal).
Proof.
  unfold belief_of. destruct (M.find (c_node c) nodes) as [w|] eqn:E; [|discriminate]. simpl. intros H; inversion H; subst.
  apply nodes_ok in E. unfold node_ok in E. apply andb_prop in E. destruct E as [E1 E2]. apply nlt_lt in E2. rewrite value_0 in E2.
  rewrite turn_nonneg, turn_size. auto.
Qed.

Lemma cite_listed table turned children p s c : cite table turned children p = Some (Some (s, c)) ->
  exists n goal, find_claim table n turned = Some c /\ belief_of c = Some goal /\ 0 <= value s
    /\ value s * value (size goal) = value (size (snd p))
    /\ forall a E, dot (pair_val a) (snd p) (prob E) = value s * dot (pair_val a) goal (prob E).
Proof.
  unfold cite. destruct (node_nonneg (snd p)); [|discriminate].
  destruct (M.find (fst p) children) as [n|]; [|discriminate].
  destruct (find_claim table n turned) as [d|] eqn:F; [|discriminate].
  destruct (belief_of d) as [goal|] eqn:B; [|discriminate].
  destruct (nlt n0 (size goal)) eqn:Lt; [|discriminate]. destruct (is_nonneg (ndiv (size (snd p)) (size goal))) eqn:N; [|discriminate].
  destruct (vanishes _) eqn:V; [|discriminate]. intros H; inversion H; subst.
  exists n, goal. destruct (goal_ok _ _ B) as [_ G]. repeat split; auto.
  - apply is_nonneg_le. assumption.
  - rewrite value_div by assumption. field. lra.
  - intros a E. pose proof (vanishes_prob _ a E V) as Z. rewrite dot_app, scaled_dot, value_sub, value_0 in Z. lra.
Qed.

Lemma cite_nonneg table turned children p r : cite table turned children p = Some r -> node_nonneg (snd p) = true.
Proof. unfold cite. destruct (node_nonneg (snd p)); [reflexivity|discriminate]. Qed.

Lemma parts_look k w ps : parts_of k w = Some ps -> NoDup (map fst ps) /\
  forall a c, dot (pair_val a) w (prob (Look k c)) = sum_parts (fun p => dot (pair_val a) (snd p) (prob (c (fst p)))) ps.
Proof.
  intros H. unfold parts_of in H. split; [apply (split_spec val lab) in H; apply H|]. intros a c.
  apply (split_spec (pair_val a) lab) in H. destruct H as (_ & P & S).
  rewrite (look_dot m (pair_val a) pair_scale (pair_val_scale a)).
  rewrite <- (gather_dot (pair_val a) pair_add (pair_val_add a)). rewrite S. apply sum_parts_ext.
  intros p I. rewrite Forall_forall in P. apply (part_dot (pair_val a) lab p (fun b => prob (c b))). auto.
Qed.

Lemma parts_size k w ps : parts_of k w = Some ps -> sum_parts (fun p => value (size (snd p))) ps = value (size w).
Proof.
  intros H. apply parts_look in H. destruct H as [_ H]. specialize (H (- (1)) (fun _ => Verdict true)).
  rewrite size_eq. transitivity (dot (pair_val (- (1))) w (prob (Look k (fun _ => Verdict true)))).
  - rewrite H. apply sum_parts_ext. intros p _. apply size_eq.
  - apply dot_ext_all. intros i. simpl. apply stoch.
Qed.

(** Sums that fail when a term does. *)
Fixpoint sum_cited (F : @part (num * num) -> option num) (ps : list part) : option num :=
  match ps with
  | [] => Some n0
  | p :: r => match F p, sum_cited F r with Some a, Some b => Some (nadd a b) | _, _ => None end
  end.
Definition or0 (q : option num) : R := match q with Some v => value v | None => 0 end.

Lemma sum_cited_spec F ps v : sum_cited F ps = Some v ->
  value v = sum_parts (fun p => or0 (F p)) ps /\ forall p, In p ps -> exists t, F p = Some t.
Proof.
  revert v. induction ps as [|p ps IH]; simpl; intros v H; [inversion H; split; [apply value_0 | intros ? []]|].
  destruct (F p) as [a|] eqn:E; [|discriminate]. destruct (sum_cited F ps) as [b|]; [|discriminate].
  inversion H; subst. destruct (IH b eq_refl) as [I1 I2]. split.
  - rewrite value_add, I1. simpl. reflexivity.
  - intros q [<-|Hq]; eauto.
Qed.

(** ** Above *)

Section Upper.
Variable claims : list claim.

Definition above (table : M.t claim) (turned : bool) (children : M.t positive) (p : part) : option num :=
  match cite table turned children p with
  | None => None
  | Some None => Some (x_mass (snd p))
  | Some (Some (s, c)) => Some (nmul s (c_value c))
  end.

Fixpoint steps_above (table : M.t claim) (turned : bool) (w : node) (v : num) (k : nat) (children : list (M.t positive)) : bool :=
  match children with
  | [] => true
  | ch :: rest =>
      match parts_of k w with
      | None => false
      | Some ps => match sum_cited (above table turned ch) ps with Some b => nle b v | None => false end
      end && steps_above table turned w v (S k) rest
  end.

(** max(|x| - alpha |y|, 0) <= v *)
Definition base_ok (w : node) (v : num) : bool := is_nonneg v && nle (nsub (x_mass w) (nmul anum (y_mass w))) v.

Definition upper_ok (table : M.t claim) (c : claim) : bool :=
  match belief_of c with
  | None => false
  | Some w =>
      match c_rule c with
      | Mass => nle (x_mass w) (c_value c)
      | Same => vanishes (map (fun e => (fst e, (nsub (nmul (fst (snd e)) (y_mass w)) (nmul (snd (snd e)) (x_mass w)), n0))) w)
                && base_ok w (c_value c)
      | Step children => base_ok w (c_value c) && Nat.eqb (length children) (choices m w)
                         && steps_above table (c_turned c) w (c_value c) 0 children
      | Gap => false
      end
  end.

Hypothesis all_ok : forall c, In c claims -> upper_ok (claim_table claims) c = true.

Lemma steps_above_nth table turned w v : forall children k0 k, steps_above table turned w v k0 children = true ->
  (k < length children)%nat -> exists ch ps b, parts_of (k0 + k) w = Some ps
    /\ sum_cited (above table turned ch) ps = Some b /\ value b <= value v.
Proof.
  induction children as [|ch children IH]; intros k0 k H L; simpl in *; [lia|].
  apply andb_prop in H; destruct H as [H Hr]. destruct k as [|k].
  - rewrite Nat.add_0_r. destruct (parts_of k0 w) as [ps|]; [|discriminate].
    destruct (sum_cited (above table turned ch) ps) as [b|] eqn:E; [|discriminate].
    exists ch, ps, b. auto using nle_le.
  - rewrite Nat.add_succ_r. apply (IH (S k0) k Hr). lia.
Qed.

Lemma base_facts w v : base_ok w v = true -> 0 <= value v /\ value (x_mass w) - alpha * value (y_mass w) <= value v.
Proof.
  unfold base_ok. intros H. apply andb_prop in H. destruct H as [H1 H2]. apply is_nonneg_le in H1. apply nle_le in H2.
  rewrite value_sub, value_mul in H2. auto.
Qed.

Lemma base_bound w v b E : base_ok w v = true -> (forall i, prob E i = b) -> 0 <= b /\ b <= 1 -> dot val w (prob E) <= value v.
Proof.
  intros K C B. apply base_facts in K. rewrite (dot_ext_all val w _ (fun _ => b)) by assumption. rewrite dot_const, x_mass_eq. nra.
Qed.

Lemma same_sound w v E : node_nonneg w = true ->
  vanishes (map (fun e => (fst e, (nsub (nmul (fst (snd e)) (y_mass w)) (nmul (snd (snd e)) (x_mass w)), n0))) w) = true ->
  base_ok w v = true -> dot val w (prob E) <= value v.
Proof.
  intros N V K. apply base_facts in K. destruct K as [P0 P1].
  destruct (sides w (prob E) N (prob_range m stoch E)) as (X & Y & X0 & X1 & Y0 & Y1 & H).
  pose proof (vanishes_prob _ 0 E V) as Z.
  assert (Z' : dot (pair_val 0) (map (fun e => (fst e, (nsub (nmul (fst (snd e)) (y_mass w)) (nmul (snd (snd e)) (x_mass w)), n0))) w) (prob E)
    = X * value (y_mass w) - Y * value (x_mass w)).
  { assert (HX := H 0). assert (HY : dot (pair_val (- (1))) w (prob E) - dot (pair_val 0) w (prob E) = Y) by (rewrite !H; ring).
    rewrite <- HY. assert (HX' : dot (pair_val 0) w (prob E) = X) by (rewrite HX; ring). rewrite <- HX'.
    generalize (x_mass w) (y_mass w). intros a b. clear. induction w as [|[i [x y]] w IH]; simpl; [ring|].
    rewrite IH. unfold pair_val. simpl. rewrite value_sub, !value_mul. ring. }
  rewrite Z' in Z. rewrite H. set (x := value (x_mass w)) in *. set (y := value (y_mass w)) in *.
  destruct (Rlt_le_dec 0 x) as [L|L].
  - set (p := X / x). assert (Ep : X = p * x) by (unfold p; field; lra).
    assert (EY : Y = p * y) by (unfold p; apply (Rmult_eq_reg_r x); [field_simplify; lra | lra]).
    assert (I : 0 < / x) by (apply Rinv_0_lt_compat; assumption).
    assert (p0 : 0 <= p) by (unfold p, Rdiv; nra).
    assert (p1 : p <= 1) by (unfold p; apply (Rmult_le_reg_r x); [assumption | unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra]).
    rewrite EY, Ep. nra.
  - assert (X = 0) by lra. nra.
Qed.

Theorem upper_sound E : forall c w, In c claims -> belief_of c = Some w -> dot val w (prob E) <= value (c_value c).
Proof.
  induction E as [b|k c0 IH]; intros c w I B; specialize (all_ok c I); unfold upper_ok in all_ok; rewrite B in all_ok;
    destruct (goal_ok c w B) as [N S]; destruct (c_rule c) as [| | |children] eqn:Rule; try discriminate.
  all: try (match goal with |- dot _ _ (prob ?E) <= _ =>
      (* mass *)
      (destruct (sides w (prob E) N (prob_range m stoch E)) as (X & Y & X0 & X1 & Y0 & Y1 & H);
       apply nle_le in all_ok; rewrite H; nra)
      || (* same *)
      (apply andb_prop in all_ok; destruct all_ok as [A1 A2]; apply (same_sound w (c_value c) E N A1 A2)) end).
  - apply andb_prop in all_ok; destruct all_ok as [A _]. apply andb_prop in A; destruct A as [A _].
    apply (base_bound w (c_value c) (if b then 1 else 0)); auto; destruct b; lra.
  - apply andb_prop in all_ok; destruct all_ok as [A A3]. apply andb_prop in A; destruct A as [A1 A2].
    apply Nat.eqb_eq in A2.
    destruct (steps_above_nth _ _ _ _ _ 0%nat (Nat.min k (pred (choices m w))) A3) as (ch & ps & v & P & Sv & Le).
    { rewrite A2. pose proof (choices_in m k w) as C. apply in_seq in C. lia. }
    simpl in P. rewrite (look_dot m val pair_scale (pair_val_scale alpha)), (choices_step m pair_scale k w).
    rewrite <- (look_dot m val pair_scale (pair_val_scale alpha)).
    destruct (parts_look _ _ _ P) as [_ L]. rewrite L. apply sum_cited_spec in Sv. destruct Sv as [Sv F].
    eapply Rle_trans; [|exact Le]. rewrite Sv. apply sum_parts_le. intros p Ip.
    destruct (F p Ip) as [t Ft]. rewrite Ft. simpl. unfold above in Ft.
    destruct (cite (claim_table claims) (c_turned c) ch p) as [[[s d]|]|] eqn:Ci; inversion Ft; subst.
    + destruct (cite_listed _ _ _ _ _ _ Ci) as (n & goal & Fc & Bd' & s0 & _ & Eq).
      rewrite Eq, value_mul. apply find_claim_in in Fc. destruct Fc as (Id & _ & _).
      specialize (IH (fst p) d goal Id Bd'). nra.
    + apply cite_nonneg in Ci.
      destruct (sides (snd p) (prob (c0 (fst p))) Ci (prob_range m stoch _)) as (X & Y & X0 & X1 & Y0 & Y1 & H).
      rewrite H. nra.
Qed.
End Upper.
End Nodes.
End WithNumbers.
Notation node := (list (state * (num * num))).
