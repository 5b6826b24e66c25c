-- SPDX-License-Identifier: MIT
-- The peak, and the highest resident set of a process as far as the collector looked, where
-- they are above what the user allows. What could not be compared has not passed.

-- :name memory
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
	END AS rss_most, bytes - most AS saving_bytes, bytes AS of_bytes, 2 AS confidence,
	proof || ' WHERE run_id = ' || :run AS proof,
	CASE WHEN :peak_bytes <= 0 AND :rss_bytes <= 0
		THEN 'no limit is set: peak_bytes or rss_bytes in a rules file' ELSE reason END
	AS unmeasured
FROM looks WHERE (most > 0 AND (bytes > most OR reason IS NOT NULL))
	OR (:peak_bytes <= 0 AND :rss_bytes <= 0)
ORDER BY what DESC;
