/* SPDX-License-Identifier: MIT */
/* The end of threads. */
#pragma once

/* From here on lanes are taken back when their thread ends. The constructor. */
void threads_begin(void);
