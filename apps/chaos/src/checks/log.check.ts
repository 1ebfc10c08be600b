import { brokenChain, describeMissing } from '@florin/audit';
import { verifyLog } from '@florin/event-sourcing';
import type { Check } from './check';

export const hashChainsCheck: Check = {
  name: 'the hash chain of every stream is intact',
  run: async ({ store }) => {
    const { events, streams, broken, missing } = await verifyLog(store);
    const findings = [
      ...broken.map(({ stream, revision }) => `${stream}@${revision} ${brokenChain}`),
      ...missing.map(describeMissing).map(({ at, text }) => `${at}: ${text}`),
    ];
    return { examined: `${events} events in ${streams} streams`, findings };
  },
};

export const readinessCheck: Check = {
  name: 'everything is ready again',
  run: async ({ problems }) => ({ examined: 'every process', findings: await problems() }),
};

/** The load sends valid commands only, so none may be dead-lettered. Rejected copies are not listed. */
export const deadLettersCheck: Check = {
  name: 'no command was dead-lettered',
  run: async ({ deadLetters }) => ({ examined: 'every dead-letter topic', findings: await deadLetters() }),
};
