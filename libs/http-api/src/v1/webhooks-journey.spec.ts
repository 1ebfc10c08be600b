import type { Environment } from '@florin/companies-domain';
import { randomId } from '@florin/kernel';
import { isSigned, type Received, Receiver } from '@florin/webhooks-application/testing';
import type { InjectOptions } from 'fastify';
import { startWebhooksTestSetup, type WebhooksTestSetup } from '../testing/webhooks-test-setup';

let setup: WebhooksTestSetup;
let receiver: Receiver;

beforeAll(async () => {
  setup = await startWebhooksTestSetup();
  receiver = await Receiver.start();
});
afterAll(async () => {
  await setup.close();
  await receiver.close();
});

type Body = Record<string, unknown>;

/** Each test has its own company. */
class Client {
  private readonly authorization: string;

  constructor(
    private readonly companyId = randomId(),
    environment: Environment = 'sandbox',
  ) {
    const key = setup.keys.add({ companyId, environment, scopes: ['webhooks:read', 'webhooks:write'] });
    this.authorization = `Bearer ${key}`;
  }

  inLive(): Client {
    return new Client(this.companyId, 'live');
  }

  async send(method: InjectOptions['method'], path: string, payload?: object, idempotencyKey?: string) {
    const headers = { authorization: this.authorization, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) };
    const sent = await setup.app.inject({ method, url: `/api/v1${path}`, payload, headers });
    return { status: sent.statusCode, headers: sent.headers, body: JSON.parse(sent.body || '{}') as Body };
  }

  /** A new endpoint at its own path, with its secret. */
  async register(change: object = {}) {
    const path = `ok/${randomId()}` as const;
    const { status, body } = await this.send('POST', '/webhook-endpoints', { url: receiver.url(path), ...change });
    expect(status).toBe(201);
    return { path, id: String(body['id']), secret: String(body['secret']) };
  }

  async trigger(type = 'card.created'): Promise<string> {
    const { status, body } = await this.send('POST', '/sandbox/events', { type });
    expect(status).toBe(202);
    return String(body['id']);
  }

  /** The deliveries of an endpoint, once there are as many as expected and none is pending. */
  async settled(endpointId: string, expected = 0): Promise<readonly Body[]> {
    for (;;) {
      const { body } = await this.send('GET', `/webhook-endpoints/${endpointId}/deliveries`);
      const deliveries = body['data'] as readonly Body[];
      const isSettled = deliveries.every(({ status }) => status !== 'pending');
      if (isSettled && deliveries.length >= expected) return deliveries;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const idsAt = (path: string) => receiver.at(path).map(({ eventId }) => eventId);
const signed = (received: Received | undefined, secret: string) => isSigned(received!, secret, setup.clock.now());

describe('An event', () => {
  it('arrives signed and equal to the stored event, and the attempt is logged', async () => {
    const client = new Client();
    const { id, path, secret } = await client.register();
    const eventId = await client.trigger('invoice.completed');
    const [delivery, ...others] = await client.settled(id);
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ eventId, eventType: 'invoice.completed', status: 'delivered', attempts: 1 });
    expect(delivery!['log']).toMatchObject([{ number: 1, outcome: 'acknowledged', statusCode: 200 }]);
    const [received] = receiver.at(path);
    expect(signed(received, secret)).toBe(true);
    expect(signed(received, `${secret}x`)).toBe(false);
    const { body } = await client.send('GET', `/events/${eventId}`);
    expect(JSON.parse(received!.body)).toEqual(body);
    expect(body).toMatchObject({ id: eventId, type: 'invoice.completed', environment: 'sandbox', objectVersion: 1 });
    expect((await client.send('GET', '/events?type=invoice.completed')).body).toEqual({ data: [body] });
  });

  it('goes only to subscribed endpoints, and a test event only to its endpoint', async () => {
    const client = new Client();
    const cards = await client.register({ events: ['card.updated'] });
    const all = await client.register();
    const card = await client.trigger('card.updated');
    const holder = await client.trigger('holder.created');
    const { body } = await client.send('POST', `/webhook-endpoints/${cards.id}/test`);
    await Promise.all([client.settled(cards.id), client.settled(all.id)]);
    expect(idsAt(cards.path).sort()).toEqual([card, body['id']].sort());
    expect(idsAt(all.path).sort()).toEqual([card, holder].sort());
  });

  it('can be resent unchanged', async () => {
    const client = new Client();
    const { id, path } = await client.register();
    const eventId = await client.trigger();
    await client.settled(id);
    expect((await client.send('POST', `/events/${eventId}/resend`, { endpointId: id })).status).toBe(202);
    await client.settled(id);
    const [first, second, ...others] = receiver.at(path);
    expect(others).toEqual([]);
    expect([second!.eventId, second!.body]).toEqual([eventId, first!.body]);
  });
});

describe('An endpoint', () => {
  it('is registered once for one key, with one secret', async () => {
    const client = new Client();
    const register = (url: string) => client.send('POST', '/webhook-endpoints', { url }, 'one');
    const first = await register(receiver.url('ok/once'));
    const second = await register(receiver.url('ok/once'));
    expect(second).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' }, body: first.body });
    expect((await register(receiver.url('ok/twice'))).body).toMatchObject({ code: 'idempotency_conflict' });
    const { secret: _secret, ...shown } = first.body;
    expect((await client.send('GET', '/webhook-endpoints')).body).toEqual({ data: [shown] });
  });

  it('signs with both secrets after a rotation', async () => {
    const client = new Client();
    const { id, path, secret } = await client.register();
    const rotate = () => client.send('POST', `/webhook-endpoints/${id}/rotate-secret`, undefined, 'one');
    const { body } = await rotate();
    expect((await rotate()).body).toEqual(body);
    await client.trigger();
    await client.settled(id);
    const [received] = receiver.at(path);
    expect([signed(received, secret), signed(received, String(body['secret']))]).toEqual([true, true]);
    expect(received!.signature).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  });

  it('receives nothing while disabled, and the missed events after a recovery', async () => {
    const client = new Client();
    const { id, path } = await client.register();
    const disabled = await client.send('PATCH', `/webhook-endpoints/${id}`, { status: 'disabled' });
    expect(disabled.body).toMatchObject({ status: 'disabled', disabledReason: 'by_company' });
    const missed = await client.trigger();
    const recover = () => client.send('POST', `/webhook-endpoints/${id}/recover`, { since: '2025-12-31T00:00:00Z' });
    expect((await recover()).body).toMatchObject({ code: 'validation_failed' });
    await client.send('PATCH', `/webhook-endpoints/${id}`, { status: 'enabled' });
    expect(await client.settled(id)).toEqual([]);
    expect((await recover()).status).toBe(202);
    expect(await client.settled(id, 1)).toMatchObject([{ eventId: missed, status: 'delivered' }]);
    expect(idsAt(path)).toEqual([missed]);
  });

  it('has at most two deliveries per event, however often it is disabled, enabled and recovered', async () => {
    const client = new Client();
    const { id, path } = await client.register();
    const change = (status: string) => client.send('PATCH', `/webhook-endpoints/${id}`, { status });
    receiver.instead.set(`/${path}`, 'reset');
    const missed = [await client.trigger(), await client.trigger(), await client.trigger()];
    for (let round = 0; round < 5; round++) {
      await change('disabled');
      await change('enabled');
      const since = '2025-12-31T00:00:00Z';
      expect((await client.send('POST', `/webhook-endpoints/${id}/recover`, { since })).status).toBe(202);
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
    receiver.instead.delete(`/${path}`);
    await change('disabled');
    await change('enabled');
    await client.send('POST', `/webhook-endpoints/${id}/recover`, { since: '2025-12-31T00:00:00Z' });
    const delivered = async (): Promise<readonly Body[]> =>
      (await client.settled(id)).filter(({ status }) => status === 'delivered');
    while ((await delivered()).length < missed.length) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await delivered()).map(({ eventId }) => eventId).sort()).toEqual([...missed].sort());
    expect(await client.settled(id)).toHaveLength(6);
  });

  it('leaves no secret behind when its registration is refused', async () => {
    const client = new Client();
    for (let number = 0; number < 20; number++) await client.register();
    const secrets = async () => (await setup.pool.query('SELECT 1 FROM vault.webhook_secrets')).rowCount;
    const before = await secrets();
    for (let number = 0; number < 3; number++) {
      const { body } = await client.send('POST', '/webhook-endpoints', { url: receiver.url('ok') });
      expect(body).toMatchObject({ code: 'quota_exceeded' });
    }
    expect(await secrets()).toBe(before);
  });

  it('is deleted with its secrets, permanently', async () => {
    const client = new Client();
    const registration = { url: receiver.url('ok/gone') };
    const { body } = await client.send('POST', '/webhook-endpoints', registration, 'one');
    const path = `/webhook-endpoints/${String(body['id'])}`;
    expect((await client.send('DELETE', path)).status).toBe(204);
    expect((await client.send('DELETE', path)).status).toBe(204);
    await client.trigger();
    expect((await client.send('GET', path)).status).toBe(404);
    expect((await client.send('POST', `${path}/rotate-secret`)).status).toBe(404);
    for (const repeated of [registration, { url: receiver.url('ok/other') }]) {
      expect((await client.send('POST', '/webhook-endpoints', repeated, 'one')).body).toMatchObject({
        statusCode: 409,
      });
    }
    const { rows } = await setup.pool.query('SELECT 1 FROM vault.webhook_secrets WHERE endpoint_id = $1', [body['id']]);
    expect(rows).toEqual([]);
    expect(receiver.at('ok/gone')).toEqual([]);
  });

  it('is limited to twenty per company', async () => {
    const client = new Client();
    for (let count = 0; count < 20; count++) await client.register();
    const { body } = await client.send('POST', '/webhook-endpoints', { url: receiver.url('ok/one-too-many') });
    expect(body).toMatchObject({ statusCode: 400, code: 'quota_exceeded' });
  });
});

describe('Webhook isolation', () => {
  it.each([
    ['another company', () => new Client()],
    ['the other environment', (client: Client) => client.inLive()],
  ])('hides all webhook resources from %s', async (_, strangerTo) => {
    const client = new Client();
    const { id, path } = await client.register();
    const eventId = await client.trigger();
    const stranger = strangerTo(client);
    const statuses = await Promise.all(
      [
        stranger.send('GET', `/webhook-endpoints/${id}`),
        stranger.send('PATCH', `/webhook-endpoints/${id}`, { status: 'disabled' }),
        stranger.send('DELETE', `/webhook-endpoints/${id}`),
        stranger.send('POST', `/webhook-endpoints/${id}/rotate-secret`),
        stranger.send('POST', `/webhook-endpoints/${id}/test`),
        stranger.send('POST', `/webhook-endpoints/${id}/recover`, { since: '2025-12-31T00:00:00Z' }),
        stranger.send('GET', `/webhook-endpoints/${id}/deliveries`),
        stranger.send('GET', `/events/${eventId}`),
        stranger.send('POST', `/events/${eventId}/resend`),
      ].map(async (response) => (await response).status),
    );
    expect(statuses).toEqual(Array(9).fill(404));
    expect((await stranger.send('GET', '/webhook-endpoints')).body).toEqual({ data: [] });
    expect((await stranger.send('GET', '/events')).body).toEqual({ data: [] });
    await client.settled(id);
    expect(idsAt(path)).toEqual([eventId]);
    expect((await client.send('GET', `/webhook-endpoints/${id}`)).body).toMatchObject({ status: 'enabled' });
  });
});
