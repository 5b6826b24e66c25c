/* SPDX-License-Identifier: MIT */
/*
 * The counters of the table trust: what each says about a recording, in the words of all
 * reports. A name whose words say enough has no meaning here.
 */
#pragma once

enum trust_weight {
	TRUST_PLAIN,	/* a fact, not a fault */
	TRUST_MINOR,	/* worth a word; calls and allocations are exact all the same */
	TRUST_REPAIRED, /* counts are exact, some times end where the shim had to guess */
	TRUST_LOST,	/* numbers are missing */
};

struct trust_counter {
	const char *name;
	enum trust_weight weight;
	const char *one, *many; /* after the number; one NULL: there is no number */
	const char *meaning, *advice;
};

/* NULL: it is not known. */
const struct trust_counter *trust_counter_find(const char *name);
