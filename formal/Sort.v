(** Sorting: any order will do, only that it is a permutation is used. *)

Require Import List Permutation Arith Lia.
Import ListNotations.

Section Sort.
Context {B : Type} (leb : B -> B -> bool).

(** Both merge in reverse: an ascending and a descending list alternate, so that all loops are tail calls. *)
Fixpoint merge (up : bool) (l1 : list B) : list B -> list B -> list B :=
  fix merge_with (l2 : list B) (acc : list B) : list B :=
    match l1, l2 with
    | [], _ => rev_append l2 acc
    | _, [] => rev_append l1 acc
    | a :: l1', b :: l2' =>
        if (if up then leb a b else leb b a) then merge up l1' l2 (a :: acc) else merge_with l2' (b :: acc)
    end.

Fixpoint merge_pairs (up : bool) (ls : list (list B)) (acc : list (list B)) : list (list B) :=
  match ls with
  | a :: b :: rest => merge_pairs up rest (merge up a b [] :: acc)
  | [a] => rev_append [] (rev_append a [] :: acc)
  | [] => acc
  end.

Fixpoint merge_all (fuel : nat) (up : bool) (ls : list (list B)) : list B :=
  match fuel, ls with
  | _, [] => []
  | _, [a] => if up then a else rev_append a []
  | S k, _ => merge_all k (negb up) (merge_pairs up ls [])
  | O, _ => concat ls
  end.

Definition sort (l : list B) : list B :=
  match l with
  | [] | [_] => l
  | [a; b] => if leb a b then l else [b; a]
  | _ => merge_all 64 true (map (fun x => [x]) l)
  end.

Lemma merge_perm up l1 : forall l2 acc, Permutation (merge up l1 l2 acc) (l1 ++ l2 ++ acc).
Proof.
  induction l1 as [|a l1 IH1]; intros l2 acc.
  - destruct l2; simpl; [reflexivity|]. rewrite rev_append_rev.
    rewrite <- Permutation_rev. symmetry. apply Permutation_middle.
  - revert acc. induction l2 as [|b l2 IH2]; intros acc; simpl.
    + rewrite rev_append_rev, <- Permutation_rev. symmetry. apply Permutation_middle.
    + destruct (if up then leb a b else leb b a).
      * rewrite IH1. rewrite app_assoc, <- Permutation_middle, <- app_assoc. reflexivity.
      * etransitivity; [apply IH2|]. simpl. constructor. apply Permutation_app_head. symmetry.
        apply Permutation_middle.
Qed.

Lemma merge_pairs_perm up : forall n ls acc, (length ls <= n)%nat ->
  Permutation (concat (merge_pairs up ls acc)) (concat ls ++ concat acc).
Proof.
  induction n as [|n IH]; intros ls acc H.
  - destruct ls; [reflexivity | simpl in H; lia].
  - destruct ls as [|a [|b rest]]; [reflexivity| |].
    + simpl. rewrite rev_append_rev, !app_nil_r. rewrite <- Permutation_rev. reflexivity.
    + simpl. rewrite IH by (simpl in H; lia). simpl. rewrite merge_perm, app_nil_r.
      rewrite (app_assoc a b), <- app_assoc. rewrite !app_assoc. apply Permutation_app_tail.
      rewrite <- !app_assoc. rewrite (app_assoc a b). apply Permutation_app_comm.
Qed.

Lemma merge_all_perm : forall fuel up ls, Permutation (merge_all fuel up ls) (concat ls).
Proof.
  induction fuel as [|k IH]; intros up ls; destruct ls as [|a [|b rest]]; simpl;
    try reflexivity; try (rewrite app_nil_r; destruct up; [reflexivity|];
      rewrite rev_append_rev, app_nil_r; rewrite <- Permutation_rev; reflexivity).
  rewrite IH. rewrite (merge_pairs_perm up (length rest)) by lia. simpl.
  rewrite merge_perm, app_nil_r, app_nil_r. rewrite (app_assoc a b).
  apply Permutation_app_comm.
Qed.

Lemma sort_perm l : Permutation (sort l) l.
Proof.
  assert (S1 : forall m : list B, concat (map (fun x => [x]) m) = m).
  { induction m as [|x m IH]; simpl; [|rewrite IH]; reflexivity. }
  destruct l as [|a [|b [|c l]]]; unfold sort; try reflexivity.
  - destruct (leb a b); [reflexivity | constructor].
  - rewrite merge_all_perm, S1. reflexivity.
Qed.
End Sort.
