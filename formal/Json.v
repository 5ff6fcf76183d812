(** Strict JSON, read by a machine with a stack: every byte is one step, so that reading ends whatever the text is.

    Text is a list of bytes. Numbers are kept as their digits. Objects with a key twice are refused: a file must not mean two
    things. *)

Require Import List ZArith PArith Bool FMapPositive.
Import ListNotations.
Open Scope Z_scope.
Module M := PositiveMap.

Definition text := list Z.

Inductive json :=
| Null | Truth (b : bool) | Number (t : text) | Text (t : text) | Items (l : list json) | Members (l : list (text * json)).

(** A text as a number: 1, and then its bytes. Different texts have different ones. *)
Definition code (t : text) : positive := Z.to_pos (fold_left (fun z b => z * 256 + b) t 1).
Fixpoint same_text (a b : text) : bool :=
  match a, b with [], [] => true | x :: r, y :: r' => Z.eqb x y && same_text r r' | _, _ => false end.
Definition back {A} (l : list A) : list A := rev_append l [].

Fixpoint member (k : text) (l : list (text * json)) : option json :=
  match l with [] => None | (j, v) :: r => if same_text k j then Some v else member k r end.

Inductive frame := InItems (read : list json) | InMembers (read : list (text * json)) (key : option text).
Inductive escape := Plain | Backslash | Hex (due : nat) (v : Z) (high : option Z) | HighEnded (high : Z) | HighBackslash (high : Z).
Inductive mode :=
| Due (or_end : bool) | DueKey (or_end : bool) | DueColon | After
| Quoted (read : text) (e : escape) | Digits (read : text) | Letters (read : text).
Record machine := { stack : list frame; doing : mode; result : option json }.

Definition blank (c : Z) : bool := (c =? 32) || (c =? 10) || (c =? 13) || (c =? 9).
Definition digit (c : Z) : bool := (48 <=? c) && (c <=? 57).
Definition numeric (c : Z) : bool := digit c || (c =? 46) || (c =? 43) || (c =? 45) || (c =? 69) || (c =? 101).
Definition letter (c : Z) : bool := (97 <=? c) && (c <=? 122).
Definition hex_digit (c : Z) : option Z :=
  if digit c then Some (c - 48) else if (97 <=? c) && (c <=? 102) then Some (c - 87)
  else if (65 <=? c) && (c <=? 70) then Some (c - 55) else None.

(** A character as UTF-8, backwards. *)
Definition utf8_back (u : Z) : text :=
  if u <? 128 then [u]
  else if u <? 2048 then [128 + u mod 64; 192 + u / 64]
  else if u <? 65536 then [128 + u mod 64; 128 + (u / 64) mod 64; 224 + u / 4096]
  else [128 + u mod 64; 128 + (u / 64) mod 64; 128 + (u / 4096) mod 64; 240 + u / 262144].

(** The integer part has no 0 before other digits. *)
Definition no_leading_zero (t : text) : bool :=
  let t := match t with c :: r => if c =? 45 then r else t | [] => t end in
  match t with c :: d :: _ => digit c && negb ((c =? 48) && digit d) | [c] => digit c | [] => false end.

Definition put (v : json) (s : list frame) : option machine :=
  match s with
  | [] => Some {| stack := []; doing := After; result := Some v |}
  | InItems l :: r => Some {| stack := InItems (v :: l) :: r; doing := After; result := None |}
  | InMembers l (Some k) :: r => Some {| stack := InMembers ((k, v) :: l) None :: r; doing := After; result := None |}
  | InMembers _ None :: _ => None
  end.
Fixpoint distinct (l : list (text * json)) (seen : M.t unit) : bool :=
  match l with
  | [] => true
  | (k, _) :: r => let c := code k in match M.find c seen with Some _ => false | None => distinct r (M.add c tt seen) end
  end.
Definition ended (s : list frame) (c : Z) : option machine :=
  match s with
  | InItems l :: r => if c =? 93 then put (Items (back l)) r else None
  | InMembers l None :: r => if (c =? 125) && distinct l (M.empty unit) then put (Members (back l)) r else None
  | _ => None
  end.
Definition after (m : machine) (c : Z) : option machine :=
  if blank c then Some m
  else if c =? 44 then
    match stack m with
    | InItems _ :: _ => Some {| stack := stack m; doing := Due false; result := None |}
    | InMembers _ _ :: _ => Some {| stack := stack m; doing := DueKey false; result := None |}
    | [] => None
    end
  else ended (stack m) c.
Definition word_of (t : text) : option json :=
  if same_text t [110; 117; 108; 108] then Some Null
  else if same_text t [116; 114; 117; 101] then Some (Truth true)
  else if same_text t [102; 97; 108; 115; 101] then Some (Truth false) else None.
Definition quoted (s : list frame) (read : text) : option machine :=
  match s with
  | InMembers l None :: r => Some {| stack := InMembers l (Some (back read)) :: r; doing := DueColon; result := None |}
  | _ => put (Text (back read)) s
  end.

Definition step (m : machine) (c : Z) : option machine :=
  let go d := Some {| stack := stack m; doing := d; result := result m |} in
  match doing m with
  | Due or_end =>
      if blank c then Some m
      else if c =? 34 then go (Quoted [] Plain)
      else if c =? 91 then Some {| stack := InItems [] :: stack m; doing := Due true; result := None |}
      else if c =? 123 then Some {| stack := InMembers [] None :: stack m; doing := DueKey true; result := None |}
      else if digit c || (c =? 45) then go (Digits [c])
      else if letter c then go (Letters [c])
      else if or_end then ended (stack m) c else None
  | DueKey or_end =>
      if blank c then Some m else if c =? 34 then go (Quoted [] Plain) else if or_end then ended (stack m) c else None
  | DueColon => if blank c then Some m else if c =? 58 then go (Due false) else None
  | After => after m c
  | Quoted read e =>
      match e with
      | Plain => if c =? 34 then quoted (stack m) read else if c =? 92 then go (Quoted read Backslash)
                 else if c <? 32 then None else go (Quoted (c :: read) Plain)
      | Backslash =>
          if c =? 117 then go (Quoted read (Hex 4 0 None))
          else let say x := go (Quoted (x :: read) Plain) in
               if (c =? 34) || (c =? 92) || (c =? 47) then say c else if c =? 98 then say 8 else if c =? 102 then say 12
               else if c =? 110 then say 10 else if c =? 114 then say 13 else if c =? 116 then say 9 else None
      | Hex due v high =>
          match hex_digit c, due with
          | Some d, S (S n) => go (Quoted read (Hex (S n) (16 * v + d) high))
          | Some d, _ =>
              let u := 16 * v + d in
              let low := (56320 <=? u) && (u <=? 57343) in
              match high with
              | Some h => if low then go (Quoted (utf8_back (65536 + (h - 55296) * 1024 + (u - 56320)) ++ read) Plain) else None
              | None => if low then None else if (55296 <=? u) && (u <=? 56319) then go (Quoted read (HighEnded u))
                        else go (Quoted (utf8_back u ++ read) Plain)
              end
          | None, _ => None
          end
      | HighEnded h => if c =? 92 then go (Quoted read (HighBackslash h)) else None
      | HighBackslash h => if c =? 117 then go (Quoted read (Hex 4 0 (Some h))) else None
      end
  | Digits read =>
      if numeric c then go (Digits (c :: read))
      else if no_leading_zero (back read) then match put (Number (back read)) (stack m) with Some m' => after m' c | None => None end
      else None
  | Letters read =>
      if letter c then go (Letters (c :: read))
      else match word_of (back read) with
           | Some v => match put v (stack m) with Some m' => after m' c | None => None end
           | None => None
           end
  end.

Fixpoint run (m : machine) (t : text) : option machine :=
  match t with [] => Some m | c :: r => match step m c with Some m' => run m' r | None => None end end.
(** A last blank ends a number. *)
Definition parse (t : text) : option json :=
  match run {| stack := []; doing := Due false; result := None |} t with
  | Some m => match step m 32 with
              | Some {| stack := []; doing := After; result := Some v |} => Some v
              | _ => None
              end
  | None => None
  end.

(** ** Numbers in decimal *)

Fixpoint digits_of (t : text) (v : Z) (n : Z) : Z * Z * text :=
  match t with c :: r => if digit c then digits_of r (10 * v + (c - 48)) (n + 1) else (v, n, t) | [] => (v, n, []) end.
Fixpoint decimal_back (fuel : nat) (z : Z) : text :=
  match fuel with O => [] | S f => let '(q, r) := Z.div_eucl z 10 in if q =? 0 then [48 + r] else 48 + r :: decimal_back f q end.
Definition decimal (z : Z) : text :=
  let d := back (decimal_back (S (Z.to_nat (Z.log2 (Z.abs z)))) (Z.abs z)) in if z <? 0 then 45 :: d else d.
