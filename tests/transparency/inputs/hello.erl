%% SPDX-License-Identifier: MIT
-module(hello).
-export([main/0]).

main() ->
    Self = self(),
    [spawn(fun() -> Self ! lists:sum(lists:seq(1, N * 1000)) end) || N <- lists:seq(1, 50)],
    Sums = lists:sort([receive Sum -> Sum end || _ <- lists:seq(1, 50)]),
    io:format("~p~n", [lists:sum(Sums)]),
    halt(3).
