/** SQLSTATE classes and codes of outages and races, for which a retry can succeed. */
const transientStates = /^(08|40|53|57|58)|^55P03$/;
const networkErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN']);
const brokenConnection = /connection (terminated|timeout|error)|not queryable/i;

/** Whether a later retry can succeed. */
export function isTransientDatabaseError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && (transientStates.test(code) || networkErrors.has(code))) return true;
  return typeof message === 'string' && brokenConnection.test(message);
}
