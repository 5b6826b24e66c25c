/* SPDX-License-Identifier: MIT */
/*
 * Who else interposes: whether the program's calls come to us, and what the allocator
 * behind us is like. Runs on: the constructor.
 */
#pragma once

/* Is this a program to be recorded: none of ours (common/attributes.h), and does the
 * loader find us before libc? Not when somebody loads us with dlopen: then no hook will
 * ever be called. */
int interposition_is_wanted(void);

/* Notes when the program's own malloc or hooks come before ours. Within
 * lane_begin_own_work(). */
void interposition_check(void);

/* 3 when the allocator hands out addresses that are only 8-aligned, or 4. */
unsigned int interposition_grain_shift(void);
