/* SPDX-License-Identifier: MIT */
/*
 * Zoom, search and keys of the flame graph, whose groups svg_frames.c writes. Runs in the
 * browser that shows it; without it the picture stands still. Must not load anything, or
 * put a name anywhere but into text.
 */
(function () {
	"use strict";
	var SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
	var script = document.currentScript;
	var svg = script && script.ownerSVGElement || document.documentElement;
	var box = svg.querySelector("#frames"), details = svg.querySelector("#details");
	var left = +svg.dataset.left, all = +svg.dataset.width, top = +svg.dataset.top;
	var row = +svg.dataset.row, letter = +svg.dataset.letter;
	var frames = [], forms = new Map(), current, field, result, matches = [], zoomed, holder;

	/* The groups stand in tree order: callers before their callees. */
	function read() {
		var open = [];

		Array.prototype.forEach.call(box.children, function (group, number) {
			var rect = group.querySelector("rect");
			var lines = group.querySelector("title").textContent.split("\n");
			var level = Math.round((rect.getAttribute("y") - top) / row);
			var frame = {
				group: group, rect: rect, text: group.querySelector("text"),
				name: lines[0], lines: lines, number: number, level: level,
				mark: group.dataset.mark || "", found: false,
				x: (rect.getAttribute("x") - left) / all,
				width: rect.getAttribute("width") / all, hidden: false
			};

			for (; open.length > level; )
				open.pop().end = number;
			frame.parent = open[level - 1];
			open.push(frame);
			group.frame = frame;
			group.setAttribute("role", "treeitem");
			group.setAttribute("aria-level", level + 1);
			group.setAttribute("tabindex", -1);
			frames.push(frame);
		});
		open.forEach(function (frame) { frame.end = frames.length; });
	}

	/* Short forms of names, made by the code that makes those of tables. */
	function readNames() {
		svg.querySelectorAll("#names > desc").forEach(function (entry) {
			var lines = entry.textContent.split("\n"), name = lines[0];

			forms.set(name, lines.slice(1).map(function (line) {
				var space = line.indexOf(" ");

				return space < 0 ? {letters: +line, text: name}
					: {letters: +line.slice(0, space),
						text: line.slice(space + 1)};
			}));
		});
	}

	function shorten(name, letters) {
		var short = Array.from(name).slice(0, letters).join("");

		(forms.get(name) || []).forEach(function (form) {
			if (form.letters <= letters)
				short = form.text;
		});
		return short;
	}

	function labelOf(frame, width) {
		var letters = Math.floor((width - 6) / letter);
		var mark = frame.mark && letters > frame.mark.length + 8 ? " " + frame.mark : "";

		return letters < 3 ? "" : shorten(frame.name, letters - mark.length) + mark;
	}

	function label(frame, x, text) {
		if (!text && !frame.text)
			return;
		if (!frame.text) {
			frame.text = document.createElementNS(SVG, "text");
			frame.text.setAttribute("y", +frame.rect.getAttribute("y") + 13);
			frame.group.appendChild(frame.text);
		}
		frame.text.setAttribute("x", x + 3);
		frame.text.textContent = text;
	}

	function draw(frame, x, width) {
		frame.rect.setAttribute("x", left + x * all);
		frame.rect.setAttribute("width", width * all);
		label(frame, left + x * all, labelOf(frame, width * all));
	}

	function zoom(to) {
		var above = new Set();

		zoomed = to;
		for (var at = to.parent; at; at = at.parent)
			above.add(at);
		frames.forEach(function (frame, number) {
			var isAbove = above.has(frame);

			frame.hidden = !isAbove && (number < to.number || number >= to.end);
			frame.group.classList.toggle("hidden", frame.hidden);
			frame.group.classList.toggle("above", isAbove);
			if (isAbove)
				draw(frame, 0, 1);
			else if (!frame.hidden)
				draw(frame, (frame.x - to.x) / to.width, frame.width / to.width);
		});
		show(current);
	}

	function show(frame) {
		details.textContent = frame ? frame.lines.join("  \u00b7  ")
			: "Click a frame to zoom; / searches; arrow keys walk, Enter zooms, Escape shows all.";
	}

	function focus(frame) {
		if (!frame)
			return;
		if (frame.hidden)
			zoom(frames[0]);
		if (current)
			current.group.setAttribute("tabindex", -1);
		current = frame;
		frame.group.setAttribute("tabindex", 0);
		frame.group.focus();
		show(frame);
	}

	/* The nearest frame shown at the same level, before (-1) or behind (1). */
	function beside(frame, step) {
		for (var i = frame.number + step; i > 0 && i < frames.length; i += step)
			if (frames[i].level === frame.level && !frames[i].hidden)
				return frames[i];
		return null;
	}

	function callee(frame) {
		var next = frames[frame.number + 1];

		return next && next.level === frame.level + 1 && !next.hidden ? next : null;
	}

	function nextMatch() {
		focus(matches[matches.indexOf(current) + 1] || matches[0]);
	}

	/* As wide as the window; without a script the picture is scaled. */
	function fit() {
		svg.removeAttribute("viewBox");
		all = Math.max(svg.getBoundingClientRect().width - 2 * left, 100);
		holder.setAttribute("width", all);
		zoom(zoomed || frames[0]);
	}

	/* A match inside of another is not counted twice. */
	function search(pattern) {
		var share = 0, end = 0, regex = null, answer = "";

		try {
			regex = pattern ? new RegExp(pattern, /[A-Z]/.test(pattern) ? "" : "i") : null;
		} catch (error) {
			answer = "not a regular expression";
		}
		matches = frames.filter(function (frame) {
			frame.found = !!regex && frame.number > 0 && regex.test(frame.name);
			frame.group.classList.toggle("found", frame.found);
			return frame.found;
		});
		matches.forEach(function (frame) {
			if (frame.number < end)
				return;
			share += frame.width;
			end = frame.end;
		});
		matches.sort(function (a, b) { return b.width - a.width || a.number - b.number; });
		if (regex)
			answer = matches.length + (matches.length === 1 ? " frame, " : " frames, ") +
				(100 * share).toFixed(1) + "% of all";
		result.textContent = answer;
	}

	function button(text, title, action) {
		var made = document.createElementNS(HTML, "button");

		made.textContent = text;
		made.title = title;
		made.addEventListener("click", action);
		return made;
	}

	function reset() {
		zoom(frames[0]);
		focus(current || frames[0]);
	}

	function clear() {
		field.value = "";
		search("");
	}

	function makeBar() {
		var bar = document.createElementNS(HTML, "div");

		holder = document.createElementNS(SVG, "foreignObject");
		holder.setAttribute("x", left);
		holder.setAttribute("y", top - 46);
		holder.setAttribute("height", 26);
		bar.id = "bar";
		field = document.createElementNS(HTML, "input");
		field.type = "search";
		field.placeholder = "Search (regular expression)";
		field.setAttribute("aria-label", "Search frames by a regular expression");
		result = document.createElementNS(HTML, "span");
		result.id = "found";
		result.setAttribute("role", "status");
		bar.appendChild(field);
		bar.appendChild(button("Show all", "Escape", reset));
		bar.appendChild(result);
		holder.appendChild(bar);
		svg.insertBefore(holder, box);
		field.addEventListener("input", function () { search(field.value); });
		field.addEventListener("keydown", function (event) {
			event.stopPropagation();
			if (event.key === "Enter" && matches.length)
				nextMatch();
			else if (event.key === "Escape")
				clear();
			else
				return;
			event.preventDefault();
		});
	}

	var keys = {
		ArrowDown: function () { focus(callee(current)); },
		ArrowUp: function () { focus(current.parent); },
		ArrowLeft: function () { focus(beside(current, -1)); },
		ArrowRight: function () { focus(beside(current, 1)); },
		Enter: function () { zoom(current); },
		" ": function () { zoom(current); },
		n: nextMatch,
		Escape: reset,
		"/": function () { field.focus(); field.select(); }
	};

	function onKey(event) {
		var onFrame = event.target.closest && event.target.closest("#frames");

		if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key])
			return;
		if (!onFrame && event.key !== "/" && event.key !== "Escape")
			return;
		event.preventDefault();
		keys[event.key]();
	}

	function frameOf(event) {
		var group = event.target.closest && event.target.closest("#frames > g");

		return group && group.frame;
	}

	readNames();
	read();
	makeBar();
	fit();
	window.addEventListener("resize", fit);
	box.setAttribute("role", "tree");
	box.setAttribute("aria-label", svg.querySelector("title").textContent);
	box.classList.add("live");
	box.addEventListener("click", function (event) {
		var frame = frameOf(event);

		if (frame) {
			focus(frame);
			zoom(frame);
		}
	});
	box.addEventListener("mouseover", function (event) { show(frameOf(event) || current); });
	box.addEventListener("mouseleave", function () { show(current); });
	svg.addEventListener("keydown", onKey);
	frames[0].group.setAttribute("tabindex", 0);
	current = null;
	show(null);
	box.addEventListener("focusin", function (event) { current = frameOf(event); show(current); });
})();
