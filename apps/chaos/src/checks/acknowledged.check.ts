import type { Api } from '../load/api';
import type { Write, WriteKind } from '../load/journal';
import type { LoadAccount } from '../load/load-account';
import type { Check } from './check';
import { type Item, listShown, readShown } from './shown';

interface Shown {
  readonly operations: ReadonlyMap<string, Item>;
  readonly holders: ReadonlyMap<string, Item>;
  readonly invoices: ReadonlyMap<string, Item>;
  readonly transactions: ReadonlyMap<string, Item>;
  readonly cards: ReadonlyMap<string, Item>;
  /** Amounts of the deposits in the statement. */
  readonly deposits: ReadonlySet<string>;
}

type Fields = Readonly<Record<string, unknown>>;

async function readAccount(api: Api, account: LoadAccount): Promise<Shown> {
  const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const statement = await readShown(api, account, `/api/v1/account-statements?from=${day(-1)}&to=${day(1)}`);
  const entries = statement['data'] as readonly { kind: string; amount: string }[];
  return {
    operations: await listShown(api, account, 'operations'),
    holders: await listShown(api, account, 'holders'),
    invoices: await listShown(api, account, 'card-account/invoices'),
    transactions: await listShown(api, account, 'transactions'),
    cards: await listShown(api, account, 'cards'),
    deposits: new Set(entries.filter(({ kind }) => kind === 'deposit').map(({ amount }) => amount)),
  };
}

/** Whether the API shows what was acknowledged; where it does not, what it shows instead. */
const isShown: Readonly<Record<WriteKind, (write: Write, shown: Shown) => boolean>> = {
  funding: ({ wish }, { deposits }) => deposits.has(String((wish.body as Fields)['amount'])),
  operation: ({ answer, wish }, { operations }) => {
    const [operation, asked] = [operations.get(String(answer?.body['id'])), wish.body as Fields];
    const total = operation?.['total'] === asked['expectedTotal'];
    return total && operation?.['type'] === asked['type'] && operation?.['amount'] === asked['amount'];
  },
  holder: ({ answer, wish }, { holders }) => {
    const [holder, asked] = [holders.get(String(answer?.body['id'])), wish.body as Fields];
    return holder?.['externalId'] === asked['externalId'] && holder?.['name'] === asked['name'];
  },
  payment: ({ answer, wish }, { transactions }) => {
    const [transaction, asked] = [transactions.get(String(answer?.body['id'])), wish.body as Fields];
    const sameAmount = transaction?.['amount'] === asked['amount'];
    return sameAmount && transaction?.['status'] === answer?.body['status'];
  },
  invoice: ({ answer }, { invoices }) => {
    const invoice = invoices.get(String(answer?.body['id']));
    return invoice !== undefined && invoice['payAmount'] === answer?.body['payAmount'];
  },
  'invoice-payment': ({ answer }, { invoices }) => invoices.get(String(answer?.body['id']))?.['status'] === 'completed',
  'card-change': ({ answer }, { cards }) =>
    cards.get(String(answer?.body['id']))?.['status'] === answer?.body['status'],
  review: ({ answer, wish }, { operations }) =>
    operations.get(String(answer?.body['id']))?.['status'] === (wish.body as Fields)['outcome'],
  quote: () => true,
};

/** Of the changes of a card only the last one shows; nothing can be said where one came after it that nobody knows of. */
function mustBeShown(writes: readonly Write[]): readonly Write[] {
  const lastChange = new Map<string, Write>();
  for (const write of writes) {
    if (write.wish.kind === 'card-change') lastChange.set(cardOf(write), write);
  }
  return writes.filter(
    (write) =>
      write.outcome === 'acknowledged' &&
      (write.wish.kind !== 'card-change' || lastChange.get(cardOf(write)) === write),
  );
}

const cardOf = ({ wish }: Write): string => wish.path.split('/')[4] ?? '';

export const acknowledgedCheck: Check = {
  name: 'every acknowledged write is there',
  run: async ({ api, accounts, journal }) => {
    const findings: string[] = [];
    const acknowledged = mustBeShown(journal.writes);
    for (const account of accounts) {
      const shown = await readAccount(api, account);
      for (const write of acknowledged.filter(({ wish }) => wish.account === account)) {
        const { number, wish, answer } = write;
        if (isShown[wish.kind](write, shown)) continue;
        const request = `POST ${wish.path} ${JSON.stringify(wish.body ?? {})}`;
        findings.push(`write ${number} of ${account.name} is not shown: ${request}, ${JSON.stringify(answer?.body)}`);
      }
    }
    const unknown = journal.writes.filter(({ outcome }) => outcome === 'unknown').length;
    return { examined: `${acknowledged.length} writes (${unknown} more of unknown outcome)`, findings };
  },
};

/** Reads that missed a write acknowledged before, repeats with another answer, refusals without a reason. */
export const clientsCheck: Check = {
  name: 'clients saw nothing impossible',
  run: async ({ journal }) => ({
    examined: `${journal.reads} reads, ${journal.writes.length} writes`,
    findings: journal.violations,
  }),
};
