import { BusKeys, edges, edgesOf } from './bus-keys';
import { type Context, receivingServices } from './command-permissions';

const key = Buffer.alloc(32, 7).toString('base64url');
const other = Buffer.alloc(32, 8).toString('base64url');
const gatewayToLedger = { sender: 'gateway', context: 'ledger' };

function secretsOf(keys: BusKeys, edge = gatewayToLedger): readonly string[] {
  return keys
    .keysOf()(edge)
    .map((secret) => secret.export().toString('base64url'));
}

describe('Bus keys', () => {
  it('reads one or two keys per edge, and writes them as they were', () => {
    const text = `gateway>ledger=${key},${other} operations>ledger=${other}`;
    const keys = BusKeys.parse(`  ${text.replace(' ', '\n')} `);
    expect(String(keys)).toBe(text);
    expect(secretsOf(keys)).toEqual([key, other]);
    expect(secretsOf(keys, { sender: 'gateway', context: 'invoicing' })).toEqual([]);
  });

  it.each([
    ['no edge', key, 'must be entries such as gateway>ledger=key, separated by spaces'],
    ['an edge twice', `a>b=${key} a>b=${key}`, 'must not contain a>b twice'],
    ['three keys', `a>b=${key},${key},${key}`, 'must not contain more than two keys for a>b'],
    ['a short key', 'a>b=c2hvcnQ', 'must contain keys of 32 bytes in base64url, which the one for a>b is not'],
  ])('rejects %s without showing a key', (_what, text, message) => {
    expect(() => BusKeys.parse(text)).toThrow(message);
    expect(() => BusKeys.parse(text)).not.toThrow(key);
  });

  it('gives every service only the keys of the edges it uses', () => {
    const all = BusKeys.generate();
    for (const { sender, context } of edges) {
      const holders = ['gateway', 'ledger', 'operations', 'invoicing', 'webhook-dispatcher', 'tron-watcher'].filter(
        (service) => all.for(service).keysOf()({ sender, context }).length > 0,
      );
      const owner = receivingServices[context as Context];
      expect(new Set(holders)).toEqual(new Set([sender, owner]));
    }
  });

  it('lists the edges of a service without a key', () => {
    const keys = BusKeys.parse(`gateway>ledger=${key}`);
    expect(keys.missingFor('ledger')).toEqual(['gateway>companies', 'operations>ledger', 'invoicing>ledger']);
    expect(keys.missingFor('projector')).toEqual([]);
    expect(BusKeys.generate(edgesOf('florin')).missingFor('florin')).toEqual([]);
  });

  it('replaces keys in three steps, in each of which both sides of an edge have a common key', () => {
    const before = BusKeys.parse(`gateway>ledger=${key}`);
    const steps = [before];
    for (const step of ['withNewKeys', 'switched', 'withoutOldKeys'] as const) steps.push(steps.at(-1)![step]());
    steps.slice(1).forEach((after, index) => {
      const [signsBefore] = secretsOf(steps[index]!);
      const [signsAfter] = secretsOf(after);
      expect(secretsOf(after)).toContain(signsBefore);
      expect(secretsOf(steps[index]!)).toContain(signsAfter);
    });
    expect(secretsOf(steps.at(-1)!)).not.toContain(key);
    expect(secretsOf(steps.at(-1)!)).toHaveLength(1);
  });

  it('does not start a replacement during another one, which would drop a key in use', () => {
    const added = BusKeys.parse(`gateway>ledger=${key}`).withNewKeys();
    for (const keys of [added, added.switched()]) expect(() => keys.withNewKeys()).toThrow('two keys already');
    expect(secretsOf(added.switched().withoutOldKeys().withNewKeys())).toHaveLength(2);
  });

  it('adds keys for edges without one, and keeps the others', () => {
    const completed = BusKeys.parse(`gateway>ledger=${key},${other}`).withMissing();
    expect(secretsOf(completed)).toEqual([key, other]);
    expect(completed.missingFor('gateway')).toEqual([]);
  });
});
