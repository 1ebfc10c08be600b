#!/bin/bash
# Starts a Kafka broker with TLS, SASL/SCRAM and permissions. The first start creates the certificate and the users.
# Environment: BROKER_HOST, the name that clients use; KAFKA_PASSWORD_<USER> for ADMIN and every service.
set -euo pipefail

home=${KAFKA_HOME:-/opt/kafka}
data=${KAFKA_DATA:-/var/lib/kafka/data}
tls=${KAFKA_TLS:-/var/lib/kafka/tls}
keystore=$tls/broker.p12

if [ ! -f "$tls/ca.pem" ]; then
  rm -f "$keystore"
  (umask 077 && head -c 24 /dev/urandom | base64 | tr -d '\n' >"$tls/password")
  store=(-keystore "$keystore" -storetype PKCS12 -storepass:file "$tls/password" -alias broker)
  keytool -genkeypair -keyalg EC -groupname secp256r1 "${store[@]}" -dname CN=florin-broker -validity 3650 \
    -ext "san=dns:$BROKER_HOST,dns:localhost,ip:127.0.0.1"
  # Published last, because it marks a complete certificate.
  keytool -exportcert -rfc "${store[@]}" -file "$tls/ca.pem.new"
  chmod 644 "$tls/ca.pem.new"
  mv "$tls/ca.pem.new" "$tls/ca.pem"
fi

properties=$tls/server.properties
umask 077
cat >"$properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@localhost:9093
controller.listener.names=CONTROLLER
inter.broker.listener.name=BROKER
listeners=CLIENTS://:9092,BROKER://localhost:9094,CONTROLLER://localhost:9093
advertised.listeners=CLIENTS://$BROKER_HOST:9092,BROKER://localhost:9094
listener.security.protocol.map=CLIENTS:SASL_SSL,BROKER:SSL,CONTROLLER:SSL
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.clients.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.broker.ssl.client.auth=required
listener.name.controller.ssl.client.auth=required
ssl.keystore.type=PKCS12
ssl.keystore.location=$keystore
ssl.keystore.password=$(cat "$tls/password")
ssl.truststore.type=PEM
ssl.truststore.location=$tls/ca.pem
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
  users=()
  while IFS= read -r variable; do
    name=$(echo "${variable#KAFKA_PASSWORD_}" | tr 'A-Z_' 'a-z-')
    users+=(--add-scram "SCRAM-SHA-512=[name=$name,password=${!variable}]")
  done < <(compgen -e KAFKA_PASSWORD_)
  "$home/bin/kafka-storage.sh" format --cluster-id "$("$home/bin/kafka-storage.sh" random-uuid)" \
    --config "$properties" "${users[@]}"
fi

exec "$home/bin/kafka-server-start.sh" "$properties"
