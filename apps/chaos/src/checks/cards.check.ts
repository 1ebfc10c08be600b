import type { Check } from './check';
import { cents, dollars, type History, type PastEvent, text } from './history';
import { operationFates } from './operation-fates';

interface AuditedCard {
  readonly balance: bigint;
  /** How much each operation has put onto the card. */
  readonly loads: readonly { readonly operationId: string; readonly amount: bigint }[];
  readonly findings: readonly string[];
}

const addsMoney = new Set(['refund']);
const movesNothing = new Set(['verification']);

function auditCard(stream: string, events: readonly PastEvent[]): AuditedCard {
  let balance = 0n;
  const loads: { operationId: string; amount: bigint }[] = [];
  const findings: string[] = [];
  for (const event of events) {
    if (event.type === 'CardIssued' || event.type === 'CardToppedUp') {
      const amount = cents(event.data['amount']);
      loads.push({ operationId: text(event, 'operationId'), amount });
      balance += amount;
    } else if (event.type === 'PaymentRecorded') {
      balance += paid(event.data['payment'] as { type: string; status: string; amount: string });
    }
    const told = event.data['balance'];
    if (told !== undefined && cents(told) !== balance) {
      findings.push(`${stream}@${event.revision} (${event.type}): says ${String(told)}, but it is ${dollars(balance)}`);
    }
    if (balance < 0n) findings.push(`${stream}@${event.revision} (${event.type}): leaves less than nothing`);
  }
  return { balance, loads, findings };
}

function paid({ type, status, amount }: { type: string; status: string; amount: string }): bigint {
  if (status !== 'completed' || movesNothing.has(type)) return 0n;
  return addsMoney.has(type) ? cents(amount) : -cents(amount);
}

/** Every completed issue and topup is on its card exactly once, and nothing else is. */
export function auditCards(history: History): string[] {
  const cards = history.category('card').map(([stream, events]) => [stream, auditCard(stream, events)] as const);
  const findings = cards.flatMap(([, card]) => card.findings);
  const loads = cards.flatMap(([stream, card]) => card.loads.map((load) => ({ ...load, stream })));
  const fates = operationFates(history);
  const times = new Map<string, number>();
  for (const { operationId, amount, stream } of loads) {
    times.set(operationId, (times.get(operationId) ?? 0) + 1);
    const fate = fates.get(operationId);
    const isRight = fate?.status === 'completed' && fate.amount === amount && stream === `card-${fate.cardId}`;
    if (isRight) continue;
    findings.push(`${stream}: got ${dollars(amount)} by ${operationId}, which is ${fate?.status ?? 'no operation'}`);
  }
  for (const { id, type, status } of fates.values()) {
    const count = times.get(id) ?? 0;
    const wanted = status === 'completed' && type !== 'service' ? 1 : 0;
    if (count !== wanted) findings.push(`operation ${id} (${type}, ${status}) is on ${count} cards, not ${wanted}`);
  }
  return findings;
}

export const cardsCheck: Check = {
  name: 'every completed issue and topup is on its card once',
  run: async ({ history }) => ({
    examined: `${history.category('card').length} cards`,
    findings: auditCards(history),
  }),
};
