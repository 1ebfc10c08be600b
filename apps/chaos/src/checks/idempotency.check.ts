import { isSuccess } from '../load/api';
import { isSurelyRefused, type Write } from '../load/journal';
import type { Check } from './check';
import { Effects } from './effects';

const nameOf = ({ number, wish }: Write): string =>
  `write ${number} (${wish.kind} of ${wish.account.name}, key ${wish.idempotencyKey}, ${JSON.stringify(wish.body)})`;

/** However often it was sent: one effect if it was acknowledged, at most one otherwise, and one id for all who asked. */
export const idempotencyCheck: Check = {
  name: 'no idempotency key has two effects',
  run: async ({ journal, history }) => {
    const effects = new Effects(history);
    const findings: string[] = [];
    let examined = 0;
    for (const write of journal.writes) {
      const given = write.attempts.filter(({ answer }) => isSuccess(answer)).map(({ answer }) => answer.body['id']);
      if (new Set(given).size > 1) findings.push(`${nameOf(write)} was given several ids: ${given.join(', ')}`);
      const found = effects.of(write);
      if (found === undefined) continue;
      examined += 1;
      const places = found.map(({ stream, revision }) => `${stream}@${revision}`).join(', ');
      if (found.length > 1) findings.push(`${nameOf(write)} has ${found.length} effects: ${places}`);
      if (found.length === 0 && write.outcome === 'acknowledged') findings.push(`${nameOf(write)} left nothing`);
    }
    const repeated = journal.writes.filter(({ attempts }) => attempts.length > 1).length;
    return { examined: `${examined} keys, ${repeated} of them sent more than once`, findings };
  },
};

/**
 * A command that is delivered twice while its request lasts is like a client's own repeat, which may find things changed.
 * That request is over after this time, and so must be everything that it could still set off.
 */
const requestLastsMs = 12_000;

/** A client that was told no relies on it: it may have ordered the same elsewhere by now. */
export const refusalsCheck: Check = {
  name: 'what was refused has no effect later on',
  run: async ({ journal, history }) => {
    const effects = new Effects(history);
    const refused = journal.writes.filter(isSurelyRefused);
    const findings = refused.flatMap((write) => {
      const sentMs = Date.parse(write.attempts.at(-1)?.at ?? '');
      const late = (effects.of(write) ?? []).filter(({ at }) => Date.parse(at) > sentMs + requestLastsMs);
      return late.map(({ stream, at }) => `${nameOf(write)} was refused, but is in ${stream}, recorded at ${at}`);
    });
    return { examined: `${refused.length} refused writes`, findings };
  },
};
