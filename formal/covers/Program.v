(** The program: two texts, and what is proved over the field that the certificate names; and the theorems about it. *)

Require Import List ZArith PArith Bool FMapPositive QArith Qcanon Reals.
Require Import Deltachain.covers.Fields Deltachain.covers.Numbers Deltachain.covers.Checker Deltachain.covers.Views
  Deltachain.covers.Json Deltachain.covers.Reader Deltachain.covers.Formulas Deltachain.covers.Judge Deltachain.covers.Exponential
  Deltachain.covers.Interval.
Import ListNotations.
Local Open Scope Z_scope.

Inductive answer := Proved (sentences : list text) | Rejected | Malformed.

(** ** Q *)

Definition without_parameter (j : json) : bool := negb (isome (field_of k_parameter j)).
Definition model_over_Q (j : json) : option (@model Q_numbers) :=
  guard without_parameter j ;;
  @read_model Q_numbers (@probability Q_numbers (fun q => Some q) (fun q => if Qeq_bool q 0 then Some 1%Q else None) None None) j.
Definition over_Q (model certificate : json) : option (list (@item Q_numbers)) :=
  m <- model_over_Q model ;; @judged Q_numbers (read_rational false) m certificate.

(** Each item says what is true of the chain that was read, in Qc: no axiom. *)
Theorem proved_over_Q model certificate is : over_Q model certificate = Some is ->
  exists m, model_over_Q model = Some m /\ forall i, In i is -> @true_of Q_numbers Qc _ _ m i.
Proof.
  unfold over_Q. destruct (model_over_Q model) as [m|]; [|discriminate]. intros H. exists m. split; [reflexivity|].
  apply (@judged_true Q_numbers (read_rational false) Qc _ _ m certificate is H).
Qed.

(** ** Q(e^(1/k)) *)

Definition precisions : list Z := [128; 512; 4096; 32768].

Definition model_over_exp (k : positive) (j : json) : option (@model (exp_numbers k precisions)) :=
  guard without_parameter j ;; @read_model (exp_numbers k precisions) (exp_probability k precisions) j.
Definition over_exp (k : positive) (model certificate : json) : option (list (@item (exp_numbers k precisions))) :=
  m <- model_over_exp k model ;; @judged (exp_numbers k precisions) (read_exp k precisions) m certificate.

(** The same in R, where X is e^(1/k). *)
Theorem proved_over_exp k model certificate is : over_exp k model certificate = Some is ->
  exists m, model_over_exp k model = Some m /\ forall i, In i is -> @true_of (exp_numbers k precisions) R _ (at_exp k precisions) m i.
Proof.
  unfold over_exp. destruct (model_over_exp k model) as [m|]; [|discriminate]. intros H. exists m. split; [reflexivity|].
  apply (@judged_true (exp_numbers k precisions) (read_exp k precisions) R _ (at_exp k precisions) m certificate is H).
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
Definition value_of_u (u : interval) (x : R) (X : values_of u x) : Meaning (functions_of u) R := at_every _ _ _ _ x X.
(** The model's own interval must hold the one of the certificate. *)
Definition fits (u : interval) (j : json) : bool :=
  match (p <- field_of k_parameter j ;; read_ends true p) with
  | Some (name, a, b) => same_text name (name_of_u u) && Qle_bool a (from_u u) && Qle_bool (to_u u) b
  | None => false
  end.
Definition model_over_u (u : interval) (j : json) : option (@model (functions_of u)) :=
  guard fits u j ;; @read_model (functions_of u) (probability_on (from_u u) (to_u u) (closed_from u) (closed_to u) (name_of_u u)) j.
Definition over_u (u : interval) (model certificate : json) : option (list (@item (functions_of u))) :=
  m <- model_over_u u model ;; @judged (functions_of u) (read_on (from_u u) (to_u u) (closed_from u) (closed_to u)) m certificate.

(** One certificate, and what it says is true at every value. *)
Theorem proved_over_u u model certificate is : over_u u model certificate = Some is ->
  exists m, model_over_u u model = Some m /\ forall x (X : values_of u x) i, In i is -> @true_of (functions_of u) R _ (value_of_u u x X) m i.
Proof.
  unfold over_u. destruct (model_over_u u model) as [m|]; [|discriminate]. intros H. exists m. split; [reflexivity|]. intros x X.
  apply (@judged_true (functions_of u) (read_on (from_u u) (to_u u) (closed_from u) (closed_to u)) R _ (value_of_u u x X) m certificate is H).
Qed.

(** ** The program *)

Definition is_certificate (j : json) : bool :=
  match field_of k_format j with Some (Text t) => same_text t k_certificate | _ => false end.
Definition k_base := [98;97;115;101]. Definition k_closed := [99;108;111;115;101;100].
Definition sentences {N : Numbers} (show : num -> text) (where_ : text) (is : option (list item)) : answer :=
  match is with Some is => Proved (map (fun i => sentence show i ++ where_) is) | None => Rejected end.
Definition read_interval (p : json) (closed : option json) : option interval :=
  e <- read_ends false p ;;
  ends <- match closed with None => Some (false, false) | Some (Items [Truth a; Truth b]) => Some (a, b) | Some _ => None end ;;
  let '(name, a, b) := e in
  guard negb (Qle_bool b a) ;;
  Some {| name_of_u := name; from_u := a; to_u := b; closed_from := fst ends; closed_to := snd ends |}.
(** What X is in the numbers that are said. *)
Definition powers_of_e (k : positive) : text := [44;32;105;110;32;112;111;119;101;114;115;32;111;102;32;101;120;112;40;49;47] ++ decimal (Zpos k) ++ [41].
Definition for_every (u : interval) : text :=
  [44;32;105;110;32;112;111;119;101;114;115;32;111;102;32] ++ printable (name_of_u u) ++ [44;32;97;116;32;101;118;101;114;121;32] ++ printable (name_of_u u) ++ [32;102;114;111;109;32] ++ show_rational (from_u u)
    ++ [32;116;111;32] ++ show_rational (to_u u) ++ (if closed_from u then [] else [44;32;119;105;116;104;111;117;116;32;116;104;101;32;102;105;114;115;116]) ++ (if closed_to u then [] else [44;32;119;105;116;104;111;117;116;32;116;104;101;32;108;97;115;116]).
Definition answer_over (field : option json) (m c : json) : answer :=
  let every_u p closed :=
    match read_interval p closed with
    | Some u => sentences (N := functions_of u) (show_on (from_u u) (to_u u) (closed_from u) (closed_to u)) (for_every u) (over_u u m c)
    | None => Rejected end in
  match field with
  | None | Some (Members []) => sentences (N := Q_numbers) show_rational [] (over_Q m c)
  | Some (Members [(name, v)]) =>
      if same_text name k_base then
        match place_number v with
        | Some (Zpos k) => sentences (N := exp_numbers k precisions) (show_exp k precisions) (powers_of_e k) (over_exp k m c)
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
