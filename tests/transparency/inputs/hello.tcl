# SPDX-License-Identifier: MIT
set file [open text.txt]
set words [split [read $file]]
close $file
foreach word $words { if {$word ne ""} { dict incr counts $word } }
puts "[dict size $counts] [lindex [lsort [dict keys $counts]] 3]"
puts [exec echo child]
catch { error wrong } message
puts $message
exit 5
