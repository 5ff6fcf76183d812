(** A certificate about a model, judged over any numbers; the theorem about it; and what is said. *)

Require Import List ZArith PArith Bool FMapPositive.
Require Import Deltachain.Fields Deltachain.Cover Deltachain.Numbers Deltachain.Checker Deltachain.Distances Deltachain.Pairs Deltachain.Views
  Deltachain.Json Deltachain.Reader.
Import ListNotations.
Local Open Scope Z_scope.

(** ** Over any numbers *)

Section Judge.
Context {N : Numbers}.
Variable read : json -> option num.
Variable read_probability : json -> option num.

Record item := { i_view : option text; i_coarser : list (label * label); i_names : list text; i_alpha : num * num; i_said : conclusion }.

Fixpoint same_states (m : model) (names : list text) (l : list state) : bool :=
  match names, l with
  | [], [] => true
  | t :: r, s :: r' => match M.find (code t) (m_names m) with Some s' => Pos.eqb s s' && same_states m r r' | None => false end
  | _, _ => false
  end.
Definition named (m : model) (i : item) : bool := same_states m (i_names i) (states_of (i_said i)).
Lemma same_states_spec m names : forall l, same_states m names l = true -> map (fun t => M.find (code t) (m_names m)) names = map Some l.
Proof.
  induction names as [|t r IH]; intros [|s l]; simpl; try discriminate; [reflexivity|]. destruct (M.find (code t) (m_names m)) as [s'|]; [|discriminate].
  intros H. apply andb_prop in H. destruct H as [A B]. apply Pos.eqb_eq in A. rewrite A, (IH l B). reflexivity.
Qed.

Definition same_view (a b : option text) : bool :=
  match a, b with None, None => true | Some x, Some y => same_text x y | _, _ => false end.
Definition view_of (j : json) : option (option text) :=
  match field_of k_view j with None => Some None | Some Null => Some None | Some (Text t) => Some (Some t) | Some _ => None end.

(** All that is concluded in one view. *)
Definition judged_view (extensions : list text) (m : model) (au al : num) (claims : list (Z * json)) (e : option text * json) : option (list item) :=
  coarser <- read_coarser (snd e) ;;
  f <- read_frame read m coarser (snd e) ;;
  parts <- read_parts read f au al (snd e) ;;
  let mine := filter (fun c => match view_of (snd c) with Some v => same_view v (fst e) | None => false end) claims in
  let table := of_list (fst parts) in
  let lower_table := of_list (snd parts) in
  (* Distances are checked where a claim is about one. *)
  ch <- (if existsb (fun c => is_distance (snd c)) mine then d <- field_of k_distances (snd e) ;; d <- read_distances read f au (snd e) d ;; Some (Some d) else Some None) ;;
  cs <- every (fun c => read_conclusions read f au al extensions m table lower_table ch (fst c) (snd c)) mine ;;
  let w := {| source := relabelled coarser (m_listed m); target := f_target f; first := f_blocks f;
              claims := fst parts ++ flat_map fst cs; lowers := snd parts; chosen := ch |} in
  let is := flat_map (fun c => map (fun x => {| i_view := fst e; i_coarser := coarser; i_names := fst x; i_alpha := (au, al); i_said := snd x |}) (snd c)) cs in
  guard all_proved w au al (map i_said is) && forallb (named m) is ;;
  Some is.

Definition read_alpha (j : json) : option (num * num) :=
  match field_of k_alpha j with
  | None => Some (n1, n1)
  | Some (Members _ as a) => u <- (x <- field_of k_upper a ;; read x) ;; l <- (x <- field_of k_lower a ;; read x) ;; Some (u, l)
  | Some a => a <- read a ;; Some (a, a)
  end.
Definition judged (about : json -> bool) (m : model) (certificate : json) : option (list item) :=
  alpha <- read_alpha certificate ;;
  guard negb (isome (field_of k_labels certificate)) ;;
  views <- match field_of k_views certificate with None => Some [] | Some v => members v end ;;
  claims <- (c <- field_of k_proves certificate ;; items c) ;;
  let all := (None, certificate) :: map (fun v => (Some (fst v), snd v)) views in
  guard match claims with [] => false | _ => true end
    && forallb (fun c => match view_of c with Some v => existsb (fun w => same_view v (fst w)) all | None => false end) claims ;;
  extensions <- (l <- part k_extensions certificate ;; every textual l) ;;
  guard forallb (fun t => existsb (same_text t) [k_distances; k_measures; k_parts]) extensions ;;
  found <- every (judged_view extensions m (fst alpha) (snd alpha) (filter (fun c => about (snd c)) (numbered 0 claims))) all ;;
  Some (concat found).

Context {F : Type} {OF : OrderedField F} {V : Meaning N F}.

(** What an item says of the model. *)
Definition true_of (m : model) (i : item) : Prop :=
  let l := relabelled (i_coarser i) (m_listed m) in
  map (fun t => M.find (code t) (m_names m)) (i_names i) = map Some (states_of (i_said i))
  /\ stochastic (seen l)
  /\ holds_of l (value (fst (i_alpha i))) (value (snd (i_alpha i))) (i_said i).

Lemma every_in {A B} (f : A -> option B) l : forall r, every f l = Some r -> forall y, In y r -> exists x, In x l /\ f x = Some y.
Proof.
  induction l as [|x l IH]; simpl; intros r H y I; [inversion H; subst; destruct I|].
  destruct (f x) as [z|] eqn:E; [|discriminate]. destruct (every f l) as [zs|]; [|discriminate]. inversion H; subst.
  destruct I as [<-|I]; [exists x; auto|]. destruct (IH zs eq_refl y I) as (x' & I' & E'). exists x'. auto.
Qed.

Theorem judged_true about m certificate is : judged about m certificate = Some is -> forall i, In i is -> true_of m i.
Proof.
  unfold judged. destruct (read_alpha certificate) as [[au al]|]; [|discriminate]. destruct (negb _); [|discriminate].
  destruct (match field_of k_views certificate with None => _ | Some v => _ end) as [views|]; [|discriminate].
  destruct (match field_of k_proves certificate with Some x => _ | None => None end) as [claims|]; [|discriminate].
  destruct (_ && _); [|discriminate].
  destruct (match part k_extensions certificate with Some x => _ | None => None end) as [extensions|]; [|discriminate]. destruct (forallb _ extensions); [|discriminate]. set (all := (None, certificate) :: _). clearbody all. simpl fst. simpl snd.
  destruct (every _ all) as [found|] eqn:Ev; [|discriminate]. intros H. inversion H; subst. intros i Ii.
  apply in_concat in Ii. destruct Ii as (l & Il & Ii). destruct (every_in _ _ _ Ev l Il) as (e & _ & J). clear - J Ii.
  unfold judged_view in J. destruct (read_coarser (snd e)) as [coarser|]; [|discriminate].
  destruct (read_frame read m coarser (snd e)) as [f|]; [|discriminate]. destruct (read_parts read f au al (snd e)) as [parts|]; [|discriminate].
  destruct (if existsb _ _ then _ else _) as [ch|]; [|discriminate].
  destruct (every _ _) as [cs|]; [|discriminate].
  match type of J with (if all_proved ?w0 au al _ && _ then _ else _) = _ => set (w := w0) in * end.
  match type of J with (if _ && forallb _ ?l0 then _ else _) = _ => set (is := l0) in * end.
  destruct (all_proved w au al (map i_said is) && forallb (named m) is) eqn:G; [|discriminate]. inversion J; subst l. apply andb_prop in G. destruct G as [Ok All].
  rewrite forallb_forall in All. specialize (All i Ii). unfold named in All. apply same_states_spec in All.
  assert (Ic : i_coarser i = coarser /\ i_alpha i = (au, al)).
  { unfold is in Ii. apply in_flat_map in Ii. destruct Ii as (c & _ & Ii). apply in_map_iff in Ii. destruct Ii as (x & <- & _). auto. }
  destruct Ic as [Ic Ia]. unfold true_of. rewrite Ic, Ia. cbn [fst snd]. split; [exact All|].
  destruct (all_hold w au al _ Ok) as [St Ho]. split; [exact St | apply Ho, in_map, Ii].
Qed.
End Judge.

(** ** What is said *)

(** Names may hold line breaks, and must not forge another line. *)
Definition printable (t : text) : text := flat_map (fun c => if (c <? 32) || (c =? 127) then [63] else [c]) t.
Section Sentences.
Context {N : Numbers}.
Variable show : num -> text.
Definition sentence (i : item) : text :=
  let list_of l := match l with [] => [] | t :: r => t ++ flat_map (fun t => [44; 32] ++ t) r end in
  let pair := [40] ++ list_of (map printable (i_names i)) ++ [41] in
  let view := match i_view i with Some v => [32;115;101;101;110;32;116;104;114;111;117;103;104;32] ++ printable v | None => [] end in
  let at_alpha := [32;97;116;32;101;120;112;95;101;112;115;105;108;111;110;32] ++
    (let (u, l) := i_alpha i in if neq u l then show u else show u ++ [32;116;111;32] ++ show l) in
  let delta := [100;101;108;116;97] ++ pair ++ view in
  let ratio := [114;97;116;105;111] ++ pair ++ view in
  let bound (b : bool * bool * num) := let '(above, strict, v) := b in
    (if above : bool then (if strict : bool then [32;60;32] else [32;60;61;32]) else if strict : bool then [32;62;32] else [32;62;61;32]) ++ show v in
  let distance what (merged traces : bool) b := match what with Bd => k_bd | Ld => k_ld | Sd => k_sd end ++ pair ++ view
    ++ (if merged then [32;111;102;32;116;104;101;32;109;101;114;103;101;100;32;99;104;97;105;110] else []) ++ (if traces then [32;117;112;32;116;111;32;116;114;97;99;101;115] else [])
    ++ bound b ++ at_alpha in
  match i_said i with
  | DeltaByEnds _ _ bounds _ => delta ++ list_of (map bound bounds) ++ at_alpha
  | TradeOff _ _ corners _ => k_tradeoff ++ pair ++ view ++ [44;32] ++ k_corners ++ [32] ++ list_of (map (fun c : num * num => [40] ++ show (fst c) ++ [44;32] ++ show (snd c) ++ [41]) corners)
  | DistanceAtMost what merged traces _ _ v strict => distance what merged traces (true, strict, v)
  | DistanceAtLeast what merged traces _ _ v strict => distance what merged traces (false, strict, v)
  | GuessBetween _ prior gains lower upper _ =>
      let row r := [91] ++ list_of (map show r) ++ [93] in
      show lower ++ [32;60;61;32;103;117;101;115;115] ++ pair ++ view ++ match upper with Some u => [32;60;61;32] ++ show u | None => [] end
      ++ [44;32;112;114;105;111;114;32] ++ row prior ++ [44;32;103;97;105;110;115;32] ++ list_of (map row gains)
  | DeltaAtMost _ _ v strict _ => delta ++ bound (true, strict, v) ++ at_alpha
  | DeltaAtLeast _ _ v strict _ _ => delta ++ bound (false, strict, v) ++ at_alpha
  | RatioAtMost _ _ v _ => ratio ++ [32;60;61;32] ++ show v
  | RatioAtLeast _ _ v _ _ => ratio ++ [32;62;61;32] ++ show v
  | RatioInfinite _ _ d _ _ => ratio ++ [32;105;115;32;105;110;102;105;110;105;116;101] ++
      match d with Some d => [44;32;100;101;108;116;97;32;62;61;32] ++ show d ++ [32;97;116;32;101;118;101;114;121;32;101;120;112;95;101;112;115;105;108;111;110] | None => [] end
  end.
End Sentences.

