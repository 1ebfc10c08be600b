import type { Check } from './check';
import { operationOutcomes } from './operation-outcomes';
import { listAll } from './api-reads';

/** In the log and in the API, which must agree. */
export const operationsCheck: Check = {
  name: 'every operation is completed, failed or in manual review',
  run: async ({ history, api, accounts }) => {
    const outcomes = operationOutcomes(history);
    const findings = [...outcomes.values()].flatMap(({ id, status, types }) =>
      status === 'queued' || status === 'processing' ? [`operation ${id} is still ${status}: ${types.join(', ')}`] : [],
    );
    const inApi = new Map<string, unknown>();
    for (const account of accounts) {
      for (const { id, status } of (await listAll(api, account, 'operations')).values()) inApi.set(id, status);
    }
    const streams = new Set(accounts.map(({ stream }) => stream));
    for (const { id, status, account } of outcomes.values()) {
      if (!streams.has(account) || inApi.get(id) === status) continue;
      findings.push(`operation ${id} is ${status} in the log, but ${String(inApi.get(id) ?? 'missing')} in the API`);
    }
    for (const id of inApi.keys()) if (!outcomes.has(id)) findings.push(`operation ${id} is in the API only`);
    const count = (searched: string): number =>
      [...outcomes.values()].filter(({ status }) => status === searched).length;
    const counts = ['completed', 'failed', 'manual_review'].map((status) => `${count(status)} ${status}`).join(', ');
    return { examined: `${outcomes.size} operations: ${counts}`, findings };
  },
};
