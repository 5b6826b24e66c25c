/* SPDX-License-Identifier: MIT */
/*
 * Lanes: of the range, the longest slices of each. So many and no more, however close the
 * reader looks: what a browser draws at once, and what a reader can tell apart.
 */

var LANE_LETTER = 7, LANE_LEAST_SHARE = 0.001, LANE_ROW = 20;
var LANE_AXIS_PARTS = 4, LANE_SLICES_MOST = 800, LANE_ROWS_MOST = 24;

function Lanes(holder, range, data) {
	this.holder = holder;
	this.range = range;
	this.left = data.left;
	this.pictures = Array.from(holder.querySelectorAll(".lane > svg"));
	this.lanes = data.lanes.map(function (slices, number) {
		return {slices: slices, number: number, rows: slices.reduce(function (most, slice) {
			return Math.max(most, slice.row + 1);
		}, 0), order: slices.slice().sort(function (a, b) {
			return b.end - b.begin - (a.end - a.begin) || a.begin - b.begin;
		}), drawn: []};
	});
	this.elements = new Map();
	this.addTools();
	this.listen();
	range.watch(this.draw.bind(this));
}

Lanes.prototype.addTools = function () {
	this.told = make("p", {"class": "foot told"});
	this.drawn = make("div", {"class": "drawn", hidden: ""});
	this.undrawn = make("p", {"class": "foot undrawn"});
	this.axis = makeSvg("svg", {"class": "axis", width: "100%", height: LANE_ROW, "aria-hidden": true});
	for (var i = 0; i <= LANE_AXIS_PARTS; i++)
		this.axis.append(makeSvg("text", {x: 100 * i / LANE_AXIS_PARTS + "%", y: 14,
			"text-anchor": i ? i < LANE_AXIS_PARTS ? "middle" : "end" : "start"}));
	this.holder.after(this.undrawn);
	this.holder.prepend(this.axis);
	this.holder.append(this.drawn);
	this.holder.before(make("p", {"class": "foot keys"}, "Drag over the lanes, or click a " +
		"slice, to look closer. W and S, or the wheel with Ctrl, zoom; A and D move. Arrows walk " +
		"along a lane, Enter shows only that slice, Escape everything."), this.told);
};

Lanes.prototype.isShown = function (slice) {
	return slice.begin <= this.range.to && slice.end >= this.range.from;
};

Lanes.prototype.isWanted = function (slice) {
	return slice.row < LANE_ROWS_MOST && this.isShown(slice);
};

/* Calls and steps of the range, of all lanes. */
Lanes.prototype.inRange = function () {
	var self = this;

	return [].concat.apply([], this.lanes.map(function (lane) {
		return lane.slices.filter(function (slice) {
			return slice.state !== LANE_MOMENT && self.isShown(slice);
		});
	}));
};

Lanes.prototype.labelOf = function (slice) {
	return this.pictures[slice.lane].getAttribute("aria-label");
};

/* So many of each lane that all together are not too many: lanes that have few leave
 * room for the others. */
Lanes.prototype.quotaOf = function (counts) {
	var low = 1, high = LANE_SLICES_MOST, quota;

	while (low < high) {
		quota = Math.ceil((low + high) / 2);
		if (counts.reduce(function (sum, count) { return sum + Math.min(count, quota); }, 0) <=
				LANE_SLICES_MOST)
			low = quota;
		else
			high = quota - 1;
	}
	return low;
};

/* What is drawn of each lane, in the order of time; and what is not. */
Lanes.prototype.choose = function () {
	var self = this, deep = 0, quota, counts;

	counts = this.lanes.map(function (lane) {
		return lane.slices.reduce(function (count, slice) {
			if (!self.isShown(slice))
				return count;
			if (slice.row < LANE_ROWS_MOST)
				return count + 1;
			deep++;
			return count;
		}, 0);
	});
	quota = this.quotaOf(counts);
	this.lanes.forEach(function (lane) {
		lane.drawn = [];
		for (var i = 0; i < lane.order.length && lane.drawn.length < quota; i++)
			if (self.isWanted(lane.order[i]))
				lane.drawn.push(lane.order[i]);
		if (self.wanted && self.wanted.lane === lane.number && self.isWanted(self.wanted) &&
				lane.drawn.indexOf(self.wanted) < 0)
			lane.drawn.push(self.wanted);
		lane.drawn.sort(function (a, b) { return a.begin - b.begin || b.end - a.end; });
	});
	return {deep: deep, small: counts.reduce(function (sum, count) {
		return sum + Math.max(count - quota, 0);
	}, 0)};
};

Lanes.prototype.elementOf = function (slice) {
	var element = makeSvg("svg", {role: "img", tabindex: -1, y: slice.row * LANE_ROW,
		height: LANE_ROW - 1}), title = makeSvg("title", {});

	title.textContent = sliceWords(slice);
	element.append(title, makeSvg("rect", {"class": LANE_CLASSES[slice.state] || "part3",
		width: "100%", height: "100%"}));
	slice.element = element;
	this.elements.set(element, slice);
	return element;
};

/* Keeps the elements that stay: one of them may be in focus. */
Lanes.prototype.fill = function (picture, drawn) {
	var self = this, stay = new Set(drawn), at;

	Array.from(picture.children).forEach(function (element) {
		var slice = self.elements.get(element);

		if (stay.has(slice))
			return;
		if (element === document.activeElement)
			self.holder.focus();
		self.elements.delete(element);
		slice.element = null;
		element.remove();
	});
	at = picture.firstElementChild;
	drawn.forEach(function (slice) {
		if (slice.element && slice.element === at)
			at = at.nextElementSibling;
		else
			picture.insertBefore(slice.element || self.elementOf(slice), at);
	});
};

Lanes.prototype.placeSlice = function (slice, width) {
	var range = this.range, length = range.length();
	var left = Math.max((slice.begin - range.from) / length, 0);
	var share = Math.max(Math.min((slice.end - range.from) / length, 1) - left, LANE_LEAST_SHARE);

	slice.element.setAttribute("x", (100 * Math.min(left, 1 - share)).toFixed(3) + "%");
	slice.element.setAttribute("width", (100 * share).toFixed(3) + "%");
	this.label(slice, Math.floor((share * width - 6) / LANE_LETTER));
};

/* Places for what is in the range; of each lane one slice that Tab reaches. */
Lanes.prototype.draw = function () {
	var self = this, width = this.holder.getBoundingClientRect().width, rest;

	if (!width) /* put away */
		return;
	rest = this.choose();
	this.lanes.forEach(function (lane) {
		var picture = self.pictures[lane.number], stop;

		self.fill(picture, lane.drawn);
		lane.drawn.forEach(function (slice) { self.placeSlice(slice, width); });
		stop = lane.drawn.find(function (slice) {
			return slice.element.getAttribute("tabindex") === "0";
		}) || lane.drawn[0];
		if (stop)
			self.stopAt(stop);
	});
	this.drawAxis();
	this.sayUndrawn(rest);
};

Lanes.prototype.sayUndrawn = function (rest) {
	var parts = [];

	if (rest.small)
		parts.push(countedText(rest.small, "slice") + " too short to draw here (zoom in to " +
			"see them)");
	if (rest.deep)
		parts.push(countedText(rest.deep, "slice") + " below row " + LANE_ROWS_MOST);
	if (this.left)
		parts.push(countedText(this.left, "slice") + ", the shortest, that are not in the page " +
			"(--from and --to of timeline)");
	this.undrawn.textContent = parts.length ? "Not drawn: " + parts.join(", ") + "." : "";
};

Lanes.prototype.stopAt = function (slice) {
	this.pictures[slice.lane].querySelectorAll("[tabindex='0']").forEach(function (one) {
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
	var range = this.range;

	Array.from(this.axis.children).forEach(function (text, i) {
		var later = range.length() * i / LANE_AXIS_PARTS;

		text.textContent = i ? "+" + amountText(later, "nanoseconds") : range.time(range.from);
	});
};

/* Over all of the width, with a little of what is around it. */
Lanes.prototype.showSlice = function (slice) {
	var around = (slice.end - slice.begin || this.range.length()) / 20;

	this.range.set(slice.begin - around, slice.end + around);
};

/* Around the slice in focus where it is in sight, else around the middle. */
Lanes.prototype.zoom = function (factor) {
	var slice = this.focused(), range = this.range, centre = (range.from + range.to) / 2;

	if (slice && slice.begin >= range.from && slice.end <= range.to)
		centre = (slice.begin + slice.end) / 2;
	range.zoom(factor, centre);
};
