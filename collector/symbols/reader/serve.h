/* SPDX-License-Identifier: MIT */
/* The child's side of a symbolizer. */
#pragma once

#include <stdio.h>

/* Answers requests (message.h) until the parent closes its end. For confined_start(). */
void serve_symbols(FILE *questions, FILE *answers, void *nothing);
