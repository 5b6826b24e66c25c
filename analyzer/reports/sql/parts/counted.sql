-- SPDX-License-Identifier: MIT
-- What paths lack when some functions were not timed call by call.
-- :part counted

-- :note counted_in_paths
SELECT '{count function} {count|was|were} only counted for part of the run: the calls on
	each path are estimates then; paths on which no call was timed are [in brackets].
	PROFSHIM_LEVEL=exact times all calls.' AS text, :estimated_count AS count
WHERE :estimated_count > 0;
