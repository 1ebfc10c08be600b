import { newOperation, type OperationAudit } from './operation-audit';

type Field = keyof OperationAudit;

/** A `text` field has few different texts. */
const kinds: Readonly<Record<Field, 'text' | 'value'>> = {
  isOrdered: 'value',
  account: 'text',
  amount: 'value',
  fee: 'value',
  reservation: 'text',
  orphan: 'text',
  payer: 'text',
  total: 'value',
  type: 'text',
  cardId: 'text',
  cardAmount: 'value',
  status: 'text',
  decision: 'text',
  revision: 'value',
};

const fields = Object.entries(kinds) as [Field, 'text' | 'value'][];

/** A column per field, because there are millions of operations. Each text occurs once. */
export interface StoredOperations {
  readonly ids: readonly string[];
  readonly texts: readonly string[];
  /** The values, or for a text its index in `texts`; -1 if there is none. */
  readonly columns: Readonly<Record<Field, Int32Array | readonly unknown[]>>;
}

export function storedOperations(operations: ReadonlyMap<string, OperationAudit>): StoredOperations {
  const all = [...operations.values()];
  const indexes = new Map<unknown, number>();
  const indexOf = (text: unknown): number => {
    if (text === undefined) return -1;
    const known = indexes.get(text);
    if (known !== undefined) return known;
    indexes.set(text, indexes.size);
    return indexes.size - 1;
  };
  const columns = fields.map(([field, kind]) => [
    field,
    kind === 'text'
      ? Int32Array.from(all, (operation) => indexOf(operation[field]))
      : all.map((operation) => operation[field]),
  ]);
  return {
    ids: [...operations.keys()],
    texts: [...indexes.keys()] as string[],
    columns: Object.fromEntries(columns) as StoredOperations['columns'],
  };
}

export function restoredOperations({ ids, texts, columns }: StoredOperations): Map<string, OperationAudit> {
  const operations = new Map<string, OperationAudit>();
  for (const [index, id] of ids.entries()) {
    const operation = newOperation();
    const restored = operation as unknown as Record<Field, unknown>;
    for (const [field, kind] of fields) {
      const value = columns[field][index];
      // Operations share the memory of their texts.
      restored[field] = kind === 'text' ? texts[value as number] : value;
    }
    operations.set(id, operation);
  }
  return operations;
}
