/** SQLSTATE classes and codes that tell of an outage or a race, not of a statement that can never work. */
const transientStates = /^(08|40|53|57|58)|^55P03$/;
const networkErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN']);
const brokenConnection = /connection (terminated|timeout|error)|not queryable/i;

/** Whether trying the same again later can succeed. */
export function isTransientDatabaseError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && (transientStates.test(code) || networkErrors.has(code))) return true;
  return typeof message === 'string' && brokenConnection.test(message);
}
