/* SPDX-License-Identifier: MIT */
/*
 * Demangled names in one spelling. Must not recurse, or search backwards for matching
 * brackets: these are matched once, in advance.
 */
#include "common/names/cxx_canonical.h"

#include "common/names/cxx_name.h"
#include "common/base/xalloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 65536

/* Inline namespaces, which nobody writes in code. "*": digits and underscores; "+": any
 * part of an identifier. */
static const char *const noise[] = {"__cxx11", "__*",	"__ndk1", "__cxx1998",
				    "_V*",     "lts_*", "__cust", "json_abi_+"};
/* Noise only after these: "v9" of fmt, std::__detail. */
static const char *const noise_behind[][2] = {{"std::", "__detail"}, {"fmt::", "v*"}};

/* Last template arguments of the library that equal their defaults: the word alone
 * decides, or, of_first, it must be applied to the first argument. */
static const struct {
	const char *word;
	bool of_first;
} defaults[] = {
	{"std::allocator<", false},	{"std::char_traits<", true},
	{"std::default_delete<", true}, {"std::less<", true},
	{"std::hash<", true},		{"std::equal_to<", true},
	{"std::regex_traits<", true},	{"(__gnu_cxx::_Lock_policy)2", false},
};

/* The names that people use. */
static const char *const aliases[][2] = {
	{"std::basic_string<char>", "std::string"},
	{"std::basic_string<wchar_t>", "std::wstring"},
	{"std::basic_string_view<char>", "std::string_view"},
	{"std::basic_ostream<char>", "std::ostream"},
	{"std::basic_istream<char>", "std::istream"},
	{"std::basic_iostream<char>", "std::iostream"},
	{"std::basic_ios<char>", "std::ios"},
	{"std::basic_streambuf<char>", "std::streambuf"},
	{"std::basic_stringbuf<char>", "std::stringbuf"},
	{"std::basic_ostringstream<char>", "std::ostringstream"},
	{"std::basic_istringstream<char>", "std::istringstream"},
	{"std::basic_stringstream<char>", "std::stringstream"},
	{"std::basic_filebuf<char>", "std::filebuf"},
	{"std::basic_ifstream<char>", "std::ifstream"},
	{"std::basic_ofstream<char>", "std::ofstream"},
	{"std::basic_fstream<char>", "std::fstream"},
	{"std::basic_regex<char>", "std::regex"},
	{"nlohmann::basic_json<std::map, std::vector, std::string, bool, long, "
	 "unsigned long, double, std::allocator, nlohmann::adl_serializer, "
	 "std::vector<unsigned char>>",
	 "nlohmann::json"},
	{"nlohmann::basic_json<std::map, std::vector, std::string, bool, long, "
	 "unsigned long, double, std::allocator, nlohmann::adl_serializer, "
	 "std::vector<unsigned char>, void>",
	 "nlohmann::json"},
};

/* An open bracket. name: where in the output its template's name begins; first_end: where
 * its first argument ends. */
struct frame {
	size_t name, first_end;
	size_t arguments; /* so far, including the current one */
	bool is_template;
};

struct writer {
	const char *text;
	const uint32_t *partners; /* of brackets: cxx_brackets() */
	enum cxx_detail detail;
	struct strbuf out;
	size_t name;	 /* where in out the current qualified name begins */
	size_t operator; /* where in out the last sign of an operator ends */
	struct frame *frames;
	size_t *starts; /* starts of arguments, of all frames in order */
	size_t depth, start_count;
};

static bool ends_with(const struct strbuf *out, const char *end)
{
	size_t size = strlen(end);

	return out->size >= size && memcmp(out->data + out->size - size, end, size) == 0;
}

/* The length of the word at text if it fits the pattern and is a namespace. */
static size_t namespace_size(const char *text, const char *pattern)
{
	size_t size = strcspn(pattern, "*+"), more = 0;

	if (strncmp(text, pattern, size) != 0)
		return 0;
	if (pattern[size] == '*')
		more = strspn(text + size, "0123456789_");
	else if (pattern[size] == '+')
		while (cxx_is_word(text[size + more]))
			more++;
	if ((pattern[size] && !more) || !cxx_starts(text + size + more, "::"))
		return 0;
	return size + more + 2;
}

/* The length of a meaningless namespace at the start of a word. */
static size_t noise_size(const struct writer *writer, const char *at)
{
	size_t size = 0;

	/* not as the first part of a name: "__1::f" is user code */
	if (!ends_with(&writer->out, "::"))
		return 0;
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]) && !size; i++)
		size = namespace_size(at, noise[i]);
	for (size_t i = 0; i < sizeof(noise_behind) / sizeof(noise_behind[0]) && !size;
	     i++)
		if (ends_with(&writer->out, noise_behind[i][0]))
			size = namespace_size(at, noise_behind[i][1]);
	return size;
}

static void open_bracket(struct writer *writer, char bracket)
{
	strbuf_putc(&writer->out, bracket);
	writer->frames[writer->depth++] = (struct frame){
		.name = writer->name, .arguments = 1, .is_template = bracket == '<'};
	writer->starts[writer->start_count++] = writer->out.size;
	writer->name = writer->out.size;
}

static void begin_argument(struct writer *writer)
{
	struct frame *frame = &writer->frames[writer->depth - 1];

	if (frame->arguments == 1)
		frame->first_end = writer->out.size;
	frame->arguments++;
	strbuf_puts(&writer->out, ", ");
	writer->starts[writer->start_count++] = writer->out.size;
	writer->name = writer->out.size;
}

/* Does the template's last argument, [at, end of out), equal its default? */
static bool is_default(const struct writer *writer, const struct frame *frame, size_t at)
{
	const char *text = writer->out.data + at;
	size_t size = writer->out.size - at;
	size_t first = writer->starts[writer->start_count - frame->arguments];

	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
		size_t word = strlen(defaults[i].word), of = frame->first_end - first;

		if (size < word || memcmp(text, defaults[i].word, word) != 0)
			continue;
		if (!defaults[i].of_first)
			return size == word || text[size - 1] == '>';
		return size == word + of + 1 &&
		       memcmp(text + word, writer->out.data + first, of) == 0;
	}
	return false;
}

static void use_alias(struct writer *writer, size_t name)
{
	size_t size = writer->out.size - name;

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strlen(aliases[i][0]) == size &&
		    memcmp(writer->out.data + name, aliases[i][0], size) == 0) {
			strbuf_truncate(&writer->out, name);
			strbuf_puts(&writer->out, aliases[i][1]);
			return;
		}
}

static void close_bracket(struct writer *writer, char bracket)
{
	struct frame *frame = &writer->frames[--writer->depth];
	bool is_library;

	if (frame->is_template) {
		const char *name = strbuf_text(&writer->out) + frame->name;

		is_library = cxx_starts(name, "std::") || cxx_starts(name, "__gnu_cxx::");
		/* their arguments are all meaningful */
		if (cxx_starts(name, "std::pair<") || cxx_starts(name, "std::tuple<"))
			is_library = false;
		while (is_library && frame->arguments > 1) {
			size_t last = writer->starts[writer->start_count - 1];

			if (!is_default(writer, frame, last))
				break;
			strbuf_truncate(&writer->out, last - 2); /* ", " */
			writer->start_count--;
			frame->arguments--;
		}
	}
	strbuf_putc(&writer->out, bracket);
	if (frame->is_template)
		use_alias(writer, frame->name);
	writer->start_count -= frame->arguments;
	writer->name = frame->name;
}

/* Writes the "{lambda(int)#2}" at `at`, short or up to its parameters. Returns how much
 * of it was read. */
static size_t put_lambda(struct writer *writer, const char *at)
{
	size_t word = strlen("{lambda"), from = (size_t)(at - writer->text) + word;
	size_t end;

	if (!cxx_starts(at, "{lambda(") || writer->partners[from] == from ||
	    writer->detail == CXX_PARAMETERS)
		return 0;
	end = writer->partners[from];
	open_bracket(writer, '{');
	strbuf_puts(&writer->out, "lambda");
	return end + 1 - (size_t)(at - writer->text);
}

/* Drops the return type of a function that an argument is local to. */
static void drop_return_type(struct writer *writer)
{
	size_t from, size = writer->out.size - writer->name;

	if (!writer->depth)
		return;
	from = writer->starts[writer->start_count - 1];
	if (writer->name <= from)
		return;
	memmove(writer->out.data + from, writer->out.data + writer->name, size);
	strbuf_truncate(&writer->out, from + size);
	writer->name = from;
}

/* The length of the parameters at `at` that are to be left out, including qualifiers
 * after them; 0: keep them. */
static size_t parameters_size(struct writer *writer, const char *at)
{
	const char *text = writer->text, *end, *behind;
	size_t close = writer->partners[at - text];

	if (text + close == at || at == text || at[-1] == ' ' ||
	    ends_with(&writer->out, "::") || ends_with(&writer->out, "decltype") ||
	    !writer->out.size ||
	    (strchr("(<,", writer->out.data[writer->out.size - 1]) &&
	     writer->out.size != writer->operator))
		return 0;
	end = text + close + 1;
	behind = cxx_name_skip_qualifiers(end);
	if (writer->depth && !cxx_starts(behind, "::"))
		return 0;
	if (cxx_starts(behind, "::")) {
		drop_return_type(writer);
		return writer->detail == CXX_NAME || ends_with(&writer->out, "}")
			       ? (size_t)(behind - at)
			       : 0;
	}
	/* a lambda's parameters are in its own name */
	if (writer->detail == CXX_NAME || ends_with(&writer->out, "}"))
		return (size_t)(behind - at);
	return 0;
}

/* Writes the operator at `at`; returns how much was read. */
static size_t put_operator(struct writer *writer, const char *at)
{
	const char *end = cxx_name_skip_operator(at);

	if (cxx_starts(at, "operator()") && ends_with(&writer->out, "}::")) {
		strbuf_truncate(&writer->out, writer->out.size - 2);
		return strlen("operator()");
	}
	/* a conversion: its type is a name again */
	if (cxx_starts(at, "operator ") && !cxx_starts(at, "operator new") &&
	    !cxx_starts(at, "operator delete"))
		end = at + strlen("operator ");
	strbuf_add(&writer->out, at, (size_t)(end - at));
	writer->operator= writer->out.size;
	if (end == at + strlen("operator "))
		writer->name = writer->out.size;
	return (size_t)(end - at);
}

/* Writes a bracket or a comma; returns how much was read, 0: it is neither. */
static size_t put_bracket(struct writer *writer, const char *at)
{
	static const char anonymous[] = "(anonymous namespace)";
	size_t here = (size_t)(at - writer->text), size = 0;

	if (cxx_starts(at, anonymous)) {
		strbuf_puts(&writer->out, anonymous);
		return sizeof(anonymous) - 1;
	}
	if (*at == '{')
		size = put_lambda(writer, at);
	else if (*at == '(')
		size = parameters_size(writer, at);
	if (size)
		return size;
	if (*at != ',' && writer->partners[here] == here)
		return 0;
	if (strchr("(<[{", *at)) {
		open_bracket(writer, *at);
		return 1;
	}
	if (strchr(")>]}", *at) && writer->depth) {
		close_bracket(writer, *at);
		return 1;
	}
	if (*at == ',' && writer->depth && at[1] == ' ') {
		begin_argument(writer);
		return 2;
	}
	return 0;
}

/* Writes clang's "$_1", the second lambda of a file. */
static size_t put_clang_lambda(struct writer *writer, const char *at)
{
	size_t digits = cxx_starts(at, "$_") ? strspn(at + 2, "0123456789") : 0;

	if (!digits || digits > 9 || cxx_is_word(at[2 + digits]))
		return 0;
	strbuf_printf(&writer->out, "{lambda#%ld}", strtol(at + 2, NULL, 10) + 1);
	return 2 + digits;
}

static size_t put_next(struct writer *writer, const char *at)
{
	bool starts_word =
		cxx_is_word(*at) && (at == writer->text || !cxx_is_word(at[-1]));
	size_t size;

	if (starts_word) {
		size = noise_size(writer, at);
		if (!size)
			size = put_clang_lambda(writer, at);
		if (size)
			return size;
		if (cxx_name_is_operator(writer->text, at))
			return put_operator(writer, at);
	}
	size = writer->partners[at - writer->text];
	if (cxx_starts(at, "[abi:") && writer->text + size != at)
		return size + 1 - (size_t)(at - writer->text);
	/* "> >" */
	if (*at == ' ' && at[1] == '>' && at > writer->text && at[-1] == '>' &&
	    writer->depth &&
	    writer->partners[at + 1 - writer->text] != at + 1 - writer->text)
		return 1;
	size = strchr("(<[{}]>),", *at) ? put_bracket(writer, at) : 0;
	if (size)
		return size;
	strbuf_putc(&writer->out, *at);
	/* a name ends where neither its letters nor "::" go on */
	if (!cxx_is_word(*at) && *at != ':' && *at != '~')
		writer->name = writer->out.size;
	return 1;
}

/* The length of a prefix that a name may begin with and that is no return type. */
static size_t prefix_size(const char *name)
{
	static const char *const prefixes[] = {
		"non-virtual thunk to ",
		"virtual thunk to ",
		"covariant return thunk to ",
		"TLS init function for ",
		"TLS wrapper function for ",
		"guard variable for ",
		"vtable for ",
		"typeinfo for ",
		"transaction clone for ",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (cxx_starts(name, prefixes[i]))
			return strlen(prefixes[i]);
	return 0;
}

/* Where the name after the return type begins: after the first space outside of all
 * brackets and before the parameters. */
static size_t find_name(const char *text, const uint32_t *partners)
{
	size_t name = 0;

	for (size_t i = 0; text[i];) {
		if (cxx_name_is_operator(text, text + i))
			break;
		if (partners[i] > i) {
			const char *behind = text + partners[i] + 1;

			if (text[i] == '(' &&
			    !cxx_starts(cxx_name_skip_qualifiers(behind), "::") &&
			    i > name && text[i - 1] != ' ' && text[i - 1] != ':' &&
			    !(i >= 8 && memcmp(text + i - 8, "decltype", 8) == 0))
				break;
			i = (size_t)(behind - text);
			if (text[i] == ' ' &&
			    cxx_starts(cxx_name_skip_qualifiers(behind), "::"))
				i = (size_t)(cxx_name_skip_qualifiers(behind) - text);
		} else if (text[i] == ' ') {
			if (text[i + 1] == '[') /* a mark of a copy */
				break;
			name = ++i;
		} else {
			i++;
		}
	}
	return text[name] ? name : 0;
}

static void write_name(struct writer *writer, size_t from)
{
	for (const char *at = writer->text + from; *at;) {
		if (!writer->depth && cxx_starts(at, " [clone "))
			break;
		at += put_next(writer, at);
	}
}

void cxx_canonical(struct strbuf *buffer, const char *full, enum cxx_detail detail)
{
	size_t prefix = prefix_size(full), size = strnlen(full, LONGEST + 1);
	struct writer writer = {.text = full + prefix, .detail = detail};
	auto_free uint32_t *partners = NULL;

	/* Without a bracket or "::" there is nothing to remove: C, an address with its
	 * library. Nor from a method of Go: "main.(*list).add". */
	if (strstr(full, ".(") || size > LONGEST || full[0] == '[' ||
	    cxx_starts(full, "0x") || !strpbrk(full, "(<:[")) {
		strbuf_puts(buffer, full);
		return;
	}
	partners = cxx_brackets(writer.text);
	writer.partners = partners;
	/* a byte opens at most one bracket and begins at most one argument */
	writer.frames = xreallocarray(NULL, size + 1, sizeof(*writer.frames));
	writer.starts = xreallocarray(NULL, size + 1, sizeof(*writer.starts));
	write_name(&writer, find_name(writer.text, partners));
	if (!writer.out.size) {
		strbuf_puts(buffer, full);
	} else {
		strbuf_add(buffer, full, prefix);
		strbuf_add(buffer, writer.out.data, writer.out.size);
	}
	strbuf_free(&writer.out);
	free(writer.frames);
	free(writer.starts);
}
