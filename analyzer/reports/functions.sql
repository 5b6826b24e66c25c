-- SPDX-License-Identifier: MIT
-- Functions, flat.

-- :name all
SELECT f.*, MAX(0, f.calls - IFNULL(m.counted, 0)) AS timed_calls FROM functions f
LEFT JOIN (SELECT function_id, SUM(counted_calls) AS counted FROM recordings
	WHERE run_id = :run GROUP BY function_id) m USING (function_id)
WHERE f.run_id = :run AND (f.calls > 0 OR f.self_ns > 0 OR f.alloc_count > 0
	OR f.owned_alloc_count > 0);
