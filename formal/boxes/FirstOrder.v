(** Recipes of kind "first": a tree of beliefs under fixed rows, and what it costs that rows are others (R8 above, L5 below).

    All rows are integers over 2^30 here, with an entry more for what goes elsewhere. The most that other rows may add is
    computed by its dual: any slope is sound, so neither the sorting nor the choice of the slope needs a proof; with the slope
    at which filling up ends, it is the number that filling up gives. *)

Require Import Reals Lra Lia Psatz Bool List PArith ZArith.
Require Import Deltachain.functions.Products Deltachain.functions.Exp Deltachain.boxes.Chains Deltachain.boxes.Boxes.
Import ListNotations.
Open Scope R_scope.

Definition one : Z := 1073741824.   (* 2^30 *)
Lemma one_pos : 0 < IZR one. Proof. apply IZR_lt. reflexivity. Qed.

(** Ends of a probability, and a row in the middle. *)
Record target := { lo : Z; hi : Z; centre : Z }.
Record srow := { targets : list (state * target); beyond : target }.
(** With limits of what comes after. *)
Record entry := { ends_of : target; least : Z; most : Z }.

(** ** What other rows may add: Σ v (p_j - q_j) F_j *)

Definition at_end (v : Z) (e : entry) (p : Z) : Z :=
  let c := (v * (p - centre (ends_of e)))%Z in Z.max (c * least e) (c * most e).
Definition rise (v : Z) (e : entry) : Z := (at_end v e (hi (ends_of e)) - at_end v e (lo (ends_of e)))%Z.
Definition room (e : entry) : Z := (hi (ends_of e) - lo (ends_of e))%Z.

Definition fill (v : Z) (es : list entry) (num den : Z) : Z :=
  let base := fold_right (fun e s => (at_end v e (lo (ends_of e)) + s)%Z) 0%Z es in
  let left := (one - fold_right (fun e s => (lo (ends_of e) + s)%Z) 0 es)%Z in
  let rises := fold_right (fun e s => (Z.max 0 (rise v e * den - num * room e) + s)%Z) 0%Z es in
  (base + div_up (num * left + rises) den)%Z.

(** The slope at which filling up ends. *)
Fixpoint slope_at (l : list (Z * Z)) (left : Z) (last : Z * Z) : Z * Z :=
  match l with [] => last | (r, m) :: l' => if Z.leb left m then (r, m) else slope_at l' (left - m) (r, m) end.
Definition slope (v : Z) (es : list entry) : Z * Z :=
  slope_at (sort (fun a b : Z * Z => Z.leb (fst b * snd a) (fst a * snd b))
      (filter (fun x => Z.ltb 0 (snd x)) (map (fun e => (rise v e, room e)) es)))
    (one - fold_right (fun e s => (lo (ends_of e) + s)%Z) 0%Z es)%Z (0, 1)%Z.
Definition filled (v : Z) (es : list entry) : Z :=
  let '(num, den) := slope v es in if Z.ltb 0 den then fill v es num den else fill v es 0 1.

Definition inside_entry (e : entry) (pf : R * R) : Prop :=
  IZR (lo (ends_of e)) <= fst pf <= IZR (hi (ends_of e)) /\ IZR (least e) <= snd pf <= IZR (most e).

Lemma at_end_ge v e p F : IZR (least e) <= F <= IZR (most e) -> IZR v * (IZR p - IZR (centre (ends_of e))) * F <= IZR (at_end v e p).
Proof.
  intros [L M]. unfold at_end. set (c := (v * (p - centre (ends_of e)))%Z). cbv zeta.
  assert (C : IZR v * (IZR p - IZR (centre (ends_of e))) = IZR c) by (unfold c; rewrite mult_IZR, minus_IZR; reflexivity). rewrite C.
  assert (A : IZR c * F <= IZR (c * least e) \/ IZR c * F <= IZR (c * most e)).
  { rewrite !mult_IZR. destruct (Rle_lt_dec 0 (IZR c)); [right | left]; nra. }
  destruct A as [A|A]; eapply Rle_trans; try exact A; apply IZR_le; lia.
Qed.

(** One entry against its chord, and the chord against a slope. *)
Lemma entry_slope v e pf lam : inside_entry e pf ->
  IZR v * (fst pf - IZR (centre (ends_of e))) * snd pf
  <= IZR (at_end v e (lo (ends_of e))) + lam * (fst pf - IZR (lo (ends_of e))) + Rmax 0 (IZR (rise v e) - lam * IZR (room e)).
Proof.
  destruct pf as [p F]. unfold inside_entry. cbn [fst snd]. intros [[P0 P1] HF].
  pose proof (at_end_ge v e (lo (ends_of e)) F HF) as A. pose proof (at_end_ge v e (hi (ends_of e)) F HF) as B.
  unfold rise, room. rewrite !minus_IZR.
  set (yl := IZR (at_end v e (lo (ends_of e)))) in *. set (yh := IZR (at_end v e (hi (ends_of e)))) in *.
  set (l := IZR (lo (ends_of e))) in *. set (h := IZR (hi (ends_of e))) in *. set (q := IZR (centre (ends_of e))) in *.
  pose proof (Rmax_l 0 (yh - yl - lam * (h - l))) as M0. pose proof (Rmax_r 0 (yh - yl - lam * (h - l))) as M1.
  set (mx := Rmax 0 (yh - yl - lam * (h - l))) in *.
  destruct (Req_dec h l) as [E|E].
  - assert (p = l) by lra. subst p. lra.
  - assert (D : 0 < h - l) by lra. set (th := (p - l) / (h - l)).
    assert (T : p - l = th * (h - l)) by (unfold th; field; lra).
    assert (I : 0 < / (h - l)) by (apply Rinv_0_lt_compat; assumption).
    assert (T0 : 0 <= th) by (unfold th, Rdiv; nra).
    assert (T1 : th <= 1) by (unfold th; apply (Rmult_le_reg_r (h - l)); [assumption | unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra]).
    assert (Ep : IZR v * (p - q) * F = (1 - th) * (IZR v * (l - q) * F) + th * (IZR v * (h - q) * F)).
    { replace p with (l + th * (h - l)) by lra. ring. }
    rewrite Ep, T. assert (th * (yh - yl - lam * (h - l)) <= mx) by nra. nra.
Qed.

Fixpoint moved (v : Z) (es : list entry) (pfs : list (R * R)) : R :=
  match es, pfs with e :: es', pf :: r => IZR v * (fst pf - IZR (centre (ends_of e))) * snd pf + moved v es' r | _, _ => 0 end.
Fixpoint mass (pfs : list (R * R)) : R := match pfs with [] => 0 | pf :: r => fst pf + mass r end.

(** Whatever row nature picks, and whatever comes after, it adds no more than [fill]. *)
Lemma fill_ge v es pfs num den : (0 < den)%Z -> Forall2 inside_entry es pfs -> mass pfs = IZR one -> moved v es pfs <= IZR (fill v es num den).
Proof.
  intros Hd F M. pose proof (IZR_lt _ _ Hd) as D. set (lam := IZR num / IZR den).
  set (base := fold_right (fun e s => (at_end v e (lo (ends_of e)) + s)%Z) 0%Z es).
  set (lows := fold_right (fun e s => (lo (ends_of e) + s)%Z) 0%Z es).
  set (rises := fold_right (fun e s => (Z.max 0 (rise v e * den - num * room e) + s)%Z) 0%Z es).
  assert (G : moved v es pfs <= IZR base + lam * (mass pfs - IZR lows) + IZR rises / IZR den).
  { clear M. unfold base, lows, rises. induction F as [|e pf es pfs H F IH]; cbn [fold_right moved mass]; [unfold lam, Rdiv; lra|].
    pose proof (entry_slope v e pf lam H) as S. rewrite !plus_IZR.
    assert (X : Rmax 0 (IZR (rise v e) - lam * IZR (room e)) <= IZR (Z.max 0 (rise v e * den - num * room e)) / IZR den).
    { apply (Rmult_le_reg_r (IZR den)); [assumption|]. unfold Rdiv. rewrite (Rmult_assoc (IZR (Z.max _ _))), Rinv_l, Rmult_1_r by lra.
      assert (Y : (IZR (rise v e) - lam * IZR (room e)) * IZR den = IZR (rise v e * den - num * room e)).
      { rewrite minus_IZR, !mult_IZR. unfold lam. field. lra. }
      unfold Rmax. destruct (Rle_dec 0 _); [rewrite Y; apply IZR_le; lia | rewrite Rmult_0_l; apply (IZR_le 0); lia]. }
    unfold Rdiv in *. rewrite Rmult_plus_distr_r. lra. }
  eapply Rle_trans; [exact G|]. unfold fill. fold base lows rises. cbv zeta. rewrite plus_IZR, M.
  assert (C : lam * (IZR one - IZR lows) + IZR rises / IZR den <= IZR (div_up (num * (one - lows) + rises) den)); [|lra].
  apply (Rmult_le_reg_r (IZR den)); [assumption|]. eapply Rle_trans; [|apply div_up_ge; assumption].
  rewrite plus_IZR, mult_IZR, minus_IZR. unfold lam. right. field. lra.
Qed.

Lemma filled_ge v es pfs : Forall2 inside_entry es pfs -> mass pfs = IZR one -> moved v es pfs <= IZR (filled v es).
Proof.
  intros F M. unfold filled. destruct (slope v es) as [num den]. destruct (Z.ltb_spec 0 den) as [D|_]; apply fill_ge; auto; lia.
Qed.

(** ** Rows over 2^30, tightened once more *)

Definition lo_sum (l : list (Z * Z)) : Z := fold_right (fun x s => (fst x + s)%Z) 0%Z l.
Definition hi_sum (l : list (Z * Z)) : Z := fold_right (fun x s => (snd x + s)%Z) 0%Z l.
Definition tighter (all : list (Z * Z)) (x : Z * Z) : Z * Z :=
  (Z.max (fst x) (one - (hi_sum all - snd x)), Z.min (snd x) (one - (lo_sum all - fst x)))%Z.

Definition scaled (b : irow) : srow :=
  let all := map snd (shares b) ++ [(0%Z, rest b)] in
  let tight := map (tighter all) all in
  let left := (one - lo_sum tight)%Z in let width := Z.max (hi_sum tight - lo_sum tight) 1 in
  let middle x := {| lo := fst x; hi := snd x; centre := fst x + (snd x - fst x) * left / width |}%Z in
  let out := tighter all (0%Z, rest b) in
  {| targets := map (fun s => (fst s, middle (tighter all (snd s)))) (shares b);
     beyond := {| lo := fst out; hi := snd out; centre := 0 |} |}.

(** What a row of the chain is, in these terms. *)
Definition of_row (r ps out : list (state * R)) (s : srow) : Prop :=
  (forall f, dotR r f = dotR ps f + dotR out f)
  /\ Forall2 (fun e x => fst x = fst e /\ IZR (lo (snd x)) <= snd e * IZR one <= IZR (hi (snd x))) ps (targets s)
  /\ all_nonneg itself ps /\ all_nonneg itself out
  /\ IZR (lo (beyond s)) <= dotR out (fun _ => 1) * IZR one <= IZR (hi (beyond s))
  /\ dotR ps (fun _ => 1) + dotR out (fun _ => 1) = 1.

Lemma scaled_row {Num : Numbers} {Mean : Meaning Num} r b ir : is_row r -> row_inside r b -> irow_of one b = Some ir ->
  exists ps out, of_row r ps out (scaled ir).
Proof.
  intros [_ S1] (ps & out & Eq & B & N & O) H. unfold irow_of in H. cbn [Z.ltb Z.compare one] in H.
  destruct (shares_of one (ends b)) as [s|] eqn:Sh; [|discriminate].
  destruct (nceil (outside b) one) as [rs|] eqn:C; [|discriminate]. destruct (Z.leb_spec 0 rs) as [R0|]; [|discriminate]. inversion H; subst; clear H.
  assert (D0 : (0 <= one)%Z) by (unfold one; lia). destruct (shares_of_spec one D0 _ _ Sh) as [Rd Nn]. apply nceil_ge in C; [|assumption].
  pose proof one_pos as U. rewrite Eq in S1. set (o := dotR out (fun _ => 1)) in *. set (m := dotR ps (fun _ => 1)) in *.
  assert (O0 : 0 <= o) by (apply dot_nonneg; [assumption | intros; lra]).
  assert (F : Forall2 (fun (e : state * R) (x : state * (Z * Z)) => fst x = fst e /\ IZR (fst (snd x)) <= snd e * IZR one <= IZR (snd (snd x))) ps s).
  { clear - B Rd U. revert s Rd. induction B as [|[j p] [j' v] ps l (E & L & Hi) B IH]; intros s Rd; inversion Rd as [|? y ? s' (E' & A & Z) Rd']; subst; constructor.
    - simpl in *. split; [congruence|]. split; nra.
    - apply IH. assumption. }
  set (all := map snd s ++ [(0%Z, rs)]).
  assert (Sums : IZR (lo_sum all) <= m * IZR one /\ m * IZR one <= IZR (hi_sum all) - IZR rs
    /\ IZR (lo_sum all) = dot (fun x : Z * Z => IZR (fst x)) s (fun _ => 1) /\ IZR (hi_sum all) = dot (fun x : Z * Z => IZR (snd x)) s (fun _ => 1) + IZR rs).
  { assert (E1 : IZR (lo_sum all) = dot (fun x : Z * Z => IZR (fst x)) s (fun _ => 1)).
    { unfold all. clear. induction s as [|[j x] s IH]; simpl; [ring|]. unfold lo_sum in *. rewrite plus_IZR, IH. ring. }
    assert (E2 : IZR (hi_sum all) = dot (fun x : Z * Z => IZR (snd x)) s (fun _ => 1) + IZR rs).
    { unfold all. clear. induction s as [|[j x] s IH]; simpl; [rewrite Z.add_0_r; ring|]. unfold hi_sum in *. rewrite plus_IZR, IH. ring. }
    assert (Bd : dot (fun x : Z * Z => IZR (fst x)) s (fun _ => 1) <= m * IZR one /\ m * IZR one <= dot (fun x : Z * Z => IZR (snd x)) s (fun _ => 1)).
    { unfold m. clear - F. induction F as [|[j p] [j' x] ps s (E & L & Hi) F IH]; simpl in *; [lra|]. change (itself p) with p. lra. }
    repeat split; try assumption; lra. }
  destruct Sums as (S2 & S3 & S4 & S5).
  assert (Tight : forall x p, IZR (fst x) <= p * IZR one <= IZR (snd x) -> IZR (lo_sum all) - IZR (fst x) <= (1 - p) * IZR one ->
    (1 - p) * IZR one <= IZR (hi_sum all) - IZR (snd x) -> IZR (fst (tighter all x)) <= p * IZR one <= IZR (snd (tighter all x))).
  { intros x p [P1 P2] L Hh. unfold tighter. cbn [fst snd]. split.
    - destruct (Z.max_spec (fst x) (one - (hi_sum all - snd x))) as [[_ ->]|[_ ->]]; [rewrite !minus_IZR|]; lra.
    - destruct (Z.min_spec (snd x) (one - (lo_sum all - fst x))) as [[_ ->]|[_ ->]]; [|rewrite !minus_IZR]; lra. }
  exists ps, out. unfold of_row, scaled. cbn [targets beyond shares rest lo hi]. fold all. split; [assumption|]. split; [|split; [|split; [assumption|split]]].
  - assert (G : forall ps' s', Forall2 (fun (e : state * R) (x : state * (Z * Z)) => fst x = fst e /\ IZR (fst (snd x)) <= snd e * IZR one <= IZR (snd (snd x))) ps' s' ->
      forall d dl dh, m = dotR ps' (fun _ => 1) + d -> IZR (lo_sum all) = dot (fun x : Z * Z => IZR (fst x)) s' (fun _ => 1) + dl ->
      IZR (hi_sum all) = dot (fun x : Z * Z => IZR (snd x)) s' (fun _ => 1) + dh -> dl <= (d + o) * IZR one -> (d + o) * IZR one <= dh ->
      Forall2 (fun (e : state * R) (x : state * target) => fst x = fst e /\ IZR (lo (snd x)) <= snd e * IZR one <= IZR (hi (snd x))) ps'
        (map (fun s0 => (fst s0, let x := tighter all (snd s0) in {| lo := fst x; hi := snd x; centre := (fst x + (snd x - fst x) * (one - lo_sum (map (tighter all) all)) / Z.max (hi_sum (map (tighter all) all) - lo_sum (map (tighter all) all)) 1)%Z |})) s')).
    { induction 1 as [|[j p] [j' x] ps' s' (E & L & Hi) F' IH]; intros d dl dh M1 Ml Mh D1 D2; cbn [map]; constructor.
      - cbn [fst snd lo hi dot] in *. split; [assumption|]. change (itself p) with p in M1.
        assert (Q : dot (fun x0 : Z * Z => IZR (fst x0)) s' (fun _ => 1) <= dotR ps' (fun _ => 1) * IZR one
          /\ dotR ps' (fun _ => 1) * IZR one <= dot (fun x0 : Z * Z => IZR (snd x0)) s' (fun _ => 1)).
        { clear - F'. induction F' as [|[i q] [i' y] l l' (E & A & Z) F' IH]; simpl in *; [lra|]. change (itself q) with q. lra. }
        apply Tight; [split; assumption | nra | nra].
      - cbn [fst snd dot] in *. change (itself p) with p in M1. apply (IH (p + d) (IZR (fst x) + dl) (IZR (snd x) + dh)); nra. }
    apply (G ps s F 0 0 (IZR rs)); [unfold m; ring | rewrite S4; ring | exact S5 | nra | nra].
  - clear - F Nn U. apply Forall_forall. intros e I. induction F as [|[j p] [j' x] ps s (E & L & Hi) F IH]; [destruct I|].
    inversion Nn as [|? ? [N0 _] Nn']; subst. destruct I as [<-|I]; [|apply IH; assumption]. simpl in *. apply IZR_le in N0. unfold itself. nra.
  - assert (Em : m = 1 - o) by lra. rewrite Em in S2, S3.
    pose proof (Rmult_le_compat_r (IZR one) _ _ (Rlt_le _ _ U) O). pose proof (Rmult_le_pos _ _ O0 (Rlt_le _ _ U)).
    fold o. apply (Tight (0%Z, rs) o); cbn [fst snd]; [split; lra | lra | lra].
  - exact S1.
Qed.

(** ** Beliefs: what they are under the rows in the middle, and between what limits they may be *)

Record span := { mid : Z; least_of : Z; most_of : Z }.
Notation spans := (list (state * span)).
Definition add_span (u v : span) : span :=
  {| mid := mid u + mid v; least_of := least_of u + least_of v; most_of := most_of u + most_of v |}%Z.

Section FirstOrder.
Variable rows : state -> srow.
Variable lb : state -> label.

Definition sent_span (v : span) (t : target) : span :=
  {| mid := (mid v * centre t) / one;
     least_of := (least_of v * (if Z.ltb 0 (least_of v) then lo t else hi t)) / one;
     most_of := div_up (most_of v * (if Z.ltb 0 (most_of v) then hi t else lo t)) one |}%Z.
Definition span_step (B : spans) : spans :=
  flat_map (fun e : state * span => map (fun x : state * target => (fst x, sent_span (snd e) (snd x))) (targets (rows (fst e)))) B.
Definition span_parts (B : spans) : option (list (@part span)) := split lb (gather add_span (span_step B)).

(** How many shares of the middle were rounded down. *)
Definition dropped_by (v : span) (l : list (state * target)) : Z :=
  fold_right (fun x n => ((if Z.eqb ((mid v * centre (snd x)) mod one) 0 then 0 else 1) + n)%Z) 0%Z l.
Definition dropped (B : spans) : Z := fold_right (fun e n => (dropped_by (snd e) (targets (rows (fst e))) + n)%Z) 0%Z B.

(** The entries of a row, with the values of its targets; elsewhere anything may follow. *)
Fixpoint entries (keep : bool) (after : M.t (Z * Z)) (l : list (state * target)) : option (list entry) :=
  match l with
  | [] => Some []
  | (j, t) :: r => match M.find j after, entries keep after r with
      | Some (a, b), Some es => Some ({| ends_of := if keep then t else {| lo := lo t; hi := hi t; centre := 0 |}; least := a; most := b |} :: es)
      | _, _ => None
      end
  end.
Definition with_beyond (s : srow) (es : list entry) : list entry := es ++ [{| ends_of := beyond s; least := 0; most := one |}].

(** What other rows may add or take, and the values, at the states of an expanded node. *)
Definition correction (above : bool) (v : Z) (es : list entry) : Z :=
  if above then div_up (filled v es) one else (- div_up (filled (- v) es) one)%Z.
Definition value_limits (es : list entry) : Z * Z :=
  (Z.max 0 (- div_up (filled (-1) es) one), Z.min one (div_up (filled 1 es) one))%Z.
Fixpoint node (above : bool) (after : M.t (Z * Z)) (B : spans) : option (Z * list (state * (Z * Z))) :=
  match B with
  | [] => Some (0%Z, [])
  | (i, v) :: r =>
      match entries true after (targets (rows i)), entries false after (targets (rows i)), node above after r with
      | Some es, Some es0, Some (c, vs) =>
          Some ((correction above (mid v) (with_beyond (rows i) es) + c)%Z, (i, value_limits (with_beyond (rows i) es0)) :: vs)
      | _, _, _ => None
      end
  end.

(** The weights of a leaf: below they are an event; above, z⁺ <= weight z + spare for all z within the limits. *)
Definition event_weight (B : spans) : Z := if Z.ltb 0 (fold_right (fun e s => (mid (snd e) + s)%Z) 0%Z B) then one else 0%Z.
Definition is_mixed (v : span) : bool := Z.ltb (least_of v) 0 && Z.ltb 0 (most_of v).
Definition weight (v : span) : Z :=
  if Z.leb 0 (least_of v) then one else if Z.leb (most_of v) 0 then 0%Z else (most_of v * one / (most_of v - least_of v))%Z.
Definition spare (v : span) : Z :=
  if is_mixed v then Z.max (- weight v * least_of v) ((one - weight v) * most_of v) else 0%Z.
Definition leaf (above : bool) (B : spans) : Z * list (state * (Z * Z)) :=
  let e := event_weight B in let phi v := if above then weight v else e in
  (fold_right (fun x s => (phi (snd x) * mid (snd x) + (if above then spare (snd x) else 0) + s)%Z) 0%Z B,
   map (fun x => (fst x, (phi (snd x), phi (snd x)))) B).

(** The weight of a state is the weight of its entry. *)
Definition weight_table (B : spans) : M.t Z := of_list (map (fun x => (fst x, weight (snd x))) B).
Definition weights_ok (B : spans) : bool :=
  let t := weight_table B in
  forallb (fun x => match M.find (fst x) t with Some z => Z.eqb z (weight (snd x)) && Z.leb 0 z && Z.leb z one | None => false end) B.

Definition found := (Z * list (state * (Z * Z)) * list Z)%type.
Fixpoint over (go : spans -> list Z -> option found) (ps : list (@part span)) (toks : list Z) : option found :=
  match ps with
  | [] => Some (0%Z, [], toks)
  | p :: r => match go (snd p) toks with
      | Some (T, vs, toks') => match over go r toks' with Some (T', vs', toks'') => Some ((T + T')%Z, vs ++ vs', toks'') | None => None end
      | None => None
      end
  end.

(** -1 expands, -2 is a leaf. *)
Fixpoint first_eval (above : bool) (fuel : list Z) (B : spans) (toks : list Z) : option found :=
  match fuel, toks with
  | _ :: fuel', t :: rest =>
      if Z.eqb t (-1) then
        match span_parts B with
        | None => None
        | Some ps => match over (first_eval above fuel') ps rest with
            | None => None
            | Some (T, vs, toks') => match node above (of_list vs) B with
                | Some (c, vs') => Some ((T + (if above then dropped B * one else 0) + c)%Z, vs', toks')
                | None => None
                end
            end
        end
      else if Z.eqb t (-2) then if weights_ok B then let '(T, vs) := leaf above B in Some (T, vs, rest) else None else None
  | _, _ => None
  end.

Definition point_span (z : Z) : span := {| mid := z; least_of := z; most_of := z |}.
Definition first_total (above : bool) (s t : state) (ms mt : Z) (toks : list Z) : option Z :=
  match first_eval above toks [(s, point_span ms); (t, point_span mt)] toks with Some (T, _, []) => Some T | _ => None end.

(** ** Why it is right *)

Variable P : chain.
Hypothesis P_proper : proper P.
Variable known : state -> Prop.
Hypothesis P_rows : forall h k i, known i -> exists ps out, of_row (move_of P h k i) ps out (rows i).
Hypothesis lb_ok : forall i, known i -> lab_of P i = lb i.
Hypothesis targets_known : forall i x, known i -> In x (targets (rows i)) -> known (fst x).

Notation dotM := (dot (fun v => IZR (mid v))).
Definition knows (B : spans) : Prop := Forall (fun e => known (fst e)) B.
Notation U := (IZR one).

Lemma span_known B : knows B -> knows (gather add_span (span_step B)).
Proof.
  intros K. apply gather_in. unfold knows in *. rewrite Forall_forall in *. intros e I. unfold span_step in I. apply in_flat_map in I.
  destruct I as ([i v] & Ib & Ie). apply in_map_iff in Ie. destruct Ie as (x & <- & Ix). simpl. apply (targets_known i x (K _ Ib) Ix).
Qed.

Lemma runs_member (w : spans) p : In p (runs lb w) -> forall e, In e (snd p) -> In e w.
Proof.
  revert p. induction w as [|[i v] w IH]; simpl; intros p I e Ie; [destruct I|].
  destruct (runs lb w) as [|[a q] r]; [destruct I as [<-|[]]; simpl in Ie; tauto|].
  destruct (Pos.eqb (lb i) a).
  - destruct I as [<-|I]; [|right; apply (IH p (or_intror I) e Ie)]. simpl in Ie. destruct Ie as [<-|Ie]; [auto|].
    right. apply (IH (a, q) (or_introl eq_refl) e Ie).
  - destruct I as [<-|I]; [simpl in Ie; tauto|]. right. apply (IH p I e Ie).
Qed.

Lemma parts_facts B ps : knows B -> span_parts B = Some ps -> NoDup (map fst ps) /\ Forall (pure lb) ps
  /\ (forall p, In p ps -> knows (snd p))
  /\ forall (val : span -> R), (forall u v, val (add_span u v) = val u + val v) ->
       forall f, dot val (span_step B) f = sum_parts (fun p => dot val (snd p) f) ps.
Proof.
  intros K S. unfold span_parts in S.
  assert (In_all : forall p, In p ps -> knows (snd p)).
  { intros p I. unfold split in S. destruct (ascending _); [|discriminate]. injection S as <-. unfold knows. apply Forall_forall.
    intros e Ie. pose proof (span_known B K) as G. unfold knows in G. rewrite Forall_forall in G. apply G. apply (runs_member _ _ I e Ie). }
  pose proof (split_spec (fun v => IZR (mid v)) lb _ _ S) as (N & Pu & _). repeat split; auto.
  intros val Add f. pose proof (split_spec val lb _ _ S) as (_ & _ & D). rewrite <- D, (gather_dot val add_span Add). reflexivity.
Qed.

(** *** One row against what comes after *)

Definition centres (s : srow) (f : state -> R) : R := dot (fun t => IZR (centre t)) (targets s) f.

(** Values of a list of targets, as functions say them. *)
Definition told (vs : M.t (Z * Z)) (f : state -> R) : Prop := forall j a b, M.find j vs = Some (a, b) -> IZR a <= f j * U <= IZR b.

Lemma row_bound keep s r ps out after es f fo v : of_row r ps out s -> told after f -> 0 <= fo <= 1 ->
  entries keep after (targets s) = Some es -> let F := dotR ps f + dotR out (fun _ => 1) * fo in
  (keep = false -> centre (beyond s) = 0%Z) -> (keep = true -> centre (beyond s) = 0%Z) ->
  IZR v * (F * U * U - (if keep then centres s f else 0) * U) <= IZR (filled v (with_beyond s es)).
Proof.
  intros (_ & Fit & _ & _ & O & One) T Fo E F C1 C2. pose proof one_pos as U0.
  assert (C0 : centre (beyond s) = 0%Z) by (destruct keep; auto).
  set (pfs := map (fun e => (snd e * U, f (fst e) * U)) ps ++ [(dotR out (fun _ => 1) * U, fo * U)]).
  assert (G : Forall2 inside_entry (with_beyond s es) pfs /\ moved v (with_beyond s es) pfs = IZR v * (F * U * U - (if keep then centres s f else 0) * U)
    /\ mass pfs = (dotR ps (fun _ => 1) + dotR out (fun _ => 1)) * U).
  { unfold with_beyond, pfs, F, centres. clear One pfs F. revert es E. induction Fit as [|[j p] [j' t] ps ts (Ej & L) Fit IH]; intros es E; simpl in E.
    - inversion E; subst. cbn [map app]. split; [|split].
      + constructor; [|constructor]. split; cbn [fst snd ends_of least most]; [exact O | nra].
      + cbn [moved fst snd ends_of dot]. rewrite C0. destruct keep; ring.
      + cbn [mass fst snd dot]. ring.
    - destruct (M.find j' after) as [[a b]|] eqn:Fj; [|discriminate]. destruct (entries keep after ts) as [es'|]; [|discriminate]. inversion E; subst; clear E.
      simpl in Ej. subst j'. destruct (IH es' eq_refl) as (I1 & I2 & I3). cbn [map app]. split; [|split].
      + constructor; [|exact I1]. split; [|apply T; assumption]. cbn [fst snd ends_of] in *. destruct keep; exact L.
      + cbn [moved fst snd dot]. rewrite I2. change (itself p) with p. destruct keep; cbn [ends_of centre]; ring.
      + cbn [mass fst snd dot]. rewrite I3. change (itself p) with p. ring. }
  destruct G as (G1 & G2 & G3). rewrite <- G2. apply filled_ge; [exact G1|]. rewrite G3, One. ring.
Qed.

Lemma up_ge x y : y * U <= IZR x -> y <= IZR (div_up x one).
Proof. intros H. pose proof (div_up_ge x one eq_refl). pose proof one_pos. nra. Qed.

Hypothesis beyond_centre : forall i, centre (beyond (rows i)) = 0%Z.

Lemma value_limits_ok i r ps out after es f fo : of_row r ps out (rows i) -> told after f -> chances f -> 0 <= fo <= 1 ->
  entries false after (targets (rows i)) = Some es -> let F := dotR ps f + dotR out (fun _ => 1) * fo in
  IZR (fst (value_limits (with_beyond (rows i) es))) <= F * U /\ F * U <= IZR (snd (value_limits (with_beyond (rows i) es))).
Proof.
  intros Sp T Ch Fo E F. pose proof one_pos as U0.
  pose proof (row_bound false _ _ _ _ _ _ f fo 1 Sp T Fo E (fun _ => beyond_centre i) (fun _ => beyond_centre i)) as H1.
  pose proof (row_bound false _ _ _ _ _ _ f fo (-1) Sp T Fo E (fun _ => beyond_centre i) (fun _ => beyond_centre i)) as H2.
  cbv zeta in H1, H2. fold F in H1, H2. destruct Sp as (_ & _ & N & No & _ & One).
  assert (F0 : 0 <= F /\ F <= 1).
  { assert (0 <= dotR ps f) by (apply dot_nonneg; [assumption | intros; apply Ch]).
    assert (dotR ps f <= dotR ps (fun _ => 1)) by (apply dot_mono; [assumption | intros; apply Ch]).
    assert (0 <= dotR out (fun _ => 1)) by (apply dot_nonneg; [assumption | intros; lra]). unfold F. split; nra. }
  unfold value_limits. cbn [fst snd]. split.
  - destruct (Z.max_spec 0 (- div_up (filled (-1) (with_beyond (rows i) es)) one)) as [[_ ->]|[_ ->]]; [|nra].
    rewrite opp_IZR. assert (- (F * U) <= IZR (div_up (filled (-1) (with_beyond (rows i) es)) one)) by (apply up_ge; lra). lra.
  - destruct (Z.min_spec one (div_up (filled 1 (with_beyond (rows i) es)) one)) as [[_ ->]|[_ ->]]; [nra|]. apply up_ge. lra.
Qed.

(** What is rounded in the middle. *)
Lemma middle_step v l f : chances f ->
  IZR (mid v) * dot (fun t => IZR (centre t)) l f <= (dotM (map (fun x : state * target => (fst x, sent_span v (snd x))) l) f + IZR (dropped_by v l)) * U
  /\ dotM (map (fun x : state * target => (fst x, sent_span v (snd x))) l) f * U <= IZR (mid v) * dot (fun t => IZR (centre t)) l f.
Proof.
  intros Ch. pose proof one_pos as U0. induction l as [|[j t] l [I1 I2]]; [simpl; lra|]. cbn [map dot fst snd dropped_by fold_right] in *.
  fold (dropped_by v l). rewrite plus_IZR. cbn [sent_span mid]. set (x := (mid v * centre t)%Z). set (d := if Z.eqb (x mod one) 0 then 0%Z else 1%Z).
  destruct (Ch j) as [F0 F1].
  assert (A : IZR x <= (IZR (x / one) + IZR d) * U /\ IZR (x / one) * U <= IZR x).
  { rewrite <- plus_IZR, <- !mult_IZR. pose proof (Z.div_mod x one) as D. pose proof (Z.mod_pos_bound x one eq_refl) as M0.
    assert (one <> 0)%Z by (unfold one; lia). specialize (D H). unfold d. split; apply IZR_le; destruct (Z.eqb_spec (x mod one) 0); lia. }
  assert (Ex : IZR x = IZR (mid v) * IZR (centre t)) by (unfold x; apply mult_IZR).
  assert (D0 : 0 <= IZR d) by (apply (IZR_le 0); unfold d; destruct (Z.eqb _ _); lia). destruct A as [A1 A2].
  split; [|nra]. assert (IZR d * f j <= IZR d) by nra. assert (IZR x * f j <= (IZR (x / one) + IZR d) * U * f j) by nra. nra.
Qed.

(** *** Below: one event, after every word *)

Definition below_ok (B : spans) (x : found) : Prop := let '(T, vs, _) := x in
  (forall i a b, In (i, (a, b)) vs -> exists v, In (i, v) B)
  /\ exists E, forall h, (forall i a b, In (i, (a, b)) vs -> IZR a <= cprob P h E i * U <= IZR b) /\ IZR T <= dotM B (cprob P h E) * U.

Lemma node_states above after B : forall c vs, node above after B = Some (c, vs) -> forall i a b, In (i, (a, b)) vs -> exists v, In (i, v) B.
Proof.
  induction B as [|[i v] B IH]; intros c vs H j a b I; simpl in H; [inversion H; subst; destruct I|].
  destruct (entries true after _) as [es|]; [|discriminate]. destruct (entries false after _) as [es0|]; [|discriminate].
  destruct (node above after B) as [[c' vs']|]; [|discriminate]. inversion H; subst. destruct I as [E|I].
  - inversion E; subst. exists v. left. reflexivity.
  - destruct (IH _ _ eq_refl j a b I) as [u Hu]. exists u. right. assumption.
Qed.

(** The part of a value, by the label of its state. *)
Lemma label_of_part (ps : list (@part span)) p i (v : span) : Forall (pure lb) ps -> In p ps -> In (i, v) (snd p) -> lb i = fst p.
Proof. intros Pu I Ii. rewrite Forall_forall in Pu. specialize (Pu p I). unfold pure in Pu. rewrite Forall_forall in Pu. apply (Pu _ Ii). Qed.

Lemma over_in go ps : forall toks T vs rest, over go ps toks = Some (T, vs, rest) ->
  exists got : list (Z * list (state * (Z * Z))), Forall2 (fun p x => exists t t', go (snd p) t = Some (x, t')) ps got
    /\ T = fold_right (fun x s => (fst x + s)%Z) 0%Z got /\ vs = concat (map snd got).
Proof.
  induction ps as [|p ps IH]; intros toks T vs rest H; simpl in H; [inversion H; subst; exists []; repeat split; constructor|].
  destruct (go (snd p) toks) as [[[T1 vs1] toks1]|] eqn:G; [|discriminate]. destruct (over go ps toks1) as [[[T2 vs2] toks2]|] eqn:O; [|discriminate].
  inversion H; subst. destruct (IH _ _ _ _ O) as (got & F & E1 & E2). exists ((T1, vs1) :: got). cbn [fold_right fst map snd concat]. subst.
  repeat split. constructor; [exists toks, toks1; assumption | assumption].
Qed.

(** Below: the middle, less what other rows may take, is at most what the event gains. *)
Lemma node_below h c (g : state -> R) after B : forall C vs, knows B -> (forall j, g j = cprob P (lab_of P j :: h) (c (lab_of P j)) j) ->
  told after g -> node false after B = Some (C, vs) ->
  (forall i a b, In (i, (a, b)) vs -> IZR a <= cprob P h (Look 0 c) i * U <= IZR b)
  /\ dotM (span_step B) g * U + IZR C <= dotM B (cprob P h (Look 0 c)) * U.
Proof.
  intros C vs K G T. pose proof one_pos as U0. assert (Ch : chances g) by (intros j; rewrite G; apply cprob_range; assumption).
  revert C vs. induction B as [|[i v] B IH]; intros C vs H; simpl in H.
  - inversion H; subst. split; [intros ? ? ? []|]. simpl. lra.
  - inversion K as [|? ? Ki Kb]; subst. simpl in Ki.
    destruct (entries true after (targets (rows i))) as [es|] eqn:E1; [|discriminate].
    destruct (entries false after (targets (rows i))) as [es0|] eqn:E0; [|discriminate].
    destruct (node false after B) as [[C' vs']|]; [|discriminate]. inversion H; subst; clear H. destruct (IH Kb _ _ eq_refl) as [I1 I2].
    destruct (P_rows h 0 i Ki) as (ps & out & Sp). set (po := dotR out (fun _ => 1)).
    assert (No : all_nonneg itself out) by apply Sp.
    assert (O0 : 0 <= dotR out g) by (apply dot_nonneg; [assumption | intros; apply Ch]).
    assert (O1 : dotR out g <= po) by (apply dot_mono; [assumption | intros; apply Ch]).
    assert (Fo : exists fo, 0 <= fo <= 1 /\ po * fo = dotR out g).
    { destruct (Rle_lt_dec po 0) as [L|L]; [exists 0; split; [lra | lra]|]. exists (dotR out g / po). split; [|field; lra].
      assert (0 < / po) by (apply Rinv_0_lt_compat; assumption). unfold Rdiv. split; [nra|].
      apply (Rmult_le_reg_r po); [assumption|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. assumption. }
    destruct Fo as (fo & Fo & Ef).
    assert (Ep : cprob P h (Look 0 c) i = dotR ps g + po * fo).
    { rewrite Ef. cbn [cprob]. destruct Sp as (Eq & _). rewrite <- Eq. apply dot_ext_all. intros j. symmetry. apply G. }
    split.
    + intros j a b [X|X]; [|apply (I1 j a b X)]. pose proof (f_equal fst X) as Xi. pose proof (f_equal snd X) as Xv. cbn [fst snd] in Xi, Xv. subst j.
      pose proof (value_limits_ok i _ _ _ after es0 g fo Sp T Ch Fo E0) as V. cbv zeta in V. fold po in V. rewrite Ep.
      rewrite Xv in V. cbn [fst snd] in V. exact V.
    + change (span_step ((i, v) :: B)) with (map (fun x : state * target => (fst x, sent_span v (snd x))) (targets (rows i)) ++ span_step B).
      rewrite dot_app, plus_IZR. cbn [dot]. rewrite Ep.
      pose proof (row_bound true _ _ _ _ _ _ g fo (- mid v) Sp T Fo E1 (fun _ => beyond_centre i) (fun _ => beyond_centre i)) as R1. cbv zeta in R1. fold po in R1.
      destruct (middle_step v (targets (rows i)) g Ch) as [_ M1]. unfold centres in R1. unfold correction. cbv beta iota.
      set (W := IZR (mid v)) in *. rewrite opp_IZR in R1. fold W in R1. set (F := dotR ps g + po * fo) in *.
      set (c0 := dot (fun t => IZR (centre t)) (targets (rows i)) g) in *. rewrite opp_IZR.
      assert (R2 : - W * (F * U - c0) <= IZR (div_up (filled (- mid v) (with_beyond (rows i) es)) one)) by (apply up_ge; lra). lra.
Qed.

Lemma first_below fuel : forall B toks T vs rest, knows B -> first_eval false fuel B toks = Some (T, vs, rest) -> below_ok B (T, vs, rest).
Proof.
  induction fuel as [|x fuel IH]; intros B toks T vs rest K H; [discriminate|]. destruct toks as [|t toks]; [discriminate|]. cbn [first_eval] in H.
  pose proof one_pos as U0. destruct (Z.eqb t (-1)).
  - destruct (span_parts B) as [ps|] eqn:S; [|discriminate]. destruct (over (first_eval false fuel) ps toks) as [[[T1 vs1] toks1]|] eqn:O; [|discriminate].
    destruct (node false (of_list vs1) B) as [[C vs2]|] eqn:N; [|discriminate]. inversion H; subst; clear H.
    destruct (parts_facts B ps K S) as (ND & Pu & Kp & Sum). destruct (over_in _ _ _ _ _ _ O) as (got & F & -> & ->).
    split; [apply (node_states _ _ _ _ _ N)|].
    (* an event for each part, and its values *)
    assert (Ev : Forall2 (fun p x => exists rest, below_ok (snd p) (fst x, snd x, rest)) ps got).
    { clear - F IH Kp. induction F as [|p x ps got (t & t' & G) F IHF]; constructor.
      - exists t'. destruct x as [Tx vx]. apply (IH _ _ _ _ _ (Kp p (or_introl eq_refl)) G).
      - apply IHF. intros q Iq. apply Kp. right. assumption. }
    clear O F.
    assert (Ch : exists c : label -> event, Forall2 (fun p x => (forall i a b, In (i, (a, b)) (snd x) -> exists v, In (i, v) (snd p))
      /\ forall h, (forall i a b, In (i, (a, b)) (snd x) -> IZR a <= cprob P h (c (fst p)) i * U <= IZR b) /\ IZR (fst x) <= dotM (snd p) (cprob P h (c (fst p))) * U) ps got).
    { clear - Ev ND. induction Ev as [|p x ps got (r & Hs & E & HE) Ev IHE]; [exists (fun _ => Verdict false); constructor|].
      inversion ND as [|? ? Np Nps]; subst. destruct (IHE Nps) as [c Hc]. exists (fun a => if Pos.eqb a (fst p) then E else c a). constructor.
      - rewrite Pos.eqb_refl. split; assumption.
      - assert (Q : Forall (fun q => fst q <> fst p) ps) by (apply Forall_forall; intros q Iq e; apply Np; rewrite <- e; apply in_map; assumption).
        clear - Hc Q. induction Hc as [|q y ps got Hq Hc IHc]; constructor; inversion Q; subst; [|apply IHc; assumption].
        destruct (Pos.eqb_spec (fst q) (fst p)); [congruence | assumption]. }
    destruct Ch as [c Hc]. exists (Look 0 c). intros h.
    set (g := fun j => cprob P (lab_of P j :: h) (c (lab_of P j)) j).
    assert (Gp : forall p, In p ps -> forall i v, In (i, v) (snd p) -> g i = cprob P (fst p :: h) (c (fst p)) i).
    { intros p Ip i v Ii. unfold g. rewrite lb_ok; [rewrite (label_of_part ps p i v Pu Ip Ii); reflexivity|].
      specialize (Kp p Ip). unfold knows in Kp. rewrite Forall_forall in Kp. apply (Kp _ Ii). }
    assert (Tl : told (of_list (concat (map snd got))) g).
    { intros j a b Fj. apply of_list_in in Fj. clear - Fj Hc Gp. induction Hc as [|p x ps got [Hs Hq] Hc IHc]; [destruct Fj|].
      cbn [map concat] in Fj. apply in_app_or in Fj. destruct Fj as [Fj|Fj].
      - destruct (Hs _ _ _ Fj) as [v Iv]. rewrite (Gp p (or_introl eq_refl) j v Iv). apply (proj1 (Hq (fst p :: h)) j a b Fj).
      - apply IHc; [intros q Iq; apply Gp; right; assumption | exact Fj]. }
    destruct (node_below h c g (of_list (concat (map snd got))) B C vs K (fun j => eq_refl) Tl N) as [V1 V2]. split; [exact V1|].
    eapply Rle_trans; [|exact V2]. rewrite (Sum (fun v => IZR (mid v))) by (intros; cbn [mid add_span]; apply plus_IZR).
    assert (L : IZR (fold_right (fun x s => (fst x + s)%Z) 0%Z got) <= sum_parts (fun p => dotM (snd p) g) ps * U).
    { clear - Hc Gp U0. induction Hc as [|p x ps got [Hs Hq] Hc IHc]; [simpl; lra|]. cbn [fold_right sum_parts]. rewrite plus_IZR.
      assert (E : dotM (snd p) g = dotM (snd p) (cprob P (fst p :: h) (c (fst p)))) by (apply dot_ext; intros i v Ii; apply (Gp p (or_introl eq_refl) i v Ii)).
      rewrite E. pose proof (proj2 (Hq (fst p :: h))). specialize (IHc (fun q Iq => Gp q (or_intror Iq))). lra. }
    rewrite !plus_IZR. lra.
  - destruct (Z.eqb t (-2)); [|discriminate]. destruct (weights_ok B); [|discriminate]. destruct (leaf false B) as [T' vs'] eqn:L. inversion H; subst; clear H.
    unfold leaf in L. cbv zeta in L. inversion L; subst; clear L. split.
    + intros i a b I. apply in_map_iff in I. destruct I as ([j v] & E & I). inversion E; subst. exists v. assumption.
    + set (e := event_weight B). exists (Verdict (Z.eqb e one)). intros h. assert (Ee : e = one \/ e = 0%Z) by (unfold e, event_weight; destruct (Z.ltb _ _); auto).
      assert (Pe : (if Z.eqb e one then 1 else 0) * U = IZR e) by (destruct Ee as [-> | ->]; [rewrite Z.eqb_refl | simpl]; lra).
      cbn [cprob]. split.
      * intros i a b I. apply in_map_iff in I. destruct I as ([j v] & E & I). inversion E; subst. rewrite Pe. lra.
      * rewrite dot_const. set (q := if Z.eqb e one then 1 else 0) in *. fold e. right. clearbody q. clearbody e. clear - Pe. induction B as [|[i v] B IH]; simpl; [ring|].
        rewrite plus_IZR, Z.add_0_r, mult_IZR, IH, <- Pe. ring.
Qed.

(** *** Above: for every belief within the limits, and every event after every word *)

Notation dotL := (dot (fun v => IZR (least_of v))).
Notation dotH := (dot (fun v => IZR (most_of v))).
Definition amid (zl : list (state * R)) (B : spans) : Prop := forall f, (forall i, 0 <= f i) -> dotL B f <= dotR zl f <= dotH B f.

Definition above_ok (B : spans) (x : found) : Prop := let '(T, vs, _) := x in
  (forall i a b, In (i, (a, b)) vs -> exists v, In (i, v) B)
  /\ forall h zl E, Forall (fun e => known (fst e)) zl -> amid zl B -> exists f C, chances f
    /\ (forall i a b, In (i, (a, b)) vs -> IZR a <= f i * U <= IZR b)
    /\ dotR zl (cprob P h E) <= dotR zl f + C /\ (dotM B f + C) * U <= IZR T.

Lemma weights_facts B : weights_ok B = true -> exists f, chances f /\ forall i v, In (i, v) B -> f i * U = IZR (weight v).
Proof.
  unfold weights_ok. intros H. pose proof one_pos as U0. set (t := weight_table B) in *.
  exists (fun i => match M.find i t with Some z => if Z.leb 0 z && Z.leb z one then IZR z / U else 0 | None => 0 end). split.
  - intros i. destruct (M.find i t) as [z|]; [|lra]. destruct (Z.leb_spec 0 z) as [A|]; [|simpl; lra]. destruct (Z.leb_spec z one) as [B0|]; [|simpl; lra].
    cbn [andb]. apply IZR_le in A, B0. assert (0 < / U) by (apply Rinv_0_lt_compat; assumption). split.
    + unfold Rdiv. nra.
    + apply (Rmult_le_reg_r U); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - intros i v I. rewrite forallb_forall in H. specialize (H _ I). cbn [fst snd] in H. destruct (M.find i t) as [z|]; [|discriminate].
    apply andb_prop in H. destruct H as [H H2]. apply andb_prop in H. destruct H as [H0 H1]. rewrite H1, H2. cbn [andb]. apply Z.eqb_eq in H0. subst z. field. lra.
Qed.

Lemma leaf_above B : knows B -> weights_ok B = true -> forall T vs rest, leaf true B = (T, vs) -> above_ok B (T, vs, rest).
Proof.
  intros _ W T vs rest L. unfold leaf in L. cbv zeta in L. inversion L; subst; clear L. pose proof one_pos as U0.
  destruct (weights_facts B W) as (f & Ch & Fw). split.
  { intros i a b I. apply in_map_iff in I. destruct I as ([j v] & E & I). inversion E; subst. exists v. assumption. }
  intros h zl E _ Z. set (S := fold_right (fun x s => (spare (snd x) + s)%Z) 0%Z B). exists f, (IZR S / U). split; [assumption|]. split; [|split].
  - intros i a b I. apply in_map_iff in I. destruct I as ([j v] & X & I). pose proof (f_equal fst X) as X1. pose proof (f_equal snd X) as X2. cbn [fst snd] in X1, X2.
    inversion X2; subst. rewrite (Fw _ _ I). lra.
  - set (e := cprob P h E). assert (Ce : chances e) by (apply cprob_range; assumption).
    set (u := fun i => Rmax 0 (e i - f i)). set (d := fun i => Rmax 0 (f i - e i)).
    assert (U1 : forall i, 0 <= u i) by (intros; apply Rmax_l). assert (D1 : forall i, 0 <= d i) by (intros; apply Rmax_l).
    assert (Ed : dotR zl e = dotR zl f + dotR zl u - dotR zl d).
    { rewrite <- dot_plus, <- dot_minus. apply dot_ext_all. intros i. unfold u, d, Rmax. destruct (Rle_dec 0 _); destruct (Rle_dec 0 _); lra. }
    destruct (Z u U1) as [_ Hu]. destruct (Z d D1) as [Hd _].
    assert (Q : dotH B u - dotL B d <= IZR S / U); [|lra].
    clear Z Hu Hd Ed W. unfold S. clear S. apply (Rmult_le_reg_r U); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    induction B as [|[i v] B IH]; [simpl; lra|]. cbn [dot fold_right snd]. rewrite plus_IZR.
    specialize (IH (fun j w J => Fw j w (or_intror J))). pose proof (Fw i v (or_introl eq_refl)) as Fi. destruct (Ce i) as [e0 e1].
    assert (Q : (IZR (most_of v) * u i - IZR (least_of v) * d i) * U <= IZR (spare v)); [|lra].
    unfold spare, is_mixed. unfold weight in Fi |- *. destruct (Z.leb_spec 0 (least_of v)) as [A|A].
    + assert (Z.ltb (least_of v) 0 = false) as -> by (apply Z.ltb_ge; assumption). cbn [andb]. assert (f i = 1) by (apply (Rmult_eq_reg_r U); lra). apply IZR_le in A.
      assert (u i = 0) as -> by (unfold u, Rmax; destruct (Rle_dec 0 _); lra). pose proof (D1 i). assert (0 <= IZR (least_of v) * d i) by (apply Rmult_le_pos; assumption). pose proof (Rmult_le_pos _ _ H1 (Rlt_le _ _ U0)). lra.
    + assert (Z.ltb (least_of v) 0 = true) as -> by (apply Z.ltb_lt; assumption). destruct (Z.leb_spec (most_of v) 0) as [B0|B0].
      * assert (Z.ltb 0 (most_of v) = false) as -> by (apply Z.ltb_ge; assumption). cbn [andb]. assert (f i = 0) by (apply (Rmult_eq_reg_r U); lra). apply IZR_le in B0.
        assert (d i = 0) as -> by (unfold d, Rmax; destruct (Rle_dec 0 _); lra). pose proof (U1 i). assert (0 <= - IZR (most_of v) * u i) by (apply Rmult_le_pos; lra). pose proof (Rmult_le_pos _ _ H1 (Rlt_le _ _ U0)). lra.
      * assert (Z.ltb 0 (most_of v) = true) as -> by (apply Z.ltb_lt; assumption). cbn [andb]. set (w := (most_of v * one / (most_of v - least_of v))%Z) in *.
        apply IZR_lt in A, B0. destruct (Ch i) as [f0 f1]. unfold u, d, Rmax. destruct (Rle_dec 0 (e i - f i)) as [G|G].
        -- assert (X : IZR ((one - w) * most_of v) <= IZR (Z.max (- w * least_of v) ((one - w) * most_of v))) by (apply IZR_le; lia).
           rewrite mult_IZR, minus_IZR, <- Fi in X.
           assert (Y : IZR (most_of v) * (e i - f i) * U <= IZR (most_of v) * (1 - f i) * U) by (apply Rmult_le_compat_r; [lra | apply Rmult_le_compat_l; lra]).
           destruct (Rle_dec 0 (f i - e i)); [assert (Z0 : f i - e i = 0) by lra; rewrite Z0|]; lra.
        -- assert (X : IZR (- w * least_of v) <= IZR (Z.max (- w * least_of v) ((one - w) * most_of v))) by (apply IZR_le; lia).
           rewrite mult_IZR, opp_IZR, <- Fi in X.
           assert (Y : - IZR (least_of v) * (f i - e i) * U <= - IZR (least_of v) * f i * U) by (apply Rmult_le_compat_r; [lra | apply Rmult_le_compat_l; lra]).
           destruct (Rle_dec 0 (f i - e i)); lra.
  - right. rewrite Rmult_plus_distr_r. unfold Rdiv. rewrite (Rmult_assoc (IZR S)), Rinv_l, Rmult_1_r by lra. unfold S. clear - Fw.
    induction B as [|[i v] B IH]; [simpl; ring|]. cbn [dot fold_right snd]. rewrite !plus_IZR, mult_IZR. rewrite <- (Fw i v (or_introl eq_refl)).
    specialize (IH (fun j w J => Fw j w (or_intror J))). lra.
Qed.

(** A row for each of finitely many states. *)
Lemma rows_for h k (l : list state) : (forall i, In i l -> known i) -> exists ps out : state -> list (state * R),
  (forall i, In i l -> of_row (move_of P h k i) (ps i) (out i) (rows i)) /\ forall i, ~ In i l -> ps i = [] /\ out i = [].
Proof.
  induction l as [|j l IH]; intros K; [exists (fun _ => []), (fun _ => []); split; [intros ? [] | auto]|].
  destruct IH as (ps & out & H1 & H2); [intros; apply K; right; assumption|]. destruct (P_rows h k j (K j (or_introl eq_refl))) as (p & o & Sp).
  exists (fun i => if Pos.eqb i j then p else ps i), (fun i => if Pos.eqb i j then o else out i). split.
  - intros i I. destruct (Pos.eqb_spec i j) as [->|n]; [assumption|]. apply H1. destruct I as [<-|I]; [congruence | assumption].
  - intros i N. destruct (Pos.eqb_spec i j) as [->|n]; [exfalso; apply N; left; reflexivity|]. apply H2. intros I. apply N. right. assumption.
Qed.

Lemma others_length (zl : list (state * R)) i : (length (filter (fun e => negb (Pos.eqb (fst e) i)) zl) <= length zl)%nat.
Proof. induction zl as [|e zl IH]; simpl; [lia|]. destruct (negb _); simpl; lia. Qed.

(** A sum is not positive if, state by state, it is not. *)
Lemma by_states (zl : list (state * R)) g : (forall i, dotR zl (is_at i) * g i <= 0) -> dotR zl g <= 0.
Proof.
  remember (length zl) as n. assert (L : (length zl <= n)%nat) by lia. clear Heqn. revert zl L. induction n as [|n IH]; intros zl L H.
  - destruct zl; [simpl; lra | simpl in L; lia].
  - destruct zl as [|[i z] zl]; [simpl; lra|]. set (all := (i, z) :: zl) in *. set (others := filter (fun e => negb (Pos.eqb (fst e) i)) all).
    assert (Sp : forall f, dotR all f = dotR all (is_at i) * f i + dotR others f).
    { intros f. unfold others. clear. induction all as [|[j x] all IHa]; cbn [filter dot fst]; [simpl; ring|]. rewrite IHa. unfold is_at at 2.
      destruct (Pos.eqb_spec j i) as [->|]; cbn [negb dot]; ring. }
    assert (Lo : (length others <= n)%nat).
    { unfold others, all. cbn [filter fst]. rewrite Pos.eqb_refl. cbn [negb]. simpl in L. pose proof (others_length zl i). lia. }
    rewrite Sp. assert (Q : dotR others g <= 0); [|specialize (H i); lra]. apply IH; [assumption|]. intros j. specialize (H j). rewrite Sp in H.
    destruct (Pos.eq_dec i j) as [->|n0].
    + assert (Z0 : dotR others (is_at j) = 0).
      { unfold others. clear. induction all as [|[i x] all IHa]; cbn [filter fst dot]; [reflexivity|]. destruct (Pos.eqb_spec i j); cbn [negb dot]; [assumption|].
        rewrite IHa. unfold is_at. destruct (Pos.eqb_spec i j); [congruence | ring]. }
      rewrite Z0. lra.
    + unfold is_at at 2 in H. destruct (Pos.eqb_spec i j); [congruence|]. lra.
Qed.

(** Functions on the states of one label, and on those of no label that is listed. *)
Definition restrict (a : label) (x : state -> R) (j : state) : R := if Pos.eqb (lb j) a then x j else 0.
Definition elsewhere (ls : list label) (x : state -> R) (j : state) : R := if existsb (Pos.eqb (lb j)) ls then 0 else x j.

Lemma by_labels zl x (ps : list (@part span)) : NoDup (map fst ps) ->
  dotR zl x = sum_parts (fun p => dotR zl (restrict (fst p) x)) ps + dotR zl (elsewhere (map fst ps) x).
Proof.
  induction ps as [|p ps IH]; intros N; [cbn [sum_parts map]; rewrite Rplus_0_l; apply dot_ext_all; intros j; reflexivity|].
  inversion N as [|? ? Np Nps]; subst. rewrite (IH Nps). cbn [sum_parts map].
  assert (E : dotR zl (elsewhere (map fst ps) x) = dotR zl (restrict (fst p) x) + dotR zl (elsewhere (fst p :: map fst ps) x)).
  { rewrite <- dot_plus. apply dot_ext_all. intros j. unfold elsewhere, restrict. cbn [existsb]. destruct (Pos.eqb_spec (lb j) (fst p)) as [e|e]; cbn [orb]; [|ring].
    destruct (existsb (Pos.eqb (lb j)) (map fst ps)) eqn:X; [|ring]. exfalso. apply existsb_exists in X. destruct X as (a & Ia & Ea). apply Pos.eqb_eq in Ea.
    apply Np. rewrite <- e, Ea. assumption. }
  rewrite E. ring.
Qed.

Lemma restrict_parts (val : span -> R) (ps : list (@part span)) p f : NoDup (map fst ps) -> Forall (pure lb) ps -> In p ps ->
  sum_parts (fun q => dot val (snd q) (restrict (fst p) f)) ps = dot val (snd p) f.
Proof.
  intros N Pu I. assert (G : forall q, In q ps -> dot val (snd q) (restrict (fst p) f) = if Pos.eqb (fst q) (fst p) then dot val (snd q) f else 0).
  { intros q Iq. rewrite Forall_forall in Pu. specialize (Pu q Iq). unfold pure in Pu. rewrite Forall_forall in Pu. destruct (Pos.eqb_spec (fst q) (fst p)) as [e|e].
    - apply dot_ext. intros j v J. unfold restrict. specialize (Pu _ J). simpl in Pu. rewrite Pu, e, Pos.eqb_refl. reflexivity.
    - rewrite (dot_ext val (snd q) _ (fun _ => 0)); [apply dot_zero|]. intros j v J. unfold restrict. specialize (Pu _ J). simpl in Pu. rewrite Pu.
      destruct (Pos.eqb_spec (fst q) (fst p)); [congruence | reflexivity]. }
  rewrite (sum_parts_ext _ _ ps G). clear G Pu. revert N I. induction ps as [|q ps IH]; intros N I; [destruct I|]. inversion N as [|? ? Nq Nps]; subst. cbn [sum_parts].
  destruct I as [->|I].
  - rewrite Pos.eqb_refl. assert (Z0 : sum_parts (fun q => if Pos.eqb (fst q) (fst p) then dot val (snd q) f else 0) ps = 0); [|lra].
    clear - Nq. induction ps as [|q ps IHp]; [reflexivity|]. cbn [sum_parts]. destruct (Pos.eqb_spec (fst q) (fst p)) as [e|_].
    + exfalso. apply Nq. left. assumption.
    + rewrite IHp; [ring|]. intros X. apply Nq. right. assumption.
  - destruct (Pos.eqb_spec (fst q) (fst p)) as [e|_]; [exfalso; apply Nq; rewrite e; apply in_map; assumption|]. rewrite (IH Nps I). ring.
Qed.

Lemma elsewhere_parts (val : span -> R) (ps : list (@part span)) f : Forall (pure lb) ps ->
  sum_parts (fun q => dot val (snd q) (elsewhere (map fst ps) f)) ps = 0.
Proof.
  intros Pu. rewrite (sum_parts_ext _ (fun _ => 0)); [clear; induction ps; simpl; lra|]. intros q Iq. rewrite Forall_forall in Pu. specialize (Pu q Iq).
  unfold pure in Pu. rewrite Forall_forall in Pu. rewrite (dot_ext val (snd q) _ (fun _ => 0)); [apply dot_zero|]. intros j v J. specialize (Pu _ J). simpl in Pu.
  unfold elsewhere. assert (X : existsb (Pos.eqb (lb j)) (map fst ps) = true) by (apply existsb_exists; exists (fst q); rewrite Pu, Pos.eqb_refl; split; [apply in_map; assumption | reflexivity]).
  rewrite X. reflexivity.
Qed.

(** The limits of a step, for one row. *)
Lemma span_limits v s r ps out f : of_row r ps out s -> (forall i, 0 <= f i) ->
  let sent := map (fun x : state * target => (fst x, sent_span v (snd x))) (targets s) in
  dotL sent f <= IZR (least_of v) * dotR ps f /\ IZR (most_of v) * dotR ps f <= dotH sent f.
Proof.
  intros (_ & Fit & _) F. pose proof one_pos as U0. cbv zeta. induction Fit as [|[j p] [j' t] ps ts (E & L & H) Fit [I1 I2]]; [simpl; lra|].
  simpl in E, L, H. subst j'. cbn [map dot fst snd sent_span least_of most_of] in *. change (itself p) with p. specialize (F j).
  set (a := IZR (least_of v)) in *. set (b := IZR (most_of v)) in *. split.
  - pose proof (div_le (least_of v * (if Z.ltb 0 (least_of v) then lo t else hi t)) one eq_refl) as D. rewrite mult_IZR in D. fold a in D. set (x := IZR (_ / one)) in *.
    assert (X : x * U <= a * p * U). { destruct (Z.ltb_spec 0 (least_of v)) as [V|V]; [apply IZR_lt in V | apply IZR_le in V]; fold a in V; nra. }
    assert (x <= a * p) by nra. nra.
  - pose proof (div_up_ge (most_of v * (if Z.ltb 0 (most_of v) then hi t else lo t)) one eq_refl) as D. rewrite mult_IZR in D. fold b in D. set (x := IZR (div_up _ one)) in *.
    assert (X : b * p * U <= x * U). { destruct (Z.ltb_spec 0 (most_of v)) as [V|V]; [apply IZR_lt in V | apply IZR_le in V]; fold b in V; nra. }
    assert (b * p <= x) by nra. nra.
Qed.

(** Above: the middle, and what other rows may add. *)
Lemma node_above h k (ps out : state -> list (state * R)) (g o : state -> R) after B : forall C vs,
  (forall i v, In (i, v) B -> of_row (move_of P h k i) (ps i) (out i) (rows i)) -> told after g -> chances g -> chances o -> node true after B = Some (C, vs) ->
  let F i := dotR (ps i) g + dotR (out i) (fun _ => 1) * o i in
  (forall i a b, In (i, (a, b)) vs -> IZR a <= F i * U <= IZR b)
  /\ dotM B F * U <= dotM (span_step B) g * U + IZR (dropped B) * U + IZR C.
Proof.
  intros C vs Sp T Ch Co H F. pose proof one_pos as U0. revert C vs H. induction B as [|[i v] B IH]; intros C vs H; simpl in H.
  - inversion H; subst. split; [intros ? ? ? []|]. simpl. lra.
  - destruct (entries true after (targets (rows i))) as [es|] eqn:E1; [|discriminate].
    destruct (entries false after (targets (rows i))) as [es0|] eqn:E0; [|discriminate].
    destruct (node true after B) as [[C' vs']|]; [|discriminate]. inversion H; subst; clear H.
    destruct (IH (fun j w J => Sp j w (or_intror J)) _ _ eq_refl) as [I1 I2]. pose proof (Sp i v (or_introl eq_refl)) as Si. split.
    + intros j a b [X|X]; [|apply (I1 j a b X)]. pose proof (f_equal fst X) as Xi. pose proof (f_equal snd X) as Xv. cbn [fst snd] in Xi, Xv. subst j.
      pose proof (value_limits_ok i _ _ _ after es0 g (o i) Si T Ch (Co i) E0) as V. cbv zeta in V. rewrite Xv in V. cbn [fst snd] in V. exact V.
    + change (span_step ((i, v) :: B)) with (map (fun x : state * target => (fst x, sent_span v (snd x))) (targets (rows i)) ++ span_step B).
      change (dropped ((i, v) :: B)) with (dropped_by v (targets (rows i)) + dropped B)%Z.
      rewrite dot_app, !plus_IZR. cbn [dot].
      pose proof (row_bound true _ _ _ _ _ _ g (o i) (mid v) Si T (Co i) E1 (fun _ => beyond_centre i) (fun _ => beyond_centre i)) as R1. cbv zeta in R1. fold (F i) in R1.
      destruct (middle_step v (targets (rows i)) g Ch) as [M1 _]. unfold centres in R1. unfold correction. cbv beta iota.
      set (W := IZR (mid v)) in *. set (c0 := dot (fun t => IZR (centre t)) (targets (rows i)) g) in *.
      assert (R2 : W * (F i * U - c0) <= IZR (div_up (filled (mid v) (with_beyond (rows i) es)) one)) by (apply up_ge; lra). lra.
Qed.

Lemma first_above fuel : forall B toks T vs rest, knows B -> first_eval true fuel B toks = Some (T, vs, rest) -> above_ok B (T, vs, rest).
Proof.
  induction fuel as [|x fuel IH]; intros B toks T vs rest K H; [discriminate|]. destruct toks as [|t toks]; [discriminate|]. cbn [first_eval] in H.
  pose proof one_pos as U0. destruct (Z.eqb t (-1)).
  2: { destruct (Z.eqb t (-2)); [|discriminate]. destruct (weights_ok B) eqn:W; [|discriminate]. destruct (leaf true B) as [T' vs'] eqn:L. inversion H; subst.
       apply leaf_above; assumption. }
  destruct (span_parts B) as [parts|] eqn:S; [|discriminate]. destruct (over (first_eval true fuel) parts toks) as [[[T1 vs1] toks1]|] eqn:O; [|discriminate].
  destruct (node true (of_list vs1) B) as [[C vs2]|] eqn:N; [|discriminate]. inversion H; subst; clear H.
  destruct (parts_facts B parts K S) as (ND & Pu & Kp & Sum). destruct (over_in _ _ _ _ _ _ O) as (got & Fg & -> & ->).
  split; [apply (node_states _ _ _ _ _ N)|]. intros h zl E Kz Am.
  assert (Ev : Forall2 (fun p x => exists rest, above_ok (snd p) (fst x, snd x, rest)) parts got).
  { clear - Fg IH Kp. induction Fg as [|p x ps got (t & t' & G) F IHF]; constructor.
    - exists t'. destruct x as [Tx vx]. apply (IH _ _ _ _ _ (Kp p (or_introl eq_refl)) G).
    - apply IHF. intros q Iq. apply Kp. right. assumption. }
  clear O Fg.
  assert (Look_E : exists k c, dotR zl (cprob P h E) = dotR zl (cprob P h (Look k c))).
  { destruct E as [b|k c]; [|eauto]. exists 0%nat, (fun _ => Verdict b). apply dot_ext_all. intros i. simpl. rewrite dot_const. destruct (P_proper h 0%nat i) as [_ S1].
    rewrite S1. ring. }
  destruct Look_E as (k & c & ->).
  destruct (rows_for h k (map fst zl ++ map fst B)) as (ps & out & Sp & Sp0).
  { intros i I. apply in_app_or in I. destruct I as [I|I]; apply in_map_iff in I; destruct I as (e & <- & I).
    - rewrite Forall_forall in Kz. apply (Kz e I).
    - unfold knows in K. rewrite Forall_forall in K. apply (K e I). }
  assert (Zin : forall i z, In (i, z) zl -> of_row (move_of P h k i) (ps i) (out i) (rows i)).
  { intros i z I. apply Sp. apply in_or_app. left. apply (in_map fst _ _ I). }
  assert (Bin : forall i v, In (i, v) B -> of_row (move_of P h k i) (ps i) (out i) (rows i)).
  { intros i v I. apply Sp. apply in_or_app. right. apply (in_map fst _ _ I). }
  assert (Nn : forall i, all_nonneg itself (ps i) /\ all_nonneg itself (out i) /\ dotR (ps i) (fun _ => 1) + dotR (out i) (fun _ => 1) <= 1).
  { intros i. destruct (in_dec Pos.eq_dec i (map fst zl ++ map fst B)) as [I|I].
    - destruct (Sp i I) as (_ & _ & N1 & N2 & _ & One). repeat split; auto. lra.
    - destruct (Sp0 i I) as [-> ->]. repeat split; try constructor. simpl. lra. }
  set (zl' := flat_map (fun e : state * R => map (fun x : state * R => (fst x, snd e * snd x)) (ps (fst e))) zl).
  assert (Zd : forall f, dotR zl' f = dotR zl (fun i => dotR (ps i) f)).
  { intros f. unfold zl'. clear. induction zl as [|[i z] zl IHz]; [reflexivity|]. cbn [flat_map dot fst snd]. rewrite dot_app, IHz. f_equal.
    induction (ps i) as [|[j p] l IHl]; cbn [map dot fst snd]; [unfold itself; ring|]. rewrite IHl. unfold itself. ring. }
  assert (Kz' : Forall (fun e => known (fst e)) zl').
  { apply Forall_forall. intros e I. unfold zl' in I. apply in_flat_map in I. destruct I as ([i z] & Iz & Ie). apply in_map_iff in Ie. destruct Ie as ([j p] & <- & Ij). cbn [fst snd] in *.
    rewrite Forall_forall in Kz. pose proof (Kz _ Iz) as Ki. simpl in Ki. destruct (Zin i z Iz) as (_ & Fit & _).
    assert (J : exists y, In y (targets (rows i)) /\ fst y = j).
    { clear - Fit Ij. induction Fit as [|e y l l' (E & _) Fit IHf]; [destruct Ij|]. destruct Ij as [->|Ij].
      - exists y. split; [left; reflexivity | exact E].
      - destruct (IHf Ij) as (y' & I & Ey). exists y'. split; [right; assumption | assumption]. }
    destruct J as (y & Iy & <-). apply (targets_known i y Ki Iy). }
  assert (Am' : forall f, (forall i, 0 <= f i) -> dotL (span_step B) f <= dotR zl' f <= dotH (span_step B) f).
  { intros f F0. rewrite Zd. destruct (Am (fun i => dotR (ps i) f)) as [A1 A2].
    { intros i. apply dot_nonneg; [apply Nn | assumption]. }
    assert (Q : dotL (span_step B) f <= dotL B (fun i => dotR (ps i) f) /\ dotH B (fun i => dotR (ps i) f) <= dotH (span_step B) f); [|lra].
    clear - Bin F0. induction B as [|[i v] B IHb]; [simpl; lra|].
    change (span_step ((i, v) :: B)) with (map (fun x : state * target => (fst x, sent_span v (snd x))) (targets (rows i)) ++ span_step B).
    rewrite !dot_app. cbn [dot]. destruct (IHb (fun j w J => Bin j w (or_intror J))) as [I1 I2].
    destruct (span_limits v (rows i) _ _ _ f (Bin i v (or_introl eq_refl)) F0) as [L1 L2]. lra. }
  assert (Else0 : forall f, (forall i, 0 <= f i) -> dotR zl' (elsewhere (map fst parts) f) = 0).
  { intros f F0. assert (E0 : forall i, 0 <= elsewhere (map fst parts) f i) by (intros i; unfold elsewhere; destruct (existsb _ _); [lra | apply F0]).
    destruct (Am' _ E0) as [A1 A2]. rewrite (Sum (fun v => IZR (least_of v))) in A1 by (intros; cbn [least_of add_span]; apply plus_IZR).
    rewrite (Sum (fun v => IZR (most_of v))) in A2 by (intros; cbn [most_of add_span]; apply plus_IZR). rewrite elsewhere_parts in A1, A2 by assumption. lra. }
  set (only := fun (a : label) => map (fun e : state * R => (fst e, if Pos.eqb (lb (fst e)) a then snd e else 0)) zl').
  assert (Od : forall a f, dotR (only a) f = dotR zl' (restrict a f)).
  { intros a f. unfold only. clear. induction zl' as [|[j z] l IHl]; [reflexivity|]. cbn [map dot fst snd]. rewrite IHl. unfold restrict, itself. destruct (Pos.eqb (lb j) a); ring. }
  (* a function and a constant for each part *)
  assert (Ch : exists fc : label -> (state -> R) * R, (forall a, chances (fst (fc a))) /\ Forall2 (fun p x =>
      (forall i a b, In (i, (a, b)) (snd x) -> exists v, In (i, v) (snd p))
      /\ (forall i a b, In (i, (a, b)) (snd x) -> IZR a <= fst (fc (fst p)) i * U <= IZR b)
      /\ dotR (only (fst p)) (cprob P (fst p :: h) (c (fst p))) <= dotR (only (fst p)) (fst (fc (fst p))) + snd (fc (fst p))
      /\ (dotM (snd p) (fst (fc (fst p))) + snd (fc (fst p))) * U <= IZR (fst x)) parts got).
  { assert (Amp : forall p, In p parts -> amid (only (fst p)) (snd p)).
    { intros p Ip f F0. rewrite Od. assert (E0 : forall i, 0 <= restrict (fst p) f i) by (intros i; unfold restrict; destruct (Pos.eqb _ _); [apply F0 | lra]).
      destruct (Am' _ E0) as [A1 A2]. rewrite (Sum (fun v => IZR (least_of v))) in A1 by (intros; cbn [least_of add_span]; apply plus_IZR).
      rewrite (Sum (fun v => IZR (most_of v))) in A2 by (intros; cbn [most_of add_span]; apply plus_IZR). rewrite !restrict_parts in A1, A2 by assumption. split; assumption. }
    assert (Ko : forall a, Forall (fun e => known (fst e)) (only a)).
    { intros a. unfold only. apply Forall_forall. intros e I. apply in_map_iff in I. destruct I as (y & <- & Iy). rewrite Forall_forall in Kz'. apply (Kz' y Iy). }
    clear - Ev ND Amp Ko. induction Ev as [|p x parts got (r & Hs & HE) Ev IHE]; [exists (fun _ => (fun _ => 0, 0)); split; [intros a i; simpl; lra | constructor]|].
    inversion ND as [|? ? Np Nps]; subst. destruct (IHE Nps (fun q Iq => Amp q (or_intror Iq))) as (fc & Cf & Hc).
    destruct (HE (fst p :: h) (only (fst p)) (c (fst p)) (Ko (fst p)) (Amp p (or_introl eq_refl))) as (f & C & Chf & V & L & M).
    exists (fun a => if Pos.eqb a (fst p) then (f, C) else fc a). split; [intros a; destruct (Pos.eqb a (fst p)); [exact Chf | apply Cf]|]. constructor.
    - rewrite Pos.eqb_refl. cbn [fst snd]. split; [exact Hs | split; [exact V | split; assumption]].
    - assert (Q : Forall (fun q => fst q <> fst p) parts) by (apply Forall_forall; intros q Iq e; apply Np; rewrite <- e; apply in_map; assumption).
      clear - Hc Q. induction Hc as [|q y rs got Hq Hc IHc]; constructor; inversion Q; subst; [|apply IHc; assumption].
      destruct (Pos.eqb_spec (fst q) (fst p)); [congruence | assumption]. }
  destruct Ch as (fc & Cf & Hc). set (g := fun j => fst (fc (lb j)) j).
  assert (Cg : chances g) by (intros j; apply Cf).
  set (o := fun i => if Rlt_dec 0 (dotR zl (is_at i)) then 1 else 0). assert (Co : chances o) by (intros i; unfold o; destruct (Rlt_dec _ _); lra).
  set (F := fun i => dotR (ps i) g + dotR (out i) (fun _ => 1) * o i).
  assert (Gp : forall p, In p parts -> forall i v, In (i, v) (snd p) -> g i = fst (fc (fst p)) i).
  { intros p Ip i v Ii. unfold g. rewrite (label_of_part parts p i v Pu Ip Ii). reflexivity. }
  assert (Tl : told (of_list (concat (map snd got))) g).
  { intros j a b Fj. apply of_list_in in Fj. clear - Fj Hc Gp. induction Hc as [|p x parts got (Hs & Hq & _) Hc IHc]; [destruct Fj|].
    cbn [map concat] in Fj. apply in_app_or in Fj. destruct Fj as [Fj|Fj].
    - destruct (Hs _ _ _ Fj) as [v Iv]. rewrite (Gp p (or_introl eq_refl) j v Iv). apply (Hq j a b Fj).
    - apply IHc; [intros q Iq; apply Gp; right; assumption | exact Fj]. }
  destruct (node_above h k ps out g o (of_list (concat (map snd got))) B C vs Bin Tl Cg Co N) as [V1 V2]. fold F in V1, V2.
  exists F, (sum_parts (fun p => snd (fc (fst p))) parts). split; [|split; [exact V1 | split]].
  - intros i. destruct (Nn i) as (N1 & N2 & One). assert (0 <= dotR (ps i) g) by (apply dot_nonneg; [assumption | intros; apply Cg]).
    assert (dotR (ps i) g <= dotR (ps i) (fun _ => 1)) by (apply dot_mono; [assumption | intros; apply Cg]).
    assert (0 <= dotR (out i) (fun _ => 1)) by (apply dot_nonneg; [assumption | intros; lra]). destruct (Co i). unfold F. split; nra.
  - set (nx := fun j => cprob P (lab_of P j :: h) (c (lab_of P j)) j). assert (Cn : chances nx) by (intros j; apply cprob_range; assumption).
    assert (E1 : dotR zl (cprob P h (Look k c)) = dotR zl' nx + dotR zl (fun i => dotR (out i) nx)).
    { rewrite Zd, <- dot_plus. apply dot_ext. intros i z I. destruct (Zin i z I) as (Eq & _). cbn [cprob]. apply Eq. }
    assert (E2 : dotR zl F = dotR zl' g + dotR zl (fun i => dotR (out i) (fun _ => 1) * o i)) by (rewrite Zd, <- dot_plus; reflexivity).
    assert (Q1 : dotR zl (fun i => dotR (out i) nx) <= dotR zl (fun i => dotR (out i) (fun _ => 1) * o i)).
    { assert (Z0 : dotR zl (fun i => dotR (out i) nx - dotR (out i) (fun _ => 1) * o i) <= 0); [|rewrite dot_minus in Z0; lra]. apply by_states. intros i.
      destruct (Nn i) as (_ & N2 & _). assert (0 <= dotR (out i) nx) by (apply dot_nonneg; [assumption | intros; apply Cn]).
      assert (dotR (out i) nx <= dotR (out i) (fun _ => 1)) by (apply dot_mono; [assumption | intros; apply Cn]).
      unfold o. destruct (Rlt_dec 0 (dotR zl (is_at i))); nra. }
    assert (Q2 : dotR zl' nx <= dotR zl' g + sum_parts (fun p => snd (fc (fst p))) parts).
    { rewrite (by_labels zl' nx parts ND), (by_labels zl' g parts ND), !Else0 by (intros i; apply Cn || apply Cg).
      rewrite !Rplus_0_r, <- sum_parts_plus. apply sum_parts_le. intros p Ip.
      assert (A : dotR zl' (restrict (fst p) nx) = dotR (only (fst p)) (cprob P (fst p :: h) (c (fst p)))).
      { rewrite Od. apply dot_ext. intros j z J. unfold restrict. destruct (Pos.eqb_spec (lb j) (fst p)) as [e|_]; [|reflexivity]. unfold nx.
        rewrite lb_ok, e; [reflexivity|]. rewrite Forall_forall in Kz'. apply (Kz' _ J). }
      assert (A' : dotR zl' (restrict (fst p) g) = dotR (only (fst p)) (fst (fc (fst p)))).
      { rewrite Od. apply dot_ext_all. intros j. unfold restrict. destruct (Pos.eqb_spec (lb j) (fst p)) as [e|_]; [|reflexivity]. unfold g. rewrite e. reflexivity. }
      rewrite A, A'. clear - Hc Ip. induction Hc as [|q y parts got (_ & _ & Hq & _) Hc IHc]; [destruct Ip|]. destruct Ip as [->|Ip]; [exact Hq | apply IHc; assumption]. }
    lra.
  - assert (L : (sum_parts (fun p => dotM (snd p) g) parts + sum_parts (fun p => snd (fc (fst p))) parts) * U <= IZR (fold_right (fun x s => (fst x + s)%Z) 0%Z got)).
    { clear - Hc Gp U0. induction Hc as [|p y parts got (_ & _ & _ & Hq) Hc IHc]; [simpl; lra|]. cbn [fold_right sum_parts]. rewrite plus_IZR.
      assert (E : dotM (snd p) g = dotM (snd p) (fst (fc (fst p)))) by (apply dot_ext; intros i v Ii; apply (Gp p (or_introl eq_refl) i v Ii)).
      rewrite E. specialize (IHc (fun q Iq => Gp q (or_intror Iq))). lra. }
    rewrite (Sum (fun v => IZR (mid v))) in V2 by (intros; cbn [mid add_span]; apply plus_IZR). rewrite !plus_IZR, mult_IZR. lra.
Qed.

(** ** From the root *)

Theorem first_sound s t ms mt toks T h : known s -> known t ->
  (first_total true s t ms mt toks = Some T -> forall E, dotZ [(s, ms); (t, mt)] (cprob P h E) * U <= IZR T)
  /\ (first_total false s t ms mt toks = Some T -> exists E, IZR T <= dotZ [(s, ms); (t, mt)] (cprob P h E) * U).
Proof.
  intros Ks Kt. assert (K : knows [(s, point_span ms); (t, point_span mt)]) by (constructor; [exact Ks | constructor; [exact Kt | constructor]]).
  unfold first_total. split; intros H.
  - destruct (first_eval true toks _ toks) as [[[T' vs] [|? ?]]|] eqn:E; try discriminate. inversion H; subst. apply (first_above _ _ _ _ _ _ K) in E.
    destruct E as [_ G]. intros E. destruct (G h [(s, IZR ms); (t, IZR mt)] E) as (f & C & Ch & _ & L & M).
    + constructor; [exact Ks | constructor; [exact Kt | constructor]].
    + intros f F0. cbn [dot point_span least_of most_of]. unfold itself. lra.
    + pose proof one_pos. cbn [dot point_span mid] in *. unfold itself in L. nra.
  - destruct (first_eval false toks _ toks) as [[[T' vs] [|? ?]]|] eqn:E; try discriminate. inversion H; subst. apply (first_below _ _ _ _ _ _ K) in E.
    destruct E as [_ [E G]]. exists E. apply (G h).
Qed.
End FirstOrder.
