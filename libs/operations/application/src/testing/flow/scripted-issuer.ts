import type { IssuerResponse } from '@florin/operations-domain';
import type { Issuer, IssuerRequest } from '../../issuer.port';

export type Behaviour =
  | 'accepts'
  | 'declines'
  /** Says something that is neither yes nor no. */
  | 'mumbles'
  | 'never answers'
  /** Accepts in the very moment in which nobody waits any more. */
  | 'accepts too late'
  /** Breaks its promise not to reject. */
  | 'breaks';

const answers = {
  accepts: { outcome: 'accepted', receipt: 'receipt', last4: '4242', cardReference: 'reference' },
  declines: { outcome: 'declined', code: 'declined', message: 'The issuer declined' },
  mumbles: { outcome: 'unknown', reason: 'The answer made no sense' },
  never: { outcome: 'unknown', reason: 'No answer in time' },
} as const satisfies Record<string, IssuerResponse>;

/** What the issuer itself remembers. It outlives every crash on our side. */
export class IssuerJournal {
  /** Every call that ever reached it, in order. */
  readonly calls: IssuerRequest[] = [];
  private readonly script = new Map<string, Behaviour>();

  plan(operationId: string, behaviour: Behaviour): void {
    this.script.set(operationId, behaviour);
  }

  behaviourFor(operationId: string): Behaviour {
    return this.script.get(operationId) ?? 'accepts';
  }
}

/** The issuer as one process sees it; `turn` is when an answer comes. */
export function scriptedIssuer(journal: IssuerJournal, turn: () => Promise<void>): Issuer {
  return {
    needsHolder: true,
    execute: async (order, signal) => {
      journal.calls.push(order);
      const behaviour = journal.behaviourFor(order.operationId);
      switch (behaviour) {
        case 'never answers':
          await aborted(signal);
          return answers.never;
        case 'accepts too late':
          await aborted(signal);
          return answers.accepts;
        case 'breaks':
          await turn();
          throw new Error('The adapter broke');
        default:
          await turn();
          return answers[behaviour];
      }
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}
