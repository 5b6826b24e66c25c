/* SPDX-License-Identifier: MIT */
/* Names of D. Must not follow a reference forwards, or twice: libiberty's demangler does,
 * and makes gigabytes of a name of a kilobyte. */
#pragma once

/* "_D3app4main6decodeFAyaZv" is app.main.decode: the names alone, without types and
 * template arguments. NULL: not one of D. Owned by the caller (free). */
char *demangle_d_name(const char *name);
