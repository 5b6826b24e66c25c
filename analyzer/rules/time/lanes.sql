-- SPDX-License-Identifier: MIT
-- What paths computed in each lane.

-- :name lanes
SELECT lane_id, process_id FROM lane WHERE run_id = :run ORDER BY process_id, lane_id;

-- :name selves
SELECT path_id, lane_id, self_ns - self_ready_ns - self_blocked_ns AS self_ns FROM path_lane WHERE path_id BETWEEN :first AND :last
ORDER BY path_id, lane_id;
