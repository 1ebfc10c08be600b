/** The injection token of the pool for everything but the reads of companies. */
export const POOL = Symbol('POOL');
