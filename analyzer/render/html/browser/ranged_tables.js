/* SPDX-License-Identifier: MIT */
/*
 * The report's own tables, of a range: their rows come from what call paths had between
 * snapshots, from steps and from slices, with the same columns where these are known.
 */

/* Of each path that has something of this metric; of(word) and others are as its column is. */
function nodeRows(data, choice, word) {
	var number = metricNumber(data, word), self = selfOf(data, number, choice), rows = [];

	for (var i = 0; i < data.nodes; i++)
		if (self[i] > 0)
			rows.push(i);
	return {rows: rows, all: sumOf(self), errors: errorsOf(data, choice), of: function (other) {
		var values = selfOf(data, metricNumber(data, other), choice);

		return function (node) { return values[node]; };
	}};
}

function textColumn(title, text, isCode) {
	return {title: title, isNumber: false, key: text, text: function (row) {
		return isCode ? make("code", {}, text(row)) : text(row);
	}};
}

/* error(row): 0 or how far it may be off. */
function numberColumn(title, unit, value, error) {
	return {title: title, isNumber: true, key: value, text: function (row) {
		return estimateText(value(row), error ? error(row) : 0, unit);
	}, isGuess: function (row) {
		return !!error && error(row) > 0 && error(row) >= value(row) * 0.005;
	}};
}

function shareColumn(title, value, whole, error) {
	return {title: title, isNumber: true, key: value, text: function (row) {
		var off = error ? error(row) : 0;

		return off >= value(row) && off > 0 ? "<" + percentText(value(row) + off, whole)
			: percentText(value(row), whole);
	}};
}

/* A mean of what is not known is not known. */
function meanColumn(title, sum, count, error) {
	return {title: title, isNumber: true, key: function (row) { return sum(row) / count(row) || 0; },
		text: function (row) {
			return !count(row) || (error(row) >= sum(row) && error(row) > 0) ? "\u2013"
				: amountText(sum(row) / count(row), "nanoseconds");
		}};
}

/* The columns that the report's own table has. */
function rangedFunctions(data, choice, range, names) {
	var number = {}, rows, all, columns, hot = names.indexOf("self_cpu_ns") < 0 ? "wall" : "cpu";

	rows = weighFunctions(data, choice, dropped(data, choice.hidden));
	data.metrics.forEach(function (metric, i) { number[metric.word] = i; });
	function of(word) {
		return function (row) { return row.values[number[word]]; };
	}
	function selfError(row) { return row.selfError; }
	function totalError(row) { return row.totalError; }
	function total(row) { return row.total; }
	function time(title, value, error) { return numberColumn(title, "nanoseconds", value, error); }
	all = rows.reduce(function (sum, row) { return sum + of(hot)(row); }, 0);
	rows = rows.filter(function (row) { return of("wall")(row) > 0 || of("calls")(row) > 0; });
	columns = {
		self_percent: shareColumn("share", of(hot), all, selfError),
		self_cpu_ns: time("self CPU", of("cpu"), selfError),
		self_ns: time("self", of("wall"), selfError),
		self_ready_ns: time("CPU wait", of("ready")),
		self_blocked_ns: time("blocked", of("blocked")),
		cpu_ns: time("total CPU", function (row) { return row.totalCpu; }, totalError),
		total_ns: time("total", total, totalError),
		calls: numberColumn("calls", "count", of("calls")),
		average_ns: meanColumn("avg", total, of("calls"), totalError)
	};
	return {rows: rows, columns: [
		textColumn("function", function (row) { return nameOf(data, row.fn); }, true)].concat(
		names.map(function (name) { return columns[name]; }).filter(Boolean)), sorted: 1};
}

function rangedPaths(data, choice) {
	var made = nodeRows(data, choice, "wall"), self = made.of("wall");
	var totals = addUp(data, selfOf(data, metricNumber(data, "wall"), choice));

	function selfError(node) { return made.errors.self[node]; }
	return {rows: made.rows, columns: [
		textColumn("function", function (node) { return nameOf(data, data.fn[node]); }, true),
		shareColumn("self %", self, made.all, selfError),
		numberColumn("self", "nanoseconds", self, selfError),
		numberColumn("total", "nanoseconds", function (node) { return totals[node]; },
			function (node) { return made.errors.total[node]; }),
		numberColumn("calls", "count", made.of("calls")),
		textColumn("call path", function (node) { return pathText(data, node); }, true)], sorted: 2};
}

/* Who needs the memory: no library, and nothing that allocates for others. */
function askerOf(data, node) {
	for (var at = node; at >= 0; at = data.parent[at])
		if (!data.functions[data.fn[at]][3])
			return at;
	return node;
}

/* By function, with its largest path. */
function rangedSites(data, choice) {
	var made = nodeRows(data, choice, "bytes"), rows = new Map();
	var values = {bytes: made.of("bytes"), allocations: made.of("allocations"), live: made.of("live")};

	function of(word) {
		return function (row) { return row[word]; };
	}
	made.rows.forEach(function (node) {
		var fn = data.fn[askerOf(data, node)];
		var row = rows.get(fn) || {fn: fn, bytes: 0, allocations: 0, live: 0, most: 0, node: node};

		rows.set(fn, row);
		Object.keys(values).forEach(function (word) { row[word] += values[word](node); });
		if (values.bytes(node) > row.most) {
			row.most = values.bytes(node);
			row.node = node;
		}
	});
	return {rows: Array.from(rows.values()), columns: [
		textColumn("function", function (row) { return nameOf(data, row.fn); }, true),
		numberColumn("bytes", "bytes", of("bytes")), shareColumn("share", of("bytes"), made.all),
		numberColumn("live at its end", "bytes", of("live")),
		numberColumn("allocs", "count", of("allocations")),
		textColumn("call path", function (row) { return pathText(data, row.node); }, true)],
		sorted: 1};
}

/* Calls of libc that slept. */
function rangedWaits(data, choice) {
	var blocked = metricNumber(data, "blocked"), calls = metricNumber(data, "calls"), all;
	var rows = weighFunctions(data, choice, new Uint8Array(data.nodes)).filter(function (row) {
		return data.functions[row.fn][3] === 2 && row.values[blocked] > 0;
	});

	all = ["cpu", "ready", "blocked"].reduce(function (sum, word) {
		return sum + sumOf(selfOf(data, metricNumber(data, word), choice));
	}, 0);
	function slept(row) { return row.values[blocked]; }
	return {rows: rows, columns: [
		textColumn("call", function (row) { return nameOf(data, row.fn); }, true),
		numberColumn("calls", "count", function (row) { return row.values[calls]; }),
		numberColumn("blocked", "nanoseconds", slept), shareColumn("blocked %", slept, all)],
		sorted: 2};
}

function percentile(sorted, part) {
	return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)];
}

/* Those that end in the range. */
function stepsIn(data, range) {
	var names = new Map();

	data.events.forEach(function (event) {
		var name = event[0], end = event[2] + event[3];

		if (/^waits: /.test(name) || end < range.from || end > range.to)
			return;
		if (!names.has(name))
			names.set(name, []);
		names.get(name).push(event[3]);
	});
	return names;
}

function rangedSteps(data, choice, range) {
	var rows = Array.from(stepsIn(data, range)).map(function (one) {
		return {name: one[0], times: one[1].sort(function (a, b) { return a - b; })};
	});

	function count(row) { return row.times.length; }
	return {rows: rows, columns: [
		textColumn("step", function (row) { return row.name; }, true),
		numberColumn("count", "count", count),
		{title: "per second", isNumber: true, key: count, text: function (row) {
			return three(count(row) * 1e9 / range.length());
		}},
		numberColumn("median", "nanoseconds", function (row) { return percentile(row.times, 0.5); }),
		numberColumn("p99", "nanoseconds", function (row) { return percentile(row.times, 0.99); }),
		numberColumn("max", "nanoseconds", function (row) { return percentile(row.times, 1); })],
		sorted: 1};
}

/* Instead of the run's longest calls, of all slices in the page those in the range. */
function followSlices(main, range, lanes) {
	var section = main.querySelector("section[data-name='spans']"), table, own;

	if (!section)
		return;
	function time(name) {
		return numberColumn(name, "nanoseconds", function (row) { return row[name]; });
	}
	section.dataset.follows = "slices";
	own = Array.from(section.children).slice(1);
	table = new LiveTable("The longest", [
		textColumn("function", function (row) { return row.slice.name; }, true), time("at"),
		time("took"), textColumn("mostly", function (row) {
			return LANE_WORDS[row.slice.state] || "";
		}), textColumn("lane", function (row) { return lanes.labelOf(row.slice); })]);
	table.sorted = 2;
	table.holder.querySelector("h3").remove();
	section.append(table.holder);
	function show() {
		own.forEach(function (child) { child.classList.toggle("away", !range.isWhole()); });
		table.holder.classList.toggle("away", range.isWhole());
		section.classList.toggle("part", !range.isWhole());
		if (!range.isWhole())
			table.show(lanes.inRange().map(function (slice) {
				return {slice: slice, at: slice.begin, took: slice.end - slice.begin};
			}));
	}
	range.watch(function () { later("slices", 0, show); });
}

/* By the names of sections. isOfPaths: it is known between snapshots only. */
var RANGED_TABLES = {
	functions: {make: rangedFunctions, isOfPaths: true},
	call_paths: {make: rangedPaths, isOfPaths: true},
	allocation_sites: {make: rangedSites, isOfPaths: true},
	blocked_on: {make: rangedWaits, isOfPaths: true},
	steps: {make: rangedSteps, isOfPaths: false}
};
