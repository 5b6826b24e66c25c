/* SPDX-License-Identifier: MIT */
/* Which function a text means: a name that was printed, or a part of one. */
#pragma once

/* How well a text fits a function, best first. */
enum meant {
	MEANT_NAME,	 /* its name */
	MEANT_FULL,	 /* its full demangled name */
	MEANT_LINKAGE,	 /* its linkage name */
	MEANT_SHORTENED, /* as a narrow column shows its name */
	MEANT_BASE,	 /* a name without parameters and template arguments */
	MEANT_LAST_PART, /* the same without namespaces and classes */
	MEANT_PART,	 /* part of the name */
	MEANT_NOT,
};

/* full_name and linkage_name may be NULL: not known. */
enum meant meant_judge(const char *text, const char *name, const char *full_name,
		       const char *linkage_name);

/* How far the text's spelling is from the name or its last part, as nearest_distance()
 * measures it. */
unsigned meant_distance(const char *text, const char *name);
