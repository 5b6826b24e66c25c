-- SPDX-License-Identifier: MIT
-- What every document about a run says below its first line, when there is reason to.
-- :part opened

-- :note live warning
SELECT 'The run is still being recorded (PID {pid}): these are the numbers so far.' AS text,
	:live_pid AS pid WHERE :is_live;

-- Threads that were not asked for but share a lane with one that was.
-- :note shared_lane warning
SELECT 'Thread ''{thread}'' shared its record with {sharer_count other thread} before or after it
	(such as ''{such_as}''); the numbers are of all of them.' AS text, *
FROM (SELECT :thread AS thread, COUNT(*) AS sharer_count, MIN(COALESCE(other.name,
		CAST(other.tid AS TEXT))) AS such_as
	FROM thread other WHERE other.run_id = :run
	AND NOT (COALESCE(other.name, '') = :thread OR CAST(other.tid AS TEXT) = :thread)
	AND other.lane_id IN (SELECT lane_id FROM thread WHERE run_id = :run
		AND (name = :thread OR CAST(tid AS TEXT) = :thread))) WHERE sharer_count;
