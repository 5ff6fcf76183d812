
type __ = Obj.t

val negb : bool -> bool

type nat =
| O
| S of nat

val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option

val fst : ('a1 * 'a2) -> 'a1

val snd : ('a1 * 'a2) -> 'a2

val length : 'a1 list -> nat

val app : 'a1 list -> 'a1 list -> 'a1 list

type comparison =
| Eq
| Lt
| Gt

type ('a, 'p) sigT =
| ExistT of 'a * 'p



val pred : nat -> nat

val add : nat -> nat -> nat

val eqb : bool -> bool -> bool

module type EqLtLe =
 sig
  type t
 end

module MakeOrderTac :
 functor (O:EqLtLe) ->
 functor (P:sig
 end) ->
 sig
 end

module Nat :
 sig
  val eqb : nat -> nat -> bool

  val leb : nat -> nat -> bool

  val ltb : nat -> nat -> bool

  val max : nat -> nat -> nat

  val min : nat -> nat -> nat
 end

module Pos :
 sig
  type mask =
  | IsNul
  | IsPos of Integers.t
  | IsNeg
 end

module Coq_Pos :
 sig
  val succ : Integers.t -> Integers.t

  val add : Integers.t -> Integers.t -> Integers.t

  val add_carry : Integers.t -> Integers.t -> Integers.t

  val pred_double : Integers.t -> Integers.t

  type mask = Pos.mask =
  | IsNul
  | IsPos of Integers.t
  | IsNeg

  val succ_double_mask : mask -> mask

  val double_mask : mask -> mask

  val double_pred_mask : Integers.t -> mask

  val sub_mask : Integers.t -> Integers.t -> mask

  val sub_mask_carry : Integers.t -> Integers.t -> mask

  val sub : Integers.t -> Integers.t -> Integers.t

  val mul : Integers.t -> Integers.t -> Integers.t

  val iter : ('a1 -> 'a1) -> 'a1 -> Integers.t -> 'a1

  val div2 : Integers.t -> Integers.t

  val div2_up : Integers.t -> Integers.t

  val size_nat : Integers.t -> nat

  val size : Integers.t -> Integers.t

  val compare_cont : comparison -> Integers.t -> Integers.t -> comparison

  val compare : Integers.t -> Integers.t -> comparison

  val eqb : Integers.t -> Integers.t -> bool

  val leb : Integers.t -> Integers.t -> bool

  val ltb : Integers.t -> Integers.t -> bool

  val gcdn : nat -> Integers.t -> Integers.t -> Integers.t

  val gcd : Integers.t -> Integers.t -> Integers.t

  val iter_op : ('a1 -> 'a1 -> 'a1) -> Integers.t -> 'a1 -> 'a1

  val to_nat : Integers.t -> nat
 end

module N :
 sig
  val iter : Big_int_Z.big_int -> ('a1 -> 'a1) -> 'a1 -> 'a1
 end

module Z :
 sig
  val double : Big_int_Z.big_int -> Big_int_Z.big_int

  val succ_double : Big_int_Z.big_int -> Big_int_Z.big_int

  val pred_double : Big_int_Z.big_int -> Big_int_Z.big_int

  val pos_sub : Integers.t -> Integers.t -> Big_int_Z.big_int

  val add : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val opp : Big_int_Z.big_int -> Big_int_Z.big_int

  val sub : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val mul : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val pow_pos : Big_int_Z.big_int -> Integers.t -> Big_int_Z.big_int

  val pow : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val compare : Big_int_Z.big_int -> Big_int_Z.big_int -> comparison

  val leb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val ltb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

  val max : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val min : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val abs : Big_int_Z.big_int -> Big_int_Z.big_int

  val to_nat : Big_int_Z.big_int -> nat

  val to_N : Big_int_Z.big_int -> Big_int_Z.big_int

  val to_pos : Big_int_Z.big_int -> Integers.t

  val pos_div_eucl :
    Integers.t -> Big_int_Z.big_int -> Big_int_Z.big_int * Big_int_Z.big_int

  val div_eucl :
    Big_int_Z.big_int -> Big_int_Z.big_int ->
    Big_int_Z.big_int * Big_int_Z.big_int

  val div : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val modulo : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val div2 : Big_int_Z.big_int -> Big_int_Z.big_int

  val log2 : Big_int_Z.big_int -> Big_int_Z.big_int

  val gcd : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val shiftl : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val shiftr : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

  val lcm : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int
 end

val zeq_bool : Big_int_Z.big_int -> Big_int_Z.big_int -> bool

val nth : nat -> 'a1 list -> 'a1 -> 'a1

val rev_append : 'a1 list -> 'a1 list -> 'a1 list

val concat : 'a1 list list -> 'a1 list

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list

val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1

val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1

val existsb : ('a1 -> bool) -> 'a1 list -> bool

val forallb : ('a1 -> bool) -> 'a1 list -> bool

val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list

val seq : nat -> nat -> nat list

type q = { qnum : Big_int_Z.big_int; qden : Integers.t }

val inject_Z : Big_int_Z.big_int -> q

val qeq_bool : q -> q -> bool

val qle_bool : q -> q -> bool

val qplus : q -> q -> q

val qmult : q -> q -> q

val qopp : q -> q

val qminus : q -> q -> q

val qinv : q -> q

val qdiv : q -> q -> q

type state = Integers.t

type label = Integers.t

val merge :
  ('a1 -> 'a1 -> bool) -> bool -> 'a1 list -> 'a1 list -> 'a1 list -> 'a1 list

val merge_pairs :
  ('a1 -> 'a1 -> bool) -> bool -> 'a1 list list -> 'a1 list list -> 'a1 list
  list

val merge_all :
  ('a1 -> 'a1 -> bool) -> nat -> bool -> 'a1 list list -> 'a1 list

val sort : ('a1 -> 'a1 -> bool) -> 'a1 list -> 'a1 list

val collect : ('a1 -> 'a1 -> 'a1) -> (state * 'a1) list -> (state * 'a1) list

val state_leb : (state * 'a1) -> (state * 'a1) -> bool

val gather : ('a1 -> 'a1 -> 'a1) -> (state * 'a1) list -> (state * 'a1) list

val entries_ok :
  ('a1 -> 'a1 -> 'a1) -> ('a1 -> bool) -> (state * 'a1) list -> bool

type 'a part = label * (state * 'a) list

val runs : (state -> label) -> (state * 'a1) list -> 'a1 part list

val ascending : 'a1 part list -> bool

val split : (state -> label) -> (state * 'a1) list -> 'a1 part list option

val reduce : q -> q

val qadd : q -> q -> q

val qmul : q -> q -> q

val qsub : q -> q -> q

val is_zero : q -> bool

val is_nonneg : q -> bool

val is_nonpos : q -> bool

val qle : q -> q -> bool

val qlt : q -> q -> bool

val qeq : q -> q -> bool

val positive_part : q -> q

val total : ('a1 -> q) -> 'a1 list -> q

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

module OrderedTypeFacts :
 functor (O:OrderedType) ->
 sig
  module TO :
   sig
    type t = O.t
   end

  module IsTO :
   sig
   end

  module OrderTac :
   sig
   end

  val eq_dec : O.t -> O.t -> bool

  val lt_dec : O.t -> O.t -> bool

  val eqb : O.t -> O.t -> bool
 end

module KeyOrderedType :
 functor (O:OrderedType) ->
 sig
  module MO :
   sig
    module TO :
     sig
      type t = O.t
     end

    module IsTO :
     sig
     end

    module OrderTac :
     sig
     end

    val eq_dec : O.t -> O.t -> bool

    val lt_dec : O.t -> O.t -> bool

    val eqb : O.t -> O.t -> bool
   end
 end

module PositiveOrderedTypeBits :
 sig
  type t = Integers.t

  val compare : t -> t -> Integers.t compare0

  val eq_dec : Integers.t -> Integers.t -> bool
 end

val append : Integers.t -> Integers.t -> Integers.t

module PositiveMap :
 sig
  module E :
   sig
    type t = Integers.t

    val compare : t -> t -> Integers.t compare0

    val eq_dec : Integers.t -> Integers.t -> bool
   end

  module ME :
   sig
    module MO :
     sig
      module TO :
       sig
        type t = Integers.t
       end

      module IsTO :
       sig
       end

      module OrderTac :
       sig
       end

      val eq_dec : Integers.t -> Integers.t -> bool

      val lt_dec : Integers.t -> Integers.t -> bool

      val eqb : Integers.t -> Integers.t -> bool
     end
   end

  type key = Integers.t

  type 'a tree =
  | Leaf
  | Node of 'a tree * 'a option * 'a tree

  type 'a t = 'a tree

  val empty : 'a1 t

  val is_empty : 'a1 t -> bool

  val find : key -> 'a1 t -> 'a1 option

  val mem : key -> 'a1 t -> bool

  val add : key -> 'a1 -> 'a1 t -> 'a1 t

  val remove : key -> 'a1 t -> 'a1 t

  val xelements : 'a1 t -> key -> (key * 'a1) list

  val elements : 'a1 t -> (key * 'a1) list

  val cardinal : 'a1 t -> nat

  val xfind : key -> key -> 'a1 t -> 'a1 option

  val xmapi : (key -> 'a1 -> 'a2) -> 'a1 t -> key -> 'a2 t

  val mapi : (key -> 'a1 -> 'a2) -> 'a1 t -> 'a2 t

  val map : ('a1 -> 'a2) -> 'a1 t -> 'a2 t

  val xmap2_l : ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a3 t

  val xmap2_r : ('a1 option -> 'a2 option -> 'a3 option) -> 'a2 t -> 'a3 t

  val _map2 :
    ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t

  val map2 :
    ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t

  val xfoldi : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> key -> 'a2

  val fold : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> 'a2

  val equal : ('a1 -> 'a1 -> bool) -> 'a1 t -> 'a1 t -> bool
 end

module M :
 sig
  module E :
   sig
    type t = Integers.t

    val compare : t -> t -> Integers.t compare0

    val eq_dec : Integers.t -> Integers.t -> bool
   end

  module ME :
   sig
    module MO :
     sig
      module TO :
       sig
        type t = Integers.t
       end

      module IsTO :
       sig
       end

      module OrderTac :
       sig
       end

      val eq_dec : Integers.t -> Integers.t -> bool

      val lt_dec : Integers.t -> Integers.t -> bool

      val eqb : Integers.t -> Integers.t -> bool
     end
   end

  type key = Integers.t

  type 'a tree = 'a PositiveMap.tree =
  | Leaf
  | Node of 'a tree * 'a option * 'a tree

  type 'a t = 'a tree

  val empty : 'a1 t

  val is_empty : 'a1 t -> bool

  val find : key -> 'a1 t -> 'a1 option

  val mem : key -> 'a1 t -> bool

  val add : key -> 'a1 -> 'a1 t -> 'a1 t

  val remove : key -> 'a1 t -> 'a1 t

  val xelements : 'a1 t -> key -> (key * 'a1) list

  val elements : 'a1 t -> (key * 'a1) list

  val cardinal : 'a1 t -> nat

  val xfind : key -> key -> 'a1 t -> 'a1 option

  val xmapi : (key -> 'a1 -> 'a2) -> 'a1 t -> key -> 'a2 t

  val mapi : (key -> 'a1 -> 'a2) -> 'a1 t -> 'a2 t

  val map : ('a1 -> 'a2) -> 'a1 t -> 'a2 t

  val xmap2_l : ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a3 t

  val xmap2_r : ('a1 option -> 'a2 option -> 'a3 option) -> 'a2 t -> 'a3 t

  val _map2 :
    ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t

  val map2 :
    ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t

  val xfoldi : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> key -> 'a2

  val fold : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> 'a2

  val equal : ('a1 -> 'a1 -> bool) -> 'a1 t -> 'a1 t -> bool
 end

val of_list : (Integers.t * 'a1) list -> 'a1 M.t

type place = { place_label : label; place_rows : (state * q) list list }

type model = { listing : (state * place) list; places : place M.t;
               counts : nat M.t }

val make_model : (state * place) list -> model

val lab : model -> state -> label

val inputs : model -> label -> nat

val row : model -> nat -> state -> (state * q) list

val clamp : model -> label -> nat -> nat

val move : model -> nat -> state -> (state * q) list

val mass_of : (state * q) list -> q

val row_ok : model -> (state * q) list -> bool

val place_ok : model -> (state * place) -> bool

val choices : model -> (state * 'a1) list -> nat

val step :
  model -> (q -> 'a1 -> 'a1) -> nat -> (state * 'a1) list -> (state * 'a1)
  list

val pair_val : q -> (q * q) -> q

val pair_add : (q * q) -> (q * q) -> q * q

val pair_scale : q -> (q * q) -> q * q

type kind =
| Bd
| Ld
| Sd

type flow = { arcs : ((state * state) * q) list; spare : (state * q) list;
              complement : ((state * state) * q) list;
              shift : (state * q) list }

type distance_entry = { d_from : state; d_to : state; d_value : q;
                        d_flows : flow list }

val arc_entries : q -> q -> ((state * state) * q) -> (state * q) list

val balance : q -> flow -> (state * q) list

val arc_ok : ((state * state) * q) -> bool

val feasible :
  q -> ((state * q) list -> bool) -> (state * q) list -> flow -> bool

val cost : q -> (state -> state -> q) -> flow -> q

val pair_key : Integers.t -> state -> state -> Integers.t

val distance_table : Integers.t -> distance_entry list -> distance_entry M.t

val find_distance :
  Integers.t -> distance_entry M.t -> state -> state -> q option

val distance_in : Integers.t -> distance_entry M.t -> state -> state -> q

val rows_apart : model -> q -> nat -> state -> state -> (state * q) list

val is_kind : kind -> kind -> bool

val flow_allowed : kind -> bool -> flow -> bool

val flows_ok :
  model -> q -> kind -> Integers.t -> bool -> ((state * q) list -> bool) ->
  distance_entry M.t -> state -> state -> q -> nat -> flow list -> bool

val distance_ok :
  model -> q -> kind -> Integers.t -> bool -> ((state * q) list -> bool) ->
  distance_entry M.t -> distance_entry -> bool

type rule =
| Mass
| Same
| Flow of flow
| Gap
| Step of Integers.t M.t list

type claim = { c_node : Integers.t; c_turned : bool; c_value : q;
               c_rank : Integers.t; c_input : nat; c_rule : rule }

val swap : (q * q) -> q * q

val turn : bool -> (state * (q * q)) list -> (state * (q * q)) list

val x_mass : (state * (q * q)) list -> q

val y_mass : (state * (q * q)) list -> q

val size0 : (state * (q * q)) list -> q

val pair_nonneg : (q * q) -> bool

val node_nonneg : (state * (q * q)) list -> bool

val node_ok : (state * (q * q)) list -> bool

val claim_key : Integers.t -> bool -> Integers.t

val claim_table : claim list -> claim M.t

val find_claim : claim M.t -> Integers.t -> bool -> claim option

val scaled : q -> (state * (q * q)) list -> (state * (q * q)) list

val belief_of :
  (state * (q * q)) list M.t -> claim -> (state * (q * q)) list option

val cite :
  (state * (q * q)) list M.t -> ((state * (q * q)) list -> bool) -> claim M.t
  -> bool -> Integers.t M.t -> (q * q) part -> (q * claim) option option

val parts_of :
  model -> nat -> (state * (q * q)) list -> (q * q) part list option

val sum_cited : ((q * q) part -> q option) -> (q * q) part list -> q option

val above :
  (state * (q * q)) list M.t -> ((state * (q * q)) list -> bool) -> claim M.t
  -> bool -> Integers.t M.t -> (q * q) part -> q option

val steps_above :
  model -> (state * (q * q)) list M.t -> ((state * (q * q)) list -> bool) ->
  claim M.t -> bool -> (state * (q * q)) list -> q -> nat -> Integers.t M.t
  list -> bool

val signed : q -> (state * (q * q)) list -> (state * q) list

val plain : flow -> bool

val upper_ok :
  model -> q -> (state * (q * q)) list M.t -> ((state * (q * q)) list ->
  bool) -> (state -> state -> q) -> claim M.t -> claim -> bool

type basis = { region : state list; columns : q M.t list; one : q list;
               images : (label * q list list) list }

val at_state : q M.t -> state -> q

val is_inside : unit M.t -> state -> bool

val combined : q list -> q M.t list -> state -> q

val into : model -> label -> (state * q) list -> (state * q) list

val product : (state * q) list -> q M.t -> q

val images_ok : model -> basis -> label -> q list list -> q M.t list -> bool

val region_ok : model -> basis -> unit M.t -> state -> bool

val basis_ok : model -> basis -> unit M.t -> bool

val orthogonal : basis -> unit M.t -> (state * q) list -> bool

val pair_zero : (q * q) -> bool

val region_table : basis -> unit M.t

val vanishes : (basis * unit M.t) option -> (state * (q * q)) list -> bool

val unseen : model -> (basis * unit M.t) option -> (state * q) list -> bool

val basis_tables : basis option -> (basis * unit M.t) option

val gap : q -> (state * (q * q)) list -> q

val below :
  q -> (state * (q * q)) list M.t -> ((state * (q * q)) list -> bool) ->
  claim M.t -> bool -> Integers.t M.t -> (q * q) part -> q option

val falls :
  (state * (q * q)) list M.t -> ((state * (q * q)) list -> bool) -> claim M.t
  -> claim -> Integers.t M.t -> (q * q) part -> bool

val lower_ok :
  model -> q -> (state * (q * q)) list M.t -> ((state * (q * q)) list ->
  bool) -> claim M.t -> claim -> bool

type price_entry = { p_from : state; p_to : state; p_value : q;
                     p_rank : Integers.t; p_input : nat;
                     p_reach : (state * q) list; p_start : (state * q) list }

val add_state : state list M.t -> (state * place) -> state list M.t

val by_label : model -> state list M.t

val price_pairs : kind -> price_entry -> ((state * state) * price_entry) list

val price_table : kind -> Integers.t -> price_entry list -> price_entry M.t

val find_price :
  kind -> Integers.t -> price_entry M.t -> state -> state -> price_entry
  option

val price_in : kind -> Integers.t -> price_entry M.t -> state -> state -> q

val start_in :
  kind -> Integers.t -> price_entry M.t -> Integers.t -> state -> state -> q

val price_ok :
  model -> q -> kind -> state list M.t -> (state -> state -> q) -> q M.t ->
  (state * q) -> bool

val priced :
  model -> q -> kind -> state list M.t -> (state -> state -> q) -> state ->
  state -> nat -> (state * q) list -> q option

val entry_ok :
  model -> q -> kind -> Integers.t -> state list M.t -> price_entry M.t ->
  price_entry -> bool

val first : state M.t -> state -> state

val push : state M.t -> (state * q) list -> (state * q) list

val quotient : model -> state M.t -> model

val opposite : (state * q) list -> (state * q) list

val rows_match :
  state M.t -> (state * q) list list -> (state * q) list list -> bool

val merge_ok : model -> state M.t -> (state * place) -> bool

val div_up : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

type irow = { bottom : Big_int_Z.big_int;
              shares : (state * (Big_int_Z.big_int * Big_int_Z.big_int)) list }

val longest : Big_int_Z.big_int

val rounded : Big_int_Z.big_int

val common_denominator : (state * q) list -> Big_int_Z.big_int

val integer_row : (state * q) list -> irow

val share :
  Big_int_Z.big_int -> Big_int_Z.big_int ->
  (Big_int_Z.big_int * Big_int_Z.big_int) -> Big_int_Z.big_int

val integer_rows : model -> irow list M.t

val irow_at : irow list M.t -> nat -> state -> irow

val istep :
  irow list M.t -> nat -> (state * Big_int_Z.big_int) list ->
  (state * Big_int_Z.big_int) list

val iparts :
  model -> irow list M.t -> nat -> (state * Big_int_Z.big_int) list ->
  Big_int_Z.big_int part list option

val sides_of :
  (state * Big_int_Z.big_int) list -> Big_int_Z.big_int -> Big_int_Z.big_int
  -> Big_int_Z.big_int * Big_int_Z.big_int

val both_sides :
  (state * Big_int_Z.big_int) list -> Big_int_Z.big_int * Big_int_Z.big_int

val gain_of : (Big_int_Z.big_int * Big_int_Z.big_int) -> Big_int_Z.big_int

val nonzero :
  (state * Big_int_Z.big_int) list -> (state * Big_int_Z.big_int) list

val expand : Big_int_Z.big_int

val leaf : Big_int_Z.big_int

val unit_bits : Big_int_Z.big_int

val vector_unit : Big_int_Z.big_int

type vector =
| Always of bool
| Listed of Big_int_Z.big_int M.t

type vector_entry = { v_label : label; v_after : (label * Integers.t) list;
                      v_input : nat }

val value_at : vector -> state -> Big_int_Z.big_int option

val assoc :
  label -> (label * (vector * Big_int_Z.big_int)) list ->
  (vector * Big_int_Z.big_int) option

val weigh :
  model -> (label * (vector * Big_int_Z.big_int)) list ->
  (state * (Big_int_Z.big_int * Big_int_Z.big_int)) list -> Big_int_Z.big_int
  -> Big_int_Z.big_int -> (Big_int_Z.big_int * Big_int_Z.big_int) option

val valued :
  model -> irow list M.t -> (label * (vector * Big_int_Z.big_int)) list ->
  nat -> state list -> (state * Big_int_Z.big_int) list -> Big_int_Z.big_int
  -> ((state * Big_int_Z.big_int) list * Big_int_Z.big_int) option

val resolve :
  (vector * Big_int_Z.big_int) M.t -> (label * Integers.t) list ->
  (label * (vector * Big_int_Z.big_int)) list option

val make_vector :
  model -> irow list M.t -> state list M.t -> (vector * Big_int_Z.big_int)
  M.t -> vector_entry -> (vector * Big_int_Z.big_int) option

val make_vectors :
  model -> irow list M.t -> state list M.t -> vector_entry list -> Integers.t
  -> (vector * Big_int_Z.big_int) M.t -> (vector * Big_int_Z.big_int) M.t
  option

val vectors_of :
  model -> irow list M.t -> state list M.t -> vector_entry list ->
  (vector * Big_int_Z.big_int) M.t option

val weighted :
  vector -> (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
  Big_int_Z.big_int option

val against :
  (vector * Big_int_Z.big_int) -> (state * Big_int_Z.big_int) list ->
  Big_int_Z.big_int option

val stays : irow list M.t -> (state * Big_int_Z.big_int) list -> nat -> bool

val uniform : model -> (state * Big_int_Z.big_int) list -> bool

val asked :
  model -> irow list M.t -> bool -> (state * Big_int_Z.big_int) list -> nat
  list

type walk =
  (state * Big_int_Z.big_int) list -> Big_int_Z.big_int list ->
  ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int list) option

val over_parts :
  walk -> Big_int_Z.big_int part list -> Big_int_Z.big_int list ->
  Big_int_Z.big_int -> Big_int_Z.big_int ->
  ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int list) option

val over_inputs :
  model -> irow list M.t -> walk -> (state * Big_int_Z.big_int) list -> nat
  list -> Big_int_Z.big_int list -> (Big_int_Z.big_int * Big_int_Z.big_int)
  option -> ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int
  list) option

val eval :
  model -> irow list M.t -> (vector * Big_int_Z.big_int) M.t -> bool ->
  Big_int_Z.big_int list -> (state * Big_int_Z.big_int) list ->
  Big_int_Z.big_int list ->
  ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int list) option

val tree_bounds :
  model -> irow list M.t -> (vector * Big_int_Z.big_int) M.t -> bool ->
  (state * Big_int_Z.big_int) list -> Big_int_Z.big_int list ->
  (Big_int_Z.big_int * Big_int_Z.big_int) option

val keys_leb : Big_int_Z.big_int list -> Big_int_Z.big_int list -> bool

val keys_eqb : Big_int_Z.big_int list -> Big_int_Z.big_int list -> bool

val grouped :
  (Big_int_Z.big_int list * 'a1) list -> Big_int_Z.big_int list -> 'a1 list
  -> 'a1 list list -> 'a1 list list

val groups_of : (Big_int_Z.big_int list * 'a1) list -> 'a1 list list

val zip_add :
  (state * Big_int_Z.big_int) list -> (state * Big_int_Z.big_int) list ->
  (state * Big_int_Z.big_int) list option

val total_of :
  (state * Big_int_Z.big_int) list -> (state * Big_int_Z.big_int) list list
  -> (state * Big_int_Z.big_int) list option

val bit_length : Big_int_Z.big_int -> Big_int_Z.big_int

val leading : Big_int_Z.big_int -> Big_int_Z.big_int

val direction :
  (state * Big_int_Z.big_int) list -> Big_int_Z.big_int -> Big_int_Z.big_int
  list

val sift :
  Big_int_Z.big_int -> Big_int_Z.big_int part list -> (Big_int_Z.big_int
  list * (state * Big_int_Z.big_int) list) list -> Big_int_Z.big_int ->
  Big_int_Z.big_int -> ((Big_int_Z.big_int list * (state * Big_int_Z.big_int)
  list) list * Big_int_Z.big_int) * Big_int_Z.big_int

val expand_level :
  model -> irow list M.t -> Big_int_Z.big_int -> (state * Big_int_Z.big_int)
  list list -> (Big_int_Z.big_int list * (state * Big_int_Z.big_int) list)
  list -> Big_int_Z.big_int -> Big_int_Z.big_int -> (((Big_int_Z.big_int
  list * (state * Big_int_Z.big_int) list)
  list * Big_int_Z.big_int) * Big_int_Z.big_int) option

val remainder :
  (state * Big_int_Z.big_int) list -> (state * Big_int_Z.big_int) list ->
  Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int ->
  Big_int_Z.big_int option

val size_of : (state * Big_int_Z.big_int) list -> Big_int_Z.big_int

val remainders :
  (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
  (state * Big_int_Z.big_int) list list -> Big_int_Z.big_int ->
  Big_int_Z.big_int option

val join :
  (state * Big_int_Z.big_int) list list -> ((state * Big_int_Z.big_int)
  list * Big_int_Z.big_int) option

val join_all :
  (state * Big_int_Z.big_int) list list list -> (state * Big_int_Z.big_int)
  list list -> Big_int_Z.big_int -> ((state * Big_int_Z.big_int) list
  list * Big_int_Z.big_int) option

val level_step :
  model -> irow list M.t -> Big_int_Z.big_int ->
  (((state * Big_int_Z.big_int) list
  list * Big_int_Z.big_int) * Big_int_Z.big_int) option ->
  (((state * Big_int_Z.big_int) list
  list * Big_int_Z.big_int) * Big_int_Z.big_int) option

val masses :
  (state * Big_int_Z.big_int) list list -> Big_int_Z.big_int ->
  Big_int_Z.big_int -> Big_int_Z.big_int * Big_int_Z.big_int

val levels_bounds :
  model -> irow list M.t -> (state * Big_int_Z.big_int) list ->
  Big_int_Z.big_int -> Big_int_Z.big_int ->
  (Big_int_Z.big_int * Big_int_Z.big_int) option

val signs :
  (state * Big_int_Z.big_int) list ->
  ((state * Big_int_Z.big_int) * (state * Big_int_Z.big_int)) option option

val position :
  Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int ->
  Big_int_Z.big_int

val place_below :
  Big_int_Z.big_int -> (state * Big_int_Z.big_int) list list ->
  (Big_int_Z.big_int list * (state * Big_int_Z.big_int) list) list ->
  Big_int_Z.big_int -> ((Big_int_Z.big_int list * (state * Big_int_Z.big_int)
  list) list * Big_int_Z.big_int) option

val parts_of_all :
  model -> irow list M.t -> (state * Big_int_Z.big_int) list list ->
  (state * Big_int_Z.big_int) list list -> (state * Big_int_Z.big_int) list
  list option

val sum_groups :
  (state * Big_int_Z.big_int) list list list -> (state * Big_int_Z.big_int)
  list list -> (state * Big_int_Z.big_int) list list option

val cells_below :
  Big_int_Z.big_int -> (state * Big_int_Z.big_int) list list ->
  Big_int_Z.big_int -> ((state * Big_int_Z.big_int) list
  list * Big_int_Z.big_int) option

val below_step :
  model -> irow list M.t -> Big_int_Z.big_int -> ((state * Big_int_Z.big_int)
  list list * Big_int_Z.big_int) option -> ((state * Big_int_Z.big_int) list
  list * Big_int_Z.big_int) option

val grid_below :
  model -> irow list M.t -> Big_int_Z.big_int -> (state * Big_int_Z.big_int)
  list -> Big_int_Z.big_int -> Big_int_Z.big_int option

type cell = { plus : state; minus : state; place_of : Big_int_Z.big_int;
              weight : Big_int_Z.big_int }

val cell_belief :
  Big_int_Z.big_int -> cell -> (state * Big_int_Z.big_int) list

val keep :
  Big_int_Z.big_int -> cell -> (Big_int_Z.big_int list * cell) list ->
  (Big_int_Z.big_int list * cell) list

val cover :
  Big_int_Z.big_int -> state -> Big_int_Z.big_int -> state ->
  Big_int_Z.big_int -> ((cell * cell) * Big_int_Z.big_int) option

val place_above :
  Big_int_Z.big_int -> (state * Big_int_Z.big_int) list list ->
  (Big_int_Z.big_int list * cell) list -> Big_int_Z.big_int ->
  ((Big_int_Z.big_int list * cell) list * Big_int_Z.big_int) option

val same_cells : cell -> cell list -> bool

val join_cells : cell list -> cell option

val join_groups : cell list list -> cell list -> cell list option

val cells_above :
  Big_int_Z.big_int -> (state * Big_int_Z.big_int) list list ->
  Big_int_Z.big_int -> (cell list * Big_int_Z.big_int) option

val above_step :
  model -> irow list M.t -> Big_int_Z.big_int -> (cell
  list * Big_int_Z.big_int) option -> (cell list * Big_int_Z.big_int) option

val grid_above :
  model -> irow list M.t -> Big_int_Z.big_int -> (state * Big_int_Z.big_int)
  list -> Big_int_Z.big_int -> Big_int_Z.big_int option

type recipe_kind =
| TreeRecipe of Big_int_Z.big_int list
| LevelsRecipe of Big_int_Z.big_int * Big_int_Z.big_int
| GridRecipe of Big_int_Z.big_int * Big_int_Z.big_int

type recipe = { r_from : state; r_to : state; r_kind : recipe_kind }

type result = { of_from : state; of_to : state; is_below : Big_int_Z.big_int;
                is_above : Big_int_Z.big_int }

val root :
  Big_int_Z.big_int -> q -> state -> state -> (state * Big_int_Z.big_int) list

val run :
  model -> irow list M.t -> (vector * Big_int_Z.big_int) M.t -> bool ->
  Big_int_Z.big_int -> q -> recipe -> result option

val lowest : Big_int_Z.big_int -> result -> q

val highest : Big_int_Z.big_int -> q -> result -> q

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

val first_bad :
  ('a1 -> bool) -> 'a1 list -> Big_int_Z.big_int -> Big_int_Z.big_int option

val identical : q -> q -> bool

val is_known : model -> state -> bool

val is_some : 'a1 option -> bool

val claimed : claim M.t -> Integers.t -> bool -> q -> q

val is_single : model -> bool

val unit_of : certificate -> Big_int_Z.big_int

val run_all :
  (recipe -> result option) -> recipe list -> Big_int_Z.big_int -> result
  list -> result list * Big_int_Z.big_int option

val results_of :
  model -> certificate -> result list * Big_int_Z.big_int option

type checked = { ck_model : model; ck_first : state M.t;
                 ck_distance : distance_entry M.t;
                 ck_prices : price_entry M.t;
                 ck_nodes : (state * (q * q)) list M.t; ck_upper : claim M.t;
                 ck_lower : claim M.t; ck_results : result list }

val about_pair : state -> state -> result -> bool

val point : state -> state -> (state * (q * q)) list

val statement_ok : model -> certificate -> checked -> statement -> bool

val check :
  (state * place) list -> certificate ->
  (Big_int_Z.big_int * Big_int_Z.big_int) option

val version : Big_int_Z.big_int

type 'a reader =
  Big_int_Z.big_int list -> ('a * Big_int_Z.big_int list) option

val bind : 'a1 reader -> ('a1 -> 'a2 reader) -> 'a2 reader

val give : 'a1 -> 'a1 reader

val fail : 'a1 reader

val integer : Big_int_Z.big_int reader

val number : Integers.t reader

val small : nat reader

val flag : bool reader

val rational : q reader

val many :
  'a1 reader -> Big_int_Z.big_int list -> Big_int_Z.big_int -> 'a1 list ->
  Big_int_Z.big_int list -> ('a1 list * Big_int_Z.big_int list) option

val list_of : 'a1 reader -> 'a1 list reader

val pair_of : 'a1 reader -> 'a2 reader -> ('a1 * 'a2) reader

val entry : (state * q) reader

val arc : ((state * state) * q) reader

val place_reader : (state * place) reader

val flow_reader : flow reader

val distance_reader : distance_entry reader

val price_reader : price_entry reader

val natural : Big_int_Z.big_int reader

val vector_reader : vector_entry reader

val recipe_reader : recipe reader

val rule_reader : rule reader

val claim_reader : claim reader

val basis_reader : basis reader

val node_reader : (Integers.t * (state * (q * q)) list) reader

val statement_reader : statement reader

val kind_reader : kind reader

val option_of : 'a1 reader -> 'a1 option reader

val certificate_reader : certificate reader

val file_reader : ((state * place) list * certificate) reader

val read :
  Big_int_Z.big_int list -> ((state * place) list * certificate) option

type verdict =
| Accepted
| Rejected of Big_int_Z.big_int * Big_int_Z.big_int
| Malformed

val judge : Big_int_Z.big_int list -> verdict

type group = { harmonic : (state * q) list; inner : certificate }

type split_claim = { sp_from : state; sp_to : state; sp_lower : q;
                     sp_upper : q; sp_nodes : Integers.t option list }

val at_state0 : q M.t -> state -> q

val given_row : q M.t -> q -> (state * q) list -> (state * q) list

val conditioned : model -> q M.t -> (state * place) list

val same_row : (state * q) list -> (state * q) list -> bool

val state_ok : model -> model -> q M.t -> (state * q) -> bool

val covered : q M.t list -> state -> bool

val after : model -> q M.t -> state -> q

val cover_ok : model -> q M.t list -> state -> bool

val group_ok : model -> q -> group -> bool

val group_most :
  model -> group -> Integers.t option -> state -> state -> bool -> q option

val sum_most :
  model -> group list -> Integers.t option list -> state -> state -> bool ->
  q option

val split_ok :
  model -> model -> state M.t -> group list -> split_claim -> bool

val check_splits :
  (state * place) list -> certificate -> group list -> split_claim list ->
  (Big_int_Z.big_int * Big_int_Z.big_int) option

val version0 : Big_int_Z.big_int

val group_reader : group reader

val node_number : Integers.t option reader

val split_reader : split_claim reader

type contents = { listed_in : (state * place) list;
                  certificate_in : certificate; groups_in : group list;
                  claims_in : split_claim list }

val contents_reader : contents reader

val read0 : Big_int_Z.big_int list -> contents option

val judge0 : Big_int_Z.big_int list -> verdict

module Coq_M :
 sig
  module E :
   sig
    type t = Integers.t

    val compare : t -> t -> Integers.t compare0

    val eq_dec : Integers.t -> Integers.t -> bool
   end

  module ME :
   sig
    module MO :
     sig
      module TO :
       sig
        type t = Integers.t
       end

      module IsTO :
       sig
       end

      module OrderTac :
       sig
       end

      val eq_dec : Integers.t -> Integers.t -> bool

      val lt_dec : Integers.t -> Integers.t -> bool

      val eqb : Integers.t -> Integers.t -> bool
     end
   end

  type key = Integers.t

  type 'a tree = 'a PositiveMap.tree =
  | Leaf
  | Node of 'a tree * 'a option * 'a tree

  type 'a t = 'a tree

  val empty : 'a1 t

  val is_empty : 'a1 t -> bool

  val find : key -> 'a1 t -> 'a1 option

  val mem : key -> 'a1 t -> bool

  val add : key -> 'a1 -> 'a1 t -> 'a1 t

  val remove : key -> 'a1 t -> 'a1 t

  val xelements : 'a1 t -> key -> (key * 'a1) list

  val elements : 'a1 t -> (key * 'a1) list

  val cardinal : 'a1 t -> nat

  val xfind : key -> key -> 'a1 t -> 'a1 option

  val xmapi : (key -> 'a1 -> 'a2) -> 'a1 t -> key -> 'a2 t

  val mapi : (key -> 'a1 -> 'a2) -> 'a1 t -> 'a2 t

  val map : ('a1 -> 'a2) -> 'a1 t -> 'a2 t

  val xmap2_l : ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a3 t

  val xmap2_r : ('a1 option -> 'a2 option -> 'a3 option) -> 'a2 t -> 'a3 t

  val _map2 :
    ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t

  val map2 :
    ('a1 option -> 'a2 option -> 'a3 option) -> 'a1 t -> 'a2 t -> 'a3 t

  val xfoldi : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> key -> 'a2

  val fold : (key -> 'a1 -> 'a2 -> 'a2) -> 'a1 t -> 'a2 -> 'a2

  val equal : ('a1 -> 'a1 -> bool) -> 'a1 t -> 'a1 t -> bool
 end

type numbers = { n0 : __; n1 : __; nadd : (__ -> __ -> __);
                 nmul : (__ -> __ -> __); nsub : (__ -> __ -> __);
                 ndiv : (__ -> __ -> __); is_zero0 : (__ -> bool);
                 nle : (__ -> __ -> bool); nlt : (__ -> __ -> bool);
                 nfloor : (__ -> Big_int_Z.big_int -> Big_int_Z.big_int
                          option) }

type num = __

val is_nonneg0 : numbers -> num -> bool

val positive_part0 : numbers -> num -> num

val total0 : numbers -> ('a1 -> num) -> 'a1 list -> num

type place0 = { place_label0 : label; place_rows0 : (state * num) list list }

type model0 = { listing0 : (state * place0) list; places0 : place0 Coq_M.t;
                counts0 : nat Coq_M.t }

val make_model0 : numbers -> (state * place0) list -> model0

val lab0 : numbers -> model0 -> state -> label

val inputs0 : numbers -> model0 -> label -> nat

val row0 : numbers -> model0 -> nat -> state -> (state * num) list

val clamp0 : numbers -> model0 -> label -> nat -> nat

val move0 : numbers -> model0 -> nat -> state -> (state * num) list

val mass_of0 : numbers -> (state * num) list -> num

val row_ok0 : numbers -> model0 -> (state * num) list -> bool

val place_ok0 : numbers -> model0 -> (state * place0) -> bool

val choices0 : numbers -> model0 -> (state * 'a1) list -> nat

val step0 :
  numbers -> model0 -> (num -> 'a1 -> 'a1) -> nat -> (state * 'a1) list ->
  (state * 'a1) list

val pair_add0 : numbers -> (num * num) -> (num * num) -> num * num

val pair_scale0 : numbers -> num -> (num * num) -> num * num

type rule0 =
| Mass0
| Same0
| Gap0
| Step0 of Integers.t Coq_M.t list

type claim0 = { c_node0 : Integers.t; c_turned0 : bool; c_value0 : num;
                c_rank0 : Integers.t; c_input0 : nat; c_rule0 : rule0 }

val swap0 : numbers -> (num * num) -> num * num

val turn0 :
  numbers -> bool -> (state * (num * num)) list -> (state * (num * num)) list

val x_mass0 : numbers -> (state * (num * num)) list -> num

val y_mass0 : numbers -> (state * (num * num)) list -> num

val size1 : numbers -> (state * (num * num)) list -> num

val pair_nonneg0 : numbers -> (num * num) -> bool

val node_nonneg0 : numbers -> (state * (num * num)) list -> bool

val node_ok0 : numbers -> (state * (num * num)) list -> bool

val claim_key0 : Integers.t -> bool -> Integers.t

val claim_table0 : numbers -> claim0 list -> claim0 Coq_M.t

val find_claim0 :
  numbers -> claim0 Coq_M.t -> Integers.t -> bool -> claim0 option

val scaled0 :
  numbers -> num -> (state * (num * num)) list -> (state * (num * num)) list

val belief_of0 :
  numbers -> (state * (num * num)) list Coq_M.t -> claim0 ->
  (state * (num * num)) list option

val cite0 :
  numbers -> (state * (num * num)) list Coq_M.t -> ((state * (num * num))
  list -> bool) -> claim0 Coq_M.t -> bool -> Integers.t Coq_M.t ->
  (num * num) part -> (num * claim0) option option

val parts_of0 :
  numbers -> model0 -> nat -> (state * (num * num)) list -> (num * num) part
  list option

val sum_cited0 :
  numbers -> ((num * num) part -> num option) -> (num * num) part list -> num
  option

val above0 :
  numbers -> (state * (num * num)) list Coq_M.t -> ((state * (num * num))
  list -> bool) -> claim0 Coq_M.t -> bool -> Integers.t Coq_M.t ->
  (num * num) part -> num option

val steps_above0 :
  numbers -> model0 -> (state * (num * num)) list Coq_M.t ->
  ((state * (num * num)) list -> bool) -> claim0 Coq_M.t -> bool ->
  (state * (num * num)) list -> num -> nat -> Integers.t Coq_M.t list -> bool

val base_ok : numbers -> num -> (state * (num * num)) list -> num -> bool

val upper_ok0 :
  numbers -> model0 -> num -> (state * (num * num)) list Coq_M.t ->
  ((state * (num * num)) list -> bool) -> claim0 Coq_M.t -> claim0 -> bool

val gap0 : numbers -> num -> (state * (num * num)) list -> num

val below0 :
  numbers -> num -> (state * (num * num)) list Coq_M.t ->
  ((state * (num * num)) list -> bool) -> claim0 Coq_M.t -> bool ->
  Integers.t Coq_M.t -> (num * num) part -> num option

val falls0 :
  numbers -> (state * (num * num)) list Coq_M.t -> ((state * (num * num))
  list -> bool) -> claim0 Coq_M.t -> claim0 -> Integers.t Coq_M.t ->
  (num * num) part -> bool

val lower_ok0 :
  numbers -> model0 -> num -> (state * (num * num)) list Coq_M.t ->
  ((state * (num * num)) list -> bool) -> claim0 Coq_M.t -> claim0 -> bool

val first0 : state Coq_M.t -> state -> state

val push0 :
  numbers -> state Coq_M.t -> (state * num) list -> (state * num) list

val quotient0 : numbers -> model0 -> state Coq_M.t -> model0

val opposite0 : numbers -> (state * num) list -> (state * num) list

val rows_match0 :
  numbers -> state Coq_M.t -> (state * num) list list -> (state * num) list
  list -> bool

val merge_ok0 : numbers -> model0 -> state Coq_M.t -> (state * place0) -> bool

type statement0 = { st_node : Integers.t; st_from0 : state; st_to0 : 
                    state; st_lower0 : num; st_upper0 : num }

type certificate0 = { alpha_upper0 : num; alpha_lower0 : num;
                      merges0 : (state * state) list;
                      nodes0 : (Integers.t * (state * (num * num)) list) list;
                      uppers0 : claim0 list; lowers0 : claim0 list;
                      statements0 : statement0 list }

val pair_zero0 : numbers -> (num * num) -> bool

val vanishes0 : numbers -> (state * (num * num)) list -> bool

val is_known0 : numbers -> model0 -> state -> bool

val claimed0 : numbers -> claim0 Coq_M.t -> Integers.t -> bool -> num -> num

val point0 : numbers -> state -> state -> (state * (num * num)) list

val statement_ok0 :
  numbers -> model0 -> model0 -> state Coq_M.t -> (state * (num * num)) list
  Coq_M.t -> claim0 Coq_M.t -> claim0 Coq_M.t -> statement0 -> bool

val check0 :
  numbers -> (state * place0) list -> certificate0 ->
  (Big_int_Z.big_int * Big_int_Z.big_int) option

val div_up0 : Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int

val series :
  Big_int_Z.big_int -> nat -> Big_int_Z.big_int -> Big_int_Z.big_int ->
  Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int ->
  Big_int_Z.big_int * Big_int_Z.big_int

val enclosure :
  Big_int_Z.big_int -> Big_int_Z.big_int ->
  Big_int_Z.big_int * Big_int_Z.big_int

type poly = Big_int_Z.big_int list

val padd : poly -> poly -> poly

val pscale : Big_int_Z.big_int -> poly -> poly

val pmul : poly -> poly -> poly

val pzero : poly -> bool

val trim : poly -> poly

val same_poly : poly -> poly -> bool

type closeness = { places1 : Big_int_Z.big_int; down : Big_int_Z.big_int;
                   up : Big_int_Z.big_int }

val horner :
  Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int -> poly ->
  Big_int_Z.big_int * Big_int_Z.big_int

val sign_of : closeness list -> poly -> bool option

type fraction = { top : poly; bottom0 : poly }

val whole : closeness list -> poly -> fraction

val packed : Big_int_Z.big_int -> poly -> Big_int_Z.big_int

val unpacked : nat -> Big_int_Z.big_int -> Big_int_Z.big_int -> poly

val longest0 : poly -> Big_int_Z.big_int

val content : poly -> Big_int_Z.big_int

val guess : poly -> poly -> (poly * poly) * poly

val splits : poly -> poly -> ((poly * poly) * poly) -> bool

val reduce0 : closeness list -> fraction -> fraction

val combine :
  closeness list -> Big_int_Z.big_int -> fraction -> fraction -> fraction

val times : closeness list -> fraction -> fraction -> fraction

val fraction_sign : closeness list -> fraction -> bool option

val is_positive : closeness list -> fraction -> bool

val divide : closeness list -> fraction -> fraction -> fraction

val minus0 : closeness list -> fraction -> fraction -> fraction

val floor_between :
  Big_int_Z.big_int -> (Big_int_Z.big_int * Big_int_Z.big_int) ->
  (Big_int_Z.big_int * Big_int_Z.big_int) -> Big_int_Z.big_int option

val turned_round :
  (Big_int_Z.big_int * Big_int_Z.big_int) ->
  Big_int_Z.big_int * Big_int_Z.big_int

val floor_of :
  closeness list -> closeness list -> fraction -> Big_int_Z.big_int ->
  Big_int_Z.big_int option

val fractions : closeness list -> numbers

val closer : Big_int_Z.big_int -> Big_int_Z.big_int -> closeness

val near : Big_int_Z.big_int -> Big_int_Z.big_int list -> closeness list

val version1 : Big_int_Z.big_int

type header = { base : Integers.t; precisions : Big_int_Z.big_int list }

val enclosures : header -> closeness list

val numbers_of : header -> numbers

val fraction_reader : closeness list -> fraction reader

val entry0 : closeness list -> (state * num) reader

val place_reader0 : closeness list -> (state * place0) reader

val rule_reader0 : rule0 reader

val claim_reader0 : closeness list -> claim0 reader

val node_reader0 :
  closeness list -> (Integers.t * (state * (num * num)) list) reader

val statement_reader0 : closeness list -> statement0 reader

val certificate_reader0 : closeness list -> certificate0 reader

val body_reader :
  closeness list -> ((state * place0) list * certificate0) reader

type contents0 = (state * place0) list * certificate0

val header_reader : header reader

val read1 : Big_int_Z.big_int list -> (header, contents0) sigT option

val judge1 : Big_int_Z.big_int list -> verdict

type irow0 = { bottom1 : Big_int_Z.big_int;
               shares0 : (state * (Big_int_Z.big_int * Big_int_Z.big_int))
                         list; rest : Big_int_Z.big_int }

val share0 :
  Big_int_Z.big_int -> Big_int_Z.big_int ->
  (Big_int_Z.big_int * Big_int_Z.big_int) -> Big_int_Z.big_int

val sent : irow0 -> Big_int_Z.big_int -> (state * Big_int_Z.big_int) list

val lost_by : irow0 -> Big_int_Z.big_int -> Big_int_Z.big_int

val istep0 :
  (nat -> state -> irow0) -> nat -> (state * Big_int_Z.big_int) list ->
  (state * Big_int_Z.big_int) list

val lost :
  (nat -> state -> irow0) -> nat -> (state * Big_int_Z.big_int) list ->
  Big_int_Z.big_int

val iparts0 :
  (nat -> state -> irow0) -> (state -> label) -> nat ->
  (state * Big_int_Z.big_int) list -> Big_int_Z.big_int part list option

type box = { ends : (state * (num * num)) list; outside : num }

type row1 =
| Point of (state * num) list
| Between of box

val given : numbers -> row1 -> box

type place1 = { place_label1 : label; place_rows1 : row1 list;
                units : Big_int_Z.big_int list }

val nth_row : 'a1 list -> nat -> 'a1 -> 'a1

val nmin : numbers -> num -> num -> num

val nmax : numbers -> num -> num -> num

val tightened : numbers -> box -> box

val tight : numbers -> row1 -> box

val first1 : state Coq_M.t -> state -> state

val into_blocks : numbers -> state Coq_M.t -> box -> box

val merged_row : numbers -> state Coq_M.t -> row1 -> box

val nceil : numbers -> num -> Big_int_Z.big_int -> Big_int_Z.big_int option

val shares_of :
  numbers -> Big_int_Z.big_int -> (state * (num * num)) list ->
  (state * (Big_int_Z.big_int * Big_int_Z.big_int)) list option

val irow_of : numbers -> Big_int_Z.big_int -> box -> irow0 option

val irows_of :
  numbers -> state Coq_M.t -> row1 list -> Big_int_Z.big_int list -> irow0
  list option

val is_known1 : numbers -> place1 Coq_M.t -> state -> bool

val strictly : numbers -> (state * (num * num)) list -> bool

val row_ok1 : numbers -> place1 Coq_M.t -> row1 -> bool

val blocks_ok : numbers -> state Coq_M.t -> row1 -> bool

val not_empty : numbers -> row1 -> bool

val is_point : numbers -> box -> bool

val differences : numbers -> box -> box -> (state * num) list

val same_point : numbers -> box -> box -> bool

val same_rows : numbers -> state Coq_M.t -> row1 list -> row1 list -> bool

val place_ok1 :
  numbers -> place1 Coq_M.t -> state Coq_M.t -> (state * place1) -> bool

val merge_ok1 :
  numbers -> place1 Coq_M.t -> state Coq_M.t -> (state * state) -> bool

val weigh0 :
  (state -> label) -> (label * (vector * Big_int_Z.big_int)) list ->
  (state * (Big_int_Z.big_int * Big_int_Z.big_int)) list -> Big_int_Z.big_int
  -> Big_int_Z.big_int -> (Big_int_Z.big_int * Big_int_Z.big_int) option

val valued0 :
  (nat -> state -> irow0) -> (state -> label) ->
  (label * (vector * Big_int_Z.big_int)) list -> nat -> state list ->
  (state * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
  ((state * Big_int_Z.big_int) list * Big_int_Z.big_int) option

val make_vector0 :
  (nat -> state -> irow0) -> (state -> label) -> state list Coq_M.t ->
  (vector * Big_int_Z.big_int) Coq_M.t -> vector_entry ->
  (vector * Big_int_Z.big_int) option

val make_vectors0 :
  (nat -> state -> irow0) -> (state -> label) -> state list Coq_M.t ->
  vector_entry list -> Integers.t -> (vector * Big_int_Z.big_int) Coq_M.t ->
  (vector * Big_int_Z.big_int) Coq_M.t option

val vectors_of0 :
  (nat -> state -> irow0) -> (state -> label) -> state list Coq_M.t ->
  vector_entry list -> (vector * Big_int_Z.big_int) Coq_M.t option

val stays0 :
  (nat -> state -> irow0) -> (state * Big_int_Z.big_int) list -> nat -> bool

val alike : (state -> label) -> (state * Big_int_Z.big_int) list -> bool

val choices1 : (state -> nat) -> (state * Big_int_Z.big_int) list -> nat

val asked0 :
  (nat -> state -> irow0) -> (state -> label) -> (state -> nat) ->
  (state * Big_int_Z.big_int) list -> nat list

val over_inputs0 :
  (nat -> state -> irow0) -> (state -> label) -> walk ->
  (state * Big_int_Z.big_int) list -> nat list -> Big_int_Z.big_int list ->
  (Big_int_Z.big_int * Big_int_Z.big_int) option ->
  ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int list) option

val eval0 :
  (nat -> state -> irow0) -> (state -> label) -> (state -> nat) ->
  (vector * Big_int_Z.big_int) Coq_M.t -> bool -> Big_int_Z.big_int list ->
  (state * Big_int_Z.big_int) list -> Big_int_Z.big_int list ->
  ((Big_int_Z.big_int * Big_int_Z.big_int) * Big_int_Z.big_int list) option

val tree_bounds0 :
  (nat -> state -> irow0) -> (state -> label) -> (state -> nat) ->
  (vector * Big_int_Z.big_int) Coq_M.t -> bool -> (state * Big_int_Z.big_int)
  list -> Big_int_Z.big_int list -> (Big_int_Z.big_int * Big_int_Z.big_int)
  option

val expand_level0 :
  (nat -> state -> irow0) -> (state -> label) -> Big_int_Z.big_int ->
  (state * Big_int_Z.big_int) list list -> (Big_int_Z.big_int
  list * (state * Big_int_Z.big_int) list) list -> Big_int_Z.big_int ->
  Big_int_Z.big_int -> (((Big_int_Z.big_int
  list * (state * Big_int_Z.big_int) list)
  list * Big_int_Z.big_int) * Big_int_Z.big_int) option

val level_step0 :
  (nat -> state -> irow0) -> (state -> label) -> Big_int_Z.big_int ->
  (((state * Big_int_Z.big_int) list
  list * Big_int_Z.big_int) * Big_int_Z.big_int) option ->
  (((state * Big_int_Z.big_int) list
  list * Big_int_Z.big_int) * Big_int_Z.big_int) option

val levels_bounds0 :
  (nat -> state -> irow0) -> (state -> label) -> (state * Big_int_Z.big_int)
  list -> Big_int_Z.big_int -> Big_int_Z.big_int ->
  (Big_int_Z.big_int * Big_int_Z.big_int) option

val one0 : Big_int_Z.big_int

type target = { lo : Big_int_Z.big_int; hi : Big_int_Z.big_int;
                centre : Big_int_Z.big_int }

type srow = { targets : (state * target) list; beyond : target }

type entry1 = { ends_of : target; least : Big_int_Z.big_int;
                most : Big_int_Z.big_int }

val at_end :
  Big_int_Z.big_int -> entry1 -> Big_int_Z.big_int -> Big_int_Z.big_int

val rise : Big_int_Z.big_int -> entry1 -> Big_int_Z.big_int

val room : entry1 -> Big_int_Z.big_int

val fill :
  Big_int_Z.big_int -> entry1 list -> Big_int_Z.big_int -> Big_int_Z.big_int
  -> Big_int_Z.big_int

val slope_at :
  (Big_int_Z.big_int * Big_int_Z.big_int) list -> Big_int_Z.big_int ->
  (Big_int_Z.big_int * Big_int_Z.big_int) ->
  Big_int_Z.big_int * Big_int_Z.big_int

val slope :
  Big_int_Z.big_int -> entry1 list -> Big_int_Z.big_int * Big_int_Z.big_int

val filled : Big_int_Z.big_int -> entry1 list -> Big_int_Z.big_int

val lo_sum : (Big_int_Z.big_int * Big_int_Z.big_int) list -> Big_int_Z.big_int

val hi_sum : (Big_int_Z.big_int * Big_int_Z.big_int) list -> Big_int_Z.big_int

val tighter :
  (Big_int_Z.big_int * Big_int_Z.big_int) list ->
  (Big_int_Z.big_int * Big_int_Z.big_int) ->
  Big_int_Z.big_int * Big_int_Z.big_int

val scaled1 : irow0 -> srow

type span = { mid : Big_int_Z.big_int; least_of : Big_int_Z.big_int;
              most_of : Big_int_Z.big_int }

val add_span : span -> span -> span

val sent_span : span -> target -> span

val span_step : (state -> srow) -> (state * span) list -> (state * span) list

val span_parts :
  (state -> srow) -> (state -> label) -> (state * span) list -> span part
  list option

val dropped_by : span -> (state * target) list -> Big_int_Z.big_int

val dropped : (state -> srow) -> (state * span) list -> Big_int_Z.big_int

val entries :
  bool -> (Big_int_Z.big_int * Big_int_Z.big_int) Coq_M.t -> (state * target)
  list -> entry1 list option

val with_beyond : srow -> entry1 list -> entry1 list

val correction : bool -> Big_int_Z.big_int -> entry1 list -> Big_int_Z.big_int

val value_limits : entry1 list -> Big_int_Z.big_int * Big_int_Z.big_int

val node :
  (state -> srow) -> bool -> (Big_int_Z.big_int * Big_int_Z.big_int) Coq_M.t
  -> (state * span) list ->
  (Big_int_Z.big_int * (state * (Big_int_Z.big_int * Big_int_Z.big_int))
  list) option

val event_weight : (state * span) list -> Big_int_Z.big_int

val is_mixed : span -> bool

val weight0 : span -> Big_int_Z.big_int

val spare0 : span -> Big_int_Z.big_int

val leaf0 :
  bool -> (state * span) list ->
  Big_int_Z.big_int * (state * (Big_int_Z.big_int * Big_int_Z.big_int)) list

val weight_table : (state * span) list -> Big_int_Z.big_int Coq_M.t

val weights_ok : (state * span) list -> bool

type found =
  (Big_int_Z.big_int * (state * (Big_int_Z.big_int * Big_int_Z.big_int))
  list) * Big_int_Z.big_int list

val over :
  ((state * span) list -> Big_int_Z.big_int list -> found option) -> span
  part list -> Big_int_Z.big_int list -> found option

val first_eval :
  (state -> srow) -> (state -> label) -> bool -> Big_int_Z.big_int list ->
  (state * span) list -> Big_int_Z.big_int list -> found option

val point_span : Big_int_Z.big_int -> span

val first_total :
  (state -> srow) -> (state -> label) -> bool -> state -> state ->
  Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int list ->
  Big_int_Z.big_int option

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

val found0 : numbers -> (state * place1) list -> place1 Coq_M.t

val table : numbers -> certificate1 -> state Coq_M.t

val unit1 : numbers -> certificate1 -> Big_int_Z.big_int

val label_in : numbers -> place1 Coq_M.t -> state -> label

val count_in : numbers -> place1 Coq_M.t -> state -> nat

val is_first : numbers -> place1 Coq_M.t -> state Coq_M.t -> state -> bool

val row_table :
  numbers -> place1 Coq_M.t -> state Coq_M.t -> irow0 list option Coq_M.t

val no_row : irow0

val row_at : irow0 list option Coq_M.t -> nat -> state -> irow0

val rows_ok :
  numbers -> irow0 list option Coq_M.t -> state Coq_M.t -> (state * place1)
  -> bool

val srow_table :
  numbers -> certificate1 -> place1 Coq_M.t -> state Coq_M.t -> srow option
  Coq_M.t

val no_srow : srow

val srow_at : srow option Coq_M.t -> state -> srow

val srows_ok :
  numbers -> (state * place1) list -> srow option Coq_M.t -> state Coq_M.t ->
  bool

val groups :
  numbers -> (state * place1) list -> place1 Coq_M.t -> state Coq_M.t ->
  state list Coq_M.t

val is_single0 : numbers -> (state * place1) list -> bool

type result0 = { of_from0 : state; of_to0 : state; shift_low : bool;
                 low : Big_int_Z.big_int; shift_high : bool;
                 high : Big_int_Z.big_int }

val root0 :
  numbers -> certificate1 -> bool -> state -> state ->
  (state * Big_int_Z.big_int) list option

val from_root :
  numbers -> certificate1 -> bool -> state -> state ->
  ((state * Big_int_Z.big_int) list ->
  (Big_int_Z.big_int * Big_int_Z.big_int) option) -> result0 option

val by_first_order :
  numbers -> certificate1 -> state -> state -> (bool -> Big_int_Z.big_int ->
  Big_int_Z.big_int option) -> result0 option

val run0 :
  numbers -> (state * place1) list -> certificate1 -> place1 Coq_M.t -> irow0
  list option Coq_M.t -> srow option Coq_M.t -> (vector * Big_int_Z.big_int)
  Coq_M.t -> recipe0 -> result0 option

val run_all0 :
  (recipe0 -> result0 option) -> recipe0 list -> Big_int_Z.big_int -> result0
  list -> result0 list * Big_int_Z.big_int option

val is_about : state -> state -> result0 -> bool

val reaches : numbers -> certificate1 -> num -> result0 -> bool

val keeps : numbers -> certificate1 -> num -> result0 -> bool

val statement_ok1 :
  numbers -> certificate1 -> place1 Coq_M.t -> result0 list -> statement1 ->
  bool

val alphas_ok : numbers -> certificate1 -> bool

val check1 :
  numbers -> (state * place1) list -> certificate1 ->
  (Big_int_Z.big_int * Big_int_Z.big_int) option

val version2 : Big_int_Z.big_int

val row_reader : closeness list -> row1 reader

val place_reader1 : closeness list -> (state * place1) reader

val recipe_reader0 : recipe0 reader

val statement_reader1 : closeness list -> statement1 reader

val certificate_reader1 : closeness list -> certificate1 reader

val body_reader0 :
  closeness list -> ((state * place1) list * certificate1) reader

type contents1 = (state * place1) list * certificate1

val read2 : Big_int_Z.big_int list -> (header, contents1) sigT option

val judge2 : Big_int_Z.big_int list -> verdict

val verdict_of : Big_int_Z.big_int list -> verdict
