import type { Backoff } from '../backoff';

/** Retries without delay. */
export const noBackoff: Backoff = { wait: async () => undefined };
