(** The kernel file: a list of integers, read into a model and a certificate, and judged.

    A list is its length and then its entries; a rational is its numerator and denominator. [src/deltachain/checker/kernel.py]
    writes such files. *)

Require Import QArith List PArith ZArith.
Require Import Deltachain.Vectors Deltachain.Model Deltachain.Distances Deltachain.Nodes Deltachain.Basis
  Deltachain.Prices Deltachain.Tree Deltachain.Recipes Deltachain.Certificate.
Import ListNotations.
Open Scope Z_scope.

Definition version : Z := 1.

Definition reader (A : Type) := list Z -> option (A * list Z).

Definition bind {A B} (p : reader A) (f : A -> reader B) : reader B :=
  fun l => match p l with Some (a, r) => f a r | None => None end.
Definition give {A} (a : A) : reader A := fun l => Some (a, l).
Definition fail {A} : reader A := fun _ => None.
Notation "x <- p ; q" := (bind p (fun x => q)) (at level 61, p at next level, right associativity).

Definition integer : reader Z := fun l => match l with [] => None | z :: r => Some (z, r) end.
Definition number : reader positive := z <- integer; match z with Zpos p => give p | _ => fail end.
Definition small : reader nat := z <- integer; if (0 <=? z) && (z <=? 100000) then give (Z.to_nat z) else fail.
Definition flag : reader bool := z <- integer; if z =? 0 then give false else if z =? 1 then give true else fail.
Definition rational : reader Q := n <- integer; d <- number; give (Qmake n d).

(** [fuel] is what is left of the file: each entry takes an integer at least. *)
Fixpoint many {A} (p : reader A) (fuel : list Z) (n : Z) (acc : list A) (l : list Z) : option (list A * list Z) :=
  if n <=? 0 then Some (rev_append acc [], l) else
  match fuel with
  | [] => None
  | _ :: fuel => match p l with Some (a, r) => many p fuel (n - 1) (a :: acc) r | None => None end
  end.
Definition list_of {A} (p : reader A) : reader (list A) := n <- integer; fun l => many p l n [] l.

Definition pair_of {A B} (p : reader A) (q : reader B) : reader (A * B) := a <- p; b <- q; give (a, b).
Definition entry : reader (state * Q) := pair_of number rational.
Definition arc : reader (state * state * Q) := pair_of (pair_of number number) rational.

Definition place_reader : reader (state * place) :=
  i <- number; a <- number; rows <- list_of (list_of entry); give (i, {| place_label := a; place_rows := rows |}).

Definition flow_reader : reader flow :=
  a <- list_of arc; e <- list_of entry; c <- list_of arc; s <- list_of entry;
  give {| arcs := a; spare := e; complement := c; shift := s |}.

Definition distance_reader : reader distance_entry :=
  s <- number; t <- number; v <- rational; f <- list_of flow_reader;
  give {| d_from := s; d_to := t; d_value := v; d_flows := f |}.

Definition price_reader : reader price_entry :=
  s <- number; t <- number; v <- rational; r <- number; k <- small; f <- list_of entry; g <- list_of entry;
  give {| p_from := s; p_to := t; p_value := v; p_rank := r; p_input := k; p_reach := f; p_start := g |}.

Definition natural : reader N := z <- integer; if 0 <=? z then give (Z.to_N z) else fail.

Definition vector_reader : reader vector_entry :=
  a <- number; l <- list_of (pair_of number number); k <- small; give {| v_label := a; v_after := l; v_input := k |}.

Definition recipe_reader : reader recipe :=
  s <- number; t <- number; z <- integer;
  k <- (if z =? 0 then (l <- list_of integer; give (TreeRecipe l)) else
        if z =? 1 then (d <- natural; x <- integer; give (LevelsRecipe d x)) else
        if z =? 2 then (g <- integer; d <- natural; give (GridRecipe g d)) else fail);
  give {| r_from := s; r_to := t; r_kind := k |}.

Definition rule_reader : reader rule :=
  z <- integer;
  if z =? 0 then give Mass else if z =? 1 then give Same else if z =? 2 then give Gap else
  if z =? 3 then (f <- flow_reader; give (Flow f)) else
  if z =? 4 then (c <- list_of (list_of (pair_of number number)); give (Step (map of_list c))) else fail.

Definition claim_reader : reader claim :=
  n <- number; d <- flag; v <- rational; r <- number; k <- small; rl <- rule_reader;
  give {| c_node := n; c_turned := d; c_value := v; c_rank := r; c_input := k; c_rule := rl |}.

Definition basis_reader : reader basis :=
  r <- list_of number; c <- list_of (list_of entry); o <- list_of rational;
  i <- list_of (pair_of number (list_of (list_of rational)));
  give {| region := r; columns := map of_list c; one := o; images := i |}.

Definition node_reader : reader (positive * node) :=
  n <- number; w <- list_of (pair_of number (pair_of rational rational)); give (n, w).

Definition statement_reader : reader statement :=
  z <- integer; n <- integer; s <- number; t <- number; l <- rational; u <- rational;
  b <- (if z =? 0 then give AboutDistance else if z =? 1 then give AboutDelta else
        match n with Zpos p => give (AboutNode p) | _ => fail end);
  give {| about := b; st_from := s; st_to := t; st_lower := l; st_upper := u |}.

Definition kind_reader : reader kind :=
  z <- integer; if z =? 0 then give Bd else if z =? 1 then give Ld else if z =? 2 then give Sd else fail.

Definition option_of {A} (p : reader A) : reader (option A) :=
  b <- flag; if b then (a <- p; give (Some a)) else give None.

Definition certificate_reader : reader certificate :=
  au <- rational; al <- rational; w <- kind_reader; kb <- number; mg <- list_of (pair_of number number);
  bs <- option_of basis_reader; ds <- list_of distance_reader; ps <- list_of price_reader; ns <- list_of node_reader;
  us <- list_of claim_reader; ls <- list_of claim_reader;
  bt <- integer; vs <- list_of vector_reader; rs <- list_of recipe_reader; st <- list_of statement_reader;
  give {| alpha_upper := au; alpha_lower := al; what := w; key_base := kb; merges := mg; trace_basis := bs;
          distances := ds; prices := ps; nodes := ns; uppers := us; lowers := ls;
          bits := bt; vectors := vs; recipes := rs; statements := st |}.

Definition file_reader : reader (list (state * place) * certificate) :=
  v <- integer; if v =? version then pair_of (list_of place_reader) certificate_reader else fail.

Definition read (file : list Z) : option (list (state * place) * certificate) :=
  match file_reader file with Some (x, []) => Some x | _ => None end.

Inductive verdict := Accepted | Rejected (part entry : Z) | Malformed.

Definition judge (file : list Z) : verdict :=
  match read file with
  | None => Malformed
  | Some (listed, c) => match check listed c with None => Accepted | Some (part, entry) => Rejected part entry end
  end.

(** What is accepted holds of the model in the file. *)
Theorem accepted_is_proved file : judge file = Accepted ->
  exists listed c, read file = Some (listed, c) /\ forall st, In st (statements c) -> holds listed c st.
Proof.
  unfold judge. destruct (read file) as [[listed c]|]; [|discriminate].
  destruct (check listed c) as [[? ?]|] eqn:E; [discriminate|]. intros _. exists listed, c. split; [reflexivity|].
  apply sound. assumption.
Qed.
