-- SPDX-License-Identifier: MIT
-- :report resources: CPU, memory, faults, I/O, threads, GPUs over time
-- :takes run limit sort process
-- :example prof-analyze resources run.db
-- :about
-- Samples that the collector read from /proc every 100 ms, and four times a second from
-- NVIDIA's management library if there is one: the whole run, its curves, then each
-- process. --process shows only one. csv has the samples over time, json has everything.

-- A value that a sample lacks keeps its last value: for a process that has ended but was not yet
-- reaped the kernel reports 0 memory. GPU utilisation is read less often than GPU memory and
-- describes the time before, so it is taken from the next sample that has it. What a process does
-- on one GPU counts as a process.
-- :keep usage
WITH taken AS (SELECT 0 AS is_gpu, process_id, 0 AS device, time_ns,
	cpu_percent IS NOT NULL AS knows_busy, rss_bytes IS NOT NULL AS knows_memory,
	cpu_percent AS busy, nullif(rss_bytes, 0) AS memory, thread_count AS threads,
	minor_faults AS minor, major_faults AS major, read_bytes, write_bytes
	FROM resources WHERE run_id = :run AND (NOT :process OR process_id = :process)
UNION ALL SELECT 1, process_id, device, time_ns, utilisation_percent IS NOT NULL,
	memory_bytes IS NOT NULL, IFNULL(last_known(utilisation_percent) OVER
		(PARTITION BY process_id, device ORDER BY time_ns DESC),
		last_known(utilisation_percent) OVER
		(PARTITION BY process_id, device ORDER BY time_ns)),
	memory_bytes, NULL, NULL, NULL, NULL, NULL
	FROM gpu WHERE run_id = :run AND (NOT :process OR process_id = :process))
SELECT is_gpu, process_id, device, time_ns, knows_busy, knows_memory,
	LAG(time_ns) OVER up AS before_ns, LEAD(time_ns) OVER up IS NULL AS is_last,
	IFNULL(last_known(busy) OVER up, 0) AS busy, grown(busy) OVER up AS busy_more,
	IFNULL(last_known(memory) OVER up, 0) AS memory, grown(memory) OVER up AS memory_more,
	IFNULL(last_known(threads) OVER up, 0) AS threads,
	grown(threads) OVER up AS threads_more,
	IFNULL(last_known(minor) OVER up, 0) AS minor, IFNULL(last_known(major) OVER up, 0)
	AS major, MAX(0, grown(minor) OVER up + grown(major) OVER up) AS faults_more,
	IFNULL(last_known(read_bytes) OVER up, 0) AS read_bytes,
	MAX(0, grown(read_bytes) OVER up) AS read_more,
	IFNULL(last_known(write_bytes) OVER up, 0) AS write_bytes,
	MAX(0, grown(write_bytes) OVER up) AS write_more
FROM taken WINDOW up AS (PARTITION BY is_gpu, process_id, device ORDER BY time_ns
	ROWS UNBOUNDED PRECEDING);

-- Sums over the processes at each moment. Processes are sampled at different moments; each counts
-- until its last sample.
-- :keep moments
WITH change AS (SELECT is_gpu, time_ns, TOTAL(busy_more) AS busy, TOTAL(memory_more) AS memory,
	TOTAL(threads_more) AS threads, TOTAL(is_last * busy) AS busy_gone,
	TOTAL(is_last * memory) AS memory_gone, TOTAL(is_last * threads) AS threads_gone
	FROM usage GROUP BY is_gpu, time_ns)
SELECT is_gpu, time_ns, LAG(time_ns, 1, CASE WHEN is_gpu THEN time_ns ELSE
	IFNULL((SELECT started_ns FROM processes WHERE process_id = :process), 0) END)
	OVER up AS before_ns,
	TOTAL(busy) OVER up - TOTAL(busy_gone) OVER earlier AS busy,
	TOTAL(memory) OVER up - TOTAL(memory_gone) OVER earlier AS memory,
	TOTAL(threads) OVER up - TOTAL(threads_gone) OVER earlier AS threads
FROM change WINDOW up AS (PARTITION BY is_gpu ORDER BY time_ns), earlier AS
	(PARTITION BY is_gpu ORDER BY time_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING);

-- :keep whole
WITH m AS (SELECT is_gpu, COUNT(*) AS moment_count, MAX(busy) AS busy_peak,
	CAST(MAX(memory) AS INTEGER) AS memory_peak, CAST(MAX(threads) AS INTEGER) AS thread_peak,
	MAX(time_ns) - MIN(before_ns) AS length_ns, MAX(time_ns) AS last_ns,
	TOTAL(busy * (time_ns - before_ns)) AS busy_time,
	TOTAL(1.0 * memory * (time_ns - before_ns)) AS memory_time
	FROM moments GROUP BY is_gpu),
s AS (SELECT is_gpu, COUNT(*) AS sample_count, MAX(knows_busy) AS knows_busy,
	CAST(TOTAL(minor) FILTER (WHERE is_last) AS INTEGER) AS minor, CAST(TOTAL(major) FILTER (WHERE is_last) AS INTEGER) AS major,
	CAST(TOTAL(read_bytes) FILTER (WHERE is_last) AS INTEGER) AS read_bytes,
	CAST(TOTAL(write_bytes) FILTER (WHERE is_last) AS INTEGER) AS write_bytes FROM usage GROUP BY is_gpu)
SELECT *, CASE WHEN knows_busy AND length_ns > 0 THEN busy_time / length_ns
	WHEN knows_busy THEN busy_peak END AS busy_average,
	CASE WHEN length_ns > 0 THEN CAST(memory_time / length_ns AS INTEGER)
	ELSE memory_peak END AS memory_average,
	CASE WHEN is_gpu THEN MAX(last_ns, (SELECT last_ns FROM m WHERE NOT is_gpu))
	ELSE last_ns END AS span_ns
FROM m JOIN s USING (is_gpu);

-- The run in 120 equal parts: enough for a wide terminal.
-- :keep bins
WITH RECURSIVE part AS (SELECT m.*, span_ns / 120.0 AS width,
	MAX(0, MIN(119, CAST(before_ns * 120.0 / span_ns AS INTEGER))) AS bin,
	MAX(0, MIN(119, CAST(time_ns * 120.0 / span_ns AS INTEGER))) AS last
	FROM moments m JOIN whole USING (is_gpu) WHERE span_ns > 0
UNION ALL SELECT is_gpu, time_ns, before_ns, busy, memory, threads, width, bin + 1, last
	FROM part WHERE bin < last),
weighed AS (SELECT *, MIN(time_ns, width * (bin + 1)) - MAX(before_ns, width * bin) AS weight
	FROM part)
SELECT is_gpu, bin, SUM(busy * MAX(weight, 1)) / SUM(MAX(weight, 1)) AS busy,
	MAX(memory) AS memory, MAX(threads) AS threads
FROM weighed WHERE weight > 0 OR time_ns <= before_ns GROUP BY is_gpu, bin;

-- An increase since the last sample is spread evenly over the time between. A new process is
-- taken to have started at the moment before.
-- :keep counts
WITH RECURSIVE part AS (SELECT s.faults_more, s.read_more, s.write_more, s.time_ns,
	IFNULL(s.before_ns, m.before_ns) AS before_ns, span_ns / 120.0 AS width,
	MAX(0, MIN(119, CAST(s.time_ns * 120.0 / span_ns AS INTEGER))) AS last,
	CASE WHEN s.time_ns > IFNULL(s.before_ns, m.before_ns)
	THEN MAX(0, MIN(119, CAST(IFNULL(s.before_ns, m.before_ns) * 120.0 / span_ns AS INTEGER)))
	ELSE MAX(0, MIN(119, CAST(s.time_ns * 120.0 / span_ns AS INTEGER))) END AS bin
	FROM usage s JOIN moments m USING (is_gpu, time_ns) JOIN whole USING (is_gpu)
	WHERE NOT is_gpu AND span_ns > 0
		AND (s.faults_more > 0 OR s.read_more > 0 OR s.write_more > 0)
UNION ALL SELECT faults_more, read_more, write_more, time_ns, before_ns, width, last, bin + 1
	FROM part WHERE bin < last),
shared AS (SELECT *, CASE WHEN time_ns > before_ns THEN MAX(0, MIN(time_ns, width * (bin + 1))
	- MAX(before_ns, width * bin)) / (time_ns - before_ns) ELSE 1 END AS share FROM part)
SELECT bin, TOTAL(faults_more * share) AS faults, TOTAL(read_more * share) AS read_bytes,
	TOTAL(write_more * share) AS write_bytes, MAX(width) / 1e9 AS seconds
FROM shared WHERE bin IN (SELECT bin FROM bins WHERE NOT is_gpu) GROUP BY bin;

-- :note no_resources brief empty stop
SELECT 'No resource samples: ' || CASE
	WHEN :is_live AND :is_attended THEN 'the run''s collector has not taken one yet, or found
	no room beside the output file; it stores its samples when the run ends.'
	WHEN :is_live THEN 'no collector watches the run.'
	WHEN :wall_ns > 0 AND :wall_ns < 100000000
		THEN 'the run took {wall_ns}, the collector samples every 100ms.'
	ELSE 'no collector watched the run.' END AS text, :wall_ns AS wall_ns
WHERE NOT EXISTS (SELECT 1 FROM usage WHERE NOT is_gpu);

-- :values resources brief = Resources
SELECT CASE WHEN :is_brief THEN NULL WHEN c.knows_busy THEN '{cpu_average_percent} on average, peak {cpu_peak_percent}
	(100% is one CPU)' ELSE 'not known' END AS "CPU:~cpu",
	'peak {rss_peak_bytes}, {rss_average_bytes} on average' || IIF(:is_brief,
	'; {major_faults major fault}', '') AS "RSS:~rss",
	IIF(:is_brief, NULL, '{minor_faults} minor, {major_faults} major') AS "faults:~faults/text",
	'{read_bytes} read, {write_bytes} written' AS "I/O:~io",
	IIF(:is_brief, NULL, 'at most {thread_peak_count}') AS "threads:~threads",
	c.sample_count AS ".sample_count", c.busy_average AS ".cpu_average_percent",
	CASE WHEN c.knows_busy THEN c.busy_peak END AS ".cpu_peak_percent",
	c.memory_average AS ".rss_average_bytes", c.memory_peak AS ".rss_peak_bytes",
	c.minor AS ".minor_faults", c.major AS ".major_faults", c.read_bytes AS ".read_bytes",
	c.write_bytes AS ".write_bytes", c.thread_peak AS ".thread_peak_count",
	CASE WHEN g.knows_busy THEN '{gpu_utilisation_average_percent} on average, peak
	{gpu_utilisation_peak_percent} (100% is one GPU)'
	WHEN g.sample_count THEN 'not known' END AS "GPU:~gpu",
	CASE WHEN g.sample_count THEN '{gpu_memory_average_bytes} on average, peak
	{gpu_memory_peak_bytes}' END AS "GPU mem:~gpu_memory",
	g.sample_count AS ".?gpu_sample_count",
	g.busy_average AS ".?gpu_utilisation_average_percent",
	CASE WHEN g.knows_busy THEN g.busy_peak END AS ".?gpu_utilisation_peak_percent",
	g.memory_average AS ".?gpu_memory_average_bytes", g.memory_peak AS ".?gpu_memory_peak_bytes"
FROM whole c LEFT JOIN whole g ON g.is_gpu WHERE NOT c.is_gpu;

-- Rates are rounded up, so that 0.2 faults a second are not shown as none. A curve of zeros is
-- left out.
-- :plots resource_plots points=120
WITH drawn AS (SELECT 1 + 6 * is_gpu AS plot, CASE WHEN is_gpu THEN 'GPU' ELSE 'CPU' END AS title,
	'percent' AS unit, bin, b.busy AS value, busy_peak AS peak
	FROM bins b JOIN whole USING (is_gpu) WHERE knows_busy AND sample_count > 1
UNION ALL SELECT 2 + 6 * is_gpu, CASE WHEN is_gpu THEN 'GPU mem' ELSE 'RSS' END, 'bytes', bin,
	memory, memory_peak FROM bins JOIN whole USING (is_gpu) WHERE sample_count > 1
UNION ALL SELECT 3, 'faults/s', 'count', bin, faults / seconds, NULL
	FROM bins LEFT JOIN counts USING (bin) WHERE NOT is_gpu
UNION ALL SELECT 4, 'read/s', 'bytes', bin, read_bytes / seconds, NULL
	FROM bins LEFT JOIN counts USING (bin) WHERE NOT is_gpu
UNION ALL SELECT 5, 'write/s', 'bytes', bin, write_bytes / seconds, NULL
	FROM bins LEFT JOIN counts USING (bin) WHERE NOT is_gpu
UNION ALL SELECT 6, 'threads', 'count', bin, threads, thread_peak
	FROM bins JOIN whole USING (is_gpu) WHERE NOT is_gpu AND thread_peak > 1)
SELECT plot AS "plot/id", title, unit, bin AS "point/id",
	-- a sample without this counter counts as zero
	IFNULL(value, 0) AS "value/any",
	IFNULL(NULLIF(peak, 0), ceil(MAX(value) OVER (PARTITION BY plot))) AS "peak/any",
	(SELECT span_ns FROM whole WHERE is_gpu = (plot > 6)) AS span_ns
FROM drawn JOIN (SELECT plot AS shown FROM drawn GROUP BY plot
	HAVING MAX(value) > 0 OR MAX(peak) IS NOT NULL) ON shown = plot
WHERE (SELECT sample_count FROM whole WHERE NOT is_gpu) > 1 ORDER BY plot, bin;

-- At most one row for each moment.
-- :table over_time human optional whole = Over time
WITH RECURSIVE rows AS (SELECT MIN(120, limit_of(10), moment_count) AS count, span_ns, knows_busy
	FROM whole WHERE NOT is_gpu AND moment_count > 1),
slice AS (SELECT 0 AS place, 0 AS first, 120 / count AS until FROM rows
	UNION ALL SELECT place + 1, until, (place + 2) * 120 / count FROM slice JOIN rows
	WHERE place + 1 < count)
SELECT span_ns * until / 120 AS "until!:time_ns",
	CASE WHEN knows_busy THEN AVG(busy) END AS "CPU!:cpu_percent",
	CAST(MAX(memory) AS INTEGER) AS "RSS!:rss_bytes",
	CAST(ROUND(TOTAL(faults)) AS INTEGER) AS "faults!:faults",
	CAST(ROUND(TOTAL(read_bytes)) AS INTEGER) AS "read!:read_bytes",
	CAST(ROUND(TOTAL(write_bytes)) AS INTEGER) AS "written!:write_bytes",
	CAST(MAX(threads) AS INTEGER) AS "threads!:thread_count"
FROM slice JOIN rows JOIN bins b ON NOT is_gpu AND bin >= first AND bin < until
	LEFT JOIN counts USING (bin)
GROUP BY place ORDER BY place;

-- On the page with the whole run only if it had several processes.
-- :table processes brief optional sort rows=20 noun=process = Processes
WITH spans AS (SELECT s.*, time_ns - IFNULL(before_ns, started_ns) AS length_ns, started_ns
	FROM usage s JOIN processes USING (process_id) WHERE NOT is_gpu),
sums AS (SELECT process_id, COUNT(*) AS sample_count, MAX(knows_busy) AS knows_busy,
	MAX(time_ns) - MIN(started_ns) AS length_ns, TOTAL(busy * MAX(length_ns, 0)) AS busy_time,
	TOTAL(1.0 * memory * MAX(length_ns, 0)) AS memory_time, MAX(busy) AS busy_peak,
	MAX(memory) AS memory_peak, MAX(threads) AS thread_peak,
	CAST(TOTAL(minor) FILTER (WHERE is_last) AS INTEGER) AS minor, CAST(TOTAL(major) FILTER (WHERE is_last) AS INTEGER) AS major,
	CAST(TOTAL(read_bytes) FILTER (WHERE is_last) AS INTEGER) AS read_bytes,
	CAST(TOTAL(write_bytes) FILTER (WHERE is_last) AS INTEGER) AS write_bytes FROM spans GROUP BY process_id)
SELECT pid AS "PID!:pid", CASE WHEN knows_busy THEN CAST(busy_time / 100 AS INTEGER) END
	AS "CPU time!:cpu_ns",
	CASE WHEN NOT knows_busy THEN NULL WHEN length_ns > 0 THEN busy_time / length_ns
	ELSE busy_peak END AS "CPU avg!:cpu_average_percent",
	CASE WHEN knows_busy THEN busy_peak END AS "peak:cpu_peak_percent",
	CASE WHEN length_ns > 0 THEN CAST(memory_time / length_ns AS INTEGER) ELSE memory_peak END
	AS "RSS avg!:rss_average_bytes",
	memory_peak AS "peak!:rss_peak_bytes", minor AS "faults:minor_faults",
	major AS ".major_faults", read_bytes AS "read:read_bytes",
	write_bytes AS "written:write_bytes", thread_peak AS ".thread_peak_count",
	IFNULL(sample_count, 0) AS ".sample_count", started_ns AS ".started_ns",
	wall_ns AS ".wall_ns", executable AS "program!:executable/file",
	process_id AS ".process_id",
	(SELECT COUNT(*) FROM processes WHERE run_id = :run
		AND (NOT :process OR process_id = :process)) AS "-of_rows/any",
	'the others ended before the first sample' AS "-others/text"
FROM processes LEFT JOIN sums USING (process_id)
WHERE run_id = :run AND (:machine OR sample_count) AND (NOT :process OR process_id = :process) AND (NOT :is_brief OR :machine
	OR (SELECT COUNT(*) FROM processes WHERE run_id = :run) > 1)
ORDER BY 2 DESC NULLS LAST, pid DESC;

-- :table gpus brief optional rows=20 = GPUs
WITH sums AS (SELECT process_id, device, COUNT(*) AS sample_count, MAX(knows_busy) AS knows_busy,
	MAX(knows_memory) AS knows_memory, MAX(time_ns) - MIN(time_ns) AS length_ns,
	TOTAL(busy * (time_ns - IFNULL(before_ns, time_ns))) AS busy_time,
	TOTAL(1.0 * memory * (time_ns - IFNULL(before_ns, time_ns))) AS memory_time,
	MAX(busy) AS busy_peak, MAX(memory) AS memory_peak
	FROM usage WHERE is_gpu GROUP BY process_id, device)
SELECT pid AS "PID!:pid", device AS "GPU!:device/id",
	CASE WHEN NOT knows_busy THEN NULL WHEN length_ns > 0 THEN busy_time / length_ns
	ELSE busy_peak END AS "GPU avg!:utilisation_average_percent",
	CASE WHEN knows_busy THEN busy_peak END AS "peak!:utilisation_peak_percent",
	CASE WHEN NOT knows_memory THEN NULL WHEN length_ns > 0
	THEN CAST(memory_time / length_ns AS INTEGER) ELSE memory_peak END
	AS "memory avg!:memory_average_bytes",
	CASE WHEN knows_memory THEN memory_peak END AS "peak!:memory_peak_bytes",
	sample_count AS ".sample_count", executable AS "program!:executable/file",
	process_id AS ".process_id"
FROM sums LEFT JOIN processes USING (process_id)
WHERE NOT :is_brief OR :machine OR (SELECT COUNT(*) FROM processes WHERE run_id = :run) > 1
ORDER BY 6 DESC NULLS LAST, pid DESC;

-- :table samples main machine whole
SELECT r.process_id, p.pid, r.time_ns, r.cpu_percent, nullif(r.rss_bytes, 0) AS rss_bytes,
	r.minor_faults, r.major_faults, r.read_bytes, r.write_bytes, r.thread_count
FROM resources r LEFT JOIN processes p USING (process_id)
WHERE r.run_id = :run AND (NOT :process OR r.process_id = :process)
ORDER BY r.time_ns, r.process_id;

-- :table gpu_samples machine optional whole
SELECT g.process_id, p.pid, g.time_ns, g.device AS "device/id", g.memory_bytes,
	g.utilisation_percent
FROM gpu g LEFT JOIN processes p USING (process_id)
WHERE g.run_id = :run AND (NOT :process OR g.process_id = :process)
ORDER BY g.time_ns, g.process_id, g.device;
