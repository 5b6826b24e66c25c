# SPDX-License-Identifier: MIT
# What scripts/fidelity runs gawk with: fields, arrays, strings, regular expressions, and
# functions of its own. Reads any text; the same result on every run.
function weight(word,    i, sum) {
	for (i = 1; i <= length(word); i += 3)
		sum += index("etaoinshrdlu", substr(word, i, 1))
	return sum
}

{
	for (i = 1; i <= NF; i++) {
		word = tolower($i)
		gsub(/[^a-z_]/, "", word)
		if (word == "")
			continue
		count[word]++
		total += weight(word)
		if (word ~ /^(int|char|static|return)$/)
			keywords++
	}
	lines[NR % 100] = sprintf("%06d %s", NR, substr($0, 1, 40))
}

END {
	words = asorti(count, names)
	for (i = 1; i <= words; i++)
		longest = length(names[i]) > length(longest) ? names[i] : longest
	print NR, words, total, keywords, longest, lines[7]
}
