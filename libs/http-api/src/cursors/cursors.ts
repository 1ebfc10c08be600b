import { canonicalJson, type Json } from '@florin/kernel';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { validationFailed } from '../errors/api-error';
import type { Caller } from '../caller';

/** What a cursor is good for. Everything in it must be the same when the next page is asked for. */
export interface CursorUse {
  /** Absent where operators read, who see everybody's. */
  readonly caller?: Pick<Caller, 'companyId' | 'environment'>;
  readonly endpoint: string;
  /** The query without `cursor` and `limit`: another page size may follow, another filter may not. */
  readonly filters: Json;
}

/**
 * Tells where the next page begins. A cursor is signed together with its use, so that nobody can make one up, carry it
 * over to other filters, or learn from it about another company.
 */
export class Cursors {
  constructor(private readonly secret: string) {}

  write(use: CursorUse, position: Json): string {
    const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
    return `${payload}.${this.sign(use, payload).toString('base64url')}`;
  }

  /** The position as it was written. Whoever changed the cursor, or its use, gets a 400. */
  read<Position extends Json>(use: CursorUse, cursor: string): Position {
    const [payload = '', signature = '', ...rest] = cursor.split('.');
    const given = Buffer.from(signature, 'base64url');
    const expected = this.sign(use, payload);
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw validationFailed(
        'cursor must be the nextCursor of an earlier page, with the same filters: start again without it.',
      );
    }
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Position;
  }

  private sign({ caller, endpoint, filters }: CursorUse, payload: string): Buffer {
    const bound = canonicalJson([caller?.companyId, caller?.environment, endpoint, filters, payload]);
    return createHmac('sha256', this.secret).update(bound).digest();
  }
}
