/* SPDX-License-Identifier: MIT */
/*
 * Finding the functions behind ours: the only place that asks dlsym for them.
 */
#pragma once

#include "common/attributes.h"
#include "shim/wrap/real.h"

/* Fills in real_NAME of the whole table but what is LATE. The constructor, once. */
void resolve_all(void);

/* Does libc itself define this function, and not another library in front of it? The
 * constructor. */
int resolve_is_libc(const void *function);

/* A function that is LATE, or only called: what the object of `caller` would have found
 * without us, kept in *real when all objects find the same. NULL: there is none. Any
 * thread that may call dlsym. */
void *resolve_late(void **real, const char *name, void *caller);

/* For a LATE function of the table. */
#define REAL_LATE(name, caller)                                                          \
	((__typeof__(name) *)resolve_late((void **)&real_##name, #name, caller))
