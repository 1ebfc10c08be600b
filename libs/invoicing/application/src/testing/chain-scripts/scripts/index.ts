import type { ChainScenario } from '../chain-scenario';
import { amounts } from './amounts.scripts';
import { crashes } from './crashes.scripts';
import { forks } from './forks.scripts';
import { nodeFaults } from './node-faults.scripts';
import { operators } from './operators.scripts';
import { times } from './time.scripts';
import { whatCounts } from './accepted-transfers.scripts';
import { whatDoesNotCount } from './ignored-transfers.scripts';

/** All scenarios by topic. */
export const chainScenarios: Readonly<Record<string, readonly ChainScenario[]>> = {
  'what counts': whatCounts,
  'what does not count': whatDoesNotCount,
  amounts,
  'time and expiry': times,
  'blocks that are replaced': forks,
  'a node in trouble': nodeFaults,
  'crashes, repeats and replicas': crashes,
  'operators who decide': operators,
};
