/** SQLSTATE classes and codes of outages and races, for which a retry can succeed. */
const transientStates = /^(08|40|53|57|58)|^55P03$/;
const networkErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN']);
const brokenConnection = /connection (terminated|timeout|error)|not queryable/i;

/** Prisma's codes for the same: unreachable, timed out, closed, no free connection, write conflict, too many connections. */
const prismaOutages = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2034', 'P2037']);

/** What errors of `pg` and of Prisma have in common. Prisma keeps the code of Postgres in the cause. */
interface DatabaseFailure {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: unknown } } };
}

/** Whether a later retry can succeed. */
export function isTransientDatabaseError(error: unknown): boolean {
  const { message } = (error ?? {}) as DatabaseFailure;
  if (codesOf(error).some(isTransientCode)) return true;
  return typeof message === 'string' && brokenConnection.test(message);
}

/** Whether the server has canceled the statement, because it took longer than `statementTimeoutMs`. */
export function isStatementTimeout(error: unknown): boolean {
  return codesOf(error).includes('57014');
}

function codesOf(error: unknown): readonly unknown[] {
  const { code, meta } = (error ?? {}) as DatabaseFailure;
  return [code, meta?.driverAdapterError?.cause?.originalCode];
}

function isTransientCode(code: unknown): boolean {
  if (typeof code !== 'string') return false;
  return transientStates.test(code) || networkErrors.has(code) || prismaOutages.has(code);
}
