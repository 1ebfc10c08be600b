import { firstHash, findBrokenLink, sealEvent } from './event-metadata';
import type { RecordedEvent } from './ports/event-store.port';

function chain(length: number): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  let previous = firstHash;
  for (let revision = 0; revision < length; revision++) {
    const metadata = { schemaVersion: 1, recordedAt: '2030-01-01T00:00:00.000Z', correlationId: 'c', causationId: 'r' };
    const event = {
      stream: 'account-a',
      revision,
      id: `e${revision}`,
      type: 'Happened',
      data: `{"n":${revision}}`,
      metadata,
    };
    const { sealed, hash } = sealEvent(event, previous);
    events.push({ ...sealed, stream: event.stream, revision, position: BigInt(revision + 1) });
    previous = hash;
  }
  return events;
}

describe('The hash chain of a stream', () => {
  it('is valid for unchanged events', () => {
    expect(findBrokenLink(chain(5))).toBeUndefined();
  });

  it.each<[string, string, (events: RecordedEvent[]) => RecordedEvent[]]>([
    ['changed data', 'e2', (events) => events.with(2, { ...events[2]!, data: '{"n":3}' })],
    ['changed metadata', 'e2', (events) => events.with(2, redated(events[2]!))],
    ['another type', 'e1', (events) => events.with(1, { ...events[1]!, type: 'NeverHappened' })],
    ['a missing event', 'e3', (events) => events.toSpliced(2, 1)],
    ['a missing event, later ones renumbered', 'e3', (events) => renumbered(events.toSpliced(2, 1))],
    ['swapped events', 'e2', (events) => [events[0]!, events[2]!, events[1]!, ...events.slice(3)]],
    ['an event of another stream', 'e3', (events) => events.with(3, { ...events[3]!, stream: 'account-b' })],
  ])('shows %s', (_, id, tamper) => {
    expect(findBrokenLink(tamper(chain(5)))?.id).toBe(id);
  });
});

function redated(event: RecordedEvent): RecordedEvent {
  return { ...event, metadata: event.metadata.replace('2030', '2029') };
}

function renumbered(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.map((event, revision) => ({ ...event, revision }));
}
