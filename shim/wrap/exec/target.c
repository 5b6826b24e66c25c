/* SPDX-License-Identifier: MIT */
/*
 * Looks at the file that is about to be executed: would it load us?. Runs on: any thread
 * and context; vfork children too. Must not keep a descriptor, or open anything but
 * regular files (to open a device may do something).
 */
#include "shim/wrap/exec/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/core/own_io.h"
#include "shim/core/syscall.h"

#define HEAD_BYTES 1024
#define SCRIPT_DEPTH 4 /* the kernel follows a script's script so far */

/* Does the loader named in the file, at that offset, come from glibc? */
static int has_our_loader(int fd, uint64_t offset, uint64_t size)
{
	char path[64];
	const char *name;
	long got = own_io_pread(fd, path, size < sizeof(path) ? size : sizeof(path) - 1,
				offset);

	if (got <= 0)
		return 0;
	path[got] = '\0';
	name = strrchr(path, '/');
	return name && !strncmp(name + 1, "ld-linux", 8);
}

static int elf_loads_us(int fd, const char *head, size_t size)
{
	const Elf64_Ehdr *header = (const void *)head;
	const Elf64_Phdr *program = (const void *)(head + header->e_phoff);

	if (size < sizeof(*header) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_machine != EM_X86_64 || header->e_phoff > size ||
	    header->e_phoff % 8)
		return 0;
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		if ((const char *)(program + i + 1) > head + size)
			return 0;
		if (program[i].p_type == PT_INTERP)
			return has_our_loader(fd, program[i].p_offset,
					      program[i].p_filesz);
	}
	return 0; /* static */
}

/* The interpreter's path of "#! interpreter argument". NULL when it is not all there. */
static const char *script_interpreter(char *head, size_t size)
{
	char *path = head + 2, *end = head + size;

	while (path < end && (*path == ' ' || *path == '\t'))
		path++;
	for (char *at = path; at < end; at++) {
		if (*at == ' ' || *at == '\t' || *at == '\n') {
			*at = '\0';
			return at > path ? path : NULL;
		}
	}
	return NULL;
}

/* Opens the file for reading when it is one that runs with its caller's rights. */
static int open_target(int directory, const char *path, int flags)
{
	struct stat status;
	char by_number[32];
	long fd;

	if (SYSCALL(SYS_newfstatat, directory, path, &status,
		    flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW), 0, 0) < 0 ||
	    !S_ISREG(status.st_mode) || (status.st_mode & S_ISUID) ||
	    ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP)))
		return -1;
	if (!path[0]) { /* the descriptor may be one that cannot read (O_PATH) */
		snprintf(by_number, sizeof(by_number), "/proc/self/fd/%d", directory);
		directory = AT_FDCWD;
		path = by_number;
	}
	fd = SYSCALL(SYS_openat, directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, 0,
		     0);
	if (fd < 0)
		return -1;
	if (SYSCALL(SYS_fgetxattr, fd, "security.capability", 0, 0, 0, 0) > 0) {
		SYSCALL(SYS_close, fd, 0, 0, 0, 0, 0);
		return -1;
	}
	return (int)fd;
}

int target_loads_us(int directory, const char *path, int flags)
{
	char head[HEAD_BYTES] __attribute__((aligned(8)));

	for (int depth = 0; depth < SCRIPT_DEPTH; depth++) {
		int fd, loads = 0;
		long got;

		fd = open_target(directory, path, flags);
		if (fd < 0)
			return 0;
		got = own_io_pread(fd, head, sizeof(head), 0);
		if (got > SELFMAG && !memcmp(head, ELFMAG, SELFMAG))
			loads = elf_loads_us(fd, head, (size_t)got);
		SYSCALL(SYS_close, fd, 0, 0, 0, 0, 0);
		if (got <= 2 || head[0] != '#' || head[1] != '!')
			return loads;
		path = script_interpreter(head, (size_t)got);
		if (!path)
			return 0;
		directory = AT_FDCWD;
		flags = 0;
	}
	return 0;
}

/* PATH is the caller's, not the one in the environment that is passed on. */
static const char *search_path(void)
{
	for (char **entry = environ; entry && *entry; entry++) {
		if (!strncmp(*entry, "PATH=", 5))
			return *entry + 5;
	}
	return "/bin:/usr/bin";
}

int target_search(const char *file)
{
	char path[4096];
	const char *item = search_path();
	size_t file_length = strlen(file);

	if (strchr(file, '/'))
		return target_loads_us(AT_FDCWD, file, 0);
	for (;; item++) {
		size_t length = strcspn(item, ":");

		if (length + file_length + 2 < sizeof(path)) {
			memcpy(path, item, length);
			path[length] = '/';
			memcpy(path + length + (length > 0), file, file_length + 1);
			if (SYSCALL(SYS_access, path, X_OK, 0, 0, 0, 0) == 0)
				return target_loads_us(AT_FDCWD, path, 0);
		}
		item += length;
		if (!*item)
			return 0;
	}
}
