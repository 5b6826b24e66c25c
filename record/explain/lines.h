/* SPDX-License-Identifier: MIT */
/* Lines of at most 80 columns on standard output. Words are not cut. */
#pragma once

/* "  label       text", with the text's further lines below its first. */
void lines_say(const char *label, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same without a label, from the first column on. */
void lines_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
