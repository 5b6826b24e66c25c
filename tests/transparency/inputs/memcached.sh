# SPDX-License-Identifier: MIT
set -e
memcached -s "$PWD/socket" -t 4 &
server=$!
for _ in $(seq 100); do [ -S socket ] && break; sleep 0.05; done
{
	for i in $(seq 300); do printf 'set k%d 0 0 5\r\nvalue\r\n' "$i"; done
	printf 'get k1 k7 k300\r\nincr nothing 1\r\nquit\r\n'
} | nc -U "$PWD/socket" | sort | uniq -c
kill $server
status=0
wait $server || status=$?
echo "server $status"
