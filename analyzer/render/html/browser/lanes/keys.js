/* SPDX-License-Identifier: MIT */
/* Keys and pointer of the lanes. Tab reaches one slice of each lane, arrows the others. */

var LANES_DRAWN_PX = 5; /* less is a click */

Lanes.prototype.sliceOf = function (element) {
	return this.elements.get(element && element.closest("[role=img]"));
};

Lanes.prototype.focused = function () {
	return this.sliceOf(document.activeElement);
};

/* The next one of its row, drawn or not. */
Lanes.prototype.beside = function (slice, step) {
	var row = this.lanes[slice.lane].slices.filter(function (one) {
		return one.row === slice.row;
	});

	return row[row.indexOf(slice) + step];
};

/* The nearest one that it lies in. */
Lanes.prototype.around = function (slice) {
	return this.lanes[slice.lane].slices.filter(function (one) {
		return one.row < slice.row && one.begin <= slice.begin && one.end >= slice.begin;
	}).sort(function (a, b) { return b.row - a.row; })[0];
};

/* The first one that lies in it, in the nearest row and in sight if there is one. */
Lanes.prototype.within = function (slice) {
	var self = this;

	return this.lanes[slice.lane].slices.filter(function (one) {
		return one.row > slice.row && one.row < LANE_ROWS_MOST && one.begin >= slice.begin &&
			one.begin <= slice.end;
	}).sort(function (a, b) {
		return self.isShown(b) - self.isShown(a) || a.row - b.row || a.begin - b.begin;
	})[0];
};

Lanes.prototype.goTo = function (slice) {
	var half = this.range.length() / 2;

	if (!slice)
		return;
	this.wanted = slice;
	if (!this.isShown(slice))
		this.range.set(slice.begin - half, slice.begin + half);
	else if (!slice.element)
		this.draw();
	this.stopAt(slice);
	slice.element.focus();
};

Lanes.prototype.steps = {
	ArrowLeft: function (self, slice) { return self.beside(slice, -1); },
	ArrowRight: function (self, slice) { return self.beside(slice, 1); },
	ArrowUp: function (self, slice) { return self.around(slice); },
	ArrowDown: function (self, slice) { return self.within(slice); }
};

Lanes.prototype.keys = {
	"+": function (self) { self.zoom(1 / 2); },
	"-": function (self) { self.zoom(2); },
	w: function (self) { self.zoom(1 / 2); },
	s: function (self) { self.zoom(2); },
	a: function (self) { self.range.move(-1 / 4); },
	d: function (self) { self.range.move(1 / 4); },
	Escape: function (self) { self.range.all(); },
	Enter: function (self) {
		if (self.focused())
			self.showSlice(self.focused());
	}
};

Lanes.prototype.key = function (event) {
	var slice = this.focused(), sideways = {ArrowLeft: -1 / 4, ArrowRight: 1 / 4}[event.key];
	var step = this.steps[event.key], action = this.keys[event.key];

	if (event.ctrlKey || event.altKey || event.metaKey || !(step || action))
		return;
	event.preventDefault();
	if (action)
		action(this);
	else if (event.shiftKey && sideways)
		this.range.move(sideways);
	else
		this.goTo(slice ? step(this, slice) : this.lanes[0].drawn[0]);
};

/* Where the pointer is, in the picture's width from 0 to 1. */
Lanes.prototype.placeOf = function (event) {
	var bounds = this.holder.getBoundingClientRect();

	return Math.min(Math.max((event.clientX - bounds.left) / bounds.width, 0), 1);
};

/* The range between two places is marked while it is drawn. */
Lanes.prototype.mark = function (one, other) {
	this.drawn.hidden = false;
	this.drawn.style.left = 100 * Math.min(one, other) + "%";
	this.drawn.style.width = 100 * Math.abs(other - one) + "%";
	this.drawn.style.height = this.holder.scrollHeight + "px";
};

/* A click is on the slice that the pointer went down on. */
Lanes.prototype.listenToPointer = function () {
	var self = this, range = this.range;

	listenToDrawing(this.holder, this.placeOf.bind(this), this.mark.bind(this),
		function (places, first) {
		var from = range.from, length = range.length(), slice = self.sliceOf(first.target);

		self.drawn.hidden = true;
		if (places && Math.abs(places[1] - places[0]) * self.holder.clientWidth >= LANES_DRAWN_PX)
			range.set(from + Math.min(places[0], places[1]) * length,
				from + Math.max(places[0], places[1]) * length);
		else if (places && slice)
			self.showSlice(slice);
	});
};

/* With Ctrl, or Shift where that scrolls sideways: the wheel alone scrolls the page. */
Lanes.prototype.turn = function (event) {
	var range = this.range, step = event.deltaY || event.deltaX;

	if (!step || !(event.ctrlKey || event.shiftKey))
		return;
	event.preventDefault();
	if (event.ctrlKey)
		range.zoom(step < 0 ? 1 / 1.25 : 1.25, range.from + this.placeOf(event) * range.length());
	else
		range.move(step < 0 ? -1 / 10 : 1 / 10);
};

Lanes.prototype.listen = function () {
	var self = this;

	function tell(event) {
		var slice = self.sliceOf(event.target);

		if (slice)
			self.told.textContent = sliceWords(slice);
	}
	this.holder.setAttribute("tabindex", -1);
	this.holder.addEventListener("keydown", function (event) { self.key(event); });
	this.holder.addEventListener("pointerover", tell);
	this.holder.addEventListener("focusin", tell);
	this.holder.addEventListener("wheel", function (event) { self.turn(event); }, {passive: false});
	this.listenToPointer();
	window.addEventListener("resize", function () { self.draw(); });
};
