(** Claims from below (L1, L2 with ranks): values that events come as close to as one likes.

    Unroll the claims h times. What is missing at a node is at most C * rho^h * size * potential, where the potential
    1 - r^rank is in [0, 1) and its mean after a step is smaller by the factor rho < 1, because some mass goes to smaller
    ranks or leaves. This is the limit argument of the rule L2 with an explicit rate. *)

Require Import Reals Lra Lia Psatz Bool List PArith ZArith.
Require Import Deltachain.functions.Products Deltachain.functions.Model Deltachain.functions.Nodes.
Import ListNotations.
Open Scope R_scope.

(** ** Powers *)

Fixpoint power (q : R) (n : nat) : R := match n with O => 1 | S k => q * power q k end.

Lemma power_range q n : 0 <= q -> q <= 1 -> 0 <= power q n /\ power q n <= 1.
Proof. intros A B. induction n as [|n [I J]]; simpl; [lra|]. split; nra. Qed.
Lemma power_pos q n : 0 < q -> 0 < power q n.
Proof. intros A. induction n as [|n I]; simpl; [lra|]. nra. Qed.
Lemma power_anti q a b : 0 <= q -> q <= 1 -> (a <= b)%nat -> power q b <= power q a.
Proof.
  intros A B. induction 1 as [|b L IH]; [lra|]. simpl. destruct (power_range q b A B) as [P _].
  pose proof (Rmult_le_compat_r (power q b) q 1 P B). lra.
Qed.

(** (1 - d)^n <= 1 / (1 + n d): as small as one likes. *)
Lemma bernoulli d n : 0 < d -> d <= 1 -> power (1 - d) n * (1 + INR n * d) <= 1.
Proof.
  intros A B. induction n as [|n IH]; [simpl; lra|].
  assert (P : 0 <= power (1 - d) n) by (apply power_range; lra).
  pose proof (pos_INR n) as N. rewrite S_INR. cbn [power]. set (x := INR n) in *. set (p := power (1 - d) n) in *.
  assert ((1 - d) * (1 + (x + 1) * d) <= 1 + x * d) by nra. nra.
Qed.

Lemma power_small d C eta : 0 < d -> d <= 1 -> 0 <= C -> 0 < eta -> exists n, C * power (1 - d) n <= eta.
Proof.
  intros A B HC E. assert (D : 0 < eta * d) by nra. assert (U : exists n, C / (eta * d) < INR n).
  { exists (Z.to_nat (up (C / (eta * d)))). destruct (archimed (C / (eta * d))) as [U _].
    assert (0 <= C / (eta * d)) by (apply Rmult_le_pos; [assumption | left; apply Rinv_0_lt_compat; assumption]).
    assert (0 <= up (C / (eta * d)))%Z by (apply le_IZR; lra). rewrite INR_IZR_INZ, Z2Nat.id by assumption. assumption. }
  destruct U as [n Hn]. exists n.
  pose proof (bernoulli d n A B) as H. assert (P : 0 <= power (1 - d) n) by (apply power_range; lra).
  set (p := power (1 - d) n) in *. set (N := INR n) in *.
  assert (L : C < N * (eta * d)).
  { replace C with (C / (eta * d) * (eta * d)) by (field; split; lra). apply Rmult_lt_compat_r; assumption. }
  assert (p * (N * d) <= 1) by nra.
  assert (C * p <= N * (eta * d) * p) by nra.
  assert (N * (eta * d) * p = eta * (p * (N * d))) by ring. nra.
Qed.

(** One constant for finitely many. *)
Lemma common_small {X} (P : X -> R -> Prop) l :
  (forall x a b, P x a -> 0 < b -> b <= a -> P x b) -> (forall x, In x l -> exists a, 0 < a /\ P x a) ->
  exists a, 0 < a /\ a <= 1 /\ forall x, In x l -> P x a.
Proof.
  intros D. induction l as [|y l IH]; intros H; [exists 1; repeat split; try lra; intros ? []|].
  destruct IH as (a & A & A1 & I); [intros; apply H; right; assumption|].
  destruct (H y (or_introl eq_refl)) as (b & B & Pb). destruct (Rlt_le_dec a b) as [L|L].
  - exists a. repeat split; auto. intros x [<-|Hx]; [apply (D y b a); auto; lra | auto].
  - exists b. repeat split; auto; [lra|]. intros x [<-|Hx]; [assumption | apply (D x a b); auto].
Qed.

Section Lower.
Context {Num : Numbers} {Mean : Meaning Num}.
Variable m : model.
Hypothesis stoch : stochastic m.
Variable anum : num.
Notation alpha := (value anum).

Notation lab := (lab m).
Notation prob := (prob m).
Notation val := (pair_val alpha).

Variable nodes : M.t node.
Hypothesis nodes_ok : forall n w, M.find n nodes = Some w -> node_ok w = true.
Variable vanishes : node -> bool.
Hypothesis vanishes_prob : forall w a E, vanishes w = true -> dot (pair_val a) w (prob E) = 0.

Notation belief_of := (belief_of nodes).
Notation parts_of := (parts_of m).
Notation cite := (cite nodes vanishes).

Variable claims : list claim.

Definition gap (w : node) : num := positive_part (nsub (x_mass w) (nmul anum (y_mass w))).

Definition below (table : M.t claim) (turned : bool) (children : M.t positive) (p : part) : option num :=
  match cite table turned children p with
  | None => None
  | Some None => Some (gap (snd p))
  | Some (Some (s, c)) => Some (nmul s (c_value c))
  end.

(** Whether some mass goes to a smaller rank, or is not listed. *)
Definition falls (table : M.t claim) (c : claim) (children : M.t positive) (p : part) : bool :=
  nlt n0 (size (snd p)) &&
  match cite table (c_turned c) children p with
  | Some (Some (_, d)) => Pos.ltb (c_rank d) (c_rank c)
  | _ => true
  end.

Definition lower_ok (table : M.t claim) (c : claim) : bool :=
  match belief_of c with
  | None => false
  | Some w =>
      match c_rule c with
      | Gap => nle (c_value c) n0 || nle (c_value c) (gap w)
      | Step [children] =>
          match parts_of (c_input c) w with
          | None => false
          | Some ps =>
              match sum_cited (below table (c_turned c) children) ps with Some b => nle (c_value c) b | None => false end
              && existsb (falls table c children) ps
          end
      | _ => false
      end
  end.

Notation table := (claim_table claims).
Hypothesis all_ok : forall c, In c claims -> lower_ok table c = true.

Lemma gap_attained w : exists E, dot val w (prob E) = value (gap w).
Proof.
  unfold gap. destruct (positive_part_cases (nsub (x_mass w) (nmul anum (y_mass w)))) as [G|G].
  - exists (Verdict false). rewrite G. simpl. apply dot_zero.
  - exists (Verdict true). rewrite G. simpl. rewrite x_mass_eq, value_sub, value_mul. reflexivity.
Qed.

Definition steps_of (c : claim) : option (M.t positive) := match c_rule c with Step [children] => Some children | _ => None end.

Lemma claim_facts c : In c claims -> exists w, belief_of c = Some w /\ 0 < value (size w) /\
  ((exists E, value (c_value c) <= dot val w (prob E)) \/ exists children ps, steps_of c = Some children /\ parts_of (c_input c) w = Some ps
    /\ (forall p, In p ps -> exists t, below table (c_turned c) children p = Some t)
    /\ value (c_value c) <= sum_parts (fun p => or0 (below table (c_turned c) children p)) ps
    /\ exists p, In p ps /\ falls table c children p = true).
Proof.
  intros I. specialize (all_ok c I). unfold lower_ok in all_ok. destruct (belief_of c) as [w|] eqn:B; [|discriminate].
  exists w. destruct (goal_ok nodes nodes_ok c w B) as [_ S]. split; [reflexivity|]. split; [assumption|].
  unfold steps_of. destruct (c_rule c) as [| | |[|ch [|? ?]]] eqn:R0; try discriminate.
  - left. apply Bool.orb_true_iff in all_ok. destruct all_ok as [A|A]; apply nle_le in A.
    + exists (Verdict false). simpl. rewrite dot_zero. rewrite value_0 in A. assumption.
    + destruct (gap_attained w) as [E HE]. exists E. rewrite HE. assumption.
  - right. destruct (parts_of (c_input c) w) as [ps|]; [|discriminate]. apply andb_prop in all_ok. destruct all_ok as [A1 A2].
    destruct (sum_cited _ ps) as [b|] eqn:Sm; [|discriminate]. apply nle_le in A1. apply sum_cited_spec in Sm.
    destruct Sm as [Sv F]. exists ch, ps. repeat split; auto; [rewrite <- Sv; assumption|].
    apply existsb_exists. assumption.
Qed.

Definition share_falls (c : claim) (q : R) : Prop := forall w children ps, belief_of c = Some w ->
  steps_of c = Some children -> parts_of (c_input c) w = Some ps -> (exists E, value (c_value c) <= dot val w (prob E)) \/
  exists p, In p ps /\ falls table c children p = true /\ q * value (size w) <= value (size (snd p)).

Lemma common_share : exists q, 0 < q /\ q <= 1 /\ forall c, In c claims -> share_falls c q.
Proof.
  apply common_small.
  - intros c a b H B L w ch ps Bw S P. destruct (H w ch ps Bw S P) as [G|(p & I & F & Sz)]; [left; assumption|right].
    exists p. repeat split; auto. destruct (goal_ok nodes nodes_ok c w Bw) as [_ Sw]. nra.
  - intros c I. destruct (claim_facts c I) as (w & B & S & [G|(ch & ps & St & P & _ & _ & p & Ip & F)]).
    + exists 1. split; [lra|]. intros w' ? ? B' _ _. left. assert (w' = w) by congruence. subst w'. assumption.
    + assert (Sp : 0 < value (size (snd p))) by (unfold falls in F; apply andb_prop in F; destruct F as [F _]; apply nlt_lt in F; rewrite value_0 in F; exact F).
      exists (value (size (snd p)) / value (size w)). split; [apply Rdiv_lt_0_compat; lra|].
      intros w' ch' ps' B' S' P'. right. assert (w' = w) by congruence. assert (ch' = ch) by congruence. subst.
      assert (ps' = ps) by congruence. subst. exists p. repeat split; auto.
      replace (value (size (snd p)) / value (size w) * value (size w)) with (value (size (snd p))) by (field; lra). lra.
Qed.

Definition rank_of (c : claim) : nat := Pos.to_nat (c_rank c).

Lemma highest_rank : exists K, forall c, In c claims -> (rank_of c <= K)%nat.
Proof.
  clear. induction claims as [|c l [K IH]]; [exists 0%nat; intros ? []|]. exists (Nat.max (rank_of c) K).
  intros d [<-|I]; [lia|]. specialize (IH d I). lia.
Qed.

Section Potential.
Variables q C : R.
Variable K : nat.
Hypothesis q_pos : 0 < q.
Hypothesis q_le1 : q <= 1.
Hypothesis shares : forall c, In c claims -> share_falls c q.
Hypothesis ranks : forall c, In c claims -> (rank_of c <= K)%nat.
Hypothesis C_nonneg : 0 <= C.
Hypothesis C_large : forall c w, In c claims -> belief_of c = Some w -> 2 * value (c_value c) <= C * value (size w).

Definition ratio := q * (/ 2).
Definition drop := power ratio K.
Definition potential (c : claim) : R := 1 - power ratio (rank_of c).

Lemma r_range : 0 < ratio /\ ratio <= (/ 2).
Proof. unfold ratio. split; lra. Qed.

Lemma potential_range c : (/ 2) <= potential c /\ potential c <= 1.
Proof.
  unfold potential, rank_of. destruct r_range as [A B]. destruct (Pos2Nat.is_succ (c_rank c)) as [n ->]. simpl.
  assert (R : 0 <= power ratio n /\ power ratio n <= 1) by (apply power_range; lra). destruct R. split; [|nra].
  assert (ratio * power ratio n <= (/ 2)) by nra. lra.
Qed.

(** The potential of what a part cites; nothing for what is not listed. *)
Definition cited (c : claim) (children : M.t positive) (p : part) : R :=
  match cite table (c_turned c) children p with Some (Some (_, e)) => potential e | _ => 0 end.

Lemma potential_falls c w ch ps : In c claims -> belief_of c = Some w -> steps_of c = Some ch ->
  parts_of (c_input c) w = Some ps -> (forall p, In p ps -> exists t, below table (c_turned c) ch p = Some t) ->
  (exists E, value (c_value c) <= dot val w (prob E)) \/ sum_parts (fun p => value (size (snd p)) * cited c ch p) ps <= (1 - drop) * (value (size w) * potential c).
Proof.
  intros I B St P F. destruct (shares c I w ch ps B St P) as [G|(p0 & I0 & F0 & S0)]; [left; assumption|right].
  destruct (goal_ok nodes nodes_ok c w B) as [_ Sw]. destruct r_range as [R0 R1].
  set (k := rank_of c). assert (Hk : exists n, k = S n) by (apply Pos2Nat.is_succ). destruct Hk as [n Hn].
  assert (N : forall p, In p ps -> 0 <= value (size (snd p))).
  { intros p Ip. destruct (F p Ip) as [t Ft]. unfold below in Ft.
    destruct (cite table (c_turned c) ch p) as [z|] eqn:Ci; [|discriminate]. apply cite_nonneg in Ci.
    apply x_mass_nonneg in Ci. unfold size. rewrite value_add. lra. }
  assert (T : forall p, cited c ch p <= 1).
  { intros p. unfold cited. destruct (cite table (c_turned c) ch p) as [[[? e]|]|]; try lra. apply potential_range. }
  assert (T0 : cited c ch p0 <= 1 - power ratio n).
  { unfold cited. unfold falls in F0. apply andb_prop in F0. destruct F0 as [_ F0].
    assert (Pn : power ratio n <= 1) by (apply power_range; lra).
    destruct (cite table (c_turned c) ch p0) as [[[? e]|]|]; try lra.
    unfold potential. apply Pos.ltb_lt in F0. apply Pos2Nat.inj_lt in F0.
    assert (power ratio n <= power ratio (rank_of e)) by (apply power_anti; try lra; unfold rank_of, k in *; unfold rank_of in Hn; lia). lra. }
  assert (G : sum_parts (fun p => value (size (snd p)) * cited c ch p) ps <= sum_parts (fun p => value (size (snd p))) ps - value (size (snd p0)) * power ratio n).
  { assert (Pn : 0 <= power ratio n) by (apply power_range; lra). clear P S0 F. revert I0 N. induction ps as [|p ps IH]; intros I0 N; [destruct I0|].
    simpl. assert (Np : 0 <= value (size (snd p))) by (apply N; left; reflexivity).
    assert (Rest : sum_parts (fun p => value (size (snd p)) * cited c ch p) ps <= sum_parts (fun p => value (size (snd p))) ps).
    { apply sum_parts_le. intros p' Ip'. specialize (N p' (or_intror Ip')). specialize (T p'). nra. }
    destruct I0 as [->|I0].
    - nra.
    - assert (H := IH I0 (fun p' Ip' => N p' (or_intror Ip'))). specialize (T p). nra. }
  rewrite (parts_size m stoch anum _ _ _ P) in G. eapply Rle_trans; [exact G|].
  unfold potential. fold k. rewrite Hn. simpl.
  assert (Dk : drop <= ratio * power ratio n).
  { change (ratio * power ratio n) with (power ratio (S n)). unfold drop. apply power_anti; try lra. rewrite <- Hn. unfold k. apply ranks. assumption. }
  assert (D0 : 0 < drop) by (apply power_pos; assumption).
  assert (Pn : 0 < power ratio n) by (apply power_pos; assumption).
  assert (Q2 : q = 2 * ratio) by (unfold ratio; field). set (z := power ratio n) in *.
  assert (A1 : value (size (snd p0)) * z >= value (size w) * (2 * (ratio * z))) by nra.
  assert (A2 : 0 <= drop * (ratio * z)) by nra.
  assert (A3 : (1 - drop) * (1 - ratio * z) >= 1 - 2 * (ratio * z)) by nra.
  nra.
Qed.

(** After h rounds. *)
Lemma rounds h : forall c w, In c claims -> belief_of c = Some w ->
  exists E, value (c_value c) - C * power (1 - drop) h * (value (size w) * potential c) <= dot val w (prob E).
Proof.
  assert (D0 : 0 < drop) by (apply power_pos, r_range).
  assert (D1 : drop <= 1) by (destruct r_range; apply power_range; lra).
  induction h as [|h IH]; intros c w I B; destruct (goal_ok nodes nodes_ok c w B) as [_ Sw];
    destruct (potential_range c) as [P0 P1].
  - exists (Verdict false). simpl. rewrite dot_zero. specialize (C_large c w I B).
    assert (Z0 : 0 <= C * value (size w)) by nra. set (z := C * value (size w)) in *.
    replace (C * 1 * (value (size w) * potential c)) with (z * potential c) by (unfold z; ring). nra.
  - assert (Pw : 0 <= power (1 - drop) h) by (apply power_range; lra).
    assert (Easy : (exists E, value (c_value c) <= dot val w (prob E)) -> exists E, value (c_value c) - C * power (1 - drop) (S h) * (value (size w) * potential c) <= dot val w (prob E)).
    { intros [E HE]. exists E. eapply Rle_trans; [|exact HE]. simpl.
      assert (0 <= C * ((1 - drop) * power (1 - drop) h) * (value (size w) * potential c)).
      { apply Rmult_le_pos; apply Rmult_le_pos; try lra. apply Rmult_le_pos; lra. } lra. }
    destruct (claim_facts c I) as (w' & B' & _ & Cases). assert (w' = w) by congruence. subst w'.
    destruct Cases as [G|(ch & ps & St & P & F & V & _)]; [auto|].
    destruct (potential_falls c w ch ps I B St P F) as [G|Fall]; [auto|]. clear Easy.
    destruct (parts_look m anum _ _ _ P) as [ND L].
    destruct (choose_by_label (Verdict false) (fun p E => or0 (below table (c_turned c) ch p)
        - C * power (1 - drop) h * (value (size (snd p)) * cited c ch p) <= dot val (snd p) (prob E)) ps ND) as [f Hf].
    { intros p Ip. destruct (F p Ip) as [t Ft]. rewrite Ft. simpl. unfold below in Ft. unfold cited.
      destruct (cite table (c_turned c) ch p) as [[[s e]|]|] eqn:Ci; inversion Ft; subst.
      - destruct (cite_listed m nodes nodes_ok vanishes vanishes_prob _ _ _ _ _ _ Ci) as (n & goal & Fc & Be & s0 & Sz & Eq).
        apply find_claim_in in Fc. destruct Fc as (Ie & _ & _). destruct (IH e goal Ie Be) as [E HE].
        exists E. rewrite Eq, value_mul, <- Sz.
        apply Rle_trans with (value s * (value (c_value e) - C * power (1 - drop) h * (value (size goal) * potential e))); [|nra].
        apply Req_le. ring.
      - destruct (gap_attained (snd p)) as [E HE]. exists E. rewrite HE. lra. }
    exists (Look (c_input c) f). rewrite L. eapply Rle_trans; [|apply sum_parts_le; exact Hf].
    assert (Eq : sum_parts (fun p => or0 (below table (c_turned c) ch p) - C * power (1 - drop) h * (value (size (snd p)) * cited c ch p)) ps
      = sum_parts (fun p => or0 (below table (c_turned c) ch p)) ps
       + - (C * power (1 - drop) h) * sum_parts (fun p => value (size (snd p)) * cited c ch p) ps).
    { rewrite <- sum_parts_times, <- sum_parts_plus. apply sum_parts_ext. intros; ring. }
    (eapply Rle_trans; [|apply Req_le; symmetry; exact Eq]). simpl. assert (CP : 0 <= C * power (1 - drop) h) by nra.
    set (X := sum_parts (fun p => value (size (snd p)) * cited c ch p) ps) in *. set (Y := C * power (1 - drop) h) in *.
    replace (C * ((1 - drop) * power (1 - drop) h)) with (Y * (1 - drop)) by (unfold Y; ring). nra.
Qed.
End Potential.

Theorem lower_sound c w eta : In c claims -> belief_of c = Some w -> 0 < eta ->
  exists E, value (c_value c) - eta <= dot val w (prob E).
Proof.
  intros I B Eta. destruct common_share as (q & q0 & q1 & Hq). destruct highest_rank as [K HK].
  assert (HC : exists C, 0 <= C /\ forall c w, In c claims -> belief_of c = Some w -> 2 * value (c_value c) <= C * value (size w)).
  { assert (G : forall l, (forall c, In c l -> In c claims) -> exists C, 0 <= C /\ forall c w, In c l -> belief_of c = Some w -> 2 * value (c_value c) <= C * value (size w)).
    { induction l as [|e l IH]; intros H; [exists 0; split; [lra | intros ? ? []]|].
      destruct IH as (C & C0 & HC); [intros; apply H; right; assumption|].
      destruct (claim_facts e (H e (or_introl eq_refl))) as (we & Be & Se & _).
      set (z := Rabs (2 * value (c_value e) / value (size we))). assert (Z0 : 0 <= z) by apply Rabs_pos.
      exists (C + z). split; [lra|]. intros c' w' [<-|I'] B'.
      - assert (w' = we) by congruence. subst w'. assert (2 * value (c_value e) / value (size we) <= z) by apply Rle_abs.
        replace (2 * value (c_value e)) with (2 * value (c_value e) / value (size we) * value (size we)) by (field; lra). nra.
      - specialize (HC c' w' I' B'). destruct (goal_ok nodes nodes_ok c' w' B') as [_ S']. nra. }
    apply (G claims). auto. }
  destruct HC as (C & C0 & HC). destruct (goal_ok nodes nodes_ok c w B) as [_ Sw].
  pose proof (r_range q q0 q1) as [R0 R1]. 
  assert (D0 : 0 < drop q K) by (unfold drop; apply power_pos; assumption).
  assert (D1 : drop q K <= 1) by (unfold drop; apply power_range; lra).
  destruct (power_small (drop q K) (C * value (size w)) eta D0 D1) as [h Hh]; [nra|assumption|].
  destruct (rounds q C K q0 q1 Hq HK C0 HC h c w I B) as [E HE]. exists E. eapply Rle_trans; [|exact HE].
  destruct (potential_range q q0 q1 c) as [P0 P1].
  assert (Pw : 0 <= power (1 - drop q K) h) by (apply power_range; lra).
  set (y := power (1 - drop q K) h) in *.
  assert (0 <= C * y * value (size w)) by (apply Rmult_le_pos; [nra | lra]).
  set (z := C * y * value (size w)) in *. replace (C * y * (value (size w) * potential q c)) with (z * potential q c) by (unfold z; ring).
  replace (C * value (size w) * y) with z in Hh by (unfold z; ring). nra.
Qed.
End Lower.
