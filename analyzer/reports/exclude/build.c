/* SPDX-License-Identifier: MIT */
/* exclude-list for a program's file: how it was built, and flags to build it with. Must
 * not run it. */
#include "analyzer/reports/exclude/parts.h"

#include "common/base/xalloc.h"
#include "common/recipe.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/doctor/parts.h"
#include "collector/symbols/build.h"
#include "collector/symbols/target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct told {
	struct doc *doc;
	struct section *section;
};

/* Adds a line for people; the document cleans text from the file. */
static __attribute__((format(printf, 3, 4))) void
say(const struct told *told, const char *title, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	doc_add_human(told->doc, told->section, title, text);
}

static void say_compilers(const struct told *told, const struct build_report *build)
{
	ended_by(strbuf_free) struct strbuf text = {0};
	const char *word = compiler_word(build->compiler);

	for (size_t i = 0; i < build->compiler_count; i++)
		strbuf_printf(&text, "%s%s, %zu unit%s", i ? "; " : "",
			      build->compilers[i].name, build->compilers[i].unit_count,
			      build->compilers[i].unit_count == 1 ? "" : "s");
	if (text.size)
		say(told, "compiler", "%s", strbuf_text(&text));
	else
		say(told, "compiler", "%s%s", word ? word : "not known",
		    word ? ", as its .comment section says"
			 : ": the file does not name it");
}

/* Appends a flag, with the number of units if not all have it. */
static void put_flag(struct strbuf *text, const char *flag, size_t count, size_t whole)
{
	if (count)
		strbuf_printf(text, ", %s", flag);
	if (count && count < whole)
		strbuf_printf(text, " (%zu units)", count);
}

static void say_flags(const struct told *told, const struct build_report *build)
{
	ended_by(strbuf_free) struct strbuf text = {0};
	size_t count = build->told_count;

	if (count) {
		strbuf_printf(&text, "-O%s", build->level == 'f' ? "fast" : "");
		if (build->level != 'f')
			strbuf_putc(&text, build->level);
		put_flag(&text, RECIPE_HOOKS,
			 build->hooks_count - build->after_inlining_count, count);
		put_flag(&text, recipe_headers(COMPILER_CLANG),
			 build->after_inlining_count, count);
		put_flag(&text, "-finstrument-functions-exclude-file-list",
			 build->exclude_count, count);
		put_flag(&text, "-flto", build->lto_count, count);
		say(told, "flags", "%s", strbuf_text(&text));
	} else {
		say(told, "flags", "not recorded%s",
		    !build->has_debug ? ": gcc writes them with -g, clang with -g "
					"-grecord-command-line"
		    : build->compiler == COMPILER_CLANG
			    ? ": clang does with -grecord-command-line"
			    : "");
	}
}

static void say_hooks(const struct told *told, const struct build_report *build,
		      const struct target_report *target)
{
	size_t inlined = build->call_count > build->hooked_count
				 ? build->call_count - build->hooked_count
				 : 0;

	if (target->defines_hooks)
		say(told, "own hooks", "it has its own __cyg_profile_func_enter");
	if (!build->call_count) {
		say(told, "hooks", "none of its own functions calls them");
		return;
	}
	say(told, "hooks", "%zu of %zu functions call __cyg_profile_func_enter",
	    build->hooked_count, build->function_count);
	if (inlined)
		say(told, "inlined",
		    "%zu more calls of it are of functions that the compiler inlined: "
		    "their "
		    "hooks stay, and keep many others from being inlined",
		    inlined);
	if (!build->named_count)
		say(told, "headers", "not known: its functions have no names");
	else
		say(told, "headers",
		    "%zu of %zu functions with hooks are of system headers or libraries, "
		    "%zu of templates%s",
		    build->library_count, build->named_count, build->template_count,
		    build->has_debug ? "" : "; judged by their names, as there is no -g");
}

static void say_frames(const struct told *told, const struct build_report *build)
{
	if (build->function_count)
		say(told, "frames",
		    "%.0f%% of its functions keep a frame pointer; profshim "
		    "needs none",
		    units_share((double)build->frame_count,
				(double)build->function_count));
}

static void say_libraries(const struct told *told, const struct build_report *build)
{
	ended_by(strbuf_free) struct strbuf text = {0};
	size_t named = build->hooked_libraries < BUILD_LIBRARIES_MOST
			       ? build->hooked_libraries
			       : BUILD_LIBRARIES_MOST;

	for (size_t i = 0; i < named; i++)
		strbuf_printf(&text, "%s%s", i ? ", " : ": ", build->libraries[i]);
	say(told, "libraries", "of the %zu that it links %zu call%s hooks%s%s",
	    build->needed_count, build->hooked_libraries,
	    build->hooked_libraries == 1 ? "s" : "", strbuf_text(&text),
	    named < build->hooked_libraries ? ", ..." : "");
}

static void add_facts(struct doc *doc, const struct target_report *target,
		      const struct build_report *build)
{
	const struct told told = {doc, doc_values(doc, "build", "Build")};
	struct section *section = told.section;

	say(&told, "file", "%s, %s%s%s", target->path,
	    build->is_library ? "a shared library"
	    : build->is_pie   ? "a program (PIE)"
			      : "a program at fixed addresses",
	    build->has_debug ? ", with -g" : ", without -g",
	    build->is_stripped ? ", stripped" : "");
	say_compilers(&told, build);
	say_flags(&told, build);
	say_frames(&told, build);
	say_hooks(&told, build, target);
	say_libraries(&told, build);
	if (build->is_cut)
		say(&told, "limits", "it is too large to be read whole");
	doc_add_machine(
		section, "compiler", COLUMN_TEXT,
		(struct cell){.text = doc_copy(doc, compiler_word(build->compiler))});
	doc_add_machine(section, "function_count", COLUMN_COUNT,
			cell_integer((int64_t)build->function_count));
	doc_add_machine(section, "hooked_count", COLUMN_COUNT,
			cell_integer((int64_t)build->hooked_count));
	doc_add_machine(section, "header_count", COLUMN_COUNT,
			cell_integer((int64_t)build->library_count));
	doc_add_machine(section, "hooked_library_count", COLUMN_COUNT,
			cell_integer((int64_t)build->hooked_libraries));
}

/* Adds the lines to copy for one compiler. */
static void add_recipe(struct doc *doc, bool is_clang, bool is_cxx)
{
	const char *flags =
		is_cxx ? recipe_flags(is_clang ? COMPILER_CLANG : COMPILER_GCC)
		       : RECIPE_HOOKS;
	const char *word = is_clang ? is_cxx ? "clang++" : "clang"
			   : is_cxx ? "g++"
				    : "gcc";
	const char *names[] = {is_clang ? "clang" : "gcc", "cmake", "meson", "autotools"};
	char *lines[] = {
		xasprintf("%s -O2 -g %s ...", word, flags),
		xasprintf("cmake -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo "
			  "-DCMAKE_%s_FLAGS=\"%s\"",
			  is_cxx ? "CXX" : "C", flags),
		xasprintf("meson setup build -Dbuildtype=debugoptimized -D%s_args=\"%s\"",
			  is_cxx ? "cpp" : "c", flags),
		xasprintf("./configure %s=%s %s=\"-O2 -g %s\"", is_cxx ? "CXX" : "CC",
			  word, is_cxx ? "CXXFLAGS" : "CFLAGS", flags)};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		doc_note(doc, names[i], NOTE_PLAIN, lines[i], NULL)->flags =
			SECTION_VERBATIM;
		free(lines[i]);
	}
}

/* Says what to change in the build, if anything. */
static void add_changes(struct doc *doc, const struct build_report *build, bool has_hooks)
{
	bool is_known =
		build->compiler == COMPILER_GCC || build->compiler == COMPILER_CLANG;

	if (has_hooks && !build_has_many_headers(build) && build->has_debug &&
	    build->level != '0') {
		doc_note(doc, "no_change", NOTE_GOOD,
			 "Its flags need no change. A recording shows what its hooks "
			 "cost: 'prof-analyze exclude-list run.db' says which functions "
			 "to leave out.",
			 NULL);
		return;
	}
	doc_note(doc, "change", NOTE_PLAIN,
		 !has_hooks
			 ? "It has no hooks, so allocations are recorded and calls are "
			   "not. Build it with:"
		 : build_has_many_headers(build)
			 ? "Hooks in system headers cost more than they show, and keep "
			   "the "
			   "compiler from inlining. Leave them out:"
		 : !build->has_debug ? "Add -g, for files and lines:"
				     : "It was built without -O2: what is slow in it may "
				       "be fast in what you ship. Build it with:",
		 NULL);
	if (build->compiler != COMPILER_CLANG)
		add_recipe(doc, false, build->is_cxx);
	if (build->compiler == COMPILER_CLANG || !is_known)
		add_recipe(doc, true, build->is_cxx);
}

enum exit_status exclude_program(struct report_input *input, struct doc *doc)
{
	struct target_report target = {0};
	struct build_report build;
	bool has_hooks;
	int error;

	doctor_examine(input, &target);
	if (target.is_script)
		return report_nothing(
			input,
			"%s is a script that %s runs: give the program that it "
			"starts",
			target.path, target.interpreter);
	error = target.is_elf && target.machine_ok ? build_examine(target.path, &build)
						   : -ENOEXEC;
	if (error == -EFBIG)
		return report_nothing(input,
				      "reading %s takes too long, or it is damaged",
				      target.path);
	if (error < 0)
		return report_nothing(
			input, "%s is no 64-bit x86 program whose calls can be recorded",
			target.path);
	/* libraries have no loader of their own either */
	if (target.is_static && !build.needed_count)
		return report_nothing(
			input,
			"%s is linked statically: LD_PRELOAD has no effect on it; "
			"link it dynamically for the recording",
			target.path);
	has_hooks = build.call_count || build.hooked_libraries;
	add_facts(doc, &target, &build);
	if (target.defines_hooks)
		doc_note(doc, "own_hooks", NOTE_WARNING,
			 "It defines __cyg_profile_func_enter itself: its calls do not "
			 "reach "
			 "the shim.",
			 "Link it without those functions for the recording.");
	else
		add_changes(doc, &build, has_hooks);
	return has_hooks && !target.defines_hooks ? STATUS_OK : STATUS_NOTHING;
}
