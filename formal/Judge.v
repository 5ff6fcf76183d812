(** One program for all kernel files: the first integer is the version. *)

Require Import List ZArith.
Require Deltachain.Kernel Deltachain.Splits Deltachain.functions.Kernel Deltachain.boxes.Kernel.
Import Deltachain.Kernel(verdict, Accepted, Rejected, Malformed).
Import ListNotations.
Open Scope Z_scope.

Definition verdict_of (file : list Z) : verdict :=
  match file with
  | [] => Malformed
  | v :: _ =>
      if v =? functions.Kernel.version then functions.Kernel.judge file else
      if v =? boxes.Kernel.version then boxes.Kernel.judge file else
      if v =? Splits.version then Splits.judge file else Deltachain.Kernel.judge file
  end.

(** What is accepted is read by the reader of its version, and holds as the theorem of that version says. *)
Theorem accepted_is_proved file : verdict_of file = Accepted ->
  (exists listed c, Deltachain.Kernel.read file = Some (listed, c)
    /\ forall st, In st (Deltachain.Certificate.statements c) -> Deltachain.Certificate.holds listed c st)
  \/ (exists h listed c, functions.Kernel.read file = Some (existT functions.Kernel.contents h (listed, c))
    /\ forall st, In st (functions.Certificate.statements c) ->
         @functions.Certificate.holds _ (functions.Kernel.at_exp h) listed c st)
  \/ (exists h listed c, boxes.Kernel.read file = Some (existT boxes.Kernel.contents h (listed, c))
    /\ forall st, In st (boxes.Certificate.statements c) -> @boxes.Certificate.holds _ (functions.Kernel.at_exp h) listed c st)
  \/ (exists x, Splits.read file = Some x /\ Splits.all_hold x).
Proof.
  destruct file as [|v file]; [discriminate|]. unfold verdict_of.
  destruct (v =? functions.Kernel.version); [|destruct (v =? boxes.Kernel.version); [|destruct (v =? Splits.version)]]; intros H.
  - right. left. apply functions.Kernel.accepted_is_proved. assumption.
  - right. right. left. apply boxes.Kernel.accepted_is_proved. assumption.
  - right. right. right. apply Splits.accepted_is_proved. assumption.
  - left. apply Deltachain.Kernel.accepted_is_proved. assumption.
Qed.
