import { longStream } from '@florin/event-sourcing/testing';
import { randomId } from '@florin/kernel';
import { apiKeyAggregate } from './api-key/api-key.decider';
import type { ApiKeyCommand } from './api-key/api-key.messages';
import { approvalAggregate } from './approval/approval.decider';
import type { ApprovalCommand } from './approval/approval.messages';
import { companyAggregate } from './company/company.decider';
import type { CompanyCommand } from './company/company.messages';
import { operatorAggregate } from './operator/operator.decider';
import type { OperatorCommand } from './operator/operator.messages';

jest.setTimeout(60_000);

const startMs = Date.parse('2030-01-01T00:00:00.000Z');
const at = (seconds: number): string => new Date(startMs + seconds * 1_000).toISOString();
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);

describe('A stream that operators can extend without limit loads from a snapshot:', () => {
  it('a company', async () => {
    const register: CompanyCommand = {
      type: 'RegisterCompany',
      data: { companyId: '1', name: 'Acme', kind: 'corporate' },
    };
    const activate = (second: number): CompanyCommand => ({
      type: 'SetActivation',
      data: {
        ...{ companyId: '1', capability: 'services', active: second % 2 === 0 },
        ...{ requestId: randomId(), requestedAt: at(second) },
      },
    });
    const { eventsStored, eventsRead } = await longStream(companyAggregate, [
      register,
      ...numbers(7_000).map(activate),
    ]);
    expect(eventsStored).toBe(7_001);
    expect(eventsRead).toBeLessThan(2_500);
  });

  it('the operators', async () => {
    const create: OperatorCommand = {
      type: 'CreateOperator',
      data: {
        ...{ operatorId: 'ida', sealed: 'sealed', emailHash: 'e-mail', role: 'support' },
        ...{ tokenHash: 'hash', hint: 'aaaa', createdAt: at(0) },
      },
    };
    const changeRole = (second: number): OperatorCommand => ({
      type: 'ChangeOperatorRole',
      data: { operatorId: 'ida', role: 'finance', requestId: randomId(), requestedAt: at(second) },
    });
    const { eventsStored, eventsRead } = await longStream(operatorAggregate, [
      create,
      ...numbers(7_000).map(changeRole),
    ]);
    expect(eventsStored).toBe(7_001);
    expect(eventsRead).toBeLessThan(2_500);
  });

  it('an approval', async () => {
    const fourEyes = { objection: () => undefined };
    const approve = (number: number): ApprovalCommand => ({
      type: 'ApproveDecision',
      data: {
        ...{ approvalId: '1', subject: { kind: 'review', id: 'o1' }, decision: { outcome: 'completed' } },
        ...{ amount: '1000.00', operator: { kind: 'operator', id: `operator ${number % 2}` } },
        ...{ requestId: randomId(), fourEyes },
      },
    });
    const { eventsStored, eventsRead } = await longStream(approvalAggregate, numbers(7_000).map(approve));
    expect(eventsStored).toBe(7_000);
    expect(eventsRead).toBeLessThan(2_500);
  });

  it('an API key', async () => {
    const issue: ApiKeyCommand = {
      type: 'IssueApiKey',
      data: {
        ...{ keyId: '1', companyId: 'acme', environment: 'sandbox', name: 'Checkout', scopes: ['cards:read'] },
        ...{ secretHash: 'hash', hint: 'aaaa', issuedAt: at(0), expiresAt: '2031-01-01T00:00:00.000Z' },
      },
    };
    const rotate = (second: number): ApiKeyCommand => ({
      type: 'RotateApiKey',
      data: { keyId: '1', secretHash: randomId(), hint: 'bbbb', rotatedAt: at(second), overlapUntil: at(second) },
    });
    const { eventsStored, eventsRead } = await longStream(apiKeyAggregate, [issue, ...numbers(2_500).map(rotate)]);
    expect(eventsStored).toBe(2_501);
    expect(eventsRead).toBeLessThan(1_500);
  });
});
