import type { RecordedEvent } from '../ports/event-store.port';
import type { EvidenceKind } from './check-checkpoints';
import type { LogCheckpoint } from './log-checkpoint';
import { LogPublicKeys, LogSigningKey } from './log-keys';
import { type PlainEvent, sealedLog, signLog, type SignedLog, verifySigned } from './testing/signed-log';

const key = LogSigningKey.generate();
const keys = new LogPublicKeys([key.publicKey]);

/** Deterministic, so that a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const plainLog = (count: number): readonly PlainEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    stream: `account-${index % 7}`,
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    type: index < 7 ? 'FundsDeposited' : 'FundsReserved',
    data: `{"amount":"${index}.00"}`,
  }));

const plain = plainLog(60);
const events = sealedLog(plain);
const stored = signLog(events, [10, 20, 21, 40, 60], key);
const sound: SignedLog = { events, stored, sink: stored };

const atPositions = (log: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  log.map((event, index) => ({ ...event, position: BigInt(index + 1) }));

const without = <Item>(items: readonly Item[], index: number): readonly Item[] =>
  items.filter((_, other) => other !== index);

const withInserted = <Item>(items: readonly Item[], index: number, item: Item): readonly Item[] => [
  ...items.slice(0, index),
  item,
  ...items.slice(index),
];

const replaced = <Item>(items: readonly Item[], index: number, item: Item): readonly Item[] =>
  items.map((other, at) => (at === index ? item : other));

function swapped<Item>(items: readonly Item[], first: number, second: number): readonly Item[] {
  return replaced(replaced(items, first, items[second]!), second, items[first]!);
}

/** Every kind of finding must be provoked by a manipulation. */
const everyKind: readonly EvidenceKind[] = [
  'changed',
  'removed',
  'inserted',
  'reordered',
  're-chained',
  'truncated',
  'checkpoint-removed',
  'checkpoint-replaced',
  'checkpoint-invalid',
  'unknown-key',
];

type Manipulation = (random: (below: number) => number) => SignedLog;

const forged: PlainEvent = { ...plain[0]!, id: 'ffffffff-0000-4000-8000-000000000000', data: '{"amount":"777777.00"}' };

/** What an administrator with full access to the database can do to the log and to the stored checkpoints. */
const manipulations: Readonly<
  Record<string, { readonly kinds?: readonly EvidenceKind[]; readonly apply: Manipulation }>
> = {
  'an event was changed': {
    kinds: ['changed'],
    apply: (random) => {
      const index = random(60);
      const field = (['data', 'type', 'metadata', 'id'] as const)[random(4)]!;
      const changed = { ...events[index]!, [field]: events[index]![field].replace(/[0-9a-z](?=\D*$)/, '#') };
      return { ...sound, events: replaced(events, index, changed) };
    },
  },
  'an event was removed': {
    kinds: ['removed'],
    apply: (random) => ({ ...sound, events: without(events, random(59)) }),
  },
  'an event was removed from a store whose positions have gaps': {
    kinds: ['removed'],
    apply: (random) => ({ ...sound, events: without(events, random(59)), hasGaplessPositions: false }),
  },
  'an event was removed and the positions closed up': {
    apply: (random) => ({ ...sound, events: atPositions(without(events, random(60))) }),
  },
  'an event was inserted between two positions': {
    kinds: ['inserted'],
    apply: (random) => {
      const index = 1 + random(59);
      const spread = events.map((event) => ({ ...event, position: event.position * 10n }));
      const signed = signLog(spread, [10, 20, 21, 40, 60], key);
      const inserted = { ...spread[index]!, ...forged, position: spread[index]!.position - 5n };
      const log = withInserted(spread, index, inserted);
      return { events: log, stored: signed, sink: signed, hasGaplessPositions: false };
    },
  },
  'an event was inserted and everything chained again': {
    apply: (random) => ({ ...sound, events: sealedLog(withInserted(plain, random(60), forged)) }),
  },
  'two events were swapped with their positions': {
    kinds: ['reordered'],
    apply: (random) => {
      const base = [0, 10, 21, 40][random(4)]!;
      const first = base + random(9);
      return { ...sound, events: atPositions(swapped(events, first, first + 1)) };
    },
  },
  'two distant events were swapped with their positions': {
    apply: (random) => {
      const first = random(59);
      return { ...sound, events: atPositions(swapped(events, first, first + 1 + random(59 - first))) };
    },
  },
  'an event was changed and the log chained again from there': {
    kinds: ['re-chained'],
    apply: (random) => {
      const index = random(60);
      const changed = { ...plain[index]!, data: '{"amount":"777777.00"}' };
      return { ...sound, events: sealedLog(replaced(plain, index, changed)) };
    },
  },
  'the log was truncated': {
    kinds: ['truncated'],
    apply: (random) => ({ ...sound, events: events.slice(0, random(60)) }),
  },
  'the log and the stored checkpoints were truncated': {
    kinds: ['truncated', 'checkpoint-removed'],
    apply: (random) => {
      const end = random(60);
      return { ...sound, events: events.slice(0, end), stored: stored.filter(({ count }) => count <= end) };
    },
  },
  'the log was truncated and continued differently': {
    apply: (random) => {
      const end = random(60);
      const other = plainLog(60).map((event) => ({ ...event, data: '{"amount":"1.00"}' }));
      return { ...sound, events: sealedLog([...plain.slice(0, end), ...other.slice(end)]) };
    },
  },
  'a stored checkpoint was removed': {
    kinds: ['checkpoint-removed'],
    apply: (random) => ({ ...sound, stored: without(stored, random(5)) }),
  },
  'all stored checkpoints were removed, the log rewritten and signed again by the product': {
    kinds: ['re-chained', 'checkpoint-replaced'],
    apply: (random) => {
      const rewritten = sealedLog(replaced(plain, random(10), { ...forged }));
      return { ...sound, events: rewritten, stored: signLog(rewritten, [10, 20, 21, 40, 60], key) };
    },
  },
  'a stored checkpoint was replaced without the key': {
    kinds: ['checkpoint-invalid'],
    apply: (random) => {
      const index = random(5);
      const hash = events[index]!.metadata.slice(-66, -2);
      const forgery: LogCheckpoint = { ...stored[index]!, hash };
      return { ...sound, stored: replaced(stored, index, forgery) };
    },
  },
  'a stored checkpoint was replaced with another key': {
    kinds: ['unknown-key'],
    apply: (random) => {
      const index = random(5);
      const other = signLog(events, [10, 20, 21, 40, 60], LogSigningKey.generate())[index]!;
      return { ...sound, stored: replaced(stored, index, other) };
    },
  },
  'the log was rewritten and signed with another key': {
    kinds: ['unknown-key', 're-chained'],
    apply: (random) => {
      const rewritten = sealedLog(replaced(plain, random(10), { ...forged }));
      return { ...sound, events: rewritten, stored: signLog(rewritten, [10, 60], LogSigningKey.generate()) };
    },
  },
  'a checkpoint was removed from the middle of the sink': {
    kinds: ['checkpoint-removed'],
    apply: (random) => ({ ...sound, sink: without(stored, random(4)) }),
  },
  'two checkpoints of the sink were swapped': {
    kinds: ['checkpoint-removed', 'checkpoint-replaced'],
    apply: (random) => {
      const first = random(4);
      return { ...sound, sink: swapped(stored, first, first + 1) };
    },
  },
  'a checkpoint of the sink was changed': {
    kinds: ['checkpoint-invalid'],
    apply: (random) => {
      const index = random(5);
      return { ...sound, sink: replaced(stored, index, { ...stored[index]!, count: stored[index]!.count + 1 }) };
    },
  },
};

describe('log evidence', () => {
  it('finds nothing in a log that was not changed', async () => {
    expect(await verifySigned(sound, keys)).toEqual({ findings: [], chainFindings: 0, uncovered: 0 });
    const { sink: _, ...withoutSink } = sound;
    expect(await verifySigned(withoutSink, keys)).toEqual({ findings: [], chainFindings: 0, uncovered: 0 });
  });

  it('accepts events after the last checkpoint and counts them', async () => {
    const early = signLog(events, [10, 47], key);
    const verified = await verifySigned({ events, stored: early, sink: early }, keys);
    expect(verified).toEqual({ findings: [], chainFindings: 0, uncovered: 13 });
  });

  it('accepts a sink that lags or has a checkpoint twice', async () => {
    const sink = [stored[0]!, stored[1]!, stored[1]!, stored[2]!];
    expect((await verifySigned({ ...sound, sink }, keys)).findings).toEqual([]);
  });

  const names = Object.keys(manipulations);
  const perManipulation = 1_000 / names.length;
  /** Other manipulations in every run. Set FLORIN_TEST_SEED to the seed of a failed run to repeat it. */
  const seed = Number(process.env['FLORIN_TEST_SEED'] ?? Math.floor(Math.random() * 1_000_000));

  it('applies 1,000 manipulations of every kind', () => {
    expect(perManipulation * names.length).toBe(1_000);
    expect(Number.isInteger(perManipulation)).toBe(true);
    const kinds = new Set(Object.values(manipulations).flatMap((manipulation) => manipulation.kinds ?? []));
    expect([...kinds].sort()).toEqual([...everyKind].sort());
  });

  it.each(names)(`names every one of ${perManipulation} random logs in which %s (seed ${seed})`, async (name) => {
    const { kinds = [], apply } = manipulations[name]!;
    const random = randomNumbers(seed + names.indexOf(name));
    for (let attempt = 0; attempt < perManipulation; attempt++) {
      const { findings } = await verifySigned(apply(random), keys);
      const found = findings.map(({ kind }) => kind);
      const missed = {
        attempt,
        seed,
        missed: kinds.filter((kind) => !found.includes(kind)),
        isUnnamed: found.length === 0,
      };
      expect(missed).toEqual({ attempt, seed, missed: [], isUnnamed: false });
    }
  });

  it('names the ranges that were changed, and no others', async () => {
    const changed = replaced(events, 24, { ...events[24]!, data: '{}' });
    const { findings } = await verifySigned({ ...sound, events: changed }, keys);
    expect(findings).toEqual([
      { kind: 'changed', at: 'positions 22 to 40', text: 'events were changed after they were signed (checkpoint 4)' },
    ]);
  });

  it('names a log of which everything was chained again as one range', async () => {
    const rewritten = sealedLog(plain.map((event) => ({ ...event, data: '{}' })));
    const { findings, chainFindings } = await verifySigned({ ...sound, events: rewritten }, keys);
    expect(chainFindings).toBe(0);
    expect(findings).toEqual([expect.objectContaining({ kind: 're-chained', at: 'positions 1 to 60' })]);
    expect(findings[0]?.text).toContain('(checkpoints 1 to 5)');
  });

  it('names where a truncated log ends', async () => {
    const { findings } = await verifySigned({ ...sound, events: events.slice(0, 35) }, keys);
    const text = 'the log ends here, but checkpoint 5 was signed for 60 events up to position 60';
    expect(findings).toEqual([{ kind: 'truncated', at: 'position 35', text }]);
  });

  it('accepts checkpoints of several keys after a rotation', async () => {
    const next = LogSigningKey.generate();
    const [first, second] = stored;
    const { signature: _, keyId: __, ...unsigned } = second!;
    const rotated = [first!, next.sign(unsigned)];
    const both = keys.with([next.publicKey]);
    expect((await verifySigned({ events, stored: rotated, sink: rotated }, both)).findings).toEqual([]);
    const { findings } = await verifySigned({ events, stored: rotated }, keys);
    expect(findings).toMatchObject([{ kind: 'unknown-key', at: 'checkpoint 2 in the database' }]);
  });

  it('names checkpoints that go backwards although the key signed them', async () => {
    const [first, second] = stored;
    const { signature: _, keyId: __, ...unsigned } = second!;
    const back = key.sign({ ...unsigned, position: 5n, count: 5 });
    const { findings } = await verifySigned({ events, stored: [first!, back] }, keys);
    expect(findings).toMatchObject([{ kind: 'checkpoint-replaced', text: 'goes backwards from checkpoint 1' }]);
  });
});
