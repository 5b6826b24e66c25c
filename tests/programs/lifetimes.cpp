/* SPDX-License-Identifier: MIT */
/* Compilers make up to three functions of a constructor or destructor: for delete, for whole
 * objects, for parts of others. They are one function, called once for each object. */
// variants: all lto
// expect-sql: SELECT COUNT(*) FROM functions WHERE name LIKE '%[%' AND name NOT LIKE '[%' => 0
// expect-sql: SELECT calls - (SELECT TOTAL(value) FROM trust WHERE name = 'hook_calls') +
//     (SELECT TOTAL(value) FROM trust WHERE name = 'nested_entries') FROM (SELECT TOTAL(calls)
//     AS calls FROM functions) => 0
// expect-sql: SELECT MIN(value) > 150 FROM trust WHERE name = 'nested_entries' => 1
// tree-without: ^operator
// expect-tree:
//     main 1
//       shapes 1 +60
//         Circle::Circle 90
//           Shape::Shape 90
//         Circle::~Circle 90
//           Shape::~Shape 90
//       deleted 1 +35
//         Both::Both 35
//           Top::Top 35
//           Left::Left 35
//           Right::Right 35
//         Both::~Both 35
//           Top::~Top 35
//           Left::~Left 35
//           Right::~Right 35
//       whole 1
//         Both::Both 15
//           Top::Top 15
//           Left::Left 15
//           Right::Right 15
//         Both::~Both 15
//           Top::~Top 15
//           Left::~Left 15
//           Right::~Right 15
//         Left::Left 20
//           Top::Top 20
//         Left::~Left 20
//           Top::~Top 20
//       chain 1 +40
//         List::List 40
//         List::~List*40 1
//       nested 1 +1
//         Nest::Nest 4
//         Nest::~Nest 4
//           Nest::Nest 4
//           Nest::~Nest 4
//             Nest::Nest 4
//             Nest::~Nest 4
//       other_kinds 1 +25
//         (anonymous namespace)::Hidden::Hidden 10
//         (anonymous namespace)::Hidden::~Hidden 10
//         Box<int>::Box 5
//           Top::Top 5
//         Box<int>::~Box 5
//           Top::~Top 5
//         other_kinds::Local::Local 10
//         other_kinds::Local::~Local 10
#include "truth.h"
#include <cstdlib>

static volatile int sum;

struct Shape {
	ALONE Shape()
	{
		sum = sum + 1;
	}
	ALONE virtual ~Shape()
	{
		sum = sum - 1;
	}
};

struct Circle : Shape {
	ALONE Circle()
	{
		sum = sum + 2;
	}
	ALONE ~Circle() override
	{
		sum = sum - 2;
	}
};

struct Top {
	ALONE Top()
	{
		sum = sum + 1;
	}
	ALONE virtual ~Top()
	{
		sum = sum - 1;
	}
	int top = 1;
};

struct Left : virtual Top {
	ALONE Left()
	{
		sum = sum + 2;
	}
	ALONE ~Left() override
	{
		sum = sum - 2;
	}
	int left = 1;
};

struct Right : virtual Top {
	ALONE Right()
	{
		sum = sum + 3;
	}
	ALONE ~Right() override
	{
		sum = sum - 3;
	}
	int right = 1;
};

struct Both : Left, Right {
	ALONE Both()
	{
		sum = sum + 4;
	}
	ALONE ~Both() override
	{
		sum = sum - 4;
	}
};

/* Each destroys the next: other objects, so other calls. */
struct List {
	ALONE explicit List(List *behind) : next(behind)
	{
		sum = sum + 1;
	}
	ALONE virtual ~List()
	{
		delete next;
	}
	List *next;
};

/* Likewise, of whole objects. */
struct Nest {
	ALONE explicit Nest(int more) : inner(more)
	{
		sum = sum + 1;
	}
	ALONE virtual ~Nest()
	{
		if (inner) {
			Nest nest(inner - 1);

			keep(&nest);
		}
	}
	int inner;
};

namespace
{
struct Hidden {
	ALONE Hidden()
	{
		sum = sum + 1;
	}
	ALONE virtual ~Hidden()
	{
		sum = sum - 1;
	}
};
} // namespace

template <typename T> struct Box : virtual Top {
	ALONE explicit Box(T what) : content(what)
	{
	}
	ALONE ~Box() override
	{
		sum = sum + content;
	}
	T content;
};

ALONE static void shapes()
{
	for (int i = 0; i < 60; i++) {
		Shape *shape = new Circle;

		keep(shape);
		delete shape;
	}
	for (int i = 0; i < 30; i++) {
		Circle circle;

		keep(&circle);
	}
}

ALONE static void deleted()
{
	for (int i = 0; i < 30; i++) {
		Top *top = new Both;

		keep(top);
		delete top;
	}
	for (int i = 0; i < 5; i++) {
		Right *right = new Both;

		keep(right);
		delete right;
	}
}

ALONE static void whole()
{
	for (int i = 0; i < 15; i++) {
		Both both;

		keep(&both);
	}
	for (int i = 0; i < 20; i++) {
		Left left;

		keep(&left);
	}
}

ALONE static void chain()
{
	List *list = nullptr;

	for (int i = 0; i < 40; i++)
		list = new List(list);
	keep(list);
	delete list;
}

ALONE static void nested()
{
	Nest *nest = new Nest(2);

	keep(nest);
	delete nest;
	for (int i = 0; i < 3; i++) {
		Nest local(2);

		keep(&local);
	}
}

ALONE static void other_kinds()
{
	struct Local {
		ALONE Local()
		{
			sum = sum + 1;
		}
		ALONE virtual ~Local()
		{
			sum = sum - 1;
		}
	};

	for (int i = 0; i < 10; i++) {
		Hidden *hidden = new Hidden;
		Local *local = new Local;

		keep(hidden);
		keep(local);
		delete hidden;
		delete local;
	}
	for (int i = 0; i < 5; i++) {
		Top *top = new Box<int>(i);

		keep(top);
		delete top;
	}
}

/* argv[1]: how often. */
int main(int argc, char **argv)
{
	for (int left = argc > 1 ? std::atoi(argv[1]) : 1; left; left--) {
		shapes();
		deleted();
		whole();
		chain();
		nested();
		other_kinds();
	}
	return 0;
}
