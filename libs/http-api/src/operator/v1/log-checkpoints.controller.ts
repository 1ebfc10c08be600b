import {
  type CheckpointJson,
  LOG_CHECKPOINTS,
  type LogCheckpointReader,
  toCheckpointJson,
} from '@florin/event-sourcing';
import { Controller, Inject, Module } from '@nestjs/common';
import { z } from 'zod';
import { OperatorEndpoint, type OperatorInput, type ResponseOf } from '../../endpoint';
import { Cursors, pageOf, pageQuery } from '../../pages';
import { timestamp } from '../../schemas';

const digest = (description: string) => z.string().meta({ description, examples: ['ab'.repeat(32)] });

const checkpoint = z
  .strictObject({
    number: z.int().meta({ description: '1 for the first checkpoint of the log, without gaps', examples: [42] }),
    position: z.string().meta({ description: 'The last position in the log that it covers', examples: ['42000'] }),
    count: z.int().meta({ description: 'The number of events up to that position', examples: [42_000] }),
    hash: digest('SHA-256 chained over all events up to that position, in the order of the log'),
    contents: digest('The sum of the digests of these events, independent of their order'),
    time: timestamp.meta({ description: 'When it was signed' }),
    store: z.string().meta({ description: 'The event store that has the log', examples: ['postgres'] }),
    previous: digest('The digest of the previous checkpoint; empty for the first one'),
    keyId: z.string().meta({ description: 'The fingerprint of the public key', examples: ['0123456789abcdef'] }),
    signature: z.string().meta({ description: 'Ed25519, base64', examples: [`${'A'.repeat(86)}==`] }),
  })
  .meta({ id: 'LogCheckpoint', description: 'A signed checkpoint of the log' });
const checkpoints = pageOf('LogCheckpointPage', checkpoint);
const query = z.strictObject(pageQuery);
const byNumber = ({ time, number }: CheckpointJson) => ({ createdAt: time, id: String(number) });

@Controller()
export class LogCheckpointsController {
  constructor(
    @Inject(LOG_CHECKPOINTS) private readonly stored: LogCheckpointReader,
    private readonly cursors: Cursors,
  ) {}

  @OperatorEndpoint({
    method: 'GET',
    path: '/operator/v1/log/checkpoints',
    operationId: 'logCheckpoints.list',
    tag: 'Log',
    role: 'viewer',
    summary: 'List log checkpoints',
    description:
      'Returns the signed checkpoints of the event log, newest first. Keep them outside the database: `florin verify --checkpoints` compares the log with them.',
    query,
    response: { status: 200, description: 'A page of checkpoints.', schema: checkpoints },
  })
  list(input: OperatorInput<undefined, typeof query>): Promise<ResponseOf<typeof checkpoints>> {
    return this.cursors.readPage(input, byNumber, async (_filters, { limit = 50, after }) => {
      const page = await this.stored.newestFirst(limit, after && Number(after.id));
      return page.map((one) => toCheckpointJson(one));
    });
  }
}

@Module({ controllers: [LogCheckpointsController] })
export class LogApiModule {}
