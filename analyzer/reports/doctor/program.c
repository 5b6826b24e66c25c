/* SPDX-License-Identifier: MIT */
/* Whether the shim can record a program, told from its file. Must not run it. */
#include "analyzer/reports/doctor/parts.h"

#include "common/base/text.h"
#include "common/recipe.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "collector/symbols/build.h"
#include "collector/symbols/target.h"

#include <errno.h>
#include <string.h>

struct finding {
	bool applies;
	enum note_level level;
	const char *name, *text, *advice;
};

/* "NAME text" with the name cleaned. */
static void add_note(struct doc *doc, const char *program, const struct finding *finding)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	utf8_clean(&text, program);
	strbuf_putc(&text, ' ');
	strbuf_puts(&text, finding->text);
	doc_note(doc, finding->name, finding->level, strbuf_text(&text), finding->advice);
}

static size_t add_findings(struct doc *doc, const struct target_report *target,
			   bool only_faults)
{
	const char *program = target->is_script ? target->interpreter : target->path;
	const struct finding findings[] = {
		{!target->is_elf, NOTE_WARNING, "not_a_program",
		 "is neither an ELF program nor a script.",
		 "Give the program itself, not a wrapper or a data file."},
		{target->is_elf && !target->machine_ok, NOTE_WARNING, "other_machine",
		 "is not a 64-bit x86 program.", "Build it for x86-64."},
		{target->is_static, NOTE_WARNING, "static",
		 "is linked statically: LD_PRELOAD has no effect on it.",
		 "Link it dynamically (without -static) for the recording."},
		{target->is_other_libc, NOTE_WARNING, "other_libc",
		 "uses another C library than glibc: the shim would not load.",
		 "Build it against glibc."},
		{target->is_privileged, NOTE_WARNING, "privileged",
		 "is setuid, setgid or has file capabilities: the loader ignores "
		 "LD_PRELOAD for it.",
		 "Record a copy without these (cp makes one), or as the user it runs "
		 "as."},
		{target->is_own, NOTE_WARNING, "own_program",
		 "is a part of profshim, which does not record itself.",
		 "Record the program that it starts."},
		{target->is_elf && !target->has_hooks && !target->is_static, NOTE_WARNING,
		 "no_hooks",
		 "has no hooks compiled in: allocations and samples of CPU time are "
		 "recorded, "
		 "calls not.",
		 "Compile it with -finstrument-functions: 'prof-analyze exclude-list "
		 "--program' has the flags for its compiler and for CMake, Meson and "
		 "Autotools."},
		{target->defines_hooks, NOTE_WARNING, "own_hooks",
		 "defines __cyg_profile_func_enter itself: its calls do not reach the "
		 "shim.",
		 "Link it without those functions for the recording."},
		{target->defines_malloc, NOTE_WARNING, "own_allocator",
		 "brings its own malloc: the shim does not see its allocations.",
		 "Link it without that allocator for the recording."},
		{target->links_pg, NOTE_PLAIN, "gprof",
		 "is compiled with -pg: gprof's own counting slows it down.",
		 "Compile it without -pg for the recording."},
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(findings) / sizeof(findings[0]); i++)
		if (findings[i].applies) {
			add_note(doc, program, &findings[i]);
			count++;
		}
	if (!count && !only_faults) {
		static const struct finding fine = {
			true, NOTE_GOOD, "healthy",
			"can be recorded: it has hooks, is dynamic and uses the C "
			"library's malloc.",
			NULL};

		add_note(doc, program, &fine);
	}
	return count;
}

/* Says which headers most hooks come from, if most cost more than they tell. */
static void add_headers(struct doc *doc, const struct target_report *target)
{
	struct build_report build;
	ended_by(strbuf_free) struct strbuf text = {0};

	if (!target->is_elf || target->is_script || !target->has_hooks ||
	    build_examine(target->path, &build) < 0 || !build_has_many_headers(&build))
		return;
	utf8_clean(&text, target->path);
	strbuf_puts(&text, " has hooks in ");
	units_counted(&text, (int64_t)build.library_count, "function");
	strbuf_puts(&text, " of system headers, of ");
	units_count(&text, (int64_t)build.named_count);
	strbuf_puts(&text, " with hooks: these cost more than they show.");
	doc_note(doc, "header_hooks", NOTE_WARNING, strbuf_text(&text),
		 doc_copy(doc, recipe_advice(build.compiler)));
}

size_t doctor_program_notes(struct doc *doc, const char *path, bool only_faults)
{
	struct target_report target = {0};

	if (!path || target_examine(path, &target) < 0)
		return 0;
	return add_findings(doc, &target, only_faults);
}

static void add_values(struct doc *doc, const struct target_report *target)
{
	struct section *section = doc_values(doc, "program", NULL);
	const struct {
		const char *name;
		bool value;
	} flags[] = {
		{"is_script", target->is_script},
		{"is_elf", target->is_elf},
		{"machine_ok", target->machine_ok},
		{"is_static", target->is_static},
		{"is_other_libc", target->is_other_libc},
		{"is_privileged", target->is_privileged},
		{"has_hooks", target->has_hooks},
		{"defines_hooks", target->defines_hooks},
		{"defines_malloc", target->defines_malloc},
		{"links_pg", target->links_pg},
	};

	section->flags = SECTION_MACHINE;
	doc_add_text(doc, section, "path", NULL, target->path);
	doc_add_text(doc, section, "interpreter", NULL,
		     target->is_script ? target->interpreter : NULL);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		doc_add(section, flags[i].name, NULL, COLUMN_FLAG,
			cell_integer(flags[i].value));
}

void doctor_examine(struct report_input *input, struct target_report *ret)
{
	const char *program = input->options->program;
	int result = target_examine(program, ret);

	if (result == -ENOENT && ret->is_script)
		command_fail(STATUS_FAILED, "%s: its interpreter was not found",
			     ret->path);
	if (result == -ENOENT)
		command_fail(STATUS_FAILED, "%s: no such program", program);
	if (result < 0)
		command_fail(STATUS_FAILED, "%s: %s", program,
			     result == -EACCES ? "is not executable" : strerror(-result));
}

void doctor_program(struct report_input *input, struct doc *doc)
{
	struct target_report target = {0};

	doctor_examine(input, &target);
	add_values(doc, &target);
	add_findings(doc, &target, false);
	add_headers(doc, &target);
}
