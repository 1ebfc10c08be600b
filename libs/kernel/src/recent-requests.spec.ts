import * as fc from 'fast-check';
import {
  isBeyondHorizon,
  noRequests,
  type RecentRequests,
  rememberRequest,
  retainedRequests,
  type Retention,
} from './recent-requests';

const startMs = Date.parse('2030-01-01T00:00:00.000Z');
const at = (ms: number): string => new Date(startMs + ms).toISOString();

function remembered(count: number, everyMs: number | undefined): RecentRequests<number> {
  const requests = noRequests<number>();
  for (let number = 0; number < count; number++) {
    const requestedAt = everyMs === undefined ? undefined : at(number * everyMs);
    rememberRequest(requests, `r${number}`, requestedAt, number);
  }
  return requests;
}

describe('The recent requests of an aggregate', () => {
  const { min, max, forMs } = retainedRequests;

  it('are at most max, however many are accepted at once', () => {
    const { accepted, horizon } = remembered(20_000, 1);
    expect(accepted.size).toBe(max);
    expect(accepted.has('r10000')).toBe(true);
    expect(horizon).toBe(at(9_999));
  });

  it('are the newest min if the others are old', () => {
    const { accepted, horizon } = remembered(20_000, forMs);
    expect([...accepted.keys()].slice(0, 1)).toEqual([`r${20_000 - min}`]);
    expect(horizon).toBe(at((20_000 - min - 1) * forMs));
  });

  it('are all of those within the time', () => {
    expect(remembered(1_000, forMs / 1_000).accepted.size).toBe(1_000);
    expect(remembered(1_002, forMs / 1_000).horizon).toBe(at(0));
  });

  it('are limited by number alone if their times are unknown', () => {
    const requests = remembered(20_000, undefined);
    expect(requests.accepted.size).toBe(max);
    expect(requests.horizon).toBe('');
  });
});

const deadlineMs = 30;
const readModelLagMs = 10;
const minIntervalMs = 4;
/** `max` covers two deadlines and the lag. */
const max = Math.ceil((2 * deadlineMs + readModelLagMs) / minIntervalMs);
const retention: Retention = { min: 2, max, forMs: 100 };

interface Sent {
  readonly id: string;
  readonly isKeyed: boolean;
  readonly requestedAt: string;
}

/**
 * An aggregate with bounded memory behind a gateway that finds keys in a read model, which may lag. Each command is decided
 * when it is delivered; the bus may deliver it again until its deadline.
 */
class BoundedSystem {
  readonly effects: string[] = [];
  private readonly requests = noRequests<null>();
  private readonly acceptedAtMs = new Map<string, number>();

  /** Whether the gateway sends a command. */
  send(command: Sent, nowMs: number): boolean {
    const acceptedAt = this.acceptedAtMs.get(command.id);
    if (command.isKeyed && acceptedAt !== undefined && acceptedAt < nowMs - readModelLagMs) return false;
    this.deliver(command, nowMs);
    return true;
  }

  deliver({ id, requestedAt }: Sent, nowMs: number): void {
    if (this.requests.accepted.has(id) || isBeyondHorizon(this.requests, requestedAt)) return;
    this.effects.push(id);
    this.acceptedAtMs.set(id, nowMs);
    rememberRequest(this.requests, id, requestedAt, null, retention);
  }
}

const steps = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.integer({ min: minIntervalMs, max: 30 }), fc.integer({ min: 90, max: 400 })),
    kind: fc.constantFrom('keyed', 'unkeyed', 'redelivered'),
    choice: fc.nat(1_000),
  }),
  { maxLength: 80 },
);

it('has the effects of unbounded memory for any interleaving of requests, repeats and redeliveries', () => {
  const property = fc.property(steps, (list) => {
    const system = new BoundedSystem();
    const expected: string[] = [];
    const sent: Sent[] = [];
    let nowMs = 0;
    for (const { waitMs, kind, choice } of list) {
      nowMs += waitMs;
      const old = sent[choice % Math.max(1, sent.length)];
      if (kind === 'redelivered') {
        const isLate = old !== undefined && startMs + nowMs - Date.parse(old.requestedAt) > deadlineMs;
        if (old !== undefined && !(isLate && old.isKeyed)) system.deliver(old, nowMs);
        continue;
      }
      const isKeyed = kind === 'keyed';
      const command = { id: isKeyed ? `key ${choice % 9}` : `random ${nowMs}`, isKeyed, requestedAt: at(nowMs) };
      if (!expected.includes(command.id)) expected.push(command.id);
      if (system.send(command, nowMs)) sent.push(command);
    }
    expect(system.effects).toEqual(expected);
  });
  fc.assert(property, { numRuns: 2_000 });
});
