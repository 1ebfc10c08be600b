import type { IssuerResponse } from '@florin/operations-domain';
import type { Issuer, IssuerRequest } from '../../issuer.port';

export type Behavior =
  | 'accepts'
  | 'declines'
  | 'responds unclearly'
  | 'never responds'
  /** Accepts after the timeout. */
  | 'accepts too late'
  /** Violates the port by rejecting. */
  | 'breaks';

const responses = {
  accepts: { outcome: 'accepted', receipt: 'receipt', last4: '4242', cardReference: 'reference' },
  declines: { outcome: 'declined', code: 'declined', message: 'The issuer declined' },
  'responds unclearly': { outcome: 'unknown', reason: 'The response made no sense' },
  'never responds': { outcome: 'unknown', reason: 'No response in time' },
} as const satisfies Record<string, IssuerResponse>;

/** The issuer's own record of calls, which survives every crash of a replica. */
export class IssuerJournal {
  readonly calls: IssuerRequest[] = [];
  private readonly script = new Map<string, Behavior>();

  plan(operationId: string, behavior: Behavior): void {
    this.script.set(operationId, behavior);
  }

  behaviorFor(operationId: string): Behavior {
    return this.script.get(operationId) ?? 'accepts';
  }
}

/** The issuer as one replica sees it; every response waits for a step. */
export function scriptedIssuer(journal: IssuerJournal, step: () => Promise<void>): Issuer {
  return {
    needsHolder: true,
    execute: async (request, signal) => {
      journal.calls.push(request);
      const behavior = journal.behaviorFor(request.operationId);
      switch (behavior) {
        case 'never responds':
          await aborted(signal);
          return responses['never responds'];
        case 'accepts too late':
          await aborted(signal);
          return responses.accepts;
        case 'breaks':
          await step();
          throw new Error('The adapter broke');
        default:
          await step();
          return responses[behavior];
      }
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}
