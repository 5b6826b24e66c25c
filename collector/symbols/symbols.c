/* SPDX-License-Identifier: MIT */
/*
 * Keeps questions with their answers, and sends those without one to the child together.
 * Must not trust a number that the child sends.
 */
#include "collector/symbols/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/symbols/confined.h"
#include "collector/symbols/serve.h"
#include "collector/symbols/strings.h"
#include "common/base/map.h"
#include "common/base/xalloc.h"

/* With less CPU time left, another child is not worth starting. */
#define CPU_LEAST_NS INT64_C(1000000000)

/* How much is read of a module: less after each child that did not survive it. */
enum reading { READING_ALL, READING_TABLES, READING_NOTHING };

/* first: index of its symbols, once it is answered. */
struct answer {
	uint32_t first, count;
	uint64_t offset;
};

/* number: the module's number in the child; child: which child that is. */
struct symbol_module {
	struct symbol_module *next;
	struct symbolizer *symbolizer;
	enum reading reading;
	enum symbols_source source;
	enum symbols_trouble trouble;
	uint32_t number, child;

	/* Both by number. The first answer_count questions have answers. */
	struct map numbers;
	struct message_question *questions;
	struct answer *answers;
	size_t question_count, answer_count;
	struct symbol *symbols;
	size_t symbol_count;

	struct message_file wanted;
};

/* texts: strings by the child's numbers. child_count: children started so far. */
struct symbolizer {
	struct strings *strings;
	struct symbol_module *modules;
	struct confined child;
	uint32_t child_count, opened_count;
	const char **texts;
	size_t text_count;
	int64_t cpu_left_ns;
};

struct symbolizer *symbols_new(void)
{
	struct symbolizer *symbolizer = xcalloc(1, sizeof(*symbolizer));

	symbolizer->strings = strings_new();
	symbolizer->cpu_left_ns = CONFINED_CPU_NS;
	return symbolizer;
}

static void end_child(struct symbolizer *symbolizer)
{
	symbolizer->cpu_left_ns -= confined_end(&symbolizer->child);
	free(symbolizer->texts);
	symbolizer->texts = NULL;
	symbolizer->text_count = symbolizer->opened_count = 0;
}

void symbols_free(struct symbolizer *symbolizer)
{
	struct symbol_module *module, *next;

	if (!symbolizer)
		return;
	end_child(symbolizer);
	for (module = symbolizer->modules; module; module = next) {
		next = module->next;
		map_done(&module->numbers);
		free(module->questions);
		free(module->answers);
		free(module->symbols);
		free(module);
	}
	strings_free(symbolizer->strings);
	free(symbolizer);
}

static bool start_child(struct symbolizer *symbolizer)
{
	if (symbolizer->child.pid)
		return true;
	if (symbolizer->cpu_left_ns < CPU_LEAST_NS ||
	    confined_start(&symbolizer->child, serve_symbols, NULL,
			   symbolizer->cpu_left_ns) < 0)
		return false;
	symbolizer->child_count++;
	return true;
}

static bool request(struct symbolizer *symbolizer, const struct message_request *head,
		    const void *data)
{
	return confined_send(&symbolizer->child, head, sizeof(*head)) &&
	       confined_send(&symbolizer->child, data, head->size);
}

static bool receive_text(struct symbolizer *symbolizer, uint32_t length)
{
	char *text = length < MESSAGE_TEXT_MAX ? malloc(length + 1) : NULL;
	const char *kept = NULL;

	if (text && confined_receive(&symbolizer->child, text, length))
		kept = strings_keep(symbolizer->strings, text, strnlen(text, length));
	free(text);
	if (!kept)
		return false;
	ARRAY_ADD(symbolizer->texts, symbolizer->text_count) = kept;
	return true;
}

/* Receives the next answer that is not a text. false: it is of another kind. */
static bool receive(struct symbolizer *symbolizer, uint32_t kind,
		    struct message_answer *ret)
{
	while (confined_receive(&symbolizer->child, ret, sizeof(*ret))) {
		if (ret->kind != ANSWER_TEXT)
			return ret->kind == kind;
		if (!receive_text(symbolizer, ret->value))
			return false;
	}
	return false;
}

/* Returns false when there is no such text. */
static bool find_text(const struct symbolizer *symbolizer, uint32_t number,
		      const char **ret)
{
	*ret = number && number <= symbolizer->text_count ? symbolizer->texts[number - 1]
							  : NULL;
	return !number || *ret;
}

static bool add_symbol(struct symbol_module *module, const struct message_symbol *from)
{
	const struct symbolizer *symbolizer = module->symbolizer;
	struct symbol symbol = {.line = from->line, .is_part = from->is_part != 0};

	if (from->variant > DEMANGLE_UNIFIED)
		return false;
	symbol.variant = (enum demangle_variant)from->variant;
	if (!find_text(symbolizer, from->name, &symbol.name) ||
	    !find_text(symbolizer, from->linkage_name, &symbol.linkage_name) ||
	    !find_text(symbolizer, from->identity, &symbol.identity) ||
	    !find_text(symbolizer, from->file, &symbol.file) ||
	    !find_text(symbolizer, from->own_file, &symbol.own_file))
		return false;
	if (symbol.name && (!symbol.linkage_name || !symbol.identity))
		return false;
	ARRAY_ADD(module->symbols, module->symbol_count) = symbol;
	return true;
}

/* Receives the answer to the first question that has none. */
static bool receive_answer(struct symbol_module *module)
{
	struct message_symbol from[MESSAGE_FRAMES_MAX];
	struct message_answer head;
	struct answer answer = {.first = (uint32_t)module->symbol_count};

	if (!receive(module->symbolizer, ANSWER_SYMBOLS, &head) ||
	    head.value > MESSAGE_FRAMES_MAX ||
	    !confined_receive(&module->symbolizer->child, from,
			      head.value * sizeof(*from)))
		return false;
	for (uint32_t i = 0; i < head.value; i++)
		if (!add_symbol(module, &from[i]))
			return false;
	answer.count = head.value;
	answer.offset = head.offset;
	module->answers[module->answer_count++] = answer;
	return true;
}

/* Receives the end of a request. */
static bool receive_module(struct symbol_module *module)
{
	struct message_answer answer;

	if (!receive(module->symbolizer, ANSWER_MODULE, &answer) ||
	    answer.value >= SYMBOLS_SOURCE_COUNT ||
	    answer.offset >= SYMBOLS_TROUBLE_COUNT)
		return false;
	module->source = (enum symbols_source)answer.value;
	if (module->reading == READING_ALL)
		module->trouble = (enum symbols_trouble)answer.offset;
	return true;
}

static bool open_in_child(struct symbol_module *module)
{
	struct symbolizer *symbolizer = module->symbolizer;
	const struct message_request head = {REQUEST_OPEN, symbolizer->opened_count,
					     sizeof(module->wanted)};

	if (module->child == symbolizer->child_count)
		return true;
	module->wanted.is_without_debug = module->reading != READING_ALL;
	if (!request(symbolizer, &head, &module->wanted) || !receive_module(module))
		return false;
	module->number = symbolizer->opened_count++;
	module->child = symbolizer->child_count;
	return true;
}

static bool ask_some(struct symbol_module *module)
{
	size_t end = module->question_count;
	struct message_request head = {REQUEST_ASK, module->number, 0};

	if (end - module->answer_count > MESSAGE_QUESTIONS_MAX)
		end = module->answer_count + MESSAGE_QUESTIONS_MAX;
	head.size = (uint32_t)((end - module->answer_count) * sizeof(*module->questions));
	if (!request(module->symbolizer, &head, module->questions + module->answer_count))
		return false;
	while (module->answer_count < end)
		if (!receive_answer(module))
			return false;
	return receive_module(module);
}

/* Has the child open the module and answer all open questions. */
static void ask(struct symbol_module *module)
{
	while (module->reading != READING_NOTHING) {
		bool is_heard = start_child(module->symbolizer) && open_in_child(module);

		while (is_heard && module->answer_count < module->question_count)
			is_heard = ask_some(module);
		if (is_heard)
			return;
		end_child(module->symbolizer);
		module->trouble = SYMBOLS_LIMIT;
		module->reading++;
	}
	while (module->answer_count < module->question_count)
		module->answers[module->answer_count++] = (struct answer){.count = 0};
}

static bool is_same_file(const struct segment_module *a, const struct segment_module *b)
{
	if (strcmp(a->path, b->path) != 0 || a->build_id_size != b->build_id_size)
		return false;
	if (a->build_id_size)
		return memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
	return a->device == b->device && a->inode == b->inode &&
	       a->size_bytes == b->size_bytes && a->mtime_ns == b->mtime_ns;
}

struct symbol_module *symbols_open(struct symbolizer *symbolizer,
				   const struct segment_module *file)
{
	struct symbol_module *module;

	for (module = symbolizer->modules; module; module = module->next)
		if (is_same_file(&module->wanted.file, file))
			return module;
	module = xcalloc(1, sizeof(*module));
	module->symbolizer = symbolizer;
	module->wanted.file = *file;
	module->next = symbolizer->modules;
	symbolizer->modules = module;
	ask(module);
	return module;
}

const char *symbols_source(const struct symbol_module *module)
{
	static const char *const words[] = {
		[SYMBOLS_NONE] = "none",
		[SYMBOLS_DYNSYM] = "dynsym",
		[SYMBOLS_SYMTAB] = "symtab",
		[SYMBOLS_DEBUG] = "debug",
	};

	return words[module->source];
}

const char *symbols_trouble(const struct symbol_module *module)
{
	static const char *const words[] = {
		[SYMBOLS_SOUND] = NULL,	       [SYMBOLS_GONE] = "gone",
		[SYMBOLS_CHANGED] = "changed", [SYMBOLS_UNREADABLE] = "unreadable",
		[SYMBOLS_UNKNOWN] = "unknown", [SYMBOLS_LIMIT] = "limit",
	};

	return words[module->trouble];
}

enum symbols_trouble symbols_why(const struct symbol_module *module)
{
	return module->trouble;
}

/* The number of the question, which is added if it is new. */
static uint32_t wish(struct symbol_module *module, enum message_kind kind,
		     uint64_t address)
{
	bool is_new;
	uint32_t number = map_number(&module->numbers, address, kind, 0, &is_new);

	if (is_new) {
		module->questions = array_room(module->questions, module->question_count,
					       sizeof(*module->questions));
		module->answers = array_room(module->answers, module->question_count,
					     sizeof(*module->answers));
		module->questions[module->question_count++] =
			(struct message_question){address, kind};
	}
	return number;
}

void symbols_wish_function(struct symbol_module *module, uint64_t address)
{
	(void)wish(module, ASK_FUNCTION, address);
}

void symbols_wish_frames(struct symbol_module *module, uint64_t return_address)
{
	(void)wish(module, ASK_FRAMES, return_address);
}

static const struct answer *answer_to(struct symbol_module *module,
				      enum message_kind kind, uint64_t address)
{
	uint32_t number = wish(module, kind, address);

	if (number >= module->answer_count)
		ask(module);
	return &module->answers[number];
}

/* Returns the answer's only symbol, if it has a name. */
static int take(const struct symbol_module *module, const struct answer *answer,
		struct symbol *ret)
{
	if (!answer->count)
		return -ENOENT;
	*ret = module->symbols[answer->first];
	return ret->name ? 0 : -ENOENT;
}

int symbols_function(struct symbol_module *module, uint64_t address, struct symbol *ret)
{
	return take(module, answer_to(module, ASK_FUNCTION, address), ret);
}

int symbols_frames(struct symbol_module *module, uint64_t return_address,
		   struct symbol *ret, size_t capacity)
{
	const struct answer *answer = answer_to(module, ASK_FRAMES, return_address);
	size_t count = answer->count < capacity ? answer->count : capacity;

	if (!count)
		return -ENOENT;
	memcpy(ret, module->symbols + answer->first + answer->count - count,
	       count * sizeof(*ret));
	return (int)count;
}

int symbols_near(struct symbol_module *module, uint64_t address, uint64_t distance,
		 struct symbol *ret)
{
	const struct answer *answer = answer_to(module, ASK_NEAR, address);

	return answer->offset > distance ? -ENOENT : take(module, answer, ret);
}

int symbols_variable(struct symbol_module *module, uint64_t address, struct symbol *ret,
		     uint64_t *ret_offset)
{
	const struct answer *answer = answer_to(module, ASK_VARIABLE, address);

	*ret_offset = answer->offset;
	return take(module, answer, ret);
}
