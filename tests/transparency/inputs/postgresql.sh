# SPDX-License-Identifier: MIT
# A server of its own, a session, the benchmark, the end.
set -e
bin=$(echo /usr/lib/postgresql/*/bin)
"$bin/initdb" -D data -A trust -U me --no-sync >/dev/null
"$bin/pg_ctl" -D data -w -l server.log \
	-o "-c listen_addresses= -c unix_socket_directories=$PWD -c fsync=off" start >/dev/null
psql="$bin/psql -X -h $PWD -U me postgres"
$psql -f server.sql 2>&1
"$bin/pgbench" -h "$PWD" -U me -i -q postgres >/dev/null 2>&1
"$bin/pgbench" -h "$PWD" -U me -c 4 -j 2 -t 50 postgres 2>&1 | grep -E 'processed|failed'
$psql -c 'SELECT COUNT(*) FROM pgbench_history'
"$bin/pg_dump" -h "$PWD" -U me -t item postgres | md5sum
"$bin/pg_ctl" -D data -m fast -w stop
rm -r data server.log
