import { randomUUID } from 'node:crypto';
import type { WebhookEvent } from '@florin/webhook-verifier';
import { type Account, codeOf, expectBody, type Listed } from './harness/account';
import type { ApiResponse } from './harness/client';
import { type Endpoint, Inbox } from './harness/inbox';
import { ListenCommand } from './harness/listen-command';
import { Operator } from './harness/operator';
import { runCli, sharedFlorin } from './harness/florin';
import type { RunningFlorin } from './harness/running-florin';
import { Receiver } from './harness/receiver';
import { until } from './harness/until';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const endpoints = '/api/v1/webhook-endpoints';
const twoSignatures = /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/;

interface Requested {
  readonly id: string;
  readonly type: string;
}

describe('webhook endpoints', () => {
  let receiver: Receiver;
  let florin: RunningFlorin;
  let operator: Operator;
  let account: Account;

  beforeAll(async () => {
    receiver = await Receiver.start();
    florin = await sharedFlorin();
    operator = new Operator(florin);
  });

  beforeEach(async () => {
    account = await operator.newAccount();
  });

  afterAll(() => receiver.close());

  const listed = async (): Promise<readonly Endpoint[]> =>
    expectBody<Listed<Endpoint>>(await account.get(endpoints), 200).data;
  const trigger = async (type = 'card.created'): Promise<string> =>
    expectBody<Requested>(await account.post('/api/v1/sandbox/events', { type }), 202).id;
  const testOf = async (inbox: Inbox): Promise<Requested> => expectBody<Requested>(await inbox.call('test'), 202);

  it('are registered with a secret that is shown once', async () => {
    const body = { url: receiver.url('/shop'), events: ['card.created', 'card.updated'], description: 'The shop' };
    const headers = { 'Idempotency-Key': randomUUID() };
    const response = await account.post(endpoints, body, headers);
    const { secret, ...shown } = expectBody<Endpoint & { secret: string }>(response, 201);
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(shown).toEqual({
      ...{ id: expect.any(String), ...body, status: 'enabled', createdAt: expect.stringMatching(instant) },
    });
    expect(response.headers.get('location')).toBe(`${endpoints}/${shown.id}`);
    expect(expectBody(await account.get(`${endpoints}/${shown.id}`), 200)).toEqual(shown);
    expect(await listed()).toEqual([shown]);

    const repeat = await account.post(endpoints, body, headers);
    expect([repeat.status, repeat.headers.get('idempotent-replayed'), repeat.body]).toEqual([
      201,
      'true',
      response.body,
    ]);
    expect(codeOf(await account.post(endpoints, { ...body, events: ['card.created'] }, headers))).toEqual([
      409,
      'idempotency_conflict',
    ]);
    expect(await listed()).toHaveLength(1);
  });

  it('receive the events of their new subscription after a change', async () => {
    const [inbox, other] = [await Inbox.open(account, receiver), await Inbox.open(account, receiver)];
    const { createdAt } = await inbox.shown();
    const moved = `/${randomUUID()}`;
    const changes = { url: receiver.url(moved), events: ['holder.created'], description: 'Moved' };
    expect(await inbox.change(changes)).toEqual({ id: inbox.id, ...changes, status: 'enabled', createdAt });
    const [unwanted, wanted] = [await trigger('card.created'), await trigger('holder.created')];
    await Promise.all([inbox.untilSettled(), other.untilSettled()]);
    expect(receiver.at(moved).map(({ eventId }) => eventId)).toEqual([wanted]);
    expect(receiver.at(moved)[0]!.verified(inbox.secret).type).toBe('holder.created');
    expect(other.events.map(({ id }) => id).sort()).toEqual([unwanted, wanted].sort());
    expect(inbox.received).toEqual([]);

    expect(await inbox.change({ events: null, description: null })).toEqual({
      ...{ id: inbox.id, url: changes.url, status: 'enabled', createdAt },
    });
    const disabled = { id: inbox.id, url: changes.url, status: 'disabled', disabledReason: 'by_company', createdAt };
    expect(await inbox.change({ status: 'disabled' })).toEqual(disabled);
    expect(await inbox.shown()).toEqual(disabled);
    const missed = await trigger();
    await other.untilArrived(missed);
    expect(codeOf(await inbox.call('test'))).toEqual([400, 'validation_failed']);
    await inbox.change({ status: 'enabled' });
    const later = await trigger();
    await inbox.untilDelivery(later, ({ status }) => status === 'delivered');
    expect(receiver.at(moved).map(({ eventId }) => eventId)).toEqual([wanted, later]);
  });

  it('sign with two secrets during a rotation', async () => {
    const inbox = await Inbox.open(account, receiver);
    const headers = { 'Idempotency-Key': randomUUID() };
    const rotate = (): Promise<ApiResponse> => inbox.call('rotate-secret', undefined, headers);
    const { secret, ...shown } = expectBody<Endpoint & { secret: string }>(await rotate(), 200);
    expect(shown).toEqual(await inbox.shown());
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(secret).not.toBe(inbox.secret);
    expect((await rotate()).body).toEqual({ ...shown, secret });
    const { id } = await testOf(inbox);
    await inbox.untilArrived(id);
    const [delivery] = inbox.copiesOf(id);
    expect(delivery!.signature).toMatch(twoSignatures);
    for (const one of [secret, inbox.secret]) expect(delivery!.verified(one).id).toBe(id);
    expect(() => delivery!.verified(`${secret}x`)).toThrow('No signature matches');
  });

  it('receive a test event regardless of their subscription, and no other endpoint does', async () => {
    const inbox = await Inbox.open(account, receiver, { events: ['holder.created'] });
    const other = await Inbox.open(account, receiver);
    const { id, type } = await testOf(inbox);
    const event = await inbox.untilArrived(id);
    expect([type, event.type]).toEqual(['webhook_endpoint.test', 'webhook_endpoint.test']);
    expect(event.data.object).toEqual(await inbox.shown());
    expect((await account.get(`/api/v1/events/${id}`)).body).toEqual(event);
    expect(inbox.received[0]!.headers).toMatchObject({
      ...{ 'content-type': 'application/json', 'user-agent': 'Florin-Webhooks/1', 'webhook-id': id },
    });
    expect(await other.deliveries()).toEqual([]);
  });

  it('receive nothing after they are deleted', async () => {
    const [inbox, other] = [await Inbox.open(account, receiver), await Inbox.open(account, receiver)];
    const path = `${endpoints}/${inbox.id}`;
    for (let time = 1; time <= 2; time++) expect((await account.send('DELETE', path, {})).status).toBe(204);
    for (const gone of [path, `${path}/deliveries`])
      expect(codeOf(await account.get(gone))).toEqual([404, 'not_found']);
    expect(codeOf(await inbox.call('rotate-secret'))).toEqual([404, 'not_found']);
    expect((await listed()).map(({ id }) => id)).toEqual([other.id]);
    await other.untilArrived(await trigger());
    expect(inbox.received).toEqual([]);
  });

  it('are limited to twenty', async () => {
    for (let count = 0; count < 20; count++) await Inbox.open(account, receiver);
    const [{ id }] = (await listed()) as [Endpoint];
    const oneMore = (): Promise<ApiResponse> => account.post(endpoints, { url: receiver.url('/one-more') });
    expect(codeOf(await oneMore())).toEqual([400, 'quota_exceeded']);
    await account.send('DELETE', `${endpoints}/${id}`, {});
    expect((await oneMore()).status).toBe(201);
  });

  it('belong to one company and one environment', async () => {
    const companyId = await operator.newCompany();
    account = await operator.newKey(companyId);
    const inbox = await Inbox.open(account, receiver);
    const eventId = await trigger();
    await inbox.untilSettled();
    const path = `${endpoints}/${inbox.id}`;
    for (const stranger of [await operator.newAccount(), await operator.newKey(companyId, 'live')]) {
      const responses = [
        await stranger.get(path),
        await stranger.get(`${path}/deliveries`),
        await stranger.send('PATCH', path, { body: { status: 'disabled' } }),
        await stranger.send('DELETE', path, {}),
        await stranger.post(`${path}/test`),
        await stranger.post(`${path}/rotate-secret`),
        await stranger.post(`${path}/recover`, { since: '2026-01-01T00:00:00Z' }),
        await stranger.post(`/api/v1/events/${eventId}/resend`, {}),
        await stranger.get(`/api/v1/events/${eventId}`),
      ];
      for (const response of responses) expect(codeOf(response)).toEqual([404, 'not_found']);
      expect((await stranger.get(endpoints)).body).toEqual({ data: [] });
    }
    // An own event cannot be sent to another company's endpoint.
    const stranger = await operator.newAccount();
    const own = expectBody<Requested>(await stranger.post('/api/v1/sandbox/events', { type: 'card.created' }), 202).id;
    const toOther = await stranger.post(`/api/v1/events/${own}/resend`, { endpointId: inbox.id });
    expect(codeOf(toOther)).toEqual([404, 'not_found']);
    expect(await inbox.shown()).toMatchObject({ status: 'enabled' });
    expect(inbox.events.map(({ id }) => id)).toEqual([eventId]);
  });

  it('require the webhook scopes', async () => {
    const companyId = await operator.newCompany();
    const reader = await operator.newKey(companyId, 'sandbox', ['webhooks:read']);
    const outsider = await operator.newKey(companyId, 'sandbox', ['operations:read']);
    const body = { url: receiver.url('/refused') };
    expect((await reader.get(endpoints)).body).toEqual({ data: [] });
    expect((await reader.get('/api/v1/events')).body).toEqual({ data: [] });
    expect(codeOf(await reader.post(endpoints, body))).toEqual([403, 'scope_missing']);
    expect(codeOf(await reader.post('/api/v1/sandbox/events', { type: 'card.created' }))).toEqual([
      403,
      'scope_missing',
    ]);
    for (const path of [endpoints, '/api/v1/events']) {
      expect(codeOf(await outsider.get(path))).toEqual([403, 'scope_missing']);
    }
  });

  it.each([
    ['http', 'http://example.com/webhooks'],
    ['loopback', 'https://127.0.0.1/webhooks'],
    ['loopback in other words', 'https://2130706433/webhooks'],
    ['loopback in IPv6', 'https://[::1]/webhooks'],
    ['loopback wrapped in IPv6', 'https://[::ffff:127.0.0.1]/webhooks'],
    ['the machine itself', 'https://localhost:8443/webhooks'],
    ['a private network', 'https://10.1.2.3/webhooks'],
    ['the metadata of a cloud', 'https://169.254.169.254/latest/meta-data'],
    ['a name of a cluster', 'https://florin.default.svc.cluster.local/webhooks'],
    ['a user', 'https://me:secret@example.com/webhooks'],
  ])('in live are rejected with %s', async (_, url) => {
    const live = await operator.newKey(await operator.newCompany(), 'live');
    expect(codeOf(await live.post(endpoints, { url }))).toEqual([400, 'validation_failed']);
    const { id } = expectBody<Endpoint>(await live.post(endpoints, { url: 'https://example.com/webhooks' }), 201);
    expect(codeOf(await live.send('PATCH', `${endpoints}/${id}`, { body: { url } }))).toEqual([
      400,
      'validation_failed',
    ]);
    expect((await live.get(`${endpoints}/${id}`)).body).toMatchObject({ url: 'https://example.com/webhooks' });
  });

  it.each([
    { url: 'http://10.1.2.3/webhooks' },
    { url: 'http://169.254.169.254/latest/meta-data' },
    { url: 'ftp://example.com/webhooks' },
    { url: 'here' },
    { url: '' },
    {},
    { url: 'https://example.com/webhooks', events: [] },
    { url: 'https://example.com/webhooks', events: ['card.melted'] },
    { url: 'https://example.com/webhooks', events: ['card.created', 'card.created'] },
    { url: 'https://example.com/webhooks', secret: 'whsec_my-own' },
  ])('are rejected in the sandbox as %j', async (body) => {
    expect(codeOf(await account.post(endpoints, body))).toEqual([400, 'validation_failed']);
    expect(await listed()).toEqual([]);
  });

  it('are replaced by the command line, which shows events and forwards them with a signature', async () => {
    const env = { FLORIN_DATA_DIR: florin.dataDirectory };
    const company = ['--company', 'Acme Corporation', '--json'];
    runCli(['trigger', 'holder.created', ...company], env);
    const forwarding = ['--forward-to', receiver.url('/terminal'), '--events', 'holder.created', '--every', '50'];
    const terminal = await ListenCommand.start([...forwarding, ...company], env);
    const secret = /signed with (whsec_\S+)/.exec(terminal.messages)?.[1];
    expect(secret).toBeDefined();
    runCli(['trigger', 'card.updated', ...company], env);
    const wanted = runCli(['trigger', 'holder.created', ...company], env) as Requested;
    const [line] = await until(
      'the command line has shown the event',
      () => Promise.resolve(terminal.lines),
      ({ length }) => length > 0,
    );
    const { event, handover } = JSON.parse(line!) as { event: WebhookEvent; handover: object };
    expect([event.id, handover]).toMatchObject([wanted.id, { statusCode: 204 }]);
    expect(receiver.at('/terminal').map((received) => received.verified(secret!))).toEqual([event]);
    expect(await terminal.interrupt()).toBe(0);
    expect(terminal.lines).toHaveLength(1);
  });
});
