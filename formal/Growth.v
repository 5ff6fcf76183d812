(** Growth: what the likelihood ratio of two states comes to along words u, uv, uvv, ...

    P is the matrix of the cycle v. A pump: bP >= l b, y <= c, cP <= m c and some xP^n is at least a multiple of b, with
    l > m >= 0; then the ratio grows without end. A limit: Pr = l r, 1 = r + sum a z, Pz = Cz and |C|g <= m g, with l > m;
    then |xP^n|/l^n comes to x.r. *)

Require Import List PArith Arith Field Bool Lia FMapPositive.
Require Import Deltachain.Fields Deltachain.Cover Deltachain.Numbers Deltachain.Checker.
Import ListNotations.

Definition word := (label * list (input * label))%type.
Fixpoint shows (l : list (input * label)) : event :=
  match l with [] => Verdict true | (k, a) :: r => Look k (fun b => if Pos.eqb b a then shows r else Verdict false) end.
Fixpoint repeated (n : nat) (l : list (input * label)) : list (input * label) := match n with O => [] | S n => l ++ repeated n l end.

Section Program.
Context {N : Numbers}.
Notation nvec := (list (state * num)).

Record pump := { p_more : nvec; p_less : nvec; p_feeds : option nvec; p_growth : num; p_decay : num; p_times : nat; p_share : num }.
Record limit := { l_vector : nvec; l_factor : num; l_one : list num; l_rest : list nvec; l_matrix : list (list num); l_sizes : list num; l_rate : num }.
Inductive growth :=
| ByWord (l : word)
| ByPump (prefix : word) (cycle : list (input * label)) (p : pump)
| ByLimit (prefix : word) (cycle : list (input * label)) (reach : list state) (l : limit).

Section OneModel.
Variable places : M.t place.
Variable inputs : M.t (list input).

Fixpoint follow (x : nvec) (l : list (input * label)) : nvec :=
  match l with
  | [] => x
  | (k, a) :: r => follow (gather (filter (fun e => Pos.eqb (label_of places (fst e)) a) (nstep places k x))) r
  end.
Definition start (s : state) (l : word) : nvec := if Pos.eqb (label_of places s) (fst l) then [(s, n1)] else [].
Definition along_word (s : state) (l : word) : nvec := follow (start s l) (snd l).
Definition mass_along (s : state) (l : word) : num := total (along_word s l).

Section Cycle.
Variable cycle : list (input * label).
Definition round_of (i : state) : nvec := follow [(i, n1)] cycle.
Definition passed (v : nvec) : nvec := flat_map (fun e => nscaled (snd e) (round_of (fst e))) v.
Fixpoint rounds_of (n : nat) (v : nvec) : nvec := match n with O => v | S n => rounds_of n (gather (passed v)) end.
Definition at_most_as (v w : nvec) : bool := nonneg_entries (gather (w ++ nminus v)).

Definition pump_ok (x y : nvec) (p : pump) : bool :=
  let b := p_more p in let c := p_less p in
  let target := match p_feeds p with Some a => a | None => b end in
  nonneg_entries b && nonneg_entries c && nonneg_entries target && nlt n0 (total b)
  && at_most_as (nscaled (p_growth p) b) (passed b)
  && at_most_as y c
  && at_most_as (passed c) (nscaled (p_decay p) c)
  && nlt n0 (p_share p) && at_most_as (nscaled (p_share p) target) (rounds_of (p_times p) x)
  && match p_feeds p with
     | None => nle n0 (p_decay p) && nlt (p_decay p) (p_growth p)
     | Some a => nlt n0 (p_decay p) && nle (p_decay p) (p_growth p) && at_most_as (nscaled (p_growth p) a ++ b) (passed a)
     end.

Definition column (v : nvec) : M.t num := of_list v.
Definition entry (v : M.t num) (i : state) : num := match M.find i v with Some x => x | None => n0 end.
Definition against (w : nvec) (v : M.t num) : num := nsum (fun e => nmul (snd e) (entry v (fst e))) w.
Definition size_of_number (c : num) : option num := if nle n0 c then Some c else if nle c n0 then Some (nneg c) else None.
Fixpoint absolute (row sizes : list num) : option num :=
  match row, sizes with
  | c :: r, g :: gs => match size_of_number c, absolute r gs with Some a, Some s => Some (nadd (nmul a g) s) | _, _ => None end
  | [], [] => Some n0
  | _, _ => None
  end.
Definition combined (coefficients : list num) (zs : list (M.t num)) (i : state) : num :=
  nsum (fun cz => nmul (fst cz) (entry (snd cz) i)) (combine coefficients zs).
Definition in_reach (m : M.t unit) (v : nvec) : bool := forallb (fun e : state * num => marked m (fst e)) v.

Definition limit_ok (reach : list state) (x y : nvec) (l : limit) : bool :=
  let r := column (l_vector l) in let zs := map column (l_rest l) in let here := marks reach in
  let size := length (l_rest l) in
  nle n0 (l_rate l) && nlt (l_rate l) (l_factor l)
  && Nat.eqb (length (l_one l)) size && Nat.eqb (length (l_matrix l)) size && Nat.eqb (length (l_sizes l)) size
  && forallb (fun g => nlt n0 g) (l_sizes l)
  && in_reach here x && in_reach here y
  && forallb (fun i =>
       let w := round_of i in
       in_reach here w
       && neq (against w r) (nmul (l_factor l) (entry r i))
       && neq n1 (nadd (entry r i) (combined (l_one l) zs i))
       && forallb (fun row => neq (against w (fst row)) (combined (snd row) zs i)) (combine zs (l_matrix l))) reach
  && forallb (fun row => Nat.eqb (length (fst row)) size &&
       match absolute (fst row) (l_sizes l) with Some s => nle s (nmul (l_rate l) (snd row)) | None => false end) (combine (l_matrix l) (l_sizes l))
  && nonneg_entries x && nonneg_entries y.
Definition limit_of (v : nvec) (l : limit) : num := against v (column (l_vector l)).

(** ** What it means *)

Context {F : Type} {OF : OrderedField F} {V : Meaning N F}.
Add Field F_field : f_field.
Notation P := (chain_of places).
Hypothesis places_ok : forall i p, M.find i places = Some p -> place_ok places inputs (i, p) = true.

(** What a function of the states is worth after a word. *)
Fixpoint along (l : list (input * label)) (f : state -> F) (i : state) : F :=
  match l with [] => f i | (k, a) :: r => dot (move P k i) (fun j => if Pos.eqb (lab P j) a then along r f j else 0) end.
Lemma along_ext l : forall f g, (forall i, f i = g i) -> forall i, along l f i = along l g i.
Proof.
  induction l as [|[k a] r IH]; intros f g E i; simpl; [apply E|]. apply dot_ext_all. intros j. destruct (Pos.eqb _ a); [apply IH, E | reflexivity].
Qed.
Lemma along_nonneg l : forall f, (forall i, 0 <= f i) -> forall i, 0 <= along l f i.
Proof.
  induction l as [|[k a] r IH]; intros f E i; simpl; [apply E|]. apply dot_nonneg; [apply (chain_stochastic places inputs places_ok)|].
  intros j. destruct (Pos.eqb _ a); [apply IH, E | apply fle_refl].
Qed.
Lemma along_app l l' f i : along (l ++ l') f i = along l (along l' f) i.
Proof.
  revert i. induction l as [|[k a] r IH]; intros i; simpl; [reflexivity|]. apply dot_ext_all. intros j. destruct (Pos.eqb _ a); [apply IH | reflexivity].
Qed.
Lemma along_shows l l' : forall i, prob P (shows (l ++ l')) i = along l (prob P (shows l')) i.
Proof.
  induction l as [|[k a] r IH]; intros i; simpl; [reflexivity|]. apply dot_ext_all. intros j. destruct (Pos.eqb _ a); [apply IH | reflexivity].
Qed.
Lemma follow_dot l : forall x f, dot (vals (follow x l)) f = dot (vals x) (along l f).
Proof.
  induction l as [|[k a] r IH]; intros x f; simpl; [reflexivity|]. rewrite IH, gather_dot.
  symmetry. etransitivity; [symmetry; apply (nstep_dot places k x (fun j => if Pos.eqb (label_of places j) a then along r f j else 0))|].
  generalize (nstep places k x) as z. induction z as [|[j v] z IHz]; simpl; [reflexivity|].
  destruct (Pos.eqb (label_of places j) a); simpl; rewrite IHz; [reflexivity | ring].
Qed.
Definition A (f : state -> F) : state -> F := along cycle f.
Lemma round_dot i f : dot (vals (round_of i)) f = A f i.
Proof. unfold round_of. rewrite follow_dot. simpl. rewrite value_1. unfold A. ring. Qed.
Lemma passed_dot v f : dot (vals (passed v)) f = dot (vals v) (A f).
Proof. unfold passed. induction v as [|[i x] v IH]; simpl; [reflexivity|]. rewrite vals_app, dot_app, nscaled_dot, IH, round_dot. reflexivity. Qed.
(** The probability of n rounds. *)
Fixpoint u (n : nat) : state -> F := match n with O => one | S n => A (u n) end.
Lemma u_nonneg n : forall i, 0 <= u n i.
Proof. induction n as [|n IH]; intros i; simpl; [apply fle_01 | apply along_nonneg, IH]. Qed.
Lemma u_shows n i : prob P (shows (repeated n cycle)) i = u n i.
Proof.
  revert i. induction n as [|n IH]; intros i; simpl; [reflexivity|]. rewrite along_shows. unfold A. apply along_ext, IH.
Qed.
Lemma rounds_dot m : forall v n, dot (vals (rounds_of m v)) (u n) = dot (vals v) (u (m + n)).
Proof.
  induction m as [|m IH]; intros v n; simpl; [reflexivity|]. rewrite IH, gather_dot, passed_dot. reflexivity.
Qed.
Lemma at_most_as_dot v w f : at_most_as v w = true -> (forall i, 0 <= f i) -> dot (vals v) f <= dot (vals w) f.
Proof.
  intros H Hf. unfold at_most_as in H. apply nonneg_entries_all in H. pose proof (dot_nonneg _ f H Hf) as D. rewrite gather_dot, vals_app, dot_app, nminus_dot in D.
  apply fle_sub. eapply fle_trans; [exact D|]. apply fle_eq. ring.
Qed.
Lemma power_add (a : F) m n : power a (m + n) = power a m * power a n.
Proof. induction m as [|m IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma power_mul (a b : F) n : power (a * b) n = power a n * power b n.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma power_le (a b : F) n : 0 <= a -> a <= b -> power a n <= power b n.
Proof.
  intros A0 L. induction n as [|n IH]; simpl; [apply fle_refl|]. eapply fle_trans; [apply fle_mul_l; [exact A0 | exact IH]|].
  apply fle_mul_r; [apply power_nonneg; eapply fle_trans; eassumption | exact L].
Qed.

(** A larger rate wins: l^n d > m^n w from some n on. *)
Lemma outgrows l m d w : 0 <= m -> m < l -> 0 < d -> exists n, power m n * w < power l n * d.
Proof.
  intros M L D. assert (Lp : 0 < l) by (eapply fle_flt_trans; eassumption).
  set (e := (l - m) / l). assert (E : 0 < e) by (apply fdiv_pos; [apply flt_sub_inv, L | exact Lp]).
  assert (Q : m = l * (1 - e)) by (unfold e; field; apply flt_neq, Lp).
  assert (E1 : e <= 1). { apply (fle_cancel l); [exact Lp|]. apply (fle_by m); [exact M | rewrite Q; ring]. }
  destruct (above_both w 0) as (U & U1 & U0). assert (H : 0 < d / (1 + 1)).
  { apply fdiv_pos; [exact D|]. apply flt_add; [apply flt_01 | apply fle_01]. }
  destruct (powers_vanish e U (d / (1 + 1)) E E1 U0 H) as [n Hn]. exists n. pose proof (power_pos l n Lp) as Pl.
  apply fle_flt_trans with (power l n * (d / (1 + 1))).
  - rewrite Q, power_mul. replace (power l n * power (1 - e) n * w) with (power l n * (power (1 - e) n * w)) by ring. apply fle_mul_l; [apply flt_fle, Pl|].
    eapply fle_trans; [|exact Hn]. apply fle_mul_l; [apply power_nonneg, fle_sub_inv, E1 | exact U1].
  - apply flt_mul_l; [exact Pl|]. apply flt_sub. replace (d - d / (1 + 1)) with (d / (1 + 1)); [exact H|]. field.
    apply flt_neq, flt_add; [apply flt_01 | apply fle_01].
Qed.

Theorem pump_grows x y p alpha : nonneg_entries x = true -> nonneg_entries y = true -> pump_ok x y p = true ->
  exists n, alpha * dot (vals y) (u n) < dot (vals x) (u n).
Proof.
  intros Xn Yn H. unfold pump_ok in H. repeat (apply andb_prop in H; destruct H as [H ?]). rename H into Bn.
  set (b := p_more p) in *. set (c := p_less p) in *. set (lam := value (p_growth p)). set (mu := value (p_decay p)). set (kap := value (p_share p)).
  set (t := match p_feeds p with Some a => a | None => b end) in *. set (m := p_times p) in *.
  match goal with X : nlt n0 (total b) = true |- _ => apply nlt_0 in X; rewrite total_value in X; rename X into Bp end.
  match goal with X : nlt n0 (p_share p) = true |- _ => apply nlt_0 in X; fold kap in X; rename X into Kp end.
  match goal with X : at_most_as (nscaled (p_growth p) b) _ = true |- _ => rename X into Gb end.
  match goal with X : at_most_as y c = true |- _ => rename X into Yc end.
  match goal with X : at_most_as (passed c) _ = true |- _ => rename X into Dc end.
  match goal with X : at_most_as (nscaled (p_share p) t) _ = true |- _ => rename X into Xt end.
  match goal with X : match p_feeds p with _ => _ end = true |- _ => rename X into Kind end.
  match goal with X : nonneg_entries c = true |- _ => apply nonneg_entries_all in X; rename X into Cn end.
  match goal with X : nonneg_entries t = true |- _ => apply nonneg_entries_all in X; rename X into Tn end.
  apply nonneg_entries_all in Bn, Xn, Yn.
  assert (Signs : 0 <= mu /\ 0 < lam /\ mu <= lam).
  { destruct (p_feeds p).
    - apply andb_prop in Kind. destruct Kind as [Kind _]. apply andb_prop in Kind. destruct Kind as [K1 K2]. apply nlt_0 in K1. apply nle_le in K2.
      split; [apply flt_fle, K1|]. split; [eapply flt_fle_trans; eassumption | exact K2].
    - apply andb_prop in Kind. destruct Kind as [K1 K2]. apply nle_0 in K1. apply nlt_lt in K2. split; [exact K1|]. split; [eapply fle_flt_trans; eassumption | apply flt_fle, K2]. }
  destruct Signs as (M0 & L0 & ML).
  set (B := dot (vals b) one) in *. set (C := dot (vals c) one).
  assert (C0 : 0 <= C) by (apply dot_nonneg; [exact Cn | intros; apply fle_01]).
  assert (Gn : forall n, power lam n * B <= dot (vals b) (u n)).
  { induction n as [|n IH]; [apply fle_eq; simpl; fold B; ring|]. pose proof (at_most_as_dot _ _ (u n) Gb (u_nonneg n)) as D. rewrite nscaled_dot, passed_dot in D.
    simpl. eapply fle_trans; [|exact D]. fold lam. apply (fle_by (lam * (dot (vals b) (u n) - power lam n * B))); [|ring]. apply fle_mul; [apply flt_fle, L0 | apply fle_sub_inv, IH]. }
  assert (Dn : forall n, dot (vals y) (u n) <= power mu n * C).
  { intros n. eapply fle_trans; [apply (at_most_as_dot _ _ (u n) Yc (u_nonneg n))|]. induction n as [|n IH]; [apply fle_eq; simpl; fold C; ring|].
    pose proof (at_most_as_dot _ _ (u n) Dc (u_nonneg n)) as D. rewrite nscaled_dot, passed_dot in D. simpl. eapply fle_trans; [exact D|]. fold mu.
    apply (fle_by (mu * (power mu n * C - dot (vals c) (u n)))); [|ring]. apply fle_mul; [exact M0 | apply fle_sub_inv, IH]. }
  assert (Xm : forall n, kap * dot (vals t) (u n) <= dot (vals x) (u (m + n))).
  { intros n. rewrite <- rounds_dot. pose proof (at_most_as_dot _ _ (u n) Xt (u_nonneg n)) as D. rewrite nscaled_dot in D. exact D. }
  assert (Y0 : forall n, 0 <= dot (vals y) (u n)) by (intros; apply dot_nonneg; [exact Yn | apply u_nonneg]).
  assert (Al : exists al, 0 <= al /\ alpha <= al) by (destruct (above_both 0 alpha) as (a & A1 & A2); exists a; auto). destruct Al as (al & Al0 & Al).
  assert (Enough : forall n, al * (power mu (m + n) * C) < kap * dot (vals t) (u n) -> alpha * dot (vals y) (u (m + n)) < dot (vals x) (u (m + n))).
  { intros n L. eapply flt_fle_trans; [|apply Xm]. eapply fle_flt_trans; [|exact L]. eapply fle_trans; [apply fle_mul_r; [apply Y0 | exact Al]|].
    apply fle_mul_l; [exact Al0 | apply Dn]. }
  destruct (p_feeds p) as [a|] eqn:Fe.
  - apply andb_prop in Kind. destruct Kind as [_ Fa].
    assert (Ga : forall n, nat_of n * power lam n * B <= lam * dot (vals t) (u n)).
    { induction n as [|n IH].
      - apply fle_trans with 0; [apply fle_eq; unfold nat_of; simpl; ring|]. apply fle_mul; [apply flt_fle, L0 | apply dot_nonneg; [exact Tn | apply u_nonneg]].
      - pose proof (at_most_as_dot _ _ (u n) Fa (u_nonneg n)) as D. rewrite vals_app, dot_app, nscaled_dot, passed_dot in D. fold lam in D.
        simpl u. unfold t in *.
        apply fle_trans with (lam * (lam * dot (vals a) (u n) + dot (vals b) (u n))).
        + specialize (Gn n). set (p' := power lam n) in *. set (bu := dot (vals b) (u n)) in *. set (au := dot (vals a) (u n)) in *.
          apply (fle_by (lam * (lam * au - nat_of n * p' * B) + lam * (bu - p' * B))); [|unfold nat_of; simpl; fold p'; ring].
          apply fle_add0; apply fle_mul; try (apply flt_fle; exact L0); apply fle_sub_inv; assumption.
        + apply fle_mul_l; [apply flt_fle, L0 | exact D]. }
    set (W := lam * (al * (power mu m * C))). set (KB := kap * B). assert (KBp : 0 < KB) by (apply flt_mul; assumption).
    destruct (f_archimedes (W / KB)) as [n0' An]. exists (m + S n0')%nat. apply Enough. set (n := S n0') in *.
    assert (Wn : W < nat_of n * KB).
    { apply fle_flt_trans with (nat_of n0' * KB).
      - replace W with (W / KB * KB) by (field; apply flt_neq, KBp). apply fle_mul_r; [apply flt_fle, KBp | exact An].
      - apply flt_sub. replace (nat_of n * KB - nat_of n0' * KB) with KB by (unfold n, nat_of; simpl; ring). exact KBp. }
    apply not_fle. intros Le. apply (flt_not _ _ Wn). pose proof (power_pos lam n L0) as Pl. apply (fle_cancel (power lam n)); [exact Pl|].
    apply fle_trans with (lam * (kap * dot (vals t) (u n))).
    + specialize (Ga n). set (tu := dot (vals t) (u n)) in *. unfold KB. apply (fle_by (kap * (lam * tu - nat_of n * power lam n * B))); [|ring].
      apply fle_mul; [apply flt_fle, Kp | apply fle_sub_inv, Ga].
    + eapply fle_trans; [apply fle_mul_l; [apply flt_fle, L0 | exact Le]|]. rewrite power_add. unfold W.
      replace (lam * (al * (power mu m * power mu n * C))) with (power mu n * (lam * (al * (power mu m * C)))) by ring.
      apply fle_mul_r; [|apply power_le; assumption]. apply fle_mul; [apply flt_fle, L0|]. apply fle_mul; [exact Al0|]. apply fle_mul; [apply power_nonneg, M0 | exact C0].
  - apply andb_prop in Kind. destruct Kind as [_ K2]. apply nlt_lt in K2. fold mu lam in K2.
    destruct (outgrows lam mu (kap * B) (al * (power mu m * C)) M0 K2 (flt_mul _ _ Kp Bp)) as [n Hn]. exists (m + n)%nat. apply Enough. rewrite power_add.
    replace (al * (power mu m * power mu n * C)) with (power mu n * (al * (power mu m * C))) by ring. eapply flt_fle_trans; [exact Hn|].
    specialize (Gn n). unfold t. set (bu := dot (vals b) (u n)) in *. apply (fle_by (kap * (bu - power lam n * B))); [|ring].
    apply fle_mul; [apply flt_fle, Kp | apply fle_sub_inv, Gn].
Qed.

(** ** Limits *)

Definition val_of (v : M.t num) (i : state) : F := value (entry v i).
Lemma against_value w v : value (against w v) = dot (vals w) (val_of v).
Proof. unfold against. rewrite nsum_value. induction w as [|[i x] w IH]; simpl; [reflexivity|]. rewrite IH, value_mul. reflexivity. Qed.
Definition bounded (t B : F) : Prop := t <= B /\ - t <= B.
Lemma bounded_times c t B : bounded t B -> forall s, size_of_number c = Some s -> bounded (value c * t) (value s * B) /\ 0 <= value s.
Proof.
  intros [H1 H2] s. unfold size_of_number. destruct (nle n0 c) eqn:E; [|destruct (nle c n0) eqn:E'; [|discriminate]]; intros H; inversion H; subst.
  - apply nle_0 in E. split; [|exact E]. split; [apply fle_mul_l; assumption|]. eapply fle_trans; [|apply fle_mul_l; [exact E | exact H2]]. apply fle_eq. ring.
  - apply nle_0' in E'. apply fle_opp0 in E'. rewrite value_neg. split; [|exact E']. split.
    + eapply fle_trans; [|apply fle_mul_l; [exact E' | exact H2]]. apply fle_eq. ring.
    + eapply fle_trans; [|apply fle_mul_l; [exact E' | exact H1]]. apply fle_eq. ring.
Qed.
Lemma bounded_add t B t' B' : bounded t B -> bounded t' B' -> bounded (t + t') (B + B').
Proof.
  intros [H1 H2] [H3 H4]. split; [apply fle_add; assumption|]. replace (- (t + t')) with (- t + - t') by ring. apply fle_add; assumption.
Qed.

Theorem limit_comes reach x y l alpha : limit_ok reach x y l = true -> alpha * value (limit_of y l) < value (limit_of x l) ->
  exists n, alpha * dot (vals y) (u n) < dot (vals x) (u n).
Proof.
  intros H Gap. unfold limit_ok in H. repeat (apply andb_prop in H; destruct H as [H ?]).
  set (r := column (l_vector l)) in *. set (zs := map column (l_rest l)) in *. set (here := marks reach) in *.
  assert (R0 : 0 <= value (l_rate l)) by (apply nle_0, H). set (mu := value (l_rate l)) in *. set (lam := value (l_factor l)).
  match goal with X : nlt (l_rate l) _ = true |- _ => apply nlt_lt in X; fold mu lam in X; rename X into ML end.
  match goal with X : Nat.eqb (length (l_one l)) _ = true |- _ => apply Nat.eqb_eq in X; rename X into Lo end.
  match goal with X : Nat.eqb (length (l_matrix l)) _ = true |- _ => apply Nat.eqb_eq in X; rename X into Lm end.
  match goal with X : Nat.eqb (length (l_sizes l)) _ = true |- _ => apply Nat.eqb_eq in X; rename X into Ls end.
  match goal with X : forallb (fun g => nlt n0 g) _ = true |- _ => rename X into Gp end.
  match goal with X : in_reach here x = true |- _ => rename X into Xr end.
  match goal with X : in_reach here y = true |- _ => rename X into Yr end.
  match goal with X : nonneg_entries x = true |- _ => apply nonneg_entries_all in X; rename X into Xn end.
  match goal with X : nonneg_entries y = true |- _ => apply nonneg_entries_all in X; rename X into Yn end.
  match goal with X : forallb _ reach = true |- _ => rename X into Rows end.
  match goal with X : forallb _ (combine (l_matrix l) _) = true |- _ => rename X into Mat end.
  assert (Here : forall i, marked here i = true -> In i reach).
  { intros i Hi. unfold here, marked, marks in Hi. destruct (M.find i _) as [t|] eqn:E; [|discriminate]. apply of_list_in in E. apply in_map_iff in E.
    destruct E as (j & E & Ij). inversion E; subst. exact Ij. }
  rewrite forallb_forall in Rows.
  assert (Facts : forall i, In i reach -> (forall e, In e (vals (round_of i)) -> In (fst e) reach) /\ A (val_of r) i = lam * val_of r i
    /\ 1 = val_of r i + value (combined (l_one l) zs i) /\ forall z row, In (z, row) (combine zs (l_matrix l)) -> A (val_of z) i = value (combined row zs i)).
  { intros i Ii. specialize (Rows i Ii). apply andb_prop in Rows. destruct Rows as [Rows T4]. apply andb_prop in Rows. destruct Rows as [Rows T3].
    apply andb_prop in Rows. destruct Rows as [T1 T2]. split.
    { intros e Ie. unfold vals in Ie. apply in_map_iff in Ie. destruct Ie as (e' & <- & Ie). unfold in_reach in T1. rewrite forallb_forall in T1. apply Here, (T1 e' Ie). }
    split; [apply neq_eq in T2; rewrite against_value, value_mul, round_dot in T2; exact T2|]. split; [apply neq_eq in T3; rewrite value_1, value_add in T3; exact T3|].
    intros z row Iz. rewrite forallb_forall in T4. specialize (T4 _ Iz). apply neq_eq in T4. cbn [fst snd] in T4. rewrite against_value, round_dot in T4. exact T4. }
  (* Functions that agree where the words lead agree after rounds. *)
  assert (Aext : forall f g, (forall i, In i reach -> f i = g i) -> forall i, In i reach -> A f i = A g i).
  { intros f g E i Ii. rewrite <- !round_dot. apply dot_ext. intros j v Ij. apply E. destruct (Facts i Ii) as (Cl & _). apply (Cl _ Ij). }
  assert (Alin : forall c f g i, A (fun j => c * f j + g j) i = c * A f i + A g i).
  { intros c f g i. rewrite <- !round_dot, <- dot_times, <- dot_plus. reflexivity. }
  set (iterA := fix go (n : nat) (f : state -> F) : state -> F := match n with O => f | S n => A (go n f) end).
  assert (IterExt : forall n f g, (forall i, In i reach -> f i = g i) -> forall i, In i reach -> iterA n f i = iterA n g i).
  { induction n as [|n IH]; intros f g E i Ii; simpl; [apply E, Ii|]. apply Aext; [apply IH, E | exact Ii]. }
  assert (IterIn : forall n f i, In i reach -> iterA (S n) f i = iterA n (A f) i).
  { induction n as [|n IH]; intros f i Ii; [reflexivity|]. change (iterA (S (S n)) f i) with (A (iterA (S n) f) i). apply Aext; [intros; apply IH; assumption | exact Ii]. }
  assert (IterLin : forall n c f g i, In i reach -> iterA n (fun j => c * f j + g j) i = c * iterA n f i + iterA n g i).
  { induction n as [|n IH]; intros c f g i Ii; [reflexivity|]. simpl. rewrite <- Alin. apply Aext; [intros; apply IH; assumption | exact Ii]. }
  assert (IterZero : forall n i, In i reach -> iterA n (fun _ => 0) i = 0).
  { induction n as [|n IH]; intros i Ii; [reflexivity|]. simpl. rewrite <- round_dot. rewrite (dot_ext _ _ (fun _ => 0)); [apply dot_zero|].
    intros j v Ij. apply IH. destruct (Facts i Ii) as (Cl & _). apply (Cl _ Ij). }
  assert (IterR : forall n i, In i reach -> iterA n (val_of r) i = power lam n * val_of r i).
  { induction n as [|n IH]; intros i Ii; [simpl; ring|]. simpl. rewrite (Aext _ (fun j => power lam n * val_of r j + 0)) by (try exact Ii; intros; rewrite IH by assumption; ring).
    rewrite (Alin (power lam n) (val_of r) (fun _ => 0)). destruct (Facts i Ii) as (_ & E & _). rewrite E.
    replace (A (fun _ => 0) i) with 0; [ring|]. symmetry. rewrite <- round_dot. apply dot_zero. }
  (* A sum of the z is passed on entry by entry. *)
  assert (IterSum : forall n cs i, In i reach -> iterA n (fun j => value (combined cs zs j)) i = sum (fun cz => value (fst cz) * iterA n (val_of (snd cz)) i) (combine cs zs)).
  { intros n cs i Ii. unfold combined. generalize (combine cs zs) as l0. intros l0.
    transitivity (iterA n (fun j => sum (fun cz => value (fst cz) * val_of (snd cz) j) l0) i).
    { apply IterExt; [|exact Ii]. intros j _. rewrite nsum_value. apply sum_ext. intros cz _. apply value_mul. }
    induction l0 as [|[c z] l0 IH]; simpl; [apply IterZero, Ii|]. rewrite (IterLin n (value c) (val_of z)) by exact Ii. rewrite IH. reflexivity. }
  assert (Sz : exists K, 0 <= K /\ forall i, In i reach -> forall k, (k < length zs)%nat -> bounded (val_of (nth k zs (M.empty num)) i) (K * value (nth k (l_sizes l) n0))).
  { destruct (uniform_above (fun i K => forall k, (k < length zs)%nat -> 0 <= K /\ bounded (val_of (nth k zs (M.empty num)) i) (K * value (nth k (l_sizes l) n0))) reach) as (K & K0 & HK).
    - intros i a b Hi L k Hk. destruct (Hi k Hk) as (A0 & B1 & B2).
      assert (G0 : 0 <= value (nth k (l_sizes l) n0)).
      { rewrite forallb_forall in Gp. apply flt_fle, nlt_0, Gp, nth_In. unfold zs in Hk. rewrite map_length in Hk. lia. }
      split; [exact (fle_trans _ _ _ A0 L)|]. split; [eapply fle_trans; [exact B1|] | eapply fle_trans; [exact B2|]]; apply fle_mul_r; assumption.
    - intros i _. assert (U : forall n, (n <= length zs)%nat -> exists K, 0 <= K /\ forall k, (k < n)%nat -> bounded (val_of (nth k zs (M.empty num)) i) (K * value (nth k (l_sizes l) n0))).
      { induction n as [|n IH]; intros Hn; [exists 0; split; [apply fle_refl | intros; lia]|]. destruct (IH ltac:(lia)) as (K & K0 & HK).
        assert (G0 : 0 < value (nth n (l_sizes l) n0)).
        { rewrite forallb_forall in Gp. apply nlt_0, Gp, nth_In. unfold zs in Hn. rewrite map_length in Hn. lia. }
        set (z := val_of (nth n zs (M.empty num)) i) in *. set (g := value (nth n (l_sizes l) n0)) in *.
        destruct (above_both (z / g) (- z / g)) as (B & B1 & B2). destruct (above_both B K) as (D & D1 & D2). exists D. split; [exact (fle_trans _ _ _ K0 D2)|].
        intros k Hk. destruct (Nat.eq_dec k n) as [->|Ne].
        - fold z g. split.
          + replace z with (z / g * g) at 1 by (field; apply flt_neq, G0). apply fle_mul_r; [apply flt_fle, G0 | exact (fle_trans _ _ _ B1 D1)].
          + replace (- z) with (- z / g * g) at 1 by (field; apply flt_neq, G0). apply fle_mul_r; [apply flt_fle, G0 | exact (fle_trans _ _ _ B2 D1)].
        - assert (Gk : 0 <= value (nth k (l_sizes l) n0)).
          { rewrite forallb_forall in Gp. apply flt_fle, nlt_0, Gp, nth_In. unfold zs in Hn. rewrite map_length in Hn. lia. }
          destruct (HK k ltac:(lia)) as [H1 H2]. split; [eapply fle_trans; [exact H1|] | eapply fle_trans; [exact H2|]]; apply fle_mul_r; assumption. }
      destruct (U (length zs) (le_n _)) as (K & K0 & HK). exists K. intros k Hk. split; [exact K0 | apply HK, Hk].
    - exists K. split; [exact K0|]. intros i Ii k Hk. apply (HK i Ii k Hk). }
  destruct Sz as (K & K0 & HK).
  (* Row by row: |C|g <= mu g, over lists. *)
  assert (Rowwise : forall n (B : F) i, In i reach -> (forall k, (k < length zs)%nat -> bounded (iterA n (val_of (nth k zs (M.empty num))) i) (B * value (nth k (l_sizes l) n0))) ->
    forall cs s, length cs = length zs -> absolute cs (l_sizes l) = Some s -> bounded (sum (fun cz => value (fst cz) * iterA n (val_of (snd cz)) i) (combine cs zs)) (B * value s)).
  { intros n B i Ii Hb. assert (Lz : length zs = length (l_sizes l)) by (unfold zs; rewrite map_length; lia). revert Hb Lz. generalize (l_sizes l) as gs. generalize zs as ws.
    induction ws as [|z ws IH]; intros [|g gs] Hb Lz [|c cs] s Lc E; simpl in *; try discriminate.
    - inversion E; subst. rewrite value_0. split; apply fle_eq; ring.
    - destruct (size_of_number c) as [a|] eqn:Ea; [|discriminate]. destruct (absolute cs gs) as [s'|] eqn:Es; [|discriminate]. inversion E; subst.
      rewrite value_add, value_mul. replace (B * (value a * value g + value s')) with (value a * (B * value g) + B * value s') by ring.
      apply bounded_add; [apply (bounded_times c _ _ (Hb 0%nat ltac:(lia)) a Ea) | apply (IH gs); try lia; try exact Es; intros k Hk; apply (Hb (S k)); lia]. }
  assert (Decay : forall n k i, (k < length zs)%nat -> In i reach -> bounded (iterA n (val_of (nth k zs (M.empty num))) i) (power mu n * K * value (nth k (l_sizes l) n0))).
  { induction n as [|n IH]; intros k i Hk Ii.
    - simpl. replace (1 * K) with K by ring. apply HK; assumption.
    - rewrite IterIn by exact Ii.
      assert (Lz : (k < length (l_matrix l))%nat) by (unfold zs in Hk; rewrite map_length in Hk; lia).
      set (row := nth k (l_matrix l) []).
      assert (Iz : In (nth k zs (M.empty num), row) (combine zs (l_matrix l))).
      { unfold row. rewrite <- combine_nth by (unfold zs; rewrite map_length; lia). apply nth_In. rewrite combine_length. lia. }
      rewrite (IterExt n _ (fun j => value (combined row zs j))) by (try exact Ii; intros j Ij; destruct (Facts j Ij) as (_ & _ & _ & Z); apply (Z _ _ Iz)).
      rewrite IterSum by exact Ii.
      assert (Im : In (row, nth k (l_sizes l) n0) (combine (l_matrix l) (l_sizes l))).
      { unfold row. rewrite <- combine_nth by lia. apply nth_In. rewrite combine_length. lia. }
      rewrite forallb_forall in Mat. specialize (Mat _ Im). cbn [fst snd] in Mat. apply andb_prop in Mat. destruct Mat as [Lr Ab]. apply Nat.eqb_eq in Lr.
      destruct (absolute row (l_sizes l)) as [s|] eqn:Es; [|discriminate]. apply nle_le in Ab. rewrite value_mul in Ab. fold mu in Ab.
      destruct (Rowwise n (power mu n * K) i Ii (fun k' Hk' => IH k' i Hk' Ii) row s) as [H1 H2]; [unfold zs; rewrite map_length; exact Lr | exact Es|].
      assert (L : power mu n * K * value s <= power mu (S n) * K * value (nth k (l_sizes l) n0)).
      { simpl. apply (fle_by (power mu n * K * (mu * value (nth k (l_sizes l) n0) - value s))); [|ring].
        apply fle_mul; [apply fle_mul; [apply power_nonneg, R0 | exact K0] | apply fle_sub_inv, Ab]. }
      split; (eapply fle_trans; [eassumption | exact L]). }
  (* What is left of 1 beside r is at most a constant times mu^n. *)
  assert (Beside : exists W, 0 <= W /\ forall n i, In i reach -> bounded (u n i - power lam n * val_of r i) (power mu n * W)).
  { assert (S1 : exists s, 0 <= s /\ forall n i, In i reach -> bounded (sum (fun cz => value (fst cz) * iterA n (val_of (snd cz)) i) (combine (l_one l) zs)) (power mu n * s)).
    { assert (Lz : length (l_one l) = length zs) by (unfold zs; rewrite map_length; lia).
      assert (G : forall cs ws gs, length cs = length ws -> length ws = length gs -> (forall g, In g gs -> 0 <= value g) ->
        (forall n k i, (k < length ws)%nat -> In i reach -> bounded (iterA n (val_of (nth k ws (M.empty num))) i) (power mu n * K * value (nth k gs n0))) ->
        exists s, 0 <= s /\ forall n i, In i reach -> bounded (sum (fun cz => value (fst cz) * iterA n (val_of (snd cz)) i) (combine cs ws)) (power mu n * s)).
      { induction cs as [|c cs IH]; intros [|z ws] [|g gs] L1 L2 Gn Dk; simpl in *; try discriminate.
        - exists 0. split; [apply fle_refl|]. intros. split; apply fle_eq; ring.
        - destruct (IH ws gs ltac:(lia) ltac:(lia)) as (s & S0 & Hs); [intros; apply Gn; auto | intros n k i Hk Ii; apply (Dk n (S k) i); [lia | exact Ii]|].
          destruct (above_both (value c) (- value c)) as (a & A1 & A2). assert (A0 : 0 <= a).
          { destruct (fle_total 0 (value c)) as [L|L]; [eapply fle_trans; eassumption | eapply fle_trans; [apply fle_opp0, L | exact A2]]. }
          pose proof (Gn g (or_introl eq_refl)) as G0.
          exists (a * (K * value g) + s). split; [apply fle_add0; [apply fle_mul; [exact A0 | apply fle_mul; assumption] | exact S0]|]. intros n i Ii.
          replace (power mu n * (a * (K * value g) + s)) with (a * (power mu n * K * value g) + power mu n * s) by ring. apply bounded_add; [|apply Hs, Ii].
          destruct (Dk n 0%nat i ltac:(lia) Ii) as [H1 H2]. simpl in H1, H2. set (t := iterA n (val_of z) i) in *. set (B := power mu n * K * value g) in *.
          assert (B0 : 0 <= B) by (apply fle_mul; [apply fle_mul; [apply power_nonneg, R0 | exact K0] | exact G0]).
          split.
          + destruct (fle_total 0 t) as [T|T].
            * eapply fle_trans; [apply fle_mul_r; [exact T | exact A1]|]. apply fle_mul_l; assumption.
            * apply fle_opp0 in T. replace (value c * t) with (- value c * - t) by ring. eapply fle_trans; [apply fle_mul_r; [exact T | exact A2]|]. apply fle_mul_l; assumption.
          + destruct (fle_total 0 t) as [T|T].
            * replace (- (value c * t)) with (- value c * t) by ring. eapply fle_trans; [apply fle_mul_r; [exact T | exact A2]|]. apply fle_mul_l; assumption.
            * apply fle_opp0 in T. replace (- (value c * t)) with (value c * - t) by ring. eapply fle_trans; [apply fle_mul_r; [exact T | exact A1]|]. apply fle_mul_l; assumption. }
      apply (G (l_one l) zs (l_sizes l) Lz); [unfold zs; rewrite map_length; lia | | intros; apply Decay; assumption].
      intros g Ig. rewrite forallb_forall in Gp. apply flt_fle, nlt_0, Gp, Ig. }
    destruct S1 as (s & S0 & Hs). exists s. split; [exact S0|]. intros n i Ii.
    assert (Un : u n i = power lam n * val_of r i + sum (fun cz => value (fst cz) * iterA n (val_of (snd cz)) i) (combine (l_one l) zs)).
    { assert (U0 : u n i = iterA n one i) by (clear; revert i; induction n as [|n IH]; intros i; [reflexivity|]; simpl; unfold A; apply along_ext; intros; apply IH).
      rewrite U0. rewrite (IterExt n one (fun j => 1 * val_of r j + value (combined (l_one l) zs j))) by (try exact Ii; intros j Ij; destruct (Facts j Ij) as (_ & _ & E & _); unfold one; rewrite E at 1; ring).
      rewrite IterLin by exact Ii. rewrite IterR, IterSum by exact Ii. ring. }
    rewrite Un. destruct (Hs n i Ii) as [H1 H2]. set (t := sum _ _) in *. split; [eapply fle_trans; [|exact H1] | eapply fle_trans; [|exact H2]]; apply fle_eq; ring. }
  destruct Beside as (W & W0 & HW).
  assert (Vec : forall v, in_reach here v = true -> all_nonneg (vals v) -> forall n,
    bounded (dot (vals v) (u n) - power lam n * value (limit_of v l)) (power mu n * (W * dot (vals v) one))).
  { intros v Rv Nv n. unfold limit_of. rewrite against_value. fold r. unfold in_reach in Rv. rewrite forallb_forall in Rv.
    assert (D : dot (vals v) (u n) - power lam n * dot (vals v) (val_of r) = dot (vals v) (fun i => u n i - power lam n * val_of r i)) by (rewrite <- dot_times, <- dot_minus; reflexivity).
    rewrite D. clear D. unfold one. induction v as [|[i t] v IH]; simpl; [split; apply fle_eq; ring|].
    unfold all_nonneg in Nv. simpl in Nv. inversion Nv as [|? ? Ht Nv']; subst. simpl in Ht. destruct (IH (fun e He => Rv e (or_intror He)) Nv') as [I1 I2].
    destruct (HW n i (Here i (Rv (i, t) (or_introl eq_refl)))) as [H1 H2]. set (d := u n i - power lam n * val_of r i) in *.
    replace (power mu n * (W * (value t * 1 + dot (vals v) (fun _ => 1)))) with (value t * (power mu n * W) + power mu n * (W * dot (vals v) (fun _ => 1))) by ring.
    apply bounded_add; [|split; assumption]. split; [apply fle_mul_l; assumption|]. replace (- (value t * d)) with (value t * - d) by ring. apply fle_mul_l; assumption. }
  set (X := value (limit_of x l)) in *. set (Y := value (limit_of y l)) in *.
  assert (D0 : 0 < X - alpha * Y) by (apply flt_sub_inv, Gap).
  destruct (above_both alpha (- alpha)) as (al & Al1 & Al2).
  destruct (outgrows lam mu (X - alpha * Y) (W * dot (vals x) one + al * (W * dot (vals y) one)) R0 ML D0) as [n Hn]. exists n.
  destruct (Vec x Xr Xn n) as [_ Hx]. destruct (Vec y Yr Yn n) as [Hy1 Hy2].
  set (xu := dot (vals x) (u n)) in *. set (yu := dot (vals y) (u n)) in *. set (wx := W * dot (vals x) one) in *. set (wy := W * dot (vals y) one) in *.
  set (m := power mu n) in *. set (ll := power lam n) in *.
  assert (Wy0 : 0 <= m * wy).
  { apply fle_mul; [apply power_nonneg, R0|]. apply fle_mul; [exact W0 | apply dot_nonneg; [exact Yn | intros; apply fle_01]]. }
  assert (E2 : alpha * (yu - ll * Y) <= al * (m * wy)).
  { destruct (fle_total 0 alpha) as [T|T].
    - eapply fle_trans; [apply fle_mul_l; [exact T | exact Hy1]|]. apply fle_mul_r; assumption.
    - apply fle_opp0 in T. replace (alpha * (yu - ll * Y)) with (- alpha * - (yu - ll * Y)) by ring. eapply fle_trans; [apply fle_mul_l; [exact T | exact Hy2]|]. apply fle_mul_r; assumption. }
  apply flt_sub. apply flt_sub_inv in Hn. eapply flt_fle_trans; [exact Hn|].
  apply (fle_by ((m * wx - - (xu - ll * X)) + (al * (m * wy) - alpha * (yu - ll * Y)))); [apply fle_add0; apply fle_sub_inv; assumption | ring].
Qed.
End Cycle.
End OneModel.
End Program.
