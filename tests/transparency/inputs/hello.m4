dnl SPDX-License-Identifier: MIT
define(`forloop', `pushdef(`$1', `$2')_forloop($@)popdef(`$1')')
define(`_forloop', `$4`'ifelse($1, `$3', `', `define(`$1', incr($1))$0($@)')')
forloop(`i', 1, 200, `line i syscmd(`')
')
