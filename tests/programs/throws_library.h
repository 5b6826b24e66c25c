/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what the libraries of throws_across.cpp offer.
 * See also:      throws_library.cpp, throws_silent.cpp
 */
#pragma once

struct Problem {
	int number;
};

void library_throw(int levels);
void library_throw_problem();
void library_catch(void (*function)());
void library_call(void (*function)());
void silent_call(void (*function)());
