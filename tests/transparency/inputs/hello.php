<?php // SPDX-License-Identifier: MIT
$words = preg_split('/\s+/', file_get_contents('text.txt'), -1, PREG_SPLIT_NO_EMPTY);
$count = array_count_values($words);
ksort($count);
arsort($count);
print_r(array_slice($count, 0, 5));
echo md5(implode(',', array_keys($count))), "\n", strlen(serialize($count)), "\n";
echo shell_exec('echo child');
exit(6);
