import type { Check } from './check';
import { operationFates } from './operation-fates';
import { listShown } from './shown';

/** By the log and by the API, which must say the same. */
export const operationsCheck: Check = {
  name: 'every operation is completed, failed or in manual review',
  run: async ({ history, api, accounts }) => {
    const fates = operationFates(history);
    const findings = [...fates.values()].flatMap(({ id, status, types }) =>
      status === 'queued' || status === 'processing' ? [`operation ${id} is still ${status}: ${types.join(', ')}`] : [],
    );
    const shown = new Map<string, unknown>();
    for (const account of accounts) {
      for (const { id, status } of (await listShown(api, account, 'operations')).values()) shown.set(id, status);
    }
    const streams = new Set(accounts.map(({ stream }) => stream));
    for (const { id, status, account } of fates.values()) {
      if (!streams.has(account) || shown.get(id) === status) continue;
      findings.push(`operation ${id} is ${status} in the log, but ${String(shown.get(id) ?? 'not there')} in the API`);
    }
    for (const id of shown.keys()) if (!fates.has(id)) findings.push(`operation ${id} is in the API alone`);
    const count = (wanted: string): number => [...fates.values()].filter(({ status }) => status === wanted).length;
    const counts = ['completed', 'failed', 'manual_review'].map((status) => `${count(status)} ${status}`).join(', ');
    return { examined: `${fates.size} operations: ${counts}`, findings };
  },
};
