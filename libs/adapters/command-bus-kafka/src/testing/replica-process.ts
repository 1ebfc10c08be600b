import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { trustEverybody } from './replica';

const ROOT = join(__dirname, '../../../../..');

/** The script of the other process: it receives commands and never finishes one. */
const REPLICA = `
  const { createSecretKey } = require('node:crypto');
  const { KafkaCommandBus } = require(process.argv[1]);
  const key = createSecretKey(process.argv[3], 'hex');
  const ignore = () => undefined;
  const bus = new KafkaCommandBus({
    ...JSON.parse(process.argv[2]),
    trust: { keysOf: () => [key], isPermitted: () => true },
    log: { info: ignore, warn: ignore, error: ignore },
    isTransient: () => false,
    onLost: ignore,
  });
  bus.transport.addHandler('test.commands/Note', ({ command }) => {
    process.send(command.data);
    return new Promise(ignore);
  });
  bus.transport.listen((error) => process.send(error ? error.message : 'listening'));
`;

export interface ReplicaProcess {
  /** The commands that have reached its handler. */
  readonly got: readonly unknown[];
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
}

/** A replica in a separate process, compiled as in production. */
export async function openReplicaProcess(options: object): Promise<ReplicaProcess> {
  const [key] = trustEverybody.keysOf({ sender: 'spec', context: 'test' });
  const sharedKey = key!.export().toString('hex');
  const entry = join(ROOT, 'libs/adapters/command-bus-kafka/dist/index.js');
  const child = spawn(process.execPath, ['-e', REPLICA, entry, JSON.stringify(options), sharedKey], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [first] = (await once(child, 'message')) as [string];
  if (first !== 'listening') throw new Error(first);
  const got: unknown[] = [];
  child.on('message', (data) => got.push(data));
  const kill = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { got, kill };
}
