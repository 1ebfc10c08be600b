#!/bin/sh
# Creates a certificate authority and one certificate for all nodes of a KurrentDB or EventStoreDB cluster, unless they exist.
#   certificates.sh <folder> <folder of ca.crt> <name>...
# The first folder gets node.crt and node.key, for the nodes only; the second one ca.crt, for clients. <name> is a host name of the
# nodes, such as kurrentdb-1 or *.kurrentdb.florin.svc. The key of the authority is not kept: to renew, delete both folders.
set -eu
nodes=$1
public=$2
shift 2
[ -f "$public/ca.crt" ] && exit 0

umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names=DNS:localhost,IP:127.0.0.1
for name in "$@"; do names=$names,DNS:$name; done
openssl req -x509 -newkey rsa:3072 -nodes -sha256 -days 3650 -subj /CN=florin-kurrentdb-ca \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign \
  -keyout "$work/ca.key" -out "$work/ca.crt" 2>/dev/null
# The servers compare this common name with that of other nodes.
openssl req -new -newkey rsa:3072 -nodes -sha256 -subj /CN=eventstoredb-node \
  -keyout "$work/node.key" -out "$work/node.csr" 2>/dev/null
{
  echo basicConstraints=critical,CA:FALSE
  echo keyUsage=critical,digitalSignature,keyEncipherment
  echo extendedKeyUsage=serverAuth,clientAuth
  echo "subjectAltName=$names"
} >"$work/extensions"
openssl x509 -req -sha256 -days 3650 -in "$work/node.csr" -CA "$work/ca.crt" -CAkey "$work/ca.key" -CAcreateserial \
  -extfile "$work/extensions" -out "$work/node.crt" 2>/dev/null
mkdir -p "$nodes" "$public"
cp "$work/node.crt" "$work/node.key" "$nodes"
# Containers run as other users; only the nodes mount this folder.
chmod 644 "$nodes/node.crt" "$nodes/node.key"
# Published last, because it marks a complete set.
cp "$work/ca.crt" "$public/ca.crt.new"
chmod 644 "$public/ca.crt.new"
mv "$public/ca.crt.new" "$public/ca.crt"
