import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random';
import type { LiveChain } from '../environment/live-chain';
import { InvoicePayer } from './invoice-payer';
import type { Journal, WriteRequest, Write } from './journal';
import type { LoadAccount } from './load-account';
import * as requests from './requests';

export interface LoadClientOptions {
  readonly account: LoadAccount;
  readonly journal: Journal;
  readonly chain: LiveChain;
  readonly random: Random;
  /** Only one client per account creates invoices, since an account can have one unresolved invoice. */
  readonly createsInvoices: boolean;
}

/** A card that only this client changes. */
interface OwnCard {
  readonly id: string;
  frozen: boolean;
}

/** The weights of the actions. */
const actions = {
  ...{
    issue: 14,
    topup: 18,
    unload: 8,
    service: 18,
    rejected: 8,
    fund: 7,
    holder: 4,
    changeCard: 8,
    pay: 9,
    invoice: 5,
  },
  ...{ quote: 3, readBack: 20, read: 8, repeat: 8 },
} as const;
type Action = keyof typeof actions;
/** The cents of an amount select how the sandbox issuer behaves. */
const sandboxCents = { '0': 60, '37': 10, '91': 8, '92': 3, '93': 6 } as const;
const maxRemembered = 40;
const maxCards = 25;

/** One API client: performs one action after the other, and waits for each outcome. */
export class LoadClient {
  private readonly cards: OwnCard[] = [];
  private readonly writes: Write[] = [];
  private readonly expectedCards = new Set<string>();
  private readonly invoices: InvoicePayer;

  constructor(private readonly options: LoadClientOptions) {
    this.invoices = new InvoicePayer(options);
  }

  /** Runs until the time is over or the journal is full. */
  async run(untilMs: number, maxWrites: number): Promise<void> {
    const { random, journal } = this.options;
    while (Date.now() < untilMs && journal.writes.length < maxWrites) {
      await this.act(random.weighted(actions));
      await delay(random.between(10, 120));
    }
  }

  private async act(action: Action): Promise<void> {
    const { account, random, createsInvoices } = this.options;
    const isSandbox = account.environment === 'sandbox';
    switch (action) {
      case 'issue':
        return this.issue();
      case 'topup':
        return this.topUp();
      case 'unload':
        return this.unload();
      case 'service':
        return this.do(requests.service(account, this.cents()));
      case 'rejected':
        return this.do(random.pick(Object.values(requests.rejections))(account));
      case 'fund':
        return isSandbox ? this.do(requests.funding(account, 100_000 + account.uniqueDollars())) : this.readBack();
      case 'holder':
        return this.do(requests.holder(account));
      case 'changeCard':
        return this.changeCard();
      case 'pay':
        return isSandbox ? this.payWithCard() : this.readBack();
      case 'invoice':
        return createsInvoices ? this.invoices.step() : this.readBack();
      case 'quote':
        return this.quote();
      case 'readBack':
        return this.readBack();
      case 'read':
        return this.read();
      case 'repeat':
        return this.repeat();
    }
  }

  private async issue(): Promise<void> {
    const { account, random } = this.options;
    if (this.cards.length + this.expectedCards.size >= maxCards) return this.readBack();
    const write = await this.perform(requests.issue(account, random.pick(account.holderIds), this.cents()));
    const id = idOf(write);
    if (id !== undefined) this.expectedCards.add(id);
  }

  private async topUp(): Promise<void> {
    const { account, random } = this.options;
    if (this.cards.length === 0) return this.issue();
    const { id, frozen } = random.pick(this.cards);
    const request = requests.topup(account, id, this.cents());
    await this.perform(frozen ? { ...request, rejectedWith: ['card_not_active'] } : request);
  }

  private async unload(): Promise<void> {
    const { account, random } = this.options;
    if (this.cards.length === 0) return this.issue();
    await this.perform(requests.unload(account, random.pick(this.cards).id, this.cents()));
  }

  private async changeCard(): Promise<void> {
    const { account, random } = this.options;
    if (this.cards.length === 0) return this.issue();
    const card = random.pick(this.cards);
    // Freezing may fail operations in progress on the card, but they are not rejected.
    const write = await this.perform(requests.cardChange(account, card.id, card.frozen ? 'unfreeze' : 'freeze'));
    if (write.outcome === 'acknowledged') card.frozen = !card.frozen;
    else this.cards.splice(this.cards.indexOf(card), 1);
  }

  private async payWithCard(): Promise<void> {
    const { account, random } = this.options;
    if (this.cards.length === 0) return this.issue();
    await this.perform(requests.payment(account, random.pick(this.cards).id, random.between(1, 900)));
  }

  /** Reads an acknowledged operation: every replica must return it. */
  private async readBack(): Promise<void> {
    const { account, journal, random } = this.options;
    const operations = this.writes
      .filter(({ request }) => request.kind === 'operation')
      .flatMap((write) => idOf(write) ?? []);
    const ids = [...this.expectedCards, ...operations];
    if (ids.length === 0) return;
    const id = random.pick(ids);
    const operation = await journal.read(account, `/api/v1/operations/${id}`);
    const ended = ['completed', 'failed', 'manual_review'].includes(String(operation?.['status']));
    if (!ended || !this.expectedCards.delete(id) || operation?.['status'] !== 'completed') return;
    const { cardId } = operation['result'] as { cardId: string };
    this.cards.push({ id: cardId, frozen: false });
  }

  private async read(): Promise<void> {
    const { account, journal, random } = this.options;
    const paths = ['balance', 'cards', 'operations?limit=20', 'holders', 'transactions?limit=10', 'products'];
    await journal.read(account, `/api/v1/${random.pick(paths)}`);
  }

  private async quote(): Promise<void> {
    const { account, random } = this.options;
    const body = { type: 'issue', productId: 'virtual-usd', holderId: random.pick(account.holderIds), amount: '100' };
    await this.options.journal.perform({ kind: 'quote', account, path: '/api/v1/quotes', body });
  }

  private async repeat(): Promise<void> {
    const { journal, random } = this.options;
    const acknowledged = this.writes.filter(({ outcome }) => outcome === 'acknowledged');
    if (acknowledged.length > 0) await journal.repeat(random.pick(acknowledged));
  }

  private async do(request: WriteRequest): Promise<void> {
    await this.perform(request);
  }

  private async perform(request: WriteRequest): Promise<Write> {
    const write = await this.options.journal.perform(request);
    this.writes.push(write);
    if (this.writes.length > maxRemembered) this.writes.shift();
    return write;
  }

  private cents(): number {
    const { account, random } = this.options;
    return account.environment === 'sandbox' ? Number(random.weighted(sandboxCents)) : random.between(0, 99);
  }
}

/** The id in the response of an acknowledged write. */
export function idOf({ outcome, response }: Write): string | undefined {
  const id = response?.body['id'];
  return outcome === 'acknowledged' && typeof id === 'string' ? id : undefined;
}
