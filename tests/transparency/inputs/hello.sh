# SPDX-License-Identifier: MIT
# What every shell can do.
count=0
while read -r line; do
	case $line in
	*qui*) count=$((count + 1)) ;;
	esac
done <text.txt
echo "$count"
(exit 3)
echo "$?"
echo "$(echo inner; echo "$(echo deeper)")"
trap 'echo trapped' EXIT
cat <<END | tr a-z A-Z
here $count
END
sleep 0 &
wait
f() { return 4; }
f || echo "f $?"
for i in 1 2 3; do echo "$i" >>out.txt; done
sort -r out.txt
kill -TERM $$
