import { PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import { createPool } from '@florin/database';
import {
  CheckpointChain,
  type CheckedCheckpoints,
  type CheckpointJson,
  combineCheckpoints,
  LogPublicKeys,
  toCheckpointJson,
} from '@florin/event-sourcing';
import {
  type Config,
  type EventLog,
  type HttpAddress,
  knownPublicKeys,
  parseHttpAddress,
  sinkPath,
} from '@florin/runtime/tools';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { CommandFailed, UsageError } from '../cli-errors';

export interface EvidenceOptions {
  /** `stored`, a file, or an HTTP address. */
  readonly checkpoints?: string;
  /** A file, or keys as text. */
  readonly publicKey?: string;
}

export interface LoadedCheckpoints extends CheckedCheckpoints {
  readonly hasSink: boolean;
  /** The keys come from the sink itself. */
  readonly trustsSink: boolean;
  /** Checkpoints that only the database has. */
  readonly sinkBehind: number;
}

interface Line {
  readonly name: string;
  readonly json: unknown;
}

const pageSize = 10_000;
const timeoutMs = 60_000;

/** Reads the checkpoints of the database and of the sink, if one is named, and checks their signatures and chain. */
export async function loadCheckpoints(
  { checkpoints: source, publicKey }: EvidenceOptions & { readonly checkpoints: string },
  eventLog: Pick<EventLog, 'connection'>,
  config: Config,
): Promise<LoadedCheckpoints> {
  const sink = source === 'stored' ? undefined : await readSink(source);
  const configured = publicKey === undefined ? knownPublicKeys(config) : parseKeys(publicKey);
  const trustsSink = configured.all.length === 0 && sink !== undefined;
  const keys = trustsSink ? keysInSink(sink) : configured;
  if (keys.all.length === 0) {
    throw new CommandFailed(
      'No public key is known, so no checkpoint can be verified. Pass --public-key, or set LOG_SIGNING_KEY or LOG_PUBLIC_KEYS.',
    );
  }
  const stored = await checkStored(eventLog, keys);
  if (sink === undefined) return { ...stored, hasSink: false, trustsSink, sinkBehind: 0 };
  const chain = new CheckpointChain(keys, 'in the sink');
  for (const { name, json } of sink) chain.add(json, name);
  const inSink = chain.close();
  const last = inSink.trusted.at(-1)?.number ?? 0;
  const sinkBehind = stored.trusted.filter(({ number }) => number > last).length;
  return { ...combineCheckpoints(stored, inSink), hasSink: true, trustsSink, sinkBehind };
}

async function checkStored(
  { connection }: Pick<EventLog, 'connection'>,
  keys: LogPublicKeys,
): Promise<CheckedCheckpoints> {
  const chain = new CheckpointChain(keys, 'in the database');
  const pool = createPool(connection, { max: 1 });
  try {
    const stored = new PostgresLogCheckpoints(pool);
    for (let after = 0; ;) {
      const page = await stored.after(after, pageSize);
      const last = page.at(-1);
      if (last === undefined) return chain.close();
      for (const checkpoint of page) chain.add(toCheckpointJson(checkpoint), `row ${checkpoint.number}`);
      after = last.number;
    }
  } finally {
    await pool.end();
  }
}

async function readSink(source: string): Promise<readonly Line[]> {
  const address = /^https?:/i.test(source) ? parseAddress(source) : undefined;
  try {
    return address === undefined ? await readLines(sinkPath(source)) : await readAddress(address);
  } catch (error) {
    throw new CommandFailed(
      `The checkpoints at ${address?.url.href ?? source} cannot be read: ${(error as Error).message}`,
    );
  }
}

/** The error does not repeat the address, which may contain a password. */
function parseAddress(source: string): HttpAddress {
  try {
    return parseHttpAddress(source);
  } catch {
    throw new UsageError('--checkpoints is not a valid HTTP address.');
  }
}

/** JSON lines, or one JSON array. */
async function readAddress({ url, headers }: HttpAddress): Promise<readonly Line[]> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
  const text = await response.text();
  if (!response.ok) throw new Error(`the response has status ${response.status}`);
  if (!text.trimStart().startsWith('[')) return toLines(text.split('\n'));
  return (JSON.parse(text) as readonly unknown[]).map((json, index) => ({ name: `entry ${index + 1}`, json }));
}

async function readLines(path: string): Promise<readonly Line[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) lines.push(line);
  return toLines(lines);
}

/** A line that is the beginning of the next one was cut off by a crash, and then written again. */
function toLines(lines: readonly string[]): readonly Line[] {
  return lines.flatMap((text, index) => {
    if (text.trim() === '') return [];
    const json = parsed(text);
    const isTorn = json === undefined && (index === lines.length - 1 || lines[index + 1]!.startsWith(text));
    return isTorn ? [] : [{ name: `line ${index + 1}`, json }];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Only the key of the first checkpoint: later keys must be passed, because anyone who can append could add one. */
function keysInSink(lines: readonly Line[]): LogPublicKeys {
  const first = lines[0]?.json as Partial<CheckpointJson> | undefined;
  return typeof first?.publicKey === 'string' ? parseKeys(first.publicKey) : new LogPublicKeys([]);
}

export function parseKeys(text: string): LogPublicKeys {
  try {
    return LogPublicKeys.parse(contentOf(text));
  } catch (error) {
    throw new UsageError(`--public-key ${(error as Error).message}, or a file with them`);
  }
}

function contentOf(fileOrText: string): string {
  try {
    return readFileSync(fileOrText, 'utf8');
  } catch {
    return fileOrText;
  }
}
