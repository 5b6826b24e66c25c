/* SPDX-License-Identifier: MIT */
/* Which function somebody means by a text: one that was printed, or a part of one. */
#pragma once

/* How well a text fits a function, best first. */
enum meant {
	MEANT_NAME,	 /* its name */
	MEANT_FULL,	 /* its demangled name with all it has */
	MEANT_LINKAGE,	 /* as the linker knows it */
	MEANT_SHORTENED, /* as a narrow column shows its name */
	MEANT_BASE,	 /* a name without parameters and template arguments */
	MEANT_LAST_PART, /* that without namespaces and classes */
	MEANT_PART,	 /* part of the name */
	MEANT_NOT,
};

/* full_name and linkage_name may be NULL: not known. */
enum meant meant_judge(const char *text, const char *name, const char *full_name,
		       const char *linkage_name);

/* How far the text is from the name by spelling, as nearest_distance(), of the whole name
 * or its last part. */
unsigned meant_distance(const char *text, const char *name);
