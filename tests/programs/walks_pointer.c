/* SPDX-License-Identifier: MIT */
/* What this is:  walks_code.h, for walks.c, which says how it is compiled. */
#include "walks_code.h"
