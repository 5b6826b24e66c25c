/* SPDX-License-Identifier: MIT */
/* Reading what data.c wrote. Numbers above 2^53 lose their last digits. */

function unpack(text) {
	var packed = Uint8Array.from(atob(text.trim()), function (letter) {
		return letter.charCodeAt(0);
	});
	var stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));

	return new Response(stream).arrayBuffer().then(function (buffer) {
		return new Uint8Array(buffer);
	});
}

function Reader(bytes) {
	this.bytes = bytes;
	this.at = 0;
}

Reader.prototype.next = function () {
	var value = 0, scale = 1, byte;

	do {
		byte = this.bytes[this.at++];
		value += (byte & 127) * scale;
		scale *= 128;
	} while (byte > 127);
	return value;
};

Reader.prototype.nextSigned = function () {
	var value = this.next();

	return value % 2 ? -(value + 1) / 2 : value / 2;
};

Reader.prototype.text = function () {
	var size = this.next(), from = this.at;

	this.at += size;
	return new TextDecoder().decode(this.bytes.subarray(from, this.at));
};

function readNodes(reader, data) {
	var count = data.nodes, first = 0, parent;

	data.parent = new Int32Array(count);
	data.fn = new Int32Array(count);
	data.recording = new Uint8Array(count);
	data.callLine = new Int32Array(count);
	data.first = new Float64Array(count);
	data.selfError = new Float64Array(count);
	data.totalError = new Float64Array(count);
	for (var i = 0; i < count; i++) {
		parent = reader.next();
		data.parent[i] = parent ? i - parent : -1;
		data.fn[i] = reader.next();
		data.recording[i] = reader.next();
		data.callLine[i] = reader.next();
		data.first[i] = first += reader.nextSigned();
		data.selfError[i] = reader.nextSigned();
		data.totalError[i] = reader.nextSigned();
	}
}

/* The children of a node by child and next; those of none by roots. */
function linkNodes(data) {
	var count = data.nodes;

	data.child = new Int32Array(count).fill(-1);
	data.next = new Int32Array(count).fill(-1);
	data.roots = -1;
	for (var i = count - 1; i >= 0; i--) {
		var parent = data.parent[i];

		data.next[i] = parent < 0 ? data.roots : data.child[parent];
		if (parent < 0)
			data.roots = i;
		else
			data.child[parent] = i;
	}
}

function readSamples(reader, metrics) {
	var count = reader.next(), node = 0, mask;
	var samples = {
		count: count, node: new Int32Array(count), lane: new Int32Array(count),
		values: metrics.map(function () { return new Float64Array(count); }),
		selfError: new Float64Array(count), totalError: new Float64Array(count)
	};
	var columns = samples.values.concat([samples.selfError, samples.totalError]);

	for (var i = 0; i < count; i++) {
		samples.node[i] = node += reader.next();
		samples.lane[i] = reader.next() - 1;
		mask = reader.next();
		for (var j = 0; j < columns.length; j++)
			if (mask >> j & 1)
				columns[j][i] = reader.nextSigned();
	}
	return samples;
}

/* A promise of the call paths: names, nodes in columns, samples. */
function decode(text) {
	return unpack(text).then(function (bytes) {
		var reader = new Reader(bytes), data = JSON.parse(reader.text());

		readNodes(reader, data);
		linkNodes(data);
		data.samples = readSamples(reader, data.metrics);
		data.parts = data.slots.map(function () {
			return readSamples(reader, data.metrics);
		});
		return data;
	});
}
