-- SPDX-License-Identifier: MIT
-- :rule M7 peak-owner: One function has most of the peak
-- :about one function's blocks are at least half of what is live at the peak
-- :says holds {peak_bytes} in {peak_count block}, {held} of the peak
-- :needs allocations
-- :severity at most medium
-- :limit least_share = 0.5 ratio, at most 1: share of the peak
-- :limit least_bytes = 16777216 bytes, not above matters_bytes: peak of the run below which it
-- does not matter
-- :limit matters_bytes = 67108864 bytes: live bytes at the peak below which the finding
-- counts in proportion
-- :limit weight = 0.5 ratio, at most 1: part of the gain that counts towards the severity
-- :limit wrapper_callers = 4 count, at most 16: callers that a function must have to be an
-- allocator wrapper, in whose place memory rules name its callers; at most 16
-- :limit wrapper_sizes = 4 count, at most 16: different mean block sizes, by call path,
-- that a wrapper must have; at most 16
-- :limit wrapper_blocks = 1.1 ratio: most blocks that a call of a wrapper, or of a function
-- between wrappers, makes
-- :limit wrapper_least = 0.01 ratio, not above wrapper_blocks: fewest blocks that a call of
-- a wrapper makes
-- :limit wrapper_calls = 16 ratio: most calls, with those below them, that a call of a
-- wrapper makes
-- :evidence held percent, at least least_share: of the peak
-- :evidence peak_bytes bytes: live at the peak
-- :evidence peak_count count: blocks
-- :evidence run_bytes bytes, at least least_bytes: peak of the run
-- :why one function has most of the live bytes at peak
-- :advice process the data in parts
-- :advice free what is no longer needed before the peak: 'prof-analyze memory' shows what
-- is live then
-- :advice use a smaller form: narrower types, indices for pointers, no second copy
-- :docs
-- One function has `least_share` of what is live at the peak, and the peak is at least
-- `least_bytes`. Confidence is always low, and the severity at most medium: the data does not
-- show whether all of it is needed at once.
--
-- Saving: all of it; `weight` of it counts for the severity. Below `matters_bytes` it counts
-- in proportion.

-- :sites
SELECT path_id, file, line, call_file, call_line, at_peak_bytes AS peak_bytes, at_peak_count AS peak_count FROM site
WHERE run_id = :run AND at_peak_bytes > 0 AND :run_peak_bytes >= :least_bytes;

-- :query
-- The data does not show whether all of it is needed at once, and a small program's memory is
-- nobody's trouble.
SELECT owner_id, peak_bytes / :run_peak_bytes AS held, peak_bytes, peak_count,
	:run_peak_bytes AS run_bytes, peak_bytes AS saving_bytes,
	MIN(1, peak_bytes / :run_peak_bytes)
		* MIN(1, peak_bytes / :matters_bytes) AS at_stake, 0 AS confidence
FROM owner ORDER BY owner_id LIMIT 1;

-- :proof
SELECT name, file, line, at_peak_bytes, at_peak_count, peak_bytes FROM allocation_sites WHERE
	run_id = {run}{owned} AND at_peak_bytes > 0 ORDER BY 4 DESC
