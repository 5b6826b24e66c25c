-- SPDX-License-Identifier: MIT
-- What a run is called at a Prometheus Pushgateway.

-- :name place
SELECT (SELECT replace(executable, rtrim(executable, replace(executable, '/', '')), '')
	FROM processes WHERE run_id = :run ORDER BY process_id LIMIT 1) AS job, host AS instance
FROM runs WHERE run_id = :run;
