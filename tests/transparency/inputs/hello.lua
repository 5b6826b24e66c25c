-- SPDX-License-Identifier: MIT
local counts, total = {}, 0
for line in io.lines('text.txt') do
	for word in line:gmatch('%a+') do
		counts[word] = (counts[word] or 0) + 1
		total = total + 1
	end
end
local keys = {}
for key in pairs(counts) do keys[#keys + 1] = key end
table.sort(keys)
local parts = coroutine.wrap(function()
	for i = 1, #keys, 50 do coroutine.yield(keys[i]) end
end)
print(total, #keys, parts(), parts())
print(pcall(error, { code = 2 }) == false, #string.rep('abc', 100000))
os.exit(4)
