import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { abusePatterns, prepareAbuser, startAbuse } from './abuse-patterns';
import { Tenant } from './tenant';

export interface AbuserOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly holderId: string;
  readonly receiverUrl: string;
}

export type AbuserRequest = { readonly begin: string } | { readonly end: true };

export type AbuserReport =
  { readonly progress: string } | { readonly patterns: readonly string[] } | { readonly attacks: number };

async function abuse({ baseUrl, key, holderId, receiverUrl }: AbuserOptions): Promise<void> {
  const abuser = new Tenant(new Pool(baseUrl, { connections: 64, pipelining: 1 }), key, holderId);
  await prepareAbuser(abuser, (progress) => report({ progress }));
  const patterns = await abusePatterns(abuser, receiverUrl);
  let running: ReturnType<typeof startAbuse> | undefined;
  parentPort!.on('message', (request: AbuserRequest) => {
    if ('begin' in request)
      running = startAbuse(
        abuser,
        patterns.find(({ name }) => name === request.begin)!,
      );
    else void running!.stop().then((attacks) => report({ attacks }));
  });
  report({ patterns: patterns.map(({ name }) => name) });
}

function report(message: AbuserReport): void {
  parentPort!.postMessage(message);
}

void abuse(workerData as AbuserOptions);
