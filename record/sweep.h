/* SPDX-License-Identifier: MIT */
/*
 * --sweep NAME=VALUE,...: the values that a parameter of the program takes, and the
 * commands that they make. Several sweeps are a grid. Must not change what is not a
 * placeholder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sweep {
	struct sweep_parameter {
		char *name, **values; /* one allocation each; values are in `text` */
		char *text;
		size_t count;
	} * parameters;
	size_t count;
};

/* Adds NAME=VALUE,...: at least two different positive numbers. NULL, or what is wrong
 * with it. */
const char *sweep_add(struct sweep *sweep, const char *text);
/* How many points the grid has; SIZE_MAX: too many to count. */
size_t sweep_points(const struct sweep *sweep);
/* Each parameter must stand in a word or in input (NULL: none), and each {NAME} there
 * must be one. The first word, the program, is the same for all. NULL, or what is
 * wrong. */
const char *sweep_check(const struct sweep *sweep, char *const *words, const char *input);
/* The value of a parameter at a point of the grid, the last parameter changing first. */
const char *sweep_value(const struct sweep *sweep, size_t point, size_t parameter);
/* The text with {NAME} replaced by the values of a point, {{NAME}} by {NAME}. Owned by
 * the caller. */
char *sweep_fill(const struct sweep *sweep, size_t point, const char *text);
/* Likewise all words of a command, which ends with NULL. */
char **sweep_command(const struct sweep *sweep, size_t point, char *const *words);
/* "n=1000 threads=4", owned by the caller. */
char *sweep_name(const struct sweep *sweep, size_t point);
