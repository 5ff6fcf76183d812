(** Numbers of models and certificates as they are written: rational numbers, decimals, and formulas. *)

Require Import List ZArith PArith Bool QArith.
Require Import Deltachain.Numbers Deltachain.Json Deltachain.Reader.
Import ListNotations.
Local Open Scope Z_scope.

(** ** Rational numbers *)

Definition most_digits := 50000.
(** -1, 12/5; and where decimals may be: 0.25, 1e-3. *)
Definition rational (decimals : bool) (t : text) : option Q :=
  guard Z.of_nat (length t) <=? most_digits ;;
  let '(sign, t) := match t with c :: r => if c =? 45 then (-1, r) else (1, t) | [] => (1, t) end in
  let '(v, n, t) := digits_of t 0 0 in
  guard 0 <? n ;;
  let '(v, places, t, plain) := match t with
    | c :: r => if c =? 46 then let '(v', k, t') := digits_of r v 0 in (v', k, t', false) else (v, 0, t, true)
    | [] => (v, 0, t, true) end in
  guard plain || (decimals && (0 <? places)) ;;
  e <- match t with
       | c :: r => if (c =? 69) || (c =? 101) then
                     let '(s, r) := match r with d :: r' => if d =? 45 then (-1, r') else if d =? 43 then (1, r') else (1, r) | [] => (1, r) end in
                     let '(x, n, r) := digits_of r 0 0 in guard decimals && (0 <? n) && (x <=? most_digits) ;; Some (s * x, r)
                   else Some (0, t)
       | [] => Some (0, t) end ;;
  let '(shift, t) := e in
  b <- match t with
       | [] => Some 1
       | c :: r => guard c =? 47 ;; let '(b, n, r) := digits_of r 0 0 in match r with [] => guard 0 <? b ;; Some b | _ => None end
       end ;;
  let shift := shift - places in
  Some (lowest (if 0 <=? shift then (sign * v * 10 ^ shift) # Z.to_pos b else (sign * v) # Z.to_pos (b * 10 ^ (- shift)))).
Definition read_rational (decimals : bool) (j : json) : option Q :=
  match j with Number t => rational decimals t | Text t => rational decimals t | _ => None end.
(** ** Formulas: numbers, + - * / ^, parentheses, exp of a rational, and a name. A sign binds less than a power. *)

Inductive formula :=
| Const (q : Q) | Sum (a b : formula) | Difference (a b : formula) | Product (a b : formula) | Quotient (a b : formula)
| Negated (a : formula) | Powered (a : formula) (z : Z) | Exp (a : formula) | Named.

Definition space (c : Z) : bool := (c =? 32) || ((9 <=? c) && (c <=? 13)).
Definition wordy (c : Z) : bool := digit c || letter c || ((65 <=? c) && (c <=? 90)) || (c =? 95) || (128 <=? c).
Fixpoint skip (t : text) : text := match t with c :: r => if space c then skip r else t | [] => [] end.
Fixpoint after_word (w t : text) : option text :=
  match w, t with
  | [], c :: _ => if wordy c then None else Some t
  | [], [] => Some []
  | x :: w, c :: r => if x =? c then after_word w r else None
  | _, [] => None
  end.
Definition most_power := 20000.

(** The value, where it is rational. *)
Fixpoint rational_value (f : formula) : option Q :=
  match f with
  | Const q => Some q
  | Sum a b => x <- rational_value a ;; y <- rational_value b ;; Some (lowest (x + y))
  | Difference a b => x <- rational_value a ;; y <- rational_value b ;; Some (lowest (x - y))
  | Product a b => x <- rational_value a ;; y <- rational_value b ;; Some (lowest (x * y))
  | Quotient a b => x <- rational_value a ;; y <- rational_value b ;; guard negb (Qeq_bool y 0) ;; Some (lowest (x / y))
  | Negated a => x <- rational_value a ;; Some (lowest (- x))
  | Powered a z => x <- rational_value a ;; guard (0 <=? z) || negb (Qeq_bool x 0) ;; Some (lowest (Qpower x z))
  | Exp a => x <- rational_value a ;; guard Qeq_bool x 0 ;; Some 1%Q
  | Named => None
  end.

Section Parser.
Variable name : option text.
Definition literal (t : text) : option (formula * text) :=
  let '(v, n, t) := digits_of t 0 0 in
  guard 0 <? n ;;
  let '(v, places, t) := match t with
    | 46 :: r => let '(v', k, t') := digits_of r v 0 in if 0 <? k then (v', k, t') else (v, 0, t)
    | _ => (v, 0, t) end in
  let '(shift, t) := match t with
    | c :: r => if (c =? 69) || (c =? 101) then
        let '(s, r) := match r with 45 :: r' => (-1, r') | 43 :: r' => (1, r') | _ => (1, r) end in
        let '(x, n, r) := digits_of r 0 0 in if (0 <? n) && (n <=? 4) then (s * x, r) else (0, t)
      else (0, t)
    | [] => (0, t) end in
  let shift := shift - places in
  Some (Const (lowest (if 0 <=? shift then (v * 10 ^ shift) # 1 else v # Z.to_pos (10 ^ (- shift)))), t).

Fixpoint p_sum (fuel : nat) (t : text) : option (formula * text) :=
  match fuel with O => None | S f => x <- p_product f t ;; p_sum_rest f (fst x) (skip (snd x)) end
with p_sum_rest (fuel : nat) (a : formula) (t : text) : option (formula * text) :=
  match fuel with O => None | S f =>
    match t with
    | 43 :: r => x <- p_product f r ;; p_sum_rest f (Sum a (fst x)) (skip (snd x))
    | 45 :: r => x <- p_product f r ;; p_sum_rest f (Difference a (fst x)) (skip (snd x))
    | _ => Some (a, t)
    end end
with p_product (fuel : nat) (t : text) : option (formula * text) :=
  match fuel with O => None | S f => x <- p_signed f (skip t) ;; p_product_rest f (fst x) (skip (snd x)) end
with p_product_rest (fuel : nat) (a : formula) (t : text) : option (formula * text) :=
  match fuel with O => None | S f =>
    match t with
    | 42 :: r => x <- p_signed f (skip r) ;; p_product_rest f (Product a (fst x)) (skip (snd x))
    | 47 :: r => x <- p_signed f (skip r) ;; p_product_rest f (Quotient a (fst x)) (skip (snd x))
    | _ => Some (a, t)
    end end
with p_signed (fuel : nat) (t : text) : option (formula * text) :=
  match fuel with O => None | S f =>
    match t with
    | 43 :: r => p_signed f (skip r)
    | 45 :: r => x <- p_signed f (skip r) ;; Some (Negated (fst x), snd x)
    | _ => p_power f t
    end end
with p_power (fuel : nat) (t : text) : option (formula * text) :=
  match fuel with O => None | S f =>
    x <- p_atom f t ;;
    match skip (snd x) with
    | 94 :: r =>
        let '(s, r) := match skip r with 45 :: r' => (-1, skip r') | r => (1, r) end in
        e <- p_atom f r ;; q <- rational_value (fst e) ;;
        guard Pos.eqb (Qden (lowest q)) 1 && (0 <=? Qnum q) && (Qnum (lowest q) <=? most_power) ;;
        Some (Powered (fst x) (s * Qnum (lowest q)), snd e)
    | r => Some (fst x, r)
    end end
with p_atom (fuel : nat) (t : text) : option (formula * text) :=
  match fuel with O => None | S f =>
    let inner r := x <- p_sum f r ;; match skip (snd x) with 41 :: r' => Some (fst x, r') | _ => None end in
    match (w <- name ;; after_word w t) with
    | Some r => Some (Named, r)
    | None =>
        match after_word [101; 120; 112] t with
        | Some r => match skip r with 40 :: r' => x <- inner r' ;; Some (Exp (fst x), snd x) | _ => None end
        | None => match t with 40 :: r => inner r | _ => literal t end
        end
    end end.
Definition longest_formula := 20000.
Definition parse_formula (t : text) : option formula :=
  guard Z.of_nat (length t) <=? longest_formula ;;
  x <- p_sum (10 * (length t + 2)) t ;; match skip (snd x) with [] => Some (fst x) | _ => None end.
End Parser.

Section Evaluation.
Context {N : Numbers}.
Variable constant exp_of : Q -> option num.
Variable named : option num.
Fixpoint positive_power (x : num) (n : positive) : num :=
  match n with xH => x | xO n => let y := positive_power x n in nmul y y | xI n => let y := positive_power x n in nmul (nmul y y) x end.
(** The quotient by a number whose sign is told. *)
Definition over (x y : num) : option num :=
  if nlt n0 y then Some (ndiv x y) else if nlt y n0 then Some (ndiv (nsub n0 x) (nsub n0 y)) else None.
Fixpoint evaluate (f : formula) : option num :=
  match f with
  | Const q => constant q
  | Sum a b => x <- evaluate a ;; y <- evaluate b ;; Some (nadd x y)
  | Difference a b => x <- evaluate a ;; y <- evaluate b ;; Some (nsub x y)
  | Product a b => x <- evaluate a ;; y <- evaluate b ;; Some (nmul x y)
  | Quotient a b => x <- evaluate a ;; y <- evaluate b ;; over x y
  | Negated a => x <- evaluate a ;; Some (nsub n0 x)
  | Powered a z => x <- evaluate a ;;
      match z with Z0 => Some n1 | Zpos n => Some (positive_power x n) | Zneg n => over n1 (positive_power x n) end
  | Exp a => q <- rational_value a ;; exp_of q
  | Named => named
  end.
(** A probability of a model: a number, perhaps decimal, or a formula. *)
Definition probability (name : option text) (j : json) : option num :=
  match read_rational true j with
  | Some q => constant q
  | None => match j with Text t => f <- parse_formula name t ;; evaluate f | _ => None end
  end.
End Evaluation.

Definition show_rational (q : Q) : text :=
  match Qden q with 1%positive => decimal (Qnum q) | d => decimal (Qnum q) ++ 47 :: decimal (Zpos d) end.

