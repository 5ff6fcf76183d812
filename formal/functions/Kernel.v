(** The kernel file of functions of e^(1/k) by nodes: a list of integers, read into a model and a certificate, and judged.

    A number is two lists of coefficients, that of the denominator positive at X. [src/deltachain/checker/kernel.py] writes
    such files. *)

Require Import Reals List PArith ZArith.
Require Deltachain.Kernel.
Import Deltachain.Kernel(reader, bind, give, fail, integer, number, small, flag, list_of, pair_of,
  verdict, Accepted, Rejected, Malformed).
Require Import Deltachain.functions.Products Deltachain.functions.Model Deltachain.functions.Nodes
  Deltachain.functions.Certificate Deltachain.functions.Exp Deltachain.functions.Polynomials.
Import ListNotations.
Open Scope Z_scope.

Definition version : Z := 2.

Notation "x <- p ; q" := (bind p (fun x => q)) (at level 61, p at next level, right associativity).

(** k, and in how many bits e^(1/k) is enclosed, one after the other until a sign is told. *)
Record header := { base : positive; precisions : list Z }.
Definition enclosures (h : header) : list closeness := near (Zpos (base h)) (precisions h).
Definition numbers_of (h : header) : Numbers := fractions (enclosures h).

(** X = e^(1/k) itself. *)
Definition at_exp (h : header) : Meaning (numbers_of h) :=
  fractions_mean (enclosures h) (exp (/ IZR (Zpos (base h)))) (near_inside (Zpos (base h)) (precisions h) eq_refl).

Section Body.
Variable es : list closeness.
Instance Num : Numbers := fractions es.

(** Two polynomials, the second of which is positive at X. *)
Definition fraction_reader : reader (fraction es) :=
  t <- list_of integer; b <- list_of integer;
  if is_positive es (whole es b) then give (divide es (whole es t) (whole es b)) else fail.

(** What is read is the quotient of the two. *)
Lemma fraction_reader_value x l t b r r' : inside es x -> list_of integer l = Some (t, r) -> list_of integer r = Some (b, r') ->
  forall f rest, fraction_reader l = Some (f, rest) -> value_of es x f = (peval t x / peval b x)%R.
Proof.
  intros I T B f rest. unfold fraction_reader, bind. rewrite T, B. destruct (is_positive es (whole es b)) eqn:P; [|discriminate].
  intros H. inversion H; subst. rewrite divide_value by assumption. unfold value_of. simpl.
  rewrite !Rmult_0_r, !Rplus_0_r. unfold Rdiv. rewrite Rinv_1, !Rmult_1_r. reflexivity.
Qed.

Definition entry : reader (state * num) := pair_of number fraction_reader.
Definition place_reader : reader (state * place) :=
  i <- number; a <- number; rows <- list_of (list_of entry); give (i, {| place_label := a; place_rows := rows |}).
Definition rule_reader : reader rule :=
  z <- integer;
  if z =? 0 then give Mass else if z =? 1 then give Same else if z =? 2 then give Gap else
  if z =? 4 then (c <- list_of (list_of (pair_of number number)); give (Step (map of_list c))) else fail.
Definition claim_reader : reader claim :=
  n <- number; d <- flag; v <- fraction_reader; r <- number; k <- small; rl <- rule_reader;
  give {| c_node := n; c_turned := d; c_value := v; c_rank := r; c_input := k; c_rule := rl |}.
Definition node_reader : reader (positive * node) :=
  n <- number; w <- list_of (pair_of number (pair_of fraction_reader fraction_reader)); give (n, w).
Definition statement_reader : reader statement :=
  n <- number; s <- number; t <- number; l <- fraction_reader; u <- fraction_reader;
  give {| st_node := n; st_from := s; st_to := t; st_lower := l; st_upper := u |}.
Definition certificate_reader : reader certificate :=
  au <- fraction_reader; al <- fraction_reader; mg <- list_of (pair_of number number);
  ns <- list_of node_reader; us <- list_of claim_reader; ls <- list_of claim_reader; st <- list_of statement_reader;
  give {| alpha_upper := au; alpha_lower := al; merges := mg; nodes := ns; uppers := us; lowers := ls; statements := st |}.
Definition body_reader : reader (list (state * place) * certificate) := pair_of (list_of place_reader) certificate_reader.
End Body.

Definition contents (h : header) : Type := list (state * @place (numbers_of h)) * @certificate (numbers_of h).

Definition header_reader : reader header :=
  k <- number; ps <- list_of integer; give {| base := k; precisions := ps |}.

Definition read (file : list Z) : option {h : header & contents h} :=
  match (v <- integer; if v =? version then header_reader else fail) file with
  | None => None
  | Some (h, rest) => match body_reader (enclosures h) rest with
      | Some (x, []) => Some (existT contents h x)
      | _ => None
      end
  end.

Definition judge (file : list Z) : verdict :=
  match read file with
  | None => Malformed
  | Some (existT _ h (listed, c)) =>
      match @check (numbers_of h) listed c with None => Accepted | Some (part, entry) => Rejected part entry end
  end.

(** What is accepted holds of the model in the file, with X = e^(1/k). *)
Theorem accepted_is_proved file : judge file = Accepted ->
  exists h listed c, read file = Some (existT contents h (listed, c))
    /\ forall st, In st (statements c) -> @holds (numbers_of h) (at_exp h) listed c st.
Proof.
  unfold judge. destruct (read file) as [[h [listed c]]|]; [|discriminate].
  destruct (@check (numbers_of h) listed c) as [[? ?]|] eqn:E; [discriminate|]. intros _. exists h, listed, c. split; [reflexivity|].
  apply (@sound (numbers_of h) (at_exp h)). assumption.
Qed.
