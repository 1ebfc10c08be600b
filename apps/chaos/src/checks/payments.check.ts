import type { Check } from './check';
import { cents, dollars, text } from './history';
import { listAll } from './api-reads';

/** Live funds come from the chain only. A paid invoice is credited once, even if it was paid several times. */
export const paymentsCheck: Check = {
  name: 'every paid invoice is credited once, and no other credit exists',
  run: async ({ payments, history, accounts, api }) => {
    const credits = new Map<string, bigint[]>();
    for (const [stream, events] of history.category('account')) {
      if (!stream.endsWith('-live')) continue;
      for (const event of events.filter(({ type }) => type === 'FundsDeposited')) {
        const credit = cents(event.data['amount']) - cents(event.data['fee']);
        const reference = text(event, 'reference');
        credits.set(reference, [...(credits.get(reference) ?? []), credit]);
      }
    }
    const findings = payments.flatMap(({ invoice, times }) => {
      const [credit = 0n, ...more] = credits.get(invoice.id) ?? [];
      if (credit === cents(invoice.creditAmount) && more.length === 0) return [];
      const found = [credit, ...more].map(dollars).join(' and ');
      return [`invoice ${invoice.id} of ${invoice.creditAmount} was paid ${times} times, but credited ${found}`];
    });
    const paid = new Set(payments.map(({ invoice }) => invoice.id));
    for (const reference of credits.keys()) {
      if (!paid.has(reference)) findings.push(`${reference} was credited in live, but never paid`);
    }
    for (const account of accounts.filter(({ environment }) => environment === 'live')) {
      for (const { id, status } of (await listAll(api, account, 'card-account/invoices')).values()) {
        if (paid.has(id) === (status === 'completed')) continue;
        findings.push(`invoice ${id}, which was ${paid.has(id) ? '' : 'not '}paid, is ${String(status)}`);
      }
    }
    return { examined: `${payments.length} invoices paid on the chain`, findings };
  },
};
