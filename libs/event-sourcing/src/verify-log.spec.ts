import { sealEvent } from './event-metadata';
import type { EventPage, EventToAppend, RecordedEvent } from './ports/event-store.port';
import { InMemoryEventStore } from './testing/in-memory-event-store';
import { verifyLog } from './verify-log';
import type { ScannableStore, ScanProgress } from './scan-log';

const metadata = { schemaVersion: 1, recordedAt: '2026-01-01T00:00:00.000Z', correlationId: 'c', causationId: 'c' };

/** Three streams of five sealed events each, appended alternately. */
async function soundStore(): Promise<InMemoryEventStore> {
  const store = new InMemoryEventStore();
  const hashes = new Map<string, string>();
  for (let revision = 0; revision < 5; revision++) {
    for (const stream of ['account-a', 'account-b', 'company-c']) {
      const event = {
        stream,
        revision,
        id: `${stream}@${revision}`,
        type: 'Noted',
        data: `{"n":${revision}}`,
        metadata,
      };
      const { sealed, hash } = sealEvent(event, hashes.get(stream) ?? '');
      hashes.set(stream, hash);
      await store.append(stream, revision - 1, [sealed]);
    }
  }
  return store;
}

type Tamper = (events: readonly RecordedEvent[]) => readonly RecordedEvent[];

/** The store after its log was tampered with. */
async function tampered(tamper: Tamper): Promise<ScannableStore> {
  const sound = await soundStore();
  return {
    hasGaplessPositions: sound.hasGaplessPositions,
    head: () => sound.head(),
    readAll: async (query): Promise<EventPage> => {
      const page = await sound.readAll(query);
      return { ...page, events: tamper(page.events) };
    },
  };
}

const change =
  (id: string, changes: Partial<RecordedEvent>): Tamper =>
  (events) =>
    events.map((event) => (event.id === id ? { ...event, ...changes } : event));

describe('verifyLog', () => {
  it('finds no problem in an intact log, with any page size', async () => {
    for (const pageSize of [1, 4, 15, 100]) {
      const verified = await verifyLog(await soundStore(), undefined, pageSize);
      expect(verified).toEqual({ events: 15, streams: 3, broken: [], missing: [] });
    }
  });

  it('accepts an empty log', async () => {
    expect(await verifyLog(new InMemoryEventStore())).toEqual({ events: 0, streams: 0, broken: [], missing: [] });
  });

  it('reports its progress', async () => {
    const seen: ScanProgress[] = [];
    await verifyLog(await soundStore(), (progress) => seen.push(progress), 10);
    expect(seen).toEqual([
      { events: 10, readTo: 10n, head: 15n },
      { events: 15, readTo: 15n, head: 15n },
    ]);
  });

  it('ignores events that are written during the scan', async () => {
    const store = await soundStore();
    const late: EventToAppend = { id: 'late', type: 'Noted', data: '{}', metadata: '{}' };
    const verified = await verifyLog(store, () => void store.append('account-late', -1, [late]), 14);
    expect(verified).toEqual({ events: 15, streams: 3, broken: [], missing: [] });
  });

  const drop: Tamper = (events) => events.filter(({ id }) => id !== 'account-a@2');
  const insert: Tamper = (events) =>
    events.flatMap((event) => (event.id === 'account-a@2' ? [event, { ...event, id: 'account-a@new' }] : [event]));
  const swap: Tamper = (events) => {
    const twin = new Map([
      ['account-a@2', events.find(({ id }) => id === 'account-a@3')!],
      ['account-a@3', events.find(({ id }) => id === 'account-a@2')!],
    ]);
    return events.map((event) => twin.get(event.id) ?? event);
  };

  it.each<[string, Tamper, string]>([
    ['changed data', change('account-a@2', { data: '{"n":3}' }), 'account-a@2'],
    ['a changed type', change('account-a@2', { type: 'Denied' }), 'account-a@2'],
    ['a changed first event', change('account-a@0', { data: '{}' }), 'account-a@0'],
    ['changed metadata', change('account-a@2', { metadata: '{"hash":"0"}' }), 'account-a@2'],
    ['unreadable metadata', change('account-a@2', { metadata: 'none' }), 'account-a@2'],
    ['empty metadata', change('account-a@2', { metadata: 'null' }), 'account-a@2'],
    ['an event moved to another stream', change('account-a@2', { stream: 'account-b' }), 'account-a@2'],
    ['a dropped event', drop, 'account-a@3'],
    ['an inserted event', insert, 'account-a@new'],
    ['two swapped events', swap, 'account-a@3'],
  ])('finds %s, and reports only the first broken event of a stream', async (_case, tamper, first) => {
    const { broken } = await verifyLog(await tampered(tamper));
    expect(broken[0]?.id).toBe(first);
    expect(new Set(broken.map(({ stream }) => stream)).size).toBe(broken.length);
  });

  it('finds every broken stream', async () => {
    const both: Tamper = (events) =>
      change('account-b@4', { data: '{}' })(change('company-c@1', { data: '{}' })(events));
    const { events, broken } = await verifyLog(await tampered(both));
    expect(broken.map(({ id }) => id)).toEqual(['company-c@1', 'account-b@4']);
    expect(events).toBe(15);
  });

  it('finds truncated and removed streams by missing positions', async () => {
    const cut: Tamper = (events) => events.filter(({ id }) => id !== 'account-a@3' && id !== 'account-a@4');
    const noStream: Tamper = (events) =>
      events.filter(({ stream }) => stream !== 'account-a' && stream !== 'account-b');
    expect(await verifyLog(await tampered(cut), undefined, 4)).toMatchObject({
      ...{ events: 13, broken: [] },
      missing: [
        { from: 10n, to: 10n },
        { from: 13n, to: 13n },
      ],
    });
    const { missing } = await verifyLog(await tampered(noStream));
    expect(missing).toEqual([1n, 4n, 7n, 10n, 13n].map((from) => ({ from, to: from + 1n })));
  });

  it('ignores missing positions in stores that have gaps', async () => {
    const store = await tampered((events) => events.filter(({ stream }) => stream !== 'account-a'));
    expect((await verifyLog({ ...store, hasGaplessPositions: false })).missing).toEqual([]);
  });

  it('stops in a store that loses its end', async () => {
    const store = { head: async () => 7n, readAll: async () => ({ events: [], readTo: 0n, isLast: true }) };
    await expect(verifyLog(store)).rejects.toThrow(/ends at 0 although its head is at 7/);
  });
});
