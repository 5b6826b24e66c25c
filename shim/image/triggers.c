/* SPDX-License-Identifier: MIT */
/*
 * PROFSHIM_SNAPSHOT_AT: finds the addresses of the named functions in the symbol tables
 * of the objects that are recorded. Runs on: triggers_begin: the constructor;
 * triggers_look: traced threads, under the process lock, once for each object. Must not
 * believe an offset in the file; keep it mapped or open.
 *
 * A name is a linkage name (parse_line, _ZN6Parser4nextEv) or a C++ name without its
 * parameters (Parser::next: all its overloads; Parser::Parser: its constructors).
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/image/build_id.h"
#include "shim/image/triggers.h"
#include "shim/lane/trigger.h"

#define NAME_LIMIT 16
#define NAME_BYTES 160

/* How linkage names of C++ begin: a function, a static one, a member, a const member. */
#define PREFIX_LIMIT 2

struct name {
	char text[NAME_BYTES]; /* as given, without ":enter" */
	char prefixes[PREFIX_LIMIT][NAME_BYTES + 64];
	char enter[NAME_BYTES + 16], exit[NAME_BYTES + 16]; /* labels; empty: none */
	int is_found;
};

static struct name names[NAME_LIMIT];
static int name_count;

/* "Parser::next" to "6Parser4next". 0 when it does not fit. */
static int encode(const char *text, char *to, size_t size)
{
	size_t used = 0;

	to[0] = '\0';
	while (*text) {
		const char *end = strstr(text, "::");
		int length = (int)(end ? (size_t)(end - text) : strlen(text));
		int added =
			snprintf(to + used, size - used, "%d%.*s", length, length, text);

		if (added < 0 || (size_t)added >= size - used)
			return 0;
		used += (size_t)added;
		text += length + (end ? 2 : 0);
	}
	return 1;
}

/* The constructors of Parser: Parser::Parser to 6ParserC. */
static void encode_constructor(char *encoded)
{
	size_t length = strlen(encoded);

	for (size_t half = 1; half * 2 <= length; half++) {
		char *last = encoded + length - half;

		if (!strncmp(last - half, last, half) &&
		    strspn(last, "0123456789") + (size_t)atoi(last) == half) {
			strcpy(last, "C");
			return;
		}
	}
}

static void mangle(struct name *name)
{
	char encoded[NAME_BYTES + 32];
	int is_member = strstr(name->text, "::") != NULL;

	if (!encode(name->text, encoded, sizeof(encoded)))
		return;
	if (is_member)
		encode_constructor(encoded);
	snprintf(name->prefixes[0], sizeof(name->prefixes[0]), "%s%s",
		 is_member ? "_ZN" : "_Z", encoded);
	snprintf(name->prefixes[1], sizeof(name->prefixes[1]), "%s%s",
		 is_member ? "_ZNK" : "_ZL", encoded);
}

static struct name *name_of(const char *text, size_t length)
{
	struct name *name;

	for (int i = 0; i < name_count; i++) {
		if (strlen(names[i].text) == length &&
		    !strncmp(names[i].text, text, length))
			return &names[i];
	}
	if (name_count == NAME_LIMIT || length == 0 || length >= NAME_BYTES)
		return NULL;
	name = &names[name_count++];
	memcpy(name->text, text, length);
	mangle(name);
	return name;
}

/* One "FUNC:enter" or "FUNC:exit". 0 when it is neither. */
static int read_item(const char *item, size_t length)
{
	static const char enter[] = ":enter", leave[] = ":exit";
	struct name *name;

	if (length > sizeof(enter) - 1 &&
	    !strncmp(item + length - (sizeof(enter) - 1), enter, sizeof(enter) - 1)) {
		name = name_of(item, length - (sizeof(enter) - 1));
		if (name)
			snprintf(name->enter, sizeof(name->enter), "%.*s", (int)length,
				 item);
	} else if (length > sizeof(leave) - 1 &&
		   !strncmp(item + length - (sizeof(leave) - 1), leave,
			    sizeof(leave) - 1)) {
		name = name_of(item, length - (sizeof(leave) - 1));
		if (name)
			snprintf(name->exit, sizeof(name->exit), "%.*s", (int)length,
				 item);
	} else {
		return 0;
	}
	return name != NULL;
}

int triggers_begin(const char *value)
{
	while (*value) {
		size_t length = strcspn(value, ",");

		if (!read_item(value, length)) {
			name_count = 0;
			return 0;
		}
		value += length + (value[length] == ',');
	}
	return 1;
}

static int begins(const char *symbol, const char *prefix)
{
	size_t length = strlen(prefix);

	return length && !strncmp(symbol, prefix, length);
}

static int is_named(const struct name *name, const char *symbol)
{
	return !strcmp(symbol, name->text) || begins(symbol, name->prefixes[0]) ||
	       begins(symbol, name->prefixes[1]);
}

struct image {
	const char *start;
	size_t size;
};

static const void *part(const struct image *image, uint64_t offset, uint64_t size)
{
	if (offset > image->size || size > image->size - offset)
		return NULL;
	return image->start + offset;
}

static void look_in_table(const struct image *image, const Elf64_Shdr *table,
			  const Elf64_Shdr *string_table, uint64_t bias)
{
	const Elf64_Sym *symbols = part(image, table->sh_offset, table->sh_size);
	const char *strings = part(image, string_table->sh_offset, string_table->sh_size);
	uint64_t size = string_table->sh_size;

	if (!symbols || !strings || size == 0 || strings[size - 1])
		return;
	for (uint64_t i = 0; i < table->sh_size / sizeof(*symbols); i++) {
		if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC ||
		    !symbols[i].st_value || symbols[i].st_name >= size)
			continue;
		for (int n = 0; n < name_count; n++) {
			if (!is_named(&names[n], strings + symbols[i].st_name))
				continue;
			names[n].is_found = 1;
			trigger_add(bias + symbols[i].st_value,
				    names[n].enter[0] ? names[n].enter : NULL,
				    names[n].exit[0] ? names[n].exit : NULL);
		}
	}
}

static void look_in_image(const struct image *image, uint64_t bias)
{
	const Elf64_Ehdr *header = part(image, 0, sizeof(*header));
	const Elf64_Shdr *sections;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64)
		return;
	sections = part(image, header->e_shoff, header->e_shnum * sizeof(*sections));
	for (int i = 0; sections && i < header->e_shnum; i++) {
		if ((sections[i].sh_type == SHT_SYMTAB ||
		     sections[i].sh_type == SHT_DYNSYM) &&
		    sections[i].sh_link < header->e_shnum)
			look_in_table(image, &sections[i], &sections[sections[i].sh_link],
				      bias);
	}
}

static int is_noted_file(const struct segment_module *module, const struct stat *status)
{
	return module->inode == status->st_ino && module->device == status->st_dev &&
	       module->size_bytes == (uint64_t)status->st_size;
}

/* Another file may lie at the path by now; its addresses would be wrong. */
static int has_build_id(const struct image *image, const struct segment_module *module)
{
	const Elf64_Ehdr *header = part(image, 0, sizeof(*header));
	const Elf64_Shdr *sections;
	struct segment_module found = {.build_id_size = 0};

	sections =
		header ? part(image, header->e_shoff, header->e_shnum * sizeof(*sections))
		       : NULL;
	for (int i = 0; sections && i < header->e_shnum && !found.build_id_size; i++) {
		const char *notes =
			sections[i].sh_type == SHT_NOTE
				? part(image, sections[i].sh_offset, sections[i].sh_size)
				: NULL;

		if (notes)
			build_id_copy(&found, notes, sections[i].sh_size);
	}
	return found.build_id_size == module->build_id_size &&
	       !memcmp(found.build_id, module->build_id, found.build_id_size);
}

static void look_in_file(const struct segment_module *module)
{
	struct image image = {.start = MAP_FAILED};
	struct stat status;
	/* whatever lies at the path must not make the program wait */
	int fd = open(module->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
	    (module->build_id_size || is_noted_file(module, &status))) {
		image.size = (size_t)status.st_size;
		image.start = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	if (image.start == MAP_FAILED)
		return;
	if (!module->build_id_size || has_build_id(&image, module))
		look_in_image(&image, module->bias);
	munmap((void *)image.start, image.size);
}

static int all_are_found(void)
{
	for (int i = 0; i < name_count; i++) {
		if (!names[i].is_found)
			return 0;
	}
	return 1;
}

/* Objects come one by one: the note stands until all names have been found. */
static void note_missing(void)
{
	if (all_are_found())
		__atomic_fetch_and(&process->segment->notes, ~SEGMENT_NOTE_NO_FUNCTION,
				   __ATOMIC_RELAXED);
	else
		process_note(SEGMENT_NOTE_NO_FUNCTION);
}

void triggers_look(const struct segment_module *module)
{
	if (!name_count || module->path[0] != '/' || gate_is_restricted() ||
	    !gate_enter())
		return;
	look_in_file(module);
	gate_leave();
	note_missing();
}
