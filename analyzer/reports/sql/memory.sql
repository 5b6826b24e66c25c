-- SPDX-License-Identifier: MIT
-- :report memory: allocation sites by bytes, count, peak, temporary
-- :takes run limit sort filter thread source
-- :example prof-analyze memory run.db --sort peak --focus parse
-- :about
-- One row for each function and line that asks for memory, of all call paths together. The
-- function is the innermost one that is not a library's and no allocator wrapper such as
-- xmalloc(). peak % is its exact share of the run's highest live memory; temp % is the
-- share of its allocations that were freed with at most one other allocation of the thread
-- in between. The first rows show the call path with the most bytes. --sort takes bytes,
-- count, peak, temporary_count and any json column. --focus and --ignore look at every
-- function of the call path.

-- :include source

-- :with weighed
SELECT *, alloc_bytes AS weight FROM each_site;

-- :include sites

-- :note no_allocations only_brief machine
SELECT 'No allocations: the program made none, or has its own allocator.' AS text
WHERE :alloc_count = 0;

-- :end only_brief
SELECT 1 WHERE :alloc_count = 0;

-- :include memory_totals

-- :table allocation_sites main sort by=alloc_bytes,name rows=20 details=5 noun=site weight=alloc_bytes,the_bytes = Allocation sites
-- :show alloc_bytes_percent alloc_bytes alloc_count at_peak_percent temporary_percent owner path
SELECT * FROM sites;

-- :table allocation_sites only_brief by=alloc_bytes,name details=5 noun=site weight=alloc_bytes,the_bytes = Allocation sites
-- :show alloc_bytes_percent alloc_bytes alloc_count at_peak_bytes live_bytes owner path
SELECT * FROM sites WHERE "bytes!:alloc_bytes" > 0;

-- :end only_brief
SELECT 1 WHERE :peak_bytes <= 0;

-- :table peak_sites only_brief machine by=at_peak_bytes,name details=5 noun=site weight=at_peak_bytes,the_peak = What the peak was made of
-- :show at_peak_percent at_peak_bytes at_peak_count owner path
SELECT * FROM sites WHERE "at peak:at_peak_bytes" > 0;

-- :include thread_sites
-- :include counted

-- :nothing
-- :code profile
