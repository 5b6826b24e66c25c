/* SPDX-License-Identifier: MIT */
/* As levels.c, where half of the paths that there may be are taken before the functions that
 * are called rarely are called: which ways led to them is not kept then, but who called them
 * stays exact. */
// flags: -pthread
// settings: PROFSHIM_OVERHEAD=10 PROFSHIM_MAX_PATHS=50
// tolerate: sampled_functions stopped_functions
// expect-sql: SELECT caller || '>' || callee, calls FROM call_edges WHERE callee IN
//     ('make_room', 'complain') ORDER BY 1 =>
//     compare>complain|3; flush_all>make_room|6; put_entry>make_room|52
// expect-trust: folded_paths => 0
#include "levels.c"
