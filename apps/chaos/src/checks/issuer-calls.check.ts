import type { IssuerCall } from '@florin/issuer-simulator';
import { issuerTimeoutMs } from '../environment/unreliable-issuer';
import type { Check } from './check';
import { type OperationOutcome, operationOutcomes } from './operation-outcomes';

/** At most one call per operation, signed, and an outcome that matches the issuer's response. */
export function auditCalls(calls: readonly IssuerCall[], outcomes: ReadonlyMap<string, OperationOutcome>): string[] {
  const byOperation = new Map<string, IssuerCall[]>();
  for (const call of calls) {
    const { operationId } = call.order;
    byOperation.set(operationId, [...(byOperation.get(operationId) ?? []), call]);
  }
  const findings = calls
    .filter(({ signed }) => !signed)
    .map(({ order }) => `the call for ${order.operationId} was not signed`);
  for (const [id, own] of byOperation) {
    const times = own.map(({ receivedAt }) => receivedAt).join(' and ');
    if (own.length > 1) findings.push(`the issuer was called ${own.length} times for operation ${id}: ${times}`);
    if (!outcomes.has(id)) findings.push(`the issuer was called for ${id}, which is no operation`);
  }
  for (const outcome of outcomes.values()) {
    if (outcome.environment === 'live') findings.push(...mismatches(outcome, byOperation.get(outcome.id)?.[0]));
  }
  return findings;
}

/** Without a decision by an operator, only an acceptance in time completes an operation, and only a decline fails it. */
function mismatches({ id, status, types }: OperationOutcome, call: IssuerCall | undefined): string[] {
  if (types.includes('ReviewResolved')) return [];
  const accepted = call?.behavior === 'accepted' && call.delayMs < issuerTimeoutMs;
  const declined = call?.behavior === 'declinedWith200' || (call === undefined && !types.includes('IssuerCallStarted'));
  const behavior = call === undefined ? 'no call' : `${call.behavior} after ${call.delayMs} ms`;
  if (status === 'completed' && !accepted) return [`operation ${id} is completed, but the issuer: ${behavior}`];
  if (status === 'failed' && !declined) return [`operation ${id} is failed, but the issuer: ${behavior}`];
  return [];
}

export const issuerCallsCheck: Check = {
  name: 'the issuer received at most one call per operation',
  run: async ({ issuerCalls, history }) => ({
    examined: `${issuerCalls.length} calls`,
    findings: auditCalls(issuerCalls, operationOutcomes(history)),
  }),
};
