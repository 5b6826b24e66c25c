-- SPDX-License-Identifier: MIT
-- Functions whose calls take unequally long.

-- What was counted for a time has no durations of that time. Durations tell something of
-- the function's code where they do not hang on what was subtracted for the hooks of its
-- callees, nor are the allocator's and the kernel's: a block from a list takes 20 ns, one
-- on a fresh page 2 us. (tidy's wrapper of malloc() was told for that.) run_part: of
-- threads side by side only the longest counts. sure: what is there with the error, too.
-- :name functions
SELECT f.function_id, f.calls, f.total_ns - f.ready_ns AS served_ns, f.raw_total_ns,
	f.histogram, 1e9 / r.ticks_per_second AS tick_ns, f.self_ns - f.self_ready_ns AS own_ns,
	f.ready_ns + f.blocked_ns AS waited_ns,
	COALESCE(MIN(1, CAST(h.ns AS REAL) / NULLIF(MAX(0,
		f.self_ns - f.self_ready_ns - f.self_blocked_ns), 0)), 1) AS run_part,
	CAST(MAX(0, f.total_ns - f.ready_ns - MAX(0, f.total_error_ns)) AS REAL)
		/ MAX(1, f.total_ns - f.ready_ns) AS sure
FROM function f JOIN run r USING (run_id) LEFT JOIN held h USING (function_id)
WHERE f.run_id = :run AND f.recording = 'exact' AND f.calls >= :least_calls
	AND f.histogram IS NOT NULL AND r.ticks_per_second > 0
	AND MAX(0, f.self_ns - MAX(0, f.self_error_ns))
		>= :least_by_hooks * (f.raw_self_ns - f.self_ns)
	AND f.alloc_count < :allocs_per_call * f.calls
	AND f.function_id NOT IN (SELECT function_id FROM path
		WHERE run_id = :run AND kind >= 3)
ORDER BY f.total_ns DESC, f.function_id;

-- :name measured
SELECT 1 FROM function WHERE run_id = :run AND histogram IS NOT NULL LIMIT 1;
