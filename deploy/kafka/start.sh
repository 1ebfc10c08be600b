#!/bin/bash
# Starts a Kafka broker with TLS, SASL/SCRAM and permissions. The first start creates the certificate and the users.
# Environment: BROKER_HOST, the name that clients use; KAFKA_PASSWORD_<USER> for ADMIN and every service.
set -euo pipefail

home=${KAFKA_HOME:-/opt/kafka}
data=${KAFKA_DATA:-/var/lib/kafka/data}
# Only the broker reads this folder.
secrets=${KAFKA_SECRETS:-/etc/kafka/secrets}
# The services mount this folder.
public=${KAFKA_CA:-/mnt/shared/config}
port=${KAFKA_PORT:-9092}
controller=localhost:$((port + 1))
internal=localhost:$((port + 2))
keystore=$secrets/broker.p12
umask 077

if [ ! -f "$public/ca.pem" ]; then
  rm -f "$keystore"
  head -c 24 /dev/urandom | base64 | tr -d '\n' >"$secrets/password"
  store=(-keystore "$keystore" -storetype PKCS12 -storepass:file "$secrets/password" -alias broker)
  keytool -genkeypair -keyalg EC -groupname secp256r1 "${store[@]}" -dname CN=florin-broker -validity 3650 \
    -ext "san=dns:$BROKER_HOST,dns:localhost,ip:127.0.0.1"
  # Published last, because it marks a complete certificate.
  keytool -exportcert -rfc "${store[@]}" -file "$public/ca.pem.new"
  chmod 644 "$public/ca.pem.new"
  mv "$public/ca.pem.new" "$public/ca.pem"
fi

properties=$secrets/server.properties
cat >"$properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@$controller
controller.listener.names=CONTROLLER
inter.broker.listener.name=BROKER
listeners=CLIENTS://:$port,BROKER://$internal,CONTROLLER://$controller
advertised.listeners=CLIENTS://$BROKER_HOST:$port,BROKER://$internal
listener.security.protocol.map=CLIENTS:SASL_SSL,BROKER:SSL,CONTROLLER:SSL
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.clients.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.broker.ssl.client.auth=required
listener.name.controller.ssl.client.auth=required
ssl.keystore.type=PKCS12
ssl.keystore.location=$keystore
ssl.keystore.password=$(cat "$secrets/password")
ssl.truststore.type=PEM
ssl.truststore.location=$public/ca.pem
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:CN=florin-broker;User:admin
allow.everyone.if.no.acl.found=false
log.dirs=$data
# The services create their topics with the configured number of partitions.
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
PROPERTIES

if [ ! -f "$data/meta.properties" ]; then
  # In a file, because every user of the machine can read the arguments of a process.
  arguments=$secrets/format.arguments
  {
    echo "-cp \"$home/libs/*\" kafka.tools.StorageTool format"
    echo "--cluster-id $(java -cp "$home/libs/*" kafka.tools.StorageTool random-uuid) --config \"$properties\""
    while IFS= read -r variable; do
      name=$(echo "${variable#KAFKA_PASSWORD_}" | tr 'A-Z_' 'a-z-')
      echo "--add-scram \"SCRAM-SHA-512=[name=$name,password=${!variable}]\""
    done < <(compgen -e KAFKA_PASSWORD_)
  } >"$arguments"
  java "@$arguments"
fi
rm -f "$secrets/format.arguments"

# The broker does not need them.
for variable in $(compgen -e KAFKA_PASSWORD_); do unset "$variable"; done
exec "$home/bin/kafka-server-start.sh" "$properties"
