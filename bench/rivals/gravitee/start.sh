# Redis, and Gravitee's gateway beside it until SIGTERM. Redis listens on the gateway's port of
# another loopback address. The gateway reads API, subscriptions and keys from one file, in which
# the API's definition is a text within a text.
escaped() {
  sed 's/[\\"]/\\&/g' | tr -d '\n'
}
api='{"id":"bench","name":"bench","definitionVersion":"4.0.0","type":"proxy"'
api=$api',"lifecycleState":"STARTED"'
payload=$(printf '%s,"definition":"%s"}' "$api" "$(escaped <definition.json)" | escaped)
mkdir -p apis
{
  printf '{ "apiEvent": { "id": "deployment", "type": "PUBLISH_API", "createdAt": 1, '
  printf '"payload": "%s" },\n' "$payload"
  cat subscriptions.json
  echo '}'
} >apis/bench.json
redis-server --bind 127.0.0.2 --port @LISTEN_PORT@ --save "" --appendonly no --daemonize no \
  --dir "@DIRECTORY@" >redis.log &
redis=$!
"@PROGRAM@" >gravitee.log 2>&1 &
gravitee=$!
trap 'kill "$gravitee"' TERM INT
wait "$gravitee"
# A signal ends the first wait; this one is for the gateway's end.
wait "$gravitee"
kill "$redis"
wait "$redis"
