import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export interface RunningProduct {
  readonly baseUrl: string;
  /** The key of the demo company that is activated for live. */
  readonly liveKey: string;
  readonly operatorToken: string;
  stop(): Promise<void>;
}

interface Credentials {
  readonly operatorToken: string;
  readonly companies: readonly { readonly name: string; readonly keys: { readonly live: string } }[];
}

const main = resolve(__dirname, '../../all-in-one/dist/main.js');
const readyAt = /Florin is ready at (http:\/\/[\w.-]+:\d+)/;

/** Starts the product in a separate process, in a temporary folder that `stop` removes. */
export async function startProduct(settings: Readonly<Record<string, string>>): Promise<RunningProduct> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-demo-'));
  // As root, the database server runs as another user, which needs to enter the folder.
  chmodSync(folder, 0o711);
  const env = { PATH: process.env['PATH'], PORT: '0', FLORIN_DATA_DIR: folder, ...settings };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const failed = ended.then(([code]) => {
    throw new Error(`Florin exited with code ${code} before it was ready. Run npm start to see why.`);
  });
  const baseUrl = await Promise.race([untilReady(createInterface({ input: child.stdout })), failed]);
  failed.catch(() => undefined);
  const { operatorToken, companies } = JSON.parse(
    readFileSync(join(folder, 'credentials.json'), 'utf8'),
  ) as Credentials;
  return { baseUrl, liveKey: companies[0]!.keys.live, operatorToken, stop };
}

/** Keeps reading afterwards: a full pipe would block the product. */
function untilReady(lines: AsyncIterable<string> & NodeJS.EventEmitter): Promise<string> {
  return new Promise((resolve) => {
    lines.on('line', (line: string) => {
      const ready = readyAt.exec(line);
      if (ready) resolve(ready[1]!);
    });
  });
}
