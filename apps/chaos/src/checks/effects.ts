import type { Write } from '../load/journal';
import { cents, type History, type PastEvent } from './history';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a wish has left in the log, found by what is the wish's own (its amount on its account, its external id, its
 * merchant) and by no id that the product made of the key. `undefined`: this kind leaves nothing of its own.
 */
export class Effects {
  private readonly found = new Map<string, PastEvent[]>();

  constructor(history: History) {
    for (const event of history.events()) {
      const name = markOf(event);
      if (name === undefined) continue;
      const known = this.found.get(name);
      if (known === undefined) this.found.set(name, [event]);
      else known.push(event);
    }
  }

  of({ wish: { kind, account, body = {} } }: Write): readonly PastEvent[] | undefined {
    const fields = body as Fields;
    const amount = (): bigint => cents(withCents(String(fields['amount'])));
    switch (kind) {
      case 'funding':
        return this.get(`deposit ${account.stream} ${amount()}`);
      case 'operation':
        return isAmount(fields['amount']) ? this.get(`operation ${account.stream} ${amount()}`) : [];
      case 'invoice':
        return this.get(`invoice ${account.stream} ${amount()}`);
      case 'holder':
        return this.get(`holder ${String(fields['externalId'])}`);
      case 'payment':
        return this.get(`payment ${String(fields['merchant'])}`);
      default:
        return undefined;
    }
  }

  private get(name: string): readonly PastEvent[] {
    return this.found.get(name) ?? [];
  }
}

/** By what its wish can be told from all others. */
function markOf({ type, stream, data }: PastEvent): string | undefined {
  switch (type) {
    case 'FundsDeposited':
      return `deposit ${stream} ${cents(data['amount'])}`;
    case 'OperationQueued': {
      const order = data['order'] as Fields;
      return `operation account-${String(order['accountId'])} ${cents(order['amount'])}`;
    }
    case 'InvoiceOpened':
      return `invoice account-${String(data['accountId'])} ${cents(data['depositAmount'])}`;
    case 'HolderRegistered':
      return `holder ${String(data['externalId'])}`;
    case 'PaymentRecorded':
      return `payment ${String((data['payment'] as Fields)['merchant'])}`;
    default:
      return undefined;
  }
}

function withCents(amount: string): string {
  return amount.includes('.') ? amount : `${amount}.00`;
}

function isAmount(amount: unknown): boolean {
  return typeof amount === 'string' && /^\d+(\.\d{2})?$/.test(amount);
}
