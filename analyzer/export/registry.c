/* SPDX-License-Identifier: MIT */
/* The list of formats for other programs. */
#include "analyzer/export/export.h"

extern const struct exporter exporter_callgrind;
extern const struct exporter exporter_chrome;
extern const struct exporter exporter_folded;
extern const struct exporter exporter_pprof;
extern const struct exporter exporter_speedscope;
extern const struct exporter exporter_svg;

const struct exporter *const exporter_registry[] = {
	&exporter_folded,    &exporter_pprof,  &exporter_speedscope,
	&exporter_callgrind, &exporter_chrome, &exporter_svg,
};
const size_t exporter_registry_count =
	sizeof(exporter_registry) / sizeof(exporter_registry[0]);
