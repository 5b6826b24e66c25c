/* SPDX-License-Identifier: MIT */
/* Rows and modules in memory, and the file of them. */
#include "collector/processes/cpu_book.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/processes/ticks.h"
#include "common/base/xalloc.h"

#define FRESH_NAME CPU_BOOK_NAME ".new"

struct cpu_header {
	uint64_t magic;
	uint32_t module_bytes, row_bytes; /* of one */
	uint64_t module_count, row_count, frame_count, stack_count;
	struct cpu_sums sums;
};

uint32_t book_add_module(struct cpu_book *book, const struct segment_module *module)
{
	if (book->module_count >= CPU_BOOK_MODULE_LIMIT)
		return CPU_BOOK_NO_MODULE;
	ARRAY_ADD(book->modules, book->module_count) = *module;
	return (uint32_t)book->module_count;
}

static struct cpu_row *row_of(struct cpu_book *book, uint32_t module, uint64_t address)
{
	uint32_t index = map_get(&book->row_map, module, address, 0);

	if (index != MAP_NONE)
		return &book->rows[index];
	book->rows = array_room(book->rows, book->row_count, sizeof(*book->rows));
	map_put(&book->row_map, module, address, 0, (uint32_t)book->row_count);
	book->rows[book->row_count] =
		(struct cpu_row){.address = address, .module = module};
	return &book->rows[book->row_count++];
}

/* Room for the row of no known address stays. */
static int is_full(const struct cpu_book *book, uint32_t module, uint64_t address)
{
	return book->row_count >= CPU_BOOK_ROW_LIMIT - 1 &&
	       map_get(&book->row_map, module, address, 0) == MAP_NONE;
}

void book_add(struct cpu_book *book, uint32_t module, uint64_t address,
	      uint64_t weight_ns)
{
	struct cpu_row *row;

	if (module == CPU_BOOK_NO_MODULE || is_full(book, module, address))
		row = row_of(book, CPU_BOOK_NO_MODULE, 0);
	else
		row = row_of(book, module, address);
	row->count += row->count < UINT32_MAX;
	row->weight_ns += weight_ns;
	book->sums.sample_count++;
	book->sums.sampled_ns += weight_ns;
}

uint32_t book_add_frame(struct cpu_book *book, uint32_t module, uint64_t address,
			uint32_t caller)
{
	uint32_t index = map_get(&book->frame_map, module, address, caller);

	if (index != MAP_NONE)
		return index + 1;
	if (book->frame_count >= CPU_BOOK_FRAME_LIMIT)
		return caller;
	map_put(&book->frame_map, module, address, caller, (uint32_t)book->frame_count);
	ARRAY_ADD(book->frames, book->frame_count) =
		(struct cpu_frame){address, module, caller};
	return (uint32_t)book->frame_count;
}

void book_add_stack(struct cpu_book *book, uint32_t module, uint64_t address,
		    uint32_t caller)
{
	uint32_t index = map_get(&book->stack_map, module, address, caller);

	if (index == MAP_NONE && book->stack_count >= CPU_BOOK_ROW_LIMIT) {
		book->sums.lost_stack_count++;
		return;
	}
	if (index == MAP_NONE) {
		index = (uint32_t)book->stack_count;
		map_put(&book->stack_map, module, address, caller, index);
		ARRAY_ADD(book->stacks, book->stack_count) = (struct cpu_stack){
			.address = address, .module = module, .caller = caller};
	}
	book->stacks[index].count += book->stacks[index].count < UINT32_MAX;
	book->sums.stack_count++;
}

static int write_array(FILE *file, const void *array, size_t count, size_t bytes)
{
	return !count || fwrite(array, bytes, count, file) == count;
}

static int write_file(const struct cpu_book *book, FILE *file)
{
	const struct cpu_header header = {
		.magic = CPU_BOOK_MAGIC,
		.module_bytes = sizeof(*book->modules),
		.row_bytes = sizeof(*book->rows),
		.module_count = book->module_count,
		.row_count = book->row_count,
		.frame_count = book->frame_count,
		.stack_count = book->stack_count,
		.sums = book->sums,
	};

	return fwrite(&header, sizeof(header), 1, file) == 1 &&
	       write_array(file, book->modules, book->module_count,
			   sizeof(*book->modules)) &&
	       write_array(file, book->rows, book->row_count, sizeof(*book->rows)) &&
	       write_array(file, book->frames, book->frame_count,
			   sizeof(*book->frames)) &&
	       write_array(file, book->stacks, book->stack_count, sizeof(*book->stacks));
}

int book_write(const struct cpu_book *book, const struct rundir *rundir)
{
	int fd = rundir_create_file(rundir->fd, FRESH_NAME), is_whole;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	int result = 0;

	if (fd < 0)
		return fd;
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	is_whole = write_file(book, file);
	if (fclose(file) != 0 || !is_whole)
		result = -EIO;
	else if (renameat(rundir->fd, FRESH_NAME, rundir->fd, CPU_BOOK_NAME) < 0)
		result = -errno;
	if (result < 0)
		unlinkat(rundir->fd, FRESH_NAME, 0);
	return result;
}

static int is_row(const struct cpu_row *row, const struct cpu_header *header)
{
	return row->module <= header->module_count &&
	       row->weight_ns <= (uint64_t)TICKS_LONGEST_NS &&
	       row->address < SEGMENT_KEY_REGION;
}

static int is_header(const struct cpu_header *header, const struct stat *info)
{
	return header->magic == CPU_BOOK_MAGIC &&
	       header->module_bytes == sizeof(struct segment_module) &&
	       header->row_bytes == sizeof(struct cpu_row) &&
	       header->module_count <= CPU_BOOK_MODULE_LIMIT &&
	       header->row_count <= CPU_BOOK_ROW_LIMIT &&
	       header->frame_count <= CPU_BOOK_FRAME_LIMIT &&
	       header->stack_count <= CPU_BOOK_ROW_LIMIT &&
	       header->sums.sampled_ns <= (uint64_t)TICKS_LONGEST_NS &&
	       header->sums.lost_ns <= (uint64_t)TICKS_LONGEST_NS &&
	       (uint64_t)info->st_size ==
		       sizeof(*header) +
			       header->module_count * sizeof(struct segment_module) +
			       header->row_count * sizeof(struct cpu_row) +
			       header->frame_count * sizeof(struct cpu_frame) +
			       header->stack_count * sizeof(struct cpu_stack);
}

static int read_modules(struct cpu_book *book, FILE *file, uint64_t count)
{
	struct segment_module module;

	while (count--) {
		if (fread(&module, sizeof(module), 1, file) != 1)
			return -EINVAL;
		module.path[sizeof(module.path) - 1] = '\0';
		if (module.build_id_size > sizeof(module.build_id))
			return -EINVAL;
		book_add_module(book, &module);
	}
	return 0;
}

static int read_frames(struct cpu_book *book, FILE *file, const struct cpu_header *header)
{
	struct cpu_frame frame;

	for (uint64_t i = 0; i < header->frame_count; i++) {
		if (fread(&frame, sizeof(frame), 1, file) != 1 || frame.caller > i ||
		    !frame.module || frame.module > header->module_count ||
		    frame.address >= SEGMENT_KEY_REGION)
			return -EINVAL;
		ARRAY_ADD(book->frames, book->frame_count) = frame;
	}
	return 0;
}

static int read_stacks(struct cpu_book *book, FILE *file, const struct cpu_header *header)
{
	struct cpu_stack stack;

	for (uint64_t i = 0; i < header->stack_count; i++) {
		if (fread(&stack, sizeof(stack), 1, file) != 1 ||
		    stack.caller > header->frame_count ||
		    stack.module > header->module_count ||
		    stack.address >= SEGMENT_KEY_REGION)
			return -EINVAL;
		ARRAY_ADD(book->stacks, book->stack_count) = stack;
	}
	return 0;
}

static int read_file(struct cpu_book *book, FILE *file)
{
	struct cpu_header header;
	struct cpu_row row;
	struct stat info;
	int result;

	if (fstat(fileno(file), &info) < 0 ||
	    fread(&header, sizeof(header), 1, file) != 1 || !is_header(&header, &info))
		return -EINVAL;
	book->sums = header.sums;
	result = read_modules(book, file, header.module_count);
	for (uint64_t i = 0; result == 0 && i < header.row_count; i++) {
		if (fread(&row, sizeof(row), 1, file) != 1 || !is_row(&row, &header))
			return -EINVAL;
		ARRAY_ADD(book->rows, book->row_count) = row;
	}
	if (result == 0)
		result = read_frames(book, file, &header);
	return result == 0 ? read_stacks(book, file, &header) : result;
}

int book_read(struct cpu_book *ret, const struct rundir *rundir)
{
	int fd = rundir_open_file(rundir->fd, CPU_BOOK_NAME, O_RDONLY), result;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	*ret = (struct cpu_book){.row_count = 0};
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	result = read_file(ret, file);
	fclose(file);
	if (result < 0)
		book_done(ret);
	return result;
}

void book_done(struct cpu_book *book)
{
	free(book->modules);
	free(book->rows);
	free(book->frames);
	free(book->stacks);
	map_done(&book->row_map);
	map_done(&book->frame_map);
	map_done(&book->stack_map);
	*book = (struct cpu_book){.row_count = 0};
}
