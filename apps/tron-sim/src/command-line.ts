import { wholeNumber } from '@florin/dev-platform';
import { Command } from 'commander';

export interface TronSimOptions {
  readonly port: number;
  /** Seconds between blocks; 0 mines only on request. */
  readonly autoMine: number;
  readonly solidifyAfter: number;
  readonly firstBlock: number;
  readonly addresses: number;
}

const controlApi = `
Serves the API of a TRON node (/walletsolidity, /wallet). Control it with JSON requests to /sim:

  POST /sim/pay        {"to": "T…", "amount": "100.003127"}     mine a block with one USDT transfer
  POST /sim/mineEmpty  10                                       mine ten empty blocks
  POST /sim/setTime    "2026-01-01T00:00:00.000Z"               set the time of the next block
  POST /sim/solidify                                            make every block final
  POST /sim/fork       {"depth": 2}                             replace the newest two blocks
  POST /sim/fault      {"kind": "status", "status": 503, "times": 5}
  POST /sim/lagBehind  20                                       serve the chain twenty blocks late
  POST /sim/throttle   10                                       return 429 above ten requests per second
  POST /sim/heal                                                end all faults
  GET  /sim/state`;

export function createCommand(): Command {
  return new Command('npm run tron-sim --')
    .description('Simulates a TRON node with its own chain on 127.0.0.1, for development and demos.')
    .helpOption('--help', 'show this help')
    .option('--port <number>', 'port to listen on; 0 for a free one', wholeNumber(0, 65_535), 8_090)
    .option('--auto-mine <seconds>', 'block interval; 0 mines only on request', wholeNumber(0, 3_600), 3)
    .option('--solidify-after <blocks>', 'confirmations that make a block final', wholeNumber(0, 1_000), 2)
    .option('--first-block <number>', 'number of the first block', wholeNumber(1, 1_000_000_000), 1)
    .option('--addresses <number>', 'number of treasury addresses to print', wholeNumber(1, 100), 2)
    .addHelpText('after', controlApi);
}
