import type { Json } from '@florin/kernel';
import { Injectable } from '@nestjs/common';
import type { Reader } from '../read-database';
import { ReadModelQueries } from '../read-model-queries';
import { acceptedRequestsProjection } from './accepted-requests.projection';

export interface AcceptedRequestView {
  /** Null if the id identifies the whole request. */
  readonly fingerprint: string | null;
  /** What the response needs in addition to the current data. */
  readonly reply: Json;
}

/** Aggregates remember the requests of the last seconds, so this read model need not include them, and lookups rarely wait. */
const maxAgeMs = 1_000;

@Injectable()
export class AcceptedRequestQueries extends ReadModelQueries {
  /** By the id that is derived from the `Idempotency-Key`. */
  async find(reader: Reader, id: string): Promise<AcceptedRequestView | undefined> {
    await this.readYourWrites.waitUntilCaughtUp(acceptedRequestsProjection.name, maxAgeMs);
    return this.findNow(reader, id);
  }

  /** Without waiting: the newest requests may be missing. */
  async findNow(reader: Reader, id: string): Promise<AcceptedRequestView | undefined> {
    const row = await this.read(reader, ({ prisma }) => prisma.acceptedRequest.findUnique({ where: { id } }));
    if (row === null) return undefined;
    return { fingerprint: row.fingerprint, reply: row.reply as Json };
  }
}
