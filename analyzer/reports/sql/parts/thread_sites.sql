-- SPDX-License-Identifier: MIT
-- What a site's numbers mean with --thread.
-- :part thread_sites

-- :note thread_sites
SELECT 'Allocation sites are kept by call path, not by thread: a site that other threads used
	too shows the sum of all.' AS text
WHERE :thread IS NOT NULL;
