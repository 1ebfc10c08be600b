import fc from 'fast-check';
import { systemClock } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Caller } from './caller';
import type { JsonStream } from './endpoint';
import { byCreation, Cursors, type CursorUse, maxCompleteLists, partSize } from './pages';
import { RateLimiter } from './rate-limit/rate-limiter';
import { TestLog } from './testing/test-app';

const caller: Caller = {
  companyId: 'c0ffee00-0000-4000-8000-000000000001',
  companyName: 'Acme',
  companyKind: 'corporate',
  environment: 'sandbox',
  keyId: 'feedface-0000-4000-8000-000000000001',
  scopes: [],
  activations: [],
};
const use: CursorUse = { caller, endpoint: 'GET /api/v1/operations', filters: { type: 'issue', status: 'queued' } };
const position = { createdAt: '2026-01-01T00:00:00.000Z', id: 'x' };

const limiter = new RateLimiter({ rateLimits: { live: 0, sandbox: 0 } }, systemClock);
const log = new TestLog();
const cursors = new Cursors({ cursorSecret: 'secret', log }, limiter);
const cursor = cursors.write(use, position);

const refused = expect.objectContaining({ code: 'validation_failed' }) as Error;

describe('A cursor', () => {
  it('contains the position of the next page', () => {
    expect(cursors.read(use, cursor)).toEqual(position);
  });

  it('is URL-safe', () => {
    expect(cursor).toMatch(/^[\w-]+\.[\w-]+$/);
  });

  it('is valid for any filter order and any key of the company', () => {
    const again = { ...use, caller: { ...caller, keyId: 'other' }, filters: { status: 'queued', type: 'issue' } };
    expect(cursors.read(again, cursor)).toEqual(position);
  });

  it.each([
    ['another company', { ...use, caller: { ...caller, companyId: 'c0ffee00-0000-4000-8000-000000000002' } }],
    ['the other environment', { ...use, caller: { ...caller, environment: 'live' as const } }],
    ['another endpoint', { ...use, endpoint: 'GET /api/v1/transactions' }],
    ['other filters', { ...use, filters: { type: 'issue' } }],
  ])('is rejected for %s', (_name, other) => {
    expect(() => cursors.read(other, cursor)).toThrow(refused);
  });

  it('is rejected with another secret', () => {
    expect(() => new Cursors({ cursorSecret: 'other', log }, limiter).read(use, cursor)).toThrow(refused);
  });

  it.each(['', '.', 'x', `${cursor}.`, `${cursor}x`, cursor.slice(0, -1), `.${cursor.split('.')[1]}`])(
    'is rejected if it is %j',
    (tampered) => expect(() => cursors.read(use, tampered)).toThrow(refused),
  );

  it('is rejected if any character changes', () => {
    const characters = fc.constantFrom(...'ABCxyz019-_.');
    fc.assert(
      fc.property(fc.nat({ max: cursor.length - 1 }), characters, (index, other) => {
        const tampered = cursor.slice(0, index) + other + cursor.slice(index + 1);
        // The last base64 character has unused bits, so a different text can encode the same signature.
        fc.pre(Buffer.compare(bytes(tampered), bytes(cursor)) !== 0);
        expect(() => cursors.read(use, tampered)).toThrow(refused);
      }),
    );
  });
});

describe('A complete list', () => {
  const full = Array.from({ length: partSize }, (_, number) => ({ id: `${number}`, createdAt: position.createdAt }));

  async function begin(sender: Caller, readNext = async (): Promise<typeof full> => []): Promise<JsonStream> {
    const input = { query: {}, caller: sender, endpoint: 'GET /api/v1/cards' };
    const stream = await cursors.readList(input, {
      endOf: byCreation,
      bodyOf: ({ id }) => id,
      read: async (_filters, { continued }) => (continued ? readNext() : full),
    });
    return stream as JsonStream;
  }

  it('is rejected while too many of the company are being sent', async () => {
    const streams: JsonStream[] = [];
    for (let count = 0; count < maxCompleteLists; count++) streams.push(await begin(caller));
    await expect(begin(caller)).rejects.toMatchObject({ code: 'unavailable', headers: { 'retry-after': '1' } });
    const ofOther = await begin({ ...caller, companyId: 'c0ffee00-0000-4000-8000-000000000002' });
    streams.pop()!.onClose();
    streams.push(await begin(caller), ofOther);
    await expect(begin(caller)).rejects.toMatchObject({ code: 'unavailable' });
    for (const { onClose } of streams) onClose();
    (await begin(caller)).onClose();
  });

  it('continues when the parts before it are paid, for all lists of the company together', async () => {
    const clock = manualClock('2026-01-01T00:00:00.000Z');
    const paid = new Cursors(
      { cursorSecret: 'secret', log },
      new RateLimiter({ rateLimits: { live: 0, sandbox: 2 } }, clock),
    );
    const read = jest.fn(async () => full);
    const input = { query: {}, caller, endpoint: 'GET /api/v1/cards' };
    const beginPaid = async (): Promise<AsyncIterator<string>> => {
      const list = await paid.readList(input, { endOf: byCreation, bodyOf: ({ id }) => id, read });
      return (list as JsonStream).parts[Symbol.asyncIterator]();
    };
    const lists = [await beginPaid(), await beginPaid()];
    await Promise.all(lists.map((list) => list.next()));
    expect(read).toHaveBeenCalledTimes(2);

    // A part costs two tokens. The first parts have used up the two of one second, so that the next part leads to a debt.
    const parts = Promise.all(lists.map((list) => list.next()));
    await eventLoopTurn();
    expect(read).toHaveBeenCalledTimes(3);
    clock.advance(1_000);
    await parts;
    expect(read).toHaveBeenCalledTimes(4);
  });

  it('logs that it could not be read to its end', async () => {
    const { parts } = await begin(caller, () => Promise.reject(new Error('connection lost')));
    const received: string[] = [];
    const receive = async (): Promise<void> => {
      for await (const part of parts) received.push(part);
    };
    await expect(receive()).rejects.toThrow('connection lost');
    expect(received).toHaveLength(1);
    expect(log.at('warn')).toMatchObject([{ companyId: caller.companyId, endpoint: 'GET /api/v1/cards' }]);
  });
});

function bytes(text: string): Buffer {
  const dot = text.lastIndexOf('.');
  return Buffer.concat([Buffer.from(text.slice(0, dot)), Buffer.from(text.slice(dot), 'base64url')]);
}
