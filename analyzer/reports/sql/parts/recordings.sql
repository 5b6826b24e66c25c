-- SPDX-License-Identifier: MIT
-- How functions were recorded if not call by call, and what the budget has to do with it.
-- :part recordings

-- What the program itself computed: a budget is a share of that. If computing was not told from
-- waiting, the time it took. The budget is exceeded for sure if the least possible cost is above
-- the largest possible budget.
-- :keep budget
SELECT own_ns, :budget_percent AS percent, 100.0 * :hooks_ns / own_ns AS hooks_percent,
	100.0 * :counting_ns / own_ns AS counting_percent,
	:hooks_ns - :hooks_error_ns > most_ns AS is_exceeded,
	:counting_ns - :counting_error_ns > most_ns AS is_exceeded_by_counting
FROM (SELECT *, :budget_percent / 100 * (own_ns + :self_error_ns) AS most_ns
	FROM (SELECT IIF(:is_split, MAX(:self_ns - :self_off_ns, :cpu_ns - :hooks_ns),
		1.0 * :self_ns - :self_off_ns) AS own_ns))
WHERE :budget_percent IS NOT NULL;

-- since_ns counts from the start of the run.
-- :table recordings brief quiet rows=20 noun=function weight=counted_calls,the_counted_calls = Functions not timed call by call
SELECT f.calls AS "calls!:calls", r.counted_calls AS "counted!:counted_calls",
	r.recording AS "timed!:recording", r.least AS "at least:.least",
	r.reason AS "why!:reason", r.since_ns AS "since!:since_ns", r.changes AS "changes:changes/count",
	r.site_count AS ".site_count", r.early_site_count AS ".early_site_count",
	r.name AS "function!:name", p.pid AS "PID:.pid", r.function_id AS ".function_id"
FROM recordings r LEFT JOIN functions f ON f.function_id = r.function_id
LEFT JOIN processes p ON p.process_id = r.process_id
WHERE r.run_id = :run ORDER BY r.counted_calls DESC, r.name, p.pid;

-- :note budget brief
SELECT printf('The budget was %g %% of the CPU time without hooks; recording ', percent)
	|| IIF(is_exceeded, 'took about ', 'took an estimated ') || '{hooks_percent}'
	|| IIF(is_exceeded_by_counting, ', counting alone {counting_percent}', '') || '.' AS text,
	IIF(is_exceeded, '''prof-analyze exclude-list'' prints flags for the next build without
	what is called most; PROFSHIM_SKIP leaves it out of the next run.', NULL) AS advice,
	IIF(is_exceeded, 'warning', 'plain') AS level, hooks_percent, counting_percent
FROM budget;
