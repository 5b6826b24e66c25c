-- SPDX-License-Identifier: MIT
-- Where the times of inlined copies are.
-- :part inlined

-- :note inlined_folded
SELECT '{inlined_calls} of {calls call} were inlined by the compiler: their time is in the functions
	that have their code. --inlined shows them apart.' AS text,
	:inlined_calls AS inlined_calls, :calls AS calls WHERE :inlined_calls AND NOT :inlined;
