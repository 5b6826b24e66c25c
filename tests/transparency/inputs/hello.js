// SPDX-License-Identifier: MIT
'use strict';
const crypto = require('crypto');
const zlib = require('zlib');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

function fib(n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

if (!isMainThread) {
	parentPort.postMessage(fib(workerData));
} else {
	const text = 'profshim '.repeat(20000);
	const packed = zlib.gzipSync(text);
	console.log(crypto.createHash('sha256').update(text).digest('hex'));
	console.log(zlib.gunzipSync(packed).toString() === text, fib(24));
	const jobs = [18, 19, 20].map(n => new Promise((resolve, reject) => {
		const worker = new Worker(__filename, { workerData: n });
		worker.on('message', resolve);
		worker.on('error', reject);
	}));
	Promise.all(jobs).then(values => {
		console.log(values.join(' '));
		process.exitCode = 5;
	});
}
