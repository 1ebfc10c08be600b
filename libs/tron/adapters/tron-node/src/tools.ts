/** Without NestJS, for the configuration of tools. */
export { isTronAddress } from './tron-address';
