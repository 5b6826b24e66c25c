# SPDX-License-Identifier: MIT
# A Redis server under its own benchmark.
set -e
redis-server --port 0 --unixsocket socket --save '' --dir . --io-threads 2 \
	--loglevel warning >server.log 2>&1 &
server=$!
for _ in $(seq 100); do
	redis-cli -s socket ping >/dev/null 2>&1 && break
	sleep 0.05
done
redis-benchmark -s socket -n 4000 -c 20 -q -t set,get,incr,lpush,zadd,mset |
	tr '\r' '\n' | sed -n 's/: [0-9.]* requests per second.*//p'
redis-cli -s socket eval "local s = 0 for i = 1, 10000 do s = s + i end return s" 0
redis-cli -s socket set key "$(head -c 3000 text.txt)"
redis-cli -s socket --no-auth-warning strlen key
redis-cli -s socket bgsave
while [ "$(redis-cli -s socket info persistence | grep -c bgsave_in_progress:1)" = 1 ]; do
	sleep 0.05
done
redis-cli -s socket info persistence | grep bgsave_status | tr -d '\r'
redis-cli -s socket shutdown nosave
status=0
wait $server || status=$?
echo "server $status"
rm -f server.log dump.rdb
