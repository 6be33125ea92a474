# Redis, filled with the keys, and Tyk beside it until SIGTERM. Redis listens on Tyk's port of
# another loopback address.
redis-server --bind 127.0.0.2 --port @LISTEN_PORT@ --save "" --appendonly no --daemonize no \
  --dir "@DIRECTORY@" >redis.log &
redis=$!
until redis-cli -h 127.0.0.2 -p @LISTEN_PORT@ ping >ping.log 2>&1; do
  kill -0 "$redis" || exit 1
  sleep 0.1
done
redis-cli -h 127.0.0.2 -p @LISTEN_PORT@ --pipe <keys.redis >filled.log || exit 1
"@PROGRAM@" start --conf="@DIRECTORY@/tyk.conf" >access.log 2>&1 &
tyk=$!
trap 'kill "$tyk"' TERM INT
wait "$tyk"
# A signal ends the first wait; this one is for Tyk's end.
wait "$tyk"
kill "$redis"
wait "$redis"
