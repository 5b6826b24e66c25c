-- SPDX-License-Identifier: MIT
-- The highest resident set of a process, as far as the collector looked; NULL: never.

-- :name rss
SELECT MAX(rss_bytes) AS rss_bytes FROM resources WHERE run_id = :run;
