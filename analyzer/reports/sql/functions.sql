-- SPDX-License-Identifier: MIT
-- :report functions: flat table of functions: calls, times, allocations
-- :takes run limit sort filter thread inlined raw
-- :example prof-analyze functions run.db --sort calls --limit 10
-- :about
-- Sorted by self CPU: CPU time in the function's own code, without the hooks. share is
-- its part of all functions' self CPU, so shares add up to 100 %. If the recording did not
-- separate waits from CPU time, self includes waits. total includes what it called (outermost
-- activations only, so recursion does not count twice), min to max are of single calls, without
-- the call's own hooks. Calls are exact, however the function was recorded. allocs are those the
-- function owns: it made them itself (alloc_count in json), or libraries did on its behalf.
-- --focus and --ignore choose by the function's own name. The compiler inlines functions: their
-- time is in the functions that have their code; --inlined shows them apart.

-- :note inlined_folded
SELECT '{inlined_calls} of {calls call} were inlined by the compiler: their time is in the
	functions that have their code. --inlined shows them apart.' AS text,
	:inlined_calls AS inlined_calls, :calls AS calls
WHERE :inlined_calls > 0 AND NOT :inlined;

-- A function that was off, or counted and not timed, has no time of its own: its callers have it.
-- Once a function is only counted, single calls are no longer measured, so their durations come
-- from before. Raw clock times have no error.
-- :keep rows
WITH known AS (SELECT f.*, CASE WHEN :thread IS NULL THEN MAX(0, f.calls
	- IFNULL(m.counted, 0)) END AS timed_calls,
	f.recording IN ('counted', 'off') AND NOT f.self_ns > 0
	OR NOT :inlined AND f.inlined_calls >= f.calls AND f.calls > 0 AND NOT f.self_ns > 0
	AS is_untimed,
	f.recording IS NOT 'sampled' AS has_durations,
	-- inlined copies have no total
	f.calls - CASE WHEN :inlined THEN 0 ELSE f.inlined_calls END AS whole_calls,
	CASE WHEN :raw THEN f.raw_self_ns WHEN :is_split THEN f.self_cpu_ns ELSE f.self_ns END
	AS own_ns,
	CASE WHEN :raw THEN f.raw_total_ns ELSE f.total_ns END AS whole_ns
	FROM functions f LEFT JOIN (SELECT function_id, SUM(counted_calls) AS counted
	FROM recordings WHERE run_id = :run GROUP BY function_id) m USING (function_id)
	WHERE f.run_id = :run AND (f.calls > 0 OR f.self_ns > 0 OR f.alloc_count > 0
	OR f.owned_alloc_count > 0) AND fits(f.name)),
-- sleeping is not hot; no error may exceed the whole
ranked AS (SELECT *, IIF(is_untimed, NULL, own_ns) AS hot_ns,
	fitted(own_ns, self_error_ns, most_ns) AS fitted_ns,
	fitted_error(own_ns, self_error_ns, most_ns) AS own_error_ns FROM (SELECT *,
	IIF(:raw, 0, MIN(all_ns + :program_error_ns, IIF(:is_split, cpu_ns, total_ns)
		+ total_error_ns)) AS most_ns FROM known
	JOIN (SELECT 1.0 * CASE WHEN :thread IS NULL THEN :program_ns ELSE (SELECT
		SUM(IIF(:is_split, self_cpu_ns, self_ns)) FROM tree) END AS all_ns))),
hosts AS (SELECT c.function_id, f.name, ROW_NUMBER() OVER (PARTITION BY c.function_id
	ORDER BY SUM(c.calls) DESC, f.name) AS place, COUNT(*) OVER (PARTITION BY c.function_id) AS count
	FROM path c JOIN path h ON h.path_id = c.host_path_id
	JOIN function f ON f.function_id = h.function_id
	WHERE c.run_id = :run AND c.calls > 0 GROUP BY c.function_id, h.function_id)
SELECT IIF(:is_split AND NOT :raw, fitted_ns, self_cpu_ns) AS "self CPU:.self_cpu_ns",
	own_error_ns AS ".self_cpu_error_ns/ns",
	IIF(:is_split OR :raw, self_ns, fitted_ns) AS self_ns,
	IIF(all_ns > 0, 100.0 * IFNULL(fitted_ns, 0) / all_ns, 0.0) AS "share:^self_percent",
	CASE WHEN NOT :raw THEN IIF(all_ns > 0, 100.0 * IFNULL(own_error_ns, 0) / all_ns, 0.0)
	END AS ".self_error_percent",
	CASE WHEN NOT :is_sorted AND NOT :raw THEN tied_rank(hot_ns, self_error_ns) OVER down END
	AS "rank:.rank/count",
	raw_self_ns AS ".raw_self_ns",
	fitted(cpu_ns, total_error_ns, all_ns + :program_error_ns) AS "total CPU:.cpu_ns",
	fitted_error(cpu_ns, total_error_ns, all_ns + :program_error_ns) AS ".cpu_error_ns/ns",
	total_ns, raw_total_ns AS ".raw_total_ns",
	self_ready_ns AS "CPU wait:self_ready_ns", self_blocked_ns AS "blocked:self_blocked_ns",
	calls AS "calls!:calls",
	CASE WHEN whole_calls > 0 AND (:raw OR NOT IFNULL(total_error_ns, 0) > 0
	OR ABS(whole_ns) > total_error_ns) THEN CAST(1.0 * whole_ns
	/ IIF(:raw, MIN(timed_calls, whole_calls), whole_calls) AS INTEGER) END
	AS "avg:.average_ns",
	IIF(has_durations, min_ns, NULL) AS min_ns, IIF(has_durations, p50_ns, NULL) AS p50_ns,
	IIF(has_durations, p90_ns, NULL) AS ".p90_ns",
	IIF(has_durations, p95_ns, NULL) AS ".p95_ns",
	IIF(has_durations, p99_ns, NULL) AS p99_ns, IIF(has_durations, max_ns, NULL) AS max_ns,
	owned_alloc_count AS "allocs:owned_alloc_count",
	owned_alloc_bytes AS ".owned_alloc_bytes", alloc_count AS ".alloc_count",
	alloc_bytes AS ".alloc_bytes", self_error_ns AS ".self_error_ns",
	total_error_ns AS ".total_error_ns", hooked_self_ns AS ".hooked_self_ns",
	hooked_raw_self_ns AS ".hooked_raw_self_ns", hooked_total_ns AS ".hooked_total_ns",
	hooked_raw_total_ns AS ".hooked_raw_total_ns",
	self_ready_error_ns AS ".self_ready_error_ns",
	ready_ns AS ".ready_ns", blocked_ns AS ".blocked_ns", inlined_calls, unwound_count,
	recording AS "timed!:.recording",
	name AS "function!:name", IIF(is_untimed AND NOT :inlined AND inlined_calls >= calls,
	'inlined into ' || host, IIF(calls IS NULL AND self_ns > 0 AND file IS NULL,
	'[' || REPLACE(module, RTRIM(module, REPLACE(module, '/', '')), '') || ']', NULL))
	AS "~>inlined_into/text", file AS "where:file/place",
	line AS "-line/id", function_id AS ".function_id", full_name AS ".full_name/text",
	linkage_name AS ".linkage_name/text", module AS ".module", component AS ".component",
	timed_calls AS ".timed_calls", hot_ns AS "-hot_ns", is_untimed AS "-is_untimed/flag",
	ROW_NUMBER() OVER down AS "-place/id",
	CASE WHEN :raw THEN 'raw_self_ns' WHEN :is_split THEN 'self_cpu_ns' ELSE 'self_ns' END
	AS "-sorted/text"
FROM ranked LEFT JOIN (SELECT function_id AS host_of, short_name(60, name)
	|| IIF(count > 1, ' and ' || counted('other', count - 1), '') AS host
	FROM hosts WHERE place = 1) ON host_of = function_id
WINDOW down AS (ORDER BY hot_ns DESC NULLS LAST, name);

-- :keep estimates
SELECT IFNULL(MAX("timed!:.recording" NOT IN ('exact', 'unwound')), 0) AS any,
	MAX("timed!:.recording" NOT IN ('exact', 'unwound'))
	AND MAX("rank:.rank/count" <> "-place/id") AS any_tied FROM rows;

-- :table functions main stack sort rows=20 noun=function weight=hot_ns,{hot} order=function_id
SELECT r.*, IIF(:is_split AND NOT :raw, 'CPU time', 'self time') AS "-hot/text",
	CASE WHEN :raw THEN 'raw_self_ns raw_self_percent raw_total_ns calls'
	WHEN :is_split THEN 'self_cpu_ns self_percent total_ns calls'
	ELSE 'self_ns self_percent total_ns calls' END || IIF(:thread IS NULL,
	' min_ns p50_ns p99_ns max_ns', ' average_ns') || ' owned_alloc_count name file
	self_ready_ns self_blocked_ns inlined_calls unwound_count inlined_into'
	|| IIF(e.any_tied, ' rank', '') || IIF(e.any, ' recording', '') AS "-shown/text"
FROM rows r JOIN estimates e
ORDER BY IIF(:calls = 0 AND :self_ns = 0, ".alloc_bytes", "-hot_ns") DESC NULLS LAST,
	"function!:name", ".function_id";

-- A run that hardly waited has no columns for waits.
-- :table functions only_brief page_main noun=function weight=hot_ns,{hot} order=function_id = Hot functions
SELECT r.*, IIF(:is_split AND NOT :raw, 'CPU time', 'self time') AS "-hot/text",
	CASE WHEN :raw THEN 'raw_self_ns raw_self_percent raw_total_ns'
	WHEN NOT :is_split THEN 'self_ns self_percent total_ns'
	ELSE 'self_cpu_ns self_percent cpu_ns' || IIF(:blocked_ns >= 0.05 * :cpu_ns,
		' self_blocked_ns', '') END || ' calls name inlined_into' AS "-shown/text",
	(SELECT COUNT(*) FROM rows) AS "-of_rows/any",
	'the others took no time of their own' AS "-others/text"
FROM rows r WHERE IIF(:sampled_count, self_ns, "calls!:calls") > 0 ORDER BY "-hot_ns" DESC NULLS LAST, "function!:name", ".function_id";

-- :note estimates_explained human
WITH shown AS (SELECT MAX("timed!:.recording" NOT IN ('exact', 'unwound')) AS is_estimated,
	MAX("rank:.rank/count" <> place) AS is_tied
	FROM rows JOIN functions_shown ON function_id = ".function_id"),
said AS (SELECT IIF(:raw, 'Raw times cover the calls that were timed; where functions were only
	counted, their time is in their callers''. ', '') || IIF(is_tied AND NOT :raw,
	'Functions of the same rank are within each other''s error: which of them took more
	is not known. ', '') || IIF(:thread IS NULL, 'min to max cover the calls that were
	timed (timed_calls in JSON and CSV); for counted functions they are not known.', '')
	AS text FROM shown WHERE is_estimated)
SELECT trim(text) AS text FROM said WHERE text <> '';

-- :nothing
