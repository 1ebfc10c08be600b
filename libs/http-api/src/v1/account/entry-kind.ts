import { z } from 'zod';

/** The kinds of statement entries. */
export const entryKind = z.enum(['deposit', 'fee', 'reservation', 'capture', 'release', 'refund', 'adjustment']);
