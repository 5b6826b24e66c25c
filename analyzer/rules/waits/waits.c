/* SPDX-License-Identifier: MIT */
/* Reading who waited, and what for, as far as the name of the call tells. */
#include "analyzer/rules/waits/waits.h"

#include "analyzer/rules/time/run.h"
#include "analyzer/rundb/rundb.h"

#include "waits_waits.sql.h"

#include <math.h>
#include <string.h>

int wait_for_each(struct rule_input *input, double least_ns, struct findings *ret,
		  int (*look)(struct rule_input *, struct findings *, const struct wait *,
			      const void *),
		  const void *context)
{
	struct cursor *cursor = rule_query(input, waits_waits_sql_waits);
	int result = 0;

	cursor_bind_real(cursor, ":least", fmax(1, least_ns));
	while (result >= 0 && cursor_next(cursor) > 0) {
		struct wait wait = {
			.function_id = cursor_integer(cursor, "function_id"),
			.path_id = cursor_integer(cursor, "path_id"),
			.callee = cursor_text(cursor, "callee"),
			.calls = cursor_real(cursor, "calls"),
			.blocked_ns = cursor_real(cursor, "blocked_ns"),
			.first_calls = cursor_real(cursor, "first_calls"),
			.first_blocked_ns = cursor_real(cursor, "first_blocked_ns"),
			.longest_ns = cursor_real(cursor, "longest_ns"),
		};

		wait.longest_ns = fmin(wait.longest_ns, wait.blocked_ns);
		result = look(input, ret, &wait, context);
	}
	return rule_finish(input, cursor, result);
}

struct finding *wait_finding(struct rule_input *input, struct findings *ret,
			     const struct wait *wait)
{
	struct finding *finding = rule_add_path(input, ret, wait->path_id);

	finding->sql = rule_text(
		input,
		"SELECT p.path_id, p.name, c.name AS callee, c.kind, c.calls, "
		"c.self_blocked_ns, c.self_ready_ns FROM call_paths c JOIN call_paths p "
		"ON p.path_id = CASE WHEN c.kind IN ('wait', 'io') THEN c.parent_path_id "
		"ELSE c.path_id END WHERE c.run_id = %lld AND p.function_id = %lld AND "
		"c.self_blocked_ns > 0 ORDER BY c.self_blocked_ns DESC",
		(long long)input->run_id, (long long)wait->function_id);
	return finding;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof(*(names)))

bool wait_is_sleep(const struct wait *wait)
{
	static const char *const sleeps[] = {"nanosleep", "clock_nanosleep", "usleep",
					     "sleep", "thrd_sleep"};

	return wait->callee && IS_ONE_OF(wait->callee, sleeps);
}

bool wait_is_for_others(const struct rule_input *input, const struct wait *wait)
{
	static const char *const starts[] = {"pthread_", "mtx_", "cnd_",
					     "sem_",	 "sig",	 "epoll_"};
	static const char *const names[] = {"thrd_join", "call_once", "wait",	"waitpid",
					    "wait3",	 "wait4",     "waitid", "pause",
					    "accept",	 "accept4"};

	if (!wait->callee)
		return input->time_run->lane_count > 1 ||
		       input->time_run->threads.count > 1;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (strncmp(wait->callee, starts[i], strlen(starts[i])) == 0)
			return true;
	return IS_ONE_OF(wait->callee, names);
}
