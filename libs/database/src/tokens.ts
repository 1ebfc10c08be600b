/** What a Nest module asks for when it reads the database. */
export const PRISMA = Symbol('PRISMA');
export const POOL = Symbol('POOL');
