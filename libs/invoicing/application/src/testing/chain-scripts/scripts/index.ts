import type { ChainScenario } from '../chain-scenario';
import { amounts } from './amounts.scripts';
import { crashes } from './crashes.scripts';
import { forks } from './forks.scripts';
import { nodeFaults } from './node-faults.scripts';
import { operators } from './operators.scripts';
import { timeScenarios } from './time.scripts';
import { acceptedTransfers } from './accepted-transfers.scripts';
import { ignoredTransfers } from './ignored-transfers.scripts';

/** All scenarios by topic. */
export const chainScenarios: Readonly<Record<string, readonly ChainScenario[]>> = {
  'accepted transfers': acceptedTransfers,
  'ignored transfers': ignoredTransfers,
  amounts,
  'time and expiry': timeScenarios,
  'blocks that are replaced': forks,
  'a node in trouble': nodeFaults,
  'crashes, repeats and replicas': crashes,
  'operators who decide': operators,
};
