/* SPDX-License-Identifier: MIT */
/*
 * Where the frames are drawn. Only what is a pixel wide is laid out, and only the rows in
 * sight are drawn: 100,000 paths or ten, the picture costs what the screen shows.
 */

var ROW = 18, LETTER_FONT = '12px "DejaVu Sans Mono", Menlo, Consolas, monospace';
var INK = {
	light: {page: "#ffffff", edge: "#ffffff", text: "#111111", soft: "#555555", ring: "#111111"},
	dark: {page: "#1b1b1b", edge: "#1b1b1b", text: "#111111", soft: "#b0b0b0", ring: "#ffffff"}
};

/* The same as in the flame graph: by source file, blue what waits, dull what is a library's;
 * light enough for black text. */
var GROUPS = [[0xf9, 0xb0, 0x6c], [0xf6, 0xdc, 0x7a], [0xa8, 0xd9, 0x8f], [0x8f, 0xd6, 0xb8],
	[0xd9, 0xb4, 0x8f], [0xd0, 0xb8, 0xec], [0xd6, 0xd6, 0x8a], [0xf4, 0xb8, 0xa8]];
var WAIT = "rgb(164,196,234)", LIBRARY = "rgb(224,218,207)";
var SCALES = {
	less: [[0xcb, 0xe2, 0xf7], [0x53, 0xa0, 0xe0]],
	more: [[0xfd, 0xdf, 0xb8], [0xf2, 0x8e, 0x1c]]
};
var GREY = "rgb(220,220,220)", ADDED = "rgb(185,138,224)", FOUND = "rgb(240,150,200)";

function mixed(scale, part) {
	return "rgb(" + scale[0].map(function (from, i) {
		return Math.round(from + (scale[1][i] - from) * part);
	}).join(",") + ")";
}

function hashOf(name) {
	var hash = 2166136261;

	for (var i = 0; i < name.length; i++)
		hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
	return (hash ^ hash >>> 15) >>> 0;
}

function colourOf(data, fn, word) {
	var one = data.functions[fn], name = one[0] || "?";

	if (word === "blocked" || one[3] === 2)
		return WAIT;
	return one[3] === 1 ? LIBRARY : mixed([GROUPS[hashOf(one[1] || name) % GROUPS.length],
		[255, 255, 255]], hashOf(name) % 256 / 640);
}

/* Long argument lists and template arguments go first, then the middle. */
function shortened(name, letters) {
	var short = name, last, tail;

	if (short.length <= letters)
		return short;
	short = short.replace(/\(.*\)/, "(\u2026)");
	for (last = ""; short.length > letters && short !== last; ) {
		last = short;
		short = short.replace(/<([^<>]|<\u2026>)*[^<>\u2026]>/, "<\u2026>");
	}
	if (short.length <= letters)
		return short;
	tail = Math.floor((letters - 1) * 3 / 5);
	return short.slice(0, letters - 1 - tail) + "\u2026" + short.slice(short.length - tail);
}

/* Boxes of a frame and all below it, from the left, each before those below it. */
function layOut(root, row, step, left, width, boxes, rest) {
	var open = [{frame: root, x: left, width: width, row: row}];

	while (open.length) {
		var box = open.pop(), kids = kidsOf(box.frame), x = box.x, found = [];
		var scale = box.frame.total > 0 ? box.width / box.frame.total : 0;

		boxes.push(box);
		box.kids = 0;
		kids.forEach(function (kid) {
			var kidWidth = kid.total * scale;

			if (kidWidth >= 1) {
				found.push({frame: kid, x: x, width: kidWidth, row: box.row + step, above: box});
				box.kids++;
			} else {
				rest.count++;
				rest.amount += kid.total;
			}
			x += kidWidth;
		});
		found.forEach(function (one, place) { one.place = place; });
		while (found.length)
			open.push(found.pop());
	}
}

function Stage(holder) {
	this.holder = holder;
	this.canvas = make("canvas", {"aria-hidden": "true"});
	this.space = make("div", {"class": "space"});
	this.told = make("div", {id: "frame", role: "treeitem", "class": "unseen"});
	this.space.append(this.canvas);
	holder.append(this.space, this.told);
	holder.setAttribute("aria-activedescendant", "frame");
	this.boxes = [];
	this.rows = 1;
	this.ink = null;
}

Stage.prototype.width = function () {
	return Math.max(this.space.clientWidth || this.holder.clientWidth, 100);
};

/* scene: boxes, rows, colour(frame), text(frame), isGuess(frame), isFound(frame),
 * selected, hovered. */
Stage.prototype.show = function (scene) {
	this.scene = scene;
	this.space.style.height = scene.rows * ROW + "px";
	this.draw();
};

Stage.prototype.draw = function () {
	var scene = this.scene, ratio = window.devicePixelRatio || 1, width = this.width();
	var height = Math.min(this.holder.clientHeight || 400, scene.rows * ROW);
	var top = Math.min(this.holder.scrollTop, Math.max(scene.rows * ROW - height, 0));
	var pen = this.canvas.getContext("2d");
	var dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
	var ink = this.ink || (dark ? INK.dark : INK.light);

	this.canvas.width = Math.round(width * ratio);
	this.canvas.height = Math.round(height * ratio);
	this.canvas.style.width = width + "px";
	this.canvas.style.height = height + "px";
	this.canvas.style.top = top + "px";
	pen.scale(ratio, ratio);
	pen.fillStyle = ink.page;
	pen.fillRect(0, 0, width, height);
	pen.font = LETTER_FONT;
	pen.textBaseline = "middle";
	this.letter = pen.measureText("MMMMMMMMMM").width / 10;
	for (var i = 0; i < scene.boxes.length; i++) {
		var box = scene.boxes[i], y = box.row * ROW - top;

		if (y > -ROW && y < height)
			this.drawBox(pen, ink, box, y);
	}
	[scene.hovered, scene.selected].forEach(function (box, strong) {
		if (!box)
			return;
		pen.strokeStyle = ink.ring;
		pen.lineWidth = strong ? 2.5 : 1.5;
		pen.strokeRect(box.x + 1, box.row * ROW - top + 1, Math.max(box.width - 2, 1), ROW - 3);
	});
};

function hatch(pen, x, y, width) {
	pen.save();
	pen.beginPath();
	pen.rect(x, y, width, ROW - 1);
	pen.clip();
	pen.strokeStyle = "rgba(0,0,0,.35)";
	pen.lineWidth = 1;
	pen.beginPath();
	for (var at = x - ROW; at < x + width; at += 6) {
		pen.moveTo(at, y + ROW);
		pen.lineTo(at + ROW, y);
	}
	pen.stroke();
	pen.restore();
}

Stage.prototype.drawBox = function (pen, ink, box, y) {
	var scene = this.scene, width = Math.max(box.width - (box.width > 3 ? 0.6 : 0), 0.6);
	var letters = Math.floor((box.width - 6) / this.letter);

	pen.fillStyle = scene.isFound(box.frame) ? FOUND : scene.colour(box.frame);
	pen.globalAlpha = box.isAbove ? 0.6 : 1;
	pen.fillRect(box.x, y, width, ROW - 1);
	if (box.width > 4 && scene.isGuess(box.frame))
		hatch(pen, box.x, y, width);
	pen.globalAlpha = 1;
	if (letters < 3)
		return;
	pen.fillStyle = box.isAbove && ink === INK.dark ? "#ffffff" : ink.text;
	pen.fillText(shortened(scene.text(box.frame), letters), box.x + 3, y + ROW / 2);
};

Stage.prototype.boxAt = function (event) {
	var bounds = this.space.getBoundingClientRect();
	var x = event.clientX - bounds.left, row = Math.floor((event.clientY - bounds.top) / ROW);

	return this.scene.boxes.find(function (box) {
		return box.row === row && x >= box.x && x < box.x + Math.max(box.width, 1);
	});
};

Stage.prototype.scrollTo = function (box) {
	var top = box.row * ROW, view = this.holder.clientHeight;

	if (top < this.holder.scrollTop)
		this.holder.scrollTop = top;
	else if (top + ROW > this.holder.scrollTop + view)
		this.holder.scrollTop = top + ROW - view;
};
