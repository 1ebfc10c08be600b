import 'reflect-metadata';
import { InProcessCommandBus } from '@florin/command-bus-in-process';
import { CLOCK, type CommandReply, EVENT_STORE, SNAPSHOT_STORE } from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore } from '@florin/event-sourcing/testing';
import { randomId, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import {
  type EndpointAnswer,
  type EndpointCommand,
  type EndpointRefusal,
  maximumEndpoints,
  type RegisterEndpoint,
  type RotateEndpointSecret,
  SECRET_VAULT,
  type SecretVault,
} from '@florin/webhooks-domain';
import { type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EndpointController } from './endpoint.controller';

const now = '2030-01-01T00:00:00.000Z';
const store = new InMemoryEventStore();
const bus = new InProcessCommandBus({ onFailedSend: () => undefined });
let app: INestMicroservice;

/** Secrets and their endpoints by id. */
const secrets = new Map<string, { readonly endpointId: string; readonly secret: string }>();
/** The endpoints whose old secrets were deleted. */
const rotated: string[] = [];
const vault: SecretVault = {
  create: async (endpointId, secretId) => {
    const known = secrets.get(secretId) ?? { endpointId, secret: `whsec_${randomId()}` };
    secrets.set(secretId, known);
    return known.secret;
  },
  read: async (ids) => new Map(ids.flatMap((id) => (secrets.has(id) ? [[id, secrets.get(id)!.secret]] : []))),
  discard: async (_endpointId, secretId) => {
    secrets.delete(secretId);
  },
  destroyOld: async (endpointId) => {
    rotated.push(endpointId);
  },
  destroy: async (endpointId) => {
    for (const [id, one] of secrets) if (one.endpointId === endpointId) secrets.delete(id);
  },
};

@Module({
  controllers: [EndpointController],
  providers: [
    { provide: EVENT_STORE, useValue: store },
    { provide: SNAPSHOT_STORE, useValue: new InMemorySnapshotStore() },
    { provide: CLOCK, useValue: manualClock(now) },
    { provide: SECRET_VAULT, useValue: vault },
  ],
})
class TestApplication {}

beforeAll(async () => {
  app = await NestFactory.createMicroservice(TestApplication, { strategy: bus.transport, logger: false });
  await app.listen();
});
afterAll(() => app.close());

const account = { accountId: 'acme-sandbox', companyId: 'acme', environment: 'sandbox' } as const;

const send = (command: EndpointCommand): Promise<CommandReply<EndpointAnswer | null, EndpointRefusal>> => {
  const headers = { correlationId: 'request', causationId: 'request', actor: serviceActor('test') };
  return bus.request({ context: 'webhooks', key: command.data.accountId, id: randomId(), command, headers });
};

const register = (endpointId: string, secretId: string): EndpointCommand => ({
  type: 'RegisterEndpoint',
  data: {
    ...{ ...account, endpointId, secretId, url: 'https://example.com/hooks' },
    ...{ requestId: endpointId, fingerprint: 'f', now },
  },
});
const rotate = (endpointId: string, secretId: string): RotateEndpointSecret => ({
  type: 'RotateEndpointSecret',
  data: { accountId: account.accountId, endpointId, secretId, requestId: secretId, overlapUntil: now, now },
});
const remove = (endpointId: string): EndpointCommand => ({
  type: 'DeleteEndpoint',
  data: { accountId: account.accountId, endpointId, now },
});

describe('EndpointController', () => {
  it('replies to every command with the current endpoint', async () => {
    const [endpointId, requestId] = [randomId(), randomId()];
    const { accountId } = account;
    const answer = { id: endpointId, url: 'https://example.com/hooks', status: 'enabled', createdAt: now };
    const registration = register(endpointId, randomId());
    expect(await send(registration)).toEqual({ ok: true, repeated: false, answer });
    expect(await send(registration)).toEqual({ ok: true, repeated: true, answer });
    const disabled = await send({ type: 'DisableEndpoint', data: { accountId, endpointId, reason: 'gone', now } });
    expect(disabled).toMatchObject({ ok: true, answer: { status: 'disabled', disabledReason: 'gone' } });
    const tested = await send({ type: 'TestEndpoint', data: { accountId, endpointId, requestId, now } });
    expect(tested).toMatchObject({ ok: false, refusal: { refused: 'endpoint_disabled' } });
    const data = { ...account, eventType: 'card.created', requestId, now } as const;
    expect(await send({ type: 'TriggerSample', data })).toEqual({ ok: true, repeated: false, answer: null });
  });

  it('deletes the secrets of a deleted endpoint only', async () => {
    const [gone, kept] = [randomId(), randomId()];
    const [goneSecret, keptSecret] = [randomId(), randomId()];
    await vault.create(gone, goneSecret);
    const secret = await vault.create(kept, keptSecret);
    await send(register(gone, goneSecret));
    await send(register(kept, keptSecret));
    expect(await send(remove(gone))).toMatchObject({ ok: true });
    const left = new Map([[keptSecret, secret]]);
    expect(await vault.read([goneSecret, keptSecret])).toEqual(left);
    // After a crash between both steps, the repeated command deletes the secrets.
    await vault.create(gone, goneSecret);
    expect(await send(remove(gone))).toMatchObject({ ok: true, repeated: true });
    expect(await vault.read([goneSecret, keptSecret])).toEqual(left);
  });

  it('deletes the secret of a refused request, except if the request conflicts with the one it belongs to', async () => {
    const [endpointId, secretId] = [randomId(), randomId()];
    const secret = await vault.create(endpointId, secretId);
    await send(register(endpointId, secretId));
    const conflicting = register(endpointId, secretId) as RegisterEndpoint;
    const data = { ...conflicting.data, fingerprint: 'other' };
    expect(await send({ ...conflicting, data })).toMatchObject({ refusal: { refused: 'idempotency_conflict' } });
    const unknown = randomId();
    const newSecret = randomId();
    await vault.create(unknown, newSecret);
    expect(await send(rotate(unknown, newSecret))).toMatchObject({ refusal: { refused: 'not_found' } });
    expect(await vault.read([secretId, newSecret])).toEqual(new Map([[secretId, secret]]));
    const tooMany: string[] = [];
    for (let number = 0; number <= maximumEndpoints; number++) {
      const [id, itsSecret] = [randomId(), randomId()];
      await vault.create(id, itsSecret);
      const reply = await send(register(id, itsSecret));
      if (!reply.ok) tooMany.push(itsSecret);
    }
    expect(tooMany.length).toBeGreaterThan(0);
    expect((await vault.read(tooMany)).size).toBe(0);
  });

  it('deletes old secrets when a new one is in use', async () => {
    const [endpointId, accountId] = [randomId(), 'ida-sandbox'];
    const registration = register(endpointId, randomId()) as RegisterEndpoint;
    await send({ ...registration, data: { ...registration.data, accountId } });
    const rotation = rotate(endpointId, randomId());
    expect(await send({ ...rotation, data: { ...rotation.data, accountId } })).toMatchObject({ ok: true });
    expect(rotated).toEqual([endpointId]);
  });

  it('keeps the secrets when the deletion is refused', async () => {
    const [endpointId, secretId] = [randomId(), randomId()];
    const secret = await vault.create(endpointId, secretId);
    expect(await send(remove(endpointId))).toMatchObject({ ok: false, refusal: { refused: 'not_found' } });
    expect(await vault.read([secretId])).toEqual(new Map([[secretId, secret]]));
  });
});
