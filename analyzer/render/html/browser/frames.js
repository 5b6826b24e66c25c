/* SPDX-License-Identifier: MIT */
/*
 * Frames: what is drawn as one box. A frame stands for all call paths that end in it; its
 * callees, or of a tree turned over its callers, are found when it is opened first, so that
 * what is too narrow to be drawn costs nothing.
 *
 * ids: nodes. Downwards (callees) these are the frame's own; upwards (callers) each is how
 * far one path has been climbed, and climbs has what that path brings along.
 */

function makeFrame(tree, fn, parent, isUp) {
	return {tree: tree, fn: fn, parent: parent, total: 0, before: 0, error: 0, guessed: 0,
		first: Infinity, ids: [], climbs: isUp ? [] : null, kids: null};
}

function pathOf(frame) {
	var path = [];

	for (; frame.parent; frame = frame.parent)
		path.unshift(frame.fn);
	return path;
}

function groupFor(groups, frame, fn) {
	if (!groups.has(fn))
		groups.set(fn, makeFrame(frame.tree, fn, frame, !!frame.climbs));
	return groups.get(fn);
}

function addDown(frame, weights, id) {
	var data = weights.data, error = weights.hasErrors ? weights.errors.total[id] : 0;

	frame.ids.push(id);
	frame.total += weights.total[id];
	frame.error += error * error;
	if (data.recording[id])
		frame.guessed += weights.self[id];
	frame.first = Math.min(frame.first, data.first[id]);
	if (weights.totalBefore)
		frame.before += weights.totalBefore[id];
}

/* climb: weight, error, before. */
function addUpwards(frame, data, id, climb) {
	frame.ids.push(id);
	frame.climbs.push(climb);
	frame.total += climb.weight;
	frame.before += climb.before;
	frame.error += climb.error * climb.error;
	frame.first = Math.min(frame.first, data.first[id]);
}

/* A merged function is part of its callers: what it called is called by them. */
function openDown(frame, groups) {
	var tree = frame.tree, weights = tree.weights, data = weights.data, open = [];

	function addChildren(id) {
		for (var at = id < 0 ? data.roots : data.child[id]; at >= 0; at = data.next[at]) {
			if (!weights.total[at] && !(weights.totalBefore && weights.totalBefore[at]))
				continue;
			if (tree.merged[data.fn[at]])
				open.push(at);
			else
				addDown(groupFor(groups, frame, data.fn[at]), weights, at);
		}
	}
	frame.ids.forEach(addChildren);
	while (open.length)
		addChildren(open.pop());
}

function climb(tree, id) {
	while (id >= 0 && tree.merged[tree.weights.data.fn[id]])
		id = tree.weights.data.parent[id];
	return id;
}

function openUp(frame, groups) {
	var tree = frame.tree, data = tree.weights.data;

	for (var i = 0; i < frame.ids.length; i++) {
		/* what is not climbed yet stands for itself */
		var above = climb(tree, frame.parent ? data.parent[frame.ids[i]] : frame.ids[i]);

		if (above >= 0)
			addUpwards(groupFor(groups, frame, data.fn[above]), data, above,
				frame.climbs[i]);
	}
}

function kidsOf(frame) {
	var groups;

	if (frame.kids)
		return frame.kids;
	groups = new Map();
	(frame.climbs ? openUp : openDown)(frame, groups);
	frame.kids = Array.from(groups.values());
	frame.kids.forEach(function (kid) { kid.error = Math.sqrt(kid.error); });
	sortKids(frame);
	return frame.kids;
}

/* Left-heavy, or in the order of their first calls. */
function sortKids(frame) {
	var byTime = frame.tree.order === "time";

	frame.kids.sort(function (a, b) {
		return byTime ? a.first - b.first || a.fn - b.fn
			: b.total - a.total || b.before - a.before || a.fn - b.fn;
	});
}

function treeOf(weights, choice) {
	var merged = new Uint8Array(weights.data.functions.length);

	choice.merged.forEach(function (fn) { merged[fn] = 1; });
	return {weights: weights, merged: merged, order: choice.order};
}

function rootDown(weights, choice) {
	var root = makeFrame(treeOf(weights, choice), -1, null);

	root.ids = [-1];
	root.total = weights.shown;
	root.before = weights.totalBefore ? sumOf(weights.selfBefore) : 0;
	return root;
}

/* All that have something of their own at the top, their callers below them. */
function rootInverted(weights, choice) {
	var root = makeFrame(treeOf(weights, choice), -1, null, true);

	for (var i = 0; i < weights.data.nodes; i++) {
		var before = weights.selfBefore ? weights.selfBefore[i] : 0;

		if (weights.self[i] || before)
			addUpwards(root, weights.data, i, {weight: weights.self[i], before: before,
				error: weights.hasErrors ? weights.errors.self[i] : 0});
	}
	root.error = Math.sqrt(root.error);
	return root;
}

/* The outermost activations of a function: inside of them its own count already. */
function outermost(weights, fn) {
	var data = weights.data, ids = [], inside = new Uint8Array(data.nodes);

	for (var i = 0; i < data.nodes; i++) {
		var parent = data.parent[i];

		inside[i] = parent >= 0 ? inside[parent] : 0;
		if (data.fn[i] !== fn)
			continue;
		if (!inside[i] && (weights.total[i] ||
				(weights.totalBefore && weights.totalBefore[i])))
			ids.push(i);
		inside[i] = 1;
	}
	return ids;
}

/* Callers and callees of one function. */
function rootsSandwich(weights, choice, fn) {
	var tree = treeOf(weights, choice), data = weights.data;

	function root(isUp) {
		var above = makeFrame(tree, -1, null, isUp), one = makeFrame(tree, fn, above, isUp);

		outermost(weights, fn).forEach(function (id) {
			if (!isUp)
				addDown(one, weights, id);
			else
				addUpwards(one, data, id, {weight: weights.total[id],
					error: weights.hasErrors ? weights.errors.total[id] : 0,
					before: weights.totalBefore ? weights.totalBefore[id] : 0});
		});
		one.error = Math.sqrt(one.error);
		above.kids = [one];
		above.total = one.total;
		above.before = one.before;
		return above;
	}
	return {up: root(true), down: root(false)};
}

/* Along a path of functions as far as there is one. */
function findFrame(root, path) {
	var frame = root;

	for (var i = 0; i < path.length; i++) {
		var kid = kidsOf(frame).find(function (one) { return one.fn === path[i]; });

		if (!kid)
			return frame;
		frame = kid;
	}
	return frame;
}
