export { BusKeys, busKeysVariable, busServices, type Edge, edges, edgesOf } from './bus-keys';
export { allInOne, commandPermissions, isPermitted, receivingServices, type SentCommand } from './command-permissions';
