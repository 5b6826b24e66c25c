-- SPDX-License-Identifier: MIT
-- :rule M8 big-block-cycling: Big blocks come and go
-- :about blocks of mmap's size are allocated and freed again and again, with page faults
-- :says allocates and frees {allocs block} of {mean_bytes}, with page faults
-- :needs allocations wall
-- :specific 2
-- :explains M11 T1
-- :limit big_bytes = 131072 bytes: mean size of a site's blocks (malloc's mmap threshold)
-- :limit least_allocs = 100 count: allocations of the function
-- :limit churn_ratio = 10 ratio: bytes allocated over most bytes live
-- :limit fault_ns = 1500 ns: CPU time of a page fault with the clearing of its page
-- :limit map_ns = 4000 ns: CPU time of an mmap and its munmap
-- :limit least_share = 0.01 ratio, at most 1: smallest share of the run that a fix must save
-- :evidence allocs count, at least least_allocs: allocations
-- :evidence mean_bytes bytes, beside big_bytes: mean size
-- :evidence churn ratio, beside churn_ratio: bytes allocated / most live
-- :evidence pages count: pages of these blocks
-- :evidence faults count: page faults of the run
-- :evidence fault_ns ns: cost of a page fault
-- :asks won at least least_share
-- :why blocks large enough for malloc to take them from the kernel come and go, and the run
-- has the page faults to match
-- :advice {keep}
-- :advice mallopt(M_MMAP_THRESHOLD, ...) and M_TRIM_THRESHOLD above the size keep the pages
-- in the heap
-- :advice work in smaller parts
-- :docs Blocks of at least `big_bytes` on average, `least_allocs` of them, `churn_ratio`
-- times what is live at a time. When realloc grows a block, only the added bytes count. Not
-- every page is really faulted in (glibc learns to keep blocks up to 32 MiB), so the run's
-- page faults are the upper limit. Confidence is high when the run had faults for 90 % of
-- the blocks' pages. Faults not sampled: "not measured".
--
-- Saving: pages x `fault_ns` and blocks x `map_ns`, times the part of the pages that the run
-- had faults for. It stands for the page faults of the run (M11) when it explains 80 % of them,
-- alone or with other functions, and for a hot function (T1) when it explains half of its time.
-- Blocks of one size fit into one buffer that is kept; blocks that grow need room to grow.

-- :unmeasured
SELECT 'page faults were not sampled' WHERE NOT EXISTS (SELECT 1 FROM resource
	WHERE run_id = :run AND minor_faults IS NOT NULL);

-- :sites
-- A block that realloc grows stays: only what is added is new.
SELECT path_id, file, line, call_file, call_line, alloc_bytes - COALESCE(realloc_old_bytes, 0) AS bytes,
	alloc_count - realloc_count AS allocs, peak_bytes,
	(alloc_bytes < 0.99 * largest_bytes * alloc_count) * alloc_count AS uneven
FROM site
WHERE run_id = :run AND free_count >= 10 AND alloc_count > realloc_count AND peak_bytes > 0
	AND alloc_bytes >= :big_bytes * alloc_count
	AND alloc_bytes - COALESCE(realloc_old_bytes, 0) >= :churn_ratio * peak_bytes;

-- :query
-- The faults are the run's; if there are as many as the function has pages, it causes them.
WITH faulted AS (SELECT SUM(faults) AS faults FROM (SELECT MAX(minor_faults) AS faults
		FROM resource WHERE run_id = :run GROUP BY process_id)),
parts AS (SELECT o.*, bytes / 4096 AS pages, faults, MIN(1, faults / (bytes / 4096)) AS part
	FROM owner o, faulted),
won AS (SELECT *, part * (pages * :fault_ns + allocs * :map_ns) AS won_ns FROM parts)
SELECT owner_id, allocs, bytes / allocs AS mean_bytes, bytes / peak_bytes AS churn, pages, faults,
	:fault_ns AS fault_ns, MIN(1, won_ns / :own_run_ns) AS won,
	MIN(won_ns, :own_run_ns) AS saving_ns, :own_run_ns AS of_ns, allocs AS saving_allocs,
	CASE WHEN part > 0.9 THEN 2 ELSE 1 END AS confidence,
	IIF(uneven > 0.01 * allocs, 'let one buffer grow: keep its capacity, and double it when it '
		|| 'is full', 'keep the buffer between calls') AS keep
FROM won ORDER BY owner_id;

-- :proof
SELECT name, file, line, alloc_bytes - COALESCE(realloc_old_bytes, 0) AS new_bytes, alloc_count
	- realloc_count AS allocations, peak_bytes, largest_bytes FROM allocation_sites WHERE run_id =
	{run}{owned} AND free_count >= 10 AND alloc_bytes >= {=big_bytes} * alloc_count AND
	alloc_bytes - COALESCE(realloc_old_bytes, 0) >= {=churn_ratio} * peak_bytes ORDER BY 4 DESC
