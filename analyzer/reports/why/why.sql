-- SPDX-License-Identifier: MIT
-- The kept calls of a studied function, and what they did.

-- :name cases
SELECT case_id, path_id, is_slow, duration_ns, ready_ns, beside_calls
FROM study_cases WHERE run_id = :run AND study_id = :study ORDER BY case_id LIMIT 256;

-- :name parts
SELECT case_id, path_id, is_first, calls, self_ns, alloc_count, alloc_bytes, ready_ns,
	blocked_ns
FROM study_parts WHERE run_id = :run AND study_id = :study LIMIT 65536;
