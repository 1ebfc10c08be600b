import { POOL } from '@florin/database';
import { sha256 } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';

/** A sandbox card whose details a link shows. */
export interface LinkedCard {
  readonly cardId: string;
  readonly last4: string;
}

const add = {
  name: 'add-reveal-link',
  text: `
    WITH expired AS (DELETE FROM gateway.reveal_links WHERE expires_at <= $5)
    INSERT INTO gateway.reveal_links (token_hash, card_id, last4, expires_at) VALUES ($1, $2, $3, $4)`,
};

const take = {
  name: 'take-reveal-link',
  text: `
    DELETE FROM gateway.reveal_links WHERE token_hash = $1
    RETURNING card_id AS "cardId", last4, expires_at > $2 AS "isValid"`,
};

/** The single-use links to the details of sandbox cards. Not a read model: the gateway writes it. Tokens are stored as hashes. */
@Injectable()
export class RevealLinks {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async add(token: string, { cardId, last4 }: LinkedCard, expiresAt: Date, now: Date): Promise<void> {
    await this.pool.query({ ...add, values: [sha256(token), cardId, last4, expiresAt, now] });
  }

  /** Returns the card once, and only before the link expires. */
  async take(token: string, now: Date): Promise<LinkedCard | undefined> {
    const values = [sha256(token), now];
    const { rows } = await this.pool.query<LinkedCard & { readonly isValid: boolean }>({ ...take, values });
    const [link] = rows;
    return link?.isValid ? { cardId: link.cardId, last4: link.last4 } : undefined;
  }
}
