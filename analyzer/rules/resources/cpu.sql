-- SPDX-License-Identifier: MIT
-- What the threads that were asked did over their lives.

-- What a function waited is what its own code slept, and the calls of libc that it made.
-- The CPU was not idle while one of the threads waited for it: at least, for several may
-- have waited at once.
-- :name low
WITH largest AS (SELECT COALESCE(c.function_id, p.function_id) AS function_id,
		SUM(p.self_blocked_ns) AS blocked_ns
	FROM path p LEFT JOIN path c ON p.kind >= 3 AND c.path_id = p.parent_path_id
	WHERE p.run_id = :run AND p.self_blocked_ns > 0
	GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1),
half AS (SELECT function_id FROM largest WHERE blocked_ns >= :blocked_ns / 2),
used AS (SELECT :cpu_ns / MAX(1, :lived_ns - :ready_ns) AS used)
SELECT (SELECT function_id FROM half) AS function_id, used, (1 - used) * :run_ns AS saving_ns,
	:cpu_ns AS cpu_ns, :ready_ns AS ready_ns, :blocked_ns AS blocked_ns,
	:threads AS threads, CASE WHEN EXISTS (SELECT 1 FROM half)
		THEN 'this function for at least half of that'
		ELSE 'the waits are spread over it' END AS place,
	CASE WHEN :threads_ns < :least_ns OR :threads_ns < :lived_ns / 2
		THEN 'the threads that were asked lived too briefly'
		WHEN :is_live THEN 'the run has not ended: what it waits for may still come'
		END AS unmeasured
FROM used;

-- wished: computed and waited for a CPU.
-- :name wished
SELECT (:cpu_ns + :ready_ns) / MAX(1, :wall_ns * :cpus) AS machine,
	COALESCE(:ready_ns / NULLIF(:cpu_ns + :ready_ns, 0), 0) AS ready,
	:cpu_ns AS cpu_ns, :ready_ns AS ready_ns, :cpus AS cpus, :busy AS busy,
	2 AS two, :threads_by_cpus * :cpus AS many,
	2 AS confidence,
	CASE WHEN :threads_ns < :least_ns OR :threads_ns < :lived_ns / 2
		THEN 'the threads that were asked lived too briefly'
		WHEN :cpus < 1 THEN 'the number of CPUs is not recorded' END AS unmeasured;
