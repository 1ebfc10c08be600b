import { flawsIn } from '@florin/audit/testing';
import { brokenHashChains, duplicatesIn } from '@florin/event-sourcing/testing';
import { depositOf, type Invoice, type PaymentClaim, type Settlement, settlementBy } from '@florin/invoicing-domain';
import { type Money, type MoneyText, parseMoney } from '@florin/kernel';
import type { InvoicingLog } from './invoicing-log';
import type { InvoicingSimulation } from './invoicing-simulation';

/** The invariants of every idle simulation, for any requests and crashes. */
export async function violationsIn(simulation: InvoicingSimulation): Promise<readonly string[]> {
  const log = await simulation.log();
  return [
    ...simulation.stopped(),
    ...unfinished(log),
    ...wrongCredits(log),
    ...lostMoney(log),
    ...wrongSettlements(log),
    ...wrongExpiries(log),
    ...unmatchedTransfers(simulation, log),
    ...lostDeposits(log),
    ...sharedAmounts(log),
    ...secondInvoices(log),
    ...brokenHashChains(log.streams),
    ...flawsIn(await simulation.recorded()),
  ];
}

export async function expectInvariants(simulation: InvoicingSimulation): Promise<InvoicingLog> {
  expect(await violationsIn(simulation)).toEqual([]);
  return simulation.log();
}

function unfinished({ invoices }: InvoicingLog): string[] {
  const ends = ['completed', 'expired', 'failed', 'review'];
  const stalled = [...invoices].filter(([, { phase }]) => !ends.includes(phase));
  return stalled.map(([id, { phase }]) => `invoice ${id} stays ${phase}`);
}

/** Exactly one credit per completed invoice, each because of a payment or an operator's decision. */
function wrongCredits({ invoices, accountEvents, addressEvents, invoiceEvents }: InvoicingLog): string[] {
  const credited = accountEvents.flatMap(({ type, data }) => (type === 'FundsDeposited' ? [data.depositId] : []));
  const completed = [...invoices].flatMap(([id, { phase }]) => (phase === 'completed' ? [id] : []));
  const paidInTime = addressEvents.flatMap(({ type, data }) => {
    return type === 'DepositMatched' && !data.late ? [data.invoiceId] : [];
  });
  const allowed = invoiceEvents.flatMap(({ type, data }) => {
    return type === 'InvoiceResolved' && data.outcome === 'completed' ? [data.invoiceId] : [];
  });
  return [
    ...duplicatesIn(credited).map((id) => `${id} was credited twice`),
    ...credited.filter((id) => !completed.includes(id)).map((id) => `${id} was credited and is not completed`),
    ...completed.filter((id) => !credited.includes(id)).map((id) => `${id} is completed and was not credited`),
    ...credited
      .filter((id) => ![...paidInTime, ...allowed].includes(id))
      .map((id) => `${id} was credited without a reason`),
  ];
}

/** The balance of an account is the sum of its completed invoices. */
function lostMoney({ invoices, accountEvents }: InvoicingLog): string[] {
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

/** A completed invoice shows the transfer of its deposit. */
function wrongSettlements({ invoices, addressEvents }: InvoicingLog): string[] {
  const transfers = new Map<string, Settlement>();
  for (const { type, data } of addressEvents) {
    if (type !== 'DepositMatched' && type !== 'DepositUnmatched') continue;
    transfers.set(data.deposit.depositId, settlementBy(data.deposit));
  }
  return [...invoices].flatMap(([id, { phase, depositId, settlement }]) => {
    if (phase !== 'completed') return [];
    const expected = transfers.get(depositId ?? '');
    return expected?.transactionId === settlement?.transactionId ? [] : [`${id} shows another transfer`];
  });
}

/**
 * No payment from the expiry on is credited without an operator, and none from before the expiry goes to review. A payment
 * before the creation, or after the chain was read up to the expiry, cannot happen in the simulation.
 */
function wrongExpiries({ invoices, invoiceEvents }: InvoicingLog): string[] {
  return invoiceEvents.flatMap(({ type, data }) => {
    if (type !== 'InvoicePaid' && type !== 'InvoiceSentToReview') return [];
    const isCredited = type === 'InvoicePaid';
    if (data.settlement === undefined || (!isCredited && data.reason !== 'Paid after it had expired')) return [];
    const expiresAt =
      (type === 'InvoiceSentToReview' ? data.expiresAt : undefined) ?? invoices.get(data.invoiceId)!.expiresAt;
    const isInTime = data.settlement.blockTime < expiresAt;
    return isInTime === isCredited ? [] : [`${data.invoiceId} was paid at ${data.settlement.blockTime}: ${type}`];
  });
}

/** Every transfer is matched exactly once; its invoice may return it. */
function unmatchedTransfers({ transfers }: InvoicingSimulation, { addressEvents }: InvoicingLog): string[] {
  const matched = addressEvents.flatMap(({ type, data }) => {
    if (type === 'DepositMatched') return [data.deposit.depositId];
    return type === 'DepositUnmatched' && data.reason !== 'invoice_closed' ? [data.deposit.depositId] : [];
  });
  const ids = transfers.map((transfer) => depositOf(transfer).data.deposit.depositId);
  return [
    ...duplicatesIn(matched).map((id) => `deposit ${id} was matched twice`),
    ...ids.filter((id) => !matched.includes(id)).map((id) => `deposit ${id} was never matched`),
  ];
}

/** Every deposit pays its invoice, is in review with it, or is in review itself. */
function lostDeposits({ addressEvents, invoices }: InvoicingLog): string[] {
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

function sharedAmounts({ addressEvents }: InvoicingLog): string[] {
  const claims = new Map<string, PaymentClaim>();
  return addressEvents.flatMap(({ type, data }) => {
    if (type !== 'PayAmountClaimed') return [];
    const place = `${data.payAmount} at ${data.address}`;
    const before = claims.get(place);
    claims.set(place, data);
    return before !== undefined && before.watchedUntil > data.claimedAt ? [`${place} was assigned twice`] : [];
  });
}

/** No invoice was opened while another one of the account was unresolved. */
function secondInvoices({ invoiceEvents }: InvoicingLog): string[] {
  const unresolved = new Map<string, Set<string>>();
  return invoiceEvents.flatMap(({ type, data: { accountId, invoiceId } }) => {
    const open = unresolved.get(accountId) ?? new Set();
    unresolved.set(accountId, open);
    const flaw =
      type === 'InvoiceOpened' && open.size > 0 ? [`${invoiceId} was opened in addition to ${[...open].join()}`] : [];
    if (type === 'InvoiceOpened' || type === 'InvoiceSentToReview') open.add(invoiceId);
    if (type === 'InvoiceCompleted' || type === 'InvoiceExpired' || type === 'InvoiceFailed') open.delete(invoiceId);
    return flaw;
  });
}

function sum(amounts: readonly MoneyText[]): Money {
  return amounts.reduce((total, amount) => total + parseMoney(amount), 0n);
}
