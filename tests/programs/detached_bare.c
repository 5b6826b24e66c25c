/* SPDX-License-Identifier: MIT */
/* The same compiled without hooks: nothing is said of calls. */
// hooks: no
// flags: -pthread
// settings: PROFSHIM_WAITS=off
// expect-sql: SELECT alloc_count, alloc_bytes, free_count, live_count FROM
//     allocation_sites WHERE name = 'work' => 100|10000|100|0
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(free_count),
//     SUM(realloc_count), SUM(live_bytes) FROM allocation_sites WHERE name = 'at_end' =>
//     24|1040|16|8|480
// expect-sql: SELECT COUNT(*) FROM threads => 109
#include "detached.h"
