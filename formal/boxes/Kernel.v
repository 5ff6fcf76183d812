(** The kernel file of recipes over boxes and functions of e^(1/k): read into a model and a certificate, and judged.

    A row is exact, or a box with two ends for each target and what may go elsewhere at last. Numbers are quotients of
    polynomials, as in [Deltachain.functions.Kernel]; where all are rational any k will do. *)

Require Import Reals List PArith ZArith.
Require Deltachain.Kernel.
Import Deltachain.Kernel(reader, bind, give, fail, integer, number, natural, flag, list_of, pair_of, vector_reader,
  verdict, Accepted, Rejected, Malformed).
Require Import Deltachain.functions.Products Deltachain.functions.Polynomials Deltachain.functions.Kernel
  Deltachain.boxes.Boxes Deltachain.boxes.Certificate.
Import ListNotations.
Open Scope Z_scope.

Definition version : Z := 3.

Section Body.
Variable es : list closeness.
Local Instance Num : Numbers := fractions es.
Notation fraction_reader := (fraction_reader es).

Definition row_reader : reader row :=
  b <- flag;
  if b then (l <- list_of (pair_of number (pair_of fraction_reader fraction_reader)); r <- fraction_reader;
             give (Between {| ends := l; outside := r |}))
  else (l <- list_of (pair_of number fraction_reader); give (Point l)).
Definition place_reader : reader (state * place) :=
  i <- number; a <- number; rows <- list_of row_reader; us <- list_of integer;
  give (i, {| place_label := a; place_rows := rows; units := us |}).
Definition recipe_reader : reader recipe :=
  s <- number; t <- number; z <- integer;
  k <- (if z =? 0 then (f <- flag; l <- list_of integer; give (TreeRecipe f l)) else
        if z =? 1 then (f <- flag; d <- natural; x <- integer; give (LevelsRecipe f d x)) else
        if z =? 2 then (l <- list_of integer; give (FirstRecipe l)) else fail);
  give {| r_from := s; r_to := t; r_kind := k |}.
Definition statement_reader : reader statement :=
  s <- number; t <- number; l <- fraction_reader; u <- fraction_reader;
  give {| st_from := s; st_to := t; st_lower := l; st_upper := u |}.
Definition certificate_reader : reader certificate :=
  au <- fraction_reader; al <- fraction_reader; ru <- fraction_reader; rl <- fraction_reader;
  mg <- list_of (pair_of number number); bx <- flag; bt <- integer;
  vs <- list_of vector_reader; rs <- list_of recipe_reader; st <- list_of statement_reader;
  give {| alpha_upper := au; alpha_lower := al; around_upper := ru; around_lower := rl; merges := mg; is_boxed := bx; bits := bt;
          vectors := vs; recipes := rs; statements := st |}.
Definition body_reader : reader (list (state * place) * certificate) := pair_of (list_of place_reader) certificate_reader.
End Body.

Definition contents (h : header) : Type := list (state * @place (numbers_of h)) * @certificate (numbers_of h).

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

(** What is accepted holds of every chain inside the model in the file, with X = e^(1/k). *)
Theorem accepted_is_proved file : judge file = Accepted ->
  exists h listed c, read file = Some (existT contents h (listed, c))
    /\ forall st, In st (statements c) -> @holds (numbers_of h) (at_exp h) listed c st.
Proof.
  unfold judge. destruct (read file) as [[h [listed c]]|]; [|discriminate].
  destruct (@check (numbers_of h) listed c) as [[? ?]|] eqn:E; [discriminate|]. intros _. exists h, listed, c. split; [reflexivity|].
  apply (@sound (numbers_of h) (at_exp h)). assumption.
Qed.
