/* SPDX-License-Identifier: MIT */
/*
 * The run over time: live memory as a line, snapshots as ticks, steps and waits as marks;
 * and the choice of a range, by drawing over it or from two lists. A range begins and ends
 * at snapshots: only there it is known what each call path had by then.
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
		return Math.max(most, event[4] + event[5]);
	}, data.moments.reduce(function (most, moment) {
		return Math.max(most, moment[1]);
	}, Math.max(data.wall, 1)));
}

/* The time of a moment by its number, 0 the start. */
function timeOf(data, number) {
	return number ? data.slots[number - 1][2] : 0;
}

function makeChoice(data, label, change) {
	var list = make("select", {"aria-label": label});

	for (var i = 0; i <= data.slots.length; i++)
		list.append(make("option", {value: i}, momentName(data, i)));
	list.addEventListener("change", function () { change(+list.value); });
	return list;
}

function liveLine(data, at) {
	var most = data.moments.reduce(function (sum, moment) {
		return Math.max(sum, moment[2]);
	}, 1);

	return makeSvg("path", {"class": "live", d: data.moments.map(function (moment, i) {
		return (i ? "L" : "M") + at(moment[1]).toFixed(1) + " " +
			(STRIP_HEIGHT - 12 - moment[2] / most * (STRIP_HEIGHT - 20)).toFixed(1);
	}).join("")});
}

/* Of many events that fall on one spot the first is enough. */
function eventMarks(data, at) {
	var marks = makeSvg("g", {}), seen = {};

	data.events.forEach(function (event) {
		var x = at(event[4]).toFixed(0), isWait = /^waits: /.test(event[2]);
		var width = Math.max(event[5] / spanOf(data) * STRIP_WIDTH, 1);

		if (event[0] !== 1 || (seen[x + isWait] && width < 2))
			return;
		seen[x + isWait] = true;
		marks.append(makeSvg("rect", {x: x, width: width.toFixed(1), height: 4,
			y: STRIP_HEIGHT - (isWait ? 4 : 9), "class": isWait ? "wait" : "step"}));
	});
	return marks;
}

function Strip(data, change) {
	var self = this;

	this.data = data;
	this.span = spanOf(data);
	this.change = change;
	this.holder = make("div", {id: "strip"});
	if (!data.slots.length) {
		this.holder.append(make("p", {"class": "note"}, "No range of time can be chosen: " +
			"this run has no snapshots, and calls are added up while the program runs. " +
			"PROFSHIM_SNAPSHOT_EVERY=1s, or marks in the program, make some."));
		return;
	}
	this.from = makeChoice(data, "From this moment", function (value) {
		change(value, Math.max(self.range[1], value + 1));
	});
	this.to = makeChoice(data, "To this moment", function (value) {
		change(Math.min(self.range[0], value - 1), value);
	});
	this.draw();
	this.holder.append(make("div", {"class": "tools"}, [
		make("span", {}, "Range of time: "), this.from, make("span", {}, " to "), this.to,
		button("Whole run", "Show the whole run", function () {
			change(0, data.slots.length);
		}), make("span", {"class": "foot"}, "Line: live memory" + (data.events.some(
			function (event) { return event[0] === 1; }) ? "; marks: steps and waits" : "") +
			". Draw over it, or choose two snapshots.")]));
}

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
	this.holder.append(picture);
};

/* The moments at or around two times. */
Strip.prototype.between = function (one, other) {
	var data = this.data, from = 0, to = data.slots.length;
	var start = Math.min(one, other), end = Math.max(one, other);

	for (var i = 0; i <= data.slots.length; i++)
		if (timeOf(data, i) <= start)
			from = i;
	for (i = data.slots.length; i > 0; i--)
		if (timeOf(data, i) >= end)
			to = i;
	from = Math.min(from, data.slots.length - 1);
	return [from, Math.max(to, from + 1)];
};

Strip.prototype.listen = function () {
	var self = this, start = null;

	function time(event) {
		var bounds = self.picture.getBoundingClientRect();

		return (event.clientX - bounds.left) / bounds.width * self.span;
	}
	this.picture.addEventListener("pointerdown", function (event) {
		start = time(event);
		self.picture.setPointerCapture(event.pointerId);
	});
	this.picture.addEventListener("pointerup", function (event) {
		var range = start === null ? null : self.between(start, time(event));

		start = null;
		if (range)
			self.change(range[0], range[1]);
	});
};

Strip.prototype.show = function (from, to) {
	this.range = [from, to];
	if (!this.data.slots.length)
		return;
	this.from.value = from;
	this.to.value = to;
	this.chosen.setAttribute("x", this.at(timeOf(this.data, from)));
	this.chosen.setAttribute("width", Math.max(this.at(timeOf(this.data, to)) -
		this.at(timeOf(this.data, from)), 2));
};
