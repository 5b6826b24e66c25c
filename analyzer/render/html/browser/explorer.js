/* SPDX-License-Identifier: MIT */
/* The call-tree explorer: makes its parts, and shows again what a choice changes. */

function Explorer(section, data, range) {
	var self = this;

	this.section = section;
	this.data = data;
	this.range = range;
	this.state = readState(location.hash, data);
	this.takeRange();
	this.matches = new Uint8Array(data.functions.length);
	this.makeParts();
	this.listen();
	this.weigh();
	range.watch(function () { self.followLater(); });
}

/* What the range was drawn over answers first. */
Explorer.prototype.followLater = function () {
	var self = this;

	later("explorer", 0, function () {
		var was = self.state.from + " " + self.state.to;

		self.takeRange();
		if (was !== self.state.from + " " + self.state.to)
			self.weigh();
		else
			self.followRange();
	});
};

/* The moments at or around the page's range. */
Explorer.prototype.takeRange = function () {
	var moments = this.data.pair ? [0, 0] : this.range.isWhole() ? [0, this.data.slots.length]
		: momentsAround(this.data, this.range.from, this.range.to);

	this.state.from = moments[0];
	this.state.to = moments[1];
};

/* What has its own place in time follows a range that lies between the same moments. */
Explorer.prototype.followRange = function () {
	if (this.strip)
		this.strip.show(this.state.from, this.state.to);
	this.listLater();
};

Explorer.prototype.makeLists = function () {
	var self = this, data = this.data;

	function set(name, isNumber) {
		return function (value) {
			self.state[name] = isNumber ? +value : value;
			self.weigh();
		};
	}
	this.lists = {
		view: choiceList("View", [["icicle", "icicle: callees below"],
			["flame", "flame: callees above"], ["sandwich", "sandwich: callers and callees"],
			["inverted", "inverted: callers below"]], function (view) { self.setView(view); }),
		metric: choiceList("Metric", data.metrics.map(function (metric, number) {
			return [number, metricTitle(metric)];
		}).filter(function (one) { return runSum(data, one[0]) > 0 ||
			(data.pair && sumOf(data.parts[0].values[one[0]]) > 0); }), set("metric", true)),
		order: choiceList("Order", [["heavy", "left-heavy"], ["time", "first call first"]],
			set("order", false))
	};
	if (data.lanes.length > 1)
		this.lists.lane = choiceList("Thread", [[-1, "all"]].concat(data.lanes.map(
			function (lane, number) { return [number, lane[0] + " (" + lane[1] + ")"]; })),
			set("lane", true));
};

Explorer.prototype.makeTools = function () {
	var self = this;

	this.makeLists();
	this.field = make("input", {type: "search", placeholder: "Search functions ( / )",
		"aria-label": "Search functions by a regular expression"});
	this.found = make("span", {role: "status"});
	return make("div", {"class": "tools"}, Object.keys(this.lists).map(function (name) {
		return self.lists[name].label;
	}).concat([this.field, this.found, button("Show all", "Zoom out (Escape)", function () {
		self.zoom([]);
	})]));
};

Explorer.prototype.makeParts = function () {
	var self = this, data = this.data;

	this.shown = make("p", {id: "shown", role: "status"});
	this.details = make("p", {id: "details"});
	this.taken = make("p", {id: "taken"});
	this.holder = make("div", {id: "stage", role: "tree", tabindex: 0,
		"aria-label": "Call tree: arrow keys walk, Enter zooms, Escape shows all"});
	this.strip = data.pair ? null : new Strip(data, this.range);
	this.events = data.events.length ? eventTable() : null;
	this.gone = data.pair ? goneTable(data, function (fn) { self.goTo(fn); }) : null;
	this.parts = make("div", {id: "live"}, [this.makeTools(), this.strip ? this.strip.holder : "",
		this.shown, this.taken, this.holder, this.details, keysHelp(data),
		this.events ? this.events.holder : "",
		this.gone ? this.gone.holder : "",
		make("ul", {"class": "foot"}, data.remarks.map(function (remark) {
			return make("li", {}, remark);
		}))]);
	this.section.append(this.parts);
	this.stage = new Stage(this.holder);
};

function keysHelp(data) {
	var keys = [["arrows", "walk"], ["Enter", "zoom"], ["Escape", "show all"], ["s", "callers and callees"],
		["h", "hide the function and what it calls"], ["m", "merge it into its callers"],
		["u", "bring back what is hidden and merged"], ["/", "search"], ["n", "next match"],
		["v", "next view"]];
	var help = make("details", {"class": "keys"}, [make("summary", {}, "Keys and colours"),
		make("dl", {}, keys.reduce(function (parts, key) {
			return parts.concat([make("dt", {}, make("kbd", {}, key[0])), make("dd", {}, key[1])]);
		}, []))]);

	help.append(make("p", {}, data.pair
		? "Width: after. Orange: more, blue: less, purple: new; the larger the change, the " +
			"stronger the colour. Grey: the same, or a difference that is not proven: within " +
			"the 95% interval, below 5% of the frame, or from too few runs to judge. " +
			"Calls and allocations are counted, so any difference in them is shown."
		: "Colours: source files; blue: waits; grey: code of libraries. Hatched: an " +
			"estimate: not every call was timed, or it is more than 10% uncertain. Pink: found."));
	return help;
}

/* A choice of what is weighed: all is shown anew. */
Explorer.prototype.weigh = function () {
	var state = this.state, self = this;

	Object.keys(this.lists).forEach(function (name) {
		self.lists[name].list.value = state[name];
	});
	this.field.value = state.search;
	this.weights = weigh(this.data, state);
	this.grow();
	this.showTaken();
	this.followRange();
	this.whenChosen();
};

/* Who else follows the choice of thread and hidden functions. */
Explorer.prototype.whenChosen = function () { };

/* The tables come when the picture is there. */
Explorer.prototype.listLater = function () {
	var self = this;

	later("lists", 20, function () {
		if (self.events)
			self.events.show(eventRows(self.data, self.range));
		if (self.gone)
			self.gone.show(goneRows(self.weights));
	});
};

/* The frames of the view. */
Explorer.prototype.grow = function () {
	var state = this.state, weights = this.weights, roots;

	this.up = null;
	if (state.view === "sandwich" && state.fn < 0)
		state.fn = heaviest(weights);
	if (state.view === "inverted") {
		this.down = rootInverted(weights, state);
	} else if (state.view === "sandwich") {
		roots = rootsSandwich(weights, state, state.fn);
		this.up = roots.up;
		this.down = roots.down;
	} else {
		this.down = rootDown(weights, state);
	}
	this.search(state.search);
	this.draw();
	if (this.up)
		this.stage.scrollTo(this.selected);
};

function heaviest(weights) {
	var sums = [], best = 0;

	for (var i = 0; i < weights.data.nodes; i++)
		sums[weights.data.fn[i]] = (sums[weights.data.fn[i]] || 0) + weights.self[i];
	sums.forEach(function (sum, fn) {
		if (sum > (sums[best] || 0))
			best = fn;
	});
	return best;
}

/* Places the boxes: the frame zoomed to and what is above it fill the width. */
Explorer.prototype.place = function () {
	var state = this.state, width = this.drawnWidth = this.stage.width(), boxes = [], rest = {count: 0, amount: 0};
	var zoomed = findFrame(this.down, this.up ? [] : state.zoom), above = [], low = 0, high = 0;

	if (this.up) {
		/* callers grow upwards from the function in the middle */
		layOut(this.up.kids[0], 0, -1, 0, width, boxes, rest);
		boxes.forEach(function (box) { box.side = "up"; });
		zoomed = this.down.kids[0];
		boxes.shift();
	}
	for (var frame = zoomed.parent; frame && (!this.up); frame = frame.parent)
		above.unshift({frame: frame, x: 0, width: width, isAbove: true, kids: 1});
	above.forEach(function (box, row) {
		box.row = row;
		box.above = above[row - 1];
	});
	this.zoomed = zoomed;
	var start = boxes.length;
	layOut(zoomed, above.length, 1, 0, width, boxes, rest);
	boxes[start].above = above[above.length - 1];
	boxes = above.concat(boxes);
	boxes.forEach(function (box) {
		box.side = box.side || "down";
		low = Math.min(low, box.row);
		high = Math.max(high, box.row);
	});
	boxes.forEach(function (box) {
		box.row = state.view === "flame" ? high - box.row : box.row - low;
	});
	this.boxes = boxes;
	this.rest = rest;
	this.rows = high - low + 1;
};

Explorer.prototype.draw = function () {
	var self = this, weights = this.weights, data = this.data;
	var metric = data.metrics[this.state.metric];

	this.holder.classList.toggle("tall", this.rows > 1);
	this.place();
	this.selected = this.boxOf(this.state.side, this.state.at);
	this.scene = {
		boxes: this.boxes, rows: this.rows, selected: this.selected, hovered: null,
		text: function (frame) { return nameOf(data, frame.fn) + self.markOf(frame); },
		isGuess: function (frame) { return !data.pair && isGuess(frame, weights); },
		isFound: function (frame) { return frame.fn >= 0 && self.matches[frame.fn] === 1; },
		colour: function (frame) {
			return frame.fn < 0 ? GREY : data.pair ? self.changeColour(frame)
				: colourOf(data, frame.fn, metric.word);
		}
	};
	this.stage.show(this.scene);
	this.shown.textContent = shownText(this.state, weights, this.zoomed, this.rest);
	this.tell(this.selected);
	this.link();
};

Explorer.prototype.markOf = function (frame) {
	var verdict = this.data.pair ? verdictOf(frame, this.weights) : "";

	return verdict === "more" ? " +" : verdict === "less" ? " \u2212" : verdict === "new" ? " new" : "";
};

Explorer.prototype.changeColour = function (frame) {
	var verdict = verdictOf(frame, this.weights), change;

	if (verdict === "new")
		return ADDED;
	if (verdict !== "more" && verdict !== "less")
		return GREY;
	change = Math.abs(frame.total - frame.before) / Math.max(frame.before, 1);
	return mixed(SCALES[verdict], Math.sqrt(Math.min(change, 1)));
};

Explorer.prototype.boxOf = function (side, path) {
	var frame = findFrame(side === "up" && this.up ? this.up : this.down, path);

	return this.boxes.find(function (box) { return box.frame === frame; }) ||
		this.boxes.find(function (box) { return box.side === "down"; });
};

/* What a frame is, below the picture and to a screen reader. */
Explorer.prototype.tell = function (box) {
	var told = this.stage.told, lines = frameLines(box.frame, this.weights);

	this.details.textContent = lines.join("  \u00b7  ");
	told.textContent = lines.join(", ");
	told.setAttribute("aria-level", pathOf(box.frame).length + 1);
	told.setAttribute("aria-posinset", (box.place || 0) + 1);
	told.setAttribute("aria-setsize", box.above ? Math.max(box.above.kids, 1) : 1);
	if (box.kids)
		told.setAttribute("aria-expanded", "true");
	else
		told.removeAttribute("aria-expanded");
	told.setAttribute("aria-selected", "true");
};

Explorer.prototype.link = function () {
	putAddress("explorer", stateText(this.state, this.data));
};

Explorer.prototype.select = function (box) {
	if (!box)
		return;
	this.state.at = pathOf(box.frame);
	this.state.side = box.side;
	this.selected = this.scene.selected = box;
	this.stage.scrollTo(box);
	this.stage.draw();
	this.tell(box);
	this.link();
};

Explorer.prototype.zoom = function (path) {
	this.state.zoom = path;
	this.draw();
};

Explorer.prototype.setView = function (view) {
	if (view === "sandwich" && this.selected && this.selected.frame.fn >= 0)
		this.state.fn = this.selected.frame.fn;
	this.state.view = view;
	this.state.zoom = this.state.at = [];
	this.state.side = "down";
	this.weigh();
};

Explorer.prototype.sandwich = function (fn) {
	this.state.fn = fn;
	this.state.view = "sandwich";
	this.state.zoom = [];
	this.state.at = [fn];
	this.state.side = "down";
	this.weigh();
};

/* From elsewhere on the page. */
Explorer.prototype.goTo = function (fn) {
	this.sandwich(fn);
	this.section.scrollIntoView();
	this.holder.focus();
};

Explorer.prototype.take = function (kind) {
	if (!this.selected || this.selected.frame.fn < 0)
		return;
	this.state[kind].add(this.selected.frame.fn);
	this.state.zoom = [];
	this.state.at = this.state.at.slice(0, -1);
	this.weigh();
};

Explorer.prototype.showTaken = function () {
	var self = this, parts = [];

	function list(kind, word) {
		self.state[kind].forEach(function (fn) {
			var made = button(word + " " + shortened(nameOf(self.data, fn), 50) + " \u00d7",
				"Bring it back", function () {
				self.state[kind].delete(fn);
				self.weigh();
			});

			made.className = "small";
			parts.push(made, " ");
		});
	}
	list("hidden", "hidden:");
	list("merged", "merged:");
	this.taken.replaceChildren.apply(this.taken, parts);
	this.taken.hidden = !parts.length;
};

/* A match inside of another counts once. */
Explorer.prototype.search = function (text) {
	var data = this.data, wanted = expression(text), inside = new Uint8Array(data.nodes);
	var count = 0, sum = 0;

	this.state.search = text;
	for (var i = 0; i < data.functions.length; i++) {
		this.matches[i] = wanted && wanted.test(nameOf(data, i)) ? 1 : 0;
		count += this.matches[i];
	}
	for (i = 0; wanted && i < data.nodes; i++) {
		var parent = data.parent[i], was = parent >= 0 ? inside[parent] : 0;

		inside[i] = was || this.matches[data.fn[i]];
		if (inside[i] && !was)
			sum += this.weights.total[i];
	}
	this.found.textContent = wanted === undefined ? "not a regular expression"
		: wanted ? countedText(count, "function") + ", " + percentText(sum, this.weights.run) : "";
};

/* From the largest to the smallest, and round. */
Explorer.prototype.nextMatch = function () {
	var self = this, found;

	found = this.boxes.filter(function (box) { return self.scene.isFound(box.frame); });
	found.sort(function (a, b) { return b.frame.total - a.frame.total; });
	this.select(found[found.indexOf(this.selected) + 1] || found[0]);
};
