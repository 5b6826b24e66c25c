# SPDX-License-Identifier: MIT
{ for (i = 1; i <= NF; i++) count[$i]++ }
END {
	for (word in count) if (count[word] > 9) print word, count[word] | "sort"
	close("sort")
	print length(count), substr($0, 1, 3)
	exit 3
}
