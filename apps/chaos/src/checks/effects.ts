import type { Write } from '../load/journal';
import { cents, type History, type PastEvent } from './history';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The events that a request has caused. They are found by a unique value of the request (its amount on its account, its
 * external id, its merchant), not by an id that the product derives from the key. `undefined`: this kind has no such value.
 */
export class Effects {
  private readonly found = new Map<string, PastEvent[]>();

  constructor(history: History) {
    for (const event of history.events()) {
      const name = uniqueValueOf(event);
      if (name === undefined) continue;
      const known = this.found.get(name);
      if (known === undefined) this.found.set(name, [event]);
      else known.push(event);
    }
  }

  of({ request: { kind, account, body = {} } }: Write): readonly PastEvent[] | undefined {
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

/** The value that only one request of the run has. */
function uniqueValueOf({ type, stream, data }: PastEvent): string | undefined {
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
