(* SPDX-License-Identifier: MIT *)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let () =
  let table = Hashtbl.create 16 in
  for i = 0 to 20 do
    Hashtbl.replace table i (fib i)
  done;
  List.iter (fun i -> Printf.printf "%d %d\n" i (Hashtbl.find table i)) [5; 10; 20]
