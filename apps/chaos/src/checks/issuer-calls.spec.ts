import { sampleLog } from '@florin/audit/testing';
import type { IssuerCall } from '../world/fake-issuer';
import { History } from './history';
import { auditCalls } from './issuer-calls.check';
import { operationFates } from './operation-fates';

/** The sample's operations, as if they were live. */
const fates = operationFates(
  History.of(sampleLog.map((event) => ({ ...event, data: event.data.replace('"sandbox"', '"live"') }))),
);
const call = (operationId: string, behaviour: IssuerCall['behaviour']): IssuerCall => ({
  ...{ operationId, behaviour, type: 'service', amount: '1.00', signed: true, receivedAt: '2030-01-01T00:00:00.000Z' },
});
const sound = [call('1', 'acceptsSlowly'), call('2', 'declines'), call('3', 'resets')];

describe('The audit of issuer calls', () => {
  it('finds nothing wrong with one call each that fits', () => {
    expect(auditCalls(sound, fates)).toEqual([]);
  });

  it.each<[string, readonly IssuerCall[], RegExp]>([
    ['a second call', [...sound, call('3', 'resets')], /called 2 times for operation 3/],
    ['a call without a signature', [{ ...sound[0]!, signed: false }, ...sound.slice(1)], /was not signed/],
    ['a call for nothing', [...sound, call('4', 'accepts')], /4, which is no operation/],
    ['a yes that never came', [call('1', 'resets'), ...sound.slice(1)], /1 is completed, but the issuer: resets/],
    ['a no that never came', [sound[0]!, call('2', 'neverAnswers')], /2 is failed, but the issuer: neverAnswers/],
    ['a completion without a call', sound.slice(1), /1 is completed, but the issuer: no call/],
  ])('finds %s', (_, calls, expected) => {
    expect(auditCalls(calls, fates).join('\n')).toMatch(expected);
  });
});
