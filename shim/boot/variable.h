/* SPDX-License-Identifier: MIT */
/* Variables of an environment that libc does not know yet. Any thread. */
#pragma once

/* The value of NAME among the entries ("NAME=value", NULL at the end), NULL: unset. */
const char *variable_find(char **environment, const char *name);
