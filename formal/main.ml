(* deltachain-formal MODEL CERTIFICATE: prints what the proved checker says of two files.

   Exit code 0: proved, and every sentence was written. 1: rejected. 2: a file that cannot be read, or is no certificate. *)

let bytes_of path =
  let channel = open_in_bin path in
  let text = really_input_string channel (in_channel_length channel) in
  let rec listed n found = if n = 0 then found else listed (n - 1) (Z.of_int (Char.code text.[n - 1]) :: found) in
  listed (String.length text) []

let say sentence =
  print_string "proved: ";
  List.iter (fun byte -> print_char (Char.chr (Z.to_int byte))) sentence;
  print_newline ()

let () =
  match Core.answer_of (bytes_of Sys.argv.(1)) (bytes_of Sys.argv.(2)) with
  | Core.Proved sentences -> List.iter say sentences
  | Core.Rejected -> prerr_endline "rejected"; exit 1
  | Core.Malformed -> prerr_endline "malformed"; exit 2
  | exception (Invalid_argument _ | Sys_error _ | End_of_file) -> prerr_endline "usage: deltachain-formal MODEL CERTIFICATE"; exit 2
