# SPDX-License-Identifier: MIT
set terminal svg size 400,300
set output 'plot.svg'
plot sin(x) title 'sine', x**2 / 100 title 'square'
