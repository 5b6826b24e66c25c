dnl SPDX-License-Identifier: MIT
dnl What scripts/fidelity runs m4 with: loops, recursion, numbers, strings, diversions.
dnl usage: m4 -DSCALE=N sums.m4
changequote([, ])dnl
define([for], [pushdef([$1], [$2])_for($@)popdef([$1])])dnl
define([_for], [$4[]ifelse($1, [$3], [], [define([$1], incr($1))$0($@)])])dnl
define([fibonacci], [ifelse(eval($1 < 2), 1, $1,
	[eval(fibonacci(decr($1)) + fibonacci(eval($1 - 2)))])])dnl
define([reverse], [ifelse([$1], [], [], [reverse(substr([$1], 1))[]substr([$1], 0, 1)])])dnl
define([each], [ifelse([$#], [1], [item([$1])], [item([$1])[]each(shift($@))])])dnl
define([item], [translit([$1], [a-z], [b-za])])dnl
divert(1)dnl
for([i], 1, SCALE, [format([%05d %s], i, fibonacci(9))
reverse(abcdefghijklmnopqrstuvwxyz) len(reverse([profshim]))
each(one, two, three, four, five, six, seven, eight, nine, ten)
patsubst([the quick brown fox jumps over the lazy dog], [\w+], [<\&>])
])dnl
divert(0)dnl
undivert(1)dnl
