/* SPDX-License-Identifier: MIT */
/*
 * What the sections of the report show of a range: rows of their own where these are
 * known, and where nothing is, they are grey and say so.
 */

var NOT_IN_RANGES = "Whole run: not known for ranges.";

function namesOf(table) {
	return table && table.tHead ? Array.from(table.tHead.rows[0].cells).map(function (cell) {
		return cell.dataset.name;
	}) : [];
}

/* Rows of tables that have times of their own. */
function followRows(main, range) {
	main.querySelectorAll("table").forEach(function (table) {
		var names = namesOf(table);
		var at = names.indexOf("started_ns"), took = names.indexOf("duration_ns");

		if (at < 0 || took < 0 || table.closest("section").dataset.follows)
			return;
		table.closest("section").dataset.follows = "rows";
		range.watch(function () { showRows(table, at, took, range); });
	});
}

function showRows(table, at, took, range) {
	Array.from(table.tBodies[0].rows).forEach(function (row) {
		var begin = +row.cells[at].dataset.v, end = begin + +row.cells[took].dataset.v;

		row.classList.toggle("away", begin > range.to || end < range.from);
	});
	table.closest("section").classList.toggle("part", !range.isWhole());
	table.dispatchEvent(new Event("range"));
}

function Followers(main, data, range, explorer) {
	var self = this;

	this.data = data;
	this.explorer = explorer;
	this.range = range;
	this.main = main;
	this.isDelta = /delta/.test(document.title);
	followRows(main, range);
	this.sections = Array.from(main.querySelectorAll("section[data-name]")).filter(
		function (section) {
			return section.querySelector("table, dl, .whole, .finding") && !section.dataset.follows;
		}).map(function (section) { return self.followerOf(section); });
	range.watch(function () { self.showLater(); });
	explorer.whenChosen = function () { self.showLater(); };
	leadToExplorer(main, data, explorer);
}

/* From a function's name in a table to its callers and callees. */
function leadToExplorer(main, data, explorer) {
	var number = new Map(data.functions.map(function (one, fn) { return [one[4], fn]; }));

	main.querySelectorAll("tr[data-function] th code").forEach(function (code) {
		var fn = number.get(+code.closest("tr").dataset.function), made;

		if (fn === undefined)
			return;
		made = button("", "Show its callers and callees", function () { explorer.goTo(fn); });
		made.className = "name";
		code.replaceWith(made);
		made.append(code);
	});
}

Followers.prototype.followerOf = function (section) {
	var name = section.dataset.name, table = this.isDelta ? null : RANGED_TABLES[name];
	var follower = {section: section, said: make("p", {"class": "foot said", hidden: ""}),
		own: Array.from(section.children).filter(function (child) {
			return child.tagName !== "H2";
		}), table: null, kind: null};

	if (table && (!table.isOfPaths || this.data.slots.length || table === RANGED_TABLES.functions)) {
		follower.kind = "table";
		follower.make = table.make;
		follower.isOfPaths = table.isOfPaths;
		follower.names = namesOf(section.querySelector("table"));
	} else if (name === "where" && this.data.slots.length) {
		follower.kind = "where";
	} else if (name === "findings") {
		follower.kind = "findings";
	}
	if (section.firstElementChild.tagName === "H2")
		section.firstElementChild.after(follower.said);
	else
		section.prepend(follower.said);
	return follower;
};

/* One section after the other: the page answers in between. Of choices in a row only the
 * last is shown. */
Followers.prototype.showLater = function () {
	var self = this, waiting = this.sections.slice();

	function next() {
		var follower = waiting.shift();

		if (!follower) {
			setBusy("followers", false);
			return;
		}
		self.show(follower);
		self.waiting = setTimeout(next, 0);
	}
	clearTimeout(this.waiting);
	setBusy("followers", true);
	this.waiting = setTimeout(next, 30);
};

Followers.prototype.choice = function () {
	var moments = momentsAround(this.data, this.range.from, this.range.to);

	return {lane: -1, from: moments[0], to: moments[1], hidden: new Set()};
};

/* Of the table of functions: as it is chosen in the explorer, too. */
Followers.prototype.choiceOf = function (follower) {
	var choice = this.choice(), state = this.explorer.state;

	if (follower.section.dataset.name !== "functions")
		return choice;
	return {lane: state.lane, from: choice.from, to: choice.to, hidden: state.hidden};
};

/* Nothing is chosen that the section could follow. */
Followers.prototype.isWhole = function (follower) {
	var choice = this.choiceOf(follower);

	return this.range.isWhole() && choice.lane < 0 && !choice.hidden.size;
};

Followers.prototype.show = function (follower) {
	var isWhole = this.isWhole(follower), isKnown = follower.kind && (this.range.isWhole() ||
		this.data.slots.length || !follower.isOfPaths), shows = !isWhole && isKnown;

	follower.said.hidden = isWhole;
	follower.section.classList.toggle("unranged", !isWhole && !isKnown);
	if (follower.kind === "findings")
		this.showFindings(follower, isWhole);
	if (!isKnown)
		follower.said.textContent = this.isDelta ? "Between its two moments: not known for ranges."
			: NOT_IN_RANGES;
	if (follower.kind && follower.kind !== "findings")
		follower.own.forEach(function (child) { child.classList.toggle("away", !!shows); });
	if (follower.live)
		follower.live.classList.toggle("away", !shows);
	if (shows && follower.kind === "table")
		this.showTable(follower);
	else if (shows && follower.kind === "where")
		this.showWhere(follower);
};

/* From when to when call paths are known. */
Followers.prototype.between = function () {
	var choice = this.choice(), data = this.data;

	if (this.range.isWhole())
		return "";

	return "In the range between snapshots: " + momentName(data, choice.from) + " to " +
		momentName(data, choice.to) + " of process " + data.pid + ".";
};

Followers.prototype.showTable = function (follower) {
	var ranged = follower.make(this.data, this.choiceOf(follower), this.range, follower.names);
	var heading = follower.section.querySelector("h2"), choice = this.choiceOf(follower);

	follower.said.textContent = RANGED_TABLES[follower.section.dataset.name].isOfPaths
		? this.between() : "Those that end in the range.";
	if (choice.lane >= 0)
		follower.said.textContent += " Of thread " + this.data.lanes[choice.lane][0] + ".";
	if (choice.hidden.size)
		follower.said.textContent += " Without what is hidden.";
	if (!follower.table) {
		follower.table = new LiveTable(heading ? heading.textContent : "Of the range",
			ranged.columns);
		follower.table.sorted = ranged.sorted;
		follower.table.none = "Nothing in the range.";
		follower.live = follower.table.holder;
		follower.live.querySelector("h3").remove();
		follower.section.append(follower.live);
	}
	follower.table.columns = ranged.columns;
	follower.table.show(ranged.rows);
};

/* What all of a range's time may be off by. */
function rootsError(data, choice) {
	var errors = errorsOf(data, choice), sum = 0;

	for (var node = data.roots; node >= 0; node = data.next[node])
		sum += errors.total[node];
	return sum;
}

/* The bar of the threads' time; the hooks' part is known of the whole run only. */
Followers.prototype.showWhere = function (follower) {
	var data = this.data, choice = this.choice(), left = 0, all, error = rootsError(data, choice);
	var parts = [["cpu", "computing"], ["ready", "CPU wait (runnable, not running)"], ["blocked", "blocked"]]
		.map(function (part) {
			return {word: part[1], ns: sumOf(selfOf(data, metricNumber(data, part[0]), choice))};
		});
	var bar = makeSvg("svg", {"class": "whole", viewBox: "0 0 1000 24", "aria-hidden": "true",
		preserveAspectRatio: "none"});

	all = parts.reduce(function (sum, part) { return sum + part.ns; }, 0);
	parts.forEach(function (part, number) {
		var width = all ? 1000 * part.ns / all : 0;

		bar.append(makeSvg("rect", {"class": "part" + number, x: left, width: width, height: 24}));
		left += width;
	});
	if (!follower.live) {
		follower.live = make("div");
		follower.section.append(follower.live);
	}
	follower.said.textContent = this.between() + " Without the hooks, whose part is not known " +
		"for ranges.";
	follower.live.replaceChildren(bar, make("ul", {"class": "parts"}, parts.map(
		function (part, number) {
			var mark = makeSvg("svg", {width: 12, height: 12, "aria-hidden": "true"});

			mark.append(makeSvg("rect", {"class": "part" + number, width: 12, height: 12}));
			return make("li", {}, [mark, " ", make("b", {}, percentText(part.ns, all)), " " +
				part.word + ", " + estimateText(part.ns, number ? 0 : error, "nanoseconds")]);
		})));
};

/* What a finding's function, or its steps, had in the range. */
Followers.prototype.showFindings = function (follower, isWhole) {
	var self = this, data = this.data, functions = new Map(), of = {}, steps;

	follower.said.hidden = true;
	if (!isWhole && data.slots.length) {
		weighFunctions(data, this.choice(), new Uint8Array(data.nodes)).forEach(function (row) {
			functions.set(data.functions[row.fn][4], row);
		});
		data.functions.forEach(function (one) { of[one[4]] = true; });
	}
	steps = stepsIn(data, this.range);
	follower.section.querySelectorAll(".finding").forEach(function (article) {
		var line = article.querySelector(".said") || make("p", {"class": "foot said"});
		var id = +article.dataset.function, step = article.dataset.step, text;

		if (step && steps.has(step))
			text = "In the range: " + countedText(steps.get(step).length, "step") + " of it.";
		else if (step)
			text = "In the range: no step of it ended.";
		else if (id && of[id])
			text = "In the range: " + self.functionText(functions.get(id));
		line.textContent = text || NOT_IN_RANGES;
		line.hidden = isWhole;
		article.classList.toggle("unranged", !isWhole && !text);
		article.append(line);
	});
};

Followers.prototype.functionText = function (row) {
	var data = this.data;

	function of(word) { return row.values[metricNumber(data, word)]; }
	if (!row)
		return "nothing of it.";
	return "self " + estimateText(of("wall"), row.selfError, "nanoseconds") + ", total " +
		estimateText(row.total, row.totalError, "nanoseconds") + ", " +
		countedText(of("calls"), "call") + (of("allocations") ? ", by itself " +
		countedText(of("allocations"), "allocation") + " of " + amountText(of("bytes"), "bytes")
		: "") + ".";
};
