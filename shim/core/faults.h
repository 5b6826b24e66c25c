/* SPDX-License-Identifier: MIT */
/*
 * Our own major faults: disk file systems count the first touch of a hole as one, which
 * is not the program's. Up to main() they are measured; later the same share of the
 * reserved pages is taken for them: getrusage is a call that sandboxes kill for. Runs on:
 * traced threads, any context, the gate entered.
 */
#pragma once

#include <stdint.h>

/* main() begins: from here on nothing is measured by system calls that a program of this
 * kind would not make. */
void faults_main_begins(void);

/* Around the reservation of so many pages: what to give to faults_of(), and the faults
 * that it has cost. */
long faults_before(void);
uint64_t faults_of(uint64_t pages, long before);
