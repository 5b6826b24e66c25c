/* SPDX-License-Identifier: MIT */
/*
 * What each call path weighs: by a metric, in a thread or all, in the whole run or between
 * two snapshots, without the functions that the reader hides.
 */

function metricNumber(data, word) {
	return data.metrics.findIndex(function (metric) { return metric.word === word; });
}

/* What was live adds up over paths, not over time: it is that at the end of a range. */
function isOfMoment(data, metric) {
	return data.metrics[metric].word === "live" || data.metrics[metric].word === "at_peak";
}

function addSamples(samples, values, lane, to) {
	for (var i = 0; i < samples.count; i++)
		if ((lane < 0 || samples.lane[i] === lane) && values[i])
			to[samples.node[i]] += values[i];
}

function addRange(data, metric, choice, self) {
	for (var i = isOfMoment(data, metric) ? choice.to - 1 : choice.from; i < choice.to; i++)
		addSamples(data.parts[i], data.parts[i].values[metric], -1, self);
}

/* What each path has by itself, kept until thread or range are others. choice.from,
 * choice.to: numbers of moments, 0 the start. Not to be changed. */
function selfOf(data, metric, choice) {
	var key = choice.lane + " " + choice.from + " " + choice.to, self;

	if (!data.kept || data.kept.key !== key)
		data.kept = {key: key, selves: []};
	self = data.kept.selves[metric];
	if (self)
		return self;
	self = data.kept.selves[metric] = new Float64Array(data.nodes);
	if (hasRange(data, choice))
		addRange(data, metric, choice, self);
	else
		addSamples(data.samples, data.samples.values[metric], choice.lane, self);
	for (var i = 0; i < self.length; i++)
		self[i] = Math.max(self[i], 0);
	return self;
}

function hasRange(data, choice) {
	return data.parts.length > 0 && !data.pair &&
		(choice.from > 0 || choice.to < data.parts.length);
}

/* How far the times of each path may be off, of self and of total: of the run; in a range
 * the sum of its parts', as if all were off to the same side, but no more than of the run. */
function errorsOf(data, choice) {
	var key = choice.from + " " + choice.to, errors = data.keptErrors;

	if (!hasRange(data, choice))
		return {self: data.selfError, total: data.totalError};
	if (errors && errors.key === key)
		return errors;
	errors = data.keptErrors = {key: key, self: new Float64Array(data.nodes),
		total: new Float64Array(data.nodes)};
	data.parts.slice(choice.from, choice.to).forEach(function (part) {
		for (var i = 0; i < part.count; i++) {
			errors.self[part.node[i]] += part.selfError[i];
			errors.total[part.node[i]] += part.totalError[i];
		}
	});
	for (var node = 0; node < data.nodes; node++) {
		errors.self[node] = Math.min(errors.self[node], data.selfError[node]);
		errors.total[node] = Math.min(errors.total[node], data.totalError[node]);
	}
	return errors;
}

/* One for each path: hidden, or below what is. */
function dropped(data, hidden) {
	var flags = new Uint8Array(data.functions.length), drop = new Uint8Array(data.nodes);

	hidden.forEach(function (fn) { flags[fn] = 1; });
	for (var i = 0; hidden.size && i < data.nodes; i++)
		drop[i] = flags[data.fn[i]] || (data.parent[i] >= 0 ? drop[data.parent[i]] : 0);
	return drop;
}

function without(values, drop) {
	return values.map(function (value, i) { return drop[i] ? 0 : value; });
}

function addUp(data, self) {
	var total = Float64Array.from(self);

	for (var i = data.nodes - 1; i >= 0; i--)
		if (data.parent[i] >= 0)
			total[data.parent[i]] += total[i];
	return total;
}

function sumOf(values) {
	var sum = 0;

	for (var i = 0; i < values.length; i++)
		sum += values[i];
	return sum;
}

/* choice: metric, lane (-1: all), from, to, hidden (a set of functions). */
function weigh(data, choice) {
	var all = selfOf(data, choice.metric, choice), drop = dropped(data, choice.hidden);
	var weights = {data: data, metric: choice.metric, drop: drop, self: without(all, drop)};
	var word = data.metrics[choice.metric].word;

	weights.all = sumOf(all);
	weights.run = runSum(data, choice.metric);
	weights.shown = sumOf(weights.self);
	weights.taken = weights.all - weights.shown;
	weights.total = addUp(data, weights.self);
	/* errors are kept of the time of all threads, and are what computes is off by */
	weights.hasErrors = (word === "wall" || word === "cpu") && choice.lane < 0;
	weights.errors = errorsOf(data, choice);
	if (data.pair)
		weighBefore(data, choice, weights);
	return weights;
}

/* Of the whole run and all threads: what shares are of. */
function runSum(data, metric) {
	data.runSums = data.runSums || [];
	if (data.runSums[metric] === undefined)
		data.runSums[metric] = sumOf(data.samples.values[metric]);
	return data.runSums[metric];
}

function weighBefore(data, choice, weights) {
	var before = new Float64Array(data.nodes);

	addSamples(data.parts[0], data.parts[0].values[choice.metric], -1, before);
	weights.allBefore = sumOf(before);
	weights.selfBefore = without(before, weights.drop);
	weights.totalBefore = addUp(data, weights.selfBefore);
}

/* Behind the last node below each. */
function endsOf(data) {
	if (data.ends)
		return data.ends;
	data.ends = new Int32Array(data.nodes);
	for (var i = data.nodes - 1; i >= 0; i--) {
		data.ends[i] = Math.max(data.ends[i], i + 1);
		if (data.parent[i] >= 0)
			data.ends[data.parent[i]] = Math.max(data.ends[data.parent[i]], data.ends[i]);
	}
	return data.ends;
}

/* What a function takes with what it calls: in its outermost activations. */
function totalsByFunction(data, total, sums) {
	var open = new Int32Array(data.functions.length), ends = endsOf(data);

	for (var i = 0; i < data.nodes; i++) {
		var fn = data.fn[i];

		if (i < open[fn])
			continue;
		open[fn] = ends[i];
		sums[fn] += total[i];
	}
	return sums;
}

/* Of paths by themselves: what a function's may be off by. */
function errorsByFunction(data, errors, drop) {
	var squares = {self: new Float64Array(data.functions.length),
		total: new Float64Array(data.functions.length)};

	for (var i = 0; i < data.nodes; i++)
		if (!drop[i])
			squares.self[data.fn[i]] += errors.self[i] * errors.self[i];
	totalsByFunction(data, errors.total.map(function (error) { return error * error; }),
		squares.total);
	return {self: squares.self.map(Math.sqrt), total: squares.total.map(Math.sqrt)};
}

/* A row for each function that has something of any metric. */
function weighFunctions(data, choice, drop) {
	var count = data.functions.length, rows = [];
	var totals = totalsOf("wall"), totalCpu = totalsOf("cpu");
	var errors = errorsByFunction(data, errorsOf(data, choice), drop);
	var sums = data.metrics.map(function (metric, number) {
		var self = selfOf(data, number, choice), sum = new Float64Array(count);

		for (var i = 0; i < data.nodes; i++)
			if (!drop[i])
				sum[data.fn[i]] += self[i];
		return sum;
	});

	function totalsOf(word) {
		var self = selfOf(data, metricNumber(data, word), choice);

		return totalsByFunction(data, addUp(data, without(self, drop)), new Float64Array(count));
	}
	for (var fn = 0; fn < count; fn++) {
		var values = sums.map(function (sum) { return sum[fn]; });

		if (values.some(function (value) { return value > 0; }))
			rows.push({fn: fn, total: totals[fn], totalCpu: totalCpu[fn], values: values,
				selfError: choice.lane < 0 ? errors.self[fn] : 0,
				totalError: choice.lane < 0 ? errors.total[fn] : 0});
	}
	return rows;
}
