import type { Api } from '../load/api';
import type { Write, WriteKind } from '../load/journal';
import type { LoadAccount } from '../load/load-account';
import type { Check } from './check';
import { type Item, listAll, readWithRetry } from './api-reads';

interface AccountView {
  readonly operations: ReadonlyMap<string, Item>;
  readonly holders: ReadonlyMap<string, Item>;
  readonly invoices: ReadonlyMap<string, Item>;
  readonly transactions: ReadonlyMap<string, Item>;
  readonly cards: ReadonlyMap<string, Item>;
  /** The amounts of the deposits in the statement. */
  readonly deposits: ReadonlySet<string>;
}

type Fields = Readonly<Record<string, unknown>>;

async function readAccount(api: Api, account: LoadAccount): Promise<AccountView> {
  const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const statement = await readWithRetry(api, account, `/api/v1/account-statements?from=${day(-1)}&to=${day(1)}`);
  const entries = statement['data'] as readonly { kind: string; amount: string }[];
  return {
    operations: await listAll(api, account, 'operations'),
    holders: await listAll(api, account, 'holders'),
    invoices: await listAll(api, account, 'card-account/invoices'),
    transactions: await listAll(api, account, 'transactions'),
    cards: await listAll(api, account, 'cards'),
    deposits: new Set(entries.filter(({ kind }) => kind === 'deposit').map(({ amount }) => amount)),
  };
}

/** Whether the API returns what was acknowledged. */
const isVisible: Readonly<Record<WriteKind, (write: Write, view: AccountView) => boolean>> = {
  funding: ({ request }, { deposits }) => deposits.has(String((request.body as Fields)['amount'])),
  operation: ({ response, request }, { operations }) => {
    const [operation, sent] = [operations.get(String(response?.body['id'])), request.body as Fields];
    const total = operation?.['total'] === sent['expectedTotal'];
    return total && operation?.['type'] === sent['type'] && operation?.['amount'] === sent['amount'];
  },
  holder: ({ response, request }, { holders }) => {
    const [holder, sent] = [holders.get(String(response?.body['id'])), request.body as Fields];
    return holder?.['externalId'] === sent['externalId'] && holder?.['name'] === sent['name'];
  },
  payment: ({ response, request }, { transactions }) => {
    const [transaction, sent] = [transactions.get(String(response?.body['id'])), request.body as Fields];
    const sameAmount = transaction?.['amount'] === sent['amount'];
    return sameAmount && transaction?.['status'] === response?.body['status'];
  },
  invoice: ({ response }, { invoices }) => {
    const invoice = invoices.get(String(response?.body['id']));
    return invoice !== undefined && invoice['payAmount'] === response?.body['payAmount'];
  },
  'invoice-payment': ({ response }, { invoices }) =>
    invoices.get(String(response?.body['id']))?.['status'] === 'completed',
  'card-change': ({ response }, { cards }) =>
    cards.get(String(response?.body['id']))?.['status'] === response?.body['status'],
  review: ({ response, request }, { operations }) =>
    operations.get(String(response?.body['id']))?.['status'] === (request.body as Fields)['outcome'],
  quote: () => true,
};

/** Only the last change of a card is visible. When the outcome of the last change is unknown, the card is not checked. */
function mustBeVisible(writes: readonly Write[]): readonly Write[] {
  const lastChange = new Map<string, Write>();
  for (const write of writes) {
    if (write.request.kind === 'card-change') lastChange.set(cardOf(write), write);
  }
  return writes.filter(
    (write) =>
      write.outcome === 'acknowledged' &&
      (write.request.kind !== 'card-change' || lastChange.get(cardOf(write)) === write),
  );
}

const cardOf = ({ request }: Write): string => request.path.split('/')[4] ?? '';

export const acknowledgedCheck: Check = {
  name: 'every acknowledged write is visible',
  run: async ({ api, accounts, journal }) => {
    const findings: string[] = [];
    const acknowledged = mustBeVisible(journal.writes);
    for (const account of accounts) {
      const view = await readAccount(api, account);
      for (const write of acknowledged.filter(({ request }) => request.account === account)) {
        const { number, request, response } = write;
        if (isVisible[request.kind](write, view)) continue;
        const sent = `POST ${request.path} ${JSON.stringify(request.body ?? {})}`;
        findings.push(`write ${number} of ${account.name} is not visible: ${sent}, ${JSON.stringify(response?.body)}`);
      }
    }
    const unknown = journal.writes.filter(({ outcome }) => outcome === 'unknown').length;
    return { examined: `${acknowledged.length} writes (${unknown} more of unknown outcome)`, findings };
  },
};

/** Reads that miss an acknowledged write, repeats with a different response, unexpected rejections. */
export const clientsCheck: Check = {
  name: 'clients received no impossible response',
  run: async ({ journal }) => ({
    examined: `${journal.reads} reads, ${journal.writes.length} writes`,
    findings: journal.violations,
  }),
};
