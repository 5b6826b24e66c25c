-- SPDX-License-Identifier: MIT
-- What scripts/bench runs Lua with: sorting, string building, recursion, coroutines and errors
-- that are caught. usage: mixed.lua [SCALE]; the work grows with SCALE.
local scale = tonumber(arg and arg[1]) or 1

-- The same numbers on every machine.
local seed = 42
local function random(limit)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % limit
end

local function sorting(count)
  local numbers = {}
  for i = 1, count do
    numbers[i] = random(1000000)
  end
  table.sort(numbers)
  table.sort(numbers, function(a, b) return a > b end)
  return numbers[1] >= numbers[count]
end

local function concatenation(count)
  local parts, text = {}, ""
  for i = 1, count do
    parts[i] = ("%d:%s"):format(i, string.rep("x", i % 10))
    if i % 10 == 0 then
      text = text .. parts[i]
    end
  end
  return #table.concat(parts, ","), #text, select(2, text:gsub("%d+", "n"))
end

local function recursion(n)
  if n < 2 then
    return n
  end
  return recursion(n - 1) + recursion(n - 2)
end

-- A pipeline: numbers flow from one coroutine through another.
local function coroutines(count)
  local function produce()
    for i = 1, count do
      coroutine.yield(i)
    end
  end
  local source = coroutine.wrap(produce)
  local filter = coroutine.wrap(function()
    for i = 1, count do
      local number = source()
      if number % 3 == 0 then
        coroutine.yield(number)
      end
    end
  end)
  local sum = 0
  for number in filter do
    sum = sum + number
  end
  return sum
end

local function errors(count)
  local caught = 0
  for i = 1, count do
    local ok = pcall(function()
      if i % 2 == 0 then
        error({ code = i })
      end
    end)
    caught = caught + (ok and 0 or 1)
  end
  return caught
end

print("sorted:", sorting(10000 * scale))
print("joined:", concatenation(10000 * scale))
print("fib(" .. 22 .. "):", recursion(22))
for _ = 2, scale do
  recursion(22)
end
print("sum:", coroutines(10000 * scale))
print("caught:", errors(5000 * scale))
