-- SPDX-License-Identifier: MIT
-- :rule M13 memory-limit: More memory than the limit
-- :about the peak or the resident set exceeds a limit from the rules file; without one
-- the rule is off
-- :needs own
-- :specific 1
-- :severity at least high
-- :limit peak_bytes = 0 bytes: highest peak allowed; 0: none
-- :limit rss_bytes = 0 bytes: highest resident set of a process allowed; 0: none
-- :evidence peak bytes, at least peak_most: peak
-- :evidence rss bytes, at least rss_most: highest resident set
-- :evidence saving_bytes bytes: over the limit
-- :why the run took more memory than its limit
-- :advice see who holds it: 'prof-analyze memory' shows the blocks at peak
-- :advice raise the limit in the rules file if the memory is needed
-- :docs Off until a rules file sets `peak_bytes` or `rss_bytes`; then the result is a
-- finding of at least high, or "passed"; without a recorded figure a limit is not passed.
-- This example was made with `--rules limits.json`, which contains `{"rules": {"M13":
-- {"limits": {"peak_bytes": 1000000}}}}`.
--
-- Saving: what is above the limit.

-- :query
WITH looks AS (SELECT 'peak' AS what, :peak_bytes AS most, r.peak_bytes AS bytes,
		CASE WHEN r.alloc_count > 0 THEN NULL ELSE 'no allocation was recorded' END
		AS reason, 'SELECT peak_bytes FROM runs' AS proof
	FROM runs r WHERE r.run_id = :run
	UNION ALL
	SELECT 'rss', :rss_bytes, MAX(s.rss_bytes),
		CASE WHEN MAX(s.rss_bytes) IS NULL THEN 'the resident set was not sampled' END,
		'SELECT MAX(rss_bytes) FROM resources'
	FROM resources s WHERE s.run_id = :run)
SELECT CASE what WHEN 'peak' THEN bytes END AS peak, CASE what WHEN 'peak' THEN most END
	AS peak_most, CASE what WHEN 'rss' THEN bytes END AS rss, CASE what WHEN 'rss' THEN most
	END AS rss_most, bytes - most AS saving_bytes,
	CASE what WHEN 'peak' THEN 'the peak of {peak} is above its limit' ELSE
		'the resident set of {rss} is above its limit' END AS says, bytes AS of_bytes, 2 AS confidence,
	proof || ' WHERE run_id = {run}' AS proof,
	CASE WHEN :peak_bytes <= 0 AND :rss_bytes <= 0
		THEN 'no limit is set: peak_bytes or rss_bytes in a rules file' ELSE reason END
	AS unmeasured
FROM looks WHERE (most > 0 AND (bytes > most OR reason IS NOT NULL))
	OR (:peak_bytes <= 0 AND :rss_bytes <= 0)
ORDER BY what DESC;
