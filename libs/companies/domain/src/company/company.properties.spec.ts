import { runWithRedeliveries } from '@florin/event-sourcing/testing';
import * as fc from 'fast-check';
import { companyAnswer, companyAggregate } from './company.decider';
import { type CompanyCommand, verificationStatuses } from './company.messages';

const companyId = 'c0ffee00-0000-4000-8000-000000000001';
const register: CompanyCommand = { type: 'RegisterCompany', data: { companyId, name: 'Acme', kind: 'corporate' } };

/** Every command has its own request id; a redelivery repeats the id. */
const wishes = fc
  .array(
    fc.oneof(
      fc.constantFrom(...verificationStatuses).map((status) => ({ status })),
      fc.record({ capability: fc.constantFrom('services' as const, 'direct_invoices' as const), active: fc.boolean() }),
    ),
    { maxLength: 20 },
  )
  .map((list) =>
    list.map((wish, index): CompanyCommand => {
      const of = { companyId, requestId: `q${index}` };
      if ('status' in wish) return { type: 'SetVerification', data: { ...of, ...wish } };
      return { type: 'SetActivation', data: { ...of, ...wish } };
    }),
  );

it('A company has the last decided values, for any redelivery of old decisions at any time', () => {
  fc.assert(
    fc.property(wishes, fc.array(fc.nat(), { minLength: 21, maxLength: 21 }), (list, again) => {
      const log = runWithRedeliveries(companyAggregate, [register, ...list], again);
      const { verification, activations } = companyAnswer(
        log.reduce(companyAggregate.evolve, companyAggregate.initialState()),
      );
      const decided = list.reduceRight((found, { type, data }) => {
        const name = type === 'SetActivation' ? data.capability : 'verification';
        if (type !== 'RegisterCompany' && !found.has(name))
          found.set(name, 'status' in data ? data.status : data.active);
        return found;
      }, new Map<string, unknown>());
      expect(verification).toBe(decided.get('verification') ?? 'pending');
      expect(activations).toEqual(['direct_invoices', 'services'].filter((name) => decided.get(name) === true));
    }),
  );
});
