(** Claims from below (L1, L2 with ranks): values that events come as close to as one likes.

    Unroll the claims h times. What is missing at a node is at most C * rho^h * size * potential, where the potential
    1 - r^rank is in [0, 1) and its mean after a step is smaller by the factor rho < 1, because some mass goes to smaller
    ranks or leaves. This is the limit argument of the rule L2 with an explicit rate. *)

Require Import QArith Qabs Lqa Lia List Permutation PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model Deltachain.Nodes.
Import ListNotations.
Open Scope Q_scope.

(** ** Powers *)

Fixpoint power (q : Q) (n : nat) : Q := match n with O => 1 | S k => q * power q k end.

Lemma power_range q n : 0 <= q -> q <= 1 -> 0 <= power q n /\ power q n <= 1.
Proof. intros A B. induction n as [|n [I J]]; simpl; [lra|]. split; nra. Qed.
Lemma power_pos q n : 0 < q -> 0 < power q n.
Proof. intros A. induction n as [|n I]; simpl; [lra|]. nra. Qed.
Lemma power_anti q a b : 0 <= q -> q <= 1 -> (a <= b)%nat -> power q b <= power q a.
Proof.
  intros A B. induction 1 as [|b L IH]; [lra|]. simpl. destruct (power_range q b A B) as [P _].
  pose proof (Qmult_le_compat_r q 1 (power q b) B P). lra.
Qed.

(** (1 - d)^n <= 1 / (1 + n d): as small as one likes. *)
Lemma bernoulli d n : 0 < d -> d <= 1 -> power (1 - d) n * (1 + inject_Z (Z.of_nat n) * d) <= 1.
Proof.
  intros A B. induction n as [|n IH]; [change (1 * (1 + 0 * d) <= 1); lra|].
  assert (P : 0 <= power (1 - d) n) by (apply power_range; lra).
  assert (E : inject_Z (Z.of_nat (S n)) == inject_Z (Z.of_nat n) + 1).
  { rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite inject_Z_plus. reflexivity. }
  assert (N : 0 <= inject_Z (Z.of_nat n)) by (change 0 with (inject_Z 0); rewrite <- Zle_Qle; lia).
  rewrite E. simpl. set (x := inject_Z (Z.of_nat n)) in *. set (p := power (1 - d) n) in *.
  assert ((1 - d) * (1 + (x + 1) * d) <= 1 + x * d) by nra. nra.
Qed.

Lemma power_small d C eta : 0 < d -> d <= 1 -> 0 <= C -> 0 < eta -> exists n, C * power (1 - d) n <= eta.
Proof.
  intros A B HC E. destruct (Qarchimedean (C / (eta * d))) as [n Hn]. exists (Pos.to_nat n).
  pose proof (bernoulli d (Pos.to_nat n) A B) as H. rewrite positive_nat_Z in H.
  assert (P : 0 <= power (1 - d) (Pos.to_nat n)) by (apply power_range; lra).
  set (p := power (1 - d) (Pos.to_nat n)) in *. change (inject_Z (Z.pos n)) with (Z.pos n # 1) in H.
  set (N := Z.pos n # 1) in *.
  assert (D : 0 < eta * d) by nra.
  assert (C < N * (eta * d)).
  { setoid_replace C with (C / (eta * d) * (eta * d)) by (field; split; lra). apply Qmult_lt_r; assumption. }
  assert (0 < N) by (unfold N; reflexivity).
  assert (p * (N * d) <= 1) by nra.
  assert (C * p <= N * (eta * d) * p) by nra.
  assert (N * (eta * d) * p == eta * (p * (N * d))) by ring. nra.
Qed.

(** One constant for finitely many. *)
Lemma common_small {X} (P : X -> Q -> Prop) l :
  (forall x a b, P x a -> 0 < b -> b <= a -> P x b) -> (forall x, In x l -> exists a, 0 < a /\ P x a) ->
  exists a, 0 < a /\ a <= 1 /\ forall x, In x l -> P x a.
Proof.
  intros D. induction l as [|y l IH]; intros H; [exists 1; repeat split; try lra; intros ? []|].
  destruct IH as (a & A & A1 & I); [intros; apply H; right; assumption|].
  destruct (H y (or_introl eq_refl)) as (b & B & Pb). destruct (Qlt_le_dec a b) as [L|L].
  - exists a. repeat split; auto. intros x [<-|Hx]; [apply (D y b a); auto; lra | auto].
  - exists b. repeat split; auto; [lra|]. intros x [<-|Hx]; [assumption | apply (D x a b); auto].
Qed.

Section Lower.
Variable m : model.
Hypothesis stoch : stochastic m.
Variable alpha : Q.
Hypothesis alpha_ge1 : 1 <= alpha.

Notation lab := (lab m).
Notation prob := (prob m).
Notation val := (pair_val alpha).

Variable nodes : M.t node.
Hypothesis nodes_ok : forall n w, M.find n nodes = Some w -> node_ok w = true.
Variable vanishes : node -> bool.
Hypothesis vanishes_prob : forall w a E, vanishes w = true -> dot (pair_val a) w (prob E) == 0.

Notation belief_of := (belief_of nodes).
Notation parts_of := (parts_of m).
Notation cite := (cite nodes vanishes).

Variable claims : list claim.

Definition gap (w : node) : Q := positive_part (qsub (x_mass w) (qmul alpha (y_mass w))).

Definition below (table : M.t claim) (turned : bool) (children : M.t positive) (p : part) : option Q :=
  match cite table turned children p with
  | None => None
  | Some None => Some (gap (snd p))
  | Some (Some (s, c)) => Some (qmul s (c_value c))
  end.

(** Whether some mass goes to a smaller rank, or is not listed. *)
Definition falls (table : M.t claim) (c : claim) (children : M.t positive) (p : part) : bool :=
  qlt 0 (size (snd p)) &&
  match cite table (c_turned c) children p with
  | Some (Some (_, d)) => Pos.ltb (c_rank d) (c_rank c)
  | _ => true
  end.

Definition lower_ok (table : M.t claim) (c : claim) : bool :=
  match belief_of c with
  | None => false
  | Some w =>
      match c_rule c with
      | Gap => qle (c_value c) (gap w)
      | Step [children] =>
          match parts_of (c_input c) w with
          | None => false
          | Some ps =>
              match sum_cited (below table (c_turned c) children) ps with Some b => qle (c_value c) b | None => false end
              && existsb (falls table c children) ps
          end
      | _ => false
      end
  end.

Notation table := (claim_table claims).
Hypothesis all_ok : forall c, In c claims -> lower_ok table c = true.

Lemma gap_attained w : exists E, dot val w (prob E) == gap w.
Proof.
  unfold gap. destruct (positive_part_cases (qsub (x_mass w) (qmul alpha (y_mass w)))) as [G|G].
  - exists (Verdict false). rewrite G. simpl. apply dot_zero.
  - exists (Verdict true). rewrite G. simpl. rewrite x_mass_eq, qsub_eq, qmul_eq. reflexivity.
Qed.

Definition steps_of (c : claim) : option (M.t positive) := match c_rule c with Step [children] => Some children | _ => None end.

Lemma claim_facts c : In c claims -> exists w, belief_of c = Some w /\ 0 < size w /\
  (c_value c <= gap w \/ exists children ps, steps_of c = Some children /\ parts_of (c_input c) w = Some ps
    /\ (forall p, In p ps -> exists t, below table (c_turned c) children p = Some t)
    /\ c_value c <= sum_parts (fun p => or0 (below table (c_turned c) children p)) ps
    /\ exists p, In p ps /\ falls table c children p = true).
Proof.
  intros I. specialize (all_ok c I). unfold lower_ok in all_ok. destruct (belief_of c) as [w|] eqn:B; [|discriminate].
  exists w. destruct (goal_ok nodes nodes_ok c w B) as [_ S]. split; [reflexivity|]. split; [assumption|].
  unfold steps_of. destruct (c_rule c) as [| |fl| |[|ch [|? ?]]] eqn:R; try discriminate.
  - left. apply qle_le. assumption.
  - right. destruct (parts_of (c_input c) w) as [ps|]; [|discriminate]. apply andb_prop in all_ok. destruct all_ok as [A1 A2].
    destruct (sum_cited _ ps) as [b|] eqn:Sm; [|discriminate]. apply qle_le in A1. apply sum_cited_spec in Sm.
    destruct Sm as [Sv F]. exists ch, ps. repeat split; auto; [rewrite <- Sv; assumption|].
    apply existsb_exists. assumption.
Qed.

Definition share_falls (c : claim) (q : Q) : Prop := forall w children ps, belief_of c = Some w ->
  steps_of c = Some children -> parts_of (c_input c) w = Some ps -> c_value c <= gap w \/
  exists p, In p ps /\ falls table c children p = true /\ q * size w <= size (snd p).

Lemma common_share : exists q, 0 < q /\ q <= 1 /\ forall c, In c claims -> share_falls c q.
Proof.
  apply common_small.
  - intros c a b H B L w ch ps Bw S P. destruct (H w ch ps Bw S P) as [G|(p & I & F & Sz)]; [left; assumption|right].
    exists p. repeat split; auto. destruct (goal_ok nodes nodes_ok c w Bw) as [_ Sw]. nra.
  - intros c I. destruct (claim_facts c I) as (w & B & S & [G|(ch & ps & St & P & _ & _ & p & Ip & F)]).
    + exists 1. split; [lra|]. intros w' ? ? B' _ _. left. congruence.
    + assert (Sp : 0 < size (snd p)) by (unfold falls in F; apply andb_prop in F; apply qlt_lt, F).
      exists (size (snd p) / size w). split; [apply Qlt_shift_div_l; lra|].
      intros w' ch' ps' B' S' P'. right. assert (w' = w) by congruence. assert (ch' = ch) by congruence. subst.
      assert (ps' = ps) by congruence. subst. exists p. repeat split; auto.
      setoid_replace (size (snd p) / size w * size w) with (size (snd p)) by (field; lra). lra.
Qed.

Definition rank_of (c : claim) : nat := Pos.to_nat (c_rank c).

Lemma highest_rank : exists K, forall c, In c claims -> (rank_of c <= K)%nat.
Proof.
  clear. induction claims as [|c l [K IH]]; [exists 0%nat; intros ? []|]. exists (Nat.max (rank_of c) K).
  intros d [<-|I]; [lia|]. specialize (IH d I). lia.
Qed.

Section Potential.
Variables q C : Q.
Variable K : nat.
Hypothesis q_pos : 0 < q.
Hypothesis q_le1 : q <= 1.
Hypothesis shares : forall c, In c claims -> share_falls c q.
Hypothesis ranks : forall c, In c claims -> (rank_of c <= K)%nat.
Hypothesis C_nonneg : 0 <= C.
Hypothesis C_large : forall c w, In c claims -> belief_of c = Some w -> 2 * c_value c <= C * size w.

Definition ratio := q * (1 # 2).
Definition drop := power ratio K.
Definition potential (c : claim) : Q := 1 - power ratio (rank_of c).

Lemma r_range : 0 < ratio /\ ratio <= (1 # 2).
Proof. unfold ratio. split; lra. Qed.

Lemma potential_range c : (1 # 2) <= potential c /\ potential c <= 1.
Proof.
  unfold potential, rank_of. destruct r_range as [A B]. destruct (Pos2Nat.is_succ (c_rank c)) as [n ->]. simpl.
  assert (R : 0 <= power ratio n /\ power ratio n <= 1) by (apply power_range; lra). destruct R. split; [|nra].
  assert (ratio * power ratio n <= (1 # 2)) by nra. lra.
Qed.

(** The potential of what a part cites; nothing for what is not listed. *)
Definition cited (c : claim) (children : M.t positive) (p : part) : Q :=
  match cite table (c_turned c) children p with Some (Some (_, e)) => potential e | _ => 0 end.

Lemma potential_falls c w ch ps : In c claims -> belief_of c = Some w -> steps_of c = Some ch ->
  parts_of (c_input c) w = Some ps -> (forall p, In p ps -> exists t, below table (c_turned c) ch p = Some t) ->
  c_value c <= gap w \/ sum_parts (fun p => size (snd p) * cited c ch p) ps <= (1 - drop) * (size w * potential c).
Proof.
  intros I B St P F. destruct (shares c I w ch ps B St P) as [G|(p0 & I0 & F0 & S0)]; [left; assumption|right].
  destruct (goal_ok nodes nodes_ok c w B) as [_ Sw]. destruct r_range as [R0 R1].
  set (k := rank_of c). assert (Hk : exists n, k = S n) by (apply Pos2Nat.is_succ). destruct Hk as [n Hn].
  assert (N : forall p, In p ps -> 0 <= size (snd p)).
  { intros p Ip. destruct (F p Ip) as [t Ft]. unfold below in Ft.
    destruct (cite table (c_turned c) ch p) as [z|] eqn:Ci; [|discriminate]. apply cite_nonneg in Ci.
    apply x_mass_nonneg in Ci. unfold size. rewrite qadd_eq. lra. }
  assert (T : forall p, cited c ch p <= 1).
  { intros p. unfold cited. destruct (cite table (c_turned c) ch p) as [[[? e]|]|]; try lra. apply potential_range. }
  assert (T0 : cited c ch p0 <= 1 - power ratio n).
  { unfold cited. unfold falls in F0. apply andb_prop in F0. destruct F0 as [_ F0].
    assert (Pn : power ratio n <= 1) by (apply power_range; lra).
    destruct (cite table (c_turned c) ch p0) as [[[? e]|]|]; try lra.
    unfold potential. apply Pos.ltb_lt in F0. apply Pos2Nat.inj_lt in F0.
    assert (power ratio n <= power ratio (rank_of e)) by (apply power_anti; try lra; unfold rank_of, k in *; unfold rank_of in Hn; lia). lra. }
  assert (G : sum_parts (fun p => size (snd p) * cited c ch p) ps <= sum_parts (fun p => size (snd p)) ps - size (snd p0) * power ratio n).
  { assert (Pn : 0 <= power ratio n) by (apply power_range; lra). clear P S0 F. revert I0 N. induction ps as [|p ps IH]; intros I0 N; [destruct I0|].
    simpl. assert (Np : 0 <= size (snd p)) by (apply N; left; reflexivity).
    assert (Rest : sum_parts (fun p => size (snd p) * cited c ch p) ps <= sum_parts (fun p => size (snd p)) ps).
    { apply sum_parts_le. intros p' Ip'. specialize (N p' (or_intror Ip')). specialize (T p'). nra. }
    destruct I0 as [->|I0].
    - nra.
    - assert (H := IH I0 (fun p' Ip' => N p' (or_intror Ip'))). specialize (T p). nra. }
  rewrite (parts_size m stoch alpha _ _ _ P) in G. eapply Qle_trans; [exact G|].
  unfold potential. fold k. rewrite Hn. simpl.
  assert (Dk : drop <= ratio * power ratio n).
  { change (ratio * power ratio n) with (power ratio (S n)). unfold drop. apply power_anti; try lra. rewrite <- Hn. unfold k. apply ranks. assumption. }
  assert (D0 : 0 < drop) by (apply power_pos; assumption).
  assert (Pn : 0 < power ratio n) by (apply power_pos; assumption).
  assert (Q2 : q == 2 * ratio) by (unfold ratio; ring). set (z := power ratio n) in *.
  assert (A1 : size (snd p0) * z >= size w * (2 * (ratio * z))) by nra.
  assert (A2 : 0 <= drop * (ratio * z)) by nra.
  assert (A3 : (1 - drop) * (1 - ratio * z) >= 1 - 2 * (ratio * z)) by nra.
  nra.
Qed.

(** After h rounds. *)
Lemma rounds h : forall c w, In c claims -> belief_of c = Some w ->
  exists E, c_value c - C * power (1 - drop) h * (size w * potential c) <= dot val w (prob E).
Proof.
  assert (D0 : 0 < drop) by (apply power_pos, r_range).
  assert (D1 : drop <= 1) by (destruct r_range; apply power_range; lra).
  induction h as [|h IH]; intros c w I B; destruct (goal_ok nodes nodes_ok c w B) as [_ Sw];
    destruct (potential_range c) as [P0 P1].
  - exists (Verdict false). simpl. rewrite dot_zero. specialize (C_large c w I B).
    assert (Z0 : 0 <= C * size w) by nra. set (z := C * size w) in *.
    setoid_replace (C * 1 * (size w * potential c)) with (z * potential c) by (unfold z; ring). nra.
  - assert (Pw : 0 <= power (1 - drop) h) by (apply power_range; lra).
    assert (Easy : c_value c <= gap w -> exists E, c_value c - C * power (1 - drop) (S h) * (size w * potential c) <= dot val w (prob E)).
    { intros G. destruct (gap_attained w) as [E HE]. exists E. rewrite HE. simpl.
      assert (0 <= C * ((1 - drop) * power (1 - drop) h) * (size w * potential c)).
      { apply Qmult_le_0_compat; apply Qmult_le_0_compat; try lra. apply Qmult_le_0_compat; lra. } lra. }
    destruct (claim_facts c I) as (w' & B' & _ & Cases). assert (w' = w) by congruence. subst w'.
    destruct Cases as [G|(ch & ps & St & P & F & V & _)]; [auto|].
    destruct (potential_falls c w ch ps I B St P F) as [G|Fall]; [auto|]. clear Easy.
    destruct (parts_look m alpha _ _ _ P) as [ND L].
    destruct (choose_by_label (Verdict false) (fun p E => or0 (below table (c_turned c) ch p)
        - C * power (1 - drop) h * (size (snd p) * cited c ch p) <= dot val (snd p) (prob E)) ps ND) as [f Hf].
    { intros p Ip. destruct (F p Ip) as [t Ft]. rewrite Ft. simpl. unfold below in Ft. unfold cited.
      destruct (cite table (c_turned c) ch p) as [[[s e]|]|] eqn:Ci; inversion Ft; subst.
      - destruct (cite_listed m nodes nodes_ok vanishes vanishes_prob _ _ _ _ _ _ Ci) as (n & goal & Fc & Be & s0 & Sz & Eq).
        apply find_claim_in in Fc. destruct Fc as (Ie & _ & _). destruct (IH e goal Ie Be) as [E HE].
        exists E. rewrite Eq, qmul_eq, <- Sz.
        apply Qle_trans with (s * (c_value e - C * power (1 - drop) h * (size goal * potential e))); [|nra].
        apply Qle_lteq. right. ring.
      - destruct (gap_attained (snd p)) as [E HE]. exists E. rewrite HE. lra. }
    exists (Look (c_input c) f). rewrite L. eapply Qle_trans; [|apply sum_parts_le; exact Hf].
    assert (Eq : sum_parts (fun p => or0 (below table (c_turned c) ch p) - C * power (1 - drop) h * (size (snd p) * cited c ch p)) ps
      == sum_parts (fun p => or0 (below table (c_turned c) ch p)) ps
       + - (C * power (1 - drop) h) * sum_parts (fun p => size (snd p) * cited c ch p) ps).
    { rewrite <- sum_parts_times, <- sum_parts_plus. apply sum_parts_ext. intros; ring. }
    rewrite Eq. simpl. assert (CP : 0 <= C * power (1 - drop) h) by nra.
    set (X := sum_parts (fun p => size (snd p) * cited c ch p) ps) in *. set (Y := C * power (1 - drop) h) in *.
    setoid_replace (C * ((1 - drop) * power (1 - drop) h)) with (Y * (1 - drop)) by (unfold Y; ring). nra.
Qed.
End Potential.

Theorem lower_sound c w eta : In c claims -> belief_of c = Some w -> 0 < eta ->
  exists E, c_value c - eta <= dot val w (prob E).
Proof.
  intros I B Eta. destruct common_share as (q & q0 & q1 & Hq). destruct highest_rank as [K HK].
  assert (HC : exists C, 0 <= C /\ forall c w, In c claims -> belief_of c = Some w -> 2 * c_value c <= C * size w).
  { assert (G : forall l, (forall c, In c l -> In c claims) -> exists C, 0 <= C /\ forall c w, In c l -> belief_of c = Some w -> 2 * c_value c <= C * size w).
    { induction l as [|e l IH]; intros H; [exists 0; split; [lra | intros ? ? []]|].
      destruct IH as (C & C0 & HC); [intros; apply H; right; assumption|].
      destruct (claim_facts e (H e (or_introl eq_refl))) as (we & Be & Se & _).
      set (z := Qabs (2 * c_value e / size we)). assert (Z0 : 0 <= z) by apply Qabs_nonneg.
      exists (C + z). split; [lra|]. intros c' w' [<-|I'] B'.
      - assert (w' = we) by congruence. subst w'. assert (2 * c_value e / size we <= z) by apply Qle_Qabs.
        setoid_replace (2 * c_value e) with (2 * c_value e / size we * size we) by (field; lra). nra.
      - specialize (HC c' w' I' B'). destruct (goal_ok nodes nodes_ok c' w' B') as [_ S']. nra. }
    apply (G claims). auto. }
  destruct HC as (C & C0 & HC). destruct (goal_ok nodes nodes_ok c w B) as [_ Sw].
  pose proof (r_range q q0 q1) as [R0 R1]. 
  assert (D0 : 0 < drop q K) by (unfold drop; apply power_pos; assumption).
  assert (D1 : drop q K <= 1) by (unfold drop; apply power_range; lra).
  destruct (power_small (drop q K) (C * size w) eta D0 D1) as [h Hh]; [nra|assumption|].
  destruct (rounds q C K q0 q1 Hq HK C0 HC h c w I B) as [E HE]. exists E. eapply Qle_trans; [|exact HE].
  destruct (potential_range q q0 q1 c) as [P0 P1].
  assert (Pw : 0 <= power (1 - drop q K) h) by (apply power_range; lra).
  set (y := power (1 - drop q K) h) in *.
  assert (0 <= C * y * size w) by (apply Qmult_le_0_compat; [nra | lra]).
  set (z := C * y * size w) in *. setoid_replace (C * y * (size w * potential q c)) with (z * potential q c) by (unfold z; ring).
  setoid_replace (C * size w * y) with z in Hh by (unfold z; ring). nra.
Qed.
End Lower.
