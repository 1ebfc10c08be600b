import { canonicalJson, type Json } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { validationFailed } from '../errors/api-error';
import type { Caller } from '../caller';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../http-api-options';

/** What a cursor is valid for. A request for the next page must match all of it. */
export interface CursorUse {
  /** Absent for operators, who see the objects of all companies. */
  readonly caller?: Pick<Caller, 'companyId' | 'environment'>;
  readonly endpoint: string;
  /** The query without `cursor` and `limit`: the page size may change between pages, the filters may not. */
  readonly filters: Json;
}

/** Writes and reads cursors. A cursor is signed together with its use, so a client can neither forge nor transfer it. */
@Injectable()
export class Cursors {
  private readonly secret: string;

  constructor(@Inject(HTTP_API_OPTIONS) { cursorSecret }: Pick<HttpApiOptions, 'cursorSecret'>) {
    this.secret = cursorSecret;
  }

  write(use: CursorUse, position: Json): string {
    const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
    return `${payload}.${this.sign(use, payload).toString('base64url')}`;
  }

  /** Returns the position, or throws a 400 if the cursor was altered or belongs to another use. */
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
