import { isRefusal } from '@florin/kernel';
import fc from 'fast-check';
import { apiKeyAggregate, type ApiKeyState } from './api-key.decider';
import { validSecrets } from './testing/valid-secrets';
import type { ApiKeyCommand } from './api-key.messages';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const hour = 60 * 60 * 1000;
const lifeHours = 500;
const iso = (hours: number): string => new Date(start + hours * hour).toISOString();

/** An action of an operator, some hours after the previous one: the times of one key only increase. */
type Step =
  | { readonly does: 'issue'; readonly after: number }
  | { readonly does: 'revoke'; readonly after: number }
  | { readonly does: 'rotate'; readonly after: number; readonly overlap: number; readonly secret: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.record({ does: fc.constant('issue' as const), after: fc.nat(50) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('revoke' as const), after: fc.nat(50) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        does: fc.constant('rotate' as const),
        after: fc.nat(50),
        // Sometimes out of range, and with few secrets, so that repeats of old ones occur.
        overlap: fc.integer({ min: -2, max: 7 * 24 + 2 }),
        secret: fc.nat(12),
      }),
    },
  ),
  { minLength: 1, maxLength: 20 },
);

function commandOf(step: Step, now: number): ApiKeyCommand {
  const keyId = 'key';
  if (step.does === 'revoke') return { type: 'RevokeApiKey', data: { keyId, revokedAt: iso(now) } };
  if (step.does === 'rotate') {
    const [rotatedAt, overlapUntil] = [iso(now), iso(now + step.overlap)];
    return { type: 'RotateApiKey', data: { keyId, secretHash: `s${step.secret}`, hint: 'h', rotatedAt, overlapUntil } };
  }
  const rest = { companyId: 'c', environment: 'live', name: 'n', scopes: [], hint: 'h' } as const;
  return {
    type: 'IssueApiKey',
    data: { ...rest, keyId, secretHash: 's0', issuedAt: iso(0), expiresAt: iso(lifeHours) },
  };
}

/** A second implementation of the rule: the hour at which each secret ends, from the plain history of actions. */
class Expectation {
  private readonly endOf = new Map<string, number>();
  private revoked = false;

  note(step: Step, now: number): void {
    if (step.does === 'issue') {
      if (this.endOf.size === 0) this.endOf.set('s0', lifeHours);
      return;
    }
    if (this.endOf.size === 0) return;
    if (step.does === 'revoke') {
      this.revoked = true;
      return;
    }
    const secret = `s${step.secret}`;
    const allowed = !this.revoked && now < lifeHours && step.overlap >= 0 && step.overlap <= 7 * 24;
    if (!allowed || this.endOf.has(secret)) return;
    for (const [known, end] of this.endOf) this.endOf.set(known, Math.min(end, now + step.overlap));
    this.endOf.set(secret, lifeHours);
  }

  validAt(now: number): readonly string[] {
    if (this.revoked) return [];
    return [...this.endOf].filter(([, end]) => now < end).map(([secret]) => secret);
  }
}

describe('After any sequence of commands for an API key', () => {
  it('exactly the right secrets are valid at any time, and none after a revocation', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat(lifeHours + 10), { minLength: 1, maxLength: 5 }), (todo, probes) => {
        let state: ApiKeyState = apiKeyAggregate.initialState();
        const expectation = new Expectation();
        let now = 0;
        for (const step of todo) {
          now += step.after;
          const decision = apiKeyAggregate.decide(commandOf(step, now), state);
          if (!isRefusal(decision)) state = decision.reduce(apiKeyAggregate.evolve, state);
          expectation.note(step, now);
          for (const at of [now, ...probes.map((probe) => now + probe)]) {
            expect(validSecrets(state, iso(at))).toEqual(expectation.validAt(at));
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
