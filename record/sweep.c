/* SPDX-License-Identifier: MIT */
/* Reads --sweep and fills in its placeholders. Must not take braces of other meanings for
 * placeholders silently: {word} that is not swept is refused. */
#include "record/sweep.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

static size_t name_size(const char *text)
{
	size_t size = 0;

	while (isalpha((unsigned char)text[size]) || text[size] == '_' ||
	       (size && isdigit((unsigned char)text[size])))
		size++;
	return size;
}

/* The size of the placeholder that begins at text, 0: none. *ret_name: behind the
 * braces. */
static size_t placeholder_size(const char *text, const char **ret_name, size_t *ret_size)
{
	size_t braces = strspn(text, "{"), size = braces ? name_size(text + braces) : 0;

	if (!size || braces > 2 || strspn(text + braces + size, "}") < braces)
		return 0;
	*ret_name = text + braces;
	*ret_size = size;
	return 2 * braces + size;
}

static size_t find(const struct sweep *sweep, const char *name, size_t size)
{
	size_t i = 0;

	while (i < sweep->count && (strlen(sweep->parameters[i].name) != size ||
				    memcmp(sweep->parameters[i].name, name, size) != 0))
		i++;
	return i;
}

static const char *take_values(struct sweep_parameter *parameter)
{
	char *rest = parameter->text, *value, *end;

	while ((value = strsep(&rest, ","))) {
		double number = strtod(value, &end);

		if (end == value || *end || !isfinite(number) || number <= 0)
			return xasprintf("\"%s\" is not a number above 0", value);
		for (size_t i = 0; i < parameter->count; i++)
			if (strtod(parameter->values[i], NULL) == number)
				return xasprintf("%s is there twice", value);
		parameter->values = xreallocarray(parameter->values, parameter->count + 1,
						  sizeof(*parameter->values));
		parameter->values[parameter->count++] = value;
	}
	return parameter->count > 1
		       ? NULL
		       : "one value shows no growth: give at least two, better four";
}

const char *sweep_add(struct sweep *sweep, const char *text)
{
	size_t size = name_size(text);
	struct sweep_parameter *parameter;

	if (!size || text[size] != '=' || !text[size + 1])
		return "write NAME=VALUE,VALUE,..., such as n=1000,2000,4000";
	if (find(sweep, text, size) < sweep->count)
		return "its parameter is swept already";
	sweep->parameters = xreallocarray(sweep->parameters, sweep->count + 1,
					  sizeof(*sweep->parameters));
	parameter = &sweep->parameters[sweep->count++];
	*parameter = (struct sweep_parameter){.name = xstrndup(text, size),
					      .text = xstrdup(text + size + 1)};
	return take_values(parameter);
}

size_t sweep_points(const struct sweep *sweep)
{
	size_t points = 1;

	for (size_t i = 0; i < sweep->count; i++)
		if (__builtin_mul_overflow(points, sweep->parameters[i].count, &points))
			return SIZE_MAX;
	return points;
}

/* Notes the parameters that stand in the text (NULL: none do). Returns what is wrong. */
static const char *look(const struct sweep *sweep, const char *text, bool *seen)
{
	const char *name;
	size_t size, taken, number;

	for (; text && *text; text += taken ? taken : 1) {
		taken = placeholder_size(text, &name, &size);
		if (!taken || taken > size + 2)
			continue;
		number = find(sweep, name, size);
		if (number == sweep->count)
			return xasprintf("{%.*s} is no parameter of --sweep; write "
					 "{{%.*s}} for the text itself",
					 (int)size, name, (int)size, name);
		seen[number] = true;
	}
	return NULL;
}

const char *sweep_check(const struct sweep *sweep, char *const *words, const char *input)
{
	auto_free bool *seen = xcalloc(sweep->count + 1, sizeof(*seen));
	const char *wrong = look(sweep, words[0], seen);

	for (size_t i = 0; !wrong && i < sweep->count; i++)
		if (seen[i])
			wrong = xasprintf("{%s} stands in the program's name, which must "
					  "be the same for all runs",
					  sweep->parameters[i].name);
	for (words++; !wrong && *words; words++)
		wrong = look(sweep, *words, seen);
	if (!wrong)
		wrong = look(sweep, input, seen);
	for (size_t i = 0; !wrong && i < sweep->count; i++)
		if (!seen[i])
			wrong = xasprintf("no argument has {%s}: every run would be the "
					  "same",
					  sweep->parameters[i].name);
	return wrong;
}

const char *sweep_value(const struct sweep *sweep, size_t point, size_t parameter)
{
	for (size_t i = sweep->count; --i > parameter;)
		point /= sweep->parameters[i].count;
	return sweep->parameters[parameter]
		.values[point % sweep->parameters[parameter].count];
}

char *sweep_fill(const struct sweep *sweep, size_t point, const char *text)
{
	char *filled = NULL;
	size_t room = 0, size, taken;
	const char *name;
	FILE *out = open_memstream(&filled, &room);

	if (!out)
		abort();
	while (*text) {
		taken = placeholder_size(text, &name, &size);
		if (!taken)
			fputc(*text++, out);
		else if (taken > size + 2) /* {{NAME}} */
			fprintf(out, "{%.*s}", (int)size, name);
		else
			fputs(sweep_value(sweep, point, find(sweep, name, size)), out);
		text += taken;
	}
	fclose(out);
	return filled;
}

char **sweep_command(const struct sweep *sweep, size_t point, char *const *words)
{
	char **command;
	size_t count = 0;

	while (words[count])
		count++;
	command = xcalloc(count + 1, sizeof(*command));
	for (size_t i = 0; i < count; i++)
		command[i] = sweep_fill(sweep, point, words[i]);
	return command;
}

char *sweep_name(const struct sweep *sweep, size_t point)
{
	char *all = xstrdup("");

	for (size_t i = 0; i < sweep->count; i++)
		all = xasprintf("%s%s%s=%s", all, i ? " " : "", sweep->parameters[i].name,
				sweep_value(sweep, point, i));
	return all;
}
