import { setTimeout as pause } from 'node:timers/promises';
import type { Issuer, IssuerRequest } from '@florin/operations-application';
import { type IssuerResponse, sandboxLast4 } from '@florin/operations-domain';

/** Resolves after the time, or rejects once the signal aborts. */
export type Delay = (milliseconds: number, signal: AbortSignal) => Promise<void>;

const slowResponseMs = 5_000;

const systemDelay: Delay = (milliseconds, signal) => pause(milliseconds, undefined, { signal });

/**
 * The issuer of the sandbox. It is stateless: the cents of the amount select the outcome, so clients can test every
 * outcome, and the same order always gets the same response.
 */
export class SandboxIssuer implements Issuer {
  readonly needsHolder = false;

  constructor(private readonly delay: Delay = systemDelay) {}

  async execute(order: IssuerRequest, signal: AbortSignal): Promise<IssuerResponse> {
    if (signal.aborted) return { outcome: 'unknown', reason: 'the deadline passed before the call started' };
    switch (order.amount.slice(-2)) {
      case '91':
        return {
          outcome: 'declined',
          code: 'declined',
          message: 'The sandbox issuer declines amounts that end in .91.',
        };
      case '92':
        return {
          outcome: 'unknown',
          reason: 'the sandbox issuer does not respond to amounts that end in .92',
        };
      case '93':
        return this.acceptSlowly(order, signal);
      default:
        return accept(order);
    }
  }

  private async acceptSlowly(order: IssuerRequest, signal: AbortSignal): Promise<IssuerResponse> {
    try {
      await this.delay(slowResponseMs, signal);
    } catch {
      return { outcome: 'unknown', reason: 'the issuer did not respond in time' };
    }
    return accept(order);
  }
}

function accept({ type, operationId, cardId }: IssuerRequest): IssuerResponse {
  const receipt = `SBX-${operationId.replaceAll('-', '').slice(0, 12).toUpperCase()}`;
  if (type !== 'issue') return { outcome: 'accepted', receipt };
  return {
    outcome: 'accepted',
    receipt,
    last4: sandboxLast4(operationId),
    cardReference: `sandbox-${cardId ?? operationId}`,
  };
}
