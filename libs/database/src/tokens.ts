/** The injection token of the database client. */
export const PRISMA = Symbol('PRISMA');
export const POOL = Symbol('POOL');
