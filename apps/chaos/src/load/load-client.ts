import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random';
import type { LiveChain } from '../world/live-chain';
import { InvoicePayer } from './invoice-payer';
import type { Journal, Wish, Write } from './journal';
import type { LoadAccount } from './load-account';
import * as wishes from './wishes';

export interface LoadClientOptions {
  readonly account: LoadAccount;
  readonly journal: Journal;
  readonly chain: LiveChain;
  readonly random: Random;
  /** Only one client of an account makes invoices, since there can be one unresolved at a time. */
  readonly makesInvoices: boolean;
}

/** A card as the one client knows it that ever changes it. */
interface OwnCard {
  readonly id: string;
  frozen: boolean;
}

/** How often a client does what. The cents decide what the issuer of the sandbox makes of an operation. */
const actions = {
  ...{ issue: 14, topup: 18, service: 18, refused: 8, fund: 7, holder: 4, changeCard: 8, pay: 9, invoice: 5 },
  ...{ quote: 3, look: 20, read: 8, repeat: 8 },
} as const;
type Action = keyof typeof actions;
const sandboxCents = { '0': 60, '37': 10, '91': 8, '92': 3, '93': 6 } as const;
const remembered = 40;
const mostCards = 25;

/** One program of a company: does one thing after the other, and knows the outcome of each before the next. */
export class LoadClient {
  private readonly cards: OwnCard[] = [];
  private readonly writes: Write[] = [];
  private readonly expectedCards = new Set<string>();
  private readonly invoices: InvoicePayer;

  constructor(private readonly options: LoadClientOptions) {
    this.invoices = new InvoicePayer(options);
  }

  /** Until the time is over or the journal is full. */
  async run(untilMs: number, mostWrites: number): Promise<void> {
    const { random, journal } = this.options;
    while (Date.now() < untilMs && journal.writes.length < mostWrites) {
      await this.act(random.weighted(actions));
      await delay(random.between(10, 120));
    }
  }

  private async act(action: Action): Promise<void> {
    const { account, random, makesInvoices } = this.options;
    const isSandbox = account.environment === 'sandbox';
    switch (action) {
      case 'issue':
        return this.issue();
      case 'topup':
        return this.topUp();
      case 'service':
        return this.do(wishes.service(account, this.cents()));
      case 'refused':
        return this.do(random.pick(Object.values(wishes.refusals))(account));
      case 'fund':
        return isSandbox ? this.do(wishes.funding(account, 100_000 + account.ownDollars())) : this.look();
      case 'holder':
        return this.do(wishes.holder(account));
      case 'changeCard':
        return this.changeCard();
      case 'pay':
        return isSandbox ? this.payWithCard() : this.look();
      case 'invoice':
        return makesInvoices ? this.invoices.step() : this.look();
      case 'quote':
        return this.quote();
      case 'look':
        return this.look();
      case 'read':
        return this.read();
      case 'repeat':
        return this.repeat();
    }
  }

  private async issue(): Promise<void> {
    const { account, random } = this.options;
    if (this.cards.length + this.expectedCards.size >= mostCards) return this.look();
    const write = await this.perform(wishes.issue(account, random.pick(account.holderIds), this.cents()));
    const id = idOf(write);
    if (id !== undefined) this.expectedCards.add(id);
  }

  private async topUp(): Promise<void> {
    const { account, random } = this.options;
    if (this.cards.length === 0) return this.issue();
    const { id, frozen } = random.pick(this.cards);
    const wish = wishes.topup(account, id, this.cents());
    await this.perform(frozen ? { ...wish, refusedWith: ['card_not_active'] } : wish);
  }

  private async changeCard(): Promise<void> {
    const { account, random } = this.options;
    if (this.cards.length === 0) return this.issue();
    const card = random.pick(this.cards);
    // Operations under way on a card that is frozen may fail, but those are not refused.
    const write = await this.perform(wishes.cardChange(account, card.id, card.frozen ? 'unfreeze' : 'freeze'));
    if (write.outcome === 'acknowledged') card.frozen = !card.frozen;
    else this.cards.splice(this.cards.indexOf(card), 1);
  }

  private async payWithCard(): Promise<void> {
    const { account, random } = this.options;
    if (this.cards.length === 0) return this.issue();
    await this.perform(wishes.payment(account, random.pick(this.cards).id, random.between(1, 900)));
  }

  /** Reads what was acknowledged before: it must be there, through whatever replica. */
  private async look(): Promise<void> {
    const { account, journal, random } = this.options;
    const operations = this.writes
      .filter(({ wish }) => wish.kind === 'operation')
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

  private async do(wish: Wish): Promise<void> {
    await this.perform(wish);
  }

  private async perform(wish: Wish): Promise<Write> {
    const write = await this.options.journal.perform(wish);
    this.writes.push(write);
    if (this.writes.length > remembered) this.writes.shift();
    return write;
  }

  private cents(): number {
    const { account, random } = this.options;
    return account.environment === 'sandbox' ? Number(random.weighted(sandboxCents)) : random.between(0, 99);
  }
}

/** Of what was acknowledged. */
export function idOf({ outcome, answer }: Write): string | undefined {
  const id = answer?.body['id'];
  return outcome === 'acknowledged' && typeof id === 'string' ? id : undefined;
}
