/* SPDX-License-Identifier: MIT */
/* What the critical path was made of in all, and what could not be told. */
#include "analyzer/reports/critical/parts.h"

#include "analyzer/model/units.h"

#include <math.h>

/* Of less nobody wants to know. */
#define LEAST_PERCENT 0.5

struct sums {
	double cpu_ns, ready_ns;
	double asleep_ns; /* in calls that are known */
	double waited_ns; /* elsewhere, or for another thread that is not known */
	double woken_ns;
};

static struct sums add_up(const struct critical *critical)
{
	struct sums sums = {0};

	for (size_t i = 0; i < critical->shares.count; i++) {
		const struct share *share = &critical->shares.all[i];
		struct critical_split split = critical_split_of(critical, share);

		sums.cpu_ns += split.cpu_ns;
		sums.ready_ns += split.ready_ns;
		if (critical_is_libc(critical, share->path))
			sums.asleep_ns += split.blocked_ns;
		else
			sums.waited_ns += split.blocked_ns;
		sums.asleep_ns += share->slept_ns;
		sums.waited_ns += share->waited_ns;
		sums.woken_ns += share->woken_ns;
	}
	return sums;
}

static void put(struct strbuf *text, const char *title, double ns, double run_ns)
{
	double percent = units_share(ns, run_ns);

	if (percent < LEAST_PERCENT)
		return;
	strbuf_printf(text, "%s%s ", text->size ? ", " : "", title);
	units_percent(text, percent);
}

static void note_guesses(const struct critical *critical, struct doc *doc)
{
	struct strbuf text = {0};

	if (!critical->walk.guessed_count)
		return;
	units_counted(&text, (int64_t)critical->walk.guessed_count, "thread");
	strbuf_puts(&text, " on it may have been made by any of several others.");
	doc_note(doc, "guessed_makers", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

static void note_windows(const struct critical *critical, struct doc *doc)
{
	struct strbuf text = {0};

	if (!critical->walk.window_count)
		return;
	strbuf_puts(&text,
		    "There were more waits than are kept one by one: this is from ");
	units_counted(&text, (int64_t)critical->walk.window_count, "window");
	strbuf_puts(&text, " of ");
	units_nsec(&text, (int64_t)critical->run.windows.length_ns);
	strbuf_puts(&text, ", one every ");
	units_nsec(&text, (int64_t)critical->run.windows.period_ns);
	strbuf_puts(&text, ", and the bounds are those of a sample.");
	doc_note(doc, "windows", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

static void note_waits(double waited_ns, double run_ns, struct doc *doc)
{
	struct strbuf text = {0};
	double percent = units_share(waited_ns, run_ns);

	if (percent < LEAST_PERCENT)
		return;
	units_percent(&text, percent);
	strbuf_puts(&text,
		    " of the run was waited for what the recording does not name: a "
		    "time limit, another process, a call that is not recorded. It stays "
		    "with the path that waited, as a wait for a file does.");
	doc_note(doc, "not_named", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

void critical_show_sums(const struct critical *critical, struct doc *doc)
{
	const struct shares *shares = &critical->shares;
	struct sums sums = add_up(critical);
	double run_ns = shares->run_ns, known_ns = sums.cpu_ns + sums.ready_ns +
						   sums.asleep_ns + sums.waited_ns +
						   sums.woken_ns + shares->begun_ns;
	double rest_ns = fmax(0, run_ns - known_ns);
	struct strbuf text = {0}, size = {0};
	struct section *section = doc_values(doc, "critical", NULL);

	units_nsec(&size, whole_number(run_ns));
	strbuf_puts(&size, ", of process ");
	strbuf_printf(&size, "%lld", (long long)critical->pid);
	put(&text, "computing", sums.cpu_ns, run_ns);
	put(&text, "ready", sums.ready_ns, run_ns);
	put(&text, "asleep or in I/O", sums.asleep_ns, run_ns);
	put(&text, "waiting for what is not named", sums.waited_ns, run_ns);
	put(&text, "being woken", sums.woken_ns, run_ns);
	put(&text, "threads beginning", shares->begun_ns, run_ns);
	put(&text, "outside of all functions", rest_ns, run_ns);
	doc_add_human(doc, section, "critical path", strbuf_text(&size));
	doc_add_human(doc, section, "made of", strbuf_text(&text));
	doc_add_machine(section, "process_id", COLUMN_ID,
			cell_integer(critical->process_id));
	doc_add_machine(section, "run_ns", COLUMN_NSEC,
			cell_integer(whole_number(run_ns)));
	doc_add_machine(section, "cpu_ns", COLUMN_NSEC,
			cell_integer(whole_number(sums.cpu_ns)));
	doc_add_machine(section, "ready_ns", COLUMN_NSEC,
			cell_integer(whole_number(sums.ready_ns)));
	doc_add_machine(section, "asleep_ns", COLUMN_NSEC,
			cell_integer(whole_number(sums.asleep_ns)));
	doc_add_machine(section, "not_named_ns", COLUMN_NSEC,
			cell_integer(whole_number(sums.waited_ns)));
	doc_add_machine(section, "woken_ns", COLUMN_NSEC,
			cell_integer(whole_number(sums.woken_ns)));
	doc_add_machine(section, "beginning_ns", COLUMN_NSEC,
			cell_integer((int64_t)shares->begun_ns));
	doc_add_machine(section, "outside_ns", COLUMN_NSEC,
			cell_integer((int64_t)rest_ns));
	doc_add_machine(section, "window_count", COLUMN_COUNT,
			cell_integer((int64_t)critical->walk.window_count));
	strbuf_free(&text);
	strbuf_free(&size);
	note_windows(critical, doc);
	note_waits(sums.waited_ns, run_ns, doc);
	note_guesses(critical, doc);
}
