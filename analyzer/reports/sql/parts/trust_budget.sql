-- SPDX-License-Identifier: MIT
-- Whether recording kept its budget.
-- :part trust_budget

-- What the program itself computed: a budget is a share of that. If computing was not told from
-- waiting, the time it took. The budget is exceeded for sure if the least possible cost is above
-- the largest possible budget.
-- :keep budget
SELECT own_ns, :budget_percent AS percent, 100.0 * :hooks_ns / own_ns AS hooks_percent,
	100.0 * :counting_ns / own_ns AS counting_percent,
	:hooks_ns - :hooks_error_ns > most_ns AS is_exceeded,
	:counting_ns - :counting_error_ns > most_ns AS is_exceeded_by_counting
FROM (SELECT *, :budget_percent / 100 * (own_ns + :self_error_ns) AS most_ns
	FROM (SELECT IIF(:is_split, MAX(:self_ns - :self_off_ns, :cpu_ns - :hooks_ns),
		1.0 * :self_ns - :self_off_ns) AS own_ns))
WHERE :budget_percent IS NOT NULL;
