import { isSuccess } from '../load/api';
import { isCertainlyRejected, type Write } from '../load/journal';
import type { Check } from './check';
import { Effects } from './effects';

const nameOf = ({ number, request }: Write): string =>
  `write ${number} (${request.kind} of ${request.account.name}, key ${request.idempotencyKey}, ${JSON.stringify(request.body)})`;

/** One effect if the request was acknowledged, at most one otherwise, and one id, for any number of attempts. */
export const idempotencyCheck: Check = {
  name: 'no idempotency key has two effects',
  run: async ({ journal, history }) => {
    const effects = new Effects(history);
    const findings: string[] = [];
    let examined = 0;
    for (const write of journal.writes) {
      const ids = write.attempts
        .filter(({ response }) => isSuccess(response))
        .map(({ response }) => response.body['id']);
      if (new Set(ids).size > 1) findings.push(`${nameOf(write)} received several ids: ${ids.join(', ')}`);
      const found = effects.of(write);
      if (found === undefined) continue;
      examined += 1;
      const places = found.map(({ stream, revision }) => `${stream}@${revision}`).join(', ');
      if (found.length > 1) findings.push(`${nameOf(write)} has ${found.length} effects: ${places}`);
      if (found.length === 0 && write.outcome === 'acknowledged') findings.push(`${nameOf(write)} has no effect`);
    }
    const repeated = journal.writes.filter(({ attempts }) => attempts.length > 1).length;
    return { examined: `${examined} keys, ${repeated} of them sent more than once`, findings };
  },
};

/**
 * While a request is in progress, Kafka may deliver its command again, and the repeat may succeed. After this time the
 * request has timed out everywhere, and a rejected command must have no effect.
 */
const requestTimeoutMs = 12_000;

/** A client relies on a rejection: it may have sent a different order since. */
export const refusalsCheck: Check = {
  name: 'no rejected request has a later effect',
  run: async ({ journal, history }) => {
    const effects = new Effects(history);
    const rejected = journal.writes.filter(isCertainlyRejected);
    const findings = rejected.flatMap((write) => {
      const sentMs = Date.parse(write.attempts.at(-1)?.at ?? '');
      const late = (effects.of(write) ?? []).filter(({ at }) => Date.parse(at) > sentMs + requestTimeoutMs);
      return late.map(({ stream, at }) => `${nameOf(write)} was rejected, but is in ${stream}, recorded at ${at}`);
    });
    return { examined: `${rejected.length} rejected writes`, findings };
  },
};
