
type __ = Obj.t

(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat

(** val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option **)

let option_map f = function
| Some a -> Some (f a)
| None -> None

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val length : 'a1 list -> nat **)

let rec length = function
| [] -> O
| _ :: l' -> S (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a :: l1 -> a :: (app l1 m)

type comparison =
| Eq
| Lt
| Gt

type ('a, 'p) sigT =
| ExistT of 'a * 'p



(** val pred : nat -> nat **)

let pred n2 = match n2 with
| O -> n2
| S u -> u

module Coq__1 = struct
 (** val add : nat -> nat -> nat **)
 let rec add n2 m =
   match n2 with
   | O -> m
   | S p -> S (add p m)
end
include Coq__1

(** val eqb : bool -> bool -> bool **)

let eqb b1 b2 =
  if b1 then b2 else if b2 then false else true

module type EqLtLe =
 sig
  type t
 end

module MakeOrderTac =
 functor (O:EqLtLe) ->
 functor (P:sig
 end) ->
 struct
 end

module Nat =
 struct
  (** val eqb : nat -> nat -> bool **)

  let rec eqb n2 m =
    match n2 with
    | O -> (match m with
            | O -> true
            | S _ -> false)
    | S n' -> (match m with
               | O -> false
               | S m' -> eqb n' m')

  (** val leb : nat -> nat -> bool **)

  let rec leb n2 m =
    match n2 with
    | O -> true
    | S n' -> (match m with
               | O -> false
               | S m' -> leb n' m')

  (** val ltb : nat -> nat -> bool **)

  let ltb n2 m =
    leb (S n2) m

  (** val max : nat -> nat -> nat **)

  let rec max n2 m =
    match n2 with
    | O -> m
    | S n' -> (match m with
               | O -> n2
               | S m' -> S (max n' m'))

  (** val min : nat -> nat -> nat **)

  let rec min n2 m =
    match n2 with
    | O -> O
    | S n' -> (match m with
               | O -> O
               | S m' -> S (min n' m'))
 end

module Pos =
 struct
  type mask =
  | IsNul
  | IsPos of Integers.t
  | IsNeg
 end

module Coq_Pos =
 struct
  (** val succ : Integers.t -> Integers.t **)

  let rec succ = Big_int_Z.succ_big_int

  (** val add : Integers.t -> Integers.t -> Integers.t **)

  let rec add = Big_int_Z.add_big_int

  (** val add_carry : Integers.t -> Integers.t -> Integers.t **)

  and add_carry x y =
    Integers.halve
      (fun p ->
      Integers.halve
        (fun q0 -> Integers.double_and_one (add_carry p q0))
        (fun q0 -> Integers.double (add_carry p q0))
        (fun _ -> Integers.double_and_one (succ p))
        y)
      (fun p ->
      Integers.halve
        (fun q0 -> Integers.double (add_carry p q0))
        (fun q0 -> Integers.double_and_one (add p q0))
        (fun _ -> Integers.double (succ p))
        y)
      (fun _ ->
      Integers.halve
        (fun q0 -> Integers.double_and_one (succ q0))
        (fun q0 -> Integers.double (succ q0))
        (fun _ -> Integers.double_and_one Big_int_Z.unit_big_int)
        y)
      x

  (** val pred_double : Integers.t -> Integers.t **)

  let rec pred_double x =
    Integers.halve
      (fun p -> Integers.double_and_one (Integers.double p))
      (fun p -> Integers.double_and_one (pred_double p))
      (fun _ -> Big_int_Z.unit_big_int)
      x

  type mask = Pos.mask =
  | IsNul
  | IsPos of Integers.t
  | IsNeg

  (** val succ_double_mask : mask -> mask **)

  let succ_double_mask = function
  | IsNul -> IsPos Big_int_Z.unit_big_int
  | IsPos p -> IsPos (Integers.double_and_one p)
  | IsNeg -> IsNeg

  (** val double_mask : mask -> mask **)

  let double_mask = function
  | IsPos p -> IsPos (Integers.double p)
  | x0 -> x0

  (** val double_pred_mask : Integers.t -> mask **)

  let double_pred_mask x =
    Integers.halve
      (fun p -> IsPos (Integers.double (Integers.double p)))
      (fun p -> IsPos (Integers.double (pred_double p)))
      (fun _ -> IsNul)
      x

  (** val sub_mask : Integers.t -> Integers.t -> mask **)

  let rec sub_mask x y =
    Integers.halve
      (fun p ->
      Integers.halve
        (fun q0 -> double_mask (sub_mask p q0))
        (fun q0 -> succ_double_mask (sub_mask p q0))
        (fun _ -> IsPos (Integers.double p))
        y)
      (fun p ->
      Integers.halve
        (fun q0 -> succ_double_mask (sub_mask_carry p q0))
        (fun q0 -> double_mask (sub_mask p q0))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun _ ->
      Integers.halve
        (fun _ -> IsNeg)
        (fun _ -> IsNeg)
        (fun _ -> IsNul)
        y)
      x

  (** val sub_mask_carry : Integers.t -> Integers.t -> mask **)

  and sub_mask_carry x y =
    Integers.halve
      (fun p ->
      Integers.halve
        (fun q0 -> succ_double_mask (sub_mask_carry p q0))
        (fun q0 -> double_mask (sub_mask p q0))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun p ->
      Integers.halve
        (fun q0 -> double_mask (sub_mask_carry p q0))
        (fun q0 -> succ_double_mask (sub_mask_carry p q0))
        (fun _ -> double_pred_mask p)
        y)
      (fun _ -> IsNeg)
      x

  (** val sub : Integers.t -> Integers.t -> Integers.t **)

  let sub = (fun n m -> Big_int_Z.max_big_int
  Big_int_Z.unit_big_int (Big_int_Z.sub_big_int n m))

  (** val mul : Integers.t -> Integers.t -> Integers.t **)

  let rec mul = Big_int_Z.mult_big_int

  (** val iter : ('a1 -> 'a1) -> 'a1 -> Integers.t -> 'a1 **)

  let rec iter f x n2 =
    Integers.halve
      (fun n' -> f (iter f (iter f x n') n'))
      (fun n' -> iter f (iter f x n') n')
      (fun _ -> f x)
      n2

  (** val div2 : Integers.t -> Integers.t **)

  let div2 p =
    Integers.halve
      (fun p0 -> p0)
      (fun p0 -> p0)
      (fun _ -> Big_int_Z.unit_big_int)
      p

  (** val div2_up : Integers.t -> Integers.t **)

  let div2_up p =
    Integers.halve
      (fun p0 -> succ p0)
      (fun p0 -> p0)
      (fun _ -> Big_int_Z.unit_big_int)
      p

  (** val size_nat : Integers.t -> nat **)

  let rec size_nat p =
    Integers.halve
      (fun p0 -> S (size_nat p0))
      (fun p0 -> S (size_nat p0))
      (fun _ -> S O)
      p

  (** val size : Integers.t -> Integers.t **)

  let rec size p =
    Integers.halve
      (fun p0 -> succ (size p0))
      (fun p0 -> succ (size p0))
      (fun _ -> Big_int_Z.unit_big_int)
      p

  (** val compare_cont :
      comparison -> Integers.t -> Integers.t -> comparison **)

  let rec compare_cont = (fun c x y -> let s = Big_int_Z.compare_big_int x y in
  if s = 0 then c else if s < 0 then Lt else Gt)

  (** val compare : Integers.t -> Integers.t -> comparison **)

  let compare = (fun x y -> let s = Big_int_Z.compare_big_int x y in
  if s = 0 then Eq else if s < 0 then Lt else Gt)

  (** val eqb : Integers.t -> Integers.t -> bool **)

  let rec eqb = Integers.equal

  (** val leb : Integers.t -> Integers.t -> bool **)

  let leb = Integers.leq

  (** val ltb : Integers.t -> Integers.t -> bool **)

  let ltb = Integers.lt

  (** val gcdn : nat -> Integers.t -> Integers.t -> Integers.t **)

  let rec gcdn n2 a b =
    match n2 with
    | O -> Big_int_Z.unit_big_int
    | S n3 ->
      (Integers.halve
         (fun a' ->
         Integers.halve
           (fun b' ->
           match compare a' b' with
           | Eq -> a
           | Lt -> gcdn n3 (sub b' a') a
           | Gt -> gcdn n3 (sub a' b') b)
           (fun b0 -> gcdn n3 a b0)
           (fun _ -> Big_int_Z.unit_big_int)
           b)
         (fun a0 ->
         Integers.halve
           (fun _ -> gcdn n3 a0 b)
           (fun b0 -> Integers.double (gcdn n3 a0 b0))
           (fun _ -> Big_int_Z.unit_big_int)
           b)
         (fun _ -> Big_int_Z.unit_big_int)
         a)

  (** val gcd : Integers.t -> Integers.t -> Integers.t **)

  let gcd a b =
    gcdn (Coq__1.add (size_nat a) (size_nat b)) a b

  (** val iter_op : ('a1 -> 'a1 -> 'a1) -> Integers.t -> 'a1 -> 'a1 **)

  let rec iter_op op p a =
    Integers.halve
      (fun p0 -> op a (iter_op op p0 (op a a)))
      (fun p0 -> iter_op op p0 (op a a))
      (fun _ -> a)
      p

  (** val to_nat : Integers.t -> nat **)

  let to_nat x =
    iter_op Coq__1.add x (S O)
 end

module N =
 struct
  (** val iter : Big_int_Z.big_int -> ('a1 -> 'a1) -> 'a1 -> 'a1 **)

  let iter n2 f x =
    (fun fO fp n -> if Big_int_Z.sign_big_int n <= 0 then fO () else fp n)
      (fun _ -> x)
      (fun p -> Coq_Pos.iter f x p)
      n2
 end

module Z =
 struct
  (** val double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let double x =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.zero_big_int)
      (fun p -> (Integers.double p))
      (fun p -> Big_int_Z.minus_big_int (Integers.double p))
      x

  (** val succ_double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let succ_double x =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.unit_big_int)
      (fun p -> (Integers.double_and_one p))
      (fun p -> Big_int_Z.minus_big_int (Coq_Pos.pred_double p))
      x

  (** val pred_double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let pred_double x =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.minus_big_int Big_int_Z.unit_big_int)
      (fun p -> (Coq_Pos.pred_double p))
      (fun p -> Big_int_Z.minus_big_int (Integers.double_and_one p))
      x

  (** val pos_sub : Integers.t -> Integers.t -> Big_int_Z.big_int **)

  let rec pos_sub x y =
    Integers.halve
      (fun p ->
      Integers.halve
        (fun q0 -> double (pos_sub p q0))
        (fun q0 -> succ_double (pos_sub p q0))
        (fun _ -> (Integers.double p))
        y)
      (fun p ->
      Integers.halve
        (fun q0 -> pred_double (pos_sub p q0))
        (fun q0 -> double (pos_sub p q0))
        (fun _ -> (Coq_Pos.pred_double p))
        y)
      (fun _ ->
      Integers.halve
        (fun q0 -> Big_int_Z.minus_big_int (Integers.double q0))
        (fun q0 -> Big_int_Z.minus_big_int (Coq_Pos.pred_double q0))
        (fun _ -> Big_int_Z.zero_big_int)
        y)
      x

  (** val add :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let add = Big_int_Z.add_big_int

  (** val opp : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let opp = Big_int_Z.minus_big_int

  (** val sub :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let sub = Big_int_Z.sub_big_int

  (** val mul :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let mul = Big_int_Z.mult_big_int

  (** val pow_pos : Big_int_Z.big_int -> Integers.t -> Big_int_Z.big_int **)

  let pow_pos z0 =
    Coq_Pos.iter (mul z0) Big_int_Z.unit_big_int

  (** val pow :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let pow = Integers.pow

  (** val compare : Big_int_Z.big_int -> Big_int_Z.big_int -> comparison **)

  let compare = (fun x y -> let s = Big_int_Z.compare_big_int x y in
  if s = 0 then Eq else if s < 0 then Lt else Gt)

  (** val leb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let leb = Integers.leq

  (** val ltb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let ltb = Integers.lt

  (** val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let eqb = Big_int_Z.eq_big_int

  (** val max :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let max = Big_int_Z.max_big_int

  (** val min :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let min = Big_int_Z.min_big_int

  (** val abs : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let abs = Big_int_Z.abs_big_int

  (** val to_nat : Big_int_Z.big_int -> nat **)

  let to_nat z0 =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> O)
      (fun p -> Coq_Pos.to_nat p)
      (fun _ -> O)
      z0

  (** val to_N : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let to_N = Big_int_Z.(fun p -> if sign_big_int p < 0 then zero_big_int else p)

  (** val to_pos : Big_int_Z.big_int -> Integers.t **)

  let to_pos z0 =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.unit_big_int)
      (fun p -> p)
      (fun _ -> Big_int_Z.unit_big_int)
      z0

  (** val pos_div_eucl :
      Integers.t -> Big_int_Z.big_int -> Big_int_Z.big_int * Big_int_Z.big_int **)

  let rec pos_div_eucl a b =
    Integers.halve
      (fun a' ->
      let (q0, r) = pos_div_eucl a' b in
      let r' =
        add (mul (Integers.double Big_int_Z.unit_big_int) r)
          Big_int_Z.unit_big_int
      in
      if ltb r' b
      then ((mul (Integers.double Big_int_Z.unit_big_int) q0), r')
      else ((add (mul (Integers.double Big_int_Z.unit_big_int) q0)
              Big_int_Z.unit_big_int), (sub r' b)))
      (fun a' ->
      let (q0, r) = pos_div_eucl a' b in
      let r' = mul (Integers.double Big_int_Z.unit_big_int) r in
      if ltb r' b
      then ((mul (Integers.double Big_int_Z.unit_big_int) q0), r')
      else ((add (mul (Integers.double Big_int_Z.unit_big_int) q0)
              Big_int_Z.unit_big_int), (sub r' b)))
      (fun _ ->
      if leb (Integers.double Big_int_Z.unit_big_int) b
      then (Big_int_Z.zero_big_int, Big_int_Z.unit_big_int)
      else (Big_int_Z.unit_big_int, Big_int_Z.zero_big_int))
      a

  (** val div_eucl :
      Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * Big_int_Z.big_int **)

  let div_eucl = Big_int_Z.(fun x y ->
  match sign_big_int y with
  | 0 -> (zero_big_int, x)
  | 1 -> quomod_big_int x y
  | _ -> let (q, r) = quomod_big_int (add_int_big_int (-1) x) y in
          (add_int_big_int (-1) q, add_big_int (add_int_big_int 1 y) r))

  (** val div :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let div = Big_int_Z.(fun x y ->
  match sign_big_int y with
  | 0 -> zero_big_int
  | 1 -> div_big_int x y
  | _ -> add_int_big_int (-1) (div_big_int (add_int_big_int (-1) x) y))

  (** val modulo :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let modulo = Big_int_Z.(fun x y ->
  match sign_big_int y with
  | 0 -> x
  | 1 -> mod_big_int x y
  | _ -> add_big_int y (add_int_big_int 1 (mod_big_int (add_int_big_int (-1) x) y)))

  (** val div2 : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let div2 z0 =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.zero_big_int)
      (fun p ->
      Integers.halve
        (fun _ -> (Coq_Pos.div2 p))
        (fun _ -> (Coq_Pos.div2 p))
        (fun _ -> Big_int_Z.zero_big_int)
        p)
      (fun p -> Big_int_Z.minus_big_int (Coq_Pos.div2_up p))
      z0

  (** val log2 : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let log2 = Integers.log2

  (** val gcd :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let gcd = Integers.gcd

  (** val shiftl :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let shiftl = Big_int_Z.(fun x y ->
  let y = int_of_big_int y in
  if y < 0 then shift_right_big_int x (-y)
  else shift_left_big_int x y)

  (** val shiftr :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let shiftr = Big_int_Z.(fun x y ->
  let y = int_of_big_int y in
  if y < 0 then shift_left_big_int x (-y)
  else shift_right_big_int x y)

  (** val lcm :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let lcm a b =
    abs (mul a (div b (gcd a b)))
 end

(** val zeq_bool : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

let zeq_bool x y =
  match Z.compare x y with
  | Eq -> true
  | _ -> false

(** val nth : nat -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n2 l default =
  match n2 with
  | O -> (match l with
          | [] -> default
          | x :: _ -> x)
  | S m -> (match l with
            | [] -> default
            | _ :: t0 -> nth m t0 default)

(** val rev_append : 'a1 list -> 'a1 list -> 'a1 list **)

let rec rev_append l l' =
  match l with
  | [] -> l'
  | a :: l0 -> rev_append l0 (a :: l')

(** val concat : 'a1 list list -> 'a1 list **)

let rec concat = function
| [] -> []
| x :: l0 -> app x (concat l0)

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t0 -> (f a) :: (map f t0)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t0 -> app (f x) (flat_map f t0)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b :: t0 -> fold_left f t0 (f a0 b)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b :: t0 -> f b (fold_right f a0 t0)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a :: l0 -> (||) (f a) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

(** val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list **)

let rec filter f = function
| [] -> []
| x :: l0 -> if f x then x :: (filter f l0) else filter f l0

(** val seq : nat -> nat -> nat list **)

let rec seq start = function
| O -> []
| S len0 -> start :: (seq (S start) len0)

type q = { qnum : Big_int_Z.big_int; qden : Integers.t }

(** val inject_Z : Big_int_Z.big_int -> q **)

let inject_Z x =
  { qnum = x; qden = Big_int_Z.unit_big_int }

(** val qeq_bool : q -> q -> bool **)

let qeq_bool x y =
  zeq_bool (Z.mul x.qnum y.qden) (Z.mul y.qnum x.qden)

(** val qle_bool : q -> q -> bool **)

let qle_bool x y =
  Z.leb (Z.mul x.qnum y.qden) (Z.mul y.qnum x.qden)

(** val qplus : q -> q -> q **)

let qplus x y =
  { qnum = (Z.add (Z.mul x.qnum y.qden) (Z.mul y.qnum x.qden)); qden =
    (Coq_Pos.mul x.qden y.qden) }

(** val qmult : q -> q -> q **)

let qmult x y =
  { qnum = (Z.mul x.qnum y.qnum); qden = (Coq_Pos.mul x.qden y.qden) }

(** val qopp : q -> q **)

let qopp x =
  { qnum = (Z.opp x.qnum); qden = x.qden }

(** val qminus : q -> q -> q **)

let qminus x y =
  qplus x (qopp y)

(** val qinv : q -> q **)

let qinv x =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> { qnum = Big_int_Z.zero_big_int; qden =
    Big_int_Z.unit_big_int })
    (fun p -> { qnum = x.qden; qden = p })
    (fun p -> { qnum = (Big_int_Z.minus_big_int x.qden); qden = p })
    x.qnum

(** val qdiv : q -> q -> q **)

let qdiv x y =
  qmult x (qinv y)

type state = Integers.t

type label = Integers.t

(** val merge :
    ('a1 -> 'a1 -> bool) -> bool -> 'a1 list -> 'a1 list -> 'a1 list -> 'a1
    list **)

let rec merge leb0 up0 l1 =
  let rec merge_with l2 acc =
    match l1 with
    | [] -> rev_append l2 acc
    | a :: l1' ->
      (match l2 with
       | [] -> rev_append l1 acc
       | b :: l2' ->
         if if up0 then leb0 a b else leb0 b a
         then merge leb0 up0 l1' l2 (a :: acc)
         else merge_with l2' (b :: acc))
  in merge_with

(** val merge_pairs :
    ('a1 -> 'a1 -> bool) -> bool -> 'a1 list list -> 'a1 list list -> 'a1
    list list **)

let rec merge_pairs leb0 up0 ls acc =
  match ls with
  | [] -> acc
  | a :: l ->
    (match l with
     | [] -> rev_append [] ((rev_append a []) :: acc)
     | b :: rest0 ->
       merge_pairs leb0 up0 rest0 ((merge leb0 up0 a b []) :: acc))

(** val merge_all :
    ('a1 -> 'a1 -> bool) -> nat -> bool -> 'a1 list list -> 'a1 list **)

let rec merge_all leb0 fuel up0 ls =
  match fuel with
  | O ->
    (match ls with
     | [] -> []
     | a :: l ->
       (match l with
        | [] -> if up0 then a else rev_append a []
        | _ :: _ -> concat ls))
  | S k ->
    (match ls with
     | [] -> []
     | a :: l ->
       (match l with
        | [] -> if up0 then a else rev_append a []
        | _ :: _ -> merge_all leb0 k (negb up0) (merge_pairs leb0 up0 ls [])))

(** val sort : ('a1 -> 'a1 -> bool) -> 'a1 list -> 'a1 list **)

let sort leb0 l = match l with
| [] -> l
| a :: l0 ->
  (match l0 with
   | [] -> l
   | b :: l1 ->
     (match l1 with
      | [] -> if leb0 a b then l else b :: (a :: [])
      | _ :: _ ->
        merge_all leb0 (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
          (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
          (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
          (S (S
          O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
          true (map (fun x -> x :: []) l)))

(** val collect :
    ('a1 -> 'a1 -> 'a1) -> (state * 'a1) list -> (state * 'a1) list **)

let rec collect add0 = function
| [] -> []
| p :: t0 ->
  let (i, v) = p in
  (match collect add0 t0 with
   | [] -> (i, v) :: []
   | p0 :: r ->
     let (j, u) = p0 in
     if Coq_Pos.eqb i j then (i, (add0 v u)) :: r else (i, v) :: ((j, u) :: r))

(** val state_leb : (state * 'a1) -> (state * 'a1) -> bool **)

let state_leb a b =
  Coq_Pos.leb (fst a) (fst b)

(** val gather :
    ('a1 -> 'a1 -> 'a1) -> (state * 'a1) list -> (state * 'a1) list **)

let gather add0 w =
  collect add0 (sort state_leb w)

(** val entries_ok :
    ('a1 -> 'a1 -> 'a1) -> ('a1 -> bool) -> (state * 'a1) list -> bool **)

let entries_ok add0 test w =
  forallb (fun e -> test (snd e)) (gather add0 w)

type 'a part = label * (state * 'a) list

(** val runs : (state -> label) -> (state * 'a1) list -> 'a1 part list **)

let rec runs lab1 = function
| [] -> []
| p :: t0 ->
  let (i, v) = p in
  (match runs lab1 t0 with
   | [] -> ((lab1 i), ((i, v) :: [])) :: []
   | p0 :: r ->
     let (a, p1) = p0 in
     if Coq_Pos.eqb (lab1 i) a
     then (a, ((i, v) :: p1)) :: r
     else ((lab1 i), ((i, v) :: [])) :: ((a, p1) :: r))

(** val ascending : 'a1 part list -> bool **)

let rec ascending = function
| [] -> true
| p :: r ->
  let (a, _) = p in
  (match r with
   | [] -> true
   | p0 :: _ -> let (b, _) = p0 in (&&) (Coq_Pos.ltb a b) (ascending r))

(** val split :
    (state -> label) -> (state * 'a1) list -> 'a1 part list option **)

let split lab1 w =
  let ps = runs lab1 w in if ascending ps then Some ps else None

(** val reduce : q -> q **)

let reduce q0 =
  Integers.halve
    (fun p ->
    let d = Integers.double_and_one p in
    let g = Z.gcd q0.qnum d in
    { qnum = (Z.div q0.qnum g); qden = (Z.to_pos (Z.div d g)) })
    (fun p ->
    let d = Integers.double p in
    let g = Z.gcd q0.qnum d in
    { qnum = (Z.div q0.qnum g); qden = (Z.to_pos (Z.div d g)) })
    (fun _ -> q0)
    q0.qden

(** val qadd : q -> q -> q **)

let qadd a b =
  reduce (qplus a b)

(** val qmul : q -> q -> q **)

let qmul a b =
  reduce (qmult a b)

(** val qsub : q -> q -> q **)

let qsub a b =
  reduce (qminus a b)

(** val is_zero : q -> bool **)

let is_zero q0 =
  Z.eqb q0.qnum Big_int_Z.zero_big_int

(** val is_nonneg : q -> bool **)

let is_nonneg q0 =
  Z.leb Big_int_Z.zero_big_int q0.qnum

(** val is_nonpos : q -> bool **)

let is_nonpos q0 =
  Z.leb q0.qnum Big_int_Z.zero_big_int

(** val qle : q -> q -> bool **)

let qle =
  qle_bool

(** val qlt : q -> q -> bool **)

let qlt a b =
  negb (qle_bool b a)

(** val qeq : q -> q -> bool **)

let qeq =
  qeq_bool

(** val positive_part : q -> q **)

let positive_part q0 =
  if is_nonneg q0
  then q0
  else { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }

(** val total : ('a1 -> q) -> 'a1 list -> q **)

let rec total f = function
| [] -> { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }
| x :: r -> qadd (f x) (total f r)

type 'x compare0 =
| LT
| EQ
| GT

module type OrderedType =
 sig
  type t

  val compare : t -> t -> t compare0

  val eq_dec : t -> t -> bool
 end

module OrderedTypeFacts =
 functor (O:OrderedType) ->
 struct
  module TO =
   struct
    type t = O.t
   end

  module IsTO =
   struct
   end

  module OrderTac = MakeOrderTac(TO)(IsTO)

  (** val eq_dec : O.t -> O.t -> bool **)

  let eq_dec =
    O.eq_dec

  (** val lt_dec : O.t -> O.t -> bool **)

  let lt_dec x y =
    match O.compare x y with
    | LT -> true
    | _ -> false

  (** val eqb : O.t -> O.t -> bool **)

  let eqb x y =
    if eq_dec x y then true else false
 end

module KeyOrderedType =
 functor (O:OrderedType) ->
 struct
  module MO = OrderedTypeFacts(O)
 end

module PositiveOrderedTypeBits =
 struct
  type t = Integers.t

  (** val compare : t -> t -> Integers.t compare0 **)

  let rec compare p y =
    Integers.halve
      (fun p0 ->
      Integers.halve
        (fun p1 -> compare p0 p1)
        (fun _ -> GT)
        (fun _ -> GT)
        y)
      (fun p0 ->
      Integers.halve
        (fun _ -> LT)
        (fun p1 -> compare p0 p1)
        (fun _ -> LT)
        y)
      (fun _ -> Integers.halve
                  (fun _ -> LT)
                  (fun _ -> GT)
                  (fun _ -> EQ)
                  y)
      p

  (** val eq_dec : Integers.t -> Integers.t -> bool **)

  let eq_dec x y =
    match Coq_Pos.compare x y with
    | Eq -> true
    | _ -> false
 end

(** val append : Integers.t -> Integers.t -> Integers.t **)

let rec append i j =
  Integers.halve
    (fun ii -> Integers.double_and_one (append ii j))
    (fun ii -> Integers.double (append ii j))
    (fun _ -> j)
    i

module PositiveMap =
 struct
  module E = PositiveOrderedTypeBits

  module ME = KeyOrderedType(E)

  type key = Integers.t

  type 'a tree =
  | Leaf
  | Node of 'a tree * 'a option * 'a tree

  type 'a t = 'a tree

  (** val empty : 'a1 t **)

  let empty =
    Leaf

  (** val is_empty : 'a1 t -> bool **)

  let rec is_empty = function
  | Leaf -> true
  | Node (l, o, r) ->
    (match o with
     | Some _ -> false
     | None -> (&&) (is_empty l) (is_empty r))

  (** val find : key -> 'a1 t -> 'a1 option **)

  let rec find i = function
  | Leaf -> None
  | Node (l, o, r) ->
    (Integers.halve
       (fun ii -> find ii r)
       (fun ii -> find ii l)
       (fun _ -> o)
       i)

  (** val mem : key -> 'a1 t -> bool **)

  let rec mem i = function
  | Leaf -> false
  | Node (l, o, r) ->
    (Integers.halve
       (fun ii -> mem ii r)
       (fun ii -> mem ii l)
       (fun _ -> match o with
                 | Some _ -> true
                 | None -> false)
       i)

  (** val add : key -> 'a1 -> 'a1 t -> 'a1 t **)

  let rec add i v = function
  | Leaf ->
    (Integers.halve
       (fun ii -> Node (Leaf, None, (add ii v Leaf)))
       (fun ii -> Node ((add ii v Leaf), None, Leaf))
       (fun _ -> Node (Leaf, (Some v), Leaf))
       i)
  | Node (l, o, r) ->
    (Integers.halve
       (fun ii -> Node (l, o, (add ii v r)))
       (fun ii -> Node ((add ii v l), o, r))
       (fun _ -> Node (l, (Some v), r))
       i)

  (** val remove : key -> 'a1 t -> 'a1 t **)

  let rec remove i m =
    Integers.halve
      (fun ii ->
      match m with
      | Leaf -> Leaf
      | Node (l, o, r) ->
        (match l with
         | Leaf ->
           (match o with
            | Some _ -> Node (l, o, (remove ii r))
            | None ->
              (match remove ii r with
               | Leaf -> Leaf
               | Node (t0, o0, t1) -> Node (Leaf, None, (Node (t0, o0, t1)))))
         | Node (_, _, _) -> Node (l, o, (remove ii r))))
      (fun ii ->
      match m with
      | Leaf -> Leaf
      | Node (l, o, r) ->
        (match o with
         | Some _ -> Node ((remove ii l), o, r)
         | None ->
           (match r with
            | Leaf ->
              (match remove ii l with
               | Leaf -> Leaf
               | Node (t0, o0, t1) -> Node ((Node (t0, o0, t1)), None, Leaf))
            | Node (_, _, _) -> Node ((remove ii l), o, r))))
      (fun _ ->
      match m with
      | Leaf -> Leaf
      | Node (l, _, r) ->
        (match l with
         | Leaf ->
           (match r with
            | Leaf -> Leaf
            | Node (_, _, _) -> Node (l, None, r))
         | Node (_, _, _) -> Node (l, None, r)))
      i

  (** val xelements : 'a1 t -> key -> (key * 'a1) list **)

  let rec xelements m i =
    match m with
    | Leaf -> []
    | Node (l, o, r) ->
      (match o with
       | Some x ->
         app
           (xelements l (append i (Integers.double Big_int_Z.unit_big_int)))
           ((i,
           x) :: (xelements r
                   (append i (Integers.double_and_one Big_int_Z.unit_big_int))))
       | None ->
         app
           (xelements l (append i (Integers.double Big_int_Z.unit_big_int)))
           (xelements r
             (append i (Integers.double_and_one Big_int_Z.unit_big_int))))

  (** val elements : 'a1 t -> (key * 'a1) list **)

  let elements m =
    xelements m Big_int_Z.unit_big_int

  (** val cardinal : 'a1 t -> nat **)

  let rec cardinal = function
  | Leaf -> O
  | Node (l, o, r) ->
    (match o with
     | Some _ -> S (Coq__1.add (cardinal l) (cardinal r))
     | None -> Coq__1.add (cardinal l) (cardinal r))

  (** val xfind : key -> key -> 'a1 t -> 'a1 option **)

  let rec xfind i j m =
    Integers.halve
      (fun ii ->
      Integers.halve
        (fun jj -> xfind ii jj m)
        (fun _ -> None)
        (fun _ -> find i m)
        j)
      (fun ii ->
      Integers.halve
        (fun _ -> None)
        (fun jj -> xfind ii jj m)
        (fun _ -> find i m)
        j)
      (fun _ ->
      Integers.halve
        (fun _ -> None)
        (fun _ -> None)
        (fun _ -> find i m)
        j)
      i

  (** val xmapi : (key -> 'a1 -> 'a2) -> 'a1 t -> key -> 'a2 t **)

  let rec xmapi f m i =
    match m with
    | Leaf -> Leaf
    | Node (l, o, r) ->
      Node ((xmapi f l (append i (Integers.double Big_int_Z.unit_big_int))),
        (option_map (f i) o),
        (xmapi f r
          (append i (Integers.double_and_one Big_int_Z.unit_big_int))))

  (** val mapi : (key -> 'a1 -> 'a2) -> 'a1 t -> 'a2 t **)

  let mapi f m =
    xmapi f m Big_int_Z.unit_big_int

  (** val map : ('a1 -> 'a2) -> 'a1 t -> 'a2 t **)

  let map f m =
    mapi (fun _ -> f) m

  (** val xmap2_l :
      ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a3 t **)

  let rec xmap2_l f = function
  | Leaf -> Leaf
  | Node (l, o, r) -> Node ((xmap2_l f l), (f o None), (xmap2_l f r))

  (** val xmap2_r :
      ('a1 option -> 'a2 option -> 'a3 option) -> 'a2 t -> 'a3 t **)

  let rec xmap2_r f = function
  | Leaf -> Leaf
  | Node (l, o, r) -> Node ((xmap2_r f l), (f None o), (xmap2_r f r))

  (** val _map2 :
      ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t **)

  let rec _map2 f m1 m2 =
    match m1 with
    | Leaf -> xmap2_r f m2
    | Node (l1, o1, r1) ->
      (match m2 with
       | Leaf -> xmap2_l f m1
       | Node (l2, o2, r2) ->
         Node ((_map2 f l1 l2), (f o1 o2), (_map2 f r1 r2)))

  (** val map2 :
      ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t **)

  let map2 f =
    _map2 (fun o1 o2 ->
      match o1 with
      | Some _ -> f o1 o2
      | None -> (match o2 with
                 | Some _ -> f o1 o2
                 | None -> None))

  (** val xfoldi :
      (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> key -> 'a2 **)

  let rec xfoldi f m v i =
    match m with
    | Leaf -> v
    | Node (l, o, r) ->
      (match o with
       | Some x ->
         xfoldi f r
           (f i x
             (xfoldi f l v
               (append i (Integers.double Big_int_Z.unit_big_int))))
           (append i (Integers.double_and_one Big_int_Z.unit_big_int))
       | None ->
         xfoldi f r
           (xfoldi f l v (append i (Integers.double Big_int_Z.unit_big_int)))
           (append i (Integers.double_and_one Big_int_Z.unit_big_int)))

  (** val fold : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> 'a2 **)

  let fold f m i =
    xfoldi f m i Big_int_Z.unit_big_int

  (** val equal : ('a1 -> 'a1 -> bool) -> 'a1 t -> 'a1 t -> bool **)

  let rec equal cmp m1 m2 =
    match m1 with
    | Leaf -> is_empty m2
    | Node (l1, o1, r1) ->
      (match m2 with
       | Leaf -> is_empty m1
       | Node (l2, o2, r2) ->
         (&&)
           ((&&)
             (match o1 with
              | Some v1 ->
                (match o2 with
                 | Some v2 -> cmp v1 v2
                 | None -> false)
              | None -> (match o2 with
                         | Some _ -> false
                         | None -> true)) (equal cmp l1 l2)) (equal cmp r1 r2))
 end

module M = PositiveMap

(** val of_list : (Integers.t * 'a1) list -> 'a1 M.t **)

let of_list l =
  fold_left (fun m e -> M.add (fst e) (snd e) m) l M.empty

type place = { place_label : label; place_rows : (state * q) list list }

type model = { listing : (state * place) list; places : place M.t;
               counts : nat M.t }

(** val make_model : (state * place) list -> model **)

let make_model l =
  { listing = l; places = (of_list l); counts =
    (of_list
      (map (fun e -> ((snd e).place_label, (length (snd e).place_rows))) l)) }

(** val lab : model -> state -> label **)

let lab m i =
  match M.find i m.places with
  | Some p -> p.place_label
  | None -> Big_int_Z.unit_big_int

(** val inputs : model -> label -> nat **)

let inputs m a =
  match M.find a m.counts with
  | Some n2 -> n2
  | None -> S O

(** val row : model -> nat -> state -> (state * q) list **)

let row m k i =
  match M.find i m.places with
  | Some p ->
    nth k p.place_rows ((i, { qnum = Big_int_Z.unit_big_int; qden =
      Big_int_Z.unit_big_int }) :: [])
  | None ->
    (i, { qnum = Big_int_Z.unit_big_int; qden =
      Big_int_Z.unit_big_int }) :: []

(** val clamp : model -> label -> nat -> nat **)

let clamp m a k =
  Nat.min k (pred (inputs m a))

(** val move : model -> nat -> state -> (state * q) list **)

let move m k i =
  row m (clamp m (lab m i) k) i

(** val mass_of : (state * q) list -> q **)

let mass_of r =
  total snd r

(** val row_ok : model -> (state * q) list -> bool **)

let row_ok m r =
  (&&)
    (forallb (fun e ->
      (&&) (is_nonneg (snd e))
        (match M.find (fst e) m.places with
         | Some _ -> true
         | None -> false)) r)
    (qeq (mass_of r) { qnum = Big_int_Z.unit_big_int; qden =
      Big_int_Z.unit_big_int })

(** val place_ok : model -> (state * place) -> bool **)

let place_ok m e =
  (&&)
    ((&&)
      ((&&) (forallb (row_ok m) (snd e).place_rows)
        (Nat.eqb (length (snd e).place_rows) (inputs m (snd e).place_label)))
      (Nat.leb (S O) (length (snd e).place_rows)))
    (negb (Coq_Pos.eqb (snd e).place_label Big_int_Z.unit_big_int))

(** val choices : model -> (state * 'a1) list -> nat **)

let choices m w =
  fold_right (fun e n2 -> Nat.max (inputs m (lab m (fst e))) n2) (S O) w

(** val step :
    model -> (q -> 'a1 -> 'a1) -> nat -> (state * 'a1) list -> (state * 'a1)
    list **)

let step m scale k w =
  flat_map (fun e ->
    map (fun r -> ((fst r), (scale (snd r) (snd e)))) (move m k (fst e))) w

(** val pair_val : q -> (q * q) -> q **)

let pair_val alpha v =
  qminus (fst v) (qmult alpha (snd v))

(** val pair_add : (q * q) -> (q * q) -> q * q **)

let pair_add u v =
  ((qadd (fst u) (fst v)), (qadd (snd u) (snd v)))

(** val pair_scale : q -> (q * q) -> q * q **)

let pair_scale p v =
  ((qmul p (fst v)), (qmul p (snd v)))

type kind =
| Bd
| Ld
| Sd

type flow = { arcs : ((state * state) * q) list; spare : (state * q) list;
              complement : ((state * state) * q) list;
              shift : (state * q) list }

type distance_entry = { d_from : state; d_to : state; d_value : q;
                        d_flows : flow list }

(** val arc_entries : q -> q -> ((state * state) * q) -> (state * q) list **)

let arc_entries alpha sign = function
| (p, v) ->
  let (i, j) = p in
  (i, (qmul sign v)) :: ((j, (qmul (qmult (qopp sign) alpha) v)) :: [])

(** val balance : q -> flow -> (state * q) list **)

let balance alpha fl =
  app (map (fun e -> ((fst e), (qopp (snd e)))) fl.spare)
    (app
      (flat_map
        (arc_entries alpha
          (qopp { qnum = Big_int_Z.unit_big_int; qden =
            Big_int_Z.unit_big_int })) fl.arcs)
      (app
        (flat_map
          (arc_entries alpha { qnum = Big_int_Z.unit_big_int; qden =
            Big_int_Z.unit_big_int }) fl.complement)
        (map (fun e -> ((fst e), (qopp (snd e)))) fl.shift)))

(** val arc_ok : ((state * state) * q) -> bool **)

let arc_ok a =
  is_nonneg (snd a)

(** val feasible :
    q -> ((state * q) list -> bool) -> (state * q) list -> flow -> bool **)

let feasible alpha unseen0 w fl =
  (&&)
    ((&&)
      ((&&) ((&&) (forallb arc_ok fl.arcs) (forallb arc_ok fl.complement))
        (forallb (fun e -> is_nonneg (snd e)) fl.spare))
      (match fl.shift with
       | [] -> true
       | p :: l -> unseen0 (p :: l)))
    (entries_ok qadd is_nonpos (app w (balance alpha fl)))

(** val cost : q -> (state -> state -> q) -> flow -> q **)

let cost alpha d fl =
  qadd
    (total (fun a -> let (y, v) = a in let (i, j) = y in qmul v (d i j))
      fl.arcs)
    (qadd
      (total (fun a ->
        let (y, v) = a in
        let (i, j) = y in
        qmul v
          (qminus (qplus (d i j) alpha) { qnum = Big_int_Z.unit_big_int;
            qden = Big_int_Z.unit_big_int })) fl.complement)
      (mass_of fl.spare))

(** val pair_key : Integers.t -> state -> state -> Integers.t **)

let pair_key base0 s t0 =
  Coq_Pos.add (Coq_Pos.mul s base0) t0

(** val distance_table :
    Integers.t -> distance_entry list -> distance_entry M.t **)

let distance_table base0 entries0 =
  of_list (map (fun e -> ((pair_key base0 e.d_from e.d_to), e)) entries0)

(** val find_distance :
    Integers.t -> distance_entry M.t -> state -> state -> q option **)

let find_distance base0 table0 i j =
  match M.find (pair_key base0 i j) table0 with
  | Some e ->
    if (&&) (Coq_Pos.eqb e.d_from i) (Coq_Pos.eqb e.d_to j)
    then Some e.d_value
    else None
  | None -> None

(** val distance_in :
    Integers.t -> distance_entry M.t -> state -> state -> q **)

let distance_in base0 table0 i j =
  if Coq_Pos.eqb i j
  then { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }
  else (match find_distance base0 table0 i j with
        | Some v -> v
        | None ->
          { qnum = Big_int_Z.unit_big_int; qden = Big_int_Z.unit_big_int })

(** val rows_apart :
    model -> q -> nat -> state -> state -> (state * q) list **)

let rows_apart m alpha k s t0 =
  app (row m k s)
    (map (fun e -> ((fst e), (qmul (qopp alpha) (snd e)))) (row m k t0))

(** val is_kind : kind -> kind -> bool **)

let is_kind a b =
  match a with
  | Bd -> (match b with
           | Bd -> true
           | _ -> false)
  | Ld -> (match b with
           | Ld -> true
           | _ -> false)
  | Sd -> (match b with
           | Sd -> true
           | _ -> false)

(** val flow_allowed : kind -> bool -> flow -> bool **)

let flow_allowed what0 traces fl =
  (&&)
    ((||) (is_kind what0 Sd)
      (match fl.complement with
       | [] -> true
       | _ :: _ -> false))
    ((||) ((&&) (is_kind what0 Sd) traces)
      (match fl.shift with
       | [] -> true
       | _ :: _ -> false))

(** val flows_ok :
    model -> q -> kind -> Integers.t -> bool -> ((state * q) list -> bool) ->
    distance_entry M.t -> state -> state -> q -> nat -> flow list -> bool **)

let rec flows_ok m alpha what0 base0 traces unseen0 table0 s t0 v k = function
| [] -> true
| fl :: rest0 ->
  (&&)
    ((&&)
      ((&&) (flow_allowed what0 traces fl)
        (feasible alpha unseen0 (rows_apart m alpha k s t0) fl))
      (qle (cost alpha (distance_in base0 table0) fl) v))
    (flows_ok m alpha what0 base0 traces unseen0 table0 s t0 v (S k) rest0)

(** val distance_ok :
    model -> q -> kind -> Integers.t -> bool -> ((state * q) list -> bool) ->
    distance_entry M.t -> distance_entry -> bool **)

let distance_ok m alpha what0 base0 traces unseen0 table0 e =
  let s = e.d_from in
  let t0 = e.d_to in
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&) (negb (Coq_Pos.eqb s t0))
              (Coq_Pos.eqb (lab m s) (lab m t0))) (is_nonneg e.d_value))
          (qle e.d_value { qnum = Big_int_Z.unit_big_int; qden =
            Big_int_Z.unit_big_int }))
        (Nat.eqb (length e.d_flows) (inputs m (lab m s))))
      (flows_ok m alpha what0 base0 traces unseen0 table0 s t0 e.d_value O
        e.d_flows))
    ((||) (negb (is_kind what0 Bd))
      (match find_distance base0 table0 t0 s with
       | Some v -> qeq v e.d_value
       | None -> false))

type rule =
| Mass
| Same
| Flow of flow
| Gap
| Step of Integers.t M.t list

type claim = { c_node : Integers.t; c_turned : bool; c_value : q;
               c_rank : Integers.t; c_input : nat; c_rule : rule }

(** val swap : (q * q) -> q * q **)

let swap v =
  ((snd v), (fst v))

(** val turn : bool -> (state * (q * q)) list -> (state * (q * q)) list **)

let turn turned w =
  if turned then map (fun e -> ((fst e), (swap (snd e)))) w else w

(** val x_mass : (state * (q * q)) list -> q **)

let x_mass w =
  total (fun e -> fst (snd e)) w

(** val y_mass : (state * (q * q)) list -> q **)

let y_mass w =
  total (fun e -> snd (snd e)) w

(** val size0 : (state * (q * q)) list -> q **)

let size0 w =
  qadd (x_mass w) (y_mass w)

(** val pair_nonneg : (q * q) -> bool **)

let pair_nonneg v =
  (&&) (is_nonneg (fst v)) (is_nonneg (snd v))

(** val node_nonneg : (state * (q * q)) list -> bool **)

let node_nonneg w =
  forallb (fun e -> pair_nonneg (snd e)) w

(** val node_ok : (state * (q * q)) list -> bool **)

let node_ok w =
  (&&) (node_nonneg w)
    (qlt { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }
      (size0 w))

(** val claim_key : Integers.t -> bool -> Integers.t **)

let claim_key n2 = function
| true -> Integers.double_and_one n2
| false -> Integers.double n2

(** val claim_table : claim list -> claim M.t **)

let claim_table l =
  of_list (map (fun c -> ((claim_key c.c_node c.c_turned), c)) l)

(** val find_claim : claim M.t -> Integers.t -> bool -> claim option **)

let find_claim table0 n2 turned =
  match M.find (claim_key n2 turned) table0 with
  | Some c ->
    if (&&) (Coq_Pos.eqb c.c_node n2) (eqb c.c_turned turned)
    then Some c
    else None
  | None -> None

(** val scaled : q -> (state * (q * q)) list -> (state * (q * q)) list **)

let scaled c w =
  map (fun e -> ((fst e), (pair_scale c (snd e)))) w

(** val belief_of :
    (state * (q * q)) list M.t -> claim -> (state * (q * q)) list option **)

let belief_of nodes1 c =
  option_map (turn c.c_turned) (M.find c.c_node nodes1)

(** val cite :
    (state * (q * q)) list M.t -> ((state * (q * q)) list -> bool) -> claim
    M.t -> bool -> Integers.t M.t -> (q * q) part -> (q * claim) option option **)

let cite nodes1 vanishes1 table0 turned children p =
  if node_nonneg (snd p)
  then (match M.find (fst p) children with
        | Some n2 ->
          (match find_claim table0 n2 turned with
           | Some c ->
             (match belief_of nodes1 c with
              | Some goal ->
                let s = reduce (qdiv (size0 (snd p)) (size0 goal)) in
                if (&&) (is_nonneg s)
                     (vanishes1 (app (snd p) (scaled (qopp s) goal)))
                then Some (Some (s, c))
                else None
              | None -> None)
           | None -> None)
        | None -> Some None)
  else None

(** val parts_of :
    model -> nat -> (state * (q * q)) list -> (q * q) part list option **)

let parts_of m k w =
  split (lab m) (gather pair_add (step m pair_scale k w))

(** val sum_cited :
    ((q * q) part -> q option) -> (q * q) part list -> q option **)

let rec sum_cited f = function
| [] -> Some { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }
| p :: r ->
  (match f p with
   | Some a ->
     (match sum_cited f r with
      | Some b -> Some (qadd a b)
      | None -> None)
   | None -> None)

(** val above :
    (state * (q * q)) list M.t -> ((state * (q * q)) list -> bool) -> claim
    M.t -> bool -> Integers.t M.t -> (q * q) part -> q option **)

let above nodes1 vanishes1 table0 turned children p =
  match cite nodes1 vanishes1 table0 turned children p with
  | Some o ->
    (match o with
     | Some p0 -> let (s, c) = p0 in Some (qmul s c.c_value)
     | None -> Some (x_mass (snd p)))
  | None -> None

(** val steps_above :
    model -> (state * (q * q)) list M.t -> ((state * (q * q)) list -> bool)
    -> claim M.t -> bool -> (state * (q * q)) list -> q -> nat -> Integers.t
    M.t list -> bool **)

let rec steps_above m nodes1 vanishes1 table0 turned w v k = function
| [] -> true
| ch :: rest0 ->
  (&&)
    (match parts_of m k w with
     | Some ps ->
       (match sum_cited (above nodes1 vanishes1 table0 turned ch) ps with
        | Some b -> qle b v
        | None -> false)
     | None -> false)
    (steps_above m nodes1 vanishes1 table0 turned w v (S k) rest0)

(** val signed : q -> (state * (q * q)) list -> (state * q) list **)

let signed alpha w =
  map (fun e -> ((fst e), (reduce (pair_val alpha (snd e))))) w

(** val plain : flow -> bool **)

let plain fl =
  match fl.complement with
  | [] -> (match fl.shift with
           | [] -> true
           | _ :: _ -> false)
  | _ :: _ -> false

(** val upper_ok :
    model -> q -> (state * (q * q)) list M.t -> ((state * (q * q)) list ->
    bool) -> (state -> state -> q) -> claim M.t -> claim -> bool **)

let upper_ok m alpha nodes1 vanishes1 d table0 c =
  match belief_of nodes1 c with
  | Some w ->
    let base0 = positive_part (qsub (x_mass w) (qmul alpha (y_mass w))) in
    (match c.c_rule with
     | Mass -> qle (x_mass w) c.c_value
     | Same ->
       (&&)
         (vanishes1
           (map (fun e -> ((fst e),
             ((qsub (qmul (fst (snd e)) (y_mass w))
                (qmul (snd (snd e)) (x_mass w))), { qnum =
             Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }))) w))
         (qle base0 c.c_value)
     | Flow fl ->
       (&&)
         ((&&) (plain fl)
           (feasible alpha (fun _ -> false) (signed alpha w) fl))
         (qle (cost alpha d fl) c.c_value)
     | Gap -> false
     | Step children ->
       (&&)
         ((&&) (qle base0 c.c_value)
           (Nat.eqb (length children) (choices m w)))
         (steps_above m nodes1 vanishes1 table0 c.c_turned w c.c_value O
           children))
  | None -> false

type basis = { region : state list; columns : q M.t list; one : q list;
               images : (label * q list list) list }

(** val at_state : q M.t -> state -> q **)

let at_state column i =
  match M.find i column with
  | Some v -> v
  | None -> { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }

(** val is_inside : unit M.t -> state -> bool **)

let is_inside inside i =
  match M.find i inside with
  | Some _ -> true
  | None -> false

(** val combined : q list -> q M.t list -> state -> q **)

let rec combined weights cs i =
  match weights with
  | [] -> { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }
  | w :: ws ->
    (match cs with
     | [] -> { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }
     | c :: cs0 -> qadd (qmul w (at_state c i)) (combined ws cs0 i))

(** val into : model -> label -> (state * q) list -> (state * q) list **)

let into m a r =
  filter (fun e -> Coq_Pos.eqb (lab m (fst e)) a) r

(** val product : (state * q) list -> q M.t -> q **)

let product n2 column =
  total (fun e -> qmul (snd e) (at_state column (fst e))) n2

(** val images_ok :
    model -> basis -> label -> q list list -> q M.t list -> bool **)

let rec images_ok m b a weights cs =
  match weights with
  | [] -> (match cs with
           | [] -> true
           | _ :: _ -> false)
  | ws :: weights0 ->
    (match cs with
     | [] -> false
     | c :: cs0 ->
       (&&)
         ((&&) (Nat.eqb (length ws) (length b.columns))
           (forallb (fun i ->
             qeq (product (into m a (row m O i)) c) (combined ws b.columns i))
             b.region)) (images_ok m b a weights0 cs0))

(** val region_ok : model -> basis -> unit M.t -> state -> bool **)

let region_ok m b inside i =
  (&&)
    ((&&) ((&&) (is_inside inside i) (Nat.eqb (inputs m (lab m i)) (S O)))
      (forallb (fun e ->
        (&&) (is_inside inside (fst e))
          (existsb (fun im -> Coq_Pos.eqb (fst im) (lab m (fst e))) b.images))
        (row m O i)))
    (qeq (combined b.one b.columns i) { qnum = Big_int_Z.unit_big_int; qden =
      Big_int_Z.unit_big_int })

(** val basis_ok : model -> basis -> unit M.t -> bool **)

let basis_ok m b inside =
  (&&)
    ((&&) (Nat.eqb (length b.one) (length b.columns))
      (forallb (region_ok m b inside) b.region))
    (forallb (fun im -> images_ok m b (fst im) (snd im) b.columns) b.images)

(** val orthogonal : basis -> unit M.t -> (state * q) list -> bool **)

let orthogonal b inside n2 =
  (&&) (forallb (fun e -> is_inside inside (fst e)) n2)
    (forallb (fun c -> is_zero (product n2 c)) b.columns)

(** val pair_zero : (q * q) -> bool **)

let pair_zero v =
  (&&) (is_zero (fst v)) (is_zero (snd v))

(** val region_table : basis -> unit M.t **)

let region_table b =
  of_list (map (fun i -> (i, ())) b.region)

(** val vanishes :
    (basis * unit M.t) option -> (state * (q * q)) list -> bool **)

let vanishes tables w =
  match tables with
  | Some p ->
    let (b, inside) = p in
    (&&) (orthogonal b inside (map (fun e -> ((fst e), (fst (snd e)))) w))
      (orthogonal b inside (map (fun e -> ((fst e), (snd (snd e)))) w))
  | None -> entries_ok pair_add pair_zero w

(** val unseen :
    model -> (basis * unit M.t) option -> (state * q) list -> bool **)

let unseen m tables n2 =
  match tables with
  | Some p ->
    let (b, inside) = p in
    (match split (lab m) (gather qadd n2) with
     | Some ps -> forallb (fun p0 -> orthogonal b inside (snd p0)) ps
     | None -> false)
  | None -> false

(** val basis_tables : basis option -> (basis * unit M.t) option **)

let basis_tables ob =
  option_map (fun b -> (b, (region_table b))) ob

(** val gap : q -> (state * (q * q)) list -> q **)

let gap alpha w =
  positive_part (qsub (x_mass w) (qmul alpha (y_mass w)))

(** val below :
    q -> (state * (q * q)) list M.t -> ((state * (q * q)) list -> bool) ->
    claim M.t -> bool -> Integers.t M.t -> (q * q) part -> q option **)

let below alpha nodes1 vanishes1 table0 turned children p =
  match cite nodes1 vanishes1 table0 turned children p with
  | Some o ->
    (match o with
     | Some p0 -> let (s, c) = p0 in Some (qmul s c.c_value)
     | None -> Some (gap alpha (snd p)))
  | None -> None

(** val falls :
    (state * (q * q)) list M.t -> ((state * (q * q)) list -> bool) -> claim
    M.t -> claim -> Integers.t M.t -> (q * q) part -> bool **)

let falls nodes1 vanishes1 table0 c children p =
  (&&)
    (qlt { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }
      (size0 (snd p)))
    (match cite nodes1 vanishes1 table0 c.c_turned children p with
     | Some o ->
       (match o with
        | Some p0 -> let (_, d) = p0 in Coq_Pos.ltb d.c_rank c.c_rank
        | None -> true)
     | None -> true)

(** val lower_ok :
    model -> q -> (state * (q * q)) list M.t -> ((state * (q * q)) list ->
    bool) -> claim M.t -> claim -> bool **)

let lower_ok m alpha nodes1 vanishes1 table0 c =
  match belief_of nodes1 c with
  | Some w ->
    (match c.c_rule with
     | Gap -> qle c.c_value (gap alpha w)
     | Step children0 ->
       (match children0 with
        | [] -> false
        | children :: l ->
          (match l with
           | [] ->
             (match parts_of m c.c_input w with
              | Some ps ->
                (&&)
                  (match sum_cited
                           (below alpha nodes1 vanishes1 table0 c.c_turned
                             children) ps with
                   | Some b -> qle c.c_value b
                   | None -> false)
                  (existsb (falls nodes1 vanishes1 table0 c children) ps)
              | None -> false)
           | _ :: _ -> false))
     | _ -> false)
  | None -> false

type price_entry = { p_from : state; p_to : state; p_value : q;
                     p_rank : Integers.t; p_input : nat;
                     p_reach : (state * q) list; p_start : (state * q) list }

(** val add_state : state list M.t -> (state * place) -> state list M.t **)

let add_state t0 e =
  let a = (snd e).place_label in
  M.add a ((fst e) :: (match M.find a t0 with
                       | Some l -> l
                       | None -> [])) t0

(** val by_label : model -> state list M.t **)

let by_label m =
  fold_left add_state m.listing M.empty

(** val price_pairs :
    kind -> price_entry -> ((state * state) * price_entry) list **)

let price_pairs what0 e =
  ((e.p_from, e.p_to),
    e) :: (if is_kind what0 Bd then ((e.p_to, e.p_from), e) :: [] else [])

(** val price_table :
    kind -> Integers.t -> price_entry list -> price_entry M.t **)

let price_table what0 base0 entries0 =
  of_list
    (map (fun x ->
      let (y, e) = x in let (i, j) = y in ((pair_key base0 i j), e))
      (flat_map (price_pairs what0) entries0))

(** val find_price :
    kind -> Integers.t -> price_entry M.t -> state -> state -> price_entry
    option **)

let find_price what0 base0 table0 i j =
  match M.find (pair_key base0 i j) table0 with
  | Some e ->
    if (||) ((&&) (Coq_Pos.eqb e.p_from i) (Coq_Pos.eqb e.p_to j))
         ((&&) ((&&) (is_kind what0 Bd) (Coq_Pos.eqb e.p_from j))
           (Coq_Pos.eqb e.p_to i))
    then Some e
    else None
  | None -> None

(** val price_in :
    kind -> Integers.t -> price_entry M.t -> state -> state -> q **)

let price_in what0 base0 table0 i j =
  match find_price what0 base0 table0 i j with
  | Some e -> e.p_value
  | None -> { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }

(** val start_in :
    kind -> Integers.t -> price_entry M.t -> Integers.t -> state -> state -> q **)

let start_in what0 base0 table0 rank i j =
  match find_price what0 base0 table0 i j with
  | Some e ->
    if Coq_Pos.ltb e.p_rank rank
    then { qnum = Big_int_Z.unit_big_int; qden = Big_int_Z.unit_big_int }
    else { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }
  | None -> { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }

(** val price_ok :
    model -> q -> kind -> state list M.t -> (state -> state -> q) -> q M.t ->
    (state * q) -> bool **)

let price_ok m alpha what0 groups0 bound f e =
  let i = fst e in
  let fi = at_state f i in
  (&&)
    ((&&)
      ((&&) (is_nonneg fi)
        (qle fi { qnum = Big_int_Z.unit_big_int; qden =
          Big_int_Z.unit_big_int }))
      (negb (Coq_Pos.eqb (lab m i) Big_int_Z.unit_big_int)))
    (match M.find (lab m i) groups0 with
     | Some l ->
       forallb (fun j ->
         (||) (Coq_Pos.eqb i j)
           (let fj = at_state f j in
            (&&) (qle (qminus fi (qmult alpha fj)) (bound i j))
              ((||) (negb (is_kind what0 Sd))
                (qle
                  (qminus
                    (qminus { qnum = Big_int_Z.unit_big_int; qden =
                      Big_int_Z.unit_big_int } fj)
                    (qmult alpha
                      (qminus { qnum = Big_int_Z.unit_big_int; qden =
                        Big_int_Z.unit_big_int } fi))) (bound j i))))) l
     | None -> false)

(** val priced :
    model -> q -> kind -> state list M.t -> (state -> state -> q) -> state ->
    state -> nat -> (state * q) list -> q option **)

let priced m alpha what0 groups0 bound s t0 k l =
  let f = of_list l in
  if forallb (price_ok m alpha what0 groups0 bound f) l
  then Some (product (rows_apart m alpha k s t0) f)
  else None

(** val entry_ok :
    model -> q -> kind -> Integers.t -> state list M.t -> price_entry M.t ->
    price_entry -> bool **)

let entry_ok m alpha what0 base0 groups0 table0 e =
  let s = e.p_from in
  let t0 = e.p_to in
  (&&)
    ((&&)
      ((&&)
        ((&&) (Coq_Pos.eqb (lab m s) (lab m t0))
          (Nat.ltb e.p_input (inputs m (lab m s))))
        (qlt { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }
          e.p_value))
      (match priced m alpha what0 groups0 (price_in what0 base0 table0) s t0
               e.p_input e.p_reach with
       | Some r -> qle e.p_value r
       | None -> false))
    (match priced m alpha what0 groups0
             (start_in what0 base0 table0 e.p_rank) s t0 e.p_input e.p_start with
     | Some r ->
       qlt { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int } r
     | None -> false)

(** val first : state M.t -> state -> state **)

let first table0 i =
  match M.find i table0 with
  | Some r -> r
  | None -> i

(** val push : state M.t -> (state * q) list -> (state * q) list **)

let push table0 r =
  map (fun e -> ((first table0 (fst e)), (snd e))) r

(** val quotient : model -> state M.t -> model **)

let quotient m table0 =
  if M.is_empty table0
  then m
  else make_model
         (map (fun e -> ((fst e), { place_label = (snd e).place_label;
           place_rows =
           (map (fun r -> gather qadd (push table0 r)) (snd e).place_rows) }))
           (filter (fun e -> Coq_Pos.eqb (first table0 (fst e)) (fst e))
             m.listing))

(** val opposite : (state * q) list -> (state * q) list **)

let opposite r =
  map (fun e -> ((fst e), (qopp (snd e)))) r

(** val rows_match :
    state M.t -> (state * q) list list -> (state * q) list list -> bool **)

let rec rows_match table0 rs rs' =
  match rs with
  | [] -> (match rs' with
           | [] -> true
           | _ :: _ -> false)
  | r :: rs0 ->
    (match rs' with
     | [] -> false
     | r' :: rs'0 ->
       (&&) (entries_ok qadd is_zero (app (push table0 r) (opposite r')))
         (rows_match table0 rs0 rs'0))

(** val merge_ok : model -> state M.t -> (state * place) -> bool **)

let merge_ok m' table0 e =
  match M.find (first table0 (fst e)) m'.places with
  | Some p' ->
    (&&) (Coq_Pos.eqb p'.place_label (snd e).place_label)
      (rows_match table0 (snd e).place_rows p'.place_rows)
  | None -> false

(** val div_up :
    Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

let div_up a b =
  Z.opp (Z.div (Z.opp a) b)

type irow = { bottom : Big_int_Z.big_int;
              shares : (state * (Big_int_Z.big_int * Big_int_Z.big_int)) list }

(** val longest : Big_int_Z.big_int **)

let longest =
  (Integers.double_and_one (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one
    Big_int_Z.unit_big_int))))))))))))))))))))))))))))))

(** val rounded : Big_int_Z.big_int **)

let rounded =
  (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double
    Big_int_Z.unit_big_int))))))))))))))))))))))))))))))

(** val common_denominator : (state * q) list -> Big_int_Z.big_int **)

let common_denominator r =
  fold_left (fun d e -> Z.lcm d (snd e).qden) r Big_int_Z.unit_big_int

(** val integer_row : (state * q) list -> irow **)

let integer_row r =
  let c = common_denominator r in
  let d =
    if Z.leb c Big_int_Z.zero_big_int
    then Big_int_Z.unit_big_int
    else if Z.ltb longest c then rounded else c
  in
  { bottom = d; shares =
  (map (fun e ->
    let { qnum = n2; qden = q0 } = snd e in
    ((fst e), ((Z.div (Z.mul n2 d) q0), (div_up (Z.mul n2 d) q0)))) r) }

(** val share :
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    (Big_int_Z.big_int * Big_int_Z.big_int) -> Big_int_Z.big_int **)

let share v d s =
  Z.div (Z.mul v (if Z.ltb Big_int_Z.zero_big_int v then fst s else snd s)) d

(** val integer_rows : model -> irow list M.t **)

let integer_rows m =
  M.map (fun p -> map integer_row p.place_rows) m.places

(** val irow_at : irow list M.t -> nat -> state -> irow **)

let irow_at rows k i =
  match M.find i rows with
  | Some rs ->
    nth (Nat.min k (pred (length rs))) rs
      (integer_row ((i, { qnum = Big_int_Z.unit_big_int; qden =
        Big_int_Z.unit_big_int }) :: []))
  | None ->
    integer_row ((i, { qnum = Big_int_Z.unit_big_int; qden =
      Big_int_Z.unit_big_int }) :: [])

(** val istep :
    irow list M.t -> nat -> (state * Big_int_Z.big_int) list ->
    (state * Big_int_Z.big_int) list **)

let istep rows k w =
  flat_map (fun e ->
    let r = irow_at rows k (fst e) in
    map (fun s -> ((fst s), (share (snd e) r.bottom (snd s)))) r.shares) w

(** val iparts :
    model -> irow list M.t -> nat -> (state * Big_int_Z.big_int) list ->
    Big_int_Z.big_int part list option **)

let iparts m rows k w =
  split (lab m) (gather Z.add (istep rows k w))

(** val sides_of :
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
    Big_int_Z.big_int -> Big_int_Z.big_int * Big_int_Z.big_int **)

let rec sides_of w pos neg =
  match w with
  | [] -> (pos, neg)
  | p :: r ->
    let (_, v) = p in
    if Z.ltb Big_int_Z.zero_big_int v
    then sides_of r (Z.add pos v) neg
    else sides_of r pos (Z.sub neg v)

(** val both_sides :
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int * Big_int_Z.big_int **)

let both_sides w =
  sides_of w Big_int_Z.zero_big_int Big_int_Z.zero_big_int

(** val gain_of :
    (Big_int_Z.big_int * Big_int_Z.big_int) -> Big_int_Z.big_int **)

let gain_of s =
  Z.max (Z.sub (fst s) (snd s)) Big_int_Z.zero_big_int

(** val nonzero :
    (state * Big_int_Z.big_int) list -> (state * Big_int_Z.big_int) list **)

let nonzero w =
  filter (fun e -> negb (Z.eqb (snd e) Big_int_Z.zero_big_int)) w

(** val expand : Big_int_Z.big_int **)

let expand =
  Big_int_Z.minus_big_int Big_int_Z.unit_big_int

(** val leaf : Big_int_Z.big_int **)

let leaf =
  Big_int_Z.minus_big_int (Integers.double Big_int_Z.unit_big_int)

(** val unit_bits : Big_int_Z.big_int **)

let unit_bits =
  (Integers.double (Integers.double_and_one (Integers.double_and_one
    (Integers.double_and_one Big_int_Z.unit_big_int))))

(** val vector_unit : Big_int_Z.big_int **)

let vector_unit =
  (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double
    Big_int_Z.unit_big_int))))))))))))))))))))))))))))))

type vector =
| Always of bool
| Listed of Big_int_Z.big_int M.t

type vector_entry = { v_label : label; v_after : (label * Integers.t) list;
                      v_input : nat }

(** val value_at : vector -> state -> Big_int_Z.big_int option **)

let value_at v i =
  match v with
  | Always b -> Some (if b then vector_unit else Big_int_Z.zero_big_int)
  | Listed t0 -> M.find i t0

(** val assoc :
    label -> (label * (vector * Big_int_Z.big_int)) list ->
    (vector * Big_int_Z.big_int) option **)

let rec assoc a = function
| [] -> None
| p :: r -> let (b, v) = p in if Coq_Pos.eqb a b then Some v else assoc a r

(** val weigh :
    model -> (label * (vector * Big_int_Z.big_int)) list ->
    (state * (Big_int_Z.big_int * Big_int_Z.big_int)) list ->
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option **)

let rec weigh m after0 l s d =
  match l with
  | [] -> Some (s, d)
  | p :: r ->
    let (j, p0) = p in
    let (low0, high0) = p0 in
    (match assoc (lab m j) after0 with
     | Some p1 ->
       let (v, _) = p1 in
       (match value_at v j with
        | Some z0 ->
          weigh m after0 r (Z.add s (Z.mul low0 z0))
            (Z.add d (Z.sub high0 low0))
        | None -> None)
     | None -> weigh m after0 r s (Z.add d (Z.sub high0 low0)))

(** val valued :
    model -> irow list M.t -> (label * (vector * Big_int_Z.big_int)) list ->
    nat -> state list -> (state * Big_int_Z.big_int) list ->
    Big_int_Z.big_int -> ((state * Big_int_Z.big_int)
    list * Big_int_Z.big_int) option **)

let rec valued m rows after0 k l acc worst =
  match l with
  | [] -> Some (acc, worst)
  | i :: r ->
    let row2 = irow_at rows k i in
    (match weigh m after0 row2.shares Big_int_Z.zero_big_int
             Big_int_Z.zero_big_int with
     | Some p ->
       let (s, d) = p in
       let z0 = Z.div s row2.bottom in
       if Z.leb Big_int_Z.zero_big_int z0
       then valued m rows after0 k r ((i, z0) :: acc)
              (Z.max worst (div_up (Z.mul d vector_unit) row2.bottom))
       else None
     | None -> None)

(** val resolve :
    (vector * Big_int_Z.big_int) M.t -> (label * Integers.t) list ->
    (label * (vector * Big_int_Z.big_int)) list option **)

let rec resolve known = function
| [] -> Some []
| p :: r ->
  let (b, n2) = p in
  (match M.find n2 known with
   | Some v ->
     (match resolve known r with
      | Some l0 -> Some ((b, v) :: l0)
      | None -> None)
   | None -> None)

(** val make_vector :
    model -> irow list M.t -> state list M.t -> (vector * Big_int_Z.big_int)
    M.t -> vector_entry -> (vector * Big_int_Z.big_int) option **)

let make_vector m rows groups0 known e =
  match resolve known e.v_after with
  | Some after0 ->
    (match M.find e.v_label groups0 with
     | Some states ->
       let height =
         fold_left (fun h x -> Z.max h (snd (snd x))) after0
           Big_int_Z.zero_big_int
       in
       (match valued m rows after0 e.v_input states [] Big_int_Z.zero_big_int with
        | Some p ->
          let (l, worst) = p in
          Some ((Listed (of_list l)),
          (Z.add (Z.add height Big_int_Z.unit_big_int) worst))
        | None -> None)
     | None -> None)
  | None -> None

(** val make_vectors :
    model -> irow list M.t -> state list M.t -> vector_entry list ->
    Integers.t -> (vector * Big_int_Z.big_int) M.t ->
    (vector * Big_int_Z.big_int) M.t option **)

let rec make_vectors m rows groups0 l next known =
  match l with
  | [] -> Some known
  | e :: r ->
    (match make_vector m rows groups0 known e with
     | Some v ->
       make_vectors m rows groups0 r (Coq_Pos.succ next) (M.add next v known)
     | None -> None)

(** val vectors_of :
    model -> irow list M.t -> state list M.t -> vector_entry list ->
    (vector * Big_int_Z.big_int) M.t option **)

let vectors_of m rows groups0 l =
  make_vectors m rows groups0 l (Integers.double_and_one
    Big_int_Z.unit_big_int)
    (M.add Big_int_Z.unit_big_int ((Always false), Big_int_Z.zero_big_int)
      (M.add (Integers.double Big_int_Z.unit_big_int) ((Always true),
        Big_int_Z.zero_big_int) M.empty))

(** val weighted :
    vector -> (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
    Big_int_Z.big_int option **)

let rec weighted v w s =
  match w with
  | [] -> Some s
  | p :: r ->
    let (i, x) = p in
    (match value_at v i with
     | Some z0 -> weighted v r (Z.add s (Z.shiftr (Z.mul x z0) unit_bits))
     | None -> None)

(** val against :
    (vector * Big_int_Z.big_int) -> (state * Big_int_Z.big_int) list ->
    Big_int_Z.big_int option **)

let against vh w =
  match if Z.leb Big_int_Z.zero_big_int (snd vh)
        then weighted (fst vh) w Big_int_Z.zero_big_int
        else None with
  | Some s ->
    Some
      (Z.sub s
        (Z.mul
          (Z.add (Z.shiftr (snd (both_sides w)) unit_bits)
            Big_int_Z.unit_big_int) (snd vh)))
  | None -> None

(** val stays :
    irow list M.t -> (state * Big_int_Z.big_int) list -> nat -> bool **)

let stays rows w k =
  forallb (fun e ->
    forallb (fun s -> Coq_Pos.eqb (fst s) (fst e))
      (irow_at rows k (fst e)).shares) w

(** val uniform : model -> (state * Big_int_Z.big_int) list -> bool **)

let uniform m = function
| [] -> true
| p :: r ->
  let (i, _) = p in forallb (fun e -> Coq_Pos.eqb (lab m (fst e)) (lab m i)) r

(** val asked :
    model -> irow list M.t -> bool -> (state * Big_int_Z.big_int) list -> nat
    list **)

let asked m rows single w =
  if single
  then O :: []
  else let all = seq O (choices m w) in
       if uniform m w
       then (match filter (fun k -> negb (stays rows w k)) all with
             | [] -> O :: []
             | n2 :: l -> n2 :: l)
       else all

type walk =
  (state * Big_int_Z.big_int) list -> Big_int_Z.big_int list ->
  ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int list) option

(** val over_parts :
    walk -> Big_int_Z.big_int part list -> Big_int_Z.big_int list ->
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int list) option **)

let rec over_parts go ps toks b a =
  match ps with
  | [] -> Some ((b, a), toks)
  | p :: r ->
    (match nonzero (snd p) with
     | [] -> over_parts go r toks b a
     | p0 :: l ->
       (match go (p0 :: l) toks with
        | Some p1 ->
          let (p2, toks') = p1 in
          let (b', a') = p2 in over_parts go r toks' (Z.add b b') (Z.add a a')
        | None -> None))

(** val over_inputs :
    model -> irow list M.t -> walk -> (state * Big_int_Z.big_int) list -> nat
    list -> Big_int_Z.big_int list -> (Big_int_Z.big_int * Big_int_Z.big_int)
    option -> ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int
    list) option **)

let rec over_inputs m rows go w ks toks best =
  match ks with
  | [] -> (match best with
           | Some p -> Some (p, toks)
           | None -> None)
  | k :: r ->
    (match iparts m rows k w with
     | Some ps ->
       (match over_parts go ps toks Big_int_Z.zero_big_int
                Big_int_Z.zero_big_int with
        | Some p ->
          let (p0, toks') = p in
          let (b, a) = p0 in
          over_inputs m rows go w r toks' (Some
            (match best with
             | Some p1 -> let (b0, a0) = p1 in ((Z.max b0 b), (Z.max a0 a))
             | None -> (b, a)))
        | None -> None)
     | None -> None)

(** val eval :
    model -> irow list M.t -> (vector * Big_int_Z.big_int) M.t -> bool ->
    Big_int_Z.big_int list -> (state * Big_int_Z.big_int) list ->
    Big_int_Z.big_int list ->
    ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int list) option **)

let rec eval m rows vectors1 single fuel w toks =
  match fuel with
  | [] -> None
  | _ :: fuel' ->
    (match toks with
     | [] -> None
     | t0 :: rest0 ->
       if Z.eqb t0 expand
       then over_inputs m rows (eval m rows vectors1 single fuel') w
              (asked m rows single w) rest0 None
       else let s = both_sides w in
            let g = gain_of s in
            if Z.eqb t0 leaf
            then Some ((g, (snd s)), rest0)
            else (match M.find (Z.to_pos (Z.add t0 Big_int_Z.unit_big_int))
                          vectors1 with
                  | Some v ->
                    (match against v w with
                     | Some b -> Some (((Z.max g b), (snd s)), rest0)
                     | None -> None)
                  | None -> None))

(** val tree_bounds :
    model -> irow list M.t -> (vector * Big_int_Z.big_int) M.t -> bool ->
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int list ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option **)

let tree_bounds m rows vectors1 single root1 toks =
  match eval m rows vectors1 single toks root1 toks with
  | Some p -> let (p0, l) = p in (match l with
                                  | [] -> Some p0
                                  | _ :: _ -> None)
  | None -> None

(** val keys_leb :
    Big_int_Z.big_int list -> Big_int_Z.big_int list -> bool **)

let rec keys_leb a b =
  match a with
  | [] -> true
  | x :: a0 ->
    (match b with
     | [] -> false
     | y :: b0 -> if Z.eqb x y then keys_leb a0 b0 else Z.ltb x y)

(** val keys_eqb :
    Big_int_Z.big_int list -> Big_int_Z.big_int list -> bool **)

let rec keys_eqb a b =
  match a with
  | [] -> (match b with
           | [] -> true
           | _ :: _ -> false)
  | x :: a0 ->
    (match b with
     | [] -> false
     | y :: b0 -> (&&) (Z.eqb x y) (keys_eqb a0 b0))

(** val grouped :
    (Big_int_Z.big_int list * 'a1) list -> Big_int_Z.big_int list -> 'a1 list
    -> 'a1 list list -> 'a1 list list **)

let rec grouped l key0 current acc =
  match l with
  | [] -> current :: acc
  | p :: r ->
    let (k, w) = p in
    if keys_eqb k key0
    then grouped r key0 (w :: current) acc
    else grouped r k (w :: []) (current :: acc)

(** val groups_of : (Big_int_Z.big_int list * 'a1) list -> 'a1 list list **)

let groups_of l =
  match sort (fun a b -> keys_leb (fst a) (fst b)) l with
  | [] -> []
  | p :: r -> let (k, w) = p in grouped r k (w :: []) []

(** val zip_add :
    (state * Big_int_Z.big_int) list -> (state * Big_int_Z.big_int) list ->
    (state * Big_int_Z.big_int) list option **)

let rec zip_add a b =
  match a with
  | [] -> (match b with
           | [] -> Some []
           | _ :: _ -> None)
  | p :: a0 ->
    let (i, x) = p in
    (match b with
     | [] -> None
     | p0 :: b0 ->
       let (j, y) = p0 in
       if Coq_Pos.eqb i j
       then option_map (fun x0 -> (i, (Z.add x y)) :: x0) (zip_add a0 b0)
       else None)

(** val total_of :
    (state * Big_int_Z.big_int) list -> (state * Big_int_Z.big_int) list list
    -> (state * Big_int_Z.big_int) list option **)

let rec total_of first2 = function
| [] -> Some first2
| w :: r ->
  (match zip_add first2 w with
   | Some s -> total_of s r
   | None -> None)

(** val bit_length : Big_int_Z.big_int -> Big_int_Z.big_int **)

let bit_length z0 =
  if Z.ltb Big_int_Z.zero_big_int z0
  then Z.add (Z.log2 z0) Big_int_Z.unit_big_int
  else Big_int_Z.zero_big_int

(** val leading : Big_int_Z.big_int -> Big_int_Z.big_int **)

let leading z0 =
  Z.shiftr z0
    (Z.sub (bit_length z0) (Integers.double (Integers.double (Integers.double
      (Integers.double_and_one (Integers.double Big_int_Z.unit_big_int))))))

(** val direction :
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
    Big_int_Z.big_int list **)

let direction w size2 =
  let whole0 = leading size2 in
  let length0 = bit_length size2 in
  flat_map (fun e ->
    let v = Z.abs (snd e) in
    (fst e) :: ((if Z.ltb (snd e) Big_int_Z.zero_big_int
                 then Big_int_Z.unit_big_int
                 else Big_int_Z.zero_big_int) :: ((Z.sub length0
                                                    (bit_length v)) :: (
    (Z.div
      (Z.shiftl (leading v) (Integers.double (Integers.double
        (Integers.double_and_one Big_int_Z.unit_big_int)))) whole0) :: []))))
    w

(** val sift :
    Big_int_Z.big_int -> Big_int_Z.big_int part list -> (Big_int_Z.big_int
    list * (state * Big_int_Z.big_int) list) list -> Big_int_Z.big_int ->
    Big_int_Z.big_int -> ((Big_int_Z.big_int
    list * (state * Big_int_Z.big_int) list)
    list * Big_int_Z.big_int) * Big_int_Z.big_int **)

let rec sift dust ps kept b a =
  match ps with
  | [] -> ((kept, b), a)
  | p :: r ->
    let s = both_sides (snd p) in
    if Z.leb (Z.min (fst s) (snd s)) dust
    then sift dust r kept (Z.add b (gain_of s)) (Z.add a (snd s))
    else let w = nonzero (snd p) in
         sift dust r (((direction w (Z.add (fst s) (snd s))), w) :: kept) b a

(** val expand_level :
    model -> irow list M.t -> Big_int_Z.big_int ->
    (state * Big_int_Z.big_int) list list -> (Big_int_Z.big_int
    list * (state * Big_int_Z.big_int) list) list -> Big_int_Z.big_int ->
    Big_int_Z.big_int -> (((Big_int_Z.big_int
    list * (state * Big_int_Z.big_int) list)
    list * Big_int_Z.big_int) * Big_int_Z.big_int) option **)

let rec expand_level m rows dust level kept b a =
  match level with
  | [] -> Some ((kept, b), a)
  | w :: r ->
    (match iparts m rows O w with
     | Some ps ->
       let (p, a') = sift dust ps kept b a in
       let (kept', b') = p in expand_level m rows dust r kept' b' a'
     | None -> None)

(** val remainder :
    (state * Big_int_Z.big_int) list -> (state * Big_int_Z.big_int) list ->
    Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int option **)

let rec remainder t0 w size2 whole0 acc =
  match t0 with
  | [] -> (match w with
           | [] -> Some acc
           | _ :: _ -> None)
  | p :: t1 ->
    let (i, c) = p in
    (match w with
     | [] -> None
     | p0 :: w0 ->
       let (j, v) = p0 in
       if Coq_Pos.eqb i j
       then remainder t1 w0 size2 whole0
              (Z.add acc
                (Z.max (Z.sub (div_up (Z.mul c size2) whole0) v)
                  Big_int_Z.zero_big_int))
       else None)

(** val size_of : (state * Big_int_Z.big_int) list -> Big_int_Z.big_int **)

let size_of w =
  let s = both_sides w in Z.add (fst s) (snd s)

(** val remainders :
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
    (state * Big_int_Z.big_int) list list -> Big_int_Z.big_int ->
    Big_int_Z.big_int option **)

let rec remainders t0 whole0 l acc =
  match l with
  | [] -> Some acc
  | w :: r ->
    if Z.leb Big_int_Z.zero_big_int (size_of w)
    then (match remainder t0 w (size_of w) whole0 Big_int_Z.zero_big_int with
          | Some x -> remainders t0 whole0 r (Z.add acc x)
          | None -> None)
    else None

(** val join :
    (state * Big_int_Z.big_int) list list -> ((state * Big_int_Z.big_int)
    list * Big_int_Z.big_int) option **)

let join g = match g with
| [] -> None
| w :: r ->
  (match r with
   | [] -> Some (w, Big_int_Z.zero_big_int)
   | _ :: _ ->
     (match total_of w r with
      | Some t0 ->
        let whole0 =
          fold_right (fun w0 s -> Z.add (size_of w0) s)
            Big_int_Z.zero_big_int g
        in
        if Z.ltb Big_int_Z.zero_big_int whole0
        then option_map (fun x -> (t0, x))
               (remainders t0 whole0 g Big_int_Z.zero_big_int)
        else None
      | None -> None))

(** val join_all :
    (state * Big_int_Z.big_int) list list list -> (state * Big_int_Z.big_int)
    list list -> Big_int_Z.big_int -> ((state * Big_int_Z.big_int) list
    list * Big_int_Z.big_int) option **)

let rec join_all gs out a =
  match gs with
  | [] -> Some (out, a)
  | g :: r ->
    (match join g with
     | Some p -> let (t0, x) = p in join_all r (t0 :: out) (Z.add a x)
     | None -> None)

(** val level_step :
    model -> irow list M.t -> Big_int_Z.big_int ->
    (((state * Big_int_Z.big_int) list
    list * Big_int_Z.big_int) * Big_int_Z.big_int) option ->
    (((state * Big_int_Z.big_int) list
    list * Big_int_Z.big_int) * Big_int_Z.big_int) option **)

let level_step m rows dust st = match st with
| Some p ->
  let (p0, a) = p in
  let (level, b) = p0 in
  (match level with
   | [] -> st
   | _ :: _ ->
     (match expand_level m rows dust level [] Big_int_Z.zero_big_int
              Big_int_Z.zero_big_int with
      | Some p1 ->
        let (p2, a1) = p1 in
        let (kept, b1) = p2 in
        (match join_all (groups_of kept) [] Big_int_Z.zero_big_int with
         | Some p3 ->
           let (next, a2) = p3 in
           Some ((next, (Z.add b b1)), (Z.add (Z.add a a1) a2))
         | None -> None)
      | None -> None))
| None -> st

(** val masses :
    (state * Big_int_Z.big_int) list list -> Big_int_Z.big_int ->
    Big_int_Z.big_int -> Big_int_Z.big_int * Big_int_Z.big_int **)

let rec masses level b a =
  match level with
  | [] -> (b, a)
  | w :: r ->
    let s = both_sides w in masses r (Z.add b (gain_of s)) (Z.add a (snd s))

(** val levels_bounds :
    model -> irow list M.t -> (state * Big_int_Z.big_int) list ->
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option **)

let levels_bounds m rows root1 depth dust =
  match N.iter depth (level_step m rows dust) (Some (((root1 :: []),
          Big_int_Z.zero_big_int), Big_int_Z.zero_big_int)) with
  | Some p ->
    let (p0, a) = p in let (level, b) = p0 in Some (masses level b a)
  | None -> None

(** val signs :
    (state * Big_int_Z.big_int) list ->
    ((state * Big_int_Z.big_int) * (state * Big_int_Z.big_int)) option option **)

let signs w =
  let l = nonzero w in
  if (||) (forallb (fun e -> Z.leb Big_int_Z.zero_big_int (snd e)) l)
       (forallb (fun e -> Z.leb (snd e) Big_int_Z.zero_big_int) l)
  then Some None
  else (match l with
        | [] -> None
        | p :: l0 ->
          let (i, x) = p in
          (match l0 with
           | [] -> None
           | p0 :: l1 ->
             (match l1 with
              | [] ->
                Some (Some
                  (if Z.ltb Big_int_Z.zero_big_int x
                   then ((i, x), p0)
                   else (p0, (i, x))))
              | _ :: _ -> None)))

(** val position :
    Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int **)

let position pos neg size2 =
  let shift0 =
    Z.max
      (Z.sub (bit_length (Z.add pos neg)) (Integers.double (Integers.double
        (Integers.double (Integers.double_and_one (Integers.double
        Big_int_Z.unit_big_int)))))) Big_int_Z.zero_big_int
  in
  Z.min (Z.sub size2 Big_int_Z.unit_big_int)
    (Z.div (Z.mul (Z.shiftr pos shift0) size2)
      (Z.max (Z.shiftr (Z.add pos neg) shift0) Big_int_Z.unit_big_int))

(** val place_below :
    Big_int_Z.big_int -> (state * Big_int_Z.big_int) list list ->
    (Big_int_Z.big_int list * (state * Big_int_Z.big_int) list) list ->
    Big_int_Z.big_int -> ((Big_int_Z.big_int
    list * (state * Big_int_Z.big_int) list) list * Big_int_Z.big_int) option **)

let rec place_below size2 ps kept b =
  match ps with
  | [] -> Some (kept, b)
  | w :: r ->
    (match signs w with
     | Some o ->
       (match o with
        | Some p ->
          let (p0, p1) = p in
          let (i, x) = p0 in
          let (j, y) = p1 in
          place_below size2 r
            (((i :: (j :: ((position x (Z.opp y) size2) :: []))), ((i,
            x) :: ((j, y) :: []))) :: kept) b
        | None -> place_below size2 r kept (Z.add b (gain_of (both_sides w))))
     | None -> None)

(** val parts_of_all :
    model -> irow list M.t -> (state * Big_int_Z.big_int) list list ->
    (state * Big_int_Z.big_int) list list -> (state * Big_int_Z.big_int) list
    list option **)

let rec parts_of_all m rows level acc =
  match level with
  | [] -> Some acc
  | w :: r ->
    (match iparts m rows O w with
     | Some ps -> parts_of_all m rows r (app (map snd ps) acc)
     | None -> None)

(** val sum_groups :
    (state * Big_int_Z.big_int) list list list -> (state * Big_int_Z.big_int)
    list list -> (state * Big_int_Z.big_int) list list option **)

let rec sum_groups gs out =
  match gs with
  | [] -> Some out
  | l :: r ->
    (match l with
     | [] -> sum_groups r out
     | w :: g ->
       (match total_of w g with
        | Some t0 -> sum_groups r (t0 :: out)
        | None -> None))

(** val cells_below :
    Big_int_Z.big_int -> (state * Big_int_Z.big_int) list list ->
    Big_int_Z.big_int -> ((state * Big_int_Z.big_int) list
    list * Big_int_Z.big_int) option **)

let cells_below size2 ps b =
  match place_below size2 ps [] b with
  | Some p ->
    let (kept, b') = p in
    option_map (fun out -> (out, b')) (sum_groups (groups_of kept) [])
  | None -> None

(** val below_step :
    model -> irow list M.t -> Big_int_Z.big_int ->
    ((state * Big_int_Z.big_int) list list * Big_int_Z.big_int) option ->
    ((state * Big_int_Z.big_int) list list * Big_int_Z.big_int) option **)

let below_step m rows size2 st = match st with
| Some p ->
  let (level, b) = p in
  (match level with
   | [] -> st
   | _ :: _ ->
     (match parts_of_all m rows level [] with
      | Some ps -> cells_below size2 ps b
      | None -> None))
| None -> st

(** val grid_below :
    model -> irow list M.t -> Big_int_Z.big_int ->
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
    Big_int_Z.big_int option **)

let grid_below m rows size2 root1 depth =
  match N.iter depth (below_step m rows size2)
          (cells_below size2 (root1 :: []) Big_int_Z.zero_big_int) with
  | Some p ->
    let (level, b) = p in Some (fst (masses level b Big_int_Z.zero_big_int))
  | None -> None

type cell = { plus : state; minus : state; place_of : Big_int_Z.big_int;
              weight : Big_int_Z.big_int }

(** val cell_belief :
    Big_int_Z.big_int -> cell -> (state * Big_int_Z.big_int) list **)

let cell_belief size2 c =
  (c.plus, (Z.opp (Z.mul c.weight c.place_of))) :: ((c.minus,
    (Z.mul c.weight (Z.sub size2 c.place_of))) :: [])

(** val keep :
    Big_int_Z.big_int -> cell -> (Big_int_Z.big_int list * cell) list ->
    (Big_int_Z.big_int list * cell) list **)

let keep size2 c l =
  if (&&)
       ((&&) (Z.ltb Big_int_Z.zero_big_int c.place_of)
         (Z.ltb c.place_of size2))
       (negb (Z.eqb c.weight Big_int_Z.zero_big_int))
  then ((c.plus :: (c.minus :: (c.place_of :: []))), c) :: l
  else l

(** val cover :
    Big_int_Z.big_int -> state -> Big_int_Z.big_int -> state ->
    Big_int_Z.big_int -> ((cell * cell) * Big_int_Z.big_int) option **)

let cover size2 i pos j neg =
  let k = position pos neg size2 in
  let whole0 = Z.div (Z.add pos neg) size2 in
  let rest0 = Z.modulo (Z.add pos neg) size2 in
  let upper =
    Z.min
      (Z.max
        (Z.sub (Z.sub pos (Z.mul k whole0)) (div_up (Z.mul k rest0) size2))
        Big_int_Z.zero_big_int) whole0
  in
  let lower = Z.sub whole0 upper in
  let uncovered =
    Z.add
      (Z.max
        (Z.sub (Z.sub pos (Z.mul lower k))
          (Z.mul upper (Z.add k Big_int_Z.unit_big_int)))
        Big_int_Z.zero_big_int)
      (Z.max
        (Z.sub
          (Z.add (Z.mul lower (Z.sub size2 k))
            (Z.mul upper (Z.sub (Z.sub size2 k) Big_int_Z.unit_big_int))) neg)
        Big_int_Z.zero_big_int)
  in
  if (&&)
       ((&&)
         ((&&) (Z.leb Big_int_Z.zero_big_int lower)
           (Z.leb Big_int_Z.zero_big_int upper))
         (Z.leb Big_int_Z.zero_big_int k)) (Z.ltb k size2)
  then Some (({ plus = i; minus = j; place_of = k; weight = lower }, { plus =
         i; minus = j; place_of = (Z.add k Big_int_Z.unit_big_int); weight =
         upper }),
         (Z.add uncovered
           (if Z.eqb (Z.add k Big_int_Z.unit_big_int) size2
            then Z.mul upper size2
            else Big_int_Z.zero_big_int)))
  else None

(** val place_above :
    Big_int_Z.big_int -> (state * Big_int_Z.big_int) list list ->
    (Big_int_Z.big_int list * cell) list -> Big_int_Z.big_int ->
    ((Big_int_Z.big_int list * cell) list * Big_int_Z.big_int) option **)

let rec place_above size2 ps kept a =
  match ps with
  | [] -> Some (kept, a)
  | w :: r ->
    (match signs w with
     | Some o ->
       (match o with
        | Some p ->
          let (p0, p1) = p in
          let (i, x) = p0 in
          let (j, y) = p1 in
          (match cover size2 j (Z.opp y) i x with
           | Some p2 ->
             let (p3, u) = p2 in
             let (c1, c2) = p3 in
             place_above size2 r (keep size2 c1 (keep size2 c2 kept))
               (Z.add a u)
           | None -> None)
        | None -> place_above size2 r kept (Z.add a (snd (both_sides w))))
     | None -> None)

(** val same_cells : cell -> cell list -> bool **)

let rec same_cells c = function
| [] -> true
| d :: r ->
  (&&)
    ((&&)
      ((&&) ((&&) (Coq_Pos.eqb c.plus d.plus) (Coq_Pos.eqb c.minus d.minus))
        (Z.eqb c.place_of d.place_of))
      (Z.leb Big_int_Z.zero_big_int d.weight)) (same_cells c r)

(** val join_cells : cell list -> cell option **)

let join_cells g = match g with
| [] -> None
| c :: l ->
  (match l with
   | [] -> Some c
   | _ :: _ ->
     let w = fold_right (fun d s -> Z.add d.weight s) Big_int_Z.zero_big_int g
     in
     if (&&) (same_cells c g) (Z.ltb Big_int_Z.zero_big_int w)
     then Some { plus = c.plus; minus = c.minus; place_of = c.place_of;
            weight = w }
     else None)

(** val join_groups : cell list list -> cell list -> cell list option **)

let rec join_groups gs out =
  match gs with
  | [] -> Some out
  | g :: r ->
    (match join_cells g with
     | Some c -> join_groups r (c :: out)
     | None -> None)

(** val cells_above :
    Big_int_Z.big_int -> (state * Big_int_Z.big_int) list list ->
    Big_int_Z.big_int -> (cell list * Big_int_Z.big_int) option **)

let cells_above size2 ps a =
  match place_above size2 ps [] a with
  | Some p ->
    let (kept, a') = p in
    option_map (fun out -> (out, a')) (join_groups (groups_of kept) [])
  | None -> None

(** val above_step :
    model -> irow list M.t -> Big_int_Z.big_int -> (cell
    list * Big_int_Z.big_int) option -> (cell list * Big_int_Z.big_int) option **)

let above_step m rows size2 st = match st with
| Some p ->
  let (level, a) = p in
  (match level with
   | [] -> st
   | _ :: _ ->
     (match parts_of_all m rows (map (cell_belief size2) level) [] with
      | Some ps -> cells_above size2 ps a
      | None -> None))
| None -> st

(** val grid_above :
    model -> irow list M.t -> Big_int_Z.big_int ->
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
    Big_int_Z.big_int option **)

let grid_above m rows size2 root1 depth =
  match N.iter depth (above_step m rows size2)
          (cells_above size2 (root1 :: []) Big_int_Z.zero_big_int) with
  | Some p ->
    let (level, a) = p in
    Some
    (snd (masses (map (cell_belief size2) level) Big_int_Z.zero_big_int a))
  | None -> None

type recipe_kind =
| TreeRecipe of Big_int_Z.big_int list
| LevelsRecipe of Big_int_Z.big_int * Big_int_Z.big_int
| GridRecipe of Big_int_Z.big_int * Big_int_Z.big_int

type recipe = { r_from : state; r_to : state; r_kind : recipe_kind }

type result = { of_from : state; of_to : state; is_below : Big_int_Z.big_int;
                is_above : Big_int_Z.big_int }

(** val root :
    Big_int_Z.big_int -> q -> state -> state -> (state * Big_int_Z.big_int)
    list **)

let root unit2 alpha s t0 =
  (s, unit2) :: ((t0,
    (Z.div (Z.mul (Z.opp alpha.qnum) unit2) alpha.qden)) :: [])

(** val run :
    model -> irow list M.t -> (vector * Big_int_Z.big_int) M.t -> bool ->
    Big_int_Z.big_int -> q -> recipe -> result option **)

let run m rows vectors1 single unit2 alpha r =
  let w = root unit2 alpha r.r_from r.r_to in
  let found1 =
    match r.r_kind with
    | TreeRecipe tokens -> tree_bounds m rows vectors1 single w tokens
    | LevelsRecipe (depth, dust) ->
      if single then levels_bounds m rows w depth dust else None
    | GridRecipe (size2, depth) ->
      if single
      then (match grid_below m rows size2 w depth with
            | Some b ->
              (match grid_above m rows size2 w depth with
               | Some a -> Some (b, a)
               | None -> None)
            | None -> None)
      else None
  in
  option_map (fun ba -> { of_from = r.r_from; of_to = r.r_to; is_below =
    (fst ba); is_above = (snd ba) }) found1

(** val lowest : Big_int_Z.big_int -> result -> q **)

let lowest unit2 x =
  reduce (qdiv (inject_Z x.is_below) (inject_Z unit2))

(** val highest : Big_int_Z.big_int -> q -> result -> q **)

let highest unit2 alpha' x =
  positive_part
    (reduce
      (qplus
        (qminus { qnum = Big_int_Z.unit_big_int; qden =
          Big_int_Z.unit_big_int } alpha')
        (qdiv (inject_Z x.is_above) (inject_Z unit2))))

type subject =
| AboutDistance
| AboutNode of Integers.t
| AboutDelta

type statement = { about : subject; st_from : state; st_to : state;
                   st_lower : q; st_upper : q }

type certificate = { alpha_upper : q; alpha_lower : q; what : kind;
                     key_base : Integers.t; merges : (state * state) list;
                     trace_basis : basis option;
                     distances : distance_entry list;
                     prices : price_entry list;
                     nodes : (Integers.t * (state * (q * q)) list) list;
                     uppers : claim list; lowers : claim list;
                     bits : Big_int_Z.big_int; vectors : vector_entry list;
                     recipes : recipe list; statements : statement list }

(** val first_bad :
    ('a1 -> bool) -> 'a1 list -> Big_int_Z.big_int -> Big_int_Z.big_int option **)

let rec first_bad test l k =
  match l with
  | [] -> None
  | x :: r ->
    if test x
    then first_bad test r (Z.add k Big_int_Z.unit_big_int)
    else Some k

(** val identical : q -> q -> bool **)

let identical a b =
  (&&) (Z.eqb a.qnum b.qnum) (Coq_Pos.eqb a.qden b.qden)

(** val is_known : model -> state -> bool **)

let is_known m i =
  match M.find i m.places with
  | Some _ -> true
  | None -> false

(** val is_some : 'a1 option -> bool **)

let is_some = function
| Some _ -> true
| None -> false

(** val claimed : claim M.t -> Integers.t -> bool -> q -> q **)

let claimed table0 n2 turned default =
  match find_claim table0 n2 turned with
  | Some c -> c.c_value
  | None -> default

(** val is_single : model -> bool **)

let is_single m =
  forallb (fun e -> Nat.eqb (length (snd e).place_rows) (S O)) m.listing

(** val unit_of : certificate -> Big_int_Z.big_int **)

let unit_of c =
  Z.shiftl Big_int_Z.unit_big_int c.bits

(** val run_all :
    (recipe -> result option) -> recipe list -> Big_int_Z.big_int -> result
    list -> result list * Big_int_Z.big_int option **)

let rec run_all go l k done0 =
  match l with
  | [] -> (done0, None)
  | r :: rest0 ->
    (match go r with
     | Some x ->
       run_all go rest0 (Z.add k Big_int_Z.unit_big_int) (x :: done0)
     | None -> ([], (Some k)))

(** val results_of :
    model -> certificate -> result list * Big_int_Z.big_int option **)

let results_of m c =
  match c.recipes with
  | [] -> ([], None)
  | _ :: _ ->
    let rows = integer_rows m in
    if Z.ltb Big_int_Z.zero_big_int (unit_of c)
    then (match vectors_of m rows (by_label m) c.vectors with
          | Some vs ->
            run_all (run m rows vs (is_single m) (unit_of c) c.alpha_lower)
              c.recipes Big_int_Z.zero_big_int []
          | None -> ([], (Some Big_int_Z.zero_big_int)))
    else ([], (Some Big_int_Z.zero_big_int))

type checked = { ck_model : model; ck_first : state M.t;
                 ck_distance : distance_entry M.t;
                 ck_prices : price_entry M.t;
                 ck_nodes : (state * (q * q)) list M.t; ck_upper : claim M.t;
                 ck_lower : claim M.t; ck_results : result list }

(** val about_pair : state -> state -> result -> bool **)

let about_pair s t0 x =
  (&&) (Coq_Pos.eqb x.of_from s) (Coq_Pos.eqb x.of_to t0)

(** val point : state -> state -> (state * (q * q)) list **)

let point s t0 =
  (s, ({ qnum = Big_int_Z.unit_big_int; qden = Big_int_Z.unit_big_int },
    { qnum = Big_int_Z.zero_big_int; qden =
    Big_int_Z.unit_big_int })) :: ((t0, ({ qnum = Big_int_Z.zero_big_int;
    qden = Big_int_Z.unit_big_int }, { qnum = Big_int_Z.unit_big_int; qden =
    Big_int_Z.unit_big_int })) :: [])

(** val statement_ok :
    model -> certificate -> checked -> statement -> bool **)

let statement_ok m c k st =
  let s = first k.ck_first st.st_from in
  let t0 = first k.ck_first st.st_to in
  (&&)
    ((&&) ((&&) (is_known m st.st_from) (is_known m st.st_to))
      (match st.about with
       | AboutDistance -> identical c.alpha_upper c.alpha_lower
       | _ -> true))
    (if Coq_Pos.eqb (lab k.ck_model s) (lab k.ck_model t0)
     then (match st.about with
           | AboutDistance ->
             (&&)
               (qle (distance_in c.key_base k.ck_distance s t0) st.st_upper)
               (qle st.st_lower (price_in c.what c.key_base k.ck_prices s t0))
           | AboutNode n2 ->
             (&&)
               ((&&)
                 (match M.find n2 k.ck_nodes with
                  | Some w ->
                    entries_ok pair_add pair_zero
                      (app w
                        (scaled
                          (qopp { qnum = Big_int_Z.unit_big_int; qden =
                            Big_int_Z.unit_big_int }) (point s t0)))
                  | None -> false)
                 (forallb (fun d ->
                   qle
                     (claimed k.ck_upper n2 d { qnum =
                       Big_int_Z.unit_big_int; qden =
                       Big_int_Z.unit_big_int }) st.st_upper)
                   (false :: (true :: []))))
               (existsb (fun d ->
                 qle st.st_lower
                   (claimed k.ck_lower n2 d { qnum = Big_int_Z.zero_big_int;
                     qden = Big_int_Z.unit_big_int }))
                 (false :: (true :: [])))
           | AboutDelta ->
             (&&)
               (forallb (fun p ->
                 (||)
                   (qle
                     (distance_in c.key_base k.ck_distance (fst p) (snd p))
                     st.st_upper)
                   (existsb (fun x ->
                     (&&) (about_pair (fst p) (snd p) x)
                       (qle (highest (unit_of c) c.alpha_upper x) st.st_upper))
                     k.ck_results)) ((s, t0) :: ((t0, s) :: [])))
               ((||)
                 (qle st.st_lower { qnum = Big_int_Z.zero_big_int; qden =
                   Big_int_Z.unit_big_int })
                 (existsb (fun x ->
                   (&&) ((||) (about_pair s t0 x) (about_pair t0 s x))
                     (qle st.st_lower (lowest (unit_of c) x))) k.ck_results)))
     else (&&)
            (qle { qnum = Big_int_Z.unit_big_int; qden =
              Big_int_Z.unit_big_int } st.st_upper)
            (qle st.st_lower { qnum = Big_int_Z.unit_big_int; qden =
              Big_int_Z.unit_big_int }))

(** val check :
    (state * place) list -> certificate ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option **)

let check listed c =
  let m = make_model listed in
  let table0 = of_list c.merges in
  let m' = quotient m table0 in
  let bt = basis_tables c.trace_basis in
  let ds = distance_table c.key_base c.distances in
  let ns = of_list c.nodes in
  let us = claim_table c.uppers in
  let ls = claim_table c.lowers in
  let ps = price_table c.what c.key_base c.prices in
  if negb
       ((&&)
         (qle { qnum = Big_int_Z.unit_big_int; qden =
           Big_int_Z.unit_big_int } c.alpha_upper)
         (qle c.alpha_upper c.alpha_lower))
  then Some (Big_int_Z.unit_big_int, Big_int_Z.zero_big_int)
  else (match first_bad (place_ok m) listed Big_int_Z.zero_big_int with
        | Some i -> Some ((Integers.double Big_int_Z.unit_big_int), i)
        | None ->
          (match first_bad (place_ok m') m'.listing Big_int_Z.zero_big_int with
           | Some i ->
             Some ((Integers.double_and_one Big_int_Z.unit_big_int), i)
           | None ->
             (match first_bad (merge_ok m' table0) listed
                      Big_int_Z.zero_big_int with
              | Some i ->
                Some ((Integers.double_and_one Big_int_Z.unit_big_int), i)
              | None ->
                if negb
                     (match c.trace_basis with
                      | Some b -> basis_ok m' b (region_table b)
                      | None -> true)
                then Some ((Integers.double (Integers.double
                       Big_int_Z.unit_big_int)), Big_int_Z.zero_big_int)
                else (match first_bad
                              (distance_ok m' c.alpha_upper c.what c.key_base
                                (is_some c.trace_basis) (unseen m' bt) ds)
                              c.distances Big_int_Z.zero_big_int with
                      | Some i ->
                        Some ((Integers.double_and_one (Integers.double
                          Big_int_Z.unit_big_int)), i)
                      | None ->
                        (match if is_some c.trace_basis
                               then first_bad (fun _ -> false) c.prices
                                      Big_int_Z.zero_big_int
                               else let groups0 = by_label m' in
                                    first_bad
                                      (entry_ok m' c.alpha_lower c.what
                                        c.key_base groups0 ps) c.prices
                                      Big_int_Z.zero_big_int with
                         | Some i ->
                           Some ((Integers.double (Integers.double_and_one
                             Big_int_Z.unit_big_int)), i)
                         | None ->
                           (match first_bad (fun e -> node_ok (snd e))
                                    c.nodes Big_int_Z.zero_big_int with
                            | Some i ->
                              Some ((Integers.double_and_one
                                (Integers.double_and_one
                                Big_int_Z.unit_big_int)), i)
                            | None ->
                              (match first_bad
                                       (upper_ok m' c.alpha_upper ns
                                         (vanishes bt)
                                         (distance_in c.key_base ds) us)
                                       c.uppers Big_int_Z.zero_big_int with
                               | Some i ->
                                 Some ((Integers.double (Integers.double
                                   (Integers.double
                                   Big_int_Z.unit_big_int))), i)
                               | None ->
                                 (match first_bad
                                          (lower_ok m' c.alpha_lower ns
                                            (vanishes bt) ls) c.lowers
                                          Big_int_Z.zero_big_int with
                                  | Some i ->
                                    Some ((Integers.double_and_one
                                      (Integers.double (Integers.double
                                      Big_int_Z.unit_big_int))), i)
                                  | None ->
                                    let (rs, o) = results_of m' c in
                                    (match o with
                                     | Some i ->
                                       Some ((Integers.double
                                         (Integers.double_and_one
                                         (Integers.double
                                         Big_int_Z.unit_big_int))), i)
                                     | None ->
                                       let k = { ck_model = m'; ck_first =
                                         table0; ck_distance = ds;
                                         ck_prices = ps; ck_nodes = ns;
                                         ck_upper = us; ck_lower = ls;
                                         ck_results = rs }
                                       in
                                       (match first_bad (statement_ok m c k)
                                                c.statements
                                                Big_int_Z.zero_big_int with
                                        | Some i ->
                                          Some ((Integers.double_and_one
                                            (Integers.double_and_one
                                            (Integers.double
                                            Big_int_Z.unit_big_int))), i)
                                        | None -> None))))))))))

(** val version : Big_int_Z.big_int **)

let version =
  Big_int_Z.unit_big_int

type 'a reader =
  Big_int_Z.big_int list -> ('a * Big_int_Z.big_int list) option

(** val bind : 'a1 reader -> ('a1 -> 'a2 reader) -> 'a2 reader **)

let bind p f l =
  match p l with
  | Some p0 -> let (a, r) = p0 in f a r
  | None -> None

(** val give : 'a1 -> 'a1 reader **)

let give a l =
  Some (a, l)

(** val fail : 'a1 reader **)

let fail _ =
  None

(** val integer : Big_int_Z.big_int reader **)

let integer = function
| [] -> None
| z0 :: r -> Some (z0, r)

(** val number : Integers.t reader **)

let number =
  bind integer (fun z0 ->
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> fail)
      (fun p -> give p)
      (fun _ -> fail)
      z0)

(** val small : nat reader **)

let small =
  bind integer (fun z0 ->
    if (&&) (Z.leb Big_int_Z.zero_big_int z0)
         (Z.leb z0 (Integers.double (Integers.double (Integers.double
           (Integers.double (Integers.double (Integers.double_and_one
           (Integers.double (Integers.double_and_one (Integers.double
           (Integers.double_and_one (Integers.double_and_one (Integers.double
           (Integers.double (Integers.double (Integers.double
           (Integers.double_and_one Big_int_Z.unit_big_int)))))))))))))))))
    then give (Z.to_nat z0)
    else fail)

(** val flag : bool reader **)

let flag =
  bind integer (fun z0 ->
    if Z.eqb z0 Big_int_Z.zero_big_int
    then give false
    else if Z.eqb z0 Big_int_Z.unit_big_int then give true else fail)

(** val rational : q reader **)

let rational =
  bind integer (fun n2 -> bind number (fun d -> give { qnum = n2; qden = d }))

(** val many :
    'a1 reader -> Big_int_Z.big_int list -> Big_int_Z.big_int -> 'a1 list ->
    Big_int_Z.big_int list -> ('a1 list * Big_int_Z.big_int list) option **)

let rec many p fuel n2 acc l =
  if Z.leb n2 Big_int_Z.zero_big_int
  then Some ((rev_append acc []), l)
  else (match fuel with
        | [] -> None
        | _ :: fuel0 ->
          (match p l with
           | Some p0 ->
             let (a, r) = p0 in
             many p fuel0 (Z.sub n2 Big_int_Z.unit_big_int) (a :: acc) r
           | None -> None))

(** val list_of : 'a1 reader -> 'a1 list reader **)

let list_of p =
  bind integer (fun n2 l -> many p l n2 [] l)

(** val pair_of : 'a1 reader -> 'a2 reader -> ('a1 * 'a2) reader **)

let pair_of p q0 =
  bind p (fun a -> bind q0 (fun b -> give (a, b)))

(** val entry : (state * q) reader **)

let entry =
  pair_of number rational

(** val arc : ((state * state) * q) reader **)

let arc =
  pair_of (pair_of number number) rational

(** val place_reader : (state * place) reader **)

let place_reader =
  bind number (fun i ->
    bind number (fun a ->
      bind (list_of (list_of entry)) (fun rows ->
        give (i, { place_label = a; place_rows = rows }))))

(** val flow_reader : flow reader **)

let flow_reader =
  bind (list_of arc) (fun a ->
    bind (list_of entry) (fun e ->
      bind (list_of arc) (fun c ->
        bind (list_of entry) (fun s ->
          give { arcs = a; spare = e; complement = c; shift = s }))))

(** val distance_reader : distance_entry reader **)

let distance_reader =
  bind number (fun s ->
    bind number (fun t0 ->
      bind rational (fun v ->
        bind (list_of flow_reader) (fun f ->
          give { d_from = s; d_to = t0; d_value = v; d_flows = f }))))

(** val price_reader : price_entry reader **)

let price_reader =
  bind number (fun s ->
    bind number (fun t0 ->
      bind rational (fun v ->
        bind number (fun r ->
          bind small (fun k ->
            bind (list_of entry) (fun f ->
              bind (list_of entry) (fun g ->
                give { p_from = s; p_to = t0; p_value = v; p_rank = r;
                  p_input = k; p_reach = f; p_start = g })))))))

(** val natural : Big_int_Z.big_int reader **)

let natural =
  bind integer (fun z0 ->
    if Z.leb Big_int_Z.zero_big_int z0 then give (Z.to_N z0) else fail)

(** val vector_reader : vector_entry reader **)

let vector_reader =
  bind number (fun a ->
    bind (list_of (pair_of number number)) (fun l ->
      bind small (fun k -> give { v_label = a; v_after = l; v_input = k })))

(** val recipe_reader : recipe reader **)

let recipe_reader =
  bind number (fun s ->
    bind number (fun t0 ->
      bind integer (fun z0 ->
        bind
          (if Z.eqb z0 Big_int_Z.zero_big_int
           then bind (list_of integer) (fun l -> give (TreeRecipe l))
           else if Z.eqb z0 Big_int_Z.unit_big_int
                then bind natural (fun d ->
                       bind integer (fun x -> give (LevelsRecipe (d, x))))
                else if Z.eqb z0 (Integers.double Big_int_Z.unit_big_int)
                     then bind integer (fun g ->
                            bind natural (fun d -> give (GridRecipe (g, d))))
                     else fail) (fun k ->
          give { r_from = s; r_to = t0; r_kind = k }))))

(** val rule_reader : rule reader **)

let rule_reader =
  bind integer (fun z0 ->
    if Z.eqb z0 Big_int_Z.zero_big_int
    then give Mass
    else if Z.eqb z0 Big_int_Z.unit_big_int
         then give Same
         else if Z.eqb z0 (Integers.double Big_int_Z.unit_big_int)
              then give Gap
              else if Z.eqb z0 (Integers.double_and_one
                        Big_int_Z.unit_big_int)
                   then bind flow_reader (fun f -> give (Flow f))
                   else if Z.eqb z0 (Integers.double (Integers.double
                             Big_int_Z.unit_big_int))
                        then bind (list_of (list_of (pair_of number number)))
                               (fun c -> give (Step (map of_list c)))
                        else fail)

(** val claim_reader : claim reader **)

let claim_reader =
  bind number (fun n2 ->
    bind flag (fun d ->
      bind rational (fun v ->
        bind number (fun r ->
          bind small (fun k ->
            bind rule_reader (fun rl ->
              give { c_node = n2; c_turned = d; c_value = v; c_rank = r;
                c_input = k; c_rule = rl }))))))

(** val basis_reader : basis reader **)

let basis_reader =
  bind (list_of number) (fun r ->
    bind (list_of (list_of entry)) (fun c ->
      bind (list_of rational) (fun o ->
        bind (list_of (pair_of number (list_of (list_of rational))))
          (fun i ->
          give { region = r; columns = (map of_list c); one = o; images = i }))))

(** val node_reader : (Integers.t * (state * (q * q)) list) reader **)

let node_reader =
  bind number (fun n2 ->
    bind (list_of (pair_of number (pair_of rational rational))) (fun w ->
      give (n2, w)))

(** val statement_reader : statement reader **)

let statement_reader =
  bind integer (fun z0 ->
    bind integer (fun n2 ->
      bind number (fun s ->
        bind number (fun t0 ->
          bind rational (fun l ->
            bind rational (fun u ->
              bind
                (if Z.eqb z0 Big_int_Z.zero_big_int
                 then give AboutDistance
                 else if Z.eqb z0 Big_int_Z.unit_big_int
                      then give AboutDelta
                      else ((fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
                              (fun _ -> fail)
                              (fun p -> give (AboutNode p))
                              (fun _ -> fail)
                              n2)) (fun b ->
                give { about = b; st_from = s; st_to = t0; st_lower = l;
                  st_upper = u })))))))

(** val kind_reader : kind reader **)

let kind_reader =
  bind integer (fun z0 ->
    if Z.eqb z0 Big_int_Z.zero_big_int
    then give Bd
    else if Z.eqb z0 Big_int_Z.unit_big_int
         then give Ld
         else if Z.eqb z0 (Integers.double Big_int_Z.unit_big_int)
              then give Sd
              else fail)

(** val option_of : 'a1 reader -> 'a1 option reader **)

let option_of p =
  bind flag (fun b ->
    if b then bind p (fun a -> give (Some a)) else give None)

(** val certificate_reader : certificate reader **)

let certificate_reader =
  bind rational (fun au ->
    bind rational (fun al ->
      bind kind_reader (fun w ->
        bind number (fun kb ->
          bind (list_of (pair_of number number)) (fun mg ->
            bind (option_of basis_reader) (fun bs ->
              bind (list_of distance_reader) (fun ds ->
                bind (list_of price_reader) (fun ps ->
                  bind (list_of node_reader) (fun ns ->
                    bind (list_of claim_reader) (fun us ->
                      bind (list_of claim_reader) (fun ls ->
                        bind integer (fun bt ->
                          bind (list_of vector_reader) (fun vs ->
                            bind (list_of recipe_reader) (fun rs ->
                              bind (list_of statement_reader) (fun st ->
                                give { alpha_upper = au; alpha_lower = al;
                                  what = w; key_base = kb; merges = mg;
                                  trace_basis = bs; distances = ds; prices =
                                  ps; nodes = ns; uppers = us; lowers = ls;
                                  bits = bt; vectors = vs; recipes = rs;
                                  statements = st })))))))))))))))

(** val file_reader : ((state * place) list * certificate) reader **)

let file_reader =
  bind integer (fun v ->
    if Z.eqb v version
    then pair_of (list_of place_reader) certificate_reader
    else fail)

(** val read :
    Big_int_Z.big_int list -> ((state * place) list * certificate) option **)

let read file =
  match file_reader file with
  | Some p -> let (x, l) = p in (match l with
                                 | [] -> Some x
                                 | _ :: _ -> None)
  | None -> None

type verdict =
| Accepted
| Rejected of Big_int_Z.big_int * Big_int_Z.big_int
| Malformed

(** val judge : Big_int_Z.big_int list -> verdict **)

let judge file =
  match read file with
  | Some p ->
    let (listed, c) = p in
    (match check listed c with
     | Some p0 -> let (part0, entry2) = p0 in Rejected (part0, entry2)
     | None -> Accepted)
  | None -> Malformed

type group = { harmonic : (state * q) list; inner : certificate }

type split_claim = { sp_from : state; sp_to : state; sp_lower : q;
                     sp_upper : q; sp_nodes : Integers.t option list }

(** val at_state0 : q M.t -> state -> q **)

let at_state0 h i =
  match M.find i h with
  | Some q0 -> q0
  | None -> { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }

(** val given_row : q M.t -> q -> (state * q) list -> (state * q) list **)

let given_row h hi0 r =
  flat_map (fun e ->
    match M.find (fst e) h with
    | Some hj -> ((fst e), (reduce (qdiv (qmult (snd e) hj) hi0))) :: []
    | None -> []) r

(** val conditioned : model -> q M.t -> (state * place) list **)

let conditioned m h =
  flat_map (fun e ->
    match M.find (fst e) h with
    | Some hi0 ->
      ((fst e), { place_label = (snd e).place_label; place_rows =
        (map (given_row h hi0) (snd e).place_rows) }) :: []
    | None -> []) m.listing

(** val same_row : (state * q) list -> (state * q) list -> bool **)

let rec same_row r r' =
  match r with
  | [] -> (match r' with
           | [] -> true
           | _ :: _ -> false)
  | p0 :: r0 ->
    let (i, p) = p0 in
    (match r' with
     | [] -> false
     | p1 :: r'0 ->
       let (j, q0) = p1 in
       (&&) ((&&) (Coq_Pos.eqb i j) (identical p q0)) (same_row r0 r'0))

(** val state_ok : model -> model -> q M.t -> (state * q) -> bool **)

let state_ok m mg h e =
  match M.find (fst e) m.places with
  | Some p ->
    (match M.find (fst e) mg.places with
     | Some pg ->
       (match p.place_rows with
        | [] -> false
        | r :: l ->
          (match l with
           | [] ->
             (match pg.place_rows with
              | [] -> false
              | rg :: l0 ->
                (match l0 with
                 | [] ->
                   (&&)
                     ((&&)
                       ((&&)
                         ((&&)
                           (qlt { qnum = Big_int_Z.zero_big_int; qden =
                             Big_int_Z.unit_big_int } (snd e))
                           (qeq (at_state0 h (fst e)) (snd e)))
                         (Coq_Pos.eqb p.place_label pg.place_label))
                       (same_row rg (given_row h (snd e) r)))
                     (Nat.eqb (inputs mg pg.place_label) (S O))
                 | _ :: _ -> false))
           | _ :: _ -> false))
     | None -> false)
  | None -> false

(** val covered : q M.t list -> state -> bool **)

let covered hs i =
  existsb (fun h -> match M.find i h with
                    | Some _ -> true
                    | None -> false) hs

(** val after : model -> q M.t -> state -> q **)

let after m h i =
  total (fun e -> qmul (snd e) (at_state0 h (fst e))) (row m O i)

(** val cover_ok : model -> q M.t list -> state -> bool **)

let cover_ok m hs i =
  (&&)
    ((&&) (forallb (fun e -> covered hs (fst e)) (row m O i))
      (qeq (total (fun h -> at_state0 h i) hs) { qnum =
        Big_int_Z.unit_big_int; qden = Big_int_Z.unit_big_int }))
    (forallb (fun h -> qeq (at_state0 h i) (after m h i)) hs)

(** val group_ok : model -> q -> group -> bool **)

let group_ok m alpha g =
  let h = of_list g.harmonic in
  let listed = conditioned m h in
  (&&)
    ((&&) (forallb (state_ok m (make_model listed) h) g.harmonic)
      (identical g.inner.alpha_upper alpha))
    (match check listed g.inner with
     | Some _ -> false
     | None -> true)

(** val group_most :
    model -> group -> Integers.t option -> state -> state -> bool -> q option **)

let group_most _ g n2 s t0 turned =
  let h = of_list g.harmonic in
  let x = at_state0 h s in
  let y = at_state0 h t0 in
  (match n2 with
   | Some n3 ->
     (match M.find n3 (of_list g.inner.nodes) with
      | Some w ->
        (match find_claim (claim_table g.inner.uppers) n3 turned with
         | Some cl ->
           let table0 = of_list g.inner.merges in
           let scale = reduce (qdiv (qplus x y) (size0 w)) in
           if (&&)
                ((&&)
                  (qlt { qnum = Big_int_Z.zero_big_int; qden =
                    Big_int_Z.unit_big_int } (size0 w))
                  (qle { qnum = Big_int_Z.zero_big_int; qden =
                    Big_int_Z.unit_big_int } scale))
                (entries_ok pair_add pair_zero
                  (app (((first table0 s), (x, { qnum =
                    Big_int_Z.zero_big_int; qden =
                    Big_int_Z.unit_big_int })) :: (((first table0 t0),
                    ({ qnum = Big_int_Z.zero_big_int; qden =
                    Big_int_Z.unit_big_int }, y)) :: []))
                    (scaled (qopp scale) w)))
           then let v = qmul scale cl.c_value in
                let plain0 = if turned then y else x in
                Some (if qle v plain0 then v else plain0)
           else None
         | None -> Some (if turned then y else x))
      | None -> Some (if turned then y else x))
   | None -> Some (if turned then y else x))

(** val sum_most :
    model -> group list -> Integers.t option list -> state -> state -> bool
    -> q option **)

let rec sum_most m gs ns s t0 turned =
  match gs with
  | [] ->
    (match ns with
     | [] ->
       Some { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }
     | _ :: _ -> None)
  | g :: gs0 ->
    (match ns with
     | [] -> None
     | n2 :: ns0 ->
       (match group_most m g n2 s t0 turned with
        | Some a ->
          (match sum_most m gs0 ns0 s t0 turned with
           | Some b -> Some (qadd a b)
           | None -> None)
        | None -> None))

(** val split_ok :
    model -> model -> state M.t -> group list -> split_claim -> bool **)

let split_ok m m' table0 gs st =
  let hs = map (fun g -> of_list g.harmonic) gs in
  let s = first table0 st.sp_from in
  let t0 = first table0 st.sp_to in
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&) ((&&) (is_known m st.sp_from) (is_known m st.sp_to))
            (Coq_Pos.eqb (lab m' s) (lab m' t0))) (covered hs s))
        (covered hs t0))
      (qle st.sp_lower { qnum = Big_int_Z.zero_big_int; qden =
        Big_int_Z.unit_big_int }))
    (forallb (fun d ->
      match sum_most m' gs st.sp_nodes s t0 d with
      | Some v -> qle v st.sp_upper
      | None -> false) (false :: (true :: [])))

(** val check_splits :
    (state * place) list -> certificate -> group list -> split_claim list ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option **)

let check_splits listed c gs sts =
  match check listed c with
  | Some x -> Some x
  | None ->
    let m = make_model listed in
    let table0 = of_list c.merges in
    let m' = quotient m table0 in
    let hs = map (fun g -> of_list g.harmonic) gs in
    if negb (is_single m')
    then Some ((Integers.double (Integers.double (Integers.double_and_one
           Big_int_Z.unit_big_int))), Big_int_Z.zero_big_int)
    else (match first_bad (group_ok m' c.alpha_upper) gs
                  Big_int_Z.zero_big_int with
          | Some i ->
            Some ((Integers.double (Integers.double (Integers.double_and_one
              Big_int_Z.unit_big_int))), i)
          | None ->
            (match first_bad (fun g ->
                     forallb (fun e -> cover_ok m' hs (fst e)) g.harmonic) gs
                     Big_int_Z.zero_big_int with
             | Some i ->
               Some ((Integers.double (Integers.double
                 (Integers.double_and_one Big_int_Z.unit_big_int))), i)
             | None ->
               (match first_bad (split_ok m m' table0 gs) sts
                        Big_int_Z.zero_big_int with
                | Some i ->
                  Some ((Integers.double_and_one (Integers.double_and_one
                    (Integers.double Big_int_Z.unit_big_int))), i)
                | None -> None)))

(** val version0 : Big_int_Z.big_int **)

let version0 =
  (Integers.double (Integers.double Big_int_Z.unit_big_int))

(** val group_reader : group reader **)

let group_reader =
  bind (list_of entry) (fun h ->
    bind certificate_reader (fun c -> give { harmonic = h; inner = c }))

(** val node_number : Integers.t option reader **)

let node_number =
  bind integer (fun z0 ->
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> give None)
      (fun p -> give (Some p))
      (fun _ -> fail)
      z0)

(** val split_reader : split_claim reader **)

let split_reader =
  bind number (fun s ->
    bind number (fun t0 ->
      bind rational (fun l ->
        bind rational (fun u ->
          bind (list_of node_number) (fun ns ->
            give { sp_from = s; sp_to = t0; sp_lower = l; sp_upper = u;
              sp_nodes = ns })))))

type contents = { listed_in : (state * place) list;
                  certificate_in : certificate; groups_in : group list;
                  claims_in : split_claim list }

(** val contents_reader : contents reader **)

let contents_reader =
  bind integer (fun v ->
    if Z.eqb v version0
    then bind (list_of place_reader) (fun l ->
           bind certificate_reader (fun c ->
             bind (list_of group_reader) (fun gs ->
               bind (list_of split_reader) (fun sts ->
                 give { listed_in = l; certificate_in = c; groups_in = gs;
                   claims_in = sts }))))
    else fail)

(** val read0 : Big_int_Z.big_int list -> contents option **)

let read0 file =
  match contents_reader file with
  | Some p -> let (x, l) = p in (match l with
                                 | [] -> Some x
                                 | _ :: _ -> None)
  | None -> None

(** val judge0 : Big_int_Z.big_int list -> verdict **)

let judge0 file =
  match read0 file with
  | Some x ->
    (match check_splits x.listed_in x.certificate_in x.groups_in x.claims_in with
     | Some p -> let (part0, entry2) = p in Rejected (part0, entry2)
     | None -> Accepted)
  | None -> Malformed

module Coq_M = M

type numbers = { n0 : __; n1 : __; nadd : (__ -> __ -> __);
                 nmul : (__ -> __ -> __); nsub : (__ -> __ -> __);
                 ndiv : (__ -> __ -> __); is_zero0 : (__ -> bool);
                 nle : (__ -> __ -> bool); nlt : (__ -> __ -> bool);
                 nfloor : (__ -> Big_int_Z.big_int -> Big_int_Z.big_int
                          option) }

type num = __

(** val is_nonneg0 : numbers -> num -> bool **)

let is_nonneg0 num0 a =
  num0.nle num0.n0 a

(** val positive_part0 : numbers -> num -> num **)

let positive_part0 num0 a =
  if is_nonneg0 num0 a then a else num0.n0

(** val total0 : numbers -> ('a1 -> num) -> 'a1 list -> num **)

let rec total0 num0 f = function
| [] -> num0.n0
| x :: r -> num0.nadd (f x) (total0 num0 f r)

type place0 = { place_label0 : label; place_rows0 : (state * num) list list }

type model0 = { listing0 : (state * place0) list; places0 : place0 Coq_M.t;
                counts0 : nat Coq_M.t }

(** val make_model0 : numbers -> (state * place0) list -> model0 **)

let make_model0 _ l =
  { listing0 = l; places0 = (of_list l); counts0 =
    (of_list
      (map (fun e -> ((snd e).place_label0, (length (snd e).place_rows0))) l)) }

(** val lab0 : numbers -> model0 -> state -> label **)

let lab0 _ m i =
  match Coq_M.find i m.places0 with
  | Some p -> p.place_label0
  | None -> Big_int_Z.unit_big_int

(** val inputs0 : numbers -> model0 -> label -> nat **)

let inputs0 _ m a =
  match Coq_M.find a m.counts0 with
  | Some n2 -> n2
  | None -> S O

(** val row0 : numbers -> model0 -> nat -> state -> (state * num) list **)

let row0 num0 m k i =
  match Coq_M.find i m.places0 with
  | Some p -> nth k p.place_rows0 ((i, num0.n1) :: [])
  | None -> (i, num0.n1) :: []

(** val clamp0 : numbers -> model0 -> label -> nat -> nat **)

let clamp0 num0 m a k =
  Nat.min k (pred (inputs0 num0 m a))

(** val move0 : numbers -> model0 -> nat -> state -> (state * num) list **)

let move0 num0 m k i =
  row0 num0 m (clamp0 num0 m (lab0 num0 m i) k) i

(** val mass_of0 : numbers -> (state * num) list -> num **)

let mass_of0 num0 r =
  total0 num0 snd r

(** val row_ok0 : numbers -> model0 -> (state * num) list -> bool **)

let row_ok0 num0 m r =
  (&&)
    (forallb (fun e ->
      (&&) (is_nonneg0 num0 (snd e))
        (match Coq_M.find (fst e) m.places0 with
         | Some _ -> true
         | None -> false)) r)
    (num0.is_zero0 (num0.nsub (mass_of0 num0 r) num0.n1))

(** val place_ok0 : numbers -> model0 -> (state * place0) -> bool **)

let place_ok0 num0 m e =
  (&&)
    ((&&)
      ((&&) (forallb (row_ok0 num0 m) (snd e).place_rows0)
        (Nat.eqb (length (snd e).place_rows0)
          (inputs0 num0 m (snd e).place_label0)))
      (Nat.leb (S O) (length (snd e).place_rows0)))
    (negb (Coq_Pos.eqb (snd e).place_label0 Big_int_Z.unit_big_int))

(** val choices0 : numbers -> model0 -> (state * 'a1) list -> nat **)

let choices0 num0 m w =
  fold_right (fun e n2 -> Nat.max (inputs0 num0 m (lab0 num0 m (fst e))) n2)
    (S O) w

(** val step0 :
    numbers -> model0 -> (num -> 'a1 -> 'a1) -> nat -> (state * 'a1) list ->
    (state * 'a1) list **)

let step0 num0 m scale k w =
  flat_map (fun e ->
    map (fun r -> ((fst r), (scale (snd r) (snd e)))) (move0 num0 m k (fst e)))
    w

(** val pair_add0 : numbers -> (num * num) -> (num * num) -> num * num **)

let pair_add0 num0 u v =
  ((num0.nadd (fst u) (fst v)), (num0.nadd (snd u) (snd v)))

(** val pair_scale0 : numbers -> num -> (num * num) -> num * num **)

let pair_scale0 num0 p v =
  ((num0.nmul p (fst v)), (num0.nmul p (snd v)))

type rule0 =
| Mass0
| Same0
| Gap0
| Step0 of Integers.t Coq_M.t list

type claim0 = { c_node0 : Integers.t; c_turned0 : bool; c_value0 : num;
                c_rank0 : Integers.t; c_input0 : nat; c_rule0 : rule0 }

(** val swap0 : numbers -> (num * num) -> num * num **)

let swap0 _ v =
  ((snd v), (fst v))

(** val turn0 :
    numbers -> bool -> (state * (num * num)) list -> (state * (num * num))
    list **)

let turn0 num0 turned w =
  if turned then map (fun e -> ((fst e), (swap0 num0 (snd e)))) w else w

(** val x_mass0 : numbers -> (state * (num * num)) list -> num **)

let x_mass0 num0 w =
  total0 num0 (fun e -> fst (snd e)) w

(** val y_mass0 : numbers -> (state * (num * num)) list -> num **)

let y_mass0 num0 w =
  total0 num0 (fun e -> snd (snd e)) w

(** val size1 : numbers -> (state * (num * num)) list -> num **)

let size1 num0 w =
  num0.nadd (x_mass0 num0 w) (y_mass0 num0 w)

(** val pair_nonneg0 : numbers -> (num * num) -> bool **)

let pair_nonneg0 num0 v =
  (&&) (is_nonneg0 num0 (fst v)) (is_nonneg0 num0 (snd v))

(** val node_nonneg0 : numbers -> (state * (num * num)) list -> bool **)

let node_nonneg0 num0 w =
  forallb (fun e -> pair_nonneg0 num0 (snd e)) w

(** val node_ok0 : numbers -> (state * (num * num)) list -> bool **)

let node_ok0 num0 w =
  (&&) (node_nonneg0 num0 w) (num0.nlt num0.n0 (size1 num0 w))

(** val claim_key0 : Integers.t -> bool -> Integers.t **)

let claim_key0 n2 = function
| true -> Integers.double_and_one n2
| false -> Integers.double n2

(** val claim_table0 : numbers -> claim0 list -> claim0 Coq_M.t **)

let claim_table0 _ l =
  of_list (map (fun c -> ((claim_key0 c.c_node0 c.c_turned0), c)) l)

(** val find_claim0 :
    numbers -> claim0 Coq_M.t -> Integers.t -> bool -> claim0 option **)

let find_claim0 _ table0 n2 turned =
  match Coq_M.find (claim_key0 n2 turned) table0 with
  | Some c ->
    if (&&) (Coq_Pos.eqb c.c_node0 n2) (eqb c.c_turned0 turned)
    then Some c
    else None
  | None -> None

(** val scaled0 :
    numbers -> num -> (state * (num * num)) list -> (state * (num * num)) list **)

let scaled0 num0 c w =
  map (fun e -> ((fst e), (pair_scale0 num0 c (snd e)))) w

(** val belief_of0 :
    numbers -> (state * (num * num)) list Coq_M.t -> claim0 ->
    (state * (num * num)) list option **)

let belief_of0 num0 nodes1 c =
  option_map (turn0 num0 c.c_turned0) (Coq_M.find c.c_node0 nodes1)

(** val cite0 :
    numbers -> (state * (num * num)) list Coq_M.t -> ((state * (num * num))
    list -> bool) -> claim0 Coq_M.t -> bool -> Integers.t Coq_M.t ->
    (num * num) part -> (num * claim0) option option **)

let cite0 num0 nodes1 vanishes1 table0 turned children p =
  if node_nonneg0 num0 (snd p)
  then (match Coq_M.find (fst p) children with
        | Some n2 ->
          (match find_claim0 num0 table0 n2 turned with
           | Some c ->
             (match belief_of0 num0 nodes1 c with
              | Some goal ->
                let s = num0.ndiv (size1 num0 (snd p)) (size1 num0 goal) in
                if (&&)
                     ((&&) (num0.nlt num0.n0 (size1 num0 goal))
                       (is_nonneg0 num0 s))
                     (vanishes1
                       (app (snd p) (scaled0 num0 (num0.nsub num0.n0 s) goal)))
                then Some (Some (s, c))
                else None
              | None -> None)
           | None -> None)
        | None -> Some None)
  else None

(** val parts_of0 :
    numbers -> model0 -> nat -> (state * (num * num)) list -> (num * num)
    part list option **)

let parts_of0 num0 m k w =
  split (lab0 num0 m)
    (gather (pair_add0 num0) (step0 num0 m (pair_scale0 num0) k w))

(** val sum_cited0 :
    numbers -> ((num * num) part -> num option) -> (num * num) part list ->
    num option **)

let rec sum_cited0 num0 f = function
| [] -> Some num0.n0
| p :: r ->
  (match f p with
   | Some a ->
     (match sum_cited0 num0 f r with
      | Some b -> Some (num0.nadd a b)
      | None -> None)
   | None -> None)

(** val above0 :
    numbers -> (state * (num * num)) list Coq_M.t -> ((state * (num * num))
    list -> bool) -> claim0 Coq_M.t -> bool -> Integers.t Coq_M.t ->
    (num * num) part -> num option **)

let above0 num0 nodes1 vanishes1 table0 turned children p =
  match cite0 num0 nodes1 vanishes1 table0 turned children p with
  | Some o ->
    (match o with
     | Some p0 -> let (s, c) = p0 in Some (num0.nmul s c.c_value0)
     | None -> Some (x_mass0 num0 (snd p)))
  | None -> None

(** val steps_above0 :
    numbers -> model0 -> (state * (num * num)) list Coq_M.t ->
    ((state * (num * num)) list -> bool) -> claim0 Coq_M.t -> bool ->
    (state * (num * num)) list -> num -> nat -> Integers.t Coq_M.t list ->
    bool **)

let rec steps_above0 num0 m nodes1 vanishes1 table0 turned w v k = function
| [] -> true
| ch :: rest0 ->
  (&&)
    (match parts_of0 num0 m k w with
     | Some ps ->
       (match sum_cited0 num0 (above0 num0 nodes1 vanishes1 table0 turned ch)
                ps with
        | Some b -> num0.nle b v
        | None -> false)
     | None -> false)
    (steps_above0 num0 m nodes1 vanishes1 table0 turned w v (S k) rest0)

(** val base_ok :
    numbers -> num -> (state * (num * num)) list -> num -> bool **)

let base_ok num0 anum w v =
  (&&) (is_nonneg0 num0 v)
    (num0.nle (num0.nsub (x_mass0 num0 w) (num0.nmul anum (y_mass0 num0 w)))
      v)

(** val upper_ok0 :
    numbers -> model0 -> num -> (state * (num * num)) list Coq_M.t ->
    ((state * (num * num)) list -> bool) -> claim0 Coq_M.t -> claim0 -> bool **)

let upper_ok0 num0 m anum nodes1 vanishes1 table0 c =
  match belief_of0 num0 nodes1 c with
  | Some w ->
    (match c.c_rule0 with
     | Mass0 -> num0.nle (x_mass0 num0 w) c.c_value0
     | Same0 ->
       (&&)
         (vanishes1
           (map (fun e -> ((fst e),
             ((num0.nsub (num0.nmul (fst (snd e)) (y_mass0 num0 w))
                (num0.nmul (snd (snd e)) (x_mass0 num0 w))), num0.n0))) w))
         (base_ok num0 anum w c.c_value0)
     | Gap0 -> false
     | Step0 children ->
       (&&)
         ((&&) (base_ok num0 anum w c.c_value0)
           (Nat.eqb (length children) (choices0 num0 m w)))
         (steps_above0 num0 m nodes1 vanishes1 table0 c.c_turned0 w
           c.c_value0 O children))
  | None -> false

(** val gap0 : numbers -> num -> (state * (num * num)) list -> num **)

let gap0 num0 anum w =
  positive_part0 num0
    (num0.nsub (x_mass0 num0 w) (num0.nmul anum (y_mass0 num0 w)))

(** val below0 :
    numbers -> num -> (state * (num * num)) list Coq_M.t ->
    ((state * (num * num)) list -> bool) -> claim0 Coq_M.t -> bool ->
    Integers.t Coq_M.t -> (num * num) part -> num option **)

let below0 num0 anum nodes1 vanishes1 table0 turned children p =
  match cite0 num0 nodes1 vanishes1 table0 turned children p with
  | Some o ->
    (match o with
     | Some p0 -> let (s, c) = p0 in Some (num0.nmul s c.c_value0)
     | None -> Some (gap0 num0 anum (snd p)))
  | None -> None

(** val falls0 :
    numbers -> (state * (num * num)) list Coq_M.t -> ((state * (num * num))
    list -> bool) -> claim0 Coq_M.t -> claim0 -> Integers.t Coq_M.t ->
    (num * num) part -> bool **)

let falls0 num0 nodes1 vanishes1 table0 c children p =
  (&&) (num0.nlt num0.n0 (size1 num0 (snd p)))
    (match cite0 num0 nodes1 vanishes1 table0 c.c_turned0 children p with
     | Some o ->
       (match o with
        | Some p0 -> let (_, d) = p0 in Coq_Pos.ltb d.c_rank0 c.c_rank0
        | None -> true)
     | None -> true)

(** val lower_ok0 :
    numbers -> model0 -> num -> (state * (num * num)) list Coq_M.t ->
    ((state * (num * num)) list -> bool) -> claim0 Coq_M.t -> claim0 -> bool **)

let lower_ok0 num0 m anum nodes1 vanishes1 table0 c =
  match belief_of0 num0 nodes1 c with
  | Some w ->
    (match c.c_rule0 with
     | Gap0 ->
       (||) (num0.nle c.c_value0 num0.n0)
         (num0.nle c.c_value0 (gap0 num0 anum w))
     | Step0 children0 ->
       (match children0 with
        | [] -> false
        | children :: l ->
          (match l with
           | [] ->
             (match parts_of0 num0 m c.c_input0 w with
              | Some ps ->
                (&&)
                  (match sum_cited0 num0
                           (below0 num0 anum nodes1 vanishes1 table0
                             c.c_turned0 children) ps with
                   | Some b -> num0.nle c.c_value0 b
                   | None -> false)
                  (existsb (falls0 num0 nodes1 vanishes1 table0 c children)
                    ps)
              | None -> false)
           | _ :: _ -> false))
     | _ -> false)
  | None -> false

(** val first0 : state Coq_M.t -> state -> state **)

let first0 table0 i =
  match Coq_M.find i table0 with
  | Some r -> r
  | None -> i

(** val push0 :
    numbers -> state Coq_M.t -> (state * num) list -> (state * num) list **)

let push0 _ table0 r =
  map (fun e -> ((first0 table0 (fst e)), (snd e))) r

(** val quotient0 : numbers -> model0 -> state Coq_M.t -> model0 **)

let quotient0 num0 m table0 =
  if Coq_M.is_empty table0
  then m
  else make_model0 num0
         (map (fun e -> ((fst e), { place_label0 = (snd e).place_label0;
           place_rows0 =
           (map (fun r -> gather num0.nadd (push0 num0 table0 r))
             (snd e).place_rows0) }))
           (filter (fun e -> Coq_Pos.eqb (first0 table0 (fst e)) (fst e))
             m.listing0))

(** val opposite0 : numbers -> (state * num) list -> (state * num) list **)

let opposite0 num0 r =
  map (fun e -> ((fst e), (num0.nsub num0.n0 (snd e)))) r

(** val rows_match0 :
    numbers -> state Coq_M.t -> (state * num) list list -> (state * num) list
    list -> bool **)

let rec rows_match0 num0 table0 rs rs' =
  match rs with
  | [] -> (match rs' with
           | [] -> true
           | _ :: _ -> false)
  | r :: rs0 ->
    (match rs' with
     | [] -> false
     | r' :: rs'0 ->
       (&&)
         (entries_ok num0.nadd num0.is_zero0
           (app (push0 num0 table0 r) (opposite0 num0 r')))
         (rows_match0 num0 table0 rs0 rs'0))

(** val merge_ok0 :
    numbers -> model0 -> state Coq_M.t -> (state * place0) -> bool **)

let merge_ok0 num0 m' table0 e =
  match Coq_M.find (first0 table0 (fst e)) m'.places0 with
  | Some p' ->
    (&&) (Coq_Pos.eqb p'.place_label0 (snd e).place_label0)
      (rows_match0 num0 table0 (snd e).place_rows0 p'.place_rows0)
  | None -> false

type statement0 = { st_node : Integers.t; st_from0 : state; st_to0 : 
                    state; st_lower0 : num; st_upper0 : num }

type certificate0 = { alpha_upper0 : num; alpha_lower0 : num;
                      merges0 : (state * state) list;
                      nodes0 : (Integers.t * (state * (num * num)) list) list;
                      uppers0 : claim0 list; lowers0 : claim0 list;
                      statements0 : statement0 list }

(** val pair_zero0 : numbers -> (num * num) -> bool **)

let pair_zero0 num0 v =
  (&&) (num0.is_zero0 (fst v)) (num0.is_zero0 (snd v))

(** val vanishes0 : numbers -> (state * (num * num)) list -> bool **)

let vanishes0 num0 w =
  entries_ok (pair_add0 num0) (pair_zero0 num0) w

(** val is_known0 : numbers -> model0 -> state -> bool **)

let is_known0 _ m i =
  match Coq_M.find i m.places0 with
  | Some _ -> true
  | None -> false

(** val claimed0 :
    numbers -> claim0 Coq_M.t -> Integers.t -> bool -> num -> num **)

let claimed0 num0 table0 n2 turned default =
  match find_claim0 num0 table0 n2 turned with
  | Some c -> c.c_value0
  | None -> default

(** val point0 : numbers -> state -> state -> (state * (num * num)) list **)

let point0 num0 s t0 =
  (s, (num0.n1, num0.n0)) :: ((t0, (num0.n0, num0.n1)) :: [])

(** val statement_ok0 :
    numbers -> model0 -> model0 -> state Coq_M.t -> (state * (num * num))
    list Coq_M.t -> claim0 Coq_M.t -> claim0 Coq_M.t -> statement0 -> bool **)

let statement_ok0 num0 m m' table0 ns us ls st =
  let s = first0 table0 st.st_from0 in
  let t0 = first0 table0 st.st_to0 in
  (&&) ((&&) (is_known0 num0 m st.st_from0) (is_known0 num0 m st.st_to0))
    (if Coq_Pos.eqb (lab0 num0 m' s) (lab0 num0 m' t0)
     then (&&)
            ((&&)
              (match Coq_M.find st.st_node ns with
               | Some w ->
                 vanishes0 num0
                   (app w
                     (scaled0 num0 (num0.nsub num0.n0 num0.n1)
                       (point0 num0 s t0)))
               | None -> false)
              (forallb (fun d ->
                num0.nle (claimed0 num0 us st.st_node d num0.n1) st.st_upper0)
                (false :: (true :: []))))
            (existsb (fun d ->
              num0.nle st.st_lower0 (claimed0 num0 ls st.st_node d num0.n0))
              (false :: (true :: [])))
     else (&&) (num0.nle num0.n1 st.st_upper0) (num0.nle st.st_lower0 num0.n1))

(** val check0 :
    numbers -> (state * place0) list -> certificate0 ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option **)

let check0 num0 listed c =
  let m = make_model0 num0 listed in
  let table0 = of_list c.merges0 in
  let m' = quotient0 num0 m table0 in
  let ns = of_list c.nodes0 in
  let us = claim_table0 num0 c.uppers0 in
  let ls = claim_table0 num0 c.lowers0 in
  if negb
       ((&&) (num0.nle num0.n1 c.alpha_upper0)
         (num0.nle c.alpha_upper0 c.alpha_lower0))
  then Some (Big_int_Z.unit_big_int, Big_int_Z.zero_big_int)
  else (match first_bad (place_ok0 num0 m) listed Big_int_Z.zero_big_int with
        | Some i -> Some ((Integers.double Big_int_Z.unit_big_int), i)
        | None ->
          (match first_bad (place_ok0 num0 m') m'.listing0
                   Big_int_Z.zero_big_int with
           | Some i ->
             Some ((Integers.double_and_one Big_int_Z.unit_big_int), i)
           | None ->
             (match first_bad (merge_ok0 num0 m' table0) listed
                      Big_int_Z.zero_big_int with
              | Some i ->
                Some ((Integers.double_and_one Big_int_Z.unit_big_int), i)
              | None ->
                (match first_bad (fun e -> node_ok0 num0 (snd e)) c.nodes0
                         Big_int_Z.zero_big_int with
                 | Some i ->
                   Some ((Integers.double_and_one (Integers.double_and_one
                     Big_int_Z.unit_big_int)), i)
                 | None ->
                   (match first_bad
                            (upper_ok0 num0 m' c.alpha_upper0 ns
                              (vanishes0 num0) us) c.uppers0
                            Big_int_Z.zero_big_int with
                    | Some i ->
                      Some ((Integers.double (Integers.double
                        (Integers.double Big_int_Z.unit_big_int))), i)
                    | None ->
                      (match first_bad
                               (lower_ok0 num0 m' c.alpha_lower0 ns
                                 (vanishes0 num0) ls) c.lowers0
                               Big_int_Z.zero_big_int with
                       | Some i ->
                         Some ((Integers.double_and_one (Integers.double
                           (Integers.double Big_int_Z.unit_big_int))), i)
                       | None ->
                         (match first_bad
                                  (statement_ok0 num0 m m' table0 ns us ls)
                                  c.statements0 Big_int_Z.zero_big_int with
                          | Some i ->
                            Some ((Integers.double_and_one
                              (Integers.double_and_one (Integers.double
                              Big_int_Z.unit_big_int))), i)
                          | None -> None)))))))

(** val div_up0 :
    Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

let div_up0 a b =
  Z.opp (Z.div (Z.opp a) b)

(** val series :
    Big_int_Z.big_int -> nat -> Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int * Big_int_Z.big_int **)

let rec series k fuel n2 least0 most0 low0 high0 =
  match fuel with
  | O ->
    (low0,
      (Z.add high0 (Z.mul (Integers.double Big_int_Z.unit_big_int) most0)))
  | S f ->
    if Z.eqb least0 Big_int_Z.zero_big_int
    then (low0,
           (Z.add high0
             (Z.mul (Integers.double Big_int_Z.unit_big_int) most0)))
    else series k f (Z.add n2 Big_int_Z.unit_big_int)
           (Z.div least0 (Z.mul k (Z.add n2 Big_int_Z.unit_big_int)))
           (div_up0 most0 (Z.mul k (Z.add n2 Big_int_Z.unit_big_int)))
           (Z.add low0 least0) (Z.add high0 most0)

(** val enclosure :
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int * Big_int_Z.big_int **)

let enclosure k places2 =
  let one1 = Z.pow (Integers.double Big_int_Z.unit_big_int) places2 in
  series k (Z.to_nat places2) Big_int_Z.unit_big_int (Z.div one1 k)
    (div_up0 one1 k) one1 one1

type poly = Big_int_Z.big_int list

(** val padd : poly -> poly -> poly **)

let rec padd p q0 =
  match p with
  | [] -> q0
  | a :: p' ->
    (match q0 with
     | [] -> p
     | b :: q' -> (Z.add a b) :: (padd p' q'))

(** val pscale : Big_int_Z.big_int -> poly -> poly **)

let pscale c p =
  map (Z.mul c) p

(** val pmul : poly -> poly -> poly **)

let rec pmul p q0 =
  match p with
  | [] -> []
  | a :: p' ->
    (match p' with
     | [] -> if Z.eqb a Big_int_Z.unit_big_int then q0 else pscale a q0
     | _ :: _ ->
       if Z.eqb a Big_int_Z.zero_big_int
       then Big_int_Z.zero_big_int :: (pmul p' q0)
       else padd (pscale a q0) (Big_int_Z.zero_big_int :: (pmul p' q0)))

(** val pzero : poly -> bool **)

let pzero p =
  forallb (Z.eqb Big_int_Z.zero_big_int) p

(** val trim : poly -> poly **)

let rec trim = function
| [] -> []
| c :: r ->
  (match trim r with
   | [] -> if Z.eqb c Big_int_Z.zero_big_int then [] else c :: []
   | z0 :: l -> c :: (z0 :: l))

(** val same_poly : poly -> poly -> bool **)

let rec same_poly p q0 =
  match p with
  | [] -> (match q0 with
           | [] -> true
           | _ :: _ -> false)
  | a :: p' ->
    (match q0 with
     | [] -> false
     | b :: q' -> (&&) (Z.eqb a b) (same_poly p' q'))

type closeness = { places1 : Big_int_Z.big_int; down : Big_int_Z.big_int;
                   up : Big_int_Z.big_int }

(** val horner :
    Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int -> poly ->
    Big_int_Z.big_int * Big_int_Z.big_int **)

let rec horner s d u = function
| [] -> (Big_int_Z.zero_big_int, Big_int_Z.zero_big_int)
| c :: r ->
  let (l, h) = horner s d u r in
  ((Z.add
     (Z.div (Z.mul l (if Z.ltb Big_int_Z.zero_big_int l then d else u)) s)
     (Z.mul c s)),
  (Z.add
    (div_up0 (Z.mul h (if Z.ltb Big_int_Z.zero_big_int h then u else d)) s)
    (Z.mul c s)))

(** val sign_of : closeness list -> poly -> bool option **)

let rec sign_of es p =
  match es with
  | [] -> None
  | e :: rest0 ->
    let (l, h) =
      horner (Z.pow (Integers.double Big_int_Z.unit_big_int) e.places1)
        e.down e.up p
    in
    if Z.ltb Big_int_Z.zero_big_int l
    then Some true
    else if Z.ltb h Big_int_Z.zero_big_int
         then Some false
         else sign_of rest0 p

type fraction = { top : poly; bottom0 : poly }

(** val whole : closeness list -> poly -> fraction **)

let whole _ p =
  { top = p; bottom0 = (Big_int_Z.unit_big_int :: []) }

(** val packed : Big_int_Z.big_int -> poly -> Big_int_Z.big_int **)

let rec packed d = function
| [] -> Big_int_Z.zero_big_int
| c :: r -> Z.add c (Z.mul d (packed d r))

(** val unpacked : nat -> Big_int_Z.big_int -> Big_int_Z.big_int -> poly **)

let rec unpacked fuel d v =
  match fuel with
  | O -> []
  | S f ->
    if Z.eqb v Big_int_Z.zero_big_int
    then []
    else let low0 = Z.modulo v d in
         let c =
           if Z.leb d (Z.mul (Integers.double Big_int_Z.unit_big_int) low0)
           then Z.sub low0 d
           else low0
         in
         c :: (unpacked f d (Z.div (Z.sub v c) d))

(** val longest0 : poly -> Big_int_Z.big_int **)

let longest0 p =
  fold_left (fun n2 c ->
    Z.max n2 (Z.add (Z.log2 (Z.abs c)) Big_int_Z.unit_big_int)) p
    Big_int_Z.zero_big_int

(** val content : poly -> Big_int_Z.big_int **)

let content p =
  fold_left Z.gcd p Big_int_Z.zero_big_int

(** val guess : poly -> poly -> (poly * poly) * poly **)

let guess p q0 =
  let cp = content p in
  let cq = content q0 in
  let p1 = map (fun c -> Z.div c cp) p in
  let q1 = map (fun c -> Z.div c cq) q0 in
  let w =
    Z.pow (Integers.double Big_int_Z.unit_big_int)
      (Z.add (Z.max (longest0 p1) (longest0 q1)) (Integers.double
        (Integers.double (Integers.double (Integers.double (Integers.double
        (Integers.double Big_int_Z.unit_big_int)))))))
  in
  let n2 = S (S (add (length p) (length q0))) in
  let vp = packed w p1 in
  let vq = packed w q1 in
  let g = unpacked n2 w (Z.gcd vp vq) in
  let cg = content g in
  let g1 = map (fun c -> Z.div c cg) g in
  let vg = packed w g1 in
  let c = Z.gcd cp cq in
  (((pscale c g1), (pscale (Z.div cp c) (unpacked n2 w (Z.div vp vg)))),
  (pscale (Z.div cq c) (unpacked n2 w (Z.div vq vg))))

(** val splits : poly -> poly -> ((poly * poly) * poly) -> bool **)

let splits p q0 = function
| (p0, b) ->
  let (g, a) = p0 in
  (&&) (same_poly (trim (pmul g a)) (trim p))
    (same_poly (trim (pmul g b)) (trim q0))

(** val reduce0 : closeness list -> fraction -> fraction **)

let reduce0 _ f =
  let t0 = guess f.top f.bottom0 in
  if splits f.top f.bottom0 t0
  then { top = (snd (fst t0)); bottom0 = (snd t0) }
  else f

(** val combine :
    closeness list -> Big_int_Z.big_int -> fraction -> fraction -> fraction **)

let combine _ sign a b =
  if same_poly a.bottom0 b.bottom0
  then { top = (padd a.top (pscale sign b.top)); bottom0 = a.bottom0 }
  else { top =
         (padd (pmul a.top b.bottom0) (pscale sign (pmul b.top a.bottom0)));
         bottom0 = (pmul a.bottom0 b.bottom0) }

(** val times : closeness list -> fraction -> fraction -> fraction **)

let times _ a b =
  { top = (pmul a.top b.top); bottom0 = (pmul a.bottom0 b.bottom0) }

(** val fraction_sign : closeness list -> fraction -> bool option **)

let fraction_sign es f =
  match sign_of es f.top with
  | Some a ->
    (match sign_of es f.bottom0 with
     | Some b -> Some (eqb a b)
     | None -> None)
  | None -> None

(** val is_positive : closeness list -> fraction -> bool **)

let is_positive es f =
  match fraction_sign es f with
  | Some b -> b
  | None -> false

(** val divide : closeness list -> fraction -> fraction -> fraction **)

let divide es a b =
  if is_positive es b
  then { top = (pmul a.top b.bottom0); bottom0 = (pmul a.bottom0 b.top) }
  else a

(** val minus0 : closeness list -> fraction -> fraction -> fraction **)

let minus0 es a b =
  combine es (Big_int_Z.minus_big_int Big_int_Z.unit_big_int) a b

(** val floor_between :
    Big_int_Z.big_int -> (Big_int_Z.big_int * Big_int_Z.big_int) ->
    (Big_int_Z.big_int * Big_int_Z.big_int) -> Big_int_Z.big_int option **)

let floor_between d t0 b =
  if Z.ltb Big_int_Z.zero_big_int (fst b)
  then let low0 =
         Z.div (Z.mul d (fst t0))
           (if Z.ltb (fst t0) Big_int_Z.zero_big_int then fst b else snd b)
       in
       let high0 =
         Z.div (Z.mul d (snd t0))
           (if Z.ltb (snd t0) Big_int_Z.zero_big_int then snd b else fst b)
       in
       if Z.eqb low0 high0 then Some low0 else None
  else None

(** val turned_round :
    (Big_int_Z.big_int * Big_int_Z.big_int) ->
    Big_int_Z.big_int * Big_int_Z.big_int **)

let turned_round e =
  ((Z.opp (snd e)), (Z.opp (fst e)))

(** val floor_of :
    closeness list -> closeness list -> fraction -> Big_int_Z.big_int ->
    Big_int_Z.big_int option **)

let rec floor_of es l f d =
  match l with
  | [] -> None
  | e :: rest0 ->
    let t0 =
      horner (Z.pow (Integers.double Big_int_Z.unit_big_int) e.places1)
        e.down e.up f.top
    in
    let b =
      horner (Z.pow (Integers.double Big_int_Z.unit_big_int) e.places1)
        e.down e.up f.bottom0
    in
    (match if Z.ltb (snd b) Big_int_Z.zero_big_int
           then floor_between d (turned_round t0) (turned_round b)
           else floor_between d t0 b with
     | Some z0 -> Some z0
     | None -> floor_of es rest0 f d)

(** val fractions : closeness list -> numbers **)

let fractions es =
  { n0 = (Obj.magic whole es []); n1 =
    (Obj.magic whole es (Big_int_Z.unit_big_int :: [])); nadd = (fun a b ->
    Obj.magic reduce0 es
      (combine es Big_int_Z.unit_big_int (Obj.magic a) (Obj.magic b)));
    nmul = (fun a b ->
    Obj.magic reduce0 es (times es (Obj.magic a) (Obj.magic b))); nsub =
    (fun a b ->
    Obj.magic reduce0 es (minus0 es (Obj.magic a) (Obj.magic b))); ndiv =
    (fun a b ->
    Obj.magic reduce0 es
      (divide es (Obj.magic a) (minus0 es (Obj.magic b) (whole es []))));
    is_zero0 = (fun a -> pzero (Obj.magic a).top); nle = (fun a b ->
    let d = minus0 es (Obj.magic b) (Obj.magic a) in
    (||) (pzero d.top) (is_positive es d)); nlt = (fun a b ->
    is_positive es (minus0 es (Obj.magic b) (Obj.magic a))); nfloor =
    (Obj.magic floor_of es es) }

(** val closer : Big_int_Z.big_int -> Big_int_Z.big_int -> closeness **)

let closer k p =
  let (d, u) = enclosure k p in { places1 = p; down = d; up = u }

(** val near :
    Big_int_Z.big_int -> Big_int_Z.big_int list -> closeness list **)

let near k ps =
  filter (fun e ->
    (&&) (Z.leb Big_int_Z.zero_big_int e.places1)
      (Z.leb Big_int_Z.zero_big_int e.down)) (map (closer k) ps)

(** val version1 : Big_int_Z.big_int **)

let version1 =
  (Integers.double Big_int_Z.unit_big_int)

type header = { base : Integers.t; precisions : Big_int_Z.big_int list }

(** val enclosures : header -> closeness list **)

let enclosures h =
  near h.base h.precisions

(** val numbers_of : header -> numbers **)

let numbers_of h =
  fractions (enclosures h)

(** val fraction_reader : closeness list -> fraction reader **)

let fraction_reader es =
  bind (list_of integer) (fun t0 ->
    bind (list_of integer) (fun b ->
      if is_positive es (whole es b)
      then give (divide es (whole es t0) (whole es b))
      else fail))

(** val entry0 : closeness list -> (state * num) reader **)

let entry0 es =
  pair_of number (Obj.magic fraction_reader es)

(** val place_reader0 : closeness list -> (state * place0) reader **)

let place_reader0 es =
  bind number (fun i ->
    bind number (fun a ->
      bind (list_of (list_of (entry0 es))) (fun rows ->
        give (i, { place_label0 = a; place_rows0 = rows }))))

(** val rule_reader0 : rule0 reader **)

let rule_reader0 =
  bind integer (fun z0 ->
    if Z.eqb z0 Big_int_Z.zero_big_int
    then give Mass0
    else if Z.eqb z0 Big_int_Z.unit_big_int
         then give Same0
         else if Z.eqb z0 (Integers.double Big_int_Z.unit_big_int)
              then give Gap0
              else if Z.eqb z0 (Integers.double (Integers.double
                        Big_int_Z.unit_big_int))
                   then bind (list_of (list_of (pair_of number number)))
                          (fun c -> give (Step0 (map of_list c)))
                   else fail)

(** val claim_reader0 : closeness list -> claim0 reader **)

let claim_reader0 es =
  bind number (fun n2 ->
    bind flag (fun d ->
      bind (Obj.magic fraction_reader es) (fun v ->
        bind number (fun r ->
          bind small (fun k ->
            bind rule_reader0 (fun rl ->
              give { c_node0 = n2; c_turned0 = d; c_value0 = v; c_rank0 = r;
                c_input0 = k; c_rule0 = rl }))))))

(** val node_reader0 :
    closeness list -> (Integers.t * (state * (num * num)) list) reader **)

let node_reader0 es =
  bind number (fun n2 ->
    bind
      (list_of
        (pair_of number
          (pair_of (Obj.magic fraction_reader es)
            (Obj.magic fraction_reader es)))) (fun w -> give (n2, w)))

(** val statement_reader0 : closeness list -> statement0 reader **)

let statement_reader0 es =
  bind number (fun n2 ->
    bind number (fun s ->
      bind number (fun t0 ->
        bind (Obj.magic fraction_reader es) (fun l ->
          bind (Obj.magic fraction_reader es) (fun u ->
            give { st_node = n2; st_from0 = s; st_to0 = t0; st_lower0 = l;
              st_upper0 = u })))))

(** val certificate_reader0 : closeness list -> certificate0 reader **)

let certificate_reader0 es =
  bind (Obj.magic fraction_reader es) (fun au ->
    bind (Obj.magic fraction_reader es) (fun al ->
      bind (list_of (pair_of number number)) (fun mg ->
        bind (list_of (node_reader0 es)) (fun ns ->
          bind (list_of (claim_reader0 es)) (fun us ->
            bind (list_of (claim_reader0 es)) (fun ls ->
              bind (list_of (statement_reader0 es)) (fun st ->
                give { alpha_upper0 = au; alpha_lower0 = al; merges0 = mg;
                  nodes0 = ns; uppers0 = us; lowers0 = ls; statements0 = st })))))))

(** val body_reader :
    closeness list -> ((state * place0) list * certificate0) reader **)

let body_reader es =
  pair_of (list_of (place_reader0 es)) (certificate_reader0 es)

type contents0 = (state * place0) list * certificate0

(** val header_reader : header reader **)

let header_reader =
  bind number (fun k ->
    bind (list_of integer) (fun ps -> give { base = k; precisions = ps }))

(** val read1 : Big_int_Z.big_int list -> (header, contents0) sigT option **)

let read1 file =
  match bind integer (fun v ->
          if Z.eqb v version1 then header_reader else fail) file with
  | Some p ->
    let (h, rest0) = p in
    (match body_reader (enclosures h) rest0 with
     | Some p0 ->
       let (x, l) = p0 in
       (match l with
        | [] -> Some (ExistT (h, x))
        | _ :: _ -> None)
     | None -> None)
  | None -> None

(** val judge1 : Big_int_Z.big_int list -> verdict **)

let judge1 file =
  match read1 file with
  | Some s ->
    let ExistT (h, c0) = s in
    let (listed, c) = c0 in
    (match check0 (numbers_of h) listed c with
     | Some p -> let (part0, entry2) = p in Rejected (part0, entry2)
     | None -> Accepted)
  | None -> Malformed

type irow0 = { bottom1 : Big_int_Z.big_int;
               shares0 : (state * (Big_int_Z.big_int * Big_int_Z.big_int))
                         list; rest : Big_int_Z.big_int }

(** val share0 :
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    (Big_int_Z.big_int * Big_int_Z.big_int) -> Big_int_Z.big_int **)

let share0 v d s =
  Z.div (Z.mul v (if Z.ltb Big_int_Z.zero_big_int v then fst s else snd s)) d

(** val sent :
    irow0 -> Big_int_Z.big_int -> (state * Big_int_Z.big_int) list **)

let sent b v =
  map (fun s -> ((fst s), (share0 v b.bottom1 (snd s)))) b.shares0

(** val lost_by : irow0 -> Big_int_Z.big_int -> Big_int_Z.big_int **)

let lost_by b v =
  if Z.ltb v Big_int_Z.zero_big_int
  then div_up0 (Z.mul (Z.opp v) b.rest) b.bottom1
  else Big_int_Z.zero_big_int

(** val istep0 :
    (nat -> state -> irow0) -> nat -> (state * Big_int_Z.big_int) list ->
    (state * Big_int_Z.big_int) list **)

let istep0 rows k w =
  flat_map (fun e -> sent (rows k (fst e)) (snd e)) w

(** val lost :
    (nat -> state -> irow0) -> nat -> (state * Big_int_Z.big_int) list ->
    Big_int_Z.big_int **)

let lost rows k w =
  fold_right (fun e n2 -> Z.add (lost_by (rows k (fst e)) (snd e)) n2)
    Big_int_Z.zero_big_int w

(** val iparts0 :
    (nat -> state -> irow0) -> (state -> label) -> nat ->
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int part list option **)

let iparts0 rows lb k w =
  split lb (gather Z.add (istep0 rows k w))

type box = { ends : (state * (num * num)) list; outside : num }

type row1 =
| Point of (state * num) list
| Between of box

(** val given : numbers -> row1 -> box **)

let given num0 = function
| Point l ->
  { ends = (map (fun e -> ((fst e), ((snd e), (snd e)))) l); outside =
    num0.n0 }
| Between b -> b

type place1 = { place_label1 : label; place_rows1 : row1 list;
                units : Big_int_Z.big_int list }

(** val nth_row : 'a1 list -> nat -> 'a1 -> 'a1 **)

let nth_row rs k d =
  nth (Nat.min k (pred (length rs))) rs d

(** val nmin : numbers -> num -> num -> num **)

let nmin num0 a b =
  if num0.nle a b then a else b

(** val nmax : numbers -> num -> num -> num **)

let nmax num0 a b =
  if num0.nle a b then b else a

(** val tightened : numbers -> box -> box **)

let tightened num0 b =
  let low0 = total0 num0 (fun e -> fst (snd e)) b.ends in
  let high0 = total0 num0 (fun e -> snd (snd e)) b.ends in
  let most0 = nmin num0 b.outside (num0.nsub num0.n1 low0) in
  let tight0 = fun e ->
    let (j, p) = e in
    let (lo0, hi0) = p in
    (j,
    ((nmax num0 lo0
       (num0.nsub (num0.nsub num0.n1 most0) (num0.nsub high0 hi0))),
    (nmin num0 hi0 (num0.nsub num0.n1 (num0.nsub low0 lo0)))))
  in
  { ends =
  (filter (fun e -> negb (num0.is_zero0 (snd (snd e)))) (map tight0 b.ends));
  outside = most0 }

(** val tight : numbers -> row1 -> box **)

let tight num0 r = match r with
| Point _ -> given num0 r
| Between b -> tightened num0 b

(** val first1 : state Coq_M.t -> state -> state **)

let first1 table0 i =
  match Coq_M.find i table0 with
  | Some r -> r
  | None -> i

(** val into_blocks : numbers -> state Coq_M.t -> box -> box **)

let into_blocks num0 table0 b =
  { ends =
    (gather (pair_add0 num0)
      (map (fun e -> ((first1 table0 (fst e)), (snd e))) b.ends)); outside =
    b.outside }

(** val merged_row : numbers -> state Coq_M.t -> row1 -> box **)

let merged_row num0 table0 r =
  if Coq_M.is_empty table0
  then tight num0 r
  else (match r with
        | Point _ -> into_blocks num0 table0 (given num0 r)
        | Between b ->
          tightened num0 (into_blocks num0 table0 (tightened num0 b)))

(** val nceil :
    numbers -> num -> Big_int_Z.big_int -> Big_int_Z.big_int option **)

let nceil num0 a d =
  option_map Z.opp (num0.nfloor (num0.nsub num0.n0 a) d)

(** val shares_of :
    numbers -> Big_int_Z.big_int -> (state * (num * num)) list ->
    (state * (Big_int_Z.big_int * Big_int_Z.big_int)) list option **)

let rec shares_of num0 d = function
| [] -> Some []
| p :: r ->
  let (j, p0) = p in
  let (lo0, hi0) = p0 in
  (match num0.nfloor lo0 d with
   | Some a ->
     (match nceil num0 hi0 d with
      | Some b ->
        (match shares_of num0 d r with
         | Some s ->
           if (&&) (Z.leb Big_int_Z.zero_big_int a) (Z.leb a b)
           then Some ((j, (a, b)) :: s)
           else None
         | None -> None)
      | None -> None)
   | None -> None)

(** val irow_of : numbers -> Big_int_Z.big_int -> box -> irow0 option **)

let irow_of num0 d b =
  if Z.ltb Big_int_Z.zero_big_int d
  then (match shares_of num0 d b.ends with
        | Some s ->
          (match nceil num0 b.outside d with
           | Some r ->
             if Z.leb Big_int_Z.zero_big_int r
             then Some { bottom1 = d; shares0 = s; rest = r }
             else None
           | None -> None)
        | None -> None)
  else None

(** val irows_of :
    numbers -> state Coq_M.t -> row1 list -> Big_int_Z.big_int list -> irow0
    list option **)

let rec irows_of num0 table0 rs ds =
  match rs with
  | [] -> (match ds with
           | [] -> Some []
           | _ :: _ -> None)
  | r :: rs0 ->
    (match ds with
     | [] -> None
     | d :: ds0 ->
       (match irow_of num0 d (merged_row num0 table0 r) with
        | Some x ->
          (match irows_of num0 table0 rs0 ds0 with
           | Some xs -> Some (x :: xs)
           | None -> None)
        | None -> None))

(** val is_known1 : numbers -> place1 Coq_M.t -> state -> bool **)

let is_known1 _ t0 i =
  match Coq_M.find i t0 with
  | Some _ -> true
  | None -> false

(** val strictly : numbers -> (state * (num * num)) list -> bool **)

let rec strictly num0 = function
| [] -> true
| p :: r ->
  let (i, _) = p in
  (match r with
   | [] -> true
   | p1 :: _ -> let (j, _) = p1 in (&&) (Coq_Pos.ltb i j) (strictly num0 r))

(** val row_ok1 : numbers -> place1 Coq_M.t -> row1 -> bool **)

let row_ok1 num0 t0 r =
  forallb (fun e ->
    (&&) (is_nonneg0 num0 (fst (snd e))) (is_known1 num0 t0 (fst e)))
    (given num0 r).ends

(** val blocks_ok : numbers -> state Coq_M.t -> row1 -> bool **)

let blocks_ok num0 table0 r =
  (||) (Coq_M.is_empty table0)
    (strictly num0 (into_blocks num0 table0 (tight num0 r)).ends)

(** val not_empty : numbers -> row1 -> bool **)

let not_empty num0 r =
  let b = given num0 r in
  let low0 = total0 num0 (fun e -> fst (snd e)) b.ends in
  (match r with
   | Point _ -> num0.is_zero0 (num0.nsub low0 num0.n1)
   | Between _ ->
     (&&) (num0.nle low0 num0.n1)
       (num0.nle num0.n1
         (num0.nadd (total0 num0 (fun e -> snd (snd e)) b.ends) b.outside)))

(** val is_point : numbers -> box -> bool **)

let is_point num0 b =
  (&&)
    (forallb (fun e -> num0.is_zero0 (num0.nsub (snd (snd e)) (fst (snd e))))
      b.ends) (num0.is_zero0 b.outside)

(** val differences : numbers -> box -> box -> (state * num) list **)

let differences num0 b b' =
  app (map (fun e -> ((fst e), (fst (snd e)))) b.ends)
    (map (fun e -> ((fst e), (num0.nsub num0.n0 (fst (snd e))))) b'.ends)

(** val same_point : numbers -> box -> box -> bool **)

let same_point num0 b b' =
  (&&) ((&&) (is_point num0 b) (is_point num0 b'))
    (entries_ok num0.nadd num0.is_zero0 (differences num0 b b'))

(** val same_rows :
    numbers -> state Coq_M.t -> row1 list -> row1 list -> bool **)

let rec same_rows num0 table0 rs rs' =
  match rs with
  | [] -> (match rs' with
           | [] -> true
           | _ :: _ -> false)
  | r :: rs0 ->
    (match rs' with
     | [] -> false
     | r' :: rs'0 ->
       (&&)
         (same_point num0 (merged_row num0 table0 r)
           (merged_row num0 table0 r')) (same_rows num0 table0 rs0 rs'0))

(** val place_ok1 :
    numbers -> place1 Coq_M.t -> state Coq_M.t -> (state * place1) -> bool **)

let place_ok1 num0 t0 table0 e =
  (&&) (Nat.leb (S O) (length (snd e).place_rows1))
    (forallb (fun r -> (&&) (row_ok1 num0 t0 r) (blocks_ok num0 table0 r))
      (snd e).place_rows1)

(** val merge_ok1 :
    numbers -> place1 Coq_M.t -> state Coq_M.t -> (state * state) -> bool **)

let merge_ok1 num0 t0 table0 e =
  (&&) (Coq_Pos.eqb (first1 table0 (snd e)) (snd e))
    (match Coq_M.find (fst e) t0 with
     | Some p ->
       (match Coq_M.find (snd e) t0 with
        | Some p' ->
          (&&) (Coq_Pos.eqb p.place_label1 p'.place_label1)
            (same_rows num0 table0 p.place_rows1 p'.place_rows1)
        | None -> false)
     | None -> false)

(** val weigh0 :
    (state -> label) -> (label * (vector * Big_int_Z.big_int)) list ->
    (state * (Big_int_Z.big_int * Big_int_Z.big_int)) list ->
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option **)

let rec weigh0 lb after0 l s d =
  match l with
  | [] -> Some (s, d)
  | p :: r ->
    let (j, p0) = p in
    let (low0, high0) = p0 in
    (match assoc (lb j) after0 with
     | Some p1 ->
       let (v, _) = p1 in
       (match value_at v j with
        | Some z0 ->
          weigh0 lb after0 r (Z.add s (Z.mul low0 z0))
            (Z.add d (Z.sub high0 low0))
        | None -> None)
     | None -> weigh0 lb after0 r s (Z.add d (Z.sub high0 low0)))

(** val valued0 :
    (nat -> state -> irow0) -> (state -> label) ->
    (label * (vector * Big_int_Z.big_int)) list -> nat -> state list ->
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
    ((state * Big_int_Z.big_int) list * Big_int_Z.big_int) option **)

let rec valued0 rows lb after0 k l acc worst =
  match l with
  | [] -> Some (acc, worst)
  | i :: r ->
    let b = rows k i in
    (match weigh0 lb after0 b.shares0 Big_int_Z.zero_big_int
             Big_int_Z.zero_big_int with
     | Some p ->
       let (s, d) = p in
       let z0 = Z.div s b.bottom1 in
       if Z.leb Big_int_Z.zero_big_int z0
       then valued0 rows lb after0 k r ((i, z0) :: acc)
              (Z.max worst
                (div_up0 (Z.mul (Z.add d b.rest) vector_unit) b.bottom1))
       else None
     | None -> None)

(** val make_vector0 :
    (nat -> state -> irow0) -> (state -> label) -> state list Coq_M.t ->
    (vector * Big_int_Z.big_int) Coq_M.t -> vector_entry ->
    (vector * Big_int_Z.big_int) option **)

let make_vector0 rows lb groups0 known e =
  match resolve known e.v_after with
  | Some after0 ->
    (match Coq_M.find e.v_label groups0 with
     | Some states ->
       let height =
         fold_left (fun h x -> Z.max h (snd (snd x))) after0
           Big_int_Z.zero_big_int
       in
       (match valued0 rows lb after0 e.v_input states []
                Big_int_Z.zero_big_int with
        | Some p ->
          let (l, worst) = p in
          Some ((Listed (of_list l)),
          (Z.min (Z.add (Z.add height Big_int_Z.unit_big_int) worst)
            vector_unit))
        | None -> None)
     | None -> None)
  | None -> None

(** val make_vectors0 :
    (nat -> state -> irow0) -> (state -> label) -> state list Coq_M.t ->
    vector_entry list -> Integers.t -> (vector * Big_int_Z.big_int) Coq_M.t
    -> (vector * Big_int_Z.big_int) Coq_M.t option **)

let rec make_vectors0 rows lb groups0 l next known =
  match l with
  | [] -> Some known
  | e :: r ->
    (match make_vector0 rows lb groups0 known e with
     | Some v ->
       make_vectors0 rows lb groups0 r (Coq_Pos.succ next)
         (Coq_M.add next v known)
     | None -> None)

(** val vectors_of0 :
    (nat -> state -> irow0) -> (state -> label) -> state list Coq_M.t ->
    vector_entry list -> (vector * Big_int_Z.big_int) Coq_M.t option **)

let vectors_of0 rows lb groups0 l =
  make_vectors0 rows lb groups0 l (Integers.double_and_one
    Big_int_Z.unit_big_int)
    (Coq_M.add Big_int_Z.unit_big_int ((Always false),
      Big_int_Z.zero_big_int)
      (Coq_M.add (Integers.double Big_int_Z.unit_big_int) ((Always true),
        Big_int_Z.zero_big_int) Coq_M.empty))

(** val stays0 :
    (nat -> state -> irow0) -> (state * Big_int_Z.big_int) list -> nat -> bool **)

let stays0 rows w k =
  forallb (fun e ->
    let b = rows k (fst e) in
    (&&) (Z.leb b.rest Big_int_Z.zero_big_int)
      (forallb (fun s -> Coq_Pos.eqb (fst s) (fst e)) b.shares0)) w

(** val alike :
    (state -> label) -> (state * Big_int_Z.big_int) list -> bool **)

let alike lb = function
| [] -> true
| p :: r ->
  let (i, _) = p in forallb (fun e -> Coq_Pos.eqb (lb (fst e)) (lb i)) r

(** val choices1 :
    (state -> nat) -> (state * Big_int_Z.big_int) list -> nat **)

let choices1 count w =
  fold_right (fun e n2 -> Nat.max (count (fst e)) n2) (S O) w

(** val asked0 :
    (nat -> state -> irow0) -> (state -> label) -> (state -> nat) ->
    (state * Big_int_Z.big_int) list -> nat list **)

let asked0 rows lb count w =
  let all = seq O (choices1 count w) in
  (match all with
   | [] ->
     if alike lb w
     then (match filter (fun k -> negb (stays0 rows w k)) all with
           | [] -> O :: []
           | n2 :: l -> n2 :: l)
     else all
   | _ :: l ->
     (match l with
      | [] -> all
      | _ :: _ ->
        if alike lb w
        then (match filter (fun k -> negb (stays0 rows w k)) all with
              | [] -> O :: []
              | n2 :: l0 -> n2 :: l0)
        else all))

(** val over_inputs0 :
    (nat -> state -> irow0) -> (state -> label) -> walk ->
    (state * Big_int_Z.big_int) list -> nat list -> Big_int_Z.big_int list ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option ->
    ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int list) option **)

let rec over_inputs0 rows lb go w ks toks best =
  match ks with
  | [] -> (match best with
           | Some p -> Some (p, toks)
           | None -> None)
  | k :: r ->
    (match iparts0 rows lb k w with
     | Some ps ->
       let l = lost rows k w in
       (match over_parts go ps toks (Z.opp l) l with
        | Some p ->
          let (p0, toks') = p in
          let (b, a) = p0 in
          over_inputs0 rows lb go w r toks' (Some
            (match best with
             | Some p1 -> let (b0, a0) = p1 in ((Z.max b0 b), (Z.max a0 a))
             | None -> (b, a)))
        | None -> None)
     | None -> None)

(** val eval0 :
    (nat -> state -> irow0) -> (state -> label) -> (state -> nat) ->
    (vector * Big_int_Z.big_int) Coq_M.t -> bool -> Big_int_Z.big_int list ->
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int list ->
    ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int list) option **)

let rec eval0 rows lb count vectors1 boxed fuel w toks =
  match fuel with
  | [] -> None
  | _ :: fuel' ->
    (match toks with
     | [] -> None
     | t0 :: rest0 ->
       let s = both_sides w in
       let g = gain_of s in
       if Z.eqb t0 expand
       then (match over_inputs0 rows lb
                     (eval0 rows lb count vectors1 boxed fuel') w
                     (asked0 rows lb count w) rest0 None with
             | Some p ->
               let (p0, toks') = p in
               let (b, a) = p0 in
               Some
               (if boxed
                then (((Z.max b g), (Z.min a (snd s))), toks')
                else ((b, a), toks'))
             | None -> None)
       else if Z.eqb t0 leaf
            then Some ((g, (snd s)), rest0)
            else (match Coq_M.find
                          (Z.to_pos (Z.add t0 Big_int_Z.unit_big_int))
                          vectors1 with
                  | Some v ->
                    (match against v w with
                     | Some b -> Some (((Z.max g b), (snd s)), rest0)
                     | None -> None)
                  | None -> None))

(** val tree_bounds0 :
    (nat -> state -> irow0) -> (state -> label) -> (state -> nat) ->
    (vector * Big_int_Z.big_int) Coq_M.t -> bool ->
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int list ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option **)

let tree_bounds0 rows lb count vectors1 boxed root1 toks =
  match eval0 rows lb count vectors1 boxed toks root1 toks with
  | Some p -> let (p0, l) = p in (match l with
                                  | [] -> Some p0
                                  | _ :: _ -> None)
  | None -> None

(** val expand_level0 :
    (nat -> state -> irow0) -> (state -> label) -> Big_int_Z.big_int ->
    (state * Big_int_Z.big_int) list list -> (Big_int_Z.big_int
    list * (state * Big_int_Z.big_int) list) list -> Big_int_Z.big_int ->
    Big_int_Z.big_int -> (((Big_int_Z.big_int
    list * (state * Big_int_Z.big_int) list)
    list * Big_int_Z.big_int) * Big_int_Z.big_int) option **)

let rec expand_level0 rows lb dust level kept b a =
  match level with
  | [] -> Some ((kept, b), a)
  | w :: r ->
    (match iparts0 rows lb O w with
     | Some ps ->
       let l = lost rows O w in
       let (p, a') = sift dust ps kept (Z.sub b l) (Z.add a l) in
       let (kept', b') = p in expand_level0 rows lb dust r kept' b' a'
     | None -> None)

(** val level_step0 :
    (nat -> state -> irow0) -> (state -> label) -> Big_int_Z.big_int ->
    (((state * Big_int_Z.big_int) list
    list * Big_int_Z.big_int) * Big_int_Z.big_int) option ->
    (((state * Big_int_Z.big_int) list
    list * Big_int_Z.big_int) * Big_int_Z.big_int) option **)

let level_step0 rows lb dust st = match st with
| Some p ->
  let (p0, a) = p in
  let (level, b) = p0 in
  (match level with
   | [] -> st
   | _ :: _ ->
     (match expand_level0 rows lb dust level [] Big_int_Z.zero_big_int
              Big_int_Z.zero_big_int with
      | Some p1 ->
        let (p2, a1) = p1 in
        let (kept, b1) = p2 in
        (match join_all (groups_of kept) [] Big_int_Z.zero_big_int with
         | Some p3 ->
           let (next, x) = p3 in
           Some ((next, (Z.sub (Z.add b b1) x)), (Z.add (Z.add a a1) x))
         | None -> None)
      | None -> None))
| None -> st

(** val levels_bounds0 :
    (nat -> state -> irow0) -> (state -> label) ->
    (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
    Big_int_Z.big_int -> (Big_int_Z.big_int * Big_int_Z.big_int) option **)

let levels_bounds0 rows lb root1 depth dust =
  match N.iter depth (level_step0 rows lb dust) (Some (((root1 :: []),
          Big_int_Z.zero_big_int), Big_int_Z.zero_big_int)) with
  | Some p ->
    let (p0, a) = p in let (level, b) = p0 in Some (masses level b a)
  | None -> None

(** val one0 : Big_int_Z.big_int **)

let one0 =
  (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double (Integers.double (Integers.double
    (Integers.double (Integers.double
    Big_int_Z.unit_big_int))))))))))))))))))))))))))))))

type target = { lo : Big_int_Z.big_int; hi : Big_int_Z.big_int;
                centre : Big_int_Z.big_int }

type srow = { targets : (state * target) list; beyond : target }

type entry1 = { ends_of : target; least : Big_int_Z.big_int;
                most : Big_int_Z.big_int }

(** val at_end :
    Big_int_Z.big_int -> entry1 -> Big_int_Z.big_int -> Big_int_Z.big_int **)

let at_end v e p =
  let c = Z.mul v (Z.sub p e.ends_of.centre) in
  Z.max (Z.mul c e.least) (Z.mul c e.most)

(** val rise : Big_int_Z.big_int -> entry1 -> Big_int_Z.big_int **)

let rise v e =
  Z.sub (at_end v e e.ends_of.hi) (at_end v e e.ends_of.lo)

(** val room : entry1 -> Big_int_Z.big_int **)

let room e =
  Z.sub e.ends_of.hi e.ends_of.lo

(** val fill :
    Big_int_Z.big_int -> entry1 list -> Big_int_Z.big_int ->
    Big_int_Z.big_int -> Big_int_Z.big_int **)

let fill v es num0 den =
  let base0 =
    fold_right (fun e s -> Z.add (at_end v e e.ends_of.lo) s)
      Big_int_Z.zero_big_int es
  in
  let left =
    Z.sub one0
      (fold_right (fun e s -> Z.add e.ends_of.lo s) Big_int_Z.zero_big_int es)
  in
  let rises =
    fold_right (fun e s ->
      Z.add
        (Z.max Big_int_Z.zero_big_int
          (Z.sub (Z.mul (rise v e) den) (Z.mul num0 (room e)))) s)
      Big_int_Z.zero_big_int es
  in
  Z.add base0 (div_up0 (Z.add (Z.mul num0 left) rises) den)

(** val slope_at :
    (Big_int_Z.big_int * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
    (Big_int_Z.big_int * Big_int_Z.big_int) ->
    Big_int_Z.big_int * Big_int_Z.big_int **)

let rec slope_at l left last =
  match l with
  | [] -> last
  | p :: l' ->
    let (r, m) = p in
    if Z.leb left m then (r, m) else slope_at l' (Z.sub left m) (r, m)

(** val slope :
    Big_int_Z.big_int -> entry1 list -> Big_int_Z.big_int * Big_int_Z.big_int **)

let slope v es =
  slope_at
    (sort (fun a b -> Z.leb (Z.mul (fst b) (snd a)) (Z.mul (fst a) (snd b)))
      (filter (fun x -> Z.ltb Big_int_Z.zero_big_int (snd x))
        (map (fun e -> ((rise v e), (room e))) es)))
    (Z.sub one0
      (fold_right (fun e s -> Z.add e.ends_of.lo s) Big_int_Z.zero_big_int es))
    (Big_int_Z.zero_big_int, Big_int_Z.unit_big_int)

(** val filled : Big_int_Z.big_int -> entry1 list -> Big_int_Z.big_int **)

let filled v es =
  let (num0, den) = slope v es in
  if Z.ltb Big_int_Z.zero_big_int den
  then fill v es num0 den
  else fill v es Big_int_Z.zero_big_int Big_int_Z.unit_big_int

(** val lo_sum :
    (Big_int_Z.big_int * Big_int_Z.big_int) list -> Big_int_Z.big_int **)

let lo_sum l =
  fold_right (fun x s -> Z.add (fst x) s) Big_int_Z.zero_big_int l

(** val hi_sum :
    (Big_int_Z.big_int * Big_int_Z.big_int) list -> Big_int_Z.big_int **)

let hi_sum l =
  fold_right (fun x s -> Z.add (snd x) s) Big_int_Z.zero_big_int l

(** val tighter :
    (Big_int_Z.big_int * Big_int_Z.big_int) list ->
    (Big_int_Z.big_int * Big_int_Z.big_int) ->
    Big_int_Z.big_int * Big_int_Z.big_int **)

let tighter all x =
  ((Z.max (fst x) (Z.sub one0 (Z.sub (hi_sum all) (snd x)))),
    (Z.min (snd x) (Z.sub one0 (Z.sub (lo_sum all) (fst x)))))

(** val scaled1 : irow0 -> srow **)

let scaled1 b =
  let all = app (map snd b.shares0) ((Big_int_Z.zero_big_int, b.rest) :: [])
  in
  let tight0 = map (tighter all) all in
  let left = Z.sub one0 (lo_sum tight0) in
  let width =
    Z.max (Z.sub (hi_sum tight0) (lo_sum tight0)) Big_int_Z.unit_big_int
  in
  let middle = fun x -> { lo = (fst x); hi = (snd x); centre =
    (Z.add (fst x) (Z.div (Z.mul (Z.sub (snd x) (fst x)) left) width)) }
  in
  let out = tighter all (Big_int_Z.zero_big_int, b.rest) in
  { targets =
  (map (fun s -> ((fst s), (middle (tighter all (snd s))))) b.shares0);
  beyond = { lo = (fst out); hi = (snd out); centre =
  Big_int_Z.zero_big_int } }

type span = { mid : Big_int_Z.big_int; least_of : Big_int_Z.big_int;
              most_of : Big_int_Z.big_int }

(** val add_span : span -> span -> span **)

let add_span u v =
  { mid = (Z.add u.mid v.mid); least_of = (Z.add u.least_of v.least_of);
    most_of = (Z.add u.most_of v.most_of) }

(** val sent_span : span -> target -> span **)

let sent_span v t0 =
  { mid = (Z.div (Z.mul v.mid t0.centre) one0); least_of =
    (Z.div
      (Z.mul v.least_of
        (if Z.ltb Big_int_Z.zero_big_int v.least_of then t0.lo else t0.hi))
      one0); most_of =
    (div_up0
      (Z.mul v.most_of
        (if Z.ltb Big_int_Z.zero_big_int v.most_of then t0.hi else t0.lo))
      one0) }

(** val span_step :
    (state -> srow) -> (state * span) list -> (state * span) list **)

let span_step rows b =
  flat_map (fun e ->
    map (fun x -> ((fst x), (sent_span (snd e) (snd x))))
      (rows (fst e)).targets) b

(** val span_parts :
    (state -> srow) -> (state -> label) -> (state * span) list -> span part
    list option **)

let span_parts rows lb b =
  split lb (gather add_span (span_step rows b))

(** val dropped_by : span -> (state * target) list -> Big_int_Z.big_int **)

let dropped_by v l =
  fold_right (fun x n2 ->
    Z.add
      (if Z.eqb (Z.modulo (Z.mul v.mid (snd x).centre) one0)
            Big_int_Z.zero_big_int
       then Big_int_Z.zero_big_int
       else Big_int_Z.unit_big_int) n2) Big_int_Z.zero_big_int l

(** val dropped :
    (state -> srow) -> (state * span) list -> Big_int_Z.big_int **)

let dropped rows b =
  fold_right (fun e n2 ->
    Z.add (dropped_by (snd e) (rows (fst e)).targets) n2)
    Big_int_Z.zero_big_int b

(** val entries :
    bool -> (Big_int_Z.big_int * Big_int_Z.big_int) Coq_M.t ->
    (state * target) list -> entry1 list option **)

let rec entries keep0 after0 = function
| [] -> Some []
| p :: r ->
  let (j, t0) = p in
  (match Coq_M.find j after0 with
   | Some p0 ->
     let (a, b) = p0 in
     (match entries keep0 after0 r with
      | Some es ->
        Some ({ ends_of =
          (if keep0
           then t0
           else { lo = t0.lo; hi = t0.hi; centre = Big_int_Z.zero_big_int });
          least = a; most = b } :: es)
      | None -> None)
   | None -> None)

(** val with_beyond : srow -> entry1 list -> entry1 list **)

let with_beyond s es =
  app es ({ ends_of = s.beyond; least = Big_int_Z.zero_big_int; most =
    one0 } :: [])

(** val correction :
    bool -> Big_int_Z.big_int -> entry1 list -> Big_int_Z.big_int **)

let correction above1 v es =
  if above1
  then div_up0 (filled v es) one0
  else Z.opp (div_up0 (filled (Z.opp v) es) one0)

(** val value_limits :
    entry1 list -> Big_int_Z.big_int * Big_int_Z.big_int **)

let value_limits es =
  ((Z.max Big_int_Z.zero_big_int
     (Z.opp
       (div_up0 (filled (Big_int_Z.minus_big_int Big_int_Z.unit_big_int) es)
         one0))),
    (Z.min one0 (div_up0 (filled Big_int_Z.unit_big_int es) one0)))

(** val node :
    (state -> srow) -> bool -> (Big_int_Z.big_int * Big_int_Z.big_int)
    Coq_M.t -> (state * span) list ->
    (Big_int_Z.big_int * (state * (Big_int_Z.big_int * Big_int_Z.big_int))
    list) option **)

let rec node rows above1 after0 = function
| [] -> Some (Big_int_Z.zero_big_int, [])
| p :: r ->
  let (i, v) = p in
  (match entries true after0 (rows i).targets with
   | Some es ->
     (match entries false after0 (rows i).targets with
      | Some es0 ->
        (match node rows above1 after0 r with
         | Some p0 ->
           let (c, vs) = p0 in
           Some
           ((Z.add (correction above1 v.mid (with_beyond (rows i) es)) c),
           ((i, (value_limits (with_beyond (rows i) es0))) :: vs))
         | None -> None)
      | None -> None)
   | None -> None)

(** val event_weight : (state * span) list -> Big_int_Z.big_int **)

let event_weight b =
  if Z.ltb Big_int_Z.zero_big_int
       (fold_right (fun e s -> Z.add (snd e).mid s) Big_int_Z.zero_big_int b)
  then one0
  else Big_int_Z.zero_big_int

(** val is_mixed : span -> bool **)

let is_mixed v =
  (&&) (Z.ltb v.least_of Big_int_Z.zero_big_int)
    (Z.ltb Big_int_Z.zero_big_int v.most_of)

(** val weight0 : span -> Big_int_Z.big_int **)

let weight0 v =
  if Z.leb Big_int_Z.zero_big_int v.least_of
  then one0
  else if Z.leb v.most_of Big_int_Z.zero_big_int
       then Big_int_Z.zero_big_int
       else Z.div (Z.mul v.most_of one0) (Z.sub v.most_of v.least_of)

(** val spare0 : span -> Big_int_Z.big_int **)

let spare0 v =
  if is_mixed v
  then Z.max (Z.mul (Z.opp (weight0 v)) v.least_of)
         (Z.mul (Z.sub one0 (weight0 v)) v.most_of)
  else Big_int_Z.zero_big_int

(** val leaf0 :
    bool -> (state * span) list ->
    Big_int_Z.big_int * (state * (Big_int_Z.big_int * Big_int_Z.big_int)) list **)

let leaf0 above1 b =
  let e = event_weight b in
  let phi = fun v -> if above1 then weight0 v else e in
  ((fold_right (fun x s ->
     Z.add
       (Z.add (Z.mul (phi (snd x)) (snd x).mid)
         (if above1 then spare0 (snd x) else Big_int_Z.zero_big_int)) s)
     Big_int_Z.zero_big_int b),
  (map (fun x -> ((fst x), ((phi (snd x)), (phi (snd x))))) b))

(** val weight_table : (state * span) list -> Big_int_Z.big_int Coq_M.t **)

let weight_table b =
  of_list (map (fun x -> ((fst x), (weight0 (snd x)))) b)

(** val weights_ok : (state * span) list -> bool **)

let weights_ok b =
  let t0 = weight_table b in
  forallb (fun x ->
    match Coq_M.find (fst x) t0 with
    | Some z0 ->
      (&&)
        ((&&) (Z.eqb z0 (weight0 (snd x))) (Z.leb Big_int_Z.zero_big_int z0))
        (Z.leb z0 one0)
    | None -> false) b

type found =
  (Big_int_Z.big_int * (state * (Big_int_Z.big_int * Big_int_Z.big_int))
  list) * Big_int_Z.big_int list

(** val over :
    ((state * span) list -> Big_int_Z.big_int list -> found option) -> span
    part list -> Big_int_Z.big_int list -> found option **)

let rec over go ps toks =
  match ps with
  | [] -> Some ((Big_int_Z.zero_big_int, []), toks)
  | p :: r ->
    (match go (snd p) toks with
     | Some f ->
       let (p0, toks') = f in
       let (t0, vs) = p0 in
       (match over go r toks' with
        | Some f0 ->
          let (p1, toks'') = f0 in
          let (t', vs') = p1 in Some (((Z.add t0 t'), (app vs vs')), toks'')
        | None -> None)
     | None -> None)

(** val first_eval :
    (state -> srow) -> (state -> label) -> bool -> Big_int_Z.big_int list ->
    (state * span) list -> Big_int_Z.big_int list -> found option **)

let rec first_eval rows lb above1 fuel b toks =
  match fuel with
  | [] -> None
  | _ :: fuel' ->
    (match toks with
     | [] -> None
     | t0 :: rest0 ->
       if Z.eqb t0 (Big_int_Z.minus_big_int Big_int_Z.unit_big_int)
       then (match span_parts rows lb b with
             | Some ps ->
               (match over (first_eval rows lb above1 fuel') ps rest0 with
                | Some f ->
                  let (p, toks') = f in
                  let (t1, vs) = p in
                  (match node rows above1 (of_list vs) b with
                   | Some p0 ->
                     let (c, vs') = p0 in
                     Some
                     (((Z.add
                         (Z.add t1
                           (if above1
                            then Z.mul (dropped rows b) one0
                            else Big_int_Z.zero_big_int)) c), vs'), toks')
                   | None -> None)
                | None -> None)
             | None -> None)
       else if Z.eqb t0 (Big_int_Z.minus_big_int (Integers.double
                 Big_int_Z.unit_big_int))
            then if weights_ok b then Some ((leaf0 above1 b), rest0) else None
            else None)

(** val point_span : Big_int_Z.big_int -> span **)

let point_span z0 =
  { mid = z0; least_of = z0; most_of = z0 }

(** val first_total :
    (state -> srow) -> (state -> label) -> bool -> state -> state ->
    Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int list ->
    Big_int_Z.big_int option **)

let first_total rows lb above1 s t0 ms mt toks =
  match first_eval rows lb above1 toks ((s, (point_span ms)) :: ((t0,
          (point_span mt)) :: [])) toks with
  | Some f ->
    let (p, l) = f in
    let (t1, _) = p in (match l with
                        | [] -> Some t1
                        | _ :: _ -> None)
  | None -> None

type recipe_kind0 =
| TreeRecipe0 of bool * Big_int_Z.big_int list
| LevelsRecipe0 of bool * Big_int_Z.big_int * Big_int_Z.big_int
| FirstRecipe of Big_int_Z.big_int list

type recipe0 = { r_from0 : state; r_to0 : state; r_kind0 : recipe_kind0 }

type statement1 = { st_from1 : state; st_to1 : state; st_lower1 : num;
                    st_upper1 : num }

type certificate1 = { alpha_upper1 : num; alpha_lower1 : num;
                      around_upper : num; around_lower : num;
                      merges1 : (state * state) list; is_boxed : bool;
                      bits0 : Big_int_Z.big_int;
                      vectors0 : vector_entry list; recipes0 : recipe0 list;
                      statements1 : statement1 list }

(** val found0 : numbers -> (state * place1) list -> place1 Coq_M.t **)

let found0 _ =
  of_list

(** val table : numbers -> certificate1 -> state Coq_M.t **)

let table _ c =
  of_list c.merges1

(** val unit1 : numbers -> certificate1 -> Big_int_Z.big_int **)

let unit1 _ c =
  Z.pow (Integers.double Big_int_Z.unit_big_int) c.bits0

(** val label_in : numbers -> place1 Coq_M.t -> state -> label **)

let label_in _ t0 i =
  match Coq_M.find i t0 with
  | Some p -> p.place_label1
  | None -> Big_int_Z.unit_big_int

(** val count_in : numbers -> place1 Coq_M.t -> state -> nat **)

let count_in _ t0 i =
  match Coq_M.find i t0 with
  | Some p -> length p.place_rows1
  | None -> S O

(** val is_first :
    numbers -> place1 Coq_M.t -> state Coq_M.t -> state -> bool **)

let is_first num0 t0 tb i =
  (&&) (is_known1 num0 t0 i) (Coq_Pos.eqb (first1 tb i) i)

(** val row_table :
    numbers -> place1 Coq_M.t -> state Coq_M.t -> irow0 list option Coq_M.t **)

let row_table num0 t0 tb =
  Coq_M.mapi (fun i p ->
    if Coq_Pos.eqb (first1 tb i) i
    then irows_of num0 tb p.place_rows1 p.units
    else None) t0

(** val no_row : irow0 **)

let no_row =
  { bottom1 = Big_int_Z.unit_big_int; shares0 = []; rest =
    Big_int_Z.zero_big_int }

(** val row_at : irow0 list option Coq_M.t -> nat -> state -> irow0 **)

let row_at rt k i =
  match Coq_M.find i rt with
  | Some o -> (match o with
               | Some rs -> nth_row rs k no_row
               | None -> no_row)
  | None -> no_row

(** val rows_ok :
    numbers -> irow0 list option Coq_M.t -> state Coq_M.t -> (state * place1)
    -> bool **)

let rows_ok _ rt tb e =
  (||) (negb (Coq_Pos.eqb (first1 tb (fst e)) (fst e)))
    (match Coq_M.find (fst e) rt with
     | Some o -> (match o with
                  | Some _ -> true
                  | None -> false)
     | None -> false)

(** val srow_table :
    numbers -> certificate1 -> place1 Coq_M.t -> state Coq_M.t -> srow option
    Coq_M.t **)

let srow_table num0 c t0 tb =
  if existsb (fun r ->
       match r.r_kind0 with
       | FirstRecipe _ -> true
       | _ -> false) c.recipes0
  then Coq_M.mapi (fun i p ->
         if Coq_Pos.eqb (first1 tb i) i
         then option_map scaled1
                (irow_of num0 one0
                  (merged_row num0 tb (nth_row p.place_rows1 O (Point []))))
         else None) t0
  else Coq_M.empty

(** val no_srow : srow **)

let no_srow =
  { targets = []; beyond = { lo = Big_int_Z.zero_big_int; hi =
    Big_int_Z.zero_big_int; centre = Big_int_Z.zero_big_int } }

(** val srow_at : srow option Coq_M.t -> state -> srow **)

let srow_at st i =
  match Coq_M.find i st with
  | Some o -> (match o with
               | Some s -> s
               | None -> no_srow)
  | None -> no_srow

(** val srows_ok :
    numbers -> (state * place1) list -> srow option Coq_M.t -> state Coq_M.t
    -> bool **)

let srows_ok _ m st tb =
  forallb (fun e ->
    (||) (negb (Coq_Pos.eqb (first1 tb (fst e)) (fst e)))
      (match Coq_M.find (fst e) st with
       | Some o -> (match o with
                    | Some _ -> true
                    | None -> false)
       | None -> false)) m

(** val groups :
    numbers -> (state * place1) list -> place1 Coq_M.t -> state Coq_M.t ->
    state list Coq_M.t **)

let groups num0 m t0 tb =
  fold_left (fun g e ->
    let i = fst e in
    let a = (snd e).place_label1 in
    if is_first num0 t0 tb i
    then Coq_M.add a
           (i :: (match Coq_M.find a g with
                  | Some l -> l
                  | None -> [])) g
    else g) m Coq_M.empty

(** val is_single0 : numbers -> (state * place1) list -> bool **)

let is_single0 _ m =
  forallb (fun e -> Nat.eqb (length (snd e).place_rows1) (S O)) m

type result0 = { of_from0 : state; of_to0 : state; shift_low : bool;
                 low : Big_int_Z.big_int; shift_high : bool;
                 high : Big_int_Z.big_int }

(** val root0 :
    numbers -> certificate1 -> bool -> state -> state ->
    (state * Big_int_Z.big_int) list option **)

let root0 num0 c second s t0 =
  match if second
        then num0.nfloor c.around_upper (unit1 num0 c)
        else num0.nfloor (num0.nsub num0.n0 c.around_lower) (unit1 num0 c) with
  | Some z0 ->
    Some ((s,
      (if second then Z.opp (unit1 num0 c) else unit1 num0 c)) :: ((t0,
      z0) :: []))
  | None -> None

(** val from_root :
    numbers -> certificate1 -> bool -> state -> state ->
    ((state * Big_int_Z.big_int) list ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option) -> result0 option **)

let from_root num0 c second s t0 bounds =
  match root0 num0 c second s t0 with
  | Some w ->
    (match bounds w with
     | Some p ->
       let (b, a) = p in
       Some { of_from0 = s; of_to0 = t0; shift_low = second; low = b;
       shift_high = (negb second); high = a }
     | None -> None)
  | None -> None

(** val by_first_order :
    numbers -> certificate1 -> state -> state -> (bool -> Big_int_Z.big_int
    -> Big_int_Z.big_int option) -> result0 option **)

let by_first_order num0 c s t0 total1 =
  match nceil num0 (num0.nsub num0.n0 c.around_upper) (unit1 num0 c) with
  | Some zu ->
    (match num0.nfloor (num0.nsub num0.n0 c.around_lower) (unit1 num0 c) with
     | Some zl ->
       (match total1 true zu with
        | Some a ->
          (match total1 false zl with
           | Some b ->
             Some { of_from0 = s; of_to0 = t0; shift_low = false; low =
               (Z.div b one0); shift_high = false; high = (div_up0 a one0) }
           | None -> None)
        | None -> None)
     | None -> None)
  | None -> None

(** val run0 :
    numbers -> (state * place1) list -> certificate1 -> place1 Coq_M.t ->
    irow0 list option Coq_M.t -> srow option Coq_M.t ->
    (vector * Big_int_Z.big_int) Coq_M.t -> recipe0 -> result0 option **)

let run0 num0 m c t0 rt st vs r =
  if (&&) (is_first num0 t0 (table num0 c) r.r_from0)
       (is_first num0 t0 (table num0 c) r.r_to0)
  then (match r.r_kind0 with
        | TreeRecipe0 (second, tokens) ->
          from_root num0 c second r.r_from0 r.r_to0 (fun w ->
            tree_bounds0 (row_at rt) (label_in num0 t0) (count_in num0 t0) vs
              c.is_boxed w tokens)
        | LevelsRecipe0 (second, depth, dust) ->
          if is_single0 num0 m
          then from_root num0 c second r.r_from0 r.r_to0 (fun w ->
                 levels_bounds0 (row_at rt) (label_in num0 t0) w depth dust)
          else None
        | FirstRecipe tokens ->
          if (&&) (is_single0 num0 m) (srows_ok num0 m st (table num0 c))
          then by_first_order num0 c r.r_from0 r.r_to0 (fun above1 z0 ->
                 first_total (srow_at st) (label_in num0 t0) above1 r.r_from0
                   r.r_to0 (unit1 num0 c) z0 tokens)
          else None)
  else None

(** val run_all0 :
    (recipe0 -> result0 option) -> recipe0 list -> Big_int_Z.big_int ->
    result0 list -> result0 list * Big_int_Z.big_int option **)

let rec run_all0 go l k done0 =
  match l with
  | [] -> (done0, None)
  | r :: rest0 ->
    (match go r with
     | Some x ->
       run_all0 go rest0 (Z.add k Big_int_Z.unit_big_int) (x :: done0)
     | None -> ([], (Some k)))

(** val is_about : state -> state -> result0 -> bool **)

let is_about s t0 x =
  (&&) (Coq_Pos.eqb x.of_from0 s) (Coq_Pos.eqb x.of_to0 t0)

(** val reaches : numbers -> certificate1 -> num -> result0 -> bool **)

let reaches num0 c u x =
  match num0.nfloor
          (if x.shift_high
           then num0.nadd (num0.nsub u num0.n1) c.around_upper
           else u) (unit1 num0 c) with
  | Some z0 -> Z.leb x.high z0
  | None -> false

(** val keeps : numbers -> certificate1 -> num -> result0 -> bool **)

let keeps num0 c l x =
  match nceil num0
          (if x.shift_low
           then num0.nadd (num0.nsub l num0.n1) c.around_lower
           else l) (unit1 num0 c) with
  | Some z0 -> Z.leb z0 x.low
  | None -> false

(** val statement_ok1 :
    numbers -> certificate1 -> place1 Coq_M.t -> result0 list -> statement1
    -> bool **)

let statement_ok1 num0 c t0 rs st =
  let s' = first1 (table num0 c) st.st_from1 in
  let t' = first1 (table num0 c) st.st_to1 in
  (&&) ((&&) (is_known1 num0 t0 st.st_from1) (is_known1 num0 t0 st.st_to1))
    (if Coq_Pos.eqb s' t'
     then (&&) (num0.nle num0.n0 st.st_upper1) (num0.nle st.st_lower1 num0.n0)
     else if Coq_Pos.eqb (label_in num0 t0 s') (label_in num0 t0 t')
          then (&&)
                 (forallb (fun p ->
                   (||) (num0.nle num0.n1 st.st_upper1)
                     (existsb (fun x ->
                       (&&) (is_about (fst p) (snd p) x)
                         (reaches num0 c st.st_upper1 x)) rs)) ((s',
                   t') :: ((t', s') :: [])))
                 ((||) (num0.nle st.st_lower1 num0.n0)
                   (existsb (fun x ->
                     (&&) ((||) (is_about s' t' x) (is_about t' s' x))
                       (keeps num0 c st.st_lower1 x)) rs))
          else (&&) (num0.nle num0.n1 st.st_upper1)
                 (num0.nle st.st_lower1 num0.n1))

(** val alphas_ok : numbers -> certificate1 -> bool **)

let alphas_ok num0 c =
  (&&)
    ((&&)
      ((&&) (num0.nle num0.n1 c.around_upper)
        (num0.nle c.around_upper c.alpha_upper1))
      (num0.nle c.alpha_upper1 c.alpha_lower1))
    (num0.nle c.alpha_lower1 c.around_lower)

(** val check1 :
    numbers -> (state * place1) list -> certificate1 ->
    (Big_int_Z.big_int * Big_int_Z.big_int) option **)

let check1 num0 m c =
  let t0 = found0 num0 m in
  let tb = table num0 c in
  let rt = row_table num0 t0 tb in
  if negb (alphas_ok num0 c)
  then Some (Big_int_Z.unit_big_int, Big_int_Z.zero_big_int)
  else (match first_bad (place_ok1 num0 t0 tb) m Big_int_Z.zero_big_int with
        | Some i -> Some ((Integers.double Big_int_Z.unit_big_int), i)
        | None ->
          (match first_bad (fun e ->
                   forallb (not_empty num0) (snd e).place_rows1) m
                   Big_int_Z.zero_big_int with
           | Some i -> Some ((Integers.double Big_int_Z.unit_big_int), i)
           | None ->
             (match first_bad (merge_ok1 num0 t0 tb) c.merges1
                      Big_int_Z.zero_big_int with
              | Some i ->
                Some ((Integers.double_and_one Big_int_Z.unit_big_int), i)
              | None ->
                (match first_bad (rows_ok num0 rt tb) m Big_int_Z.zero_big_int with
                 | Some i ->
                   Some ((Integers.double Big_int_Z.unit_big_int), i)
                 | None ->
                   if negb (Z.ltb Big_int_Z.zero_big_int (unit1 num0 c))
                   then Some ((Integers.double (Integers.double_and_one
                          (Integers.double Big_int_Z.unit_big_int))),
                          Big_int_Z.zero_big_int)
                   else (match vectors_of0 (row_at rt) (label_in num0 t0)
                                 (groups num0 m t0 tb) c.vectors0 with
                         | Some vs ->
                           let (rs, o) =
                             run_all0
                               (run0 num0 m c t0 rt (srow_table num0 c t0 tb)
                                 vs) c.recipes0 Big_int_Z.zero_big_int []
                           in
                           (match o with
                            | Some i ->
                              Some ((Integers.double (Integers.double_and_one
                                (Integers.double Big_int_Z.unit_big_int))), i)
                            | None ->
                              (match first_bad (statement_ok1 num0 c t0 rs)
                                       c.statements1 Big_int_Z.zero_big_int with
                               | Some i ->
                                 Some ((Integers.double_and_one
                                   (Integers.double_and_one (Integers.double
                                   Big_int_Z.unit_big_int))), i)
                               | None -> None))
                         | None ->
                           Some ((Integers.double (Integers.double_and_one
                             (Integers.double Big_int_Z.unit_big_int))),
                             Big_int_Z.zero_big_int))))))

(** val version2 : Big_int_Z.big_int **)

let version2 =
  (Integers.double_and_one Big_int_Z.unit_big_int)

(** val row_reader : closeness list -> row1 reader **)

let row_reader es =
  bind flag (fun b ->
    if b
    then bind
           (list_of
             (pair_of number
               (pair_of (Obj.magic fraction_reader es)
                 (Obj.magic fraction_reader es)))) (fun l ->
           bind (Obj.magic fraction_reader es) (fun r ->
             give (Between { ends = l; outside = r })))
    else bind (list_of (pair_of number (Obj.magic fraction_reader es)))
           (fun l -> give (Point l)))

(** val place_reader1 : closeness list -> (state * place1) reader **)

let place_reader1 es =
  bind number (fun i ->
    bind number (fun a ->
      bind (list_of (row_reader es)) (fun rows ->
        bind (list_of integer) (fun us ->
          give (i, { place_label1 = a; place_rows1 = rows; units = us })))))

(** val recipe_reader0 : recipe0 reader **)

let recipe_reader0 =
  bind number (fun s ->
    bind number (fun t0 ->
      bind integer (fun z0 ->
        bind
          (if Z.eqb z0 Big_int_Z.zero_big_int
           then bind flag (fun f ->
                  bind (list_of integer) (fun l -> give (TreeRecipe0 (f, l))))
           else if Z.eqb z0 Big_int_Z.unit_big_int
                then bind flag (fun f ->
                       bind natural (fun d ->
                         bind integer (fun x ->
                           give (LevelsRecipe0 (f, d, x)))))
                else if Z.eqb z0 (Integers.double Big_int_Z.unit_big_int)
                     then bind (list_of integer) (fun l ->
                            give (FirstRecipe l))
                     else fail) (fun k ->
          give { r_from0 = s; r_to0 = t0; r_kind0 = k }))))

(** val statement_reader1 : closeness list -> statement1 reader **)

let statement_reader1 es =
  bind number (fun s ->
    bind number (fun t0 ->
      bind (Obj.magic fraction_reader es) (fun l ->
        bind (Obj.magic fraction_reader es) (fun u ->
          give { st_from1 = s; st_to1 = t0; st_lower1 = l; st_upper1 = u }))))

(** val certificate_reader1 : closeness list -> certificate1 reader **)

let certificate_reader1 es =
  bind (Obj.magic fraction_reader es) (fun au ->
    bind (Obj.magic fraction_reader es) (fun al ->
      bind (Obj.magic fraction_reader es) (fun ru ->
        bind (Obj.magic fraction_reader es) (fun rl ->
          bind (list_of (pair_of number number)) (fun mg ->
            bind flag (fun bx ->
              bind integer (fun bt ->
                bind (list_of vector_reader) (fun vs ->
                  bind (list_of recipe_reader0) (fun rs ->
                    bind (list_of (statement_reader1 es)) (fun st ->
                      give { alpha_upper1 = au; alpha_lower1 = al;
                        around_upper = ru; around_lower = rl; merges1 = mg;
                        is_boxed = bx; bits0 = bt; vectors0 = vs; recipes0 =
                        rs; statements1 = st }))))))))))

(** val body_reader0 :
    closeness list -> ((state * place1) list * certificate1) reader **)

let body_reader0 es =
  pair_of (list_of (place_reader1 es)) (certificate_reader1 es)

type contents1 = (state * place1) list * certificate1

(** val read2 : Big_int_Z.big_int list -> (header, contents1) sigT option **)

let read2 file =
  match bind integer (fun v ->
          if Z.eqb v version2 then header_reader else fail) file with
  | Some p ->
    let (h, rest0) = p in
    (match body_reader0 (enclosures h) rest0 with
     | Some p0 ->
       let (x, l) = p0 in
       (match l with
        | [] -> Some (ExistT (h, x))
        | _ :: _ -> None)
     | None -> None)
  | None -> None

(** val judge2 : Big_int_Z.big_int list -> verdict **)

let judge2 file =
  match read2 file with
  | Some s ->
    let ExistT (h, c0) = s in
    let (listed, c) = c0 in
    (match check1 (numbers_of h) listed c with
     | Some p -> let (part0, entry2) = p in Rejected (part0, entry2)
     | None -> Accepted)
  | None -> Malformed

(** val verdict_of : Big_int_Z.big_int list -> verdict **)

let verdict_of file = match file with
| [] -> Malformed
| v :: _ ->
  if Z.eqb v version1
  then judge1 file
  else if Z.eqb v version2
       then judge2 file
       else if Z.eqb v version0 then judge0 file else judge file
