import { parseArgs } from 'node:util';

export interface CommandLine {
  readonly port: number;
  /** Seconds between blocks; 0: only when told to. */
  readonly autoMineSeconds: number;
  readonly solidifyAfter: number;
  readonly firstBlock: number;
  readonly addresses: number;
}

export const usage = `A TRON node for development and demos, with a chain of its own, on 127.0.0.1.

  npm run tron-sim -- [options]

  --port <number>             where to listen (default 8090; 0: any free port)
  --auto-mine <seconds>       mines a block every so many seconds (default 3; 0: only when told to)
  --solidify-after <blocks>   a block is final once so many stand on top of it (default 2)
  --first-block <number>      where the chain begins (default 1)
  --addresses <number>        how many treasury addresses to print (default 2)
  --help

It speaks a node's own API (/walletsolidity, /wallet), and takes orders as JSON under /sim:

  POST /sim/pay        {"to": "T…", "amount": "100.003127"}     a block with one transfer of USDT
  POST /sim/mineEmpty  10                                       ten empty blocks
  POST /sim/setTime    "2026-01-01T00:00:00.000Z"               the time of the next block
  POST /sim/solidify                                            makes every block final
  POST /sim/fork       {"depth": 2}                             replaces the newest two by others
  POST /sim/fault      {"kind": "status", "status": 503, "times": 5}
  POST /sim/lagBehind  20                                       a node twenty blocks behind
  POST /sim/throttle   10                                       429 beyond ten requests a second
  POST /sim/heal                                                ends all faults
  GET  /sim/state`;

const options = {
  port: { type: 'string', default: '8090' },
  'auto-mine': { type: 'string', default: '3' },
  'solidify-after': { type: 'string', default: '2' },
  'first-block': { type: 'string', default: '1' },
  addresses: { type: 'string', default: '2' },
  help: { type: 'boolean', default: false },
} as const;

/** Undefined where only help is wanted. Throws what is wrong with the arguments. */
export function readCommandLine(args: readonly string[]): CommandLine | undefined {
  const { values } = parseArgs({ args: [...args], options, allowPositionals: false });
  if (values.help) return undefined;
  return {
    port: within('--port', values.port, 0, 65_535),
    autoMineSeconds: within('--auto-mine', values['auto-mine'], 0, 3_600),
    solidifyAfter: within('--solidify-after', values['solidify-after'], 0, 1_000),
    firstBlock: within('--first-block', values['first-block'], 1, 1_000_000_000),
    addresses: within('--addresses', values.addresses, 1, 100),
  };
}

function within(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Error(`${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}
