import { IssuerSimulator, type IssuerOrder, type PlannedBehavior } from '@florin/issuer-simulator';
import type { Random } from '../random';

export const issuerTimeoutMs = 3_000;

/** How often the issuer behaves in which way. */
const weights = {
  accepted: 50,
  acceptedSlowly: 24,
  declined: 10,
  acceptedTooLate: 4,
  hangs: 3,
  resets: 5,
  serverError: 4,
} as const;

/** The seed and the operation's id alone decide, so that a run can be repeated. */
export function planFor({ operationId }: IssuerOrder, seeded: Random): PlannedBehavior {
  const random = seeded.fork(operationId);
  const kind = random.weighted(weights);
  switch (kind) {
    case 'acceptedSlowly':
      return { behavior: 'accepted', delayMs: random.between(100, issuerTimeoutMs / 2) };
    case 'acceptedTooLate':
      return { behavior: 'accepted', delayMs: issuerTimeoutMs + random.between(100, 1_000) };
    case 'declined':
      return { behavior: 'declinedWith200', delayMs: random.between(0, 60) };
    default:
      return { behavior: kind, delayMs: random.between(0, 60) };
  }
}

/** A live issuer that responds late, not at all, or with errors, as real ones do. */
export function startUnreliableIssuer(secret: string, journal: string, random: Random): Promise<IssuerSimulator> {
  return IssuerSimulator.start({ secret, journal, plan: (order) => planFor(order, random) });
}
