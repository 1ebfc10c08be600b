export { stopAbandonedProcesses } from '@florin/dev-platform';
