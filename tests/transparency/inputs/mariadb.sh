# SPDX-License-Identifier: MIT
# A server of its own on a socket, a session, the end.
set -e
mkdir data
mariadb-install-db --no-defaults --datadir="$PWD/data" --auth-root-authentication-method=normal \
	--skip-test-db >/dev/null 2>&1
/usr/sbin/mariadbd --no-defaults --datadir="$PWD/data" --socket="$PWD/socket" \
	--skip-networking --pid-file="$PWD/pid" --innodb-flush-method=nosync \
	>server.log 2>&1 &
server=$!
for _ in $(seq 200); do
	mariadb-admin --no-defaults --socket="$PWD/socket" -u root ping >/dev/null 2>&1 && break
	sleep 0.1
done
mariadb --no-defaults --socket="$PWD/socket" -u root mysql <<'END'
CREATE DATABASE d;
USE d;
CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(40), count INTEGER) ENGINE=InnoDB;
INSERT INTO item SELECT seq, CONCAT('name ', seq * 7919 % 1000), seq * 31 % 97
	FROM seq_1_to_5000;
SELECT name, SUM(count), COUNT(*) FROM item GROUP BY name ORDER BY 2 DESC, 1 LIMIT 5;
SELECT COUNT(*) FROM item a JOIN item b ON a.name = b.name;
END
mariadb-admin --no-defaults --socket="$PWD/socket" -u root shutdown
status=0
wait $server || status=$?
echo "server $status"
rm -rf data server.log socket pid
