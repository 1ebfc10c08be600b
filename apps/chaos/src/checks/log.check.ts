import { brokenChain, describeMissing } from '@florin/audit';
import { verifyLog } from '@florin/event-sourcing';
import type { Check } from './check';

export const hashChainsCheck: Check = {
  name: 'the hash chain of every stream holds',
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

/** Whatever was broken, every command was sound: none of them may have been given up. */
export const deadLettersCheck: Check = {
  name: 'no command was given up as poison',
  run: async ({ deadLetters }) => ({ examined: 'every dead-letter topic', findings: await deadLetters() }),
};
