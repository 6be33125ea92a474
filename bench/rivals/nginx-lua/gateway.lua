-- What a gateway on OpenResty does with each call: the application of its key, one more under its
-- limit, one more in its counters.

local limits, counts = ngx.shared.limits, ngx.shared.counts
local LIMIT, WINDOW_SECONDS = @LIMIT@, 60

local applications = {}
do
  local number = 0
  for key in io.lines("@KEYS@") do
    number = number + 1
    applications[key] = "application-" .. number
  end
end

local gateway = {}

--- Lets a call pass or refuses it. The window of an application begins with its first call.
function gateway.admit()
  local key = ngx.var.http_apikey
  local application = key and applications[key]
  if not application then
    return ngx.exit(401)
  end
  ngx.var.application = application
  local used, fault = limits:incr(application, 1, 0, WINDOW_SECONDS)
  if not used then
    ngx.log(ngx.ERR, "limits: ", fault)
    return ngx.exit(500)
  end
  ngx.header["RateLimit-Remaining"] = math.max(LIMIT - used, 0)
  if used > LIMIT then
    return ngx.exit(429)
  end
end

-- Calls since the last second, by application and status: shared memory is written once a second.
local pending = {}

--- Counts a call that is over.
function gateway.count()
  local name = ngx.var.application .. " " .. ngx.status
  pending[name] = (pending[name] or 0) + 1
end

--- Adds to the shared counters each second what has been counted since.
function gateway.keep_counts()
  ngx.timer.every(1, function()
    local calls = pending
    pending = {}
    for name, added in pairs(calls) do
      counts:incr(name, added, 0)
    end
  end)
end

return gateway
