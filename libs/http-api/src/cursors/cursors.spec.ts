import fc from 'fast-check';
import type { Caller } from '../caller';
import { Cursors, type CursorUse } from './cursors';

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

const cursors = new Cursors({ cursorSecret: 'secret' });
const cursor = cursors.write(use, position);

const refused = expect.objectContaining({ code: 'validation_failed' }) as Error;

describe('A cursor', () => {
  it('gives back where the next page begins', () => {
    expect(cursors.read(use, cursor)).toEqual(position);
  });

  it('is fit for a URL', () => {
    expect(cursor).toMatch(/^[\w-]+\.[\w-]+$/);
  });

  it('does not depend on the order of the filters, nor on the key of the company', () => {
    const again = { ...use, caller: { ...caller, keyId: 'other' }, filters: { status: 'queued', type: 'issue' } };
    expect(cursors.read(again, cursor)).toEqual(position);
  });

  it.each([
    ['another company', { ...use, caller: { ...caller, companyId: 'c0ffee00-0000-4000-8000-000000000002' } }],
    ['the other environment', { ...use, caller: { ...caller, environment: 'live' as const } }],
    ['another endpoint', { ...use, endpoint: 'GET /api/v1/transactions' }],
    ['other filters', { ...use, filters: { type: 'issue' } }],
  ])('is of no use to %s', (_name, other) => {
    expect(() => cursors.read(other, cursor)).toThrow(refused);
  });

  it('is of no use under another secret', () => {
    expect(() => new Cursors({ cursorSecret: 'other' }).read(use, cursor)).toThrow(refused);
  });

  it.each(['', '.', 'x', `${cursor}.`, `${cursor}x`, cursor.slice(0, -1), `.${cursor.split('.')[1]}`])(
    'cannot be %j',
    (tampered) => expect(() => cursors.read(use, tampered)).toThrow(refused),
  );

  it('cannot be changed in any character', () => {
    const characters = fc.constantFrom(...'ABCxyz019-_.');
    fc.assert(
      fc.property(fc.nat({ max: cursor.length - 1 }), characters, (index, other) => {
        const tampered = cursor.slice(0, index) + other + cursor.slice(index + 1);
        // The last character of base64 has bits that mean nothing: another text may be the same signature.
        fc.pre(Buffer.compare(bytes(tampered), bytes(cursor)) !== 0);
        expect(() => cursors.read(use, tampered)).toThrow(refused);
      }),
    );
  });
});

function bytes(text: string): Buffer {
  const dot = text.lastIndexOf('.');
  return Buffer.concat([Buffer.from(text.slice(0, dot)), Buffer.from(text.slice(dot), 'base64url')]);
}
