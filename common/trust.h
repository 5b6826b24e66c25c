/* SPDX-License-Identifier: MIT */
/*
 * What is told of a recording: the counters of the table trust, and facts that reports
 * find; in the words of all reports, with what they do to findings. A name whose words
 * say enough has no meaning here.
 */
#pragma once

enum trust_weight {
	TRUST_PLAIN,	/* a fact, not a fault */
	TRUST_MINOR,	/* worth a word; calls and allocations are exact all the same */
	TRUST_REPAIRED, /* counts are exact, some times end where the shim had to guess */
	TRUST_LOST,	/* numbers are missing */
};

/* What findings rest on. */
enum trust_touches {
	TRUST_TIME = 1u << 0,	/* durations, and shares of the run's time */
	TRUST_MEMORY = 1u << 1, /* allocations and frees */
	TRUST_GROWTH = 1u << 2, /* snapshots */
	TRUST_NAMES = 1u << 3,	/* of functions */
};

/* What a counter is a part of, with what was counted. */
enum trust_whole { TRUST_OF_NOTHING, TRUST_OF_CALLS, TRUST_OF_ALLOCATIONS, TRUST_WHOLES };

struct trust_counter {
	const char *name; /* NULL: of one without words */
	enum trust_weight weight;
	const char *one, *many; /* after the number; one NULL: there is no number */
	const char *meaning, *advice;
	unsigned touches; /* enum trust_touches: findings that it makes less sure */
	enum trust_whole whole;
};

/* NULL: it is not known. */
const struct trust_counter *trust_counter_find(const char *name);
