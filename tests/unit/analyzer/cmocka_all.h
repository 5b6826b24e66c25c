/* SPDX-License-Identifier: MIT */
/* What this is: cmocka with the headers it needs, in the order it needs them. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
