/* SPDX-License-Identifier: MIT */
/*
 * Threads that end as usual, and what comes after the shim's own destructor there: libc
 * frees the text of dlerror(), and of detached threads that ended before the storage that
 * it does not keep; a value that is set in each round has a destructor in the last one.
 * All of it is in the books. A thread whose only event is such a free gets no record.
 */
// flags: -pthread
// settings: PROFSHIM_WAITS=off
// expect-sql: SELECT calls FROM functions WHERE name = 'work' => 100
// expect-sql: SELECT alloc_count, alloc_bytes, free_count, live_count FROM
//     allocation_sites WHERE name = 'work' => 100|10000|100|0
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(free_count),
//     SUM(realloc_count), SUM(live_bytes) FROM allocation_sites WHERE name = 'at_end' =>
//     24|1040|16|8|480
// expect-below: fail live_bytes => 0
// expect-sql: SELECT COUNT(*) FROM threads => 109
#include "detached.h"
