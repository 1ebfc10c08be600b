import type { Pool } from 'pg';
import { accountOwnerOf, sequenceAfter } from './account-entries.projection';

/** An account and the revision up to which it is compared. */
export interface AccountUpTo {
  readonly stream: string;
  readonly revision: number;
}

/** The statement up to that revision: the newest balances, and the sums of the entries. */
export interface StatementBalance {
  readonly stream: string;
  readonly available: bigint;
  readonly held: bigint;
  readonly availableSum: bigint;
  readonly heldSum: bigint;
  /** The sum of the entries of kind `fee`. */
  readonly feeSum: bigint;
}

/** `created_at` and `sequence` sort alike, in the order of the primary key. */
const balances = `
  SELECT wanted.stream, last.available::text, last.held::text, sums.available::text AS "availableSum", sums.held::text AS "heldSum",
    sums.fee::text AS "feeSum"
  FROM unnest($1::text[], $2::uuid[], $3::text[], $4::bigint[]) AS wanted (stream, company_id, environment, below)
  CROSS JOIN LATERAL (
    SELECT available, held FROM read_models.account_entries AS entry
    WHERE entry.company_id = wanted.company_id AND entry.environment = wanted.environment AND sequence < below
    ORDER BY created_at DESC, sequence DESC LIMIT 1
  ) AS last
  CROSS JOIN LATERAL (
    SELECT sum(available_delta) AS available, sum(held_delta) AS held,
      coalesce(sum(available_delta + held_delta) FILTER (WHERE kind = 'fee'), 0) AS fee
    FROM read_models.account_entries AS entry
    WHERE entry.company_id = wanted.company_id AND entry.environment = wanted.environment AND sequence < below
  ) AS sums`;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Omits accounts without entries. */
export async function statementBalances(
  pool: Pool,
  accounts: readonly AccountUpTo[],
): Promise<readonly StatementBalance[]> {
  const wanted = accounts.flatMap(({ stream, revision }) => {
    const owner = accountOwnerOf(stream);
    return owner !== undefined && uuid.test(owner.companyId)
      ? [{ stream, ...owner, below: sequenceAfter(revision) }]
      : [];
  });
  const { rows } = await pool.query<Record<keyof StatementBalance, string>>(balances, [
    wanted.map(({ stream }) => stream),
    wanted.map(({ companyId }) => companyId),
    wanted.map(({ environment }) => environment),
    wanted.map(({ below }) => below),
  ]);
  return rows.map(({ stream, available, held, availableSum, heldSum, feeSum }) => ({
    ...{ stream, available: BigInt(available), held: BigInt(held) },
    ...{ availableSum: BigInt(availableSum), heldSum: BigInt(heldSum), feeSum: BigInt(feeSum) },
  }));
}

/** The streams of all accounts with entries. */
export async function accountsWithStatement(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ stream: string }>(
    `SELECT DISTINCT 'account-' || company_id || '-' || environment AS stream FROM read_models.account_entries`,
  );
  return rows.map(({ stream }) => stream);
}
