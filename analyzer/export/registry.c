/* SPDX-License-Identifier: MIT */
/* The list of formats for other programs. */
#include "analyzer/export/export.h"

extern const struct exporter exporter_folded;
extern const struct exporter exporter_svg;

const struct exporter *const exporter_registry[] = {&exporter_folded, &exporter_svg};
const size_t exporter_registry_count =
	sizeof(exporter_registry) / sizeof(exporter_registry[0]);
