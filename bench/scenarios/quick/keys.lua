-- wrk's side: each request carries the next of the keys, which lie in random order in the file.
local requests, at = {}, 0

function init(args)
  for key in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("GET", nil, { apikey = key })
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"duration_us":%d,"mean_us":%.1f,"p50_us":%d,"p99_us":%d,"errors":%d}\n',
    summary.requests, summary.duration, latency.mean, latency:percentile(50),
    latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
