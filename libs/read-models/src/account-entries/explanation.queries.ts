import { Injectable } from '@nestjs/common';
import { invoicesProjection } from '../invoices/invoices.projection';
import type { Reader } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { accountEntriesProjection } from './account-entries.projection';
import { ExplanationIndex } from './explanation-index.query';

@Injectable()
export class ExplanationQueries extends ReadModelQueries {
  /** Reads with the connections of this reader, once the read models have caught up. */
  async indexFor(reader: Reader): Promise<ExplanationIndex> {
    await this.waitUntilCaughtUp(accountEntriesProjection, invoicesProjection);
    return new ExplanationIndex(async <Row>(query: { text: string; values: unknown[] }) => {
      return (await this.read(reader, ({ pool }) => pool.query(query))).rows as Row[];
    });
  }
}
