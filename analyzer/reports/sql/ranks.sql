-- SPDX-License-Identifier: MIT
-- :report ranks: the ranks of a job side by side
-- :takes run limit sort
-- :example prof-analyze ranks run.db
-- :about
-- Each rank's time in the run's job, and how evenly the ranks are loaded: least, median and
-- most, and how far the most is above the mean. A job is everything that one mpirun or srun
-- started, recorded as one run for each rank, or as one run with the launcher. 'CPU wait'
-- is time in which threads were runnable and had no CPU; waits for other ranks are within a
-- rank's functions.

-- The runs of one job. If a rank occurs twice, another program was started in the job.
-- :keep siblings
WITH turns AS (SELECT run_id, job, ROW_NUMBER() OVER (PARTITION BY job, rank ORDER BY run_id)
	AS turn FROM runs WHERE job <> '' AND rank IS NOT NULL)
SELECT o.run_id FROM turns t JOIN turns o USING (job, turn) WHERE t.run_id = :run;

-- A job is recorded as one run for each rank (mpirun begins recorded programs), or as one
-- run whose processes have ranks (mpirun itself is recorded).
-- :keep ranked
SELECT r.rank, r.run_id, r.wall_ns,
	(SELECT SUM(self_ns) FROM functions f WHERE f.run_id = r.run_id) AS self_ns,
	(SELECT SUM(waited) FROM (SELECT MAX(cpu_wait_ns) AS waited FROM resources
		WHERE run_id = r.run_id GROUP BY process_id)) AS cpu_wait_ns,
	(SELECT SUM(calls) FROM functions f WHERE f.run_id = r.run_id) AS calls,
	r.alloc_count, r.alloc_bytes, r.peak_bytes
FROM runs r JOIN siblings USING (run_id)
UNION ALL SELECT p.rank, p.run_id, MAX(p.wall_ns), SUM(own.self_ns), SUM(waits.waited),
	SUM(own.calls), SUM(p.alloc_count), SUM(p.alloc_bytes), MAX(p.peak_bytes)
FROM processes p
LEFT JOIN (SELECT l.process_id, SUM(s.self_ns) AS self_ns,
		SUM(CASE WHEN t.kind = 0 THEN s.calls END) AS calls
	FROM path t JOIN path_lane s USING (path_id) JOIN lane l USING (lane_id)
	WHERE t.run_id = :run GROUP BY l.process_id) own USING (process_id)
LEFT JOIN (SELECT process_id, MAX(cpu_wait_ns) AS waited FROM resources
	WHERE run_id = :run GROUP BY process_id) waits USING (process_id)
WHERE p.run_id = :run AND p.rank IS NOT NULL AND NOT EXISTS (SELECT 1 FROM siblings)
GROUP BY p.rank;

-- :note no_ranks empty stop
SELECT 'No launcher started this run: it has no ranks.' AS text,
	'mpirun and srun tell each process its rank; record what they start:
	mpirun -n 8 prof-record -- ./app.' AS advice
WHERE NOT EXISTS (SELECT 1 FROM ranked);

-- :note rank only_brief
SELECT 'This run is rank {rank} of a job; --run chooses another.' AS text, rank
FROM runs JOIN siblings USING (run_id) WHERE run_id = :run;

-- Each quantity that is known for all ranks.
-- :table rank_spread brief optional whole = Job {job}, {ranks}
WITH one(place, name, title, rank, value) AS (
	SELECT 1, 'wall_ns', 'wall time', rank, wall_ns FROM ranked
	UNION ALL SELECT 2, 'self_ns', 'time in functions', rank, self_ns FROM ranked
	UNION ALL SELECT 3, 'cpu_wait_ns', 'CPU wait', rank, cpu_wait_ns FROM ranked
	UNION ALL SELECT 4, 'calls', 'calls', rank, calls FROM ranked
	UNION ALL SELECT 5, 'alloc_count', 'allocations', rank, alloc_count FROM ranked
	UNION ALL SELECT 6, 'alloc_bytes', 'bytes allocated', rank, alloc_bytes FROM ranked
	UNION ALL SELECT 7, 'peak_bytes', 'peak of memory', rank, peak_bytes FROM ranked),
ends AS (SELECT *, FIRST_VALUE(rank) OVER (PARTITION BY place ORDER BY value, rank) AS least_rank,
	FIRST_VALUE(rank) OVER (PARTITION BY place ORDER BY value DESC, rank DESC) AS most_rank
	FROM one),
spread AS (SELECT place, name, title, least_rank, most_rank, 1.0 * MIN(value) AS least,
	median(value) AS median, 1.0 * MAX(value) AS most,
	MIN(value) <> MAX(value) AS differs, COUNT(*) AS count, SUM(1.0 * value) AS sum
	FROM ends GROUP BY place HAVING COUNT(value) = COUNT(*))
SELECT name AS ".name/text", title AS "of the ranks!:~title", least AS ".least/any",
	median AS ".median/any", most AS ".most/any",
	people(name, least) AS "least!:~least_text/figure",
	CASE WHEN differs THEN least_rank END AS "rank:least_rank",
	people(name, median) AS "median!:~median_text/figure",
	people(name, most) AS "most!:~most_text/figure",
	CASE WHEN differs THEN most_rank END AS "rank:most_rank",
	-- how much longer all wait for the last rank than with an even share
	CASE WHEN sum > 0 THEN 100 * (most * count - sum) / sum END
	AS "above mean!:above_mean_percent",
	IFNULL((SELECT r.job FROM runs r JOIN siblings USING (run_id) WHERE r.run_id = :run),
	'of this run') AS "-job",
	CASE WHEN (SELECT rank_count FROM runs WHERE run_id = :run
		AND run_id IN siblings) > count THEN count || ' of '
	ELSE '' END || counted('rank', MAX(count, IFNULL((SELECT rank_count FROM runs
		WHERE run_id = :run AND run_id IN siblings), 0))) AS "-ranks"
FROM spread ORDER BY place;

-- :table ranks main sort noun=rank = Ranks
SELECT rank AS "rank!:rank", run_id AS "run:run_id", wall_ns AS "wall!:wall_ns",
	self_ns AS "functions!:self_ns", cpu_wait_ns AS "CPU wait:cpu_wait_ns",
	calls AS "calls:calls", alloc_count AS "allocs:alloc_count",
	alloc_bytes AS "bytes:alloc_bytes", peak_bytes AS "peak:peak_bytes"
FROM ranked ORDER BY rank;
