/* SPDX-License-Identifier: MIT */
/* Calls that name a path, or ask what a descriptor leads to. Those with __x are in
 * programs that were linked with a glibc before 2.33. */
#include "shim/wrap/io/io_call.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/wrap/real.h"

exported int stat(const char *path, struct stat *ret)
{
	return IO_CALL_PATH(stat, real_stat(path, ret));
}

exported int stat64(const char *path, struct stat64 *ret)
{
	return IO_CALL_PATH(stat, real_stat64(path, ret));
}

exported int __xstat(int version, const char *path, struct stat *ret)
{
	return IO_CALL_PATH(stat, real___xstat(version, path, ret));
}

exported int __xstat64(int version, const char *path, struct stat64 *ret)
{
	return IO_CALL_PATH(stat, real___xstat64(version, path, ret));
}

exported int lstat(const char *path, struct stat *ret)
{
	return IO_CALL_PATH(lstat, real_lstat(path, ret));
}

exported int lstat64(const char *path, struct stat64 *ret)
{
	return IO_CALL_PATH(lstat, real_lstat64(path, ret));
}

exported int __lxstat(int version, const char *path, struct stat *ret)
{
	return IO_CALL_PATH(lstat, real___lxstat(version, path, ret));
}

exported int __lxstat64(int version, const char *path, struct stat64 *ret)
{
	return IO_CALL_PATH(lstat, real___lxstat64(version, path, ret));
}

exported int fstatat(int directory, const char *path, struct stat *ret, int flags)
{
	return IO_CALL_PATH(fstatat, real_fstatat(directory, path, ret, flags));
}

exported int fstatat64(int directory, const char *path, struct stat64 *ret, int flags)
{
	return IO_CALL_PATH(fstatat, real_fstatat64(directory, path, ret, flags));
}

exported int __fxstatat(int version, int directory, const char *path, struct stat *ret,
			int flags)
{
	return IO_CALL_PATH(fstatat,
			    real___fxstatat(version, directory, path, ret, flags));
}

exported int __fxstatat64(int version, int directory, const char *path,
			  struct stat64 *ret, int flags)
{
	return IO_CALL_PATH(fstatat,
			    real___fxstatat64(version, directory, path, ret, flags));
}

exported int statx(int directory, const char *path, int flags, unsigned int mask,
		   struct statx *ret)
{
	return IO_CALL_PATH(statx, real_statx(directory, path, flags, mask, ret));
}

exported int unlink(const char *path)
{
	return IO_CALL_PATH(unlink, real_unlink(path));
}

exported int unlinkat(int directory, const char *path, int flags)
{
	return IO_CALL_PATH(unlinkat, real_unlinkat(directory, path, flags));
}

exported int rename(const char *from, const char *to)
{
	return IO_CALL_PATH(rename, real_rename(from, to));
}

exported int renameat(int from_directory, const char *from, int to_directory,
		      const char *to)
{
	return IO_CALL_PATH(renameat,
			    real_renameat(from_directory, from, to_directory, to));
}

exported int renameat2(int from_directory, const char *from, int to_directory,
		       const char *to, unsigned int flags)
{
	return IO_CALL_PATH(
		renameat, real_renameat2(from_directory, from, to_directory, to, flags));
}

exported int mkdir(const char *path, mode_t mode)
{
	return IO_CALL_PATH(mkdir, real_mkdir(path, mode));
}

exported int mkdirat(int directory, const char *path, mode_t mode)
{
	return IO_CALL_PATH(mkdirat, real_mkdirat(directory, path, mode));
}

exported int rmdir(const char *path)
{
	return IO_CALL_PATH(rmdir, real_rmdir(path));
}

exported int truncate(const char *path, off_t size)
{
	return IO_CALL_PATH(truncate, real_truncate(path, size));
}

exported int truncate64(const char *path, off64_t size)
{
	return IO_CALL_PATH(truncate, real_truncate64(path, size));
}

exported int fstat(int descriptor, struct stat *ret)
{
	return IO_CALL(fstat, descriptor, IO_NEXT, real_fstat(descriptor, ret));
}

exported int fstat64(int descriptor, struct stat64 *ret)
{
	return IO_CALL(fstat, descriptor, IO_NEXT, real_fstat64(descriptor, ret));
}

exported int __fxstat(int version, int descriptor, struct stat *ret)
{
	return IO_CALL(fstat, descriptor, IO_NEXT,
		       real___fxstat(version, descriptor, ret));
}

exported int __fxstat64(int version, int descriptor, struct stat64 *ret)
{
	return IO_CALL(fstat, descriptor, IO_NEXT,
		       real___fxstat64(version, descriptor, ret));
}

exported int access(const char *path, int mode)
{
	return IO_CALL_PATH(access, real_access(path, mode));
}

exported int faccessat(int directory, const char *path, int mode, int flags)
{
	return IO_CALL_PATH(access, real_faccessat(directory, path, mode, flags));
}

exported ssize_t readlink(const char *restrict path, char *restrict to, size_t size)
{
	return IO_CALL_PATH(readlink, real_readlink(path, to, size));
}

exported ssize_t __readlink_chk(const char *restrict path, char *restrict to, size_t size,
				size_t room)
{
	return IO_CALL_PATH(readlink, real___readlink_chk(path, to, size, room));
}

exported ssize_t readlinkat(int directory, const char *restrict path, char *restrict to,
			    size_t size)
{
	return IO_CALL_PATH(readlink, real_readlinkat(directory, path, to, size));
}

exported int link(const char *from, const char *to)
{
	return IO_CALL_PATH(link, real_link(from, to));
}

exported int symlink(const char *from, const char *to)
{
	return IO_CALL_PATH(symlink, real_symlink(from, to));
}
