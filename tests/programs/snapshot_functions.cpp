/* SPDX-License-Identifier: MIT */
/* Snapshots at calls of functions with C++ names: members, all overloads, constructors,
 * templates, static ones; and a name that nothing has. */
// variants: all
// settings: PROFSHIM_SNAPSHOT_AT=ns::Parser::next:enter,ns::Parser::convert:exit,helper:exit,ns::Parser::Parser:exit,nothing:enter
// expect-sql: SELECT label, COUNT(*) FROM snapshots GROUP BY 1 ORDER BY 1 => helper:exit|2;
//     ns::Parser::Parser:exit|1; ns::Parser::convert:exit|4; ns::Parser::next:enter|4
// expect-sql: SELECT COUNT(*) FROM snapshots WHERE taken_by = 'function' => 11
// expect-sql: SELECT value FROM trust WHERE name = 'note_no_function' => 1
#include "truth.h"

namespace ns
{
struct Parser {
	int position;

	Parser();
	int next(const char *by) const;
	int next(double by);
	template <class Type> Type convert(Type value);
};

__attribute__((noinline)) Parser::Parser() : position(opaque(3))
{
}

ALONE int Parser::next(const char *by) const
{
	return position + *by;
}

ALONE int Parser::next(double by)
{
	return position += (int)by;
}

template <class Type> ALONE Type Parser::convert(Type value)
{
	return value + (Type)position;
}
} // namespace ns

ALONE static int helper(int value)
{
	return opaque(value);
}

int main()
{
	ns::Parser parser;
	int sum = 0;

	for (int i = 0; i < 2; i++) {
		sum += parser.next("x");
		sum += parser.next(1.0);
		sum += parser.convert(i);
		sum += (int)parser.convert(1.5);
		sum += helper(i);
	}
	return sum == 0;
}
