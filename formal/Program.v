(** The program: two texts, and what is proved over the field that the certificate names; and the theorems about it. *)

Require Import List ZArith PArith Bool FMapPositive QArith Qcanon Reals.
Require Import Deltachain.Fields Deltachain.Numbers Deltachain.Checker Deltachain.Views
  Deltachain.Json Deltachain.Reader Deltachain.Formulas Deltachain.Judge Deltachain.Quotients
  Deltachain.Exponential Deltachain.Interval.
Import ListNotations.
Local Open Scope Z_scope.

Inductive answer := Proved (sentences : list text) | Rejected | Malformed.

(** ** Q *)

Definition without_parameter (j : json) : bool := negb (isome (field_of k_parameter j)).
(** Without a parameter, no claim is about a part of its values. *)
Definition without_parts (certificate : json) : bool :=
  match (c <- field_of k_proves certificate ;; items c) with Some l => forallb (fun c => negb (of_a_part_alone c)) l | None => false end.
Definition model_over_Q (j : json) : option (@model Q_numbers) :=
  guard without_parameter j ;;
  @read_model Q_numbers (@probability Q_numbers (fun q => Some q) (fun q => if Qeq_bool q 0 then Some 1%Q else None) None None) j.
Definition over_Q (model certificate : json) : option (list (@item Q_numbers)) :=
  guard without_parts certificate ;; m <- model_over_Q model ;; @judged Q_numbers (read_rational false) (fun _ => true) m certificate.

(** Each item says what is true of the chain that was read, in Qc: no axiom. *)
Theorem proved_over_Q model certificate is : over_Q model certificate = Some is ->
  exists m, model_over_Q model = Some m /\ forall i, In i is -> @true_of Q_numbers Qc _ _ m i.
Proof.
  unfold over_Q. destruct (without_parts certificate); [|discriminate]. destruct (model_over_Q model) as [m|]; [|discriminate]. intros H. exists m. split; [reflexivity|].
  apply (@judged_true Q_numbers (read_rational false) Qc _ _ _ m certificate is H).
Qed.

(** ** Q(e^(1/k)) *)

Definition precisions : list Z := [128; 512; 4096; 32768].

Definition enclosures (k : positive) : list closeness := near (Zpos k) precisions.
Definition model_over_exp (k : positive) (es : list closeness) (j : json) : option (@model (exp_numbers es)) :=
  guard without_parameter j ;; @read_model (exp_numbers es) (exp_probability k es) j.
Definition over_exp (k : positive) (es : list closeness) (model certificate : json) : option (list (@item (exp_numbers es))) :=
  guard without_parts certificate ;; m <- model_over_exp k es model ;; @judged (exp_numbers es) (read_exp es) (fun _ => true) m certificate.

(** The same in R, where X is e^(1/k). *)
Theorem proved_over_exp k model certificate is : over_exp k (enclosures k) model certificate = Some is ->
  exists m, model_over_exp k (enclosures k) model = Some m /\ forall i, In i is -> @true_of (exp_numbers (enclosures k)) R _ (at_exp k precisions) m i.
Proof.
  unfold over_exp. destruct (without_parts certificate); [|discriminate]. destruct (model_over_exp k (enclosures k) model) as [m|]; [|discriminate]. intros H. exists m. split; [reflexivity|].
  apply (@judged_true (exp_numbers (enclosures k)) (read_exp (enclosures k)) R _ (at_exp k precisions) _ m certificate is H).
Qed.

(** ** Q(u), for every u of an interval *)

Record interval := { name_of_u : text; from_u : Q; to_u : Q; closed_from : bool; closed_to : bool }.
Definition read_ends (decimals : bool) (j : json) : option (text * Q * Q) :=
  match j with
  | Members [(name, Items [a; b])] => a <- read_rational decimals a ;; b <- read_rational decimals b ;; Some (name, a, b)
  | _ => None
  end.
Definition functions_of (u : interval) : Numbers := functions_on (from_u u) (to_u u) (closed_from u) (closed_to u).
Definition values_of (u : interval) : R -> Prop := within (from_u u) (to_u u) (closed_from u) (closed_to u).
Definition value_of_u (u : interval) (x : R) (X : values_of u x) : Meaning (functions_of u) R := at_value _ _ _ _ x X.
(** The model's own interval must hold the one of the certificate. *)
Definition fits (u : interval) (j : json) : bool :=
  match (p <- field_of k_parameter j ;; read_ends true p) with
  | Some (name, a, b) => same_text name (name_of_u u) && Qle_bool a (from_u u) && Qle_bool (to_u u) b
  | None => false
  end.
Definition model_over_u (u : interval) (j : json) : option (@model (functions_of u)) :=
  guard fits u j ;; @read_model (functions_of u) (probability_on (from_u u) (to_u u) (closed_from u) (closed_to u) (name_of_u u)) j.
(** Claims about the whole interval, or about one part of it, which is an interval of its own. *)
Definition over_u (about : json -> bool) (u : interval) (model certificate : json) : option (list (@item (functions_of u))) :=
  m <- model_over_u u model ;; @judged (functions_of u) (read_on (from_u u) (to_u u) (closed_from u) (closed_to u)) about m certificate.

(** One certificate, and what it says is true at every value. *)
Theorem proved_over_u about u model certificate is : over_u about u model certificate = Some is ->
  exists m, model_over_u u model = Some m /\ forall x (X : values_of u x) i, In i is -> @true_of (functions_of u) R _ (value_of_u u x X) m i.
Proof.
  unfold over_u. destruct (model_over_u u model) as [m|]; [|discriminate]. intros H. exists m. split; [reflexivity|]. intros x X.
  apply (@judged_true (functions_of u) (read_on (from_u u) (to_u u) (closed_from u) (closed_to u)) R _ (value_of_u u x X) _ m certificate is H).
Qed.

(** ** The program *)

Definition is_certificate (j : json) : bool :=
  match field_of k_format j with Some (Text t) => same_text t k_certificate | _ => false end.
Definition k_base := [98;97;115;101]. Definition k_closed := [99;108;111;115;101;100].
Definition said {N : Numbers} (show : num -> text) (where_ : text) (is : list item) : list text := map (fun i => sentence show i ++ where_) is.
Definition sentences {N : Numbers} (show : num -> text) (where_ : text) (is : option (list item)) : answer :=
  match is with Some is => Proved (said show where_ is) | None => Rejected end.
Definition read_interval (p : json) (closed : option json) : option interval :=
  e <- read_ends false p ;;
  ends <- match closed with None => Some (false, false) | Some (Items [Truth a; Truth b]) => Some (a, b) | Some _ => None end ;;
  let '(name, a, b) := e in
  guard negb (Qle_bool b a) ;;
  Some {| name_of_u := name; from_u := a; to_u := b; closed_from := fst ends; closed_to := snd ends |}.
(** The part that a claim names: its ends are left out where it says so, or where the whole interval does. *)
Definition part_of (whole : interval) (j : json) : option interval :=
  if of_a_part_alone j then
    low <- match field_of k_from j, field_of k_after j with
           | Some a, None => a <- read_rational false a ;; Some (a, true) | None, Some a => a <- read_rational false a ;; Some (a, false) | _, _ => None end ;;
    high <- match field_of k_to j, field_of k_before j with
            | Some b, None => b <- read_rational false b ;; Some (b, true) | None, Some b => b <- read_rational false b ;; Some (b, false) | _, _ => None end ;;
    let '(a, first) := low in let '(b, last) := high in
    let first := first && (closed_from whole || negb (Qle_bool a (from_u whole))) in
    let last := last && (closed_to whole || negb (Qle_bool (to_u whole) b)) in
    guard Qle_bool (from_u whole) a && Qle_bool b (to_u whole) && (negb (Qle_bool b a) || Qle_bool a b && first && last) ;;
    Some {| name_of_u := name_of_u whole; from_u := a; to_u := b; closed_from := first; closed_to := last |}
  else Some whole.
Definition same_part (u v : interval) : bool :=
  Qeq_bool (from_u u) (from_u v) && Qeq_bool (to_u u) (to_u v) && eqb (closed_from u) (closed_from v) && eqb (closed_to u) (closed_to v).
Definition parts_of (whole : interval) (certificate : json) : option (list interval) :=
  l <- (c <- field_of k_proves certificate ;; items c) ;; us <- every (part_of whole) l ;;
  Some (fold_right (fun u us => if existsb (same_part u) us then us else u :: us) [] us).
Definition about_part (whole u : interval) (j : json) : bool := match part_of whole j with Some v => same_part u v | None => false end.
(** What X is in the numbers that are said. *)
Definition powers_of_e (k : positive) : text := [44;32;105;110;32;112;111;119;101;114;115;32;111;102;32;101;120;112;40;49;47] ++ decimal (Zpos k) ++ [41].
Definition for_every (u : interval) : text :=
  [44;32;105;110;32;112;111;119;101;114;115;32;111;102;32] ++ printable (name_of_u u) ++ [44;32;97;116;32;101;118;101;114;121;32] ++ printable (name_of_u u) ++ [32;102;114;111;109;32] ++ show_rational (from_u u)
    ++ [32;116;111;32] ++ show_rational (to_u u) ++ (if closed_from u then [] else [44;32;119;105;116;104;111;117;116;32;116;104;101;32;102;105;114;115;116]) ++ (if closed_to u then [] else [44;32;119;105;116;104;111;117;116;32;116;104;101;32;108;97;115;116]).
Definition answer_over (field : option json) (m c : json) : answer :=
  let every_u p closed :=
    match read_interval p closed with
    | Some whole =>
        match (guard fits whole m ;; us <- parts_of whole c ;; every (fun u => is <- over_u (about_part whole u) u m c ;;
                 Some (said (N := functions_of u) (show_on (from_u u) (to_u u) (closed_from u) (closed_to u)) (for_every u) is)) us) with
        | Some said => Proved (concat said)
        | None => Rejected
        end
    | None => Rejected end in
  match field with
  | None | Some (Members []) => sentences (N := Q_numbers) show_rational [] (over_Q m c)
  | Some (Members [(name, v)]) =>
      if same_text name k_base then
        match place_number v with
        | Some (Zpos k) => let es := enclosures k in sentences (N := exp_numbers es) (show_exp es) (powers_of_e k) (over_exp k es m c)
        | _ => Rejected
        end
      else if same_text name k_parameter then every_u v None else Rejected
  | Some (Members [_; _] as f) => match field_of k_parameter f, field_of k_closed f with Some p, Some closed => every_u p (Some closed) | _, _ => Rejected end
  | Some _ => Rejected
  end.
Definition answer_of (model certificate : text) : answer :=
  match parse model, parse certificate with
  | Some m, Some c => if is_certificate c then answer_over (field_of k_field c) m c else Malformed
  | _, _ => Malformed
  end.
