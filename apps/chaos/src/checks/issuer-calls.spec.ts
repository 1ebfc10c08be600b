import { sampleLog } from '@florin/audit/testing';
import type { IssuerCall } from '@florin/issuer-simulator';
import { History } from './history';
import { auditCalls } from './issuer-calls.check';
import { operationOutcomes } from './operation-outcomes';

/** The sample's operations, as if they were live. */
const outcomes = operationOutcomes(
  History.of(sampleLog.map((event) => ({ ...event, data: event.data.replace('"sandbox"', '"live"') }))),
);
const call = (operationId: string, behavior: IssuerCall['behavior'], delayMs = 0): IssuerCall => ({
  ...{ method: 'POST', path: '/issuer', signed: true, receivedAt: '2030-01-01T00:00:00.000Z', behavior, delayMs },
  order: { operationId, type: 'service', amount: '1.00' },
});
const sound = [call('1', 'accepted', 900), call('2', 'declinedWith200'), call('3', 'resets')];

describe('The audit of issuer calls', () => {
  it('accepts one matching call per operation', () => {
    expect(auditCalls(sound, outcomes)).toEqual([]);
  });

  it.each<[string, readonly IssuerCall[], RegExp]>([
    ['a second call', [...sound, call('3', 'resets')], /called 2 times for operation 3/],
    ['a call without a signature', [{ ...sound[0]!, signed: false }, ...sound.slice(1)], /was not signed/],
    ['a call without an operation', [...sound, call('4', 'accepted')], /4, which is no operation/],
    ['a completion after a reset', [call('1', 'resets'), ...sound.slice(1)], /1 is completed, but the issuer: resets/],
    ['a completion after a timeout', [call('1', 'accepted', 3_100), ...sound.slice(1)], /1 is completed, but/],
    ['a failure without a response', [sound[0]!, call('2', 'hangs')], /2 is failed, but the issuer: hangs/],
    ['a completion without a call', sound.slice(1), /1 is completed, but the issuer: no call/],
  ])('finds %s', (_, calls, expected) => {
    expect(auditCalls(calls, outcomes).join('\n')).toMatch(expected);
  });
});
