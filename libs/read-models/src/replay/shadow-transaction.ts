import type { PoolClient, QueryConfig } from 'pg';

type Statement = string | (QueryConfig & { readonly submit?: unknown });

/** Schemas whose tables cause webhooks, move checkpoints or belong to a gateway. */
const forbiddenSchemas = /\b(webhooks|event_store|gateway|replay|public)\./;

/**
 * Lets a projection write to the tables of another schema instead of the live ones. Refuses every statement that names anything
 * else, except a read of the keys in `vault`: a replay must have no effects.
 */
export function shadowTransaction(tx: PoolClient, schema: string): PoolClient {
  const query = (statement: Statement, ...rest: readonly unknown[]): unknown => {
    const run = tx.query.bind(tx) as (...args: readonly unknown[]) => unknown;
    return run(redirected(statement, schema), ...rest);
  };
  return new Proxy(tx, {
    get: (target, property) => {
      if (property === 'query') return query;
      throw new Error(`A projection may only query; it used ${String(property)} of ${target.constructor.name}`);
    },
  });
}

function redirected(statement: Statement, schema: string): Statement {
  if (typeof statement === 'string') return inSchema(statement, schema);
  const text = inSchema(statement.text, schema);
  // `copyRows` submits an object that the driver calls back.
  if (statement.submit !== undefined) return Object.assign(statement, { text });
  // A connection can also prepare the statement for the live tables, which has the same name.
  return { ...statement, text, name: statement.name && `replay ${statement.name}` };
}

function inSchema(text: string, schema: string): string {
  const readsVault = /^\s*SELECT\b/.test(text);
  if (forbiddenSchemas.test(text) || (/\bvault\./.test(text) && !readsVault)) {
    throw new Error(`A replay may only write read models. It refused: ${text.trim()}`);
  }
  return text.replace(/\bread_models\./g, `${schema}.`);
}
