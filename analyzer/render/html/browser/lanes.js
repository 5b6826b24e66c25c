/* SPDX-License-Identifier: MIT */
/*
 * A range of the lanes, kept in the page's address. Times count from the left edge of the
 * whole picture, in ns.
 */

var LANE_LETTER = 7, LANE_LEAST_SHARE = 0.001, LANE_LEAST_NS = 1000;

function Lanes(holder) {
	this.holder = holder;
	this.start = +holder.dataset.from;
	this.span = +holder.dataset.to - this.start;
	this.slices = Array.from(holder.querySelectorAll("[data-t]")).map(function (element) {
		var times = element.dataset.t.split(" "), words = element.firstChild.textContent;

		return {element: element, begin: +times[0], end: +times[0] + +times[1],
			row: +element.getAttribute("y"), picture: element.parentNode,
			name: words.slice(0, words.lastIndexOf(": ")), words: words};
	});
	this.addTools();
	this.listen();
	this.read();
}

Lanes.prototype.addTools = function () {
	var self = this;

	this.shown = make("span", {role: "status"});
	this.told = make("p", {"class": "foot told"});
	this.drawn = make("div", {"class": "drawn", hidden: ""});
	this.holder.append(this.drawn);
	this.holder.before(make("div", {"class": "tools"}, [
		button("+", "Closer", function () { self.zoom(1 / 2); }),
		button("\u2212", "Less close", function () { self.zoom(2); }),
		button("\u2190", "Earlier", function () { self.move(-1 / 4); }),
		button("\u2192", "Later", function () { self.move(1 / 4); }),
		button("All", "Show all of it", function () { self.show(0, self.span); }),
		this.shown]), make("p", {"class": "foot keys"}, "Draw over the lanes, or click a " +
		"slice, to look closer. In a lane arrows walk, Enter shows the slice alone, + and " +
		"- zoom, Shift with an arrow moves the range, Escape shows all."), this.told);
};

Lanes.prototype.isShown = function (slice) {
	return slice.begin <= this.to && slice.end >= this.from;
};

/* Places for what is in the range; of each lane one slice that Tab reaches. */
Lanes.prototype.draw = function () {
	var self = this, width = this.holder.getBoundingClientRect().width, stops = new Map();

	this.slices.forEach(function (slice) {
		var element = slice.element, length = self.to - self.from;
		var left = Math.max((slice.begin - self.from) / length, 0);
		var share = Math.max(Math.min((slice.end - self.from) / length, 1) - left,
			LANE_LEAST_SHARE);

		element.classList.toggle("away", !self.isShown(slice));
		if (!self.isShown(slice))
			return;
		element.setAttribute("x", (100 * Math.min(left, 1 - share)).toFixed(3) + "%");
		element.setAttribute("width", (100 * share).toFixed(3) + "%");
		self.label(slice, Math.floor((share * width - 6) / LANE_LETTER));
		if (!stops.has(slice.picture) || element.getAttribute("tabindex") === "0")
			stops.set(slice.picture, slice);
	});
	stops.forEach(function (slice) { self.stopAt(slice); });
	this.drawAxis();
};

Lanes.prototype.stopAt = function (slice) {
	slice.picture.querySelectorAll("[tabindex='0']").forEach(function (one) {
		one.setAttribute("tabindex", -1);
	});
	slice.element.setAttribute("tabindex", 0);
};

/* As much of the name as there is room for. */
Lanes.prototype.label = function (slice, letters) {
	var text = slice.element.querySelector("text");

	if (!text && letters > 2) {
		text = makeSvg("text", {x: 3, y: 14});
		slice.element.append(text);
	}
	if (text)
		text.textContent = letters > 2 ? shortened(slice.name, letters) : "";
};

Lanes.prototype.drawAxis = function () {
	var self = this, texts = this.holder.querySelectorAll(".axis text");

	texts.forEach(function (text, i) {
		var later = (self.to - self.from) * i / (texts.length - 1);

		text.textContent = i ? "+" + amountText(later, "nanoseconds") : self.time(self.from);
	});
};

/* Since the run began, in as many digits as tell the ends of the range apart. */
Lanes.prototype.time = function (time) {
	var ns = this.start + time, length = this.to - this.from, last = this.start + this.to;
	var unit = last < 1e6 ? 1e3 : last < 1e9 ? 1e6 : 1e9;

	if (last <= 10 * length)
		return amountText(ns, "nanoseconds");
	return (ns / unit).toFixed(Math.max(Math.ceil(2 - Math.log10(length / unit)), 0)) +
		{1e3: "us", 1e6: "ms", 1e9: "s"}[unit];
};

/* Tables of what has a time show what lies in the range, too. */
Lanes.prototype.showRows = function () {
	var self = this;

	document.querySelectorAll("main table").forEach(function (table) {
		var names = Array.from(table.tHead.rows[0].cells).map(function (cell) {
			return cell.dataset.name;
		});
		var at = names.indexOf("started_ns"), took = names.indexOf("duration_ns");

		if (at < 0 || took < 0)
			return;
		Array.from(table.tBodies[0].rows).forEach(function (row) {
			var begin = row.cells[at].dataset.v - self.start;

			row.classList.toggle("away", !self.isShown({begin: begin,
				end: begin + +row.cells[took].dataset.v}));
		});
		table.closest("section").classList.toggle("part", self.to - self.from < self.span);
		table.dispatchEvent(new Event("range"));
	});
};

Lanes.prototype.show = function (from, to) {
	var span = this.span, least = Math.min(LANE_LEAST_NS, span), focused = this.focused();
	var length = Math.min(Math.max(Math.round(to - from), least), span);

	this.from = Math.min(Math.max(Math.round(from), 0), span - length);
	this.to = this.from + length;
	if (focused && !this.isShown(focused))
		this.holder.focus();
	this.draw();
	this.showRows();
	this.shown.textContent = "Shown: " + this.time(this.from) + " to " + this.time(this.to) +
		", " + percentText(length, span) + " of " + amountText(span, "nanoseconds") + ".";
	if (length < span)
		history.replaceState(null, "", "#from=" + (this.start + this.from) + "&to=" +
			(this.start + this.to));
	else if (/=/.test(location.hash))
		history.replaceState(null, "", "#" + this.holder.closest("section").id);
};

/* Whatever stands in the address: what makes no sense shows all. */
Lanes.prototype.read = function () {
	var range = /^#from=(\d{1,19})&to=(\d{1,19})$/.exec(location.hash);
	var from = range ? range[1] - this.start : 0, to = range ? range[2] - this.start : 0;

	if (from >= 0 && to <= this.span && from < to)
		this.show(from, to);
	else
		this.show(0, this.span);
};

/* Around the slice in focus where it is in sight, else around the middle. */
Lanes.prototype.zoom = function (factor) {
	var slice = this.focused(), centre = (this.from + this.to) / 2;

	if (slice && slice.begin >= this.from && slice.end <= this.to)
		centre = (slice.begin + slice.end) / 2;
	this.show(centre - (centre - this.from) * factor, centre + (this.to - centre) * factor);
};

Lanes.prototype.move = function (share) {
	var step = (this.to - this.from) * share;

	this.show(this.from + step, this.to + step);
};

/* Over all of the width, with a little of what is around it. */
Lanes.prototype.showSlice = function (slice) {
	var around = (slice.end - slice.begin || this.to - this.from) / 20;

	this.show(slice.begin - around, slice.end + around);
};
