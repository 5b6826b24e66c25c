-- SPDX-License-Identifier: MIT
-- :report snapshots: the snapshots of a run and live memory at each
-- :takes run limit sort process
-- :example prof-analyze snapshots run.db
-- :about
-- One line for each snapshot, in order: live memory, and its growth since the snapshot
-- before (at the first: since the start). The plot holds the value of the latest snapshot
-- until the next.

-- :keep taken
SELECT s.*, p.pid, DENSE_RANK() OVER (ORDER BY p.started_ns, s.process_id) AS place,
	ROW_NUMBER() OVER (PARTITION BY s.process_id ORDER BY s.snapshot_id) AS turn,
	COUNT(*) OVER (PARTITION BY s.process_id) AS turns,
	s.live_bytes - LAG(s.live_bytes, 1, 0)
		OVER (PARTITION BY s.process_id ORDER BY s.snapshot_id) AS live_delta_bytes,
	s.live_count - LAG(s.live_count, 1, 0)
		OVER (PARTITION BY s.process_id ORDER BY s.snapshot_id) AS live_delta_count
FROM snapshots s JOIN processes p USING (process_id)
WHERE s.run_id = :run AND (NOT :process OR s.process_id = :process);

-- :note no_snapshots warning empty
SELECT 'The run has no snapshots.' AS text,
	'PROFSHIM_SNAPSHOT_EVERY=2s takes them while the program runs,
	profshim_snapshot("label") of profshim.h where it says so.' AS advice
WHERE NOT EXISTS (SELECT 1 FROM taken);

-- Live bytes as of the latest snapshot at each moment; nothing before the first and after
-- the last. Of two in one column the higher shows.
-- :plots live_plot points=60
WITH RECURSIVE span AS (SELECT MAX(time_ns) AS span_ns FROM taken),
binned AS (SELECT place, MAX(0, MIN(59, CAST(time_ns * 60.0 / span_ns AS INTEGER))) AS point,
	MAX(live_bytes) AS high, MAX(turn) AS turn
	FROM taken JOIN span WHERE turns > 1 AND span_ns > 0 GROUP BY place, point),
held AS (SELECT b.place, b.point, b.high, t.live_bytes AS last,
	LEAD(b.point, 1, b.point + 1) OVER (PARTITION BY b.place ORDER BY b.point) AS until
	FROM binned b JOIN taken t USING (place, turn)),
drawn AS (SELECT place, point, high AS value, last, until FROM held
	UNION ALL SELECT place, point + 1, last, last, until FROM drawn WHERE point + 1 < until)
SELECT d.place AS "plot/id", d.point AS "point/id", d.value AS "value/any",
	CASE WHEN (SELECT COUNT(DISTINCT place) FROM taken) > 1
	THEN (SELECT pid FROM taken t WHERE t.place = d.place) || '' ELSE 'live' END AS title,
	'bytes' AS unit, (SELECT MAX(live_bytes) FROM taken t WHERE t.place = d.place)
	AS "peak/any", span_ns
FROM drawn d JOIN span
WHERE d.place IN (SELECT DISTINCT place FROM held ORDER BY place LIMIT 8)
ORDER BY d.place, d.point;

-- :table snapshots main sort quiet noun=snapshot = Snapshots
SELECT CASE WHEN (SELECT COUNT(DISTINCT place) FROM taken) > 1 THEN pid END
	AS "PID!:?~process/id", pid AS ".pid", number AS "no.!:number/id",
	label AS "label!:label",
	taken_by AS "taken by:taken_by", time_ns AS "time!:time_ns",
	live_bytes AS "live!:live_bytes", live_delta_bytes AS "+live!:live_delta_bytes/bytes_change",
	live_count AS "blocks!:live_count",
	live_delta_count AS "+blocks:live_delta_count/count_change", rss_bytes AS "RSS:rss_bytes",
	alloc_count AS ".alloc_count", alloc_bytes AS ".alloc_bytes",
	process_id AS ".process_id", snapshot_id AS ".snapshot_id"
FROM taken ORDER BY place, turn;

-- For a trend.
-- :note growth
SELECT '''prof-analyze leaks'' tells which sites grew over them.' AS text
WHERE EXISTS (SELECT 1 FROM taken WHERE turns >= 5);
