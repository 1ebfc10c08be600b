import type { RecordedEvent } from '../ports/event-store.port';
import { verifyLog } from '../verify-log';
import { CheckpointChain, combineCheckpoints, sinceLastCopy } from './check-checkpoints';
import { checkpointDigest, type LogCheckpoint, toCheckpointJson } from './log-checkpoint';
import { LogDigest } from './log-digest';
import { LogEvidence } from './log-evidence';
import { LogPublicKeys, LogSigningKey } from './log-keys';
import { sealedLog, signLog, storeOf } from './testing/signed-log';

const key = LogSigningKey.generate();
const keys = new LogPublicKeys([key.publicKey]);
const events = sealedLog(
  Array.from({ length: 30 }, (_, index) => ({
    stream: `note-${index % 3}`,
    id: `${index}`,
    type: 'Noted',
    data: '{}',
  })),
);
const inPostgres = signLog(events, [10, 30], key);
const copies = events.map((event) => ({ ...event, position: event.position * 700n }));

/** The next checkpoint, over these events in another store. */
function signedAfter(last: LogCheckpoint, log: readonly RecordedEvent[], store: string): LogCheckpoint {
  const digest = new LogDigest();
  for (const event of log) digest.add(event);
  const { number, time } = last;
  return key.sign({ ...digest.state, number: number + 1, time, store, previous: checkpointDigest(last) });
}

async function findingsIn(log: readonly RecordedEvent[], checkpoints: readonly LogCheckpoint[]) {
  const chain = new CheckpointChain(keys, 'in the database');
  for (const checkpoint of checkpoints) chain.add(toCheckpointJson(checkpoint), `row ${checkpoint.number}`);
  const { trusted, findings } = chain.close();
  const evidence = new LogEvidence(sinceLastCopy(trusted));
  await verifyLog(storeOf(log, false), undefined, undefined, evidence);
  return [...findings, ...evidence.close().findings].map(({ kind }) => kind);
}

describe('checkpoints of a copied log', () => {
  const copied = signedAfter(inPostgres.at(-1)!, copies, 'eventstoredb');
  const later = signedAfter(copied, copies, 'postgres');

  it.each([
    ['after the copy', copies, [...inPostgres, copied]],
    ['after another copy', copies, [...inPostgres, copied, later]],
    ['without a copy', events, inPostgres],
  ])('prove the log %s', async (_, log, checkpoints) => {
    expect(await findingsIn(log, checkpoints)).toEqual([]);
  });

  it('find a change from before the copy', async () => {
    const changed = copies.map((event, index) => (index === 4 ? { ...event, data: '{"amount":"1.00"}' } : event));
    expect(await findingsIn(changed, [...inPostgres, copied])).toEqual(['changed']);
  });

  it('find a missing signature of the copy', async () => {
    expect(await findingsIn(copies, inPostgres)).not.toEqual([]);
    expect(await findingsIn(copies, [inPostgres[1]!, copied])).toContain('checkpoint-removed');
  });

  it('reject positions that go backwards in one store', async () => {
    const backwards = signedAfter(copied, copies.slice(0, 5), 'eventstoredb');
    expect(await findingsIn(copies, [...inPostgres, copied, backwards])).toEqual(['checkpoint-replaced']);
  });

  it('are combined with a sink that does not have the copy yet', () => {
    const trusted = [...inPostgres, later];
    const sink = { trusted: inPostgres, findings: [] };
    expect(combineCheckpoints({ trusted, findings: [] }, sink).trusted).toHaveLength(3);
  });
});
