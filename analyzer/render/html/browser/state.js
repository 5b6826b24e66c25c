/* SPDX-License-Identifier: MIT */
/*
 * What the reader has chosen in the explorer, as its part of the page's address: functions,
 * threads and metrics by their names there, by numbers here. from, to: moments around the
 * page's range, 0 the start; they are not kept here.
 */

var VIEWS = ["icicle", "flame", "sandwich", "inverted"];

/* What computes; without that, and of a comparison, time; without hooks, bytes. */
function freshState(data) {
	var metric = (data.pair ? ["wall", "bytes"] : ["cpu", "wall", "bytes"]).map(function (word) {
		return metricNumber(data, word);
	}).find(function (number) { return runSum(data, number) > 0; }) || 0;

	return {view: "icicle", metric: metric, usual: metric, order: "heavy", lane: -1, from: 0,
		to: data.pair ? 0 : data.parts.length, fn: -1, zoom: [], at: [], side: "down",
		search: "", hidden: new Set(), merged: new Set()};
}

/* Names of which each is one only: the second of a name is "name~2". */
function uniqueNames(names) {
	var seen = new Map();

	return names.map(function (name) {
		var count = (seen.get(name) || 0) + 1;

		seen.set(name, count);
		return count > 1 ? name + "~" + count : name;
	});
}

function linkNames(data) {
	data.links = data.links || {
		functions: uniqueNames(data.functions.map(function (one, fn) { return nameOf(data, fn); })),
		lanes: uniqueNames(data.lanes.map(function (lane) { return lane[0]; })),
		metrics: data.metrics.map(function (metric) { return metric.word; })
	};
	return data.links;
}

function stateText(state, data) {
	var parts = [], names = linkNames(data);

	function put(name, values, kind) {
		values = values.map(function (value) {
			return encodeURIComponent(kind ? names[kind][value] : value);
		});
		if (values.length)
			parts.push(name + "=" + values.join(";"));
	}
	function putOther(name, value, usual, kind) {
		put(name, value === usual ? [] : [value], kind);
	}
	putOther("f", state.fn, -1, "functions");
	putOther("view", state.view, state.fn >= 0 ? "sandwich" : "icicle");
	putOther("metric", state.metric, state.usual, "metrics");
	putOther("order", state.order, "heavy");
	putOther("thread", state.lane, -1, "lanes");
	put("zoom", state.zoom, "functions");
	put("at", state.at, "functions");
	putOther("side", state.side, "down");
	putOther("search", state.search, "");
	put("hide", Array.from(state.hidden), "functions");
	put("merge", Array.from(state.merged), "functions");
	return parts.join("&");
}

/* Whatever stands in the address: what makes no sense is left as it was. */
function readState(text, data) {
	var state = freshState(data), names = linkNames(data), given = {};

	text.replace(/^#/, "").split("&").forEach(function (part) {
		var at = part.indexOf("=");

		try {
			given[part.slice(0, at)] = part.slice(at + 1).split(";").map(decodeURIComponent);
		} catch (error) {
			return;
		}
	});
	function numbers(name, kind) {
		return (given[name] || []).map(function (one) { return names[kind].indexOf(one); }).filter(
			function (number) { return number >= 0; });
	}
	function number(name, kind, usual) {
		return numbers(name, kind).concat(usual)[0];
	}
	function word(name, words, usual) {
		return given[name] && words.indexOf(given[name][0]) >= 0 ? given[name][0] : usual;
	}
	state.fn = number("f", "functions", -1);
	state.view = word("view", VIEWS, state.fn >= 0 ? "sandwich" : "icicle");
	state.metric = number("metric", "metrics", state.metric);
	state.lane = number("thread", "lanes", -1);
	state.order = word("order", ["time"], state.order);
	state.side = word("side", ["up"], state.side);
	state.search = given.search ? given.search.join(";") : "";
	state.zoom = numbers("zoom", "functions");
	state.at = numbers("at", "functions");
	state.hidden = new Set(numbers("hide", "functions"));
	state.merged = new Set(numbers("merge", "functions"));
	return state;
}
