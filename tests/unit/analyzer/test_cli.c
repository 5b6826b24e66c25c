/* SPDX-License-Identifier: MIT */
/* What this is: which word of the command line is what. */
#include "analyzer/cli/cli.h"
#include "analyzer/cli/words.h"
#include "tests/unit/tests.h"

static struct strbuf error;
static struct request assign(const char *a, const char *b, const char *c)
{
	char *const arguments[] = {(char *)a, (char *)b, (char *)c};
	size_t count = !a ? 0 : !b ? 1 : !c ? 2 : 3;
	static struct request cli;

	cli = (struct request){0};
	strbuf_reset(&error);
	if (FAILS(cli_assign(arguments, count, &cli)))
		strbuf_puts(&error, unit_sentence);
	return cli;
}

TEST(commands_and_databases)
{
	struct request cli = assign("run.db", NULL, NULL);

	assert_string_equal(cli.report->name, "report");
	assert_string_equal(cli.database, "run.db");
	cli = assign("tree", "run.db", NULL);
	assert_string_equal(cli.report->name, "tree");
	assert_string_equal(cli.database, "run.db");
	cli = assign("doctor", NULL, NULL);
	assert_null(cli.database);
	assert_int_equal(error.size, 0);
}

TEST(database_and_argument_in_any_order)
{
	struct request cli = assign("callers", "run.db", "main");

	assert_string_equal(cli.database, "run.db");
	assert_string_equal(cli.options.argument, "main");
	cli = assign("callers", "main", "run.db");
	assert_string_equal(cli.database, "run.db");
	assert_string_equal(cli.options.argument, "main");
	/* Neither looks like one: the database comes first. */
	cli = assign("callers", "recording", "main");
	assert_string_equal(cli.database, "recording");
	cli = assign("callers", "a.db", "b.db");
	assert_string_equal(cli.database, "a.db");
}

TEST(two_words_and_a_database_in_any_order)
{
	struct request cli = {0};
	static const char *const last[] = {"delta", "loaded", "done", "run.db"};
	static const char *const first[] = {"delta", "run.db", "loaded", "done"};
	static const char *const plain[] = {"delta", "recording", "loaded", "done"};
	const char *const *const orders[] = {last, first, plain};

	for (size_t i = 0; i < 3; i++) {
		cli = (struct request){0};
		cli_assign((char *const *)orders[i], 4, &cli);
		assert_string_equal(cli.database, i == 2 ? "recording" : "run.db");
		assert_string_equal(cli.options.argument, "loaded");
		assert_string_equal(cli.options.other_argument, "done");
	}
}

TEST(mistakes_get_a_sentence)
{
	assign("fucntions", "run.db", NULL);
	assert_non_null(strstr(strbuf_text(&error), "did you mean 'functions'"));
	assign("zzzzzz", "run.db", NULL);
	assert_non_null(strstr(strbuf_text(&error), "neither a command nor a file"));
	assert_null(strstr(strbuf_text(&error), "did you mean"));
	assign("functions", NULL, NULL);
	assert_non_null(strstr(strbuf_text(&error), "functions needs a database"));
	assign("callers", "run.db", NULL);
	assert_non_null(strstr(strbuf_text(&error), "FUNC"));
	assign("delta", "run.db", NULL); /* lists; both words may be left out */
	assert_int_equal(error.size, 0);
	assign("delta", NULL, NULL);
	assert_non_null(strstr(strbuf_text(&error), "delta needs a database"));
	assign("tree", "run.db", "other.db");
	assert_non_null(strstr(strbuf_text(&error), "one too many"));
}

TEST(sides)
{
	struct request cli = assign("compare", "a.db", "b.db");

	assert_int_equal(error.size, 0);
	assert_int_equal(cli.database_count, 2);
	assert_int_equal(cli.before_databases, 0);
	assert_string_equal(cli.databases[1], "b.db");
	cli = assign("compare", "a.db", cli_side_mark);
	assert_non_null(strstr(strbuf_text(&error), "both sides"));
	cli = assign("compare", NULL, NULL);
	assert_non_null(strstr(strbuf_text(&error), "compare needs a database"));
}

TEST(every_report_tells_what_it_is)
{
	for (size_t i = 0; i < report_registry_count; i++) {
		const struct report *report = report_registry[i];

		assert_true(!report->build == !!(report->takes & TAKES_CLIENT));
		assert_non_null(report->summary);
		assert_non_null(report->description);
		assert_non_null(strstr(report->example, "prof-analyze"));
	}
}

static int clean_up(void **state)
{
	(void)state;
	strbuf_free(&error);
	return 0;
}

TEST_GROUP(NULL, clean_up)
