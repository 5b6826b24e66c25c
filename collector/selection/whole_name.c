/* SPDX-License-Identifier: MIT */
/* The three texts of a name that a rule may mean. */
#include "collector/selection/whole_name.h"

#include <string.h>

#include "common/names/cxx_canonical.h"
#include "common/names/cxx_name.h"

void whole_name_begin(struct whole_name *ret, const struct selection *selection)
{
	*ret = (struct whole_name){*selection, *selection, {0}};
	for (uint32_t i = 0; i < selection->count; i++) {
		struct selection_rule *rule = &ret->of_parameters.rules[i];

		if (!memchr(rule->text, '(', rule->length))
			rule->kind = SELECTION_KINDS;
	}
}

void whole_name_done(struct whole_name *names)
{
	strbuf_free(&names->text);
}

static uint64_t fit(struct whole_name *names, const struct selection *rules,
		    const char *text, const char *end)
{
	strbuf_reset(&names->text);
	strbuf_add(&names->text, text, (size_t)(end - text));
	return selection_fit(rules, SELECTION_WHOLE_NAME, strbuf_text(&names->text));
}

/* Where the template arguments of the function itself begin; the parameters: it has
 * none. */
static const char *find_arguments(const struct cxx_name *parts)
{
	const char *at = parts->last;

	while (at < parts->parameters && *at != '<') {
		if (cxx_name_is_operator(parts->name, at))
			at = cxx_name_skip_operator(at);
		else
			at++;
	}
	return at < parts->parameters ? at : parts->parameters;
}

/* A word is about a function as it is printed, too: "std::string::append". */
static uint64_t fit_canonical(struct whole_name *names, const char *name)
{
	struct strbuf canonical = {0};
	const char *text, *mark;
	uint64_t fitting;

	cxx_canonical(&canonical, name, CXX_NAME);
	text = strbuf_text(&canonical);
	mark = strstr(text, " [");
	fitting = fit(names, &names->all, text, mark ? mark : text + strlen(text));
	strbuf_reset(&canonical);
	cxx_canonical(&canonical, name, CXX_PARAMETERS);
	text = strbuf_text(&canonical);
	fitting |= fit(names, &names->of_parameters, text, text + strlen(text));
	strbuf_free(&canonical);
	return fitting;
}

uint64_t whole_name_fit(struct whole_name *names, const char *name)
{
	struct cxx_name parts = cxx_name_parts(name);
	const char *end = parts.name + strlen(parts.name);
	const char *mark = strstr(parts.parameters, " [");
	const char *arguments = find_arguments(&parts);

	return fit(names, &names->of_parameters, parts.name, mark ? mark : end) |
	       fit(names, &names->all, parts.name, parts.parameters) |
	       fit(names, &names->all, parts.name, arguments) |
	       fit_canonical(names, name);
}
