import { findBrokenLink } from '@florin/event-sourcing';
import { depositOf, type Invoice, type PaymentClaim } from '@florin/invoicing-domain';
import { type Money, type MoneyText, parseMoney } from '@florin/kernel';
import type { FlowLog } from './flow-log';
import type { FlowWorld } from './flow-world';

/** What must hold of every flow that has come to rest, whatever was asked for and whoever crashed on the way. */
export async function expectSound(world: FlowWorld): Promise<FlowLog> {
  const log = await world.log();
  const flaws = [
    ...world.stopped(),
    ...unfinished(log),
    ...wrongCredits(log),
    ...lostMoney(log),
    ...unheardTransfers(world, log),
    ...swallowedDeposits(log),
    ...sharedAmounts(log),
    ...secondInvoices(log),
    ...brokenChains(log),
  ];
  expect(flaws).toEqual([]);
  return log;
}

function unfinished({ invoices }: FlowLog): string[] {
  const ends = ['completed', 'expired', 'failed', 'review'];
  const standing = [...invoices].filter(([, { phase }]) => !ends.includes(phase));
  return standing.map(([id, { phase }]) => `invoice ${id} is ${phase} for ever`);
}

/** One credit for each invoice that is completed, and for no other; and each for a reason. */
function wrongCredits({ invoices, accountEvents, addressEvents, invoiceEvents }: FlowLog): string[] {
  const credited = accountEvents.flatMap(({ type, data }) => (type === 'FundsDeposited' ? [data.depositId] : []));
  const completed = [...invoices].flatMap(([id, { phase }]) => (phase === 'completed' ? [id] : []));
  const paidInTime = addressEvents.flatMap(({ type, data }) => {
    return type === 'DepositMatched' && !data.late ? [data.invoiceId] : [];
  });
  const allowed = invoiceEvents.flatMap(({ type, data }) => {
    return type === 'InvoiceResolved' && data.outcome === 'completed' ? [data.invoiceId] : [];
  });
  return [
    ...repeated(credited).map((id) => `${id} was credited twice`),
    ...credited.filter((id) => !completed.includes(id)).map((id) => `${id} was credited and is not completed`),
    ...completed.filter((id) => !credited.includes(id)).map((id) => `${id} is completed and was not credited`),
    ...credited.filter((id) => ![...paidInTime, ...allowed].includes(id)).map((id) => `${id} was credited for nothing`),
  ];
}

/** Accounts hold the credits of their completed invoices, to the cent. */
function lostMoney({ invoices, accountEvents }: FlowLog): string[] {
  const balances = new Map<string, Money>();
  for (const { accountId, data } of accountEvents) balances.set(accountId, parseMoney(data.after.available));
  return [...balances].flatMap(([accountId, balance]) => {
    const completed = [...invoices.values()].filter(
      ({ phase, terms }) => phase === 'completed' && terms.accountId === accountId,
    );
    const expected = sum(completed.map(({ terms }) => terms.creditAmount));
    return balance === expected ? [] : [`${accountId} holds ${balance} cents instead of ${expected}`];
  });
}

/** Every transfer is judged exactly once, and may come back from its invoice. */
function unheardTransfers({ transfers }: FlowWorld, { addressEvents }: FlowLog): string[] {
  const judged = addressEvents.flatMap(({ type, data }) => {
    if (type === 'DepositMatched') return [data.deposit.depositId];
    return type === 'DepositUnmatched' && data.reason !== 'invoice_closed' ? [data.deposit.depositId] : [];
  });
  const ids = transfers.map((transfer) => depositOf(transfer).data.deposit.depositId);
  return [
    ...repeated(judged).map((id) => `deposit ${id} was judged twice`),
    ...ids.filter((id) => !judged.includes(id)).map((id) => `deposit ${id} was never judged`),
  ];
}

/** Whatever arrived pays its invoice, waits with it for an operator, or is with an operator itself. */
function swallowedDeposits({ addressEvents, invoices }: FlowLog): string[] {
  const holders = new Map<string, string>();
  for (const { type, data } of addressEvents) {
    if (type === 'DepositMatched') holders.set(data.deposit.depositId, data.invoiceId);
    if (type === 'DepositUnmatched') holders.delete(data.deposit.depositId);
    if (type === 'DepositResolved' && data.invoiceId !== undefined) holders.set(data.depositId, data.invoiceId);
  }
  return [...holders].flatMap(([depositId, invoiceId]) => {
    const invoice: Invoice | undefined = invoices.get(invoiceId);
    return invoice?.depositId === depositId ? [] : [`deposit ${depositId} is lost in invoice ${invoiceId}`];
  });
}

function sharedAmounts({ addressEvents }: FlowLog): string[] {
  const claims = new Map<string, PaymentClaim>();
  return addressEvents.flatMap(({ type, data }) => {
    if (type !== 'PayAmountClaimed') return [];
    const place = `${data.payAmount} at ${data.address}`;
    const before = claims.get(place);
    claims.set(place, data);
    return before !== undefined && before.watchedUntil > data.claimedAt ? [`${place} was given twice`] : [];
  });
}

/** None was opened while another one of the account was unresolved. */
function secondInvoices({ invoiceEvents }: FlowLog): string[] {
  const unresolved = new Map<string, Set<string>>();
  return invoiceEvents.flatMap(({ type, data: { accountId, invoiceId } }) => {
    const open = unresolved.get(accountId) ?? new Set();
    unresolved.set(accountId, open);
    const flaw =
      type === 'InvoiceOpened' && open.size > 0 ? [`${invoiceId} was opened beside ${[...open].join()}`] : [];
    if (type === 'InvoiceOpened' || type === 'InvoiceSentToReview') open.add(invoiceId);
    if (type === 'InvoiceCompleted' || type === 'InvoiceExpired' || type === 'InvoiceFailed') open.delete(invoiceId);
    return flaw;
  });
}

function brokenChains({ streams }: FlowLog): string[] {
  return [...streams].flatMap(([stream, events]) => {
    const broken = findBrokenLink(events);
    return broken === undefined ? [] : [`the chain of ${stream} breaks at ${broken.revision}`];
  });
}

function repeated(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}

function sum(amounts: readonly MoneyText[]): Money {
  return amounts.reduce((total, amount) => total + parseMoney(amount), 0n);
}
