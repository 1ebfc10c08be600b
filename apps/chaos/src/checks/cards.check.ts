import type { Check } from './check';
import { cents, dollars, type History, type PastEvent, text } from './history';
import { operationOutcomes } from './operation-outcomes';

interface AuditedCard {
  readonly balance: bigint;
  /** The amount that each operation has loaded onto the card, or taken off it. */
  readonly moves: readonly Move[];
  readonly findings: readonly string[];
}

interface Move {
  readonly operationId: string;
  readonly amount: bigint;
  readonly isUnload: boolean;
}

const addsMoney = new Set(['refund']);
const movingEvents = new Set(['CardIssued', 'CardToppedUp', 'CardUnloaded']);
const movesNothing = new Set(['verification']);

function auditCard(stream: string, events: readonly PastEvent[]): AuditedCard {
  let balance = 0n;
  const moves: Move[] = [];
  const findings: string[] = [];
  for (const event of events) {
    if (movingEvents.has(event.type)) {
      const amount = cents(event.data['amount']);
      const isUnload = event.type === 'CardUnloaded';
      moves.push({ operationId: text(event, 'operationId'), amount, isUnload });
      balance += isUnload ? -amount : amount;
    } else if (event.type === 'PaymentRecorded') {
      balance += paid(event.data['payment'] as { type: string; status: string; amount: string });
    }
    const recorded = (event.data['after'] as { readonly balance?: unknown } | undefined)?.balance;
    if (recorded !== undefined && cents(recorded) !== balance) {
      findings.push(
        `${stream}@${event.revision} (${event.type}): records ${String(recorded)}, but it is ${dollars(balance)}`,
      );
    }
    if (balance < 0n) findings.push(`${stream}@${event.revision} (${event.type}): makes the balance negative`);
  }
  return { balance, moves, findings };
}

function paid({ type, status, amount }: { type: string; status: string; amount: string }): bigint {
  if (status !== 'completed' || movesNothing.has(type)) return 0n;
  return addsMoney.has(type) ? cents(amount) : -cents(amount);
}

/** Every completed issue, topup and unload has moved its money exactly once, and no other money was moved. */
export function auditCards(history: History): string[] {
  const cards = history.category('card').map(([stream, events]) => [stream, auditCard(stream, events)] as const);
  const findings = cards.flatMap(([, card]) => card.findings);
  const moves = cards.flatMap(([stream, card]) => card.moves.map((move) => ({ ...move, stream })));
  const outcomes = operationOutcomes(history);
  const times = new Map<string, number>();
  for (const { operationId, amount, isUnload, stream } of moves) {
    times.set(operationId, (times.get(operationId) ?? 0) + 1);
    const outcome = outcomes.get(operationId);
    const isExpected =
      outcome?.status === 'completed' && outcome.amount === amount && stream === `card-${outcome.cardId}`;
    if (isExpected && (outcome.type === 'unload') === isUnload) continue;
    findings.push(
      `${stream}: ${isUnload ? 'lost' : 'got'} ${dollars(amount)} by ${operationId}, which is ${outcome?.status ?? 'no operation'}`,
    );
  }
  for (const { id, type, status } of outcomes.values()) {
    const count = times.get(id) ?? 0;
    const expected = status === 'completed' && type !== 'service' ? 1 : 0;
    if (count !== expected) findings.push(`operation ${id} (${type}, ${status}) is on ${count} cards, not ${expected}`);
  }
  return findings;
}

export const cardsCheck: Check = {
  name: 'every completed issue, topup and unload is on its card once',
  run: async ({ history }) => ({
    examined: `${history.category('card').length} cards`,
    findings: auditCards(history),
  }),
};
