-- The requests of a soak, for wrk: `wrk … -s soak.lua URL -- FILE SEED`. FILE holds a request a line, `METHOD TARGET KEY`;
-- placeholders in braces are replaced for each request, so that no cache has seen it.
local requests, number = {}, 0

function init(args)
  math.randomseed(tonumber(args[2]))
  number = tonumber(args[2]) * 100000000
  for line in io.lines(args[1]) do
    local method, target, key = line:match("^(%S+) (%S+) (%S*)$")
    local head = method .. " " .. target .. " HTTP/1.1\r\nHost: localhost\r\n"
    if key ~= "" then head = head .. "X-API-Key: " .. key .. "\r\n" end
    requests[#requests + 1] = head .. "\r\n"
  end
end

local made = {
  number = function() return tostring(number) end,
  lat = function() return string.format("%.4f", math.random() * 180 - 90) end,
  lon = function() return string.format("%.4f", math.random() * 360 - 180) end,
  ip = function()
    return math.random(1, 223) .. "." .. math.random(0, 255) .. "." .. math.random(0, 255) .. "." .. math.random(0, 255)
  end,
  time = function() return tostring(math.random(-4000000000, 8000000000)) end,
}

function request()
  number = number + 1
  local text = requests[math.random(#requests)]
  if not text:find("{", 1, true) then return text end
  return (text:gsub("{(%a+)}", function(name) return made[name]() end))
end
