/* SPDX-License-Identifier: MIT */
/* Copies that are counted before the program comes to where most of them are: their calls
 * are in the functions that have their code, exactly, and so is their time: the loop that
 * the run is spent in has most of it, hooks included. Its hooks take more than thirty times
 * what it does itself, so that few samples are left for that: no function has more than it
 * beyond the errors of both. */
// variants: all
// settings: PROFSHIM_OVERHEAD=10
// tolerate: sampled_functions stopped_functions
// expect-sql: SELECT name, calls FROM functions WHERE name IN ('is_ready', 'next', 'early',
//     'all_are_ready') ORDER BY name => all_are_ready|2000; early|20000;
//     is_ready|20200000; next|20200000
// expect-sql: SELECT f.name, ROUND(SUM(p.inlined_calls) / 1e4) FROM path p JOIN path h ON
//     h.path_id = p.host_path_id JOIN function f ON f.function_id = h.function_id
//     WHERE f.name IN ('all_are_ready', 'early') GROUP BY f.name =>
//     all_are_ready|4000; early|40
// expect-sql: SELECT name FROM functions ORDER BY raw_self_ns DESC LIMIT 1 => all_are_ready
// expect-sql: SELECT f.name FROM functions f JOIN functions a ON a.name = 'all_are_ready'
//     WHERE f.self_cpu_ns - f.self_error_ns > a.self_cpu_ns + a.self_error_ns =>
#include "items.h"
#include "truth.h"

#define FEW 10

ALONE static int early(const struct item *first)
{
	int ready = 1;

	for (const struct item *item = first; item != first + FEW; item = next(item))
		ready &= is_ready(item);
	return ready;
}

int main(void)
{
	for (size_t i = 0; i < ITEMS; i++)
		items[i].is_ready = 1;
	keep(items);
	for (int i = 0; i < 20000; i++)
		found += (unsigned)early(items);
	for (int i = 0; i < 2000; i++)
		found += (unsigned)all_are_ready(items, items + opaque(ITEMS));
	return found == 22000 ? 0 : 1;
}
