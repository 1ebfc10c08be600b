import { z } from 'zod';
import { explainedEnum } from '../../schemas';

/** The kinds of statement entries. */
export const entryKind = explainedEnum<
  'deposit' | 'fee' | 'reservation' | 'capture' | 'release' | 'refund' | 'adjustment'
>('EntryKind', 'What an entry of the account records', {
  deposit: 'Funds were credited: a paid invoice, or sandbox funding',
  fee: 'The fee of a deposit was deducted',
  reservation: 'The total of an operation was reserved: it moved from available to held',
  capture: 'The reserved total of a completed operation left the account',
  release: 'The reserved total of a failed operation became available again',
  refund: 'The amount of an unload was credited',
  adjustment: 'An operator corrected the account',
});

/** The number of entries in a sum. */
export const entryCount = z
  .int()
  .min(1)
  .meta({ description: 'The number of entries', examples: [1] });
