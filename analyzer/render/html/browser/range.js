/* SPDX-License-Identifier: MIT */
/*
 * The one range of time that the page shows, wherever it was picked. Times are ns since
 * the run began.
 */

var RANGE_LEAST_NS = 1000;

/* begin, end: what can be chosen of. */
function PageRange(begin, end) {
	var self = this;

	this.begin = this.from = begin;
	this.end = this.to = end;
	this.watchers = [];
	this.read();
	whenAddressChanges(function () {
		self.read();
		self.tell();
	});
}

PageRange.prototype.isWhole = function () {
	return this.from <= this.begin && this.to >= this.end;
};

PageRange.prototype.length = function () {
	return this.to - this.from;
};

/* watcher(range), now and whenever it is another. */
PageRange.prototype.watch = function (watcher) {
	this.watchers.push(watcher);
	watcher(this);
};

PageRange.prototype.tell = function () {
	var self = this;

	document.body.classList.toggle("ranged", !this.isWhole());
	this.watchers.forEach(function (watcher) { watcher(self); });
};

PageRange.prototype.keep = function (from, to) {
	var span = this.end - this.begin, least = Math.min(RANGE_LEAST_NS, span);
	var length = Math.min(Math.max(Math.round(to - from), least), span);

	this.from = Math.min(Math.max(Math.round(from), this.begin), this.end - length);
	this.to = this.from + length;
};

PageRange.prototype.set = function (from, to) {
	this.keep(from, to);
	putAddress("range", this.isWhole() ? "" : "from=" + this.from + "&to=" + this.to);
	this.tell();
};

PageRange.prototype.all = function () {
	this.set(this.begin, this.end);
};

/* By a share of its own length. */
PageRange.prototype.move = function (share) {
	var step = this.length() * share;

	this.set(this.from + step, this.to + step);
};

/* Around a time that stays where it is. */
PageRange.prototype.zoom = function (factor, centre) {
	this.set(centre - (centre - this.from) * factor, centre + (this.to - centre) * factor);
};

/* Whatever stands in the address: what makes no sense shows all. */
PageRange.prototype.read = function () {
	var from = addressValue("from"), to = addressValue("to"), isNumber = /^\d{1,19}$/;

	if (isNumber.test(from) && isNumber.test(to) && +from >= this.begin && +to <= this.end &&
			+from < +to)
		this.keep(+from, +to);
	else
		this.keep(this.begin, this.end);
	document.body.classList.toggle("ranged", !this.isWhole());
};

/* In as many digits as tell the ends of the range apart. */
PageRange.prototype.time = function (ns) {
	var length = this.length(), unit = this.to < 1e6 ? 1e3 : this.to < 1e9 ? 1e6 : 1e9;

	if (this.to <= 10 * length)
		return amountText(ns, "nanoseconds");
	return (ns / unit).toFixed(Math.max(Math.ceil(2 - Math.log10(length / unit)), 0)) +
		{1e3: "us", 1e6: "ms", 1e9: "s"}[unit];
};

PageRange.prototype.text = function () {
	var span = this.end - this.begin;

	return "Shown: " + this.time(this.from) + " to " + this.time(this.to) + ", " +
		percentText(this.length(), span) + " of " + amountText(span, "nanoseconds") + ".";
};

/* Draws over an element from one place (0 to 1) to another: mark(a, b) while it goes on,
 * done(a, b, event) with the pointer's first, null when it is broken off. */
function listenToDrawing(element, placeOf, mark, done) {
	var start = null, first;

	function end(event) {
		var from = start;

		start = null;
		if (from !== null)
			done(event.type === "pointerup" ? [from, placeOf(event)] : null, first);
	}
	element.addEventListener("pointerdown", function (event) {
		if (event.button)
			return;
		first = event;
		start = placeOf(event);
		element.setPointerCapture(event.pointerId);
	});
	element.addEventListener("pointermove", function (event) {
		if (start !== null)
			mark(start, placeOf(event));
	});
	element.addEventListener("pointerup", end);
	element.addEventListener("pointercancel", end);
}

/* "1.5s", "200 ms", "30us"; a number alone is seconds. NaN: it is none. */
function timeIn(text) {
	var found = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|ms|s|)\s*$/.exec(text);

	return found ? found[1] * {ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, "": 1e9}[found[2]] : NaN;
}
