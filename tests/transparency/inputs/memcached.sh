# SPDX-License-Identifier: MIT
set -e
memcached -u nobody -s "$PWD/socket" -t 4 &
server=$!
while [ ! -S socket ]; do sleep 0.02; done
{
	for i in $(seq 300); do printf 'set k%d 0 0 5\r\nvalue\r\n' "$i"; done
	printf 'get k1 k7 k300\r\nincr nothing 1\r\nquit\r\n'
} | nc -U "$PWD/socket" | sort | uniq -c
kill $server
status=0
wait $server || status=$?
echo "server $status"
