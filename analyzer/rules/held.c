/* SPDX-License-Identifier: MIT */
/* The table held: the shares of functions by thread, by process, of the run. */
#include "analyzer/rules/rule.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rundb/sums.h"

#include "run.sql.h"

static void add_longest(struct sums *processes, const struct sums *lanes)
{
	for (size_t i = 0; i < lanes->count; i++) {
		const struct sum *lane = &lanes->all[i];
		bool is_new;
		int64_t *most =
			sums_of(processes, lane->key[0], lane->key[1], 0, &is_new);

		if (is_new || lane->value > *most)
			*most = lane->value;
	}
}

int rule_keep_held(struct rule_input *input)
{
	struct sums lanes = {.count = 0}, processes = {.count = 0},
		    functions = {.count = 0};
	struct cursor *cursor = rule_query(input, run_sql_held);
	int result;

	while (cursor_next(cursor) > 0)
		sums_add(&lanes, cursor_integer(cursor, "function_id"),
			 cursor_integer(cursor, "process_id"),
			 cursor_integer(cursor, "lane_id"), cursor_integer(cursor, "ns"));
	result = rule_finish(input, cursor, 0);
	add_longest(&processes, &lanes);
	for (size_t i = 0; i < processes.count; i++)
		sums_add(&functions, processes.all[i].key[0], 0, 0,
			 processes.all[i].value);
	if (result == 0)
		result = rundb_keep_sums(input->db, "held", "function_id", "ns",
					 &functions);
	sums_done(&lanes);
	sums_done(&processes);
	sums_done(&functions);
	return result;
}
