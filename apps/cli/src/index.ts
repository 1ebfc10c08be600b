export { commands } from './commands';
export { runCli, type Surroundings } from './run-cli';
