/* SPDX-License-Identifier: MIT */
/*
 * Finding the other parts of the tool from where one lies oneself. Runs on: the programs,
 * and the constructor of the traced program. Must not allocate; take what somebody else
 * may have put there.
 */
#pragma once

#include <stddef.h>

/*
 * The first of the places where there is a file that can be believed. A place is relative
 * to the directory of self, the file that looks, or absolute. A file is believed when
 * only root and the owner of self can have put it there (common/places/own_path.h): a
 * library that was copied to /tmp/lib must not start what anybody has put into
 * /tmp/libexec.
 *
 * ret (size bytes; PATH_MAX are enough): the path without links. 0, -ENOENT, or -EPERM:
 * there is one, but others could have changed what is then in ret.
 */
int beside_find(const char *self, const char *const *places, size_t count, char *ret,
		size_t size);

/* The same for a program: self is what it was started from. */
int beside_find_for_program(const char *const *places, size_t count, char *ret,
			    size_t size);
