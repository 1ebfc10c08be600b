import { type EvidenceState, LogEvidence, LogSigningKey, type RecordedEvent, sealEvent } from '@florin/event-sourcing';
import {
  checkRandomFlows,
  randomFlowParts,
  randomFlowsTimeoutMs,
  signLog,
  storeOf,
} from '@florin/event-sourcing/testing';
import * as fc from 'fast-check';
import { deserialize, serialize } from 'node:v8';
import { auditLog, type LogAudit } from './audit-log';
import { newAudit, restoredAudit, storedAudit, type StoredAudit } from './audit-state';
import { adjustmentsLog, cardLog, liveDepositsLog, type SampleEvent, unloadLog } from './testing';

jest.setTimeout(randomFlowsTimeoutMs);

const samples = {
  cards: [...cardLog, ...liveDepositsLog],
  decisions: [...liveDepositsLog, ...adjustmentsLog],
  unloads: unloadLog,
} as const;

const uuidPrefix = '5a0e0000-0000-4000-8000-';

/** With ids of operations, cards and payments that are UUIDs, as all real ones are: memory keeps only records of what agrees. */
function withUuids({ stream, data, ...event }: SampleEvent): SampleEvent {
  const mapped = (_: string, before: string, id: string): string =>
    `${before}${uuidPrefix}${Buffer.from(id).toString('hex').padStart(12, '0')}`;
  return {
    ...event,
    stream: stream.replace(/^((?:operation|card|transaction)-)(\w+)$/, mapped),
    data: data.replace(/("(?:operationId|reservationId|refundId|cardId|transactionId|refundOf)":")(\w+)/g, mapped),
  };
}

function withShortIds(text: string): string {
  const pattern = new RegExp(`${uuidPrefix}0*([0-9a-f]+)`, 'g');
  return text.replace(pattern, (_, hex: string) => Buffer.from(hex, 'hex').toString());
}

interface Flow {
  readonly sample: keyof typeof samples;
  /** Which stream continues next. */
  readonly order: readonly number[];
  readonly changes: readonly { readonly at: number; readonly kind: keyof typeof changes }[];
  readonly cuts: readonly number[];
  readonly signedAt: readonly number[];
  readonly only: string | undefined;
}

/** What an attacker may do to a stored event. */
const changes = {
  remove: (): readonly RecordedEvent[] => [],
  repeat: (event: RecordedEvent): readonly RecordedEvent[] => [event, event],
  retype: (event: RecordedEvent): readonly RecordedEvent[] => [{ ...event, type: 'OperationCompleted' }],
  rewrite: (event: RecordedEvent): readonly RecordedEvent[] => [
    { ...event, data: event.data.replace(/\d\.\d\d"/, '7.77"') },
  ],
  corrupt: (event: RecordedEvent): readonly RecordedEvent[] => [{ ...event, data: `${event.data}}` }],
};

const flows: fc.Arbitrary<Flow> = fc.record({
  sample: fc.constantFrom('cards', 'decisions', 'unloads'),
  order: fc.array(fc.nat(), { minLength: 1, maxLength: 80 }),
  changes: fc.array(
    fc.record({ at: fc.nat(99), kind: fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[])) }),
    { maxLength: 3 },
  ),
  cuts: fc.array(fc.nat(99), { minLength: 1, maxLength: 4 }),
  signedAt: fc.array(fc.nat(99), { maxLength: 4 }),
  only: fc.constantFrom(undefined, undefined, 'account-acme-live', 'account-acme-sandbox'),
});

/** The streams of the samples in a random order, sealed, changed afterwards and at new positions. */
function logOf(
  { sample: name, order, changes: tampering }: Flow,
  rename: (event: SampleEvent) => SampleEvent = (event) => event,
): {
  readonly original: readonly RecordedEvent[];
  readonly log: readonly RecordedEvent[];
} {
  const streams = new Map<string, SampleEvent[]>();
  for (const event of samples[name].map(rename))
    streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  const ends = new Map<string, { readonly revision: number; readonly hash: string }>();
  const original: RecordedEvent[] = [];
  for (let step = 0; streams.size > 0; step++) {
    const stream = [...streams.keys()][order[step % order.length]! % streams.size]!;
    const [sample, ...rest] = streams.get(stream)!;
    if (rest.length === 0) streams.delete(stream);
    else streams.set(stream, rest);
    const { revision, hash } = ends.get(stream) ?? { revision: 0, hash: '' };
    const { type, data } = sample!;
    const metadata = JSON.parse(sample!.metadata) as never;
    const { sealed, hash: next } = sealEvent(
      { stream, revision, id: `${stream} ${revision}`, type, data, metadata },
      hash,
    );
    ends.set(stream, { revision: revision + 1, hash: next });
    original.push({ ...sealed, stream, revision, position: BigInt(original.length + 1) });
  }
  const log = tampering.reduce<readonly RecordedEvent[]>(
    (events, { at, kind }) => events.flatMap((event, index) => (index === at ? changes[kind](event) : [event])),
    original,
  );
  return { original, log: log.map((event, index) => ({ ...event, position: BigInt(index + 1) })) };
}

/** All results as text, because stored objects lose their classes. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => {
    return typeof field === 'bigint' ? String(field) : field;
  });
}

function resultOf({ flaws, inProgress, events, streams, head, broken, lastOf, ledger }: LogAudit): object {
  const accounts = [...ledger.accounts].map(([stream, { sums, lastRecorded, revision }]) => ({
    ...{ stream, sums, lastRecorded, revision },
  }));
  const operations = [...ledger.operations];
  return {
    flaws,
    inProgress,
    events,
    streams,
    head,
    broken,
    lastOf: [...lastOf.category, ...lastOf.type],
    accounts,
    operations,
  };
}

const key = LogSigningKey.generate();

it.each(randomFlowParts)('finds the same in several runs as in one, part %i', async (part) => {
  await checkRandomFlows('incremental audits', part, flows, async (flow) => {
    const { original, log } = logOf(flow, withUuids);
    const { only: account } = flow;
    const checkpoints = signLog(original, flow.signedAt, key);
    const whole = new LogEvidence(checkpoints);
    const expected = await auditLog(storeOf(log), { account, evidence: whole, pageSize: 7 });

    const ends = [...flow.cuts.filter((cut) => cut < log.length).sort((a, b) => a - b), log.length];
    let stored = serialize({ state: storedAudit(newAudit(account)), evidence: undefined });
    let result = expected;
    let proof = whole.close();
    for (const end of ends) {
      const saved = deserialize(stored) as { readonly state: StoredAudit; readonly evidence?: EvidenceState };
      const state = restoredAudit(saved.state);
      const evidence = new LogEvidence(checkpoints, saved.evidence);
      result = await auditLog(storeOf(log.slice(0, end)), { account, evidence, state, pageSize: 5 });
      proof = evidence.close();
      stored = serialize({ state: storedAudit(state), evidence: evidence.state });
    }
    expect(textOf(resultOf(result))).toBe(textOf(resultOf(expected)));
    expect(textOf(proof)).toBe(textOf(whole.close()));
  });
});

it.each(randomFlowParts)('finds the same if it keeps less of operations that have ended, part %i', async (part) => {
  await checkRandomFlows('ended operations', part, flows, async (flow) => {
    const linesOf = ({ flaws, inProgress, ledger }: LogAudit): readonly string[] => {
      const findings = [...flaws, ...inProgress].map(({ at, text }) => withShortIds(`${at}: ${text}`));
      const operations = [...ledger.operations].map((one) => withShortIds(textOf(one)));
      return [...findings, ...operations].sort();
    };
    const { only: account } = flow;
    const plain = await auditLog(storeOf(logOf(flow).log), { account });
    expect(linesOf(await auditLog(storeOf(logOf(flow, withUuids).log), { account }))).toEqual(linesOf(plain));
  });
});

it('keeps less of operations that have ended', async () => {
  const inOrder: Flow = { sample: 'cards', order: [0], changes: [], cuts: [], signedAt: [], only: undefined };
  const { ledger } = await auditLog(storeOf(logOf(inOrder, withUuids).log));
  expect(ledger.operations.open.size).toBeLessThan(ledger.operations.size);
});
