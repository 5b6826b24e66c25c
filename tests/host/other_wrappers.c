/* SPDX-License-Identifier: MIT */
/* Another library that is preloaded with us: it wraps functions of which libc has several
 * versions, without naming one, and says when it is asked. */
#include <dlfcn.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);

static void say(const char *text)
{
	(void)!write(1, text, strlen(text));
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const arguments[],
		char *const environment[])
{
	spawn_function *real = (spawn_function *)(size_t)dlsym(RTLD_NEXT, "posix_spawn");

	say("other: posix_spawn\n");
	return real(child, path, actions, attributes, arguments, environment);
}

void quick_exit(int status)
{
	void (*real)(int) = (void (*)(int))(size_t)dlsym(RTLD_NEXT, "quick_exit");

	say("other: quick_exit\n");
	real(status);
	__builtin_unreachable();
}
