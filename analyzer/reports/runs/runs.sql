-- SPDX-License-Identifier: MIT
-- The runs of the file.

-- :name all
SELECT r.run_id, r.label, r.started_utc, r.wall_ns,
	(SELECT SUM(f.calls) FROM functions f WHERE f.run_id = r.run_id) AS calls,
	r.alloc_count, r.peak_bytes, r.complete, r.exit_code, r.exit_signal, r.command,
	r.job, r.rank, r.rank_count
FROM runs r ORDER BY r.run_id;
