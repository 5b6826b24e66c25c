# SPDX-License-Identifier: MIT
# Requests and bytes of each client and page; prints who asked for most.
{ requests[$1]++; bytes[$1] += $10; pages[$7]++ }
END {
	for (client in bytes)
		if (bytes[client] > most) { most = bytes[client]; who = client }
	for (page in pages)
		count++
	print who, requests[who], most, count
}
