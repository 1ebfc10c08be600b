import type { IssuerCall } from '../world/fake-issuer';
import type { Check } from './check';
import { type OperationFate, operationFates } from './operation-fates';

/** At most one call for each, signed, and an end that fits what the issuer made of it. */
export function auditCalls(calls: readonly IssuerCall[], fates: ReadonlyMap<string, OperationFate>): string[] {
  const byOperation = new Map<string, IssuerCall[]>();
  for (const call of calls) byOperation.set(call.operationId, [...(byOperation.get(call.operationId) ?? []), call]);
  const findings = calls
    .filter(({ signed }) => !signed)
    .map((call) => `the call for ${call.operationId} was not signed`);
  for (const [id, own] of byOperation) {
    const times = own.map(({ receivedAt }) => receivedAt).join(' and ');
    if (own.length > 1) findings.push(`the issuer was called ${own.length} times for operation ${id}: ${times}`);
    if (!fates.has(id)) findings.push(`the issuer was called for ${id}, which is no operation`);
  }
  for (const fate of fates.values()) {
    if (fate.environment === 'live') findings.push(...misfits(fate, byOperation.get(fate.id)?.[0]));
  }
  return findings;
}

/** A person may have decided otherwise; without one only a definite yes completes, and only a definite no fails. */
function misfits({ id, status, types }: OperationFate, call: IssuerCall | undefined): string[] {
  if (types.includes('ReviewResolved')) return [];
  const behaviour = call?.behaviour ?? 'no call';
  const yes = behaviour === 'accepts' || behaviour === 'acceptsSlowly';
  const no = behaviour === 'declines' || (call === undefined && !types.includes('IssuerCallStarted'));
  if (status === 'completed' && !yes) return [`operation ${id} is completed, but the issuer: ${behaviour}`];
  if (status === 'failed' && !no) return [`operation ${id} is failed, but the issuer: ${behaviour}`];
  return [];
}

export const issuerCallsCheck: Check = {
  name: 'the issuer saw at most one call per operation',
  run: async ({ issuerCalls, history }) => ({
    examined: `${issuerCalls.length} calls`,
    findings: auditCalls(issuerCalls, operationFates(history)),
  }),
};
