/* SPDX-License-Identifier: MIT */
/* Shared by the files of the SVG: the page and its measures, in pixels. */
#pragma once

#include "common/base/text.h"
#include "analyzer/export/export.h"
#include "analyzer/model/shorten.h"

#include <string.h>

#define SVG_MARGIN 10
#define SVG_TITLE_HEIGHT 30
#define SVG_BAR_HEIGHT 50 /* room for the script's buttons and the details of a frame */
#define SVG_ROW 18
#define SVG_LETTER 7.25 /* of 12px monospace fonts, which differ a little */

struct svg_page {
	FILE *out;
	const struct flame *flame;
	unsigned width;
	double top;		    /* of the frames */
	struct shorten_style style; /* names are shortened as in the document's tables */
	struct strbuf line;	    /* room to write in */
};

void svg_frames(struct svg_page *page);
/* Writes short forms of the names, for the script. */
void svg_names(struct svg_page *page);
/* Whether a box's total is known; estimates are dashed, unknown ones pale. */
bool svg_is_known(const struct flame_box *box);
bool svg_is_estimate(const struct flame_box *box);
