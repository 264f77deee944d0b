-- The civil month of the store's clock, `time`, as in common/civil.ts: `year`, `month` and `label`, such as 2026-11.
local shifted = math.floor(tonumber(time[1]) / 86400) + 719468
local era = math.floor(shifted / 146097)
local dayOfEra = shifted - era * 146097
local year = math.floor((dayOfEra - math.floor(dayOfEra / 1460) + math.floor(dayOfEra / 36524)
  - math.floor(dayOfEra / 146096)) / 365)
local dayOfYear = dayOfEra - (365 * year + math.floor(year / 4) - math.floor(year / 100))
local marchMonth = math.floor((5 * dayOfYear + 2) / 153)
local month = marchMonth < 10 and marchMonth + 3 or marchMonth - 9
year = year + era * 400 + (month <= 2 and 1 or 0)
local label = string.format('%04d-%02d', year, month)
