/* SPDX-License-Identifier: MIT */
/*
 * The exit statuses of prof-analyze; reports return them too. Must not include anything.
 */
#pragma once

enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILED = 1, /* something cannot be read, written or found */
	STATUS_USAGE = 2,  /* the command line makes no sense */
	STATUS_REGRESSION = 3,
	STATUS_NOTHING = 4, /* nothing was measured; the document says why */
};
