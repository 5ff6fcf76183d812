(** The program: two texts, and what is proved over the field that the certificate names; and the theorems about it. *)

Require Import List ZArith PArith Bool FMapPositive QArith Qcanon Reals.
Require Import Deltachain.covers.Fields Deltachain.covers.Numbers Deltachain.covers.Checker Deltachain.covers.Views
  Deltachain.covers.Json Deltachain.covers.Reader Deltachain.covers.Formulas Deltachain.covers.Judge Deltachain.covers.Exponential.
Import ListNotations.
Local Open Scope Z_scope.

Inductive answer := Proved (sentences : list text) | Rejected | Malformed.

(** ** Q *)

Definition model_over_Q (j : json) : option (@model Q_numbers) :=
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

Definition model_over_exp (k : positive) (j : json) : option (@model (exp_numbers k precisions)) := @read_model (exp_numbers k precisions) (exp_probability k precisions) j.
Definition over_exp (k : positive) (model certificate : json) : option (list (@item (exp_numbers k precisions))) :=
  m <- model_over_exp k model ;; @judged (exp_numbers k precisions) (read_exp k precisions) m certificate.

(** The same in R, where X is e^(1/k). *)
Theorem proved_over_exp k model certificate is : over_exp k model certificate = Some is ->
  exists m, model_over_exp k model = Some m /\ forall i, In i is -> @true_of (exp_numbers k precisions) R _ (at_exp k precisions) m i.
Proof.
  unfold over_exp. destruct (model_over_exp k model) as [m|]; [|discriminate]. intros H. exists m. split; [reflexivity|].
  apply (@judged_true (exp_numbers k precisions) (read_exp k precisions) R _ (at_exp k precisions) m certificate is H).
Qed.

(** ** The program *)

Definition is_certificate (j : json) : bool :=
  match field_of k_format j with Some (Text t) => same_text t k_certificate | _ => false end.
Definition k_base := [98;97;115;101].
Definition sentences {N : Numbers} (show : num -> text) (is : option (list item)) : answer :=
  match is with Some is => Proved (map (sentence show) is) | None => Rejected end.
Definition answer_of (model certificate : text) : answer :=
  match parse model, parse certificate with
  | Some m, Some c =>
      if is_certificate c then
        match field_of k_field c with
        | None | Some (Members []) => sentences (N := Q_numbers) show_rational (over_Q m c)
        | Some (Members [(name, v)]) =>
            if same_text name k_base then
              match place_number v with
              | Some (Zpos k) => sentences (N := exp_numbers k precisions) (show_exp k precisions) (over_exp k m c)
              | _ => Rejected
              end
            else Rejected
        | Some _ => Rejected
        end
      else Malformed
  | _, _ => Malformed
  end.
