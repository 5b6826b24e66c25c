/* SPDX-License-Identifier: MIT */
/* environ as main() and its children see it. */
#pragma once

/* Sets environ for main(). kernel_environment: as the process began with. run_variable:
 * "PROFSHIM_RUN=directory", kept, or NULL when nothing is recorded. __libc_start_main. */
void environment_prepare(char **kernel_environment, const char *run_variable);
