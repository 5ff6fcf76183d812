(** The program as OCaml. Integers are zarith's; the directives below are part of what must be believed. *)

Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt.
Require Import PArith ZArith QArith.
Require Deltachain.Program Deltachain.Corners.

(** Halving by shifts, which is what tables of states do all the time. *)
Extract Inductive positive => "Integers.t"
 [ "Integers.double_and_one" "Integers.double" "Big_int_Z.unit_big_int" ] "Integers.halve".
Extract Constant Pos.eqb => "Integers.equal".
Extract Constant Pos.leb => "Integers.leq".
Extract Constant Pos.ltb => "Integers.lt".
Extract Constant Z.leb => "Integers.leq".
Extract Constant Z.ltb => "Integers.lt".
Extract Constant Z.gcd => "Integers.gcd".
Extract Constant Z.log2 => "Integers.log2".
Extract Constant Z.pow => "Integers.pow".

Set Warnings "-extraction-opaque-accessed".
Extraction "core.ml" Program.answer_of.
(** The theorem over Q and those about corners use no axiom, the others those of Coq's real numbers alone: the Makefile looks. *)
Print Assumptions Deltachain.Program.proved_over_Q.
Print Assumptions Deltachain.Corners.all_corners_decide.
Print Assumptions Deltachain.Corners.delta_at_corners.
Print Assumptions Deltachain.Corners.star_recurrence.
Print Assumptions Deltachain.Corners.private_at_every_gap.
Print Assumptions Deltachain.Program.proved_over_exp.
Print Assumptions Deltachain.Program.proved_over_u.
