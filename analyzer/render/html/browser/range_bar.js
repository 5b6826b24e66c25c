/* SPDX-License-Identifier: MIT */
/* The range of time in figures, above what can be drawn over: what it is, a place to type it,
 * and the way back. A range that was chosen stays in sight. */

function RangeBar(range, main) {
	var self = this;

	this.range = range;
	this.from = this.field("From, time since the run began");
	this.to = this.field("To, time since the run began");
	this.shown = make("span", {role: "status"});
	this.holder = make("form", {id: "range", "class": "tools", "aria-label": "Range of time"}, [
		make("span", {}, "Range of time "), this.from, make("span", {}, "to"), this.to,
		make("button", {type: "submit", title: "Show what was typed"}, "Show"),
		button("\u2190", "Earlier", function () { range.move(-1 / 4); }),
		button("\u2192", "Later", function () { range.move(1 / 4); }),
		button("+", "Closer", function () { self.zoom(1 / 2); }),
		button("\u2212", "Less close", function () { self.zoom(2); }),
		button("Whole run", "Show the whole run", function () { range.all(); }), this.shown]);
	this.holder.addEventListener("submit", function (event) {
		event.preventDefault();
		self.take();
	});
	main.insertBefore(this.holder, main.querySelector("[data-name=lanes]") ||
		main.querySelector("#explorer"));
	range.watch(function () { self.show(); });
}

RangeBar.prototype.field = function (label) {
	return make("input", {type: "text", size: 9, "aria-label": label, autocomplete: "off",
		spellcheck: "false"});
};

RangeBar.prototype.zoom = function (factor) {
	this.range.zoom(factor, (this.range.from + this.range.to) / 2);
};

RangeBar.prototype.show = function () {
	var range = this.range;

	this.from.value = range.time(range.from);
	this.to.value = range.time(range.to);
	this.shown.textContent = range.text();
	this.holder.classList.toggle("chosen", !range.isWhole());
};

/* An end that was not touched stays exactly where it is. */
RangeBar.prototype.take = function () {
	var range = this.range;
	var from = this.from.value === range.time(range.from) ? range.from : timeIn(this.from.value);
	var to = this.to.value === range.time(range.to) ? range.to : timeIn(this.to.value);

	if (from < to && from < range.end && to > range.begin)
		range.set(Math.max(from, range.begin), Math.min(to, range.end));
	else
		this.shown.textContent = "No range: write two times since the run began, such as 200ms " +
			"and 1.5s, the earlier one first.";
};
