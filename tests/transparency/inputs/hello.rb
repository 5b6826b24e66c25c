# SPDX-License-Identifier: MIT
require 'digest'
require 'json'
words = File.read('text.txt').split
puts words.tally.max_by(5) { |word, count| [count, word] }.inspect
puts Digest::SHA256.hexdigest(words.uniq.sort.join(','))
threads = 4.times.map { |i| Thread.new { (1..2000).reduce { |a, b| (a * b + i) % 1_000_003 } } }
puts threads.map(&:value).inspect
puts JSON.parse(JSON.generate(words.first(100))).size
pid = fork { exit 3 }
Process.wait pid
puts $?.exitstatus, `echo child`
GC.start
warn 'the end'
exit 2
