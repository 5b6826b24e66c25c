/* SPDX-License-Identifier: MIT */
/* The user's own header: a template and a container, whose lines are the user's, too. */
#pragma once

#include <memory>
#include <vector>

template <class T> std::vector<T> filled(size_t count)
{
	std::vector<T> all;

	all.resize(count); //@ 4000 + 1600
	keep(all.data());
	return all;
}

template <class T> class Stack
{
	T *items = nullptr;
	size_t count = 0, room = 0;

	void grow()
	{
		T *more = new T[room * 2 + 4]; //@ 32 + 96 + 224

		for (size_t i = 0; i < count; i++)
			more[i] = items[i];
		delete[] items;
		items = more;
		room = room * 2 + 4;
		keep(items);
	}

      public:
	~Stack()
	{
		delete[] items;
	}

	void push(T item)
	{
		if (count == room)
			grow();
		items[count++] = item;
	}
};
