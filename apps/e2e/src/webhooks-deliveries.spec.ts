import { randomUUID } from 'node:crypto';
import { type Account, codeOf, expectBody } from './harness/account';
import { everyPage, type Delivery, Inbox } from './harness/inbox';
import { Operator } from './harness/operator';
import { sharedFlorin } from './harness/florin';
import { Receiver } from './harness/receiver';

const isDelivered = ({ status }: Delivery): boolean => status === 'delivered';

describe('webhook deliveries', () => {
  let receiver: Receiver;
  let operator: Operator;
  let account: Account;

  beforeAll(async () => {
    receiver = await Receiver.start();
    operator = new Operator(await sharedFlorin());
  });

  beforeEach(async () => {
    account = await operator.newAccount();
  });

  afterAll(() => receiver.close());

  const trigger = async (type = 'card.created'): Promise<string> =>
    expectBody<{ id: string }>(await account.post('/api/v1/sandbox/events', { type }), 202).id;
  const idsAt = (inbox: Inbox): readonly string[] => inbox.events.map(({ id }) => id).sort();
  const resend = (eventId: string, body: object = {}, headers?: Record<string, string>) =>
    account.post(`/api/v1/events/${eventId}/resend`, body, headers);

  it('are retried when the receiver was unreachable, and the log shows each attempt', async () => {
    const away = await Receiver.start();
    const inbox = await Inbox.open(account, away);
    await away.close();
    const eventId = await trigger();
    const failed = await inbox.untilDelivery(eventId, ({ attempts }) => attempts === 1);
    const first = { number: 1, at: expect.any(String), durationMs: expect.any(Number), outcome: 'unreachable' };
    expect(failed).toMatchObject({ eventId, eventType: 'card.created', status: 'pending', log: [first] });
    const [attempt] = failed.log;
    expect([failed.lastError, failed.lastStatusCode]).toEqual([attempt!.error, undefined]);
    expect(attempt!.error).toMatch(/refused/i);
    const pauseMs = Date.parse(failed.nextAttemptAt!) - Date.parse(attempt!.at);
    expect([pauseMs >= 4_500, pauseMs <= 5_500]).toEqual([true, true]);

    await away.open();
    const event = await inbox.untilArrived(eventId);
    expect(event).toEqual((await account.get(`/api/v1/events/${eventId}`)).body);
    const delivered = await inbox.untilDelivery(eventId, isDelivered);
    const second = { number: 2, outcome: 'acknowledged', statusCode: 204 };
    expect(delivered).toMatchObject({ attempts: 2, lastStatusCode: 204, log: [first, second] });
    expect(delivered).not.toHaveProperty('nextAttemptAt');
    await away.close();
  });

  it('are retried with a new signature after any response except 2xx, and follow no redirect', async () => {
    const [failing, leading] = [await Inbox.open(account, receiver), await Inbox.open(account, receiver)];
    receiver.respondAt(failing.path, { status: 500, body: 'Out of order' });
    receiver.respondAt(leading.path, { status: 307, headers: { location: receiver.url('/elsewhere') } });
    const eventId = await trigger();
    const refused = { status: 'pending', attempts: 1 };
    const [failed, led] = await Promise.all(
      [failing, leading].map((inbox) => inbox.untilDelivery(eventId, ({ attempts }) => attempts === 1)),
    );
    const answer = { outcome: 'refused', statusCode: 500, excerpt: 'Out of order' };
    expect(failed).toMatchObject({ ...refused, lastStatusCode: 500, log: [answer] });
    expect(led).toMatchObject({ ...refused, lastStatusCode: 307, log: [{ outcome: 'refused', statusCode: 307 }] });
    for (const inbox of [failing, leading]) receiver.respondAt(inbox.path, { status: 202 });

    await Promise.all([failing, leading].map((inbox) => inbox.untilDelivery(eventId, isDelivered)));
    const [first, second, ...others] = failing.copiesOf(eventId);
    expect(others).toEqual([]);
    expect(second!.body).toEqual(first!.body);
    expect(second!.signature).not.toBe(first!.signature);
    expect([first!, second!].map((received) => received.verified(failing.secret).id)).toEqual([eventId, eventId]);
    expect(receiver.at('/elsewhere')).toEqual([]);
  });

  it('that failed are recovered, and no other delivery is repeated', async () => {
    const away = await Receiver.start();
    const inbox = await Inbox.open(account, away, { events: ['card.created', 'card.updated'] });
    const since = new Date(Date.now() - 60_000).toISOString();
    const known = await trigger();
    await inbox.untilDelivery(known, isDelivered);
    await away.close();
    const failed = await trigger('card.updated');
    await inbox.untilDelivery(failed, ({ attempts }) => attempts > 0);
    await inbox.change({ status: 'disabled' });
    expect(await inbox.deliveries('&status=cancelled')).toMatchObject([{ eventId: failed }]);
    const missed = await trigger();
    await trigger('holder.created');
    await away.open();
    const recover = (headers?: Record<string, string>) => inbox.call('recover', { since }, headers);
    expect(codeOf(await recover())).toEqual([400, 'validation_failed']);
    await inbox.change({ status: 'enabled' });
    expect(inbox.copiesOf(missed)).toEqual([]);

    const once = { 'Idempotency-Key': randomUUID() };
    for (let time = 1; time <= 3; time++) expectBody(await recover(once), 202);
    for (const eventId of [failed, missed]) await inbox.untilDelivery(eventId, isDelivered);
    await inbox.untilSettled();
    expect(idsAt(inbox)).toEqual([known, failed, missed].sort());
    // An endpoint without failed deliveries receives nothing.
    expectBody(await recover(), 202);
    await inbox.untilSettled();
    expect(inbox.received).toHaveLength(3);
    expect(codeOf(await inbox.call('recover', { since: 'yesterday' }))).toEqual([400, 'validation_failed']);
    await away.close();
  });

  it('stop after a 410, and other endpoints receive an event about it', async () => {
    const [gone, other] = [await Inbox.open(account, receiver), await Inbox.open(account, receiver)];
    receiver.respondAt(gone.path, { status: 410 });
    const eventId = await trigger();
    await gone.untilDelivery(eventId, ({ status }) => status === 'cancelled');
    const shown = await gone.shown();
    expect(shown).toMatchObject({ id: gone.id, status: 'disabled', disabledReason: 'gone' });
    const { data } = await account.list<{ id: string }>('/api/v1/events?type=webhook_endpoint.disabled');
    const told = await other.untilArrived(data[0]!.id);
    expect(told).toMatchObject({ type: 'webhook_endpoint.disabled', objectVersion: 1, data: { object: shown } });
    expect(told.data.object).toEqual(shown);
    const later = await trigger();
    await other.untilArrived(later);
    expect(await gone.deliveries()).toMatchObject([{ eventId, attempts: 1, lastStatusCode: 410 }]);
    expect(await other.untilSettled()).toHaveLength(3);
    expect(data).toHaveLength(1);
  });

  it('are resent on request to one endpoint or to all subscribed ones', async () => {
    const [one, other] = [await Inbox.open(account, receiver), await Inbox.open(account, receiver)];
    const indifferent = await Inbox.open(account, receiver, { events: ['holder.created'] });
    const eventId = await trigger();
    await Promise.all([one.untilDelivery(eventId, isDelivered), other.untilDelivery(eventId, isDelivered)]);
    const once = { 'Idempotency-Key': randomUUID() };
    for (let time = 1; time <= 3; time++) expectBody(await resend(eventId, { endpointId: one.id }, once), 202);
    await one.untilArrived(eventId, 2);
    expectBody(await resend(eventId), 202);
    await Promise.all([one.untilArrived(eventId, 3), other.untilArrived(eventId, 2)]);
    // A named endpoint receives it regardless of its subscription.
    expectBody(await resend(eventId, { endpointId: indifferent.id }), 202);
    await indifferent.untilArrived(eventId);
    const settled = await Promise.all([one, other, indifferent].map((inbox) => inbox.untilSettled()));
    expect(settled.map(({ length }) => length)).toEqual([3, 2, 1]);
    expect([one, other, indifferent].map(({ received }) => received.length)).toEqual([3, 2, 1]);
    const bodies = [one, other, indifferent].flatMap((inbox) => inbox.received.map(({ body }) => body.toString()));
    expect(new Set(bodies).size).toBe(1);
    expect(codeOf(await resend(`evt_${'0'.repeat(32)}`))).toEqual([404, 'not_found']);
    expect(codeOf(await resend(eventId, { endpointId: randomUUID() }))).toEqual([404, 'not_found']);
  });

  it('are listed in pages, newest first, and filtered by status', async () => {
    const inbox = await Inbox.open(account, receiver);
    const triggered: string[] = [];
    for (let count = 0; count < 7; count++) triggered.push(await trigger());
    const all = await inbox.untilSettled();
    expect(all.map(({ eventId }) => eventId).sort()).toEqual(triggered.sort());
    const times = all.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
    const path = `/api/v1/webhook-endpoints/${inbox.id}/deliveries`;
    expect(await everyPage<Delivery>(account, `${path}?limit=3`)).toEqual(all);
    expect(await everyPage<Delivery>(account, `${path}?limit=3&status=delivered`)).toEqual(all);
    expect(await everyPage<Delivery>(account, `${path}?limit=3&status=failed`)).toEqual([]);
    for (const query of ['status=lost', 'limit=0', 'colour=red']) {
      expect(codeOf(await account.get(`${path}?${query}`))).toEqual([400, 'validation_failed']);
    }
  });
});
