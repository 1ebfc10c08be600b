import 'reflect-metadata';
import { InProcessCommandBus } from '@florin/command-bus-in-process';
import type {
  ApiKeyAnswer,
  ApiKeyCommand,
  ApiKeyRefusal,
  CompanyAnswer,
  CompanyCommand,
  CompanyRefusal,
  OperatorAnswer,
  OperatorCommand,
  OperatorRefusal,
} from '@florin/companies-domain';
import { CLOCK, type CommandReply, EVENT_STORE, SNAPSHOT_STORE } from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore } from '@florin/event-sourcing/testing';
import { randomId, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { Global, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CompaniesModule } from './companies.module';

const store = new InMemoryEventStore();
const clock = manualClock('2026-01-01T00:00:00.000Z');

@Global()
@Module({
  providers: [
    { provide: EVENT_STORE, useValue: store },
    { provide: SNAPSHOT_STORE, useValue: new InMemorySnapshotStore() },
    { provide: CLOCK, useValue: clock },
  ],
  exports: [EVENT_STORE, SNAPSHOT_STORE, CLOCK],
})
class TestPlatform {}

@Module({ imports: [TestPlatform, CompaniesModule] })
class TestApplication {}

const bus = new InProcessCommandBus({ onFailedSend: () => undefined });
let app: INestMicroservice;

beforeAll(async () => {
  app = await NestFactory.createMicroservice(TestApplication, { strategy: bus.transport, logger: false });
  await app.listen();
});

afterAll(() => app.close());

const send = <Reply>(key: string, command: CompanyCommand | ApiKeyCommand | OperatorCommand): Promise<Reply> => {
  const headers = { correlationId: 'request', causationId: 'request', actor: serviceActor('test') };
  return bus.request<Reply>({ context: 'companies', key, id: randomId(), command, headers });
};
const toCompany = (command: CompanyCommand) =>
  send<CommandReply<CompanyAnswer, CompanyRefusal>>(command.data.companyId, command);
const toKey = (command: ApiKeyCommand) => send<CommandReply<ApiKeyAnswer, ApiKeyRefusal>>(command.data.keyId, command);

const toOperators = (command: OperatorCommand) => send<CommandReply<OperatorAnswer, OperatorRefusal>>('all', command);

const streamOf = async (stream: string) => {
  const events: string[] = [];
  for await (const page of store.readStream(stream)) events.push(...page.map(({ type }) => type));
  return events;
};

const registered = async (): Promise<string> => {
  const companyId = randomId();
  await toCompany({ type: 'RegisterCompany', data: { companyId, name: 'Acme', kind: 'corporate' } });
  return companyId;
};
const issueFor = (companyId: string, keyId = randomId()): ApiKeyCommand => ({
  type: 'IssueApiKey',
  data: {
    keyId,
    companyId,
    environment: 'live',
    name: 'Checkout',
    scopes: ['cards:read'],
    secretHash: 'hash-1',
    hint: 'aaaa',
    issuedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2027-01-01T00:00:00.000Z',
  },
});

describe('Companies on the bus', () => {
  it('reply to every command with the current company', async () => {
    const companyId = await registered();
    const [requestId, another] = [randomId(), randomId()];
    await toCompany({ type: 'SetActivation', data: { companyId, capability: 'services', active: true, requestId } });
    const reply = await toCompany({
      type: 'SetVerification',
      data: { companyId, status: 'approved', requestId: another },
    });
    const answer = { companyId, name: 'Acme', kind: 'corporate', verification: 'approved', activations: ['services'] };
    expect(reply).toEqual({ ok: true, repeated: false, answer });
    expect(await streamOf(`company-${companyId}`)).toEqual([
      'CompanyRegistered',
      'ActivationChanged',
      'VerificationChanged',
    ]);
  });

  it('refuse commands for an unknown company', async () => {
    const data = { companyId: randomId(), status: 'approved', requestId: randomId() } as const;
    const reply = await toCompany({ type: 'SetVerification', data });
    expect(reply).toMatchObject({ ok: false, refusal: { refused: 'company_unknown' } });
  });
});

describe('API keys on the bus', () => {
  it('go through issue, rotation and revocation in one stream', async () => {
    const keyId = randomId();
    const issue = issueFor(await registered(), keyId);
    expect(await toKey(issue)).toMatchObject({ ok: true, repeated: false });
    expect(await toKey(issue)).toMatchObject({ ok: true, repeated: true });
    const rotatedAt = '2026-06-01T00:00:00.000Z';
    const rotation = { keyId, secretHash: 'hash-2', hint: 'bbbb', rotatedAt, overlapUntil: rotatedAt };
    expect(await toKey({ type: 'RotateApiKey', data: rotation })).toMatchObject({ ok: true, repeated: false });
    const revokedAt = '2026-07-01T00:00:00.000Z';
    const reply = await toKey({ type: 'RevokeApiKey', data: { keyId, revokedAt } });
    expect(reply).toMatchObject({ ok: true, answer: { keyId, environment: 'live', revokedAt } });
    expect(await streamOf(`apikey-${keyId}`)).toEqual(['ApiKeyIssued', 'ApiKeyRotated', 'ApiKeyRevoked']);
  });

  it('are not issued to an unregistered company', async () => {
    const issue = issueFor(randomId());
    expect(await toKey(issue)).toMatchObject({ ok: false, refusal: { refused: 'company_unknown' } });
    expect(await streamOf(`apikey-${issue.data.keyId}`)).toEqual([]);
  });
});

describe('Operators on the bus', () => {
  const create = (operatorId: string, emailHash: string): OperatorCommand => {
    const createdAt = '2026-01-01T00:00:00.000Z';
    const token = { tokenHash: `token of ${operatorId}`, hint: 'aaaa' };
    return {
      type: 'CreateOperator',
      data: { operatorId, sealed: 'sealed', emailHash, role: 'viewer', createdAt, ...token },
    };
  };

  it('share one stream, so that two of them never get one e-mail address at the same time', async () => {
    const ids = Array.from({ length: 5 }, () => randomId());
    const replies = await Promise.all(ids.map((operatorId) => toOperators(create(operatorId, 'one'))));
    const refused = { ok: false, refusal: { refused: 'email_taken' } };
    expect(replies).toMatchObject([{ ok: true, repeated: false }, refused, refused, refused, refused]);
    expect(await toOperators(create(ids[0]!, 'one'))).toMatchObject({ ok: true, repeated: true });
    const disabledAt = '2026-02-01T00:00:00.000Z';
    const disabled = await toOperators({ type: 'DisableOperator', data: { operatorId: ids[0]!, disabledAt } });
    expect(disabled).toMatchObject({ ok: true, answer: { operatorId: ids[0], role: 'viewer', disabledAt } });
    expect(await toOperators(create(ids[1]!, 'one'))).toMatchObject({ ok: true, repeated: false });
    expect(await streamOf('operators-all')).toEqual(['OperatorCreated', 'OperatorDisabled', 'OperatorCreated']);
  });
});
