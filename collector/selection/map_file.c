/* SPDX-License-Identifier: MIT */
/* Reading a map that somebody may write to meanwhile. */
#include "collector/selection/map_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_FILE (1u << 20)

static int read_text(int fd, struct strbuf *ret)
{
	char part[4096];
	ssize_t size;

	while ((size = read(fd, part, sizeof(part))) > 0) {
		strbuf_add(ret, part, (size_t)size);
		if (ret->size > LARGEST_FILE)
			return -EFBIG;
	}
	return size < 0 ? -errno : 0;
}

int map_file_read(const char *path, struct component_map *map, struct strbuf *error)
{
	struct strbuf text = {0};
	struct stat status;
	int fd, result;

	if (!*path) {
		strbuf_puts(error, "rules name components, and there is no map");
		return -ENOENT;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	result = fd < 0 ? -errno : 0;
	if (result == 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)))
		result = -EINVAL;
	if (result == 0)
		result = read_text(fd, &text);
	if (fd >= 0)
		close(fd);
	if (result < 0)
		strbuf_printf(error, "%s: cannot be read: %s", path, strerror(-result));
	else
		result = component_map_parse(map, strbuf_text(&text), text.size, path,
					     error);
	strbuf_free(&text);
	return result;
}
