// SPDX-License-Identifier: MIT
/*
 * What this is:  a C++ program of very many very small functions: templates, operators,
 *                iterators, small virtual functions; for scripts/fidelity. The same calls
 *                on every run. usage: tiny_functions [SCALE]
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

// With names, as all types below: of what has none, perf knows no linkage name.
namespace tiny
{

class Random
{
      public:
	explicit Random(std::uint32_t seed) : state(seed)
	{
	}
	std::uint32_t next()
	{
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		return state;
	}
	double unit()
	{
		return next() / 4294967296.0;
	}

      private:
	std::uint32_t state;
};

// Operators on values.
template <typename Number> struct Vector {
	Number x, y, z;
	Vector operator+(const Vector &other) const
	{
		return {x + other.x, y + other.y, z + other.z};
	}
	Vector operator-(const Vector &other) const
	{
		return {x - other.x, y - other.y, z - other.z};
	}
	Vector operator*(Number factor) const
	{
		return {x * factor, y * factor, z * factor};
	}
	Vector &operator+=(const Vector &other)
	{
		return *this = *this + other;
	}
	Number dot(const Vector &other) const
	{
		return x * other.x + y * other.y + z * other.z;
	}
	Number length_squared() const
	{
		return dot(*this);
	}
};

// A container with iterators of its own.
template <typename Item> class Row
{
      public:
	class Iterator
	{
	      public:
		explicit Iterator(Item *at) : at(at)
		{
		}
		Item &operator*() const
		{
			return *at;
		}
		Item *operator->() const
		{
			return at;
		}
		Iterator &operator++()
		{
			++at;
			return *this;
		}
		bool operator!=(const Iterator &other) const
		{
			return at != other.at;
		}

	      private:
		Item *at;
	};

	explicit Row(std::size_t count) : items(count)
	{
	}
	Iterator begin()
	{
		return Iterator(items.data());
	}
	Iterator end()
	{
		return Iterator(items.data() + items.size());
	}
	Item &operator[](std::size_t index)
	{
		return items[index];
	}
	std::size_t size() const
	{
		return items.size();
	}

      private:
	std::vector<Item> items;
};

// Small virtual functions.
class Shape
{
      public:
	virtual ~Shape() = default;
	virtual double area() const = 0;
	virtual double grown(double factor) const
	{
		return area() * factor;
	}
};

class Square : public Shape
{
      public:
	explicit Square(double side) : side(side)
	{
	}
	double area() const override
	{
		return side * side;
	}

      private:
	double side;
};

class Disc : public Shape
{
      public:
	explicit Disc(double radius) : radius(radius)
	{
	}
	double area() const override
	{
		return 3.141592653589793 * radius * radius;
	}

      private:
	double radius;
};

class Ring : public Shape
{
      public:
	Ring(double outer, double inner) : outer(outer), inner(inner)
	{
	}
	double area() const override
	{
		return outer.area() - inner.area();
	}
	double grown(double factor) const override
	{
		return Shape::grown(factor) * 0.5;
	}

      private:
	Disc outer, inner;
};

struct Body {
	Vector<double> place, speed;
};

double fly(Row<Body> &bodies, int steps)
{
	double energy = 0;

	for (int step = 0; step < steps; step++) {
		for (Body &body : bodies) {
			Vector<double> pull = body.place * -0.01;

			body.speed += pull;
			body.place += body.speed * 0.1;
			energy += body.speed.length_squared();
		}
	}
	return energy;
}

double measure(const std::vector<std::unique_ptr<Shape>> &shapes, int rounds)
{
	double sum = 0;

	for (int round = 0; round < rounds; round++)
		for (const auto &shape : shapes)
			sum += shape->grown(1.0 + round * 0.001);
	return sum;
}

// A heap of one's own: comparisons, swaps, parents and children.
template <typename Item, typename Before> class Heap
{
      public:
	explicit Heap(Before before) : before(before)
	{
	}
	bool empty() const
	{
		return items.empty();
	}
	void push(Item item)
	{
		items.push_back(item);
		for (std::size_t at = items.size() - 1;
		     at && before(items[at], items[parent(at)]); at = parent(at))
			exchange(at, parent(at));
	}
	Item pop()
	{
		Item top = items.front();

		items.front() = items.back();
		items.pop_back();
		sink(0);
		return top;
	}

      private:
	static std::size_t parent(std::size_t at)
	{
		return (at - 1) / 2;
	}
	static std::size_t left(std::size_t at)
	{
		return 2 * at + 1;
	}
	void exchange(std::size_t a, std::size_t b)
	{
		std::swap(items[a], items[b]);
	}
	std::size_t first_of(std::size_t a, std::size_t b) const
	{
		return b < items.size() && before(items[b], items[a]) ? b : a;
	}
	void sink(std::size_t at)
	{
		while (left(at) < items.size()) {
			std::size_t child = first_of(left(at), left(at) + 1);

			if (!before(items[child], items[at]))
				return;
			exchange(at, child);
			at = child;
		}
	}

	std::vector<Item> items;
	Before before;
};

struct Smaller {
	bool operator()(std::uint32_t a, std::uint32_t b) const
	{
		return a < b;
	}
};

std::uint64_t order(Random &random, int count)
{
	Heap<std::uint32_t, Smaller> heap{Smaller()};
	std::uint64_t sum = 0;

	for (int i = 0; i < count; i++)
		heap.push(random.next());
	for (std::uint64_t place = 1; !heap.empty(); place++)
		sum += heap.pop() % 1000 * (place % 7);
	return sum;
}

std::vector<std::unique_ptr<Shape>> make_shapes(Random &random, int count)
{
	std::vector<std::unique_ptr<Shape>> shapes;

	for (int i = 0; i < count; i++) {
		switch (random.next() % 3) {
		case 0:
			shapes.push_back(std::make_unique<Square>(random.unit()));
			break;
		case 1:
			shapes.push_back(std::make_unique<Disc>(random.unit()));
			break;
		default:
			shapes.push_back(
				std::make_unique<Ring>(1 + random.unit(), random.unit()));
		}
	}
	return shapes;
}

} // namespace tiny

int main(int argc, char **argv)
{
	using namespace tiny;

	int scale = argc > 1 ? std::atoi(argv[1]) : 1;
	Random random(42);
	Row<Body> bodies(1000);

	for (Body &body : bodies)
		body = {{random.unit(), random.unit(), random.unit()}, {0, 0, 0}};
	std::printf("energy %.6f\n", fly(bodies, 100 * scale));
	std::printf("areas %.6f\n", measure(make_shapes(random, 10000), 10 * scale));
	for (int i = 0; i < scale; i++)
		std::printf("order %llu\n",
			    static_cast<unsigned long long>(order(random, 20000)));
}
