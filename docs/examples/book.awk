# SPDX-License-Identifier: MIT
# Writes a book as rich text: 1,500 paragraphs of 80 words, 15,000 words known.
function random(limit) {
	seed = (seed * 16807) % 2147483647
	return seed % limit
}
function word(number,   text) {
	for (text = ""; number >= 0; number = int(number / 40) - 1)
		text = text syllables[number % 40 + 1]
	return text
}
BEGIN {
	seed = 42
	split("an be ci do el fa ge hi in jo ka le mi no on pa qui re si to un va we xi yo za bra cle dri fro gra ster ment ling tion ous ent ist ter ing", syllables)
	print "{\\rtf1\\ansi{\\fonttbl{\\f0\\fnil Times;}}"
	for (i = 0; i < 1500; i++) {
		printf "\\pard\\f0\\fs24 "
		for (j = 0; j < 80; j++) {
			# The common words are the short ones.
			text = word(random(random(15000) + 1))
			printf random(20) ? "%s " : "{\\b %s} ", text
		}
		print "\\par"
	}
	print "}"
}
