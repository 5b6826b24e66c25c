/* SPDX-License-Identifier: MIT */
/*
 * The calls of libc that are nodes of the call tree, since they wait or move data
 * (shim/wrap/waits, shim/wrap/io): their numbers in keys of the segment, and their names.
 * Shared by the shim and the collector. Must not include anything; change a number
 * without a new SEGMENT_VERSION.
 */
#pragma once

enum libc_call_kind { LIBC_CALL_WAIT, LIBC_CALL_IO };

/* LIBC_CALL(name, kind), in any order. */
#include "common/libc/calls.def"

#define LIBC_CALL_NUMBER(name, kind) LIBC_CALL_##name,
enum libc_call { LIBC_CALL_NONE, LIBC_CALLS(LIBC_CALL_NUMBER) LIBC_CALL_COUNT };
#undef LIBC_CALL_NUMBER
