import type { OperatorCreated, OperatorEvent, OperatorRole } from '@florin/companies-domain';
import { type Actor, assert, assertNever, unsealText } from '@florin/kernel';
import type { PersonalData } from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { upsertRows } from '../companies/upsert-rows';
import type { HolderKeys } from '../holders/holder-rows';

export interface OperatorRow {
  readonly operator_id: string;
  /** Null once the key of the person is destroyed. */
  readonly name: string | null;
  readonly email: string | null;
  role: OperatorRole;
  role_changed_at: string | null;
  role_changed_by: Actor | null;
  token_hash: string;
  hint: string;
  readonly created_at: string;
  readonly created_by: Actor | null;
  rotated_at: string | null;
  rotated_by: Actor | null;
  disabled_at: string | null;
  disabled_by: Actor | null;
  /** Of the stream of all operators. */
  revision: number;
}

/** The rows of the operators in a batch, by id. */
export type OperatorRows = Map<string, OperatorRow>;

export async function loadOperators(ids: readonly string[], tx: PoolClient): Promise<OperatorRows> {
  // As JSON, which keeps times as text, like in the events.
  const text = 'SELECT to_json(operators) AS row FROM read_models.operators WHERE operator_id = ANY($1)';
  const { rows } = await tx.query<{ row: OperatorRow }>({ name: 'load-operators', text, values: [ids] });
  return new Map(rows.map(({ row }) => [row.operator_id, row]));
}

interface RecordedBy {
  /** Of the stream of all operators. */
  readonly revision: number;
  readonly recordedAt: string;
  readonly actor: Actor | null;
}

export function applyOperatorEvent(
  rows: OperatorRows,
  keys: HolderKeys,
  { type, data }: OperatorEvent,
  { revision, recordedAt, actor }: RecordedBy,
): void {
  const { operatorId } = data;
  const row = rows.get(operatorId);
  if (row !== undefined && row.revision >= revision) return;
  if (type === 'OperatorCreated') {
    rows.set(operatorId, createdRow(data, keys.get(operatorId), revision, actor));
    return;
  }
  assert(row !== undefined, `${type} is about operator ${operatorId}, which no event before it has created`);
  row.revision = revision;
  switch (type) {
    case 'OperatorRoleChanged':
      row.role = data.role;
      row.role_changed_at = recordedAt;
      row.role_changed_by = actor;
      return;
    case 'OperatorTokenRotated':
      row.token_hash = data.tokenHash;
      row.hint = data.hint;
      row.rotated_at = data.rotatedAt;
      row.rotated_by = actor;
      return;
    case 'OperatorDisabled':
      row.disabled_at = data.disabledAt;
      row.disabled_by = actor;
      return;
    default:
      assertNever(type);
  }
}

function createdRow(
  data: OperatorCreated['data'],
  key: Uint8Array | undefined,
  revision: number,
  actor: Actor | null,
): OperatorRow {
  const { operatorId, role, tokenHash, hint, createdAt, sealed } = data;
  const person = key === undefined ? undefined : (JSON.parse(unsealText(key, operatorId, sealed)) as PersonalData);
  return {
    operator_id: operatorId,
    name: person?.name ?? null,
    email: person?.email ?? null,
    role,
    role_changed_at: null,
    role_changed_by: null,
    token_hash: tokenHash,
    hint,
    created_at: createdAt,
    created_by: actor,
    rotated_at: null,
    rotated_by: null,
    disabled_at: null,
    disabled_by: null,
    revision,
  };
}

export const saveOperators = upsertRows<OperatorRow>('read_models.operators', 'operator_id', [
  'operator_id',
  'name',
  'email',
  'role',
  'role_changed_at',
  'role_changed_by',
  'token_hash',
  'hint',
  'created_at',
  'created_by',
  'rotated_at',
  'rotated_by',
  'disabled_at',
  'disabled_by',
  'revision',
]);
