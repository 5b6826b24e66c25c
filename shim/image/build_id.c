/* SPDX-License-Identifier: MIT */
/* The build-id among an object's notes. */
#include "shim/image/build_id.h"

#include <link.h>
#include <string.h>

void build_id_copy(struct segment_module *module, const char *notes, size_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		size_t name = (note->n_namesz + 3u) & ~3u,
		       data = (note->n_descsz + 3u) & ~3u;

		if (sizeof(*note) + name + data > size)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(note + 1, "GNU", 4) &&
		    note->n_descsz <= sizeof(module->build_id)) {
			module->build_id_size = note->n_descsz;
			memcpy(module->build_id, (const char *)(note + 1) + name,
			       note->n_descsz);
			return;
		}
		notes += sizeof(*note) + name + data;
		size -= sizeof(*note) + name + data;
	}
}
