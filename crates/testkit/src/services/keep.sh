# Runs a server until its owner has ended, then removes its folder:
#
#   keep.sh FOLDER OWNER STARTED COMMAND…
#
# OWNER is a process id, STARTED the start of that process (field 22 of proc_pid_stat(5)), because
# ids are reused. The server's input stays open while it runs: some servers end with their input.
folder=$1 owner=$2 started=$3
shift 3

has_owner() {
  read -r stat <"/proc/$owner/stat" || return 1
  # The name of the program may contain spaces: what follows its parenthesis begins with field 3.
  set -- ${stat##*) }
  # A zombie has ended.
  [ "$1" != Z ] && [ "${20}" = "$started" ]
} 2>/dev/null

is_running() {
  kill -0 "$server" 2>/dev/null
}

# Sends a signal and waits a while; succeeds if the server has ended.
stop() {
  kill "-$1" "$server" 2>/dev/null
  for _ in 1 2 3 4 5 6; do
    is_running || return 0
    sleep 0.3
  done
  return 1
}

mkfifo "$folder/input"
"$@" <>"$folder/input" >"$folder/log" 2>&1 &
server=$!
while has_owner && is_running; do sleep 0.3; done

if is_running; then
  # PostgreSQL waits for its clients after TERM, and ends their connections after INT.
  stop TERM || stop INT || stop KILL
else
  # Later tests fail with the end of its log.
  : >"$folder/ended"
  rm -f "$folder/address"
  while has_owner; do sleep 0.3; done
fi
rm -rf "$folder" "${folder%.*}.lock"
rmdir "${folder%/*}" 2>/dev/null
