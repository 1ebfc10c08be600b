import { randomBytes } from 'node:crypto';
import { sealText } from '@florin/kernel';
import type {
  HolderCommand,
  HolderDetails,
  HolderStatus,
  PersonalData,
  RegisterHolder,
} from '@florin/operations-domain';
import { holderStatuses } from '@florin/operations-domain';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { acme, acmeLive, ida, idOf, type Owner } from '../../testing/owners';

const accountIdOf = ({ companyId, environment }: Owner): string => `${companyId}-${environment}`;

/** The holders' keys, as the vault stores them. */
const keys = new Map<string, Buffer>();

export function keyOf(holderId: string): Buffer {
  const key = keys.get(holderId) ?? randomBytes(32);
  keys.set(holderId, key);
  return key;
}

export async function storeKeys(pool: Pool): Promise<void> {
  const text = `
    INSERT INTO vault.holder_keys (holder_id, key) SELECT * FROM unnest($1::uuid[], $2::bytea[])
    ON CONFLICT DO NOTHING`;
  await pool.query(text, [[...keys.keys()], [...keys.values()]]);
}

export async function destroyKey(pool: Pool, holderId: string): Promise<void> {
  await pool.query('UPDATE vault.holder_keys SET key = NULL, destroyed_at = now() WHERE holder_id = $1', [holderId]);
}

export const personOf = (number: number): PersonalData => ({
  name: `Ida "Ö" ${number}`,
  email: `ida${number}@example.com`,
});

export function register(
  number: number,
  owner: Owner,
  details: Partial<RegisterHolder['data']> = {},
  person = personOf(number),
): RegisterHolder {
  const holderId = idOf('holder', number);
  return {
    type: 'RegisterHolder',
    data: {
      ...{ holderId, ...owner, accountId: accountIdOf(owner), kind: 'individual', externalId: `customer-${number}` },
      ...{ status: 'active', requestId: `r${number}`, fingerprint: 'f', createdAt: '2030-01-01T09:59:59.999Z' },
      sealed: sealText(keyOf(holderId), holderId, JSON.stringify(person)),
      ...details,
    },
  };
}

export const setStatus = (
  number: number,
  owner: Owner,
  status: (typeof holderStatuses)[number],
  requestId: string = status,
): HolderCommand => ({
  type: 'SetHolderStatus',
  data: { accountId: accountIdOf(owner), holderId: idOf('holder', number), status, requestId },
});

/** Changes the fields that are given. */
export function change(
  number: number,
  owner: Owner,
  { status, name, email, metadata }: Partial<HolderDetails> & { readonly status?: HolderStatus },
  requestId = 'change',
): HolderCommand {
  const holderId = idOf('holder', number);
  const sealed = (details: Partial<HolderDetails>) => sealText(keyOf(holderId), holderId, JSON.stringify(details));
  return {
    type: 'ChangeHolder',
    data: {
      ...{ accountId: accountIdOf(owner), holderId, requestId, requestedAt: '2030-01-01T10:00:00.000Z' },
      ...(status !== undefined && { status }),
      ...(name !== undefined && { sealedName: sealed({ name }) }),
      ...(email !== undefined && { sealedEmail: sealed({ email }) }),
      ...(metadata !== undefined && { sealedMetadata: sealed({ metadata }) }),
    },
  };
}

export const erase = (number: number, owner: Owner): HolderCommand => ({
  type: 'EraseHolder',
  data: { accountId: accountIdOf(owner), holderId: idOf('holder', number) },
});

const owners: readonly Owner[] = [acme, acmeLive, ida];

const changes = [
  { name: 'Ada "Ö"' },
  { email: 'ada@example.com', metadata: { team: 'blue', 'a "key"': 'Ödön' } },
  { status: 'blocked', metadata: {} },
] as const;

const command = fc
  .record({
    number: fc.nat({ max: 5 }),
    step: fc.nat({ max: 9 }),
    status: fc.constantFrom(...holderStatuses),
    request: fc.nat({ max: 20 }),
  })
  .map(({ number, step, status, request }): HolderCommand => {
    const owner = owners[number % owners.length]!;
    if (step <= 3) return register(number, owner);
    if (step === 4) return erase(number, owner);
    if (step <= 6) return change(number, owner, changes[request % changes.length]!, `c${request}`);
    return setStatus(number, owner, status, `s${request}`);
  });

export const holderCommands = fc.array(command, { minLength: 20, maxLength: 60, size: 'max' });
