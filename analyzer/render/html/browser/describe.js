/* SPDX-License-Identifier: MIT */
/* What is said of a frame, and of what is shown: in sight, and to a screen reader. */

function nameOf(data, fn) {
	return fn < 0 ? "all" : data.functions[fn][0] || "?";
}

function placeOf(data, fn) {
	var one = data.functions[fn];

	return fn < 0 || !one[1] ? "" : one[1] + (one[2] ? ":" + one[2] : "");
}

/* Where a frame's function was called: the lines of its paths. Of a tree turned over, ids are
 * of callers. */
function calledText(data, frame) {
	var lines = [], file;

	if (frame.climbs)
		return "";
	frame.ids.forEach(function (id) {
		var line = id >= 0 && data.callLine[id];

		if (line && lines.indexOf(line) < 0 && lines.length < 4) {
			file = file || data.functions[data.fn[data.parent[id]]][1];
			lines.push(line);
		}
	});
	return lines.length ? "called at " + file + ":" + lines.slice(0, 3).join(", ") +
		(lines.length > 3 ? " and others" : "") : "";
}

/* What was live at exit is, in a range, what was live at its end. */
function metricTitle(metric) {
	return metric.word === "live" ? "live at the end" : metric.name;
}

function isTimeMetric(data, metric) {
	return data.metrics[metric].unit === "nanoseconds";
}

function errorOf(frame, weights) {
	return weights.hasErrors && frame.error > 0 ? Math.min(frame.error, frame.total || frame.error)
		: 0;
}

function isGuess(frame, weights) {
	return isTimeMetric(weights.data, weights.metric) &&
		(errorOf(frame, weights) > 0.1 * frame.total || frame.guessed > 0.1 * frame.total);
}

/* Below these a change is none; of an estimate, below its error. */
function verdictOf(frame, weights) {
	var data = weights.data, change = frame.total - frame.before, isTime, least;

	isTime = isTimeMetric(data, weights.metric);
	least = Math.max((isTime ? 0.05 : 0) * frame.before,
		(isTime ? 0.001 : 0) * Math.max(weights.all, weights.allBefore));
	if (isTime && (!data.judged || frame.ids.every(function (id) {
		return id >= 0 && data.recording[id];
	})))
		return "unproven";
	if (!change)
		return "same";
	if (Math.abs(change) <= least || (isTime && Math.abs(change) <= frame.error))
		return "unproven";
	return !frame.before ? "new" : !frame.total ? "gone" : change > 0 ? "more" : "less";
}

function signedText(value, unit) {
	return (value > 0 ? "+" : "") + amountText(value, unit);
}

function changeText(frame, weights) {
	var data = weights.data, unit = data.metrics[weights.metric].unit;
	var change = frame.total - frame.before, verdict = verdictOf(frame, weights), text;
	var isTime = isTimeMetric(data, weights.metric);

	text = signedText(change, unit) + ", before " +
		amountText(frame.before, unit) + ", after " + amountText(frame.total, unit);
	if (isTime && frame.error > 0)
		text += ", 95% interval of the change " + signedText(change - frame.error, unit) +
			" to " + signedText(change + frame.error, unit);
	return text + (isTime ? verdict === "unproven" ? ": not proven" : ": " + verdict
		: ", counted: " + verdict);
}

/* Name, amount, share; then where it is and how much of it is its own. */
function frameLines(frame, weights) {
	var data = weights.data, unit = data.metrics[weights.metric].unit, own = frame.total, lines;

	if (!frame.climbs)
		kidsOf(frame).forEach(function (kid) { own -= kid.total; });
	lines = [nameOf(data, frame.fn), data.pair ? changeText(frame, weights)
		: estimateText(frame.total, errorOf(frame, weights), unit) + ", " +
			percentText(frame.total, weights.run) + " of the run"];
	if (frame.parent && frame.parent.total > 0 && frame.parent.fn >= 0)
		lines.push(percentText(frame.total, frame.parent.total) + " of " +
			shortened(nameOf(data, frame.parent.fn), 40));
	if (!frame.climbs && !data.pair)
		lines.push("itself " + amountText(Math.max(own, 0), unit));
	if (isGuess(frame, weights))
		lines.push("an estimate: not every call was timed, or it is more than 10% uncertain");
	if (placeOf(data, frame.fn))
		lines.push(placeOf(data, frame.fn));
	if (calledText(data, frame))
		lines.push(calledText(data, frame));
	return lines;
}

function rangeText(state, data) {
	if (!hasRange(data, state))
		return "";
	return ", from " + momentName(data, state.from) + " to " + momentName(data, state.to) +
		" of process " + data.pid;
}

function momentName(data, number) {
	var slot = number ? data.slots[number - 1] : ["start", 0, 0];

	return (slot[0] || "?") + " (" + amountText(slot[2], "nanoseconds") + ")";
}

/* The share of what is shown, of everything. */
function shownText(state, weights, zoomed, rest) {
	var data = weights.data, metric = data.metrics[state.metric], shown = zoomed.total;
	var text = "Shown: " + amountText(shown, metric.unit) + ", " +
		percentText(shown, weights.run) + " of " + amountText(weights.run, metric.unit) +
		" (" + metricTitle(metric) + (data.pair ? ", after" : " of the run") + ")" +
		rangeText(state, data);

	if (state.lane >= 0 && !hasRange(data, state))
		text += ", of thread " + data.lanes[state.lane][0];
	if (weights.taken > 0)
		text += "; hidden " + percentText(weights.taken, weights.run);
	if (rest.count)
		text += "; too narrow to draw: " + countedText(rest.count, "frame") + ", " +
			percentText(rest.amount, weights.run);
	return text + ".";
}
