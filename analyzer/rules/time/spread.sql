-- SPDX-License-Identifier: MIT
-- Functions whose calls take unequally long.

-- The sixth column: what a tick of the histogram is in ns. What was counted for a time has
-- no durations of that time.
-- :name functions
SELECT f.function_id, f.calls, f.total_ns, f.raw_total_ns, f.histogram,
	1e9 / r.ticks_per_second AS tick_ns, f.self_ns,
	f.raw_self_ns - f.self_ns AS hooks_ns, f.alloc_count, f.self_error_ns,
	f.total_error_ns, f.recording = 'windows' AS is_sampled, f.ready_ns, f.self_ready_ns, f.blocked_ns,
	f.self_ns - f.self_ready_ns - f.self_blocked_ns AS cpu_ns
FROM function f JOIN run r USING (run_id)
WHERE f.run_id = :run AND f.recording IN ('exact', 'windows') AND f.calls >= :calls AND f.total_ns >= :least
	AND f.histogram IS NOT NULL AND r.ticks_per_second > 0
ORDER BY f.total_ns DESC, f.function_id;

-- :name measured
SELECT 1 FROM function WHERE run_id = :run AND histogram IS NOT NULL LIMIT 1;
