# SPDX-License-Identifier: MIT
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use POSIX ();

my %count;
open my $file, '<', 'text.txt' or die;
while (<$file>) { $count{$_}++ for split; }
close $file;
my @top = (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 4];
print "$_ $count{$_}\n" for @top;
print md5_hex(join ',', sort keys %count), "\n";
my $pid = fork;
if (!$pid) { my @list = map { "x" x $_ } 1 .. 200; POSIX::_exit(scalar(@list) % 7); }
waitpid $pid, 0;
print "child $?\n", `echo from a child`;
eval { die { code => 4 } };
exit $@->{code};
