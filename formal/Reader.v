(** Models and certificates out of JSON. What is read as the model and the claims is part of what the theorem says; everything
    else (covers, sizes, ranks, factors) is a proposal, which the checker accepts or not. *)

Require Import List ZArith PArith Bool FMapPositive.
Require Import Deltachain.Fields Deltachain.Numbers Deltachain.Checker Deltachain.Exact Deltachain.Growth Deltachain.Distances Deltachain.Pairs Deltachain.Views Deltachain.Json.
Require Import Deltachain.Sort.
Import ListNotations.
Local Open Scope Z_scope.

Notation "x <- a ;; b" := (match a with Some x => b | None => None end) (at level 61, a at next level, right associativity).
Notation "'guard' a ;; b" := (if a then b else None) (at level 61, right associativity).
Fixpoint every {A B} (f : A -> option B) (l : list A) : option (list B) :=
  match l with [] => Some [] | x :: r => y <- f x ;; ys <- every f r ;; Some (y :: ys) end.
Fixpoint numbered {A} (n : Z) (l : list A) : list (Z * A) := match l with [] => [] | x :: r => (n, x) :: numbered (n + 1) r end.
Definition isome {A} (o : option A) : bool := match o with Some _ => true | None => false end.

(** ASCII *)
Definition k_format := [102;111;114;109;97;116]. Definition k_states := [115;116;97;116;101;115].
Definition k_label := [108;97;98;101;108]. Definition k_to := [116;111]. Definition k_on := [111;110].
Definition k_rest := [114;101;115;116]. Definition k_counts := [99;111;117;110;116;115].
Definition k_parameter := [112;97;114;97;109;101;116;101;114].
Definition k_chain := [100;101;108;116;97;99;104;97;105;110;46;99;104;97;105;110;47;49].
Definition k_certificate := [100;101;108;116;97;99;104;97;105;110;46;99;101;114;116;105;102;105;99;97;116;101;47;50].
Definition k_model := [109;111;100;101;108]. Definition k_field := [102;105;101;108;100]. Definition k_alpha := [97;108;112;104;97].
Definition k_upper := [117;112;112;101;114]. Definition k_lower := [108;111;119;101;114]. Definition k_below := [98;101;108;111;119].
Definition k_above := [97;98;111;118;101]. Definition k_views := [118;105;101;119;115]. Definition k_view := [118;105;101;119].
Definition k_proves := [112;114;111;118;101;115]. Definition k_labels := [108;97;98;101;108;115]. Definition k_merge := [109;101;114;103;101].
Definition k_unseen := [117;110;115;101;101;110]. Definition k_claims := [99;108;97;105;109;115]. Definition k_claim := [99;108;97;105;109].
Definition k_beliefs := [98;101;108;105;101;102;115]. Definition k_graph := [103;114;97;112;104]. Definition k_values := [118;97;108;117;101;115].
Definition k_step := [115;116;101;112]. Definition k_now := [110;111;119]. Definition k_of := [111;102]. Definition k_eta := [101;116;97].
Definition k_delta := [100;101;108;116;97]. Definition k_ratio := [114;97;116;105;111]. Definition k_pair := [112;97;105;114].
Definition k_node := [110;111;100;101]. Definition k_covers := [99;111;118;101;114;115]. Definition k_words := [119;111;114;100;115].
Definition k_first := [102;105;114;115;116]. Definition k_infinity := [105;110;102;105;110;105;116;121]. Definition k_class := [99;108;97;115;115].

Definition k_guess := [103;117;101;115;115]. Definition k_secrets := [115;101;99;114;101;116;115]. Definition k_prior := [112;114;105;111;114]. Definition k_gains := [103;97;105;110;115]. Definition k_guesses := [103;117;101;115;115;101;115]. Definition k_visits := [118;105;115;105;116;115]. Definition k_start := [115;116;97;114;116]. Definition k_from := [102;114;111;109]. Definition k_extensions := [101;120;116;101;110;115;105;111;110;115]. Definition k_measures := [109;101;97;115;117;114;101;115].

Definition k_distances := [100;105;115;116;97;110;99;101;115].
Definition k_kind := [107;105;110;100].
Definition k_prices := [112;114;105;99;101;115].
Definition k_tradeoff := [116;114;97;100;101;111;102;102].
Definition k_corners := [99;111;114;110;101;114;115].
Definition k_nodes := [110;111;100;101;115].
Definition k_pairs := [112;97;105;114;115].
Definition k_all := [97;108;108].
Definition k_bd := [98;100].
Definition k_ld := [108;100].
Definition k_sd := [115;100].
Definition k_parts := [112;97;114;116;115].
Definition k_after := [97;102;116;101;114].
Definition k_before := [98;101;102;111;114;101].
Definition k_prefix := [112;114;101;102;105;120].
Definition k_cycle := [99;121;99;108;101].
Definition k_vector := [118;101;99;116;111;114].
Definition k_factor := [102;97;99;116;111;114].
Definition k_one := [111;110;101].
Definition k_matrix := [109;97;116;114;105;120].
Definition k_sizes := [115;105;122;101;115].
Definition k_rate := [114;97;116;101].
Definition k_more := [109;111;114;101].
Definition k_less := [108;101;115;115].
Definition k_growth := [103;114;111;119;116;104].
Definition k_decay := [100;101;99;97;121].
Definition k_times := [116;105;109;101;115].
Definition k_feeds := [102;101;101;100;115].

Definition field_of (k : text) (j : json) : option json := match j with Members l => member k l | _ => None end.
Definition items (j : json) : option (list json) := match j with Items l => Some l | _ => None end.
Definition members (j : json) : option (list (text * json)) := match j with Members l => Some l | _ => None end.
Definition textual (j : json) : option text := match j with Text t => Some t | _ => None end.
Definition part (k : text) (j : json) : option (list json) := match field_of k j with Some v => items v | None => Some [] end.
(** A number of an entry: digits alone. *)
Definition place_number (j : json) : option Z :=
  match j with Number (c :: t) => let '(v, n, r) := digits_of (c :: t) 0 0 in match r with [] => Some v | _ => None end | _ => None end.

(** The input where there is no choice: no text has this code. *)
Definition no_input : positive := 2.

(** A part of the interval of a parameter. *)
Definition of_a_part_alone (j : json) : bool := existsb (fun k => isome (field_of k j)) [k_from; k_after; k_to; k_before].
Definition of_a_part (j : json) : bool := isome (field_of k_visits j) || of_a_part_alone j.

Section Reader.
Context {N : Numbers}.
(** Numbers of a certificate, and those of a model, which may be decimals or formulas. *)
Variable read : json -> option num.
Variable read_probability : json -> option num.
Notation nvec := (list (positive * num)).
Notation names := (M.t positive).

Definition find_name (known : names) (j : json) : option positive := t <- textual j ;; M.find (code t) known.
Definition sort_keys {A} (l : list (positive * A)) : list (positive * A) := sort (fun a b => Pos.leb (fst a) (fst b)) l.
Fixpoint all_distinct (l : list positive) (seen : M.t unit) : bool :=
  match l with [] => true | i :: r => match M.find i seen with Some _ => false | None => all_distinct r (M.add i tt seen) end end.
Definition distinct_keys {A} (l : list (positive * A)) : bool := all_distinct (map fst l) (M.empty unit).

(** ** Models *)

Definition is_zero_number (j : json) : bool := match read_probability j with Some v => neq v n0 | None => false end.
Definition no_rest (l : list (text * json)) : bool := match member k_rest l with Some r => is_zero_number r | None => true end.
Definition read_row (known : names) (j : json) : option nvec :=
  l <- members j ;;
  guard match member k_counts l with Some (Members _) => false | _ => true end ;;
  l <- match member k_to l with Some (Members l') => guard no_rest l ;; Some l' | _ => Some l end ;;
  every (fun e => i <- M.find (code (fst e)) known ;; p <- read_probability (snd e) ;; Some (i, p)) l.
Definition read_state (known : names) (e : text * json) : option (positive * place) :=
  i <- M.find (code (fst e)) known ;;
  l <- members (snd e) ;;
  guard no_rest l && negb (isome (member k_counts l)) ;;
  label <- (a <- member k_label l ;; textual a) ;;
  rows <- match member k_to l, member k_on l with
          | Some r, None => row <- read_row known r ;; Some [(no_input, row)]
          | None, Some o => by_input <- members o ;;
              rows <- every (fun e => row <- read_row known (snd e) ;; Some (code (fst e), row)) by_input ;; Some (sort_keys rows)
          | _, _ => None
          end ;;
  Some (i, {| place_label := code label; place_rows := rows |}).

Record model := { m_texts : list text; m_names : names; m_listed : listing }.
Fixpoint name_all (n : positive) (l : list (text * json)) (known : names) : names * positive :=
  match l with [] => (known, n) | (t, _) :: r => name_all (Pos.succ n) r (M.add (code t) n known) end.
(** The native format: `states`, each with a `label`, and `to` a row or `on` a row for each input. *)
Definition read_model (j : json) : option model :=
  f <- field_of k_format j ;; f <- textual f ;; guard same_text f k_chain ;;
  l <- (s <- field_of k_states j ;; members s) ;;
  let known := fst (name_all 3 l (M.empty positive)) in
  listed <- every (read_state known) l ;;
  guard match l with [] => false | _ => true end ;;
  Some {| m_texts := map fst l; m_names := known; m_listed := listed |}.

(** The labels that the observer of a view does not tell apart. *)
Definition read_coarser (j : json) : option (list (label * label)) :=
  match field_of k_labels j with
  | None => Some []
  | Some l => l <- members l ;; every (fun e => a <- textual (snd e) ;; Some (code (fst e), code a)) l
  end.

(** ** Views: what is proposed *)

Definition without_zeros (v : nvec) : nvec := filter (fun e => negb (neq (snd e) n0)) v.
Definition read_vector (known : names) (j : json) : option nvec :=
  l <- items j ;;
  v <- every (fun e => match e with Items [s; x] => i <- find_name known s ;; x <- read x ;; Some (i, x) | _ => None end) l ;;
  guard distinct_keys v ;; Some (without_zeros v).

(** Blocks: all members of a block go to its first. *)
Definition read_blocks (known : names) (j : json) : option (list (positive * positive)) :=
  l <- part k_merge j ;;
  bs <- every (fun b => l <- items b ;; is <- every (find_name known) l ;;
               match is with i :: _ => Some (map (fun j => (j, i)) is) | [] => None end) l ;;
  let found := concat bs in guard distinct_keys found ;; Some found.

Definition read_added (known : names) (e : text * json) : option (positive * place) :=
  i <- M.find (code (fst e)) known ;;
  match snd e with
  | Items [Text a; Items row] => r <- read_vector known (Items row) ;; Some (i, {| place_label := code a; place_rows := [(no_input, r)] |})
  | Items [Text a; Members rows] =>
      rows <- every (fun e => r <- read_vector known (snd e) ;; Some (code (fst e), r)) rows ;;
      Some (i, {| place_label := code a; place_rows := sort_keys rows |})
  | _ => None
  end.

Record frame := {
  f_names : names; f_source : listing; f_blocks : list (positive * positive); f_target : listing;
  f_into : M.t place; f_inputs : M.t (list input); f_unseen : list nvec;
  f_nodes : M.t (list nvec * option json); f_classes : M.t unit; f_visits : M.t json; f_sizes : Z * Z * Z }.

Definition read_frame (m : model) (coarser : list (label * label)) (j : json) : option frame :=
  let source := relabelled coarser (m_listed m) in
  blocks <- read_blocks (m_names m) j ;;
  let table := of_list blocks in
  let kept := filter (fun e : state * place => Pos.eqb (block_of table (fst e)) (fst e)) source in
  let merged := match blocks with [] => source | _ =>
    map (fun e : state * place => (fst e, {| place_label := place_label (snd e);
      place_rows := map (fun kr => (fst kr, without_zeros (gather (map (fun x => (block_of table (fst x), snd x)) (snd kr))))) (place_rows (snd e)) |})) kept end in
  let kept_names := match blocks with [] => m_names m | _ =>
    fold_left (fun k t => match M.find (code t) (m_names m) with
                          | Some i => if Pos.eqb (block_of table i) i then M.add (code t) i k else k | None => k end) (m_texts m) (M.empty positive) end in
  added <- match field_of k_states j with Some s => members s | None => Some [] end ;;
  guard forallb (fun e : text * json => negb (isome (M.find (code (fst e)) (m_names m)))) added ;;
  let all_names := fst (name_all (Pos.of_nat (4 + length (m_listed m))) added kept_names) in
  more <- every (read_added all_names) added ;;
  let target := merged ++ more in
  unseen <- (l <- part k_unseen j ;; every (read_vector all_names) l) ;;
  beliefs <- (l <- part k_beliefs j ;; every (fun b => v <- read_vector all_names b ;; guard nonneg_entries v ;; Some v) l) ;;
  let belief_table := of_list (map (fun e => (Z.to_pos (fst e + 1), snd e)) (numbered 0 beliefs)) in
  graph <- (l <- part k_graph j ;;
    every (fun n => l <- items n ;;
             match l with
             | Items bs :: more =>
                 bs <- every (fun b => n <- place_number b ;; M.find (Z.to_pos (n + 1)) belief_table) bs ;;
                 match more with [] => Some (bs, None) | [c] => Some (bs, Some c) | [c; Text _] => Some (bs, Some c) | _ => None end
             | _ => None
             end) l) ;;
  let into := places target in
  guard forallb (fun n : list nvec * option json => match concat (fst n) with
                    | (i, _) :: r => forallb (fun e : state * num => Pos.eqb (label_of into (fst e)) (label_of into i)) r | [] => false end) graph ;;
  classes <- (l <- part k_graph j ;; Some (filter (fun e => match snd e with Items [_; _; Text c] => same_text c k_class | _ => false end) (numbered 0 l))) ;;
  visits <- part k_visits j ;;
  claims <- part k_claims j ;;
  Some {| f_names := all_names; f_source := source; f_blocks := blocks; f_target := target; f_into := into; f_inputs := inputs target;
          f_unseen := unseen; f_nodes := of_list (map (fun e => (Z.to_pos (fst e + 1), snd e)) (numbered 0 graph));
          f_classes := of_list (map (fun e => (Z.to_pos (fst e + 1), tt)) classes);
          f_visits := of_list (map (fun e => (Z.to_pos (fst e + 1), snd e)) (numbered 0 visits));
          f_sizes := (Z.of_nat (length graph), Z.of_nat (length unseen), Z.of_nat (length claims)) |}.

Section Frame.
Variable f : frame.
Variables alpha_u alpha_l : num.
Let graph_size := fst (fst (f_sizes f)).
Let unseen_size := snd (fst (f_sizes f)).
Let claims_size := snd (f_sizes f).
Definition node_id (n way : Z) : positive := Z.to_pos (2 * n + way + 1).
Definition unseen_id (k : Z) : positive := Z.to_pos (2 * graph_size + k + 1).
Definition claim_id (n : Z) : positive := Z.to_pos (2 * graph_size + unseen_size + n + 1).
Definition conclusion_id (n way : Z) : positive := Z.to_pos (2 * graph_size + unseen_size + claims_size + 2 * n + way + 1).
Definition into_step (k : input) (v : nvec) : nvec := gather (nstep (f_into f) k v).
Definition into_label := label_of (f_into f).
Definition into_choices := choices (f_inputs f).

Definition minus_times (x : nvec) (a : num) (y : nvec) : nvec := without_zeros (gather (x ++ nscaled (nneg a) y)).
Definition unit_pair (alpha : num) (s t : state) : nvec := gather [(s, n1); (t, nneg alpha)].

(** A vector as a sum of unseen ones, and what is left. *)
Fixpoint reduce (k : Z) (unseen : list nvec) (v : nvec) : list (positive * num) * nvec :=
  match unseen with
  | [] => ([], v)
  | u :: r =>
      match u with
      | (i, p) :: _ =>
          match assoc i v with
          | Some x => if neq x n0 then reduce (k + 1) r v
                      else let c := ndiv x p in let (cs, left) := reduce (k + 1) r (minus_times v c u) in ((unseen_id k, c) :: cs, left)
          | None => reduce (k + 1) r v
          end
      | [] => reduce (k + 1) r v
      end
  end.
Definition reduced (v : nvec) : list (positive * num) * nvec := match f_unseen f with [] => ([], v) | us => reduce 0 us (without_zeros v) end.

Definition unseen_claims : list (positive * claim) :=
  map (fun e : Z * nvec =>
    let a := match snd e with (i, _) :: _ => into_label i | [] => 1%positive end in
    let by_input k := (k, {| cites := fold_left (fun l z => fst (reduced z) ++ l) (map snd (M.elements
        (fold_left (fun m (x : state * num) => let b := into_label (fst x) in
           M.add b (x :: match M.find b m with Some l => l | None => [] end) m) (into_step k (snd e)) (M.empty nvec)))) []; eta := None |}) in
    (unseen_id (fst e), {| c_vec := snd e; c_bound := n0; c_rule := Step (map by_input (into_choices a)) |})) (numbered 0 (f_unseen f)).

Definition read_citation (nodes_too : bool) (j : json) : option (positive * num) :=
  match j with
  | Items [cited; c] =>
      c <- read c ;;
      id <- match cited with
            | Number _ => n <- place_number cited ;; guard n <? claims_size ;; Some (claim_id n)
            | Items [Text u; k] => guard same_text u k_unseen ;; k <- place_number k ;; guard k <? unseen_size ;; Some (unseen_id k)
            | Items [n; way] => guard nodes_too ;; n <- place_number n ;; way <- place_number way ;;
                guard (n <? graph_size) && (way <? 2) ;; Some (node_id n way)
            | _ => None
            end ;;
      Some (id, c)
  | _ => None
  end.
Definition read_cover (nodes_too : bool) (j : json) : option cover :=
  match j with
  | Items l => cs <- every (read_citation nodes_too) l ;; Some {| cites := cs; eta := None |}
  | Members [_; _] =>
      l <- (o <- field_of k_of j ;; items o) ;; cs <- every (read_citation nodes_too) l ;;
      e <- (e <- field_of k_eta j ;; read_vector (f_names f) e) ;; Some {| cites := cs; eta := Some e |}
  | _ => None
  end.
(** By input, where the label has inputs: an object of exactly these. *)
Definition by_inputs {A} (a : label) (read_one : json -> option A) (j : json) : option (list (input * A)) :=
  let ks := into_choices a in
  if match ks with [k] => Pos.eqb k no_input | _ => false end then x <- read_one j ;; Some [(no_input, x)]
  else l <- members j ;; guard Nat.eqb (length l) (length ks) ;; every (fun e => x <- read_one (snd e) ;; Some (code (fst e), x)) l.

Definition read_claim (e : Z * json) : option (positive * claim) :=
  match snd e with
  | Items [w; v; Text rule; c] =>
      v <- read v ;;
      w <- match w with
           | Items [Text _ as s; Text _ as t] => s <- find_name (f_names f) s ;; t <- find_name (f_names f) t ;;
               guard negb (Pos.eqb s t) ;; Some [(s, n1); (t, nneg alpha_u)]
           | _ => read_vector (f_names f) w
           end ;;
      match w with
      | [] => None
      | (i, _) :: _ =>
          r <- (if same_text rule k_step then cs <- by_inputs (into_label i) (read_cover true) c ;; Some (Step cs)
                else guard same_text rule k_now ;; c <- read_cover true c ;; Some (Flat c)) ;;
          Some (claim_id (fst e), {| c_vec := w; c_bound := v; c_rule := r |})
      end
  | _ => None
  end.

(** *** Values of nodes *)

Record bounds := { least : option num; most : option num; asks : option input }.
Definition read_value (j : json) : option bounds :=
  let end_of j := match j with Null => Some None | _ => v <- read j ;; Some (Some v) end in
  let some l m a := Some {| least := match l with Some v => if nle v n0 then None else Some v | None => None end; most := m; asks := a |} in
  match j with
  | Items [l; m] => l <- end_of l ;; m <- end_of m ;; some l m None
  | Items [l; m; Text a] => l <- end_of l ;; m <- end_of m ;; some l m (Some (code a))
  | Items _ => None
  | _ => v <- read j ;; some (Some v) (Some v) None
  end.
Record valued := { v_node : Z; v_both : bounds * bounds; v_covers : option (json * json) }.
Definition read_valued (j : json) : option valued :=
  match j with
  | Items (n :: a :: b :: more) =>
      n <- place_number n ;; a <- read_value a ;; b <- read_value b ;;
      cs <- match more with [] => Some None | [Null] => Some None | [Items [c; d]] => Some (Some (c, d)) | _ => None end ;;
      Some {| v_node := n; v_both := (a, b); v_covers := cs |}
  | _ => None
  end.
Definition node_at (n : Z) : option (list nvec * option json) := guard 0 <=? n ;; M.find (Z.to_pos (n + 1)) (f_nodes f).

Definition by_label (v : nvec) : M.t nvec :=
  fold_left (fun m (x : state * num) => let b := into_label (fst x) in
    M.add b (x :: match M.find b m with Some l => l | None => [] end) m) v (M.empty nvec).
Definition at_label (m : M.t nvec) (a : label) : nvec := match M.find a m with Some v => v | None => [] end.

(** After a letter: the child, its beliefs, and the factor. *)
Record edge := { e_label : label; e_child : option (Z * nvec * nvec * num); e_x : nvec; e_y : nvec }.
Definition edges_under (x y : nvec) (children : list (text * json)) (k : input) : option (list edge) :=
  let xs := by_label (into_step k x) in
  let ys := by_label (into_step k y) in
  let kids := of_list (map (fun e => (code (fst e), snd e)) children) in
  every (fun a => let ex := at_label xs a in let ey := at_label ys a in
    match M.find a kids with
    | None => Some {| e_label := a; e_child := None; e_x := ex; e_y := ey |}
    | Some j =>
        m <- place_number j ;; n <- node_at m ;;
        match n with
        | ([gx; gy], _) =>
            let c := match gx with [] => ndiv (total ey) (total gy) | _ => ndiv (total ex) (total gx) end in
            (* One factor for both beliefs. *)
            guard match gx, ex with [], _ :: _ => false | _, _ => true end && match gy, ey with [], _ :: _ => false | _, _ => true end
              && neq (total ey) (nmul c (total gy)) ;;
            Some {| e_label := a; e_child := Some (m, gx, gy, c); e_x := ex; e_y := ey |}
        | _ => None
        end
    end) (map fst (M.elements (M.map (fun _ => tt) (fold_left (fun m e => M.add (fst e) [] m) (M.elements ys) xs)))).
Definition edges_of (x y : nvec) (children : option json) : option (list (input * list edge)) :=
  match children with
  | None => Some []
  | Some j =>
      let a := match x ++ y with (i, _) :: _ => into_label i | [] => 1%positive end in
      kids <- by_inputs a members j ;;
      every (fun e => es <- edges_under x y (snd e) (fst e) ;; Some (fst e, es)) kids
  end.

Definition upper_claim (n way : Z) (x y : nvec) (turned : bool) (es : list (input * list edge)) (leaf : bool)
    (c : option json) (v : num) : option (positive * claim) :=
  (* Zeros stay: an empty vector would be on no label. *)
  let w := gather (x ++ nscaled (nneg alpha_u) y) in
  r <- (if leaf then
          cover <- match c with
                   | Some c => read_cover false c
                   | None => let mx := total x in
                       let (cs, left) := reduced (minus_times (nscaled (total y) x) mx y) in
                       let alike := match x, y, left with _ :: _, _ :: _, [] => true | _, _, _ => false end in
                       Some {| cites := if alike then map (fun e => (fst e, nmul (ndiv alpha_u mx) (snd e))) cs else []; eta := None |}
                   end ;;
          Some (Flat cover)
        else
          Some (Step (map (fun ke : input * list edge =>
            let cover_of e := match e_child e with
              | None => ([], if turned then e_y e else e_x e)
              | Some (m, gx, gy, c) =>
                  let '(ex, ey, gx, gy) := if turned then (e_y e, e_x e, gy, gx) else (e_x e, e_y e, gx, gy) in
                  let left := match f_unseen f with [] => [] | _ => minus_times (minus_times ex alpha_u ey) c (minus_times gx alpha_u gy) end in
                  ((node_id m way, c) :: fst (reduced left), [])
              end in
            (fst ke, {| cites := flat_map (fun e => fst (cover_of e)) (snd ke); eta := Some (flat_map (fun e => snd (cover_of e)) (snd ke)) |})) es))) ;;
  (* What a cover without a step costs may be more than its base case. *)
  guard nle n0 v ;;
  Some (node_id n way, {| c_vec := w; c_bound := v; c_rule := r |}).

Definition gap (x y : nvec) : num := let g := nsub (total x) (nmul alpha_l (total y)) in if nlt n0 g then g else n0.
Definition way_of (way : Z) (b : bounds * bounds) : bounds := if way =? 0 then fst b else snd b.

(** A lower value, with rank 1, and where its letters of positive mass lead: to other places, or out. *)
Definition lower_value (known : M.t (bounds * bounds)) (n way : Z) (x y : nvec) (turned : bool) (es : list (input * list edge))
    (b : bounds) (v : num) : option (positive * (lower * list (option positive))) :=
  let size := nadd (total x) (total y) in
  let w := minus_times x alpha_l y in
  let make q := Some (node_id n way, q) in
  if nle v (gap x y) then
    make ({| l_vec := w; l_bound := v; l_open := false; l_size := size; l_rank := 1; l_asked := no_input; l_parts := []; l_taken := [];
             l_gained := n0; l_unseen := [] |}, [])
  else
    let asked := match asks b with Some k => k | None => no_input end in
    es <- assoc asked es ;;
    let turn {A} (p : A * A) := if turned then (snd p, fst p) else p in
    let pieces := map (fun e =>
      let '(ex, ey) := turn (e_x e, e_y e) in
      match e_child e with
      | None => let g := gap ex ey in (e_label e, [], nlt n0 g, g, [], None)
      | Some (m, gx, gy, c) =>
          let '(gx, gy) := turn (gx, gy) in
          let leads := if nlt n0 c then Some (node_id m way) else Some 1%positive in
          match M.find (Z.to_pos (m + 1)) known with
          | Some b => match least (way_of way b) with
              | Some _ =>
                  let left := match f_unseen f with [] => [] | _ => minus_times (minus_times ex alpha_l ey) c (minus_times gx alpha_l gy) end in
                  (e_label e, [(e_label e, (c, node_id m way))], false, n0, fst (reduced left), if nlt n0 c then Some (node_id m way) else None)
              | None => (e_label e, [], false, n0, [], None)
              end
          | None => (e_label e, [], false, n0, [], None)
          end
      end) es in
    make ({| l_vec := w; l_bound := v; l_open := true; l_size := size; l_rank := 1; l_asked := asked;
       l_parts := sort_keys (flat_map (fun p => let '(_, ps, _, _, _, _) := p in ps) pieces);
       l_taken := flat_map (fun p => let '(a, _, t, _, _, _) := p in if t : bool then [a] else []) pieces;
       l_gained := fold_left (fun s p => let '(_, _, _, g, _, _) := p in nadd s g) pieces n0;
       l_unseen := flat_map (fun p => let '(_, _, _, _, u, _) := p in u) pieces |},
       map (fun p => let '(_, _, _, _, _, to) := p in to) pieces).

(** Claims about the values, and lower values without their ranks. *)
Definition node_claims (known : M.t (bounds * bounds)) (e : valued)
    : option (list (positive * claim) * list (positive * (lower * list (option positive)))) :=
  n <- node_at (v_node e) ;;
  match n with
  | ([x; y], children) =>
      es <- edges_of x y children ;;
      let leaf := negb (isome children) in
      guard leaf || negb (isome (v_covers e)) ;;
      let one way :=
        let turned := way =? 1 in
        let b := way_of way (v_both e) in
        let '(x, y) := if turned then (y, x) else (x, y) in
        u <- match most b with
             | Some v => c <- upper_claim (v_node e) way x y turned es leaf
                           (match v_covers e with Some (c, d) => Some (if turned then d else c) | None => None end) v ;; Some [c]
             | None => Some []
             end ;;
        l <- match least b with Some v => q <- lower_value known (v_node e) way x y turned es b v ;; Some [q] | None => Some [] end ;;
        Some (u, l) in
      a <- one 0 ;; b <- one 1 ;; Some (fst a ++ fst b, snd a ++ snd b)
  | _ => None
  end.

(** Ranks: how far a place is from where no bound is relied on. *)
Fixpoint spread (fuel : nat) (before : M.t (list positive)) (rank : positive) (now : list positive) (ranks : M.t positive) : M.t positive :=
  match fuel, now with
  | S fuel, _ :: _ =>
      let '(next, ranks) := fold_left (fun s i =>
        fold_left (fun s j => let '(l, m) := s in match M.find j m with Some _ => s | None => (j :: l, M.add j (Pos.succ rank) m) end)
          (match M.find i before with Some l => l | None => [] end) s) now ([], ranks) in
      spread fuel before (Pos.succ rank) next ranks
  | _, _ => ranks
  end.
Definition ranked (l : list (positive * (lower * list (option positive)))) : list (positive * lower) :=
  let open := of_list (filter (fun e => l_open (fst (snd e))) l) in
  let opens := M.elements open in
  let is_open i := isome (M.find i open) in
  let first := map fst (filter (fun e => existsb (fun to => match to with Some i => negb (is_open i) | None => true end) (snd (snd e))) opens) in
  let before := fold_left (fun m (e : positive * (lower * list (option positive))) =>
    fold_left (fun m to => match to with
      | Some i => M.add i (fst e :: match M.find i m with Some l => l | None => [] end) m | None => m end) (snd (snd e)) m) opens (M.empty (list positive)) in
  let ranks := spread (S (length opens)) before 1 first (fold_left (fun m i => M.add i 1%positive m) first (M.empty positive)) in
  map (fun e => let q := fst (snd e) in
    (fst e, {| l_vec := l_vec q; l_bound := l_bound q; l_open := l_open q; l_size := l_size q;
               l_rank := match M.find (fst e) ranks with Some r => r | None => 1%positive end; l_asked := l_asked q; l_parts := l_parts q;
               l_taken := l_taken q; l_gained := l_gained q; l_unseen := l_unseen q |})) l.

Definition read_parts (j : json) : option (list (positive * claim) * list (positive * lower)) :=
  guard forallb (fun v => neq (total v) n0) (f_unseen f) ;;
  cs <- (l <- part k_claims j ;; every read_claim (numbered 0 l)) ;;
  vs <- (l <- part k_values j ;; every read_valued l) ;;
  guard distinct_keys (map (fun v => (Z.to_pos (v_node v + 1), tt)) vs) ;;
  let known := of_list (map (fun v => (Z.to_pos (v_node v + 1), v_both v)) vs) in
  ns <- every (node_claims known) vs ;;
  Some (unseen_claims ++ flat_map fst ns ++ cs, ranked (flat_map snd ns)).

(** *** Claims of the certificate *)

Definition two_covers (j : json) : option (option (cover * cover)) :=
  match field_of k_covers j with
  | None => Some None
  | Some (Items [c; d]) => c <- read_cover true c ;; d <- read_cover true d ;; Some (Some (c, d))
  | Some _ => None
  end.
Definition priced_claims (table : M.t claim) (alpha : num) (s t : state) (n : Z) (c d : cover) : option (list (positive * claim)) :=
  let one way s t c :=
    let w := unit_pair alpha s t in
    v <- cover_cost table (fun _ _ => true) w c ;; Some (conclusion_id n way, {| c_vec := w; c_bound := v; c_rule := Flat c |}) in
  a <- one 0 s t c ;; b <- one 1 t s d ;; Some [a; b].

Fixpoint read_word (a : label) (l : list text) : option (list (input * label)) :=
  match l with
  | [] => Some []
  | x :: r =>
      if match into_choices a with [k] => Pos.eqb k no_input || Pos.eqb k 1 | _ => false end
      then w <- read_word (code x) r ;; Some ((no_input, code x) :: w)
      else match r with y :: r' => guard existsb (Pos.eqb (code x)) (into_choices a) ;; w <- read_word (code y) r' ;; Some ((code x, code y) :: w)
           | [] => None end
  end.


Definition optional (k : text) (j : json) : option (option num) :=
  match field_of k j with None => Some None | Some v => v <- read v ;; Some (Some v) end.

(** *** Growth *)

Fixpoint states_along (fuel : nat) (cycle : list (input * label)) (waiting : list state) (seen : M.t unit) (found : list state) : list state :=
  match fuel, waiting with
  | S fuel, i :: r => match M.find i seen with
                      | Some _ => states_along fuel cycle r seen found
                      | None => states_along fuel cycle (map fst (round_of (f_into f) cycle i) ++ r) (M.add i tt seen) (i :: found) end
  | _, _ => found
  end.
Definition reach_of (cycle : list (input * label)) (x y : nvec) : list state :=
  let n := S (length (f_target f)) in states_along (n * n + length x + length y) cycle (map fst x ++ map fst y) (M.empty unit) [].
Definition read_letters (j : json) : option (list text) := l <- items j ;; guard match l with [] => false | _ => true end ;; every textual l.
Definition read_first_word (j : json) : option word :=
  l <- read_letters j ;; match l with a :: r => w <- read_word (code a) r ;; Some (code a, w) | [] => None end.
Definition read_all (j : json) : option (list num) := l <- items j ;; every read l.
Definition known_keys (known : list text) (j : json) : bool :=
  match j with Members l => forallb (fun e : text * json => existsb (same_text (fst e)) known) l | _ => false end.
Definition smallest_share (x target : nvec) : num :=
  let least := fold_left (fun m (e : state * num) => let s := ndiv (match assoc (fst e) x with Some v => v | None => n0 end) (snd e) in
    match m with Some m => Some (if nle m s then m else s) | None => Some s end) target None in
  match least with Some m => m | None => n0 end.
Definition read_growth (s t : state) (j : json) : option growth :=
  match j with
  | Items _ => w <- read_first_word j ;; Some (ByWord w)
  | _ =>
      prefix <- (p <- field_of k_prefix j ;; read_first_word p) ;;
      cycle <- (c <- field_of k_cycle j ;; l <- read_letters c ;; Some (map (fun a => (no_input, code a)) l)) ;;
      let x := along_word (f_into f) s prefix in
      let y := along_word (f_into f) t prefix in
      let reach := reach_of cycle x y in
      (* No inputs along a cycle. *)
      guard forallb (fun i => match into_choices (into_label i) with [k] => Pos.eqb k no_input | _ => false end) reach ;;
      let vector_at k := v <- field_of k j ;; read_vector (f_names f) v in
      let number_at k := v <- field_of k j ;; read v in
      if isome (field_of k_more j) then
        guard known_keys [k_prefix; k_cycle; k_more; k_less; k_growth; k_decay; k_times; k_feeds] j ;;
        b <- vector_at k_more ;; c <- vector_at k_less ;; g <- number_at k_growth ;; d <- number_at k_decay ;;
        a <- match field_of k_feeds j with None => Some None | Some v => a <- read_vector (f_names f) v ;; Some (Some a) end ;;
        m <- (m <- field_of k_times j ;; place_number m) ;; guard m <=? Z.of_nat (length reach) * Z.of_nat (length reach) ;;
        let target := match a with Some a => a | None => b end in
        Some (ByPump prefix cycle {| p_more := b; p_less := c; p_feeds := a; p_growth := g; p_decay := d; p_times := Z.to_nat m;
          p_share := smallest_share (rounds_of (f_into f) cycle (Z.to_nat m) x) target |})
      else
        guard known_keys [k_prefix; k_cycle; k_vector; k_factor; k_one; k_rest; k_matrix; k_sizes; k_rate] j ;;
        r <- vector_at k_vector ;; l <- number_at k_factor ;; one <- (v <- field_of k_one j ;; read_all v) ;;
        rest <- (v <- field_of k_rest j ;; l <- items v ;; every (read_vector (f_names f)) l) ;;
        matrix <- (v <- field_of k_matrix j ;; l <- items v ;; every read_all l) ;;
        sizes <- (v <- field_of k_sizes j ;; read_all v) ;; rate <- number_at k_rate ;;
        Some (ByLimit prefix cycle reach {| l_vector := r; l_factor := l; l_one := one; l_rest := rest; l_matrix := matrix; l_sizes := sizes; l_rate := rate |})
  end.

(** *** Visits: the nodes with the columns of a claim's secrets *)

Definition columns {A} (d : A) (cols : list nat) (l : list A) : list A := map (fun c => nth c l d) cols.
Definition read_vnode (cols : list nat) (n : Z) : option (positive * vnode) :=
  x <- node_at n ;;
  let '(bs, children) := x in
  let mine := columns [] cols bs in
  let a := match concat bs with (i, _) :: _ => into_label i | [] => 1%positive end in
  let unseen_in v := fst (reduced v) in
  match children with
  | None =>
      let some := filter (fun v : nvec => match v with [] => false | _ => true end) bs in
      let alike x y := match snd (reduced (minus_times (nscaled (total y) x) (total x) y)) with [] => true | _ => false end in
      guard match some with x :: r => forallb (alike x) r | [] => false end ;;
      let z := match filter (fun v : nvec => match v with [] => false | _ => true end) mine with z :: _ => z | [] => [] end in
      let ratios := map (fun v : nvec => match v with [] => n0 | _ => ndiv (total v) (total z) end) mine in
      Some (Z.to_pos (n + 1), {| n_label := a; n_beliefs := mine; n_step := false; n_class := false; n_edges := [];
        n_base := z; n_ratios := ratios;
        n_unseen := map (fun vr => unseen_in (minus_times (fst vr) (snd vr) z)) (combine mine ratios) |})
  | Some j =>
      kids <- by_inputs a members j ;;
      match kids with
      | [(k, kids)] =>
          let kids := of_list (map (fun e => (code (fst e), snd e)) kids) in
          let parts := map (fun v => by_label (into_step k v)) bs in
          let shown := map fst (M.elements (fold_left (fun m p => fold_left (fun m e => M.add (fst e) tt m) (M.elements p) m) parts (M.empty unit))) in
          es <- every (fun a => c <- M.find a kids ;; c <- place_number c ;; goal <- node_at c ;;
            let here := map (fun p => at_label p a) parts in
            factor <- match filter (fun pg : nvec * nvec => match snd pg with [] => false | _ => true end) (combine here (fst goal)) with
                      | (p, g) :: _ => Some (ndiv (total p) (total g)) | [] => None end ;;
            (* One factor for all beliefs. *)
            guard Nat.eqb (length (fst goal)) (length bs)
              && forallb (fun pg => match snd (reduced (minus_times (fst pg) factor (snd pg))) with [] => true | _ => false end) (combine here (fst goal)) ;;
            Some (a, (factor, Z.to_pos (c + 1)),
                  map (fun pg => unseen_in (minus_times (fst pg) factor (snd pg))) (combine (columns [] cols here) (columns [] cols (fst goal))))) shown ;;
          let class := isome (M.find (Z.to_pos (n + 1)) (f_classes f)) in
          Some (Z.to_pos (n + 1), {| n_label := a; n_beliefs := mine; n_step := negb class; n_class := class; n_edges := sort_keys (map fst es);
            n_base := []; n_ratios := [];
            n_unseen := map (fun i => flat_map (fun e => nth i (snd e) []) es) (seq 0 (length cols)) |})
      | _ => None
      end
  end.
Fixpoint first_column (n : nat) (from : list nvec) (s : state) : option nat :=
  match from with [] => None | v :: r => if vanishes (v ++ [(s, nneg n1)]) then Some n else first_column (S n) r s end.
Definition read_visits (secrets : list state) (j : json) : option visits :=
  guard match j with Members l => Nat.eqb (length l) 3 | _ => false end ;;
  start <- (l <- field_of k_start j ;; l <- items l ;; every place_number l) ;;
  hs <- (l <- field_of k_visits j ;; l <- items l ;; every read l) ;;
  starting <- every (fun n => x <- node_at n ;; Some (fst x)) start ;;
  let width := match starting with bs :: _ => length bs | [] => O end in
  let places := map (fun i => flat_map (fun bs => nth i bs []) starting) (seq 0 width) in
  cols <- every (first_column 0 places) secrets ;;
  numbers <- match field_of k_from j, field_of k_nodes j with
             | Some n, None => from <- place_number n ;; Some (map (fun e => from + fst e) (numbered 0 hs))
             | None, Some l => l <- items l ;; ns <- every place_number l ;;
                 guard Nat.eqb (length ns) (length hs) && distinct_keys (map (fun n => (Z.to_pos (n + 1), tt)) ns) ;; Some ns
             | _, _ => None
             end ;;
  guard forallb (fun n => existsb (Z.eqb n) numbers) start ;;
  nodes <- every (read_vnode cols) numbers ;;
  let labels := map (fun n => match node_at n with Some (bs, _) => match concat bs with (i, _) :: _ => into_label i | [] => 1%positive end | None => 1%positive end) start in
  Some {| v_nodes := nodes; v_visits := combine (map (fun n => Z.to_pos (n + 1)) numbers) hs;
          v_starts := map snd (sort_keys (combine labels (map (fun n => Z.to_pos (n + 1)) start))) |}.

(** All ways to guess so many of the secrets. *)
Fixpoint subsets (guesses over : nat) : list (list num) :=
  match over with
  | O => match guesses with O => [[]] | S _ => [] end
  | S over => map (cons n0) (subsets guesses over) ++ match guesses with O => [] | S g => map (cons n1) (subsets g over) end
  end.
Definition most_secrets : nat := 12.
Definition read_guess (m : model) (j : json) : option (list (positive * claim) * list (list text * conclusion)) :=
  names <- (l <- field_of k_secrets j ;; l <- items l ;; every textual l) ;;
  ss <- every (fun t => M.find (code t) (m_names m)) names ;;
  guard distinct_keys (map (fun s => (s, tt)) ss) && Nat.leb 2 (length ss) ;;
  prior <- (l <- field_of k_prior j ;; l <- items l ;; every read l) ;;
  guard Nat.eqb (length prior) (length ss) && neq (fold_right nadd n0 prior) n1 && forallb (fun p => nle n0 p) prior ;;
  gains <- match field_of k_gains j, field_of k_guesses j with
           | Some g, None => l <- items g ;; every (fun r => l <- items r ;; l <- every read l ;; guard Nat.eqb (length l) (length ss) ;; Some l) l
           | None, Some g => n <- place_number g ;; guard (1 <=? n) && (n <=? Z.of_nat (length ss)) && ((n =? 1) || Nat.leb (length ss) most_secrets) ;;
               Some (subsets (Z.to_nat n) (length ss))
           | _, _ => None
           end ;;
  lower <- (l <- optional k_lower j ;; Some (match l with Some v => v | None => n0 end)) ;;
  upper <- optional k_upper j ;;
  cited <- (n <- field_of k_visits j ;; n <- place_number n ;; M.find (Z.to_pos (n + 1)) (f_visits f)) ;;
  ev <- read_visits (map (block_of (of_list (f_blocks f))) ss) cited ;;
  Some ([], [(names, GuessBetween ss prior gains lower upper ev)]).

(** *** Distances *)

Definition read_kind (j : json) : option kind :=
  t <- textual j ;; if same_text t k_bd then Some Bd else if same_text t k_ld then Some Ld else guard same_text t k_sd ;; Some Sd.
Definition is_distance (j : json) : bool := match field_of k_claim j with Some t => isome (read_kind t) | None => false end.
Definition read_price (j : json) : option nprice :=
  match j with
  | Items (s :: t :: v :: p :: r :: g :: more) =>
      s <- find_name (f_names f) s ;; t <- find_name (f_names f) t ;; v <- read v ;; p <- read_vector (f_names f) p ;; r <- place_number r ;; g <- read_vector (f_names f) g ;;
      k <- match more with [] => Some no_input | [Text k] => Some (code k) | _ => None end ;;
      Some {| q_from := s; q_to := t; q_value := v; q_rank := Z.to_pos (r + 1); q_input := k; q_reach := p; q_start := g |}
  | _ => None
  end.
Definition read_distances (view j : json) : option distances :=
  guard known_keys [k_kind; k_claims; k_prices] j ;;
  what <- (t <- field_of k_kind j ;; read_kind t) ;;
  listed <- part k_claims view ;;
  pairs <- (l <- part k_claims j ;; every (fun n => n <- place_number n ;;
    match nth_error listed (Z.to_nat n) with
    | Some (Items (Items [s; t] :: _)) => s <- find_name (f_names f) s ;; t <- find_name (f_names f) t ;; Some (s, t, claim_id n)
    | _ => None
    end) l) ;;
  prices <- (l <- part k_prices j ;; every read_price l) ;;
  let asked (e : label * list input) := match snd e with [k] => negb (Pos.eqb k no_input) | _ => true end in
  Some {| d_kind := what; d_single := neq alpha_u n1 && existsb asked (M.elements (f_inputs f)); d_pairs := pairs;
          d_unseen := map (fun e => unseen_id (fst e)) (numbered 0 (f_unseen f)); d_prices := prices |}.

(** The bounds of all pairs that distances have some of; of bd one order. *)
Definition all_distances (m : model) (table : M.t claim) (what : kind) (d : distances) (j : json) : option (list (positive * claim) * list (list text * conclusion)) :=
  guard match field_of k_pairs j with Some (Text t) => same_text t k_all | _ => false end && known_keys [k_claim; k_view; k_pairs] j ;;
  let texts := of_list (flat_map (fun t => match M.find (code t) (m_names m) with Some i => [(i, t)] | None => [] end) (m_texts m)) in
  let pairs := pair_table d in let prices := price_table d in
  let merged := match f_blocks f with [] => false | _ => true end in
  let one_way (s t : state) := negb (is_kind what Bd) || Pos.ltb s t in
  high <- every (fun e => let '(s, t, _) := e in a <- M.find s texts ;; b <- M.find t texts ;;
    Some ([a; b], DistanceAtMost what merged (traces_of d) s t (most_of table pairs s t) false)) (filter (fun e => let '(s, t, _) := e in one_way s t) (d_pairs d)) ;;
  low <- every (fun e => let '(s, t, q) := e in a <- M.find s texts ;; b <- M.find t texts ;;
    Some ([a; b], DistanceAtLeast what merged (traces_of d) s t (q_value q) false)) (filter (fun e => let '(s, t, _) := e in one_way s t) (flat_map (price_pairs d) (d_prices d))) ;;
  guard match d_pairs d with [] => false | _ => true end || match d_prices d with [] => false | _ => true end ;;
  Some ([], high ++ low).

(** What one claim of a certificate says, its pair by name; and what is added to the claims of the view for it. *)
Definition read_conclusions (extensions : list text) (m : model) (table : M.t claim) (lower_table : M.t lower) (ch : option distances) (n : Z) (j : json)
    : option (list (positive * claim) * list (list text * conclusion)) :=
  kind <- (k <- field_of k_claim j ;; textual k) ;;
  if same_text kind k_guess then guard existsb (same_text k_measures) extensions ;; read_guess m j else
  if isome (read_kind (Text kind)) && isome (field_of k_pairs j) then
    guard existsb (same_text k_distances) extensions ;; what <- read_kind (Text kind) ;; d <- ch ;; all_distances m table what d j else
  pair <- match field_of k_pair j with Some (Items [Text s; Text t]) => Some (s, t) | _ => None end ;;
  s <- M.find (code (fst pair)) (m_names m) ;; t <- M.find (code (snd pair)) (m_names m) ;;
  let b := block_of (of_list (f_blocks f)) in
  covers <- two_covers j ;;
  let ids := (conclusion_id n 0, conclusion_id n 1) in
  let said l := map (fun c : conclusion => ([fst pair; snd pair], c)) l in
  let apart := negb (Pos.eqb (into_label (b s)) (into_label (b t))) || Pos.eqb (b s) (b t) in
  let bounds_of j :=
    upper <- optional k_upper j ;; lower <- optional k_lower j ;; below <- optional k_below j ;; above <- optional k_above j ;;
    let one above strict v := match v with Some v => [(above : bool, strict : bool, v : num)] | None => [] end in
    Some (one false false lower ++ one false true above ++ one true false upper ++ one true true below) in
  if isome (read_kind (Text kind)) then
    guard existsb (same_text k_distances) extensions ;; what <- read_kind (Text kind) ;; d <- ch ;; bounds <- bounds_of j ;;
    let merged := match f_blocks f with [] => false | _ => true end in
    let one_bound b := let '(above, strict, v) := b in
      if above : bool then DistanceAtMost what merged (traces_of d) s t v strict else DistanceAtLeast what merged (traces_of d) s t v strict in
    Some ([], said (map one_bound (match bounds with [] => [(true, false, n1)] | _ => bounds end)))
  else if same_text kind k_tradeoff then
    guard existsb (same_text k_measures) extensions ;;
    corners <- (l <- field_of k_corners j ;; l <- items l ;; every (fun c => match c with Items [a; b] => a <- read a ;; b <- read b ;; Some (a, b) | _ => None end) l) ;;
    cited <- (n <- field_of k_visits j ;; n <- place_number n ;; M.find (Z.to_pos (n + 1)) (f_visits f)) ;;
    ev <- read_visits [b s; b t] cited ;; Some ([], said [TradeOff s t corners ev])
  else if same_text kind k_delta && of_a_part j then
    guard existsb (same_text k_parts) extensions && neq alpha_u alpha_l && negb (isome (field_of k_node j)) && negb (isome covers) ;;
    bounds <- bounds_of j ;; guard match bounds with [] => false | _ => true end ;;
    if apart then Some ([], said (map (fun b : bool * bool * num => let '(above, strict, v) := b in
        if above then DeltaAtMost s t v strict None else DeltaAtLeast s t v strict false 1) bounds))
    else
      cited <- (n <- field_of k_visits j ;; n <- place_number n ;; M.find (Z.to_pos (n + 1)) (f_visits f)) ;;
      ev <- read_visits [b s; b t] cited ;; Some ([], said [DeltaByEnds s t bounds ev])
  else if same_text kind k_delta then
    upper <- optional k_upper j ;; lower <- optional k_lower j ;; below <- optional k_below j ;; above <- optional k_above j ;;
    node <- match field_of k_node j with Some x => x <- place_number x ;; if apart then Some (Some x) else
                match node_at x with
                | Some ([x'; y'], _) => guard vanishes (x' ++ [(b s, nneg n1)]) && vanishes (y' ++ [(b t, nneg n1)]) ;; Some (Some x)
                | _ => None
                end | None => Some None end ;;
    more <- match covers with
            | Some (c, d) => if apart then Some [] else priced_claims table alpha_u (b s) (b t) n c d
            | None => Some []
            end ;;
    let high_ids := if apart then None else
      match covers, node with
      | Some _, _ => Some ids
      | None, Some x => let i := node_id x 0 in let j := node_id x 1 in
          if isome (M.find i table) && isome (M.find j table) then Some (i, j) else None
      | None, None => None
      end in
    let low_bound way := match node with Some x => match M.find (node_id x way) lower_table with Some q => l_bound q | None => n0 end | None => n0 end in
    let turned := negb (nle (low_bound 1) (low_bound 0)) in
    let low_id := match node with Some x => node_id x (if turned then 1 else 0) | None => 1%positive end in
    let at_most v strict := [DeltaAtMost s t v strict high_ids] in
    let at_least v strict := [DeltaAtLeast s t v strict turned low_id] in
    Some (more, said (
      match lower with Some v => at_least v false | None => [] end ++ match above with Some v => at_least v true | None => [] end
      ++ match upper with Some v => at_most v false | None => match below with Some _ => [] | None => at_most n1 false end end
      ++ match below with Some v => at_most v true | None => [] end))
  else if same_text kind k_ratio then
    upper <- optional k_upper j ;; delta <- optional k_delta j ;;
    more <- match upper, covers with
            | Some v, Some (c, d) => if Pos.eqb (b s) (b t) then Some [] else priced_claims table v (b s) (b t) n c d
            | _, _ => Some []
            end ;;
    turned <- match field_of k_first j with
              | Some (Text x) => if same_text x (fst pair) then Some false else guard same_text x (snd pair) ;; Some true
              | Some _ => None | None => Some false end ;;
    word <- match field_of k_words j with
            | Some j => g <- (if turned : bool then read_growth (b t) (b s) j else read_growth (b s) (b t) j) ;; Some (Some g)
            | None => Some None end ;;
    let infinite := match field_of k_lower j with Some (Text x) => same_text x k_infinity | _ => false end in
    lower <- (if infinite then Some None else optional k_lower j) ;;
    (* No bound, or 0, says no more than 1, which always holds; the words are asked for at least that. *)
    let lower := match lower with Some v => if neq v n0 then None else Some v | None => None end in
    (* What is claimed at every e^epsilon is so where the ratio is infinite. *)
    guard if infinite then isome word else negb (isome delta) ;;
    Some (more, said (
      (if infinite then match word with Some w => [RatioInfinite s t delta turned w] | None => [] end
       else [RatioAtLeast s t (match lower with Some v => v | None => n1 end) turned word])
      ++ match upper with Some v => [RatioAtMost s t v ids] | None => [] end))
  else None.
End Frame.
End Reader.
