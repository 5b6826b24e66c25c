/* SPDX-License-Identifier: MIT */
/*
 * The checks before a program runs under the shim, and their sentences. Must not run the
 * program.
 */
#include "record/prepare.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/launch.h"
#include "record/say.h"
#include "record/summary.h"

bool record_absolute_output(const char *output, char *ret)
{
	char cwd[PATH_MAX];
	int length;

	if (output[0] == '/') {
		length = snprintf(ret, PATH_MAX, "%s", output);
	} else if (!getcwd(cwd, sizeof(cwd))) {
		record_say(
			"cannot tell the current directory: %s; give -o an absolute path",
			strerror(errno));
		return false;
	} else {
		length = snprintf(ret, PATH_MAX, "%s/%s", cwd, output);
	}
	if (length < PATH_MAX - 64) /* room for the names in the spool */
		return true;
	record_say("the path of %s is too long", output);
	return false;
}

const char *record_why_nothing(const struct target_report *target)
{
	if (!target->is_elf)
		return NULL;
	if (!target->machine_ok)
		return "is not a 64-bit x86 program";
	if (target->is_own)
		return "is a part of profshim, which does not record itself";
	if (target->is_static)
		return "is statically linked, so no library can be loaded into it; link "
		       "it "
		       "dynamically";
	if (target->is_other_libc)
		return "does not use glibc, which the recorder needs";
	if (target->is_privileged)
		return "runs with more rights than you have (setuid, setgid or "
		       "capabilities), so the system ignores the recorder; run it as its "
		       "owner";
	return NULL;
}

void record_say_notes(const struct target_report *target)
{
	const char *file = target->is_script ? target->interpreter : target->path;
	const char *nothing = record_why_nothing(target);

	if (nothing) {
		record_say("nothing can be recorded of %s: it %s", file, nothing);
		return;
	}
	if (!target->is_elf)
		return;
	if (target->defines_hooks)
		record_say("%s has its own __cyg_profile_func_enter: its calls go there, "
			   "only "
			   "allocations are recorded",
			   file);
	else if (!target->has_hooks)
		record_say(
			"%s and the libraries it links were compiled without "
			"-finstrument-functions: allocations are recorded, and samples "
			"of the CPU time, but no calls",
			file);
	if (target->defines_malloc)
		record_say("%s brings its own malloc: its allocations are not recorded",
			   file);
}

int record_check_target(const char *program, struct target_report *target)
{
	int error = target_examine(program, target);

	if (error == -ENOENT && target->interpreter[0])
		record_say("%s cannot run: its interpreter %s was not found", program,
			   target->interpreter);
	else if (error == -ENOENT)
		record_say("%s was not found%s", program,
			   strchr(program, '/') ? ""
						: " in PATH; a program here is ./name");
	if (error == -ENOENT)
		return RECORD_NOT_FOUND;
	if (access(target->path, X_OK) == 0 && error != -EACCES)
		return 0;
	record_say("%s cannot be executed: it is a directory or lacks the permission",
		   target->path);
	return RECORD_NOT_EXECUTABLE;
}

bool record_prepare(const struct record_options *options,
		    const struct target_report *target, const char *output)
{
	bool preload = !target->is_elf || (target->machine_ok && !target->is_other_libc);
	char shim[PATH_MAX], error[PATH_MAX + 256];
	int result;

	if (!record_output_fits(output, error, sizeof(error))) {
		record_say("%s", error);
		return false;
	}
	result = record_find_shim(shim);
	if (result < 0) {
		if (result == -EPERM)
			record_say("libprofshim.so is not loaded, because others could "
				   "have changed %s: "
				   "install profshim where only you or root can write",
				   shim);
		else
			record_say("libprofshim.so is missing: install profshim again");
		return false;
	}
	if (strpbrk(shim, " :")) {
		record_say("%s cannot be preloaded because of the space or colon in its "
			   "path: "
			   "install profshim elsewhere",
			   shim);
		return false;
	}
	result = record_set_environment(options, preload ? shim : NULL, output);
	if (result < 0)
		record_say("cannot set the environment: %s", strerror(-result));
	return result == 0;
}
