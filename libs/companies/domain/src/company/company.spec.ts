import { specFor } from '@florin/event-sourcing/testing';
import { companyAnswer, companyAggregate } from './company.decider';
import type { Capability } from '../scopes';
import type { CompanyCommand, CompanyEvent, VerificationStatus } from './company.messages';

const { given } = specFor(companyAggregate);
const companyId = 'c0ffee00-0000-4000-8000-000000000001';

const register = { type: 'RegisterCompany', data: { companyId, name: 'Acme', kind: 'corporate' } } as const;
const registered = { type: 'CompanyRegistered', data: { companyId, name: 'Acme', kind: 'corporate' } } as const;
const verify = (status: VerificationStatus, requestId = 'q1') =>
  ({ type: 'SetVerification', data: { companyId, status, requestId } }) as const;
const verified = (status: VerificationStatus, requestId = 'q1') =>
  ({ type: 'VerificationChanged', data: { companyId, status, requestId } }) as const;
const activate = (active: boolean, requestId = 'q1', capability: Capability = 'services') =>
  ({ type: 'SetActivation', data: { companyId, capability, active, requestId } }) as const;
const activated = (active: boolean, requestId = 'q1', capability: Capability = 'services') =>
  ({ type: 'ActivationChanged', data: { companyId, capability, active, requestId } }) as const;

describe('A company', () => {
  it('is registered once', () => {
    given().when(register).then(registered);
  });

  it('is approved, rejected and set back to pending', () => {
    given(registered).when(verify('approved')).then(verified('approved'));
    given(registered, verified('approved')).when(verify('rejected', 'q2')).then(verified('rejected', 'q2'));
    given(registered, verified('approved')).when(verify('pending', 'q2')).then(verified('pending', 'q2'));
  });

  it('gains and loses each activation independently', () => {
    given(registered).when(activate(true)).then(activated(true));
    given(registered, activated(true)).when(activate(false, 'q2')).then(activated(false, 'q2'));
    given(registered, activated(true))
      .when(activate(true, 'q2', 'direct_invoices'))
      .then(activated(true, 'q2', 'direct_invoices'));
  });

  it('recognizes its registration after any later event', () => {
    given(registered, verified('approved'), activated(true, 'q2')).when(register).then();
  });

  it('records a request without a change, and executes each request once', () => {
    given(registered).when(verify('pending')).then(verified('pending'));
    given(registered).when(activate(false)).then(activated(false));
    given(registered, verified('approved'), verified('rejected', 'q2')).when(verify('approved')).then();
    given(registered, activated(true), activated(false, 'q2')).when(activate(true)).then();
  });

  it('folds events without request ids', () => {
    const old: CompanyEvent = { type: 'VerificationChanged', data: { companyId, status: 'approved' } };
    const oldActivation: CompanyEvent = {
      type: 'ActivationChanged',
      data: { companyId, capability: 'services', active: true },
    };
    const state = [registered, old, oldActivation].reduce(companyAggregate.evolve, companyAggregate.initialState());
    expect(companyAnswer(state)).toMatchObject({ verification: 'approved', activations: ['services'] });
    given(registered, old).when(verify('approved')).then(verified('approved'));
  });

  it.each<[string, readonly CompanyEvent[], CompanyCommand, 'company_exists' | 'company_unknown']>([
    ['another name', [registered], { ...register, data: { ...register.data, name: 'Other' } }, 'company_exists'],
    ['another kind', [registered], { ...register, data: { ...register.data, kind: 'individual' } }, 'company_exists'],
    ['verification of an unknown company', [], verify('pending'), 'company_unknown'],
    ['activation of an unknown company', [], activate(false), 'company_unknown'],
  ])('refuses %s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });

  it('returns the current company', () => {
    const past = [registered, verified('approved'), activated(true, 'q2'), activated(true, 'q3', 'direct_invoices')];
    const state = past.reduce(companyAggregate.evolve, companyAggregate.initialState());
    expect(companyAnswer(state)).toEqual({
      companyId,
      name: 'Acme',
      kind: 'corporate',
      verification: 'approved',
      activations: ['direct_invoices', 'services'],
    });
  });

  it('cannot have events before its registration', () => {
    expect(() => companyAggregate.evolve(undefined, verified('approved'))).toThrow(/precedes the registration/);
  });
});
