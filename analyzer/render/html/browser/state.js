/* SPDX-License-Identifier: MIT */
/*
 * What the reader has chosen in the explorer, as its part of the page's address. Functions
 * and metrics are numbers of this page. from, to: moments around the page's range, 0 the
 * start; they are not kept here.
 */

var VIEWS = ["icicle", "flame", "sandwich", "inverted"];

function freshState(data) {
	var wall = metricNumber(data, "wall"), bytes = metricNumber(data, "bytes");
	var metric = runSum(data, wall) > 0 ? wall : bytes;

	return {view: "icicle", metric: metric, usual: metric, order: "heavy", lane: -1, from: 0,
		to: data.pair ? 0 : data.parts.length, fn: -1, zoom: [], at: [], side: "down",
		search: "", hidden: new Set(), merged: new Set()};
}

function stateText(state) {
	var parts = [];

	function put(name, value, usual) {
		if (value !== usual)
			parts.push(name + "=" + encodeURIComponent(value));
	}
	put("view", state.view, "icicle");
	put("metric", state.metric, state.usual);
	put("order", state.order, "heavy");
	put("thread", state.lane, -1);
	put("fn", state.fn, -1);
	put("zoom", state.zoom.join("."), "");
	put("at", state.at.join("."), "");
	put("side", state.side, "down");
	put("search", state.search, "");
	put("hide", Array.from(state.hidden).join("."), "");
	put("merge", Array.from(state.merged).join("."), "");
	return parts.join("&");
}

function numbersIn(text, below) {
	return text.split(".").filter(function (part) {
		return /^\d+$/.test(part) && +part < below;
	}).map(Number);
}

function within(text, low, high, usual) {
	return /^\d+$/.test(text) && +text >= low && +text <= high ? +text : usual;
}

/* Whatever stands in the address: what makes no sense is left as it was. */
function readState(text, data) {
	var state = freshState(data), functions = data.functions.length;

	text.replace(/^#/, "").split("&").forEach(function (part) {
		var name = part.split("=")[0], value;

		try {
			value = decodeURIComponent(part.slice(name.length + 1));
		} catch (error) {
			return;
		}
		if (name === "view" && VIEWS.indexOf(value) >= 0)
			state.view = value;
		else if (name === "order" && value === "time")
			state.order = value;
		else if (name === "metric")
			state.metric = within(value, 0, data.metrics.length - 1, state.metric);
		else if (name === "thread")
			state.lane = within(value, 0, data.lanes.length - 1, -1);
		else if (name === "fn")
			state.fn = within(value, 0, functions - 1, -1);
		else if (name === "side" && value === "up")
			state.side = value;
		else if (name === "search")
			state.search = value;
		else if (name === "zoom" || name === "at")
			state[name] = numbersIn(value, functions);
		else if (name === "hide")
			state.hidden = new Set(numbersIn(value, functions));
		else if (name === "merge")
			state.merged = new Set(numbersIn(value, functions));
	});
	return state;
}
