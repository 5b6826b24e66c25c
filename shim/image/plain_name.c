/* SPDX-License-Identifier: MIT */
/* Reads the source names of a linkage name of the Itanium C++ ABI. */
#include "shim/image/image.h"

struct reader {
	const char *at;
	char *to, *end;
	const char *last; /* the component before, and its length */
	size_t last_length;
};

static int put(struct reader *reader, const char *text, size_t length)
{
	if ((size_t)(reader->end - reader->to) <= length)
		return 0;
	for (size_t i = 0; i < length; i++)
		*reader->to++ = text[i];
	return 1;
}

static int is_digit(char character)
{
	return character >= '0' && character <= '9';
}

static int put_component(struct reader *reader, const char *text, size_t length,
			 int is_first)
{
	if (!is_first && !put(reader, "::", 2))
		return 0;
	reader->last = text;
	reader->last_length = length;
	return put(reader, text, length);
}

static int read_source_name(struct reader *reader, int is_first)
{
	static const char anonymous[] = "(anonymous namespace)", prefix[] = "_GLOBAL__N";
	size_t length = 0, i;
	const char *text;

	while (is_digit(*reader->at) && length < 4096)
		length = length * 10 + (size_t)(*reader->at++ - '0');
	text = reader->at;
	for (i = 0; i < length && text[i]; i++)
		;
	if (i < length || !length)
		return 0;
	reader->at += length;
	for (i = 0; prefix[i] && i < length && text[i] == prefix[i]; i++)
		;
	if (!prefix[i])
		return put_component(reader, anonymous, sizeof(anonymous) - 1, is_first);
	return put_component(reader, text, length, is_first);
}

/* The tag of an ABI, "B5cxx11": nobody writes it. */
static int skip_tag(struct reader *reader)
{
	size_t length = 0;

	reader->at++;
	while (is_digit(*reader->at) && length < 4096)
		length = length * 10 + (size_t)(*reader->at++ - '0');
	for (; length && *reader->at; length--)
		reader->at++;
	return !length;
}

/* C1, C2, C3 and D0, D1, D2: named after their class. */
static int read_special(struct reader *reader)
{
	const char *last = reader->last;
	size_t length = reader->last_length;
	int is_destructor = *reader->at == 'D';

	if (!last || !is_digit(reader->at[1]))
		return 0;
	reader->at += 2;
	return put(reader, "::~", is_destructor ? 3 : 2) && put(reader, last, length);
}

/* The names one after the other, as far as they are plain. */
static int read_nested(struct reader *reader)
{
	int is_first = 1;

	while (*reader->at == 'r' || *reader->at == 'V' || *reader->at == 'K' ||
	       *reader->at == 'R' || *reader->at == 'O')
		reader->at++;
	for (;; is_first = 0) {
		if (*reader->at == 'L' && is_digit(reader->at[1]))
			reader->at++;
		if (reader->at[0] == 'S' && reader->at[1] == 't' && is_first) {
			reader->at += 2;
			if (!put_component(reader, "std", 3, 1))
				return 0;
		} else if (is_digit(*reader->at)) {
			if (!read_source_name(reader, is_first))
				return 0;
		} else if (*reader->at == 'B' && is_digit(reader->at[1]) && !is_first) {
			if (!skip_tag(reader))
				return 0;
		} else if (*reader->at == 'E') {
			return !is_first;
		} else if ((*reader->at == 'C' || *reader->at == 'D') && !is_first) {
			return read_special(reader);
		} else if (*reader->at == 'I' && !is_first) {
			return put(reader, "<", 1);
		} else {
			return !is_first && put(reader, "::", 2);
		}
	}
}

int plain_name(const char *linkage_name, char *ret, size_t size)
{
	struct reader reader = {linkage_name, ret, ret + size, NULL, 0};
	int is_plain;

	if (linkage_name[0] != '_' || linkage_name[1] != 'Z')
		return 0;
	reader.at += 2;
	if (*reader.at == 'L')
		reader.at++;
	if (*reader.at == 'N') {
		reader.at++;
		is_plain = read_nested(&reader);
	} else if (reader.at[0] == 'S' && reader.at[1] == 't') {
		reader.at += 2;
		is_plain = put_component(&reader, "std", 3, 1) &&
			   read_source_name(&reader, 0);
	} else {
		is_plain = is_digit(*reader.at) && read_source_name(&reader, 1);
		if (is_plain && *reader.at == 'I')
			is_plain = put(&reader, "<", 1);
	}
	*reader.to = '\0'; /* put() leaves room */
	return is_plain;
}
