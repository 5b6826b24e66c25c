-- SPDX-License-Identifier: MIT
-- Tables for the queries of rules. Each is made when the first rule that reads it is asked.
-- `:view`: only a few of its rows are asked for. `:computed`, with its columns: the function
-- rule_keep_NAME() makes it. Only numbers of the run are bound, no limits.

-- What each function computed itself, as time of the run: the longest thread's part in each
-- process, added up. Four threads that do the same for a second hold one second of the run.
-- Empty for a run with one lane.
-- :computed held function_id ns

-- Calls made in a function's code, to inlined functions and to libraries on its behalf;
-- function 0 has all calls.
-- :computed made function_id calls

-- Call paths of library functions with what they computed as built, the path of the nearest
-- user function above, and the library's first function below that.
-- :computed lent path_id owner_id top_id cpu_ns

-- The owners of the rule's allocation sites, see owners.h: the 20 largest. Made anew for each
-- rule with :sites, with the sums of its columns.
-- :each owner owner_id function_id critical critical_bytes pairs allocs bytes peak_bytes
-- copied_bytes reallocs old_bytes new_bytes grown_bytes last_bytes uncertain live_bytes
-- live_count frees peak_count lost blocks exact crossed large uneven left_allocs left_frees

-- The sums over all owners.
-- :each every_owner critical allocs bytes frees

-- Calls of libc that moved data to or from another process, as far as that is known: if the
-- run has several, calls that spent most of their time on pipes.
-- :keep piped
SELECT path_id FROM io WHERE run_id = :run
	AND (SELECT COUNT(*) FROM process WHERE run_id = :run) > 1
GROUP BY path_id
HAVING SUM(total_ns * (kind = 'pipe' OR kind = 'socket' AND file LIKE 'unix%'))
	>= SUM(total_ns) / 2.0;

-- Adds the part of a site's allocations that the busiest thread of each process made. A run
-- with one lane has no rows here; a run usually has one process.
-- :view site_busiest
SELECT s.*, COALESCE(CASE (SELECT COUNT(*) FROM process p WHERE p.run_id = s.run_id)
	WHEN 1 THEN (SELECT MAX(l.alloc_count) * 1.0 / SUM(l.alloc_count)
		FROM path_lane l WHERE l.path_id = s.path_id)
	ELSE (SELECT SUM(most) * 1.0 / SUM(every) FROM (
		SELECT MAX(l.alloc_count) AS most, SUM(l.alloc_count) AS every
		FROM path_lane l JOIN lane USING (lane_id)
		WHERE l.path_id = s.path_id GROUP BY process_id)) END, 1) AS busiest
FROM site s;

-- In whose code most of a function's samples are, and at which line. A function that is only
-- counted has the samples in its code, which stand on its caller's path. inside: the user's
-- function that is inlined in it, or that calls it if it is a library's. by: the function
-- without hooks that is called there. The code must have half of the samples; a line a quarter, and
-- more than any other line by two standard errors, so that it is not chance.
-- :keep hottest
WITH hooked AS MATERIALIZED (SELECT function_id, full_name AS code_name, module FROM functions
	WHERE run_id = :run AND recording IN ('sampled', 'counted') AND calls > 0),
found AS (SELECT f.function_id, f.file AS own_file, CASE
		WHEN u.function_id <> f.function_id THEN u.name
		WHEN is_copy AND NOT is_theirs THEN bare_name(s.name) END AS inside,
		CASE WHEN t.function_id IS NOT NULL THEN bare_name(t.name)
		WHEN s.module IS NOT m.path OR x.function_id IS NULL AND s.outer_name NOT GLOB '*.*'
			AND bare_name(s.outer_name) <> bare_name(f.name)
			THEN NULLIF(bare_name(s.outer_name), '')
		WHEN is_copy AND is_theirs THEN bare_name(s.name) END AS by,
		CASE WHEN t.function_id IS NOT NULL THEN IIF(c.call_file LIKE '/usr/%', NULL, c.call_file)
		WHEN s.module IS m.path AND NOT is_theirs THEN s.file END AS file,
		IIF(t.function_id IS NOT NULL, c.call_line, s.line) AS line, s.count
	FROM (SELECT *, name <> outer_name AS is_copy, IFNULL(file, '') LIKE '/usr/%' AS is_theirs
		FROM sample WHERE run_id = :run AND kind = 0 AND NOT is_plain) s
	JOIN path p ON p.path_id = s.path_id LEFT JOIN path h ON h.path_id = p.host_path_id
	LEFT JOIN hooked x ON x.code_name = s.outer_name AND x.module = s.module
	JOIN function f ON f.function_id = COALESCE(x.function_id, h.function_id, p.function_id)
	LEFT JOIN lent l ON l.path_id = p.path_id
	LEFT JOIN path o ON o.path_id = l.owner_id
	JOIN function u ON u.function_id = COALESCE(x.function_id, o.function_id, p.function_id)
	LEFT JOIN module m ON m.module_id = u.module_id
	LEFT JOIN call_paths c ON c.run_id = :run AND c.path_id = l.top_id
	LEFT JOIN function t ON t.function_id = c.function_id),
parts AS (SELECT function_id, 0 AS what, inside AS name, '' AS inside, SUM(count) AS count
	FROM found GROUP BY 1, 3
	UNION ALL SELECT function_id, 1, by, '', SUM(count) FROM found GROUP BY 1, 3
	UNION ALL SELECT function_id, 2, IIF(file = own_file, 'line ', REPLACE(file, RTRIM(file,
		REPLACE(file, '/', '')), '') || ':') || line, inside, SUM(count)
	FROM found GROUP BY 1, 3, 4),
places AS (SELECT *, SUM(count) OVER (PARTITION BY function_id, what) AS of_count,
		LEAD(count, 1, 0) OVER w AS next_count, ROW_NUMBER() OVER w AS place
	FROM parts WINDOW w AS (PARTITION BY function_id, what ORDER BY name IS NULL, count DESC)),
sure AS (SELECT *, 2 * count > of_count AND (2 * count - of_count) * (2 * count - of_count)
		> 4 * of_count AS is_half
	FROM places WHERE place = 1 AND name IS NOT NULL
		AND (count - next_count) * (count - next_count) > 4 * (count + next_count)),
told AS (SELECT function_id, MAX(CASE WHEN what = 0 AND is_half THEN name END) AS inside,
		MAX(CASE WHEN what = 1 AND is_half THEN name END) AS by,
		MAX(CASE WHEN what = 2 THEN IIF(is_half, '', 'most at ') || name END) AS line,
		MAX(CASE WHEN what = 2 THEN inside END) AS line_inside,
		MAX(CASE WHEN what = 2 THEN 4 * count >= of_count END) AS is_line
	FROM sure GROUP BY 1)
SELECT function_id, IIF(inside IS NULL AND by IS NULL,
	IIF(line LIKE 'most at %', ', ', ', mostly at ') || line,
	', mostly in ' || IFNULL(by || IIF(inside IS NULL, '', ', called by '), '')
	|| IFNULL(inside, '') || IIF(is_line AND (inside IS NULL OR inside = line_inside),
		' (' || line || ')', '')) AS mostly
FROM told WHERE is_line OR inside IS NOT NULL OR by IS NOT NULL;

-- Functions with much self time. held_ns: what counts for the run. one_ns: what the longest
-- call computed itself, at least; max_ns includes callees and hooks. sure: the part that
-- remains after the error. hooks_ns: an estimate has the raw time of the calls with a frame,
-- which is less than what it took. mostly: see hottest. spins: libraries that wait by asking
-- again and again, which every clock counts as computing; found by samples within a call,
-- since their code has no hooks.
-- :keep computing
WITH costs AS (SELECT f.function_id, f.module, f.calls, f.p50_ns, f.alloc_count, f.self_error_ns,
		f.recording = 'sampled' AS is_sampled,
		f.self_ns - f.self_ready_ns AS self_ns,
		MAX(0, f.raw_self_ns - f.self_ns) AS hooks_ns,
		CAST(f.self_ns - f.self_ready_ns - f.self_blocked_ns AS REAL) AS cpu_ns,
		f.total_ns - f.ready_ns - f.blocked_ns AS total_ns, COALESCE(h.ns,
			f.self_ns - f.self_ready_ns - f.self_blocked_ns) AS held_ns,
		MAX(0, IFNULL(f.max_ns, 0) - (f.raw_total_ns - f.raw_self_ns) - f.self_ready_ns
			- f.self_blocked_ns) AS longest_ns
	FROM functions f LEFT JOIN held h USING (function_id)
	WHERE f.run_id = :run AND f.self_ns > f.self_ready_ns + f.self_blocked_ns
		AND f.name <> '[caller not seen]' AND f.function_id NOT IN (SELECT function_id FROM path
			WHERE run_id = :run AND kind >= 3)),
spins(library, whom) AS (VALUES ('/libmpi', 'ranks'), ('/libopen-pal.', 'ranks'),
	('/mca_', 'ranks'), ('/libucp.', 'ranks'), ('/libuct', 'ranks'), ('/libucs.', 'ranks'),
	('/libpsm', 'ranks'), ('/libfabric.', 'ranks'), ('/libgomp.', 'threads'),
	('/libomp.', 'threads'), ('/libiomp', 'threads')),
modules AS (SELECT module, (SELECT whom FROM spins WHERE INSTR(module, library)) AS whom
	FROM (SELECT DISTINCT module FROM sample WHERE run_id = :run)),
spun AS (SELECT p.function_id, MAX(m.whom) AS whom,
		TOTAL(CASE WHEN m.whom IS NOT NULL THEN s.cpu_ns END) / SUM(s.cpu_ns) AS part
	FROM sample s JOIN path p ON p.run_id = s.run_id AND p.path_id = s.path_id
	LEFT JOIN modules m ON m.module = s.module
	WHERE s.run_id = :run AND s.kind = 0 AND NOT s.is_plain GROUP BY p.function_id)
SELECT costs.*, IIF(m.whom IS NULL, part, 1) AS spun, COALESCE(m.whom, spun.whom) AS whom,
	IFNULL(mostly, '') AS mostly,
	MIN(longest_ns, cpu_ns, held_ns) AS one_ns,
	MAX(0, cpu_ns - MAX(0, self_error_ns)) / cpu_ns AS sure,
	CASE WHEN NOT :has_split AND self_ns >= 20e3 * calls
		THEN 'CPU time and waits were not told apart in every process: '
			|| 'see ''prof-analyze doctor''' END AS unmeasured
FROM costs LEFT JOIN spun USING (function_id) LEFT JOIN modules m ON m.module = costs.module
	LEFT JOIN hottest USING (function_id);

-- Who slept in which call of libc, or in code of its own; a library sleeps for its caller.
-- first: the thread with which a process begins and ends, for which the run waits. A run with
-- one lane has no path_lane. purpose: waiting for the program's own threads or processes, or
-- for work, is no defect by itself.
-- it, is no defect by itself.
-- :keep waiting
WITH first AS (SELECT DISTINCT t.lane_id FROM thread t JOIN process p USING (process_id)
		WHERE t.run_id = :run AND t.tid = p.pid),
spent AS (SELECT s.path_id, s.calls, s.self_blocked_ns AS blocked_ns,
		s.lane_id IN first AS is_first
	FROM path p JOIN path_lane s USING (path_id)
	WHERE p.run_id = :run AND s.self_blocked_ns > 0
	UNION ALL
	SELECT p.path_id, p.calls, p.self_blocked_ns, 1 FROM path p
	WHERE p.run_id = :run AND p.self_blocked_ns > 0
		AND NOT EXISTS (SELECT 1 FROM path_lane s WHERE s.path_id = p.path_id)),
waits AS (SELECT COALESCE(c.path_id, p.path_id) AS path_id,
		COALESCE(c.function_id, p.function_id) AS function_id,
		CASE WHEN p.kind >= 3 THEN f.name END AS callee,
		IIF(p.kind >= 3, p.parent_path_id, p.path_id) AS by_path_id,
		SUM(s.calls) AS calls, SUM(s.blocked_ns) AS blocked_ns,
		SUM(s.calls * s.is_first) AS first_calls,
		SUM(s.blocked_ns * s.is_first) AS first_ns,
		MIN(MAX(CASE WHEN p.kind >= 3 THEN p.max_ns
			WHEN s.calls <= 1 THEN s.blocked_ns END), SUM(s.blocked_ns))
			AS longest_ns, p.path_id IN piped AS is_piped, MAX(s.blocked_ns)
	FROM spent s JOIN path p USING (path_id) JOIN function f USING (function_id)
	LEFT JOIN lent l ON l.path_id = IIF(p.kind >= 3, p.parent_path_id, p.path_id)
	LEFT JOIN path c ON c.path_id = COALESCE(l.owner_id, IIF(p.kind >= 3, p.parent_path_id, NULL))
	GROUP BY 2, 3, is_piped)
SELECT path_id, function_id, by_path_id, callee, calls, blocked_ns, first_calls, first_ns, longest_ns,
	CASE WHEN is_piped THEN 'child' ELSE COALESCE(libc_purpose(callee), 'unknown') END
	AS purpose FROM waits;

-- Who waited for locks, and what the holders did meanwhile. At best the longest waiter's time
-- is won, as far as it was blocked in the call itself; having no CPU afterwards (ready_ns) is
-- not the lock's fault. Where the holder was is known for the start of the wait: in a call of
-- libc that sleeps or moves data (asleep), or in code that partly computed, slept or had no
-- CPU, with the functions below it that have no frames: those wait in its name. A condition
-- gives its lock up, and a thread in a call for a lock has just got it or waits for another one:
-- what its caller does counts. The longest wait is compared with clock time, as waits are: the run
-- without waits for a CPU may be shorter. The CPUs must have room for the gain; a wait that
-- computes (spun) is no work. most: where most of the waiting was, and for whom.
-- :keep contended
WITH locking AS (SELECT p.parent_path_id AS path_id, 1.0 * SUM(p.self_ready_ns)
		/ MAX(1, SUM(p.self_ns)) AS ready
	FROM path p JOIN function f USING (function_id)
	WHERE p.run_id = :run AND p.kind = 3 AND libc_purpose(f.name) = 'lock' GROUP BY 1),
holding AS (SELECT w.holder_path_id, h.path_id, CASE WHEN p.kind >= 3 THEN f.name END AS callee,
		p.kind >= 3 AND h.path_id = p.path_id AS is_call
	FROM (SELECT DISTINCT holder_path_id FROM lock_wait WHERE run_id = :run) w
	JOIN path p ON p.path_id = w.holder_path_id JOIN function f USING (function_id)
	JOIN path h ON h.path_id = IIF(p.kind >= 3 AND libc_purpose(f.name) IN ('lock', 'condition'),
		IFNULL(p.parent_path_id, p.path_id), p.path_id)),
holders AS (SELECT h.*, 1.0 * (p.self_ready_ns + TOTAL(c.ready_ns))
		/ NULLIF(p.self_ns + TOTAL(c.total_ns), 0) AS ready,
		1.0 * p.self_blocked_ns / NULLIF(p.self_ns + TOTAL(c.total_ns), 0) AS asleep
	FROM holding h JOIN path p USING (path_id) LEFT JOIN path c ON c.run_id = p.run_id
		AND c.parent_path_id = p.path_id AND c.recording > 0
	GROUP BY h.holder_path_id),
waits AS (SELECT w.lock_id, w.waiter_lane_id, w.waiter_path_id, w.taken_path_id, w.holder_path_id,
		w.wait_count, w.wait_ns * (1 - IFNULL(g.ready, 0)) AS wait_ns,
		w.wait_ns * g.ready AS ready_ns, h.path_id AS is_known, h.callee,
		IFNULL(h.ready, 0) AS ready, IIF(h.is_call, 1, IFNULL(h.asleep, 0)) AS asleep
	FROM lock_wait w LEFT JOIN locking g ON g.path_id = w.waiter_path_id
	LEFT JOIN holders h USING (holder_path_id)
	JOIN lock l ON l.run_id = w.run_id AND l.lock_id = w.lock_id
	WHERE w.run_id = :run AND w.wait_ns > 0 AND l.kind IN ('mutex', 'rwlock', 'spin')),
threads AS (SELECT lock_id, waiter_lane_id, SUM(wait_ns) AS ns FROM waits GROUP BY 1, 2),
longest AS (SELECT lock_id, MAX(ns) AS ns, COUNT(*) AS threads FROM threads GROUP BY 1),
spun AS (SELECT TOTAL(p.self_ns - p.self_ready_ns - p.self_blocked_ns) AS ns
	FROM path p JOIN function f USING (function_id)
	WHERE p.run_id = :run AND p.kind = 3 AND libc_purpose(f.name) = 'lock'),
free AS (SELECT MAX(0, :run_ns - (:cpu_ns - spun.ns) / MAX(1, :cpus)) AS ns FROM spun),
sums AS (SELECT lock_id, SUM(wait_ns) AS ns, NULLIF(SUM(ready_ns), 0) AS ready_ns, SUM(wait_count) AS count,
		TOTAL(CASE WHEN is_known THEN wait_ns END) / SUM(wait_ns) AS known,
		COALESCE(SUM(wait_ns * ready) / SUM(CASE WHEN is_known THEN wait_ns END), 0)
		AS ready,
		COALESCE(SUM(wait_ns * asleep) / SUM(CASE WHEN is_known THEN wait_ns END), 0)
		AS asleep
	FROM waits GROUP BY 1),
most AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY lock_id
	ORDER BY is_known IS NULL, SUM(wait_ns) DESC) AS place FROM waits
	GROUP BY lock_id, waiter_path_id, taken_path_id, holder_path_id)
SELECT l.lock_id, CASE l.named_by WHEN 'path' THEN IFNULL('the lock of ' || (SELECT f.name
		FROM path p LEFT JOIN lent t USING (path_id)
		JOIN path o ON o.path_id = IFNULL(t.owner_id, p.path_id)
		JOIN function f ON f.function_id = o.function_id
		WHERE p.path_id = l.first_path_id), l.name)
		WHEN 'block' THEN 'the lock in the ' || REPLACE(REPLACE(l.name, '[', ''), ']', '')
		ELSE l.name END AS lock, COALESCE(m.taken_path_id, m.waiter_path_id) AS path_id,
	m.waiter_path_id, m.holder_path_id,
	s.count AS waits, s.ns AS wait_ns, s.ready_ns AS cpu_wait_ns, x.ns / MAX(1, :wall_ns) AS held, x.threads, s.asleep,
	CASE WHEN s.known > 0 THEN MAX(0, 1 - s.asleep - s.ready) END AS computed,
	(1 - s.ready) * l.hold_ns / NULLIF(l.hold_count, 0) AS hold_ns,
	CASE WHEN l.hold_ns > 0 THEN CAST(s.ns AS REAL) / s.count * l.hold_count / l.hold_ns
		END AS queue,
	MIN(1, (1 - s.ready) * l.hold_ns / NULLIF(l.hold_count, 0) * l.lock_count
		/ NULLIF(MIN(:run_ns, :cpu_ns), 0)) AS busy,
	MIN((1 - s.ready) * x.ns, f.ns) AS saving_ns,
	MIN((1 - s.ready) * x.ns, f.ns) / :run_ns AS won,
	CASE WHEN s.known >= 0.5 THEN 2 ELSE 1 END AS confidence,
	CASE WHEN m.taken_path_id IS NULL THEN 'waits {wait_ns} for {lock}, with {threads thread}'
		WHEN s.asleep >= 0.5 AND libc_purpose(m.callee) = 'sleep' THEN 'sleeps in ' || m.callee
		|| '() while it holds {lock}; {threads thread} {threads|waits|wait} {wait_ns}'
		WHEN s.asleep >= 0.5 AND m.callee IS NOT NULL THEN 'is in ' || m.callee
		|| '() while it holds {lock}; {threads thread} {threads|waits|wait} {wait_ns}'
		ELSE 'holds {lock} while {threads thread} {threads|waits|wait} {wait_ns}' END AS says,
	CASE WHEN s.asleep >= 0.5 AND m.taken_path_id IS NOT NULL THEN m.callee END AS callee,
	IFNULL(m.callee || '()', 'it sleeps') AS before,
	'threads wait for {lock} in {>waiter_path_id}' || CASE
		WHEN m.holder_path_id IS NULL THEN '; who held it is not known'
		ELSE ' while its holder ' || CASE
			WHEN s.asleep >= 0.5 AND m.callee IS NOT NULL
			THEN 'was in ' || m.callee || '()'
			WHEN s.asleep >= 0.5 THEN 'slept'
			WHEN s.ready >= 0.5 THEN 'had no CPU'
			ELSE 'computed' END || CASE WHEN libc_purpose(m.callee) = 'lock'
				OR m.holder_path_id = m.taken_path_id THEN ' in {>path_id}'
			ELSE ' in {>holder_path_id}, having taken it in {>path_id}' END END AS why
FROM sums s JOIN lock l ON l.run_id = :run AND l.lock_id = s.lock_id
JOIN longest x ON x.lock_id = s.lock_id JOIN most m ON m.lock_id = s.lock_id AND m.place = 1
JOIN free f
ORDER BY x.ns DESC, l.lock_id;

-- What calls of libc moved, by their caller or the library that called: in the longest thread,
-- without waits for a CPU. The calls of one function by another are exact. By path they are
-- not if the recorder only counted a function's calls in total, so rules add up a caller's.
-- :keep moving
WITH parts AS (SELECT p.path_id, p.parent_path_id, IFNULL(o.owner_id, p.parent_path_id) AS owner_id,
		COALESCE(CAST(MAX(s.total_ns - s.ready_ns) AS REAL)
		/ NULLIF(SUM(s.total_ns), 0), 1.0 - CAST(p.ready_ns AS REAL) / p.total_ns) AS part
	FROM path p LEFT JOIN path_lane s USING (path_id)
	LEFT JOIN lent o ON o.path_id = p.parent_path_id
	WHERE p.run_id = :run AND p.kind = 4 AND p.total_ns > 0 AND p.parent_path_id IS NOT NULL
	GROUP BY 1)
SELECT s.owner_id AS path_id, s.parent_path_id AS by_path_id, IIF(c.kind = 0, -c.function_id, c.path_id) AS caller,
	i.name AS callee, i.operation, i.kind, i.file,
	libc_purpose(i.name) AS purpose, SUM(i.calls) AS calls, SUM(i.bytes) AS bytes,
	SUM(i.sequential_calls) AS sequential_calls, SUM(i.total_ns * s.part) AS ns
FROM io i JOIN parts s USING (path_id) JOIN path c ON c.path_id = s.owner_id
WHERE i.run_id = :run GROUP BY 1, 2, i.name, i.operation, i.kind, i.file;

-- How much CPU the threads wished for (computing and waiting for a CPU) and had. Threads take
-- CPUs from each other only as far as they have them: if they had few, other programs had the
-- rest.
-- :keep wished
SELECT (:cpu_ns + :ready_ns) / MAX(1, :wall_ns * :cpus) AS machine,
	COALESCE(:ready_ns / NULLIF(:cpu_ns + :ready_ns, 0), 0) AS ready,
	:cpu_ns / MAX(1, :wall_ns * :cpus) AS had, :cpu_ns AS cpu_ns, :ready_ns AS ready_ns,
	:cpus AS cpus, :busy AS busy, 2 AS confidence,
	CASE WHEN :threads_ns < :lived_ns / 2 THEN 0 ELSE :threads_ns END AS judged_ns;

-- Functions whose calls take unequally long, and how much of that is theirs. Counted calls
-- have no durations. Durations only describe the function's code if they do not depend on the
-- hooks subtracted for callees, or on the allocator and the kernel: a block from a free list
-- takes 20 ns, one on a fresh page 2 us (tidy's wrapper of malloc() was once reported for
-- that). run_ns: what it and its callees compute; of parallel threads only the longest counts.
-- sure_ns: what remains after the error. Bucket middles are up to 6.25 % off; a sum that
-- differs more comes from recursion, whose nested calls count again.
-- :keep spread
WITH calls AS MATERIALIZED (SELECT f.function_id, f.calls, f.total_ns,
		f.total_ns - f.ready_ns AS served_ns, f.raw_total_ns, f.alloc_count,
		f.raw_self_ns - f.self_ns AS hooks_ns,
		MAX(0, f.self_ns - MAX(0, f.self_error_ns)) AS sure_self_ns,
		f.histogram, 1e9 / r.ticks_per_second AS tick_ns,
		f.self_ns - f.self_ready_ns AS own_ns,
		histogram_sum(f.histogram) * 1e9 / r.ticks_per_second AS called_ns,
		f.ready_ns + f.blocked_ns AS waited_ns,
		COALESCE(MIN(1, CAST(h.ns AS REAL) / NULLIF(MAX(0,
			f.self_ns - f.self_ready_ns - f.self_blocked_ns), 0)), 1) AS run_part,
		CAST(MAX(0, f.total_ns - f.ready_ns - MAX(0, f.total_error_ns)) AS REAL)
			/ MAX(1, f.total_ns - f.ready_ns) AS sure
	FROM function f JOIN run r USING (run_id) LEFT JOIN held h USING (function_id)
	WHERE f.run_id = :run AND NOT f.is_library AND f.recording = 'exact' AND f.histogram IS NOT NULL
		AND r.ticks_per_second > 0 AND f.function_id NOT IN (SELECT function_id FROM path
			WHERE run_id = :run AND kind >= 3))
SELECT *, MIN(:run_ns, run_part * served_ns) AS run_ns,
	MIN(:run_ns, run_part * served_ns) * sure AS sure_ns,
	MAX(0, MIN(1, 1.0 * own_ns / MAX(1, served_ns))) AS self_share,
	called_ns - waited_ns AS computed_ns
FROM calls WHERE called_ns > 0 AND called_ns <= 1.15 * raw_total_ns;

-- Steps of a name over the run, for all processes and for each. Waits for a CPU are not the
-- program's: total_ns, mean_ns and duration_ns leave them out; percentiles and max_ns do not.
-- :keep course
SELECT series_id, number, timed_count, live_bytes, last_ns / 1e9 AS seconds,
	CAST(total_ns - COALESCE(ready_ns, 0) AS REAL) / timed_count AS mean_ns,
	ROW_NUMBER() OVER (PARTITION BY series_id ORDER BY number) - 1 AS place,
	COUNT(*) OVER (PARTITION BY series_id) AS spans
FROM step_spans WHERE run_id = :run AND timed_count > 0;

-- What steps take in the first and the last quarter, and how likely steps without a trend
-- would rise like that: one slow step is no drift.
-- :keep quarters
SELECT t.series_id, t.name, t.timed_count AS steps, t.total_ns - COALESCE(t.ready_ns, 0) AS total_ns,
	COALESCE(t.ready_ns, 0) AS ready_ns, t.total_ns AS all_ns, p50_ns, p90_ns, p95_ns, p99_ns,
	max_ns, median(CASE WHEN place < spans / 4 THEN c.mean_ns END) AS first_ns,
	median(CASE WHEN place >= spans - spans / 4 THEN c.mean_ns END) AS last_ns,
	rising_p(place, c.mean_ns) AS p
FROM step_totals t LEFT JOIN course c USING (series_id)
WHERE t.run_id = :run AND t.process_id IS NULL GROUP BY series_id;
