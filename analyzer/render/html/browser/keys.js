/* SPDX-License-Identifier: MIT */
/* Keys and pointer of the explorer. */

/* The box beside it in the same row; the first one below it; the one it stands on. */
Explorer.prototype.beside = function (step) {
	var selected = this.selected, row = this.boxes.filter(function (box) {
		return box.row === selected.row;
	}).sort(function (a, b) { return a.x - b.x; });

	return row[row.indexOf(selected) + step];
};

Explorer.prototype.outwards = function (box) {
	return this.boxes.find(function (one) { return one.above === box; });
};

/* In which direction of the screen callees (or callers, upwards) stand. */
Explorer.prototype.walk = function (down) {
	var box = this.selected, isUp = box.side === "up" || this.state.view === "flame";
	var centre = this.boxes.find(function (one) { return one.side === "down"; }), next;

	if (this.up && box === centre && !down)
		next = this.boxes.find(function (one) {
			return one.side === "up" && one.row === centre.row - 1;
		});
	else if (down !== isUp)
		next = this.outwards(box);
	else
		next = box.side === "up" && !this.boxes.includes(box.above) ? centre : box.above;
	this.select(next);
};

Explorer.prototype.keys = {
	ArrowDown: function (self) { self.walk(true); },
	ArrowUp: function (self) { self.walk(false); },
	ArrowLeft: function (self) { self.select(self.beside(-1)); },
	ArrowRight: function (self) { self.select(self.beside(1)); },
	Home: function (self) { self.select(self.boxes[0]); },
	Enter: function (self) { self.enter(); },
	" ": function (self) { self.enter(); },
	Escape: function (self) { self.zoom([]); },
	s: function (self) { if (self.selected.frame.fn >= 0) self.sandwich(self.selected.frame.fn); },
	h: function (self) { self.take("hidden"); },
	m: function (self) { self.take("merged"); },
	u: function (self) {
		self.state.hidden.clear();
		self.state.merged.clear();
		self.weigh();
	},
	n: function (self) { self.nextMatch(); },
	v: function (self) {
		self.setView(VIEWS[(VIEWS.indexOf(self.state.view) + 1) % VIEWS.length]);
	},
	"/": function (self) { self.field.focus(); self.field.select(); }
};

Explorer.prototype.enter = function () {
	if (this.up && this.selected.frame.fn >= 0)
		this.sandwich(this.selected.frame.fn);
	else
		this.zoom(pathOf(this.selected.frame));
};

Explorer.prototype.listenField = function () {
	var self = this;

	this.field.addEventListener("input", function () {
		self.search(self.field.value);
		self.stage.draw();
		self.link();
	});
	this.field.addEventListener("keydown", function (event) {
		if (event.key === "Enter") {
			self.nextMatch();
			self.holder.focus();
		} else if (event.key === "Escape") {
			self.field.value = "";
			self.search("");
			self.stage.draw();
			self.link();
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	});
};

Explorer.prototype.listenPointer = function () {
	var self = this, space = this.stage.space;

	space.addEventListener("click", function (event) {
		var box = self.stage.boxAt(event);

		if (!box)
			return;
		self.select(box);
		self.enter();
	});
	space.addEventListener("pointermove", function (event) {
		var box = self.stage.boxAt(event) || null;

		if (box === self.scene.hovered)
			return;
		self.scene.hovered = box;
		self.stage.draw();
		self.tell(box || self.selected);
	});
	space.addEventListener("pointerleave", function () {
		self.scene.hovered = null;
		self.stage.draw();
		self.tell(self.selected);
	});
	this.holder.addEventListener("scroll", function () { self.stage.draw(); });
};

/* Paper is white, whatever the screen is. */
Explorer.prototype.listenPage = function () {
	var self = this;

	new ResizeObserver(function () {
		if (self.stage.width() !== self.drawnWidth)
			self.draw();
	}).observe(this.holder);
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () {
		self.stage.draw();
	});
	window.addEventListener("beforeprint", function () {
		self.stage.ink = INK.light;
		self.stage.draw();
	});
	window.addEventListener("afterprint", function () {
		self.stage.ink = null;
		self.stage.draw();
	});
	whenAddressChanges(function () {
		self.state = readState(location.hash, self.data);
		self.takeRange();
		self.weigh();
	});
};

Explorer.prototype.listen = function () {
	var self = this;

	this.holder.addEventListener("keydown", function (event) {
		if (event.ctrlKey || event.altKey || event.metaKey || !self.keys[event.key])
			return;
		event.preventDefault();
		self.keys[event.key](self);
	});
	document.addEventListener("keydown", function (event) {
		if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
			return;
		event.preventDefault();
		self.keys["/"](self);
	});
	this.listenField();
	this.listenPointer();
	this.listenPage();
};
