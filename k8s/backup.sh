#!/bin/sh
# Backs up both stores of Florin while it runs. Call the steps in this order; docs/OPERATIONS.md explains it and the restore.
#   backup.sh database <folder>                the database with its positions, first: none may be beyond the end of the log
#   backup.sh log <folder> <data of a node>    the files of one KurrentDB node, after it
#   backup.sh vault <folder>                   the keys once more: a key is stored before the log has anything encrypted with it
#   backup.sh finish <folder>                  gives the backup its name, and deletes old ones, the newest BACKUPS_KEPT excepted
# DATABASE_OWNER_URL is the database. A folder that ends in .partial is not complete and must not be restored.
set -eu
step=$1
current=$2/current.partial

require() {
  [ -f "$current/$1" ] || { echo "The step $2 must be done before $step." >&2; exit 1; }
}

case $step in
  database)
    rm -rf "$current"
    mkdir -p "$current"
    date -u +%Y-%m-%dT%H-%M-%SZ >"$current/started"
    pg_dump --format=custom --file="$current/database.dump" "$DATABASE_OWNER_URL"
    touch "$current/database.done"
    ;;
  log)
    require database.done database
    data=$3
    log=$current/log
    rm -rf "$log"
    mkdir -p "$log/index"
    # In the order that the vendor documents: what points to other files is copied before them.
    (cd "$data/index" && find . -name '*.chk' -exec cp --parents {} "$log/index" \;)
    (cd "$data/index" && find . -type f ! -name '*.chk' ! -path './scavenging/*' -exec cp --parents {} "$log/index" \;)
    cp "$data"/*.chk "$log"
    cp "$data"/chunk-* "$log"
    # The server ends the restored log here.
    cp "$log/chaser.chk" "$log/truncate.chk"
    touch "$current/log.done"
    ;;
  vault)
    require log.done log
    pg_dump --format=custom --schema=vault --file="$current/vault.dump" "$DATABASE_OWNER_URL"
    touch "$current/vault.done"
    ;;
  finish)
    require vault.done vault
    sync
    mv "$current" "$2/$(cat "$current/started")"
    # Without old keys: an erasure is complete when the last backup with the key is deleted.
    ls -1d "$2"/????-??-??T* | sort -r | tail -n +$((${BACKUPS_KEPT:-7} + 1)) | while read -r old; do rm -rf "$old"; done
    ;;
  *)
    echo "Unknown step $step" >&2
    exit 2
    ;;
esac
