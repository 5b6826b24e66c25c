/* SPDX-License-Identifier: MIT */
/*
 * Which package would name the functions of a file of the system. Must not start a
 * process, or guess.
 */
#pragma once

#include "common/base/strbuf.h"

#include <stdbool.h>

/* Appends the name of the package with the debug symbols of the file at path: of the C
 * library by its name, of others when dpkg's lists on this machine have the file. false:
 * nothing was appended, it is not known. */
bool doctor_package(struct strbuf *ret, const char *path);
