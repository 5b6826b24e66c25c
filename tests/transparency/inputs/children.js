// SPDX-License-Identifier: MIT
'use strict';
const { execFileSync, spawn } = require('child_process');
const fs = require('fs');

console.log(execFileSync('sort', ['-n'], { input: '3\n1\n2\n' }).toString());
fs.promises.writeFile('out.json', JSON.stringify({ a: [1, 2, 3] }, null, 2)).then(() => {
	const child = spawn('sh', ['-c', 'read line; echo got $line; exit 4']);
	child.stdout.on('data', data => process.stdout.write(data));
	child.on('close', code => console.log('ended with', code));
	child.stdin.end('a line\n');
});
