-- SPDX-License-Identifier: MIT
-- Sorts random whole numbers. usage: sort.lua [COUNT]
local seed = 42
local function random(limit)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % limit
end
local t = {}
for i = 1, tonumber(arg[1]) or 300000 do t[i] = random(1000000) end
table.sort(t)
print(t[1], t[#t])
