/* SPDX-License-Identifier: MIT */
/* What was found, and what follows from it. */
#include "record/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "collector/symbols/build/build.h"
#include "collector/symbols/target.h"
#include "common/base/strbuf.h"
#include "record/explain/lines.h"
#include "record/explain/recipe_lines.h"
#include "record/options.h"
#include "record/prepare.h"
#include "record/say.h"

static unsigned percent(size_t part, size_t whole)
{
	return whole ? (unsigned)((100 * (double)part) / (double)whole + 0.5) : 0;
}

static void say_file(const char *path, const struct build_report *build)
{
	lines_tell("%s: %s, %s, %s", path,
		   build->is_library ? "a shared library"
		   : build->is_pie   ? "a program, position-independent (PIE)"
				     : "a program at fixed addresses (no PIE)",
		   build->has_debug ? "with debug information (-g)"
				    : "without debug information",
		   build->is_stripped ? "stripped" : "with its symbols");
}

static void say_compilers(const struct build_report *build)
{
	struct strbuf text = {0};
	const char *word = compiler_word(build->compiler);

	for (size_t i = 0; i < build->compiler_count; i++)
		strbuf_printf(&text, "%s%s, %zu unit%s", i ? "; " : "",
			      build->compilers[i].name, build->compilers[i].unit_count,
			      build->compilers[i].unit_count == 1 ? "" : "s");
	if (text.size)
		lines_say("compiler", "%s", strbuf_text(&text));
	else if (word)
		lines_say("compiler", "%s, by its own word in .comment", word);
	else
		lines_say("compiler", "not known: the file does not name it");
	strbuf_free(&text);
}

/* Each with the number of units, unless it is all of them. */
static void put_flag(struct strbuf *text, const char *flag, size_t count, size_t whole)
{
	if (!count)
		return;
	strbuf_printf(text, ", %s", flag);
	if (count < whole)
		strbuf_printf(text, " (%zu units)", count);
}

static void say_flags(const struct build_report *build)
{
	struct strbuf text = {0};
	size_t told = build->told_count;

	if (!told) {
		lines_say("flags", "not recorded%s",
			  !build->has_debug ? ": gcc writes them with -g, clang with -g "
					      "-grecord-command-line"
			  : build->compiler == COMPILER_CLANG
				  ? ": clang does with -grecord-command-line"
				  : "");
	} else {
		if (build->level == 'f')
			strbuf_puts(&text, "-Ofast");
		else
			strbuf_printf(&text, "-O%c", build->level);
		put_flag(&text, RECIPE_HOOKS,
			 build->hooks_count - build->after_inlining_count, told);
		put_flag(&text, recipe_headers(COMPILER_CLANG),
			 build->after_inlining_count, told);
		put_flag(&text, "-finstrument-functions-exclude-file-list",
			 build->exclude_count, told);
		put_flag(&text, "-flto", build->lto_count, told);
		lines_say("flags", "%s", strbuf_text(&text));
	}
	if (build->function_count)
		lines_say("frames",
			  "%u%% of its functions keep a frame pointer; profshim "
			  "needs none",
			  percent(build->frame_count, build->function_count));
	strbuf_free(&text);
}

static void say_hooks(const struct build_report *build,
		      const struct target_report *target)
{
	size_t inlined = build->call_count > build->hooked_count
				 ? build->call_count - build->hooked_count
				 : 0;

	if (target->defines_hooks)
		lines_say("hooks",
			  "it has its own __cyg_profile_func_enter: its calls go "
			  "there");
	else if (!build->call_count)
		lines_say("hooks", "none of its own functions calls them");
	if (!build->call_count)
		return;
	lines_say("hooks", "%zu of %zu functions call __cyg_profile_func_enter (%u%%)",
		  build->hooked_count, build->function_count,
		  percent(build->hooked_count, build->function_count));
	if (inlined)
		lines_say("",
			  "%zu more calls of it are of functions that the compiler "
			  "inlined: their hooks stay, and keep many others from being "
			  "inlined",
			  inlined);
	else if (build->compiler == COMPILER_CLANG && build->level != '0')
		lines_say(
			"",
			"none is of an inlined function: "
			"-finstrument-functions-after-inlining, or nothing was inlined");
}

static void say_libraries(const struct build_report *build)
{
	struct strbuf text = {0};
	size_t named = build->hooked_libraries;

	if (named > BUILD_LIBRARIES_MOST)
		named = BUILD_LIBRARIES_MOST;
	for (size_t i = 0; i < named; i++)
		strbuf_printf(&text, "%s%s", i ? ", " : "", build->libraries[i]);
	if (!build->needed_count)
		lines_say("libraries", "it links none");
	else if (!named)
		lines_say("libraries", "none of the %zu that it links calls hooks",
			  build->needed_count);
	else
		lines_say("libraries", "of the %zu that it links %zu call%s hooks: %s%s",
			  build->needed_count, build->hooked_libraries,
			  build->hooked_libraries == 1 ? "s" : "", strbuf_text(&text),
			  named < build->hooked_libraries ? ", ..." : "");
	strbuf_free(&text);
}

static void say_headers(const struct build_report *build)
{
	if (!build->hooked_count)
		return;
	if (!build->named_count) {
		lines_say("headers", "not known: its functions have no names");
		return;
	}
	lines_say("headers",
		  "%zu of %zu functions with hooks are of system headers or "
		  "libraries (%u%%), %zu of templates%s",
		  build->library_count, build->named_count,
		  percent(build->library_count, build->named_count),
		  build->template_count,
		  build->has_debug ? "" : "; told by their names, as there is no -g");
}

static void say_changes(const struct build_report *build,
			const struct target_report *target, bool has_hooks)
{
	putchar('\n');
	if (target->defines_hooks) {
		lines_tell("To change: link it without its own "
			   "__cyg_profile_func_enter.");
		return;
	}
	if (!has_hooks)
		lines_tell("To change: it has no hooks, so allocations are recorded and "
			   "calls are not. Build it with:");
	else if (build_has_many_headers(build))
		lines_tell("To change: hooks in system headers cost more than they tell, "
			   "and keep the compiler from inlining. Leave them out:");
	else if (!build->has_debug)
		lines_tell("To change: add -g, for files and lines.");
	else if (build->level == '0')
		lines_tell("To change: it was built without -O2, so what is slow in it "
			   "need not be slow in what you ship.");
	else {
		lines_tell("Its flags need no change. What its hooks cost is told by a "
			   "recording: 'prof-analyze exclude-list' says which functions "
			   "to leave out.");
		return;
	}
	recipe_say(build->compiler, build->is_cxx);
}

static void say_nothing(const struct target_report *target)
{
	record_say("nothing can be recorded of %s: it %s", target->path,
		   record_why_nothing(target));
}

static int explain_elf(const char *path, const struct target_report *target)
{
	struct build_report build;
	bool has_hooks;

	if (build_examine(path, &build) < 0) {
		record_say("cannot read %s", path);
		return RECORD_CANNOT;
	}
	/* a library has no loader of its own, either */
	if (target->is_static && !build.needed_count) {
		say_nothing(target);
		return EXPLAIN_NOTHING;
	}
	has_hooks = build.call_count || build.hooked_libraries;
	say_file(path, &build);
	say_compilers(&build);
	say_flags(&build);
	say_hooks(&build, target);
	say_headers(&build);
	say_libraries(&build);
	if (build.is_cut)
		lines_say("limits", "there is more to read in it than is read: the "
				    "numbers are of a part");
	say_changes(&build, target, has_hooks);
	return has_hooks && !target->defines_hooks ? 0 : EXPLAIN_NOTHING;
}

int explain_build(const char *program)
{
	struct target_report target;
	int status = record_check_target(program, &target);

	if (status)
		return status;
	if (target.is_script) {
		record_say("%s is a script that %s runs: give the program that it starts",
			   target.path, target.interpreter);
		return EXPLAIN_NOTHING;
	}
	if (!target.is_elf) {
		record_say("%s is neither an ELF program nor a script", target.path);
		return RECORD_CANNOT;
	}
	if (record_why_nothing(&target) && !(target.machine_ok && target.is_static)) {
		say_nothing(&target);
		return EXPLAIN_NOTHING;
	}
	return explain_elf(target.path, &target);
}
