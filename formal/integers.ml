(* What the extraction of Extract.v stands for: positive integers of Coq as zarith's, and their usual functions. *)

type t = Z.t

let double p = Z.shift_left p 1
let double_and_one p = Z.succ (Z.shift_left p 1)

(* A match on a positive number: 2q + 1, 2q, or 1. *)
let halve odd even one p =
  if Z.leq p Z.one then one ()
  else
    let q = Z.shift_right p 1 in
    if Z.is_even p then even q else odd q

let equal = Z.equal
let leq = Z.leq
let lt = Z.lt
let gcd = Z.gcd
