export { BusKeys, busKeysVariable, busServices, type Edge, edges, edgesOf } from './bus-keys';
export { type KafkaAcl, kafkaAclsOf, type KafkaOperation } from './kafka-acls';
export { allInOne, commandPermissions, isPermitted, receivingServices, type SentCommand } from './command-permissions';
