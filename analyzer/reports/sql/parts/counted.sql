-- SPDX-License-Identifier: MIT
-- What paths are short of, where functions were not timed call by call.
-- :part counted

-- :note counted_in_paths
SELECT '{count function} {count|was|were} only counted at times: how often
	{count|it was|they were} called on which path is estimated then, and where none of those calls was timed
	{count|it is|they are} [in brackets], as the stack showed {count|it|them}.
	PROFSHIM_LEVEL=exact times all calls.' AS text, :estimated_count AS count
WHERE :estimated_count > 0;
