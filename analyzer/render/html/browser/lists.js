/* SPDX-License-Identifier: MIT */
/*
 * Tables that the script makes, of what is chosen: steps and waits, and what is gone.
 */

var LISTED_MOST = 40;

function LiveTable(title, columns) {
	var self = this;

	this.columns = columns;
	this.title = title;
	this.sorted = 1;
	this.most = LISTED_MOST;
	this.up = false;
	this.rows = []; /* until it is shown some */
	this.field = make("input", {type: "search", placeholder: "Filter rows",
		"aria-label": "Filter rows of " + title + " by a regular expression"});
	this.told = make("span", {role: "status"});
	this.table = make("table", {});
	this.more = button("Show more rows", "Ten times as many", function () {
		self.most *= 10;
		self.draw();
	});
	this.more.className = "small";
	this.more.hidden = true;
	this.holder = make("div", {"class": "live-table"}, [make("h3", {}, title),
		make("div", {"class": "filter"}, [this.field, this.told, this.more]),
		make("div", {"class": "scroll", tabindex: 0, role: "region",
			"aria-label": "Table: " + title}, this.table)]);
	this.field.addEventListener("input", this.draw.bind(this));
}

/* columns: title, key(row), text(row), isNumber; the first is what a row is of. */
LiveTable.prototype.show = function (rows) {
	this.rows = rows;
	this.draw();
};

LiveTable.prototype.head = function () {
	var self = this;

	return make("tr", {}, this.columns.map(function (column, number) {
		var sort = number !== self.sorted ? null : self.up ? "ascending" : "descending";

		return make("th", {scope: "col", "class": column.isNumber ? "n" : null,
			"aria-sort": sort}, button(column.title, "Sort by " + column.title, function () {
			self.up = number === self.sorted ? !self.up : !column.isNumber;
			self.sorted = number;
			self.draw();
			self.table.tHead.rows[0].cells[number].firstChild.focus();
		}));
	}));
};

LiveTable.prototype.chosen = function (wanted) {
	var self = this, key = this.columns[this.sorted].key;

	return this.rows.filter(function (row) {
		return !wanted || wanted.test(self.columns[0].key(row));
	}).sort(function (a, b) {
		return (self.up ? 1 : -1) * compareKeys(key(a), key(b));
	});
};

LiveTable.prototype.row = function (row) {
	return make("tr", {"class": this.isSoft && this.isSoft(row) ? "soft" : null},
		this.columns.map(function (column, number) {
		return make(number ? "td" : "th", {scope: number ? null : "row",
			"class": !column.isNumber ? null : column.isGuess && column.isGuess(row) ? "n guess"
				: "n"}, column.text(row));
	}));
};

LiveTable.prototype.draw = function () {
	var wanted = expression(this.field.value), rows = this.chosen(wanted);

	this.table.replaceChildren(make("thead", {}, this.head()),
		make("tbody", {}, rows.slice(0, this.most).map(this.row, this)));
	this.more.hidden = rows.length <= this.most;
	this.told.textContent = !this.rows.length && this.none ? this.none : wanted === undefined ? "not a regular expression"
		: rows.length > this.most ? "the first " + this.most + " of " +
			countedText(rows.length, "row")
			: wanted ? rows.length + " of " + countedText(this.rows.length, "row") : "";
};

/* choose(fn): of a click on the name. */
function functionButton(data, fn, choose) {
	var made = button(shortened(nameOf(data, fn), 120), "Show its callers and callees",
		function () { choose(fn); });

	made.className = "name";
	return made;
}

/* The names from the root on; of a long path those in its middle are left out. */
function pathText(data, node) {
	var names = [];

	for (; node >= 0; node = data.parent[node])
		names.unshift(shortened(nameOf(data, data.fn[node]), 60));
	if (names.length > 14)
		names.splice(4, names.length - 12, "\u2026");
	return names.join(" \u2192 ");
}

/* Steps and waits by name, those of which a part lies in the range. */
function eventRows(data, range) {
	var rows = new Map();

	data.events.forEach(function (event) {
		var name = event[0] || "?", took = event[3], row = rows.get(name);

		if (event[2] + took < range.from || (event[2] > range.to && !range.isWhole()))
			return;
		if (!row)
			rows.set(name, row = {name: name, count: 0, sum: 0, longest: 0, which: ""});
		row.count++;
		row.sum += took;
		if (took >= row.longest) {
			row.longest = took;
			row.which = event[1] || "";
		}
	});
	return Array.from(rows.values());
}

function eventTable() {
	function of(name) {
		return function (row) { return row[name]; };
	}
	return new LiveTable("Steps and waits of what is chosen", [textColumn("what", of("name")),
		numberColumn("sum", "nanoseconds", of("sum")),
		numberColumn("count", "count", of("count")),
		numberColumn("longest", "nanoseconds", of("longest")),
		textColumn("the longest", of("which"))]);
}

/* Of a comparison: what is on the side before only, by call path; frames of nothing after
 * are drawn nowhere. Of a path that is gone its callees are, too: they are in it. */
function goneRows(weights) {
	var data = weights.data, rows = [];

	for (var i = 0; i < data.nodes; i++) {
		var parent = data.parent[i];

		if (weights.totalBefore[i] > 0 && !(weights.total[i] > 0) &&
				(parent < 0 || weights.total[parent] > 0))
			rows.push({node: i, fn: data.fn[i], before: weights.totalBefore[i],
				isProven: isGoneProven(weights, i), metric: weights.metric});
	}
	return rows;
}

/* Counts are; a time only where the runs prove its change. */
function isGoneProven(weights, node) {
	var data = weights.data;

	return !isTimeMetric(data, weights.metric) || (data.judged && !data.recording[node]);
}

function goneTable(data, choose) {
	var table, name = textColumn("function", function (row) { return nameOf(data, row.fn); });

	name.text = function (row) { return functionButton(data, row.fn, choose); };
	table = new LiveTable("Only before: call paths that are gone", [name,
		{title: "before", isNumber: true, key: function (row) { return row.before; }, text: function (row) {
			return amountText(row.before, data.metrics[row.metric].unit);
		}},
		textColumn("verdict", function (row) { return row.isProven ? "gone" : "not proven"; }),
		textColumn("call path", function (row) { return pathText(data, row.node); }, true)]);
	table.isSoft = function (row) { return !row.isProven; };
	table.none = "Nothing is gone: every call path of before has some of this metric after.";
	return table;
}
