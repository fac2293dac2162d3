# Runs acpx: `acpx.sh SCENE FOLDER PROMPT AGENT`. Each line is a separate process.
set -e
scene=$1 folder=$2 prompt=$3 agent=$4
acpx() { command acpx --cwd "$folder" --agent "$agent" "$@"; }
case $scene in
denied) acpx --deny-all exec "$prompt" || test $? = 5 ;; # its status for a denied tool
load)
    # The agent's first process exits with the session's owner. The second one loads the session.
    acpx sessions new
    acpx --ttl 1 prompt "$prompt"
    sleep 4
    acpx --ttl 1 prompt "$prompt"
    ;;
*) acpx --approve-all exec "$prompt" ;;
esac
