import { specFor } from '@florin/event-sourcing/testing';
import { companyAnswer, companyDecider } from './company.decider';
import { type CompanyCommand, type CompanyEvent, companyEventVersions } from './company.messages';

const { given } = specFor(companyDecider, companyEventVersions);
const companyId = 'c0ffee00-0000-4000-8000-000000000001';

const register = { type: 'RegisterCompany', data: { companyId, name: 'Acme', kind: 'corporate' } } as const;
const registered = { type: 'CompanyRegistered', data: { companyId, name: 'Acme', kind: 'corporate' } } as const;
const verify = (status: 'pending' | 'approved' | 'rejected') =>
  ({ type: 'SetVerification', data: { companyId, status } }) as const;
const verified = (status: 'pending' | 'approved' | 'rejected') =>
  ({ type: 'VerificationChanged', data: { companyId, status } }) as const;
const activate = (active: boolean, capability: 'services' | 'direct_invoices' = 'services') =>
  ({ type: 'SetActivation', data: { companyId, capability, active } }) as const;
const activated = (active: boolean, capability: 'services' | 'direct_invoices' = 'services') =>
  ({ type: 'ActivationChanged', data: { companyId, capability, active } }) as const;

describe('A company', () => {
  it('is registered once', () => {
    given().when(register).then(registered);
  });

  it('is verified, rejected and put back to pending', () => {
    given(registered).when(verify('approved')).then(verified('approved'));
    given(registered, verified('approved')).when(verify('rejected')).then(verified('rejected'));
    given(registered, verified('approved')).when(verify('pending')).then(verified('pending'));
  });

  it('gains and loses each activation apart from the other', () => {
    given(registered).when(activate(true)).then(activated(true));
    given(registered, activated(true)).when(activate(false)).then(activated(false));
    given(registered, activated(true)).when(activate(true, 'direct_invoices')).then(activated(true, 'direct_invoices'));
  });

  it('notes nothing where nothing changes', () => {
    given(registered).when(verify('pending')).then();
    given(registered).when(activate(false)).then();
    given(registered, verified('approved'), activated(true)).when(register).then();
  });

  it.each<[string, readonly CompanyEvent[], CompanyCommand, 'company_exists' | 'company_unknown']>([
    ['another name', [registered], { ...register, data: { ...register.data, name: 'Other' } }, 'company_exists'],
    ['another kind', [registered], { ...register, data: { ...register.data, kind: 'individual' } }, 'company_exists'],
    ['verification of nobody', [], verify('pending'), 'company_unknown'],
    ['activation of nobody', [], activate(false), 'company_unknown'],
  ])('refuses %s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });

  it('answers as it stands', () => {
    const past = [registered, verified('approved'), activated(true), activated(true, 'direct_invoices')];
    const state = past.reduce(companyDecider.evolve, companyDecider.initialState());
    expect(companyAnswer(state)).toEqual({
      companyId,
      name: 'Acme',
      kind: 'corporate',
      verification: 'approved',
      activations: ['direct_invoices', 'services'],
    });
  });

  it('cannot have a past that starts before its registration', () => {
    expect(() => companyDecider.evolve(undefined, verified('approved'))).toThrow(/before the registration/);
  });
});
