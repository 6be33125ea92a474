# Runs a server until its owner has ended, then removes its folder:
#
#   keep.sh FOLDER OWNER SINCE COMMAND…
#
# OWNER is a process id, SINCE the start of that process (field 22 of proc_pid_stat(5)), because ids
# are reused. The server's input stays open while it runs: some servers end with their input.
folder=$1 owner=$2 since=$3
shift 3

has_owner() {
  read -r stat <"/proc/$owner/stat" || return 1
  # The name of the program may contain spaces: what follows its parenthesis begins with field 3.
  set -- ${stat##*) }
  # A zombie has ended.
  [ "$1" != Z ] && [ "${20}" = "$since" ]
} 2>/dev/null

is_running() {
  kill -0 "$server" 2>/dev/null
}

mkfifo "$folder/input"
"$@" <>"$folder/input" >"$folder/log" 2>&1 &
server=$!
while has_owner && is_running; do sleep 0.3; done

if has_owner; then
  # Tests that follow report its last lines instead of using it.
  : >"$folder/ended"
  rm -f "$folder/address"
  while has_owner; do sleep 0.3; done
fi
kill "$server" 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
  is_running || break
  sleep 0.3
done
kill -9 "$server" 2>/dev/null
wait "$server"
rm -rf "$folder" "$folder.lock"
rmdir "${folder%/*}" 2>/dev/null
