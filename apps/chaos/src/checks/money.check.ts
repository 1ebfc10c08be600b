import { type Finding, LedgerAudit } from '@florin/audit';
import type { Check } from './check';
import { dollars, type History } from './history';

export interface AuditedMoney {
  readonly ledger: LedgerAudit;
  readonly findings: readonly string[];
}

/** The system has settled, so work that is still in progress counts as a finding. */
export function auditMoney(history: History): AuditedMoney {
  const ledger = new LedgerAudit();
  for (const event of history.events()) ledger.add(event);
  const { flaws, inProgress } = ledger.close();
  return { ledger, findings: [...flaws, ...inProgress].map(({ at, text }: Finding) => `${at}: ${text}`) };
}

export const moneyCheck: Check = {
  name: 'money is conserved on every account',
  run: async ({ history, accounts, api }) => {
    const { ledger, findings } = auditMoney(history);
    const wrongBalances: string[] = [];
    for (const account of accounts) {
      const { body } = await api.send({ method: 'GET', path: '/api/v1/balance', token: account.key });
      const own = ledger.accounts.get(account.stream)?.sums;
      const expected = [dollars(own?.available ?? 0n), dollars(own?.held ?? 0n)];
      if (body['available'] === expected[0] && body['held'] === expected[1]) continue;
      wrongBalances.push(
        `${account.name}: the API returns ${JSON.stringify(body)}, but the log adds up to ${expected.join(' and ')} held`,
      );
    }
    const captured = [...ledger.accounts.values()].reduce((sum, { sums }) => sum + sums.captured, 0n);
    const operations = `${history.category('operation').length} operations, ${dollars(captured)} captured`;
    return { examined: `${ledger.accounts.size} accounts, ${operations}`, findings: [...findings, ...wrongBalances] };
  },
};
