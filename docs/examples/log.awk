# SPDX-License-Identifier: MIT
# Writes an access log of a web server: 400,000 requests by 100,000 clients.
function random(limit) {
	seed = (seed * 16807) % 2147483647
	return seed % limit
}
BEGIN {
	seed = 42
	for (i = 0; i < 400000; i++) {
		client = random(2) ? random(1000) : random(100000)
		printf "10.%d.%d.%d - - [21/Nov/2026:%02d:%02d:%02d +0000] ", client / 50000,
			client / 250 % 200, client % 250, i / 16800, i / 280 % 60, i % 60
		printf "\"GET /page/%d.html HTTP/1.1\" 200 %d\n", random(500), random(90000)
	}
}
