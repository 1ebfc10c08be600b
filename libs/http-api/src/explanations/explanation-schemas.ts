import { z } from 'zod';
import { date, money, signedMoney } from '../schemas';
import { entryCount, entryKind } from '../v1/account/entry-kind';

/** Whether to return single events of a balance. */
export const all = z
  .enum(['true', 'false'])
  .optional()
  .meta({
    description: 'Whether to return single events of a balance instead of days',
    examples: ['true'],
  });

export const revision = z.int().min(-1);

export const text = z.string().meta({
  description: 'What happened, for people. The wording can change',
  examples: ['103.20 was reserved for operation 0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57, including a fee of 3.20.'],
});

export const explainedDay = z
  .strictObject({
    date,
    revision: revision.meta({ description: 'The number of the last event of the day' }),
    text,
    available: money.meta({ description: 'The available funds at the end of the day' }),
    held: money.meta({ description: 'The held funds at the end of the day' }),
    entries: z
      .array(
        z
          .strictObject({ kind: entryKind, count: entryCount, availableDelta: signedMoney, heldDelta: signedMoney })
          .meta({ id: 'ExplainedEntries', description: 'The entries of one kind on a day, added up' }),
      )
      .meta({ description: 'The sums of the entries of each kind' }),
  })
  .meta({ id: 'ExplainedDay', description: 'A day with entries' });
