/* SPDX-License-Identifier: MIT */
/*
 * Paths on which nobody else can put anything. Runs on: the programs, and the constructor
 * of the traced program. Must not allocate, or follow a link before it has been judged.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/*
 * Follows the path from the root, link by link. Every entry on the way is judged before
 * it is followed: directories, links and what they lead to. Each must belong to root or
 * to owner, and nobody else may be able to change it. Where everybody can make entries
 * but only remove their own, as in /tmp, directories and links are believed, for they
 * show who made them; files are not. A group that has its owner's number is that user's
 * own. Who owns the root directory is believed as far as directories go: in a user
 * namespace it is not root.
 *
 * ret (size bytes; PATH_MAX are enough): the path without links; after -EPERM the entry
 * that is not believed. 0, -EPERM, or another -errno.
 */
int own_path_find(const char *path, uid_t owner, char *ret, size_t size);

/*
 * The first of the places where there is a file that can be believed. A place is relative
 * to the directory of self, the file that looks, or absolute. A file is believed when
 * only root and the owner of self can have put it there (own_path_find()): a
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
