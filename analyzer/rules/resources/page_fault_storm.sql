-- SPDX-License-Identifier: MIT
-- :rule M11 page-fault-storm: The same memory is taken from the kernel again and again
-- :about there are many page faults a second, for more pages than the program ever held, or
-- many faults read from a disk
-- :says {minor_faults page fault}, {per_s}
-- :needs wall samples
-- :specific 1
-- :limit minor_per_s = 10000 per_s: page faults a second
-- :limit repeated_part = 0.5 ratio, at most 1: part of them that must exceed the number of
-- pages in the largest RSS
-- :limit minor_ns = 1500 ns: cost of a fault; measured, see docs/rules-calibration.md
-- :limit major_count = 1000 count: faults that read from a disk; enough by themselves
-- :limit major_ns = 0 ns: cost of such a fault: set it to what the disk takes; 0: not
-- known, so no gain is given
-- :evidence per_s per_s, crossed minor_least: page faults
-- :evidence minor_faults count: page faults
-- :evidence repeated count: beyond the largest RSS
-- :evidence fault_ns ns: cost of a fault
-- :evidence major_faults count, crossed major_count: faults that read from a disk
-- :advice {look}
-- :advice {keep}
-- :advice {mallopt}
-- :advice {populate}
-- :speaks 10,000 page faults a second, half of them beyond what the largest RSS holds
-- :gains those times 1.5 us, divided by the threads that computed at once
-- :unseen which function, unless M8 names it and takes its place

-- :query
-- Memory that stays must be touched a first time: only faults for more pages than the largest
-- RSS are repeated. Threads side by side wait for their faults at once.
WITH looks AS (SELECT :minor_faults AS minor_faults, :major_faults AS major_faults,
		MAX(0, :minor_faults - :rss_peak_bytes / 4096) AS repeated,
		MAX(1, :sampled_cpu_ns / :span_ns) AS side_by_side),
storms AS (SELECT *, minor_faults >= :minor_per_s * :span_ns / 1e9
		AND repeated >= :repeated_part * minor_faults AS is_storm,
		major_faults >= :major_count AS is_read FROM looks)
SELECT minor_faults / :span_ns * 1e9 AS per_s, CASE WHEN is_storm THEN :minor_per_s END
	AS minor_least, minor_faults, repeated, :minor_ns AS fault_ns, major_faults,
	MIN((MIN(repeated * :minor_ns, :sampled_cpu_ns) + major_faults * :major_ns)
		/ side_by_side, :run_ns) AS saving_ns, 2 AS confidence,
	CASE WHEN is_storm THEN 'the kernel handed out far more pages than the program ever held: the '
			|| 'same memory came and went'
		ELSE 'many pages had to be read from a disk when they were touched' END AS why,
	CASE WHEN is_read THEN 'see what is read: mapped files or swap (''vmstat 1'')' ELSE '' END AS look,
	CASE WHEN is_storm THEN 'keep large buffers and reuse them' ELSE '' END AS keep,
	CASE WHEN is_storm THEN 'let the allocator keep what is freed: '
		|| 'mallopt(M_MMAP_THRESHOLD, ...) and M_TRIM_THRESHOLD' ELSE '' END AS mallopt,
	CASE WHEN is_storm THEN 'take many pages at once: MAP_POPULATE, or huge pages by '
		|| 'madvise(MADV_HUGEPAGE)' ELSE '' END AS populate
FROM storms WHERE is_storm OR is_read;

-- :proof
SELECT process_id, time_ns, minor_faults, major_faults, rss_bytes FROM resources WHERE run_id =
	{run} ORDER BY process_id, time_ns
