/* SPDX-License-Identifier: MIT */
/*
 * The run over time: live memory as a line, snapshots as ticks, steps and waits as marks;
 * and the choice of a range, by drawing over it or from two lists. What call paths had is
 * known at snapshots: of a range the moments at or around its ends are taken.
 */

var SVG_NAME = "http://www.w3.org/2000/svg", STRIP_WIDTH = 1000, STRIP_HEIGHT = 70;

function makeSvg(tag, attributes) {
	var made = document.createElementNS(SVG_NAME, tag);

	Object.keys(attributes).forEach(function (name) {
		made.setAttribute(name, attributes[name]);
	});
	return made;
}

function spanOf(data) {
	return data.events.reduce(function (most, event) {
		return Math.max(most, event[2] + event[3]);
	}, data.moments.reduce(function (most, moment) {
		return Math.max(most, moment[1]);
	}, Math.max(data.wall, 1)));
}

/* The time of a moment by its number, 0 the start. */
function timeOf(data, number) {
	return number ? data.slots[number - 1][2] : 0;
}

function mostLive(data) {
	return data.moments.reduce(function (sum, moment) { return Math.max(sum, moment[2]); }, 1);
}

/* A point where it was measured; what lies between is not known, a thin line leads there. */
function liveLine(data, at) {
	var line = makeSvg("g", {}), most = mostLive(data), places = data.moments.map(function (moment) {
		return at(moment[1]).toFixed(1) + " " +
			(STRIP_HEIGHT - 12 - moment[2] / most * (STRIP_HEIGHT - 16)).toFixed(1);
	});

	line.append(makeSvg("path", {"class": "live", d: "M" + places.join("L")}),
		makeSvg("path", {"class": "measured", d: places.map(function (place) {
			return "M" + place + "h0";
		}).join("")}));
	return line;
}

function axisText(data, span) {
	return make("div", {"class": "ends"}, [0, 1, 2, 3, 4].map(function (part) {
		return make("span", {}, amountText(span * part / 4, "nanoseconds"));
	}));
}

/* Of many events that fall on one spot the first is enough. */
function eventMarks(data, at) {
	var marks = makeSvg("g", {}), seen = {};

	data.events.forEach(function (event) {
		var x = at(event[2]).toFixed(0), isWait = /^waits: /.test(event[0]);
		var width = Math.max(event[3] / spanOf(data) * STRIP_WIDTH, 1);

		if (seen[x + isWait] && width < 2)
			return;
		seen[x + isWait] = true;
		marks.append(makeSvg("rect", {x: x, width: width.toFixed(1), height: 4,
			y: STRIP_HEIGHT - (isWait ? 4 : 9), "class": isWait ? "wait" : "step"}));
	});
	return marks;
}

function Strip(data, range) {
	this.data = data;
	this.range = range;
	this.span = spanOf(data);
	this.holder = make("div", {id: "strip"});
	if (data.slots.length || data.moments.length)
		this.draw();
	if (data.slots.length)
		this.addChoices();
	else
		data.remarks.push("What call paths took in a range of time is not known: calls are added up " +
			"while the program runs, and this run has no snapshots. " +
			"PROFSHIM_SNAPSHOT_EVERY=1s, or marks in the program, take some.");
}

Strip.prototype.addChoices = function () {
	var self = this, data = this.data, moments = [];

	for (var i = 0; i <= data.slots.length; i++)
		moments.push([i, momentName(data, i)]);
	function choose(label, ends) {
		return choiceList(label, moments, function (value) {
			var chosen = ends(+value);

			self.range.set(timeOf(data, chosen[0]), timeOf(data, chosen[1]));
		});
	}
	this.from = choose("From this moment", function (value) {
		return [value, Math.max(self.moments[1], value + 1)];
	});
	this.to = choose("To this moment", function (value) {
		return [Math.min(self.moments[0], value - 1), value];
	});
	this.holder.append(make("div", {"class": "tools"}, [this.from.label, this.to.label,
		make("span", {"class": "foot"}, "Drag over the picture, or choose two moments.")]));
};

Strip.prototype.draw = function () {
	var self = this, data = this.data, picture = makeSvg("svg", {"class": "course",
		viewBox: "0 0 " + STRIP_WIDTH + " " + STRIP_HEIGHT, preserveAspectRatio: "none",
		"aria-hidden": "true"});

	function at(time) {
		return Math.min(time / self.span, 1) * STRIP_WIDTH;
	}
	this.chosen = makeSvg("rect", {"class": "chosen", y: 0, height: STRIP_HEIGHT});
	picture.append(this.chosen);
	data.slots.forEach(function (slot) {
		var line = makeSvg("line", {"class": "tick", x1: at(slot[2]), x2: at(slot[2]), y1: 0,
			y2: STRIP_HEIGHT});

		picture.append(line);
	});
	if (data.moments.length)
		picture.append(liveLine(data, at));
	picture.append(eventMarks(data, at));
	this.picture = picture;
	this.at = at;
	this.listen();
	this.holder.append(make("p", {"class": "foot"}, [data.moments.length ? "Points: live memory, " +
		"where it was measured, the highest " + amountText(mostLive(data), "bytes") + ". " : "",
	data.events.length ? "Marks: steps and waits." : ""]), picture, axisText(data, this.span));
};

/* The numbers of the moments at or around two times; without any, of the whole run. */
function momentsAround(data, start, end) {
	var from = 0, to = data.slots.length;

	for (var i = 0; i <= data.slots.length; i++)
		if (timeOf(data, i) <= start)
			from = i;
	for (i = data.slots.length; i > 0; i--)
		if (timeOf(data, i) >= end)
			to = i;
	from = Math.max(Math.min(from, data.slots.length - 1), 0);
	return [from, Math.max(to, Math.min(from + 1, data.slots.length))];
}

Strip.prototype.listen = function () {
	var self = this, data = this.data;

	listenToDrawing(this.picture, function (event) {
		var bounds = self.picture.getBoundingClientRect();

		return (event.clientX - bounds.left) / bounds.width;
	}, function (one, other) {
		self.mark(Math.min(one, other) * self.span, Math.max(one, other) * self.span);
	}, function (places) {
		var from, to, moments;

		if (!places) {
			self.mark(self.range.from, self.range.to);
			return;
		}
		from = Math.min(places[0], places[1]) * self.span;
		to = Math.max(places[0], places[1]) * self.span;
		moments = data.slots.length ? momentsAround(data, from, to) : null;
		self.range.set(moments ? timeOf(data, moments[0]) : from,
			moments ? timeOf(data, moments[1]) : to);
	});
};

/* Not all of it: that is no choice. */
Strip.prototype.mark = function (from, to) {
	this.chosen.setAttribute("visibility", from <= this.range.begin && to >= this.range.end
		? "hidden" : "visible");
	this.chosen.setAttribute("x", this.at(from));
	this.chosen.setAttribute("width", Math.max(this.at(to) - this.at(from), 2));
};

/* from, to: numbers of moments. */
Strip.prototype.show = function (from, to) {
	this.moments = [from, to];
	if (this.chosen)
		this.mark(this.range.from, this.range.to);
	if (!this.from)
		return;
	this.from.list.value = from;
	this.to.list.value = to;
};
