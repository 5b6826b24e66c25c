-- SPDX-License-Identifier: MIT
-- What explains an empty or partial recording, besides trust.

-- :name modules
SELECT m.path, COUNT(*) FROM function f JOIN module m USING (module_id)
WHERE f.run_id = :run AND m.symbols = 'none' AND (f.calls > 0 OR f.alloc_count > 0)
GROUP BY m.module_id ORDER BY COUNT(*) DESC, m.path;

-- :name executables
SELECT executable FROM processes WHERE run_id = :run AND executable IS NOT NULL
GROUP BY executable ORDER BY MIN(process_id);
