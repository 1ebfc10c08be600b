export { endAbandoned } from '@florin/cluster';
