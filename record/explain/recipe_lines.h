/* SPDX-License-Identifier: MIT */
/* The flags of a compiler, for the build systems that most programs have. */
#pragma once

#include <stdbool.h>

#include "common/flags/recipe.h"

/* Prints the compiler's own line, and those of CMake, Meson and Autotools; of both
 * compilers when it is not known. is_cxx: C++, whose headers have code. */
void recipe_say(enum compiler compiler, bool is_cxx);
