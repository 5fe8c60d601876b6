#!lua
-- What the scripts of slot leases have in common. Each of them runs behind this text.
--
-- KEYS  meta, slot, free, live, owner and held of a namespace
--
-- The row of a slot decides, and the other keys only say where to look. Times are milliseconds; they and the fences
-- stay below 2^53, up to which Lua's numbers are exact, and digits writes them so.
local meta, slots, free, live, owners, held = unpack(KEYS)

local function digits(number) return string.format('%.0f', number) end

-- Called once a script: the clock runs on.
local function clock()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- The row of a text, or that of a slot never granted where there is none.
local function parse(slot, text)
  if not text then
    return {owner = '', incarnation = '', last = '', fence = '0', expires = 0, floor = 0, ceiling = 0, nextFloor = 0}
  end
  local owner, incarnation, last, fence, expires, floor, ceiling, nextFloor =
    string.match(text, '^([^|]*)|([^|]*)|([^|]*)|(%d+)|(%d+)|(%d+)|(%d+)|(%d+)$')
  if not owner or math.max(fence, expires, floor, ceiling, nextFloor) >= 2^53 then
    error({err = 'ERR ' .. slots .. ' holds no row of cosid at ' .. slot})
  end
  return {
    owner = owner, incarnation = incarnation, last = last, fence = fence, expires = tonumber(expires),
    floor = tonumber(floor), ceiling = tonumber(ceiling), nextFloor = tonumber(nextFloor)
  }
end

local function read(slot) return parse(slot, redis.call('HGET', slots, slot)) end

-- When anybody may have the slot, if its lease is not renewed: ready is before now without a tolerance, usable with it.
local function usableAt(row, tolerance) return math.max(row.expires, row.nextFloor - tolerance) end

-- More time for the holder. Neither end of the window moves back.
local function extend(row, now, ttl, tolerance, used)
  row.expires = now + ttl
  row.ceiling = math.max(row.ceiling, math.min(math.max(now, used + 1), now + tolerance) + ttl)
  row.nextFloor = row.ceiling
end

-- Where an owner's name leads to this slot, whose row does not name it any more, forget that.
local function forget(key, owner, slot)
  if owner ~= '' and redis.call('HGET', key, owner) == slot then
    redis.call('HDEL', key, owner)
  end
end

-- Replaces a row and returns its text.
local function write(slot, before, row)
  for _, owner in ipairs({before.owner, before.last}) do
    if owner ~= row.owner then
      forget(held, owner, slot)
      if owner ~= row.last then
        forget(owners, owner, slot)
      end
    end
  end
  local text = table.concat({
    row.owner, row.incarnation, row.last, row.fence,
    digits(row.expires), digits(row.floor), digits(row.ceiling), digits(row.nextFloor)
  }, '|')
  redis.call('HSET', slots, slot, text)
  return text
end

local function toLive(slot, row)
  redis.call('ZREM', free, slot)
  redis.call('ZADD', live, digits(row.expires), slot)
end

local function toFree(slot)
  redis.call('ZREM', live, slot)
  redis.call('ZADD', free, slot, slot)
end

local function copy(row)
  local new = {}
  for name, value in pairs(row) do new[name] = value end
  return new
end
