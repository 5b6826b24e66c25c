-- SPDX-License-Identifier: MIT
-- :report components: totals by component and the calls between them
-- :takes run limit sort inlined thread raw by
-- :by module source namespace
-- :example prof-analyze components run.db --by source
-- :about
-- The program names the components of its regions (profshim_region_begin). --by source or
-- namespace groups functions by the directory of their source, or by their namespace or
-- class. Unnamed code that a component calls belongs to it; other unnamed code belongs to
-- its module, language and system libraries to their caller. total counts outermost activations,
-- and average is per activation; entries are all calls from other components.

-- :nothing

-- On the page with the whole run only components of regions are shown.
-- :end
SELECT 1 WHERE :is_brief AND NOT EXISTS (SELECT 1 FROM functions
	WHERE run_id = :run AND component IS NOT NULL);

-- The errors of paths were added up, so each is bounded by the whole. Shares are shares of
-- computing.
-- :table components main brief sort rows=20 noun=component weight=self_percent,the_time = Components
WITH sum AS (SELECT component, SUM(self_ns) AS self_ns, SUM(self_cpu_ns) AS self_cpu_ns,
	SUM(self_ready_ns) AS self_ready_ns, SUM(IIF(:is_split, self_cpu_ns, self_ns)) AS own_ns,
	SUM(self_blocked_ns) AS self_blocked_ns, SUM(self_error_ns) AS self_error_ns,
	SUM(is_outermost_component * total_ns) AS total_ns,
	SUM(is_outermost_component * total_error_ns) AS total_error_ns, SUM(calls) AS calls,
	SUM(is_outermost_component * calls) AS outermost_calls,
	TOTAL(calls) FILTER (WHERE component IS NOT caller_component) AS entries,
	SUM(alloc_count) AS alloc_count, SUM(alloc_bytes) AS alloc_bytes,
	COUNT(DISTINCT function_id) AS function_count, COUNT(*) AS path_count
	FROM tree GROUP BY component),
wholes AS (SELECT *, SUM(own_ns) OVER () AS all_ns, SUM(self_ns) OVER () AS whole_ns,
	SUM(alloc_bytes) OVER () AS all_bytes FROM sum),
known AS (SELECT *, fitted(own_ns, self_error_ns, all_ns + :program_error_ns) AS fitted_ns,
	fitted_error(own_ns, self_error_ns, all_ns + :program_error_ns) AS error_ns FROM wholes)
SELECT IIF(:is_split, fitted_ns, self_cpu_ns) AS "self CPU!:.self_cpu_ns",
	IIF(:is_split, self_ns, fitted_ns) AS "self!:self_ns",
	IIF(all_ns > 0, 100.0 * fitted_ns / all_ns, 0.0) AS "share!:self_percent",
	self_ready_ns, self_blocked_ns,
	IIF(whole_ns > 0, 100.0 * total_ns / whole_ns, 0.0) AS "total %:.total_percent",
	fitted(total_ns, total_error_ns, whole_ns + :self_error_ns) AS "total!:total_ns", calls AS "calls!:calls",
	CAST(entries AS INTEGER) AS "entries/count",
	CASE WHEN outermost_calls > 0 AND (NOT total_error_ns > 0 OR ABS(total_ns) > total_error_ns)
	THEN total_ns / outermost_calls END AS "average!:average_ns",
	alloc_count AS "allocs:alloc_count", alloc_bytes AS "bytes!:alloc_bytes",
	IIF(all_bytes > 0, 100.0 * alloc_bytes / all_bytes, 0.0) AS ".alloc_bytes_percent",
	function_count AS "functions:function_count", path_count AS ".path_count",
	component AS "component!:name",
	IIF(all_ns > 0, 100.0 * error_ns / all_ns, 0.0) AS ".self_error_percent",
	error_ns AS ".self_error_ns", error_ns AS ".self_cpu_error_ns/ns",
	fitted_error(total_ns, total_error_ns, whole_ns + :self_error_ns) AS ".total_error_ns",
	IIF(:is_split, 'self_cpu_ns', 'self_ns') AS "-sorted/text",
	IIF(:is_split, 'self_cpu_ns', 'self_ns') || ' self_percent total_ns calls' || IIF(:is_brief, '',
	' self_ready_ns self_blocked_ns entries average_ns alloc_count function_count')
	|| ' alloc_bytes name' AS "-shown/text"
FROM known ORDER BY own_ns DESC, component;

-- :table edges quiet rows=20 noun=edge = Calls between components
SELECT SUM(is_outermost_component_edge * total_ns) AS "total!:total_ns",
	SUM(calls) AS "calls!:calls",
	CASE WHEN SUM(is_outermost_component_edge * calls) > 0
	THEN SUM(is_outermost_component_edge * total_ns)
	/ SUM(is_outermost_component_edge * calls) END AS "average:average_ns",
	caller_component AS "from!:caller/name", component AS "to!:callee/name"
FROM tree WHERE component <> caller_component GROUP BY caller_component, component
ORDER BY 1 DESC, component, MIN(rowid);
