-- SPDX-License-Identifier: MIT
-- Functions that were studied, and their calls that were kept.

-- :name studies
SELECT s.study_id, s.function_id, s.name, s.kind, s.reason, s.calls, s.missed_calls,
	s.ready_calls, s.ready_ns, s.folded_paths, s.cost_ns,
	IFNULL(f.p50_ns, t.p50_ns) AS median_ns,
	(SELECT MAX(c.duration_ns - c.ready_ns) FROM study_cases c WHERE c.run_id = s.run_id
	AND c.study_id = s.study_id) AS slowest_ns
FROM studies s LEFT JOIN functions f ON f.run_id = s.run_id AND f.function_id = s.function_id
LEFT JOIN step_totals t ON t.run_id = s.run_id AND s.kind = 'step' AND t.name = s.name
	AND t.process_id IS NULL
WHERE s.run_id = :run AND (s.kind = 'step' OR f.function_id IS NOT NULL)
ORDER BY slowest_ns DESC, s.study_id LIMIT 256;

-- :name cases
SELECT c.case_id, c.path_id, c.is_slow, c.number, c.started_ns, c.duration_ns, c.ready_ns,
	c.beside_calls, c.beside_ns, c.folded_parts, c.lane_id,
	(SELECT t.tid FROM threads t WHERE t.run_id = c.run_id AND t.lane_id = c.lane_id
	AND t.started_ns <= c.started_ns ORDER BY t.started_ns DESC LIMIT 1) AS tid
FROM study_cases c WHERE c.run_id = :run AND c.study_id = :study
ORDER BY c.case_id LIMIT 256;

-- :name parts
SELECT case_id, path_id, is_first, calls, self_ns, alloc_count, alloc_bytes, ready_ns,
	blocked_ns
FROM study_parts WHERE run_id = :run AND study_id = :study LIMIT 65536;

-- The longest wait in a call that it is known of whom it was for. Most of it lies within
-- the call: the two were timed by themselves, and may be some 100 us apart.
-- :name wait
SELECT s.kind, l.name AS lock, f.name AS holder, s.wait_ns
FROM stalls s LEFT JOIN locks l USING (run_id, lock_id)
LEFT JOIN call_paths p ON p.run_id = s.run_id
	AND p.path_id = IFNULL(s.taken_path_id, s.holder_path_id)
LEFT JOIN functions f ON f.run_id = p.run_id AND f.function_id = p.function_id
WHERE s.run_id = :run AND s.lane_id = :lane AND s.started_ns < :end
	AND MIN(s.started_ns + s.wait_ns, :end) - MAX(s.started_ns, :begin) > s.wait_ns / 2
ORDER BY s.wait_ns DESC LIMIT 1;

-- Functions with calls far longer than usual ones, those first that most is below; none of
-- libc's, which have no hooks that could keep a call.
-- :name candidates
SELECT name, p50_ns, max_ns FROM functions
WHERE run_id = :run AND NOT is_library AND calls >= 20 AND p50_ns > 0 AND max_ns >= 8 * p50_ns
	AND function_id IN (SELECT function_id FROM call_paths
		WHERE run_id = :run AND kind = 'function')
ORDER BY total_ns DESC, function_id LIMIT 3;
