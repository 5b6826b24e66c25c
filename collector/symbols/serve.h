/* SPDX-License-Identifier: MIT */
/*
 * The protocol between a symbolizer and its confined child, and the child's side. A
 * request is a head and its data, and is answered before the next is sent. A string is
 * sent once, before the first answer that uses it, and later referred to by number.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "common/segment.h"

#define MESSAGE_QUESTIONS_MAX 1024
#define MESSAGE_FRAMES_MAX 64
#define MESSAGE_TEXT_MAX 65536

/* REQUEST_OPEN: struct message_file. Modules are numbered in the order of opening.
 * REQUEST_ASK: up to MESSAGE_QUESTIONS_MAX of struct message_question. Answers:
 * ANSWER_SYMBOLS for each question, in order; at the end of both ANSWER_MODULE. */
enum { REQUEST_OPEN = 1, REQUEST_ASK };

struct message_request {
	uint32_t kind, module, size;
};

struct message_file {
	struct segment_module file;
	uint64_t is_without_debug; /* read no debug information */
};

enum message_kind { ASK_FUNCTION = 1, ASK_FRAMES, ASK_VARIABLE, ASK_NEAR };

struct message_question {
	uint64_t address;
	uint64_t kind;
};

/* ANSWER_TEXT: value bytes follow, without a NUL. ANSWER_MODULE: value is an enum
 * symbols_source, offset an enum symbols_trouble. ANSWER_SYMBOLS: value of struct
 * message_symbol follow, 0: nothing known; offset is that of the address in a variable,
 * or from the nearest symbol. */
enum { ANSWER_TEXT = 1, ANSWER_MODULE, ANSWER_SYMBOLS };

struct message_answer {
	uint32_t kind, value;
	uint64_t offset;
};

/* Texts by number, 0: none. */
struct message_symbol {
	uint32_t name, linkage_name, identity, file, own_file;
	uint32_t line;
	uint8_t variant, is_part, unused[2];
};

/* Answers requests until the parent closes its end. For confined_start(). */
void serve_symbols(FILE *questions, FILE *answers, void *nothing);
