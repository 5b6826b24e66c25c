/* SPDX-License-Identifier: MIT */
/* The slices that lanes.c wrote, and what is said of each. */

var LANE_WORDS = ["computing", "CPU wait", "blocked", "", ""];
var LANE_CLASSES = ["part0", "part1", "part2", "part3", "moment"], LANE_MOMENT = 4;

function sliceWords(slice) {
	var length = slice.state === LANE_MOMENT ? ""
		: amountText(slice.end - slice.begin, "nanoseconds") + ", ";

	return slice.name + ": " + length + "at " + amountText(slice.begin, "nanoseconds") +
		(LANE_WORDS[slice.state] ? ", mostly " + LANE_WORDS[slice.state] : "");
}

function readLane(reader, names, count, left, lane) {
	var slices = [], begin = left, length, kind;

	for (var i = 0; i < count; i++) {
		begin += reader.nextSigned();
		length = reader.next();
		kind = reader.next();
		slices.push({lane: lane, begin: begin, end: begin + length, row: Math.floor(kind / 8),
			state: kind % 8, name: names[reader.next()], element: null});
	}
	return slices;
}

/* A promise of the slices of each lane, and how many are not in the page. left: the edge
 * from which times were written. */
function decodeLanes(text, left) {
	return unpack(text).then(function (bytes) {
		var reader = new Reader(bytes), data = JSON.parse(reader.text());

		return {left: data.left, lanes: data.counts.map(function (count, lane) {
			return readLane(reader, data.names, count, left, lane);
		})};
	});
}
