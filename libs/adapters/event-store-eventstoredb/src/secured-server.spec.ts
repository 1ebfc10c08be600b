import {
  describeWithEventStoreDb,
  EVENTSTOREDB_TIMEOUT_MS,
  type SecuredTestEventStoreDb,
  startSecuredTestEventStoreDb,
} from '@florin/dev-platform/testing';
import { AccessDeniedError, jsonEvent } from '@eventstore/db-client';
import { beforeFirst, noStream, openStore } from '@florin/event-sourcing';
import { allEvents, Follower, newEvent, newEvents, newStream, wholeStream } from '@florin/event-sourcing/testing';
import { systemClock } from '@florin/kernel';
import { accessProblem } from './append-failures';
import { EventStoreDbEventStore } from './eventstoredb-event-store.adapter';
import { findServerProblem } from './find-server-problem';
import { grantRights } from './grant-rights';
import { createClient } from './renewable-client';

jest.setTimeout(30_000);

describeWithEventStoreDb('An EventStoreDB with TLS and users', () => {
  let server: SecuredTestEventStoreDb;
  const stores: EventStoreDbEventStore[] = [];
  const open = (url: string): EventStoreDbEventStore => {
    const store = new EventStoreDbEventStore(url);
    stores.push(store);
    return store;
  };

  beforeAll(async () => {
    server = await startSecuredTestEventStoreDb();
  }, EVENTSTOREDB_TIMEOUT_MS);
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server.remove();
  });

  it('is accepted with its authority and an administrator', async () => {
    expect(await findServerProblem(server.urlOf('admin:changeit'))).toBeUndefined();
  });

  it.each([
    ['a wrong password', () => server.urlOf('admin:wrong'), 'rejects the user admin or its password. Correct them in'],
    ['an unknown user', () => server.urlOf('stranger:changeit'), 'rejects the user stranger or its password'],
    [
      'an untrusted certificate',
      () => `esdb://admin:changeit@127.0.0.1:${server.port}`,
      'is not trusted (unable to verify the first certificate). Add tlsCAFile=',
    ],
    ['a plain connection', () => `esdb://127.0.0.1:${server.port}?tls=false`, 'uses TLS. Remove tls=false'],
    [
      'an authority file that does not exist',
      () => `esdb://127.0.0.1:${server.port}?tlsCAFile=/no/such/file`,
      'The tlsCAFile of EVENTSTORE_URL cannot be read: ENOENT',
    ],
  ])('is rejected in one line with %s', async (_name, url, problem) => {
    expect(await findServerProblem(url())).toContain(problem);
  });

  it.each([
    ['without a user', () => server.urlOf('').replace('//@', '//')],
    ['with a user without rights', () => server.urlOf('ops:changeit')],
  ])('denies access %s, with the remedy', async (_name, url) => {
    const error: unknown = await open(url())
      .head()
      .catch((reason: unknown) => reason);
    expect(accessProblem(error)).toContain('give it the rights that it needs with `florin eventstore grant`');
  });

  describe('after rights were granted', () => {
    const url = (): string => server.urlOf('florin:a%40secret-password');

    beforeAll(async () => {
      // Repeated, as after a change of the password.
      await grantRights(server.urlOf('admin:changeit'), server.urlOf('florin:first-password'));
      expect(await grantRights(server.urlOf('admin:changeit'), url())).toMatchObject({ user: 'florin' });
    });

    it('lets its user do what Florin needs', async () => {
      expect(await findServerProblem(url())).toBeUndefined();
      const store = open(url());
      store.expectIdentity(await openStore(store, { service: 'ledger', florinVersion: '1.2.3', clock: systemClock }));
      const follower = new Follower(store, { after: beforeFirst });
      const [stream, events] = [newStream(), newEvents(3)];
      await store.append(stream, noStream, events);
      await store.append(stream, 2, [newEvent()]);
      expect(await wholeStream(store, stream)).toHaveLength(4);
      expect(await allEvents(store, { after: beforeFirst })).toHaveLength(5);
      await follower.untilEvents(5);
      await follower.stop();
      await store.probe(10_000);
    });

    it('lets its user neither delete, truncate nor change rights', async () => {
      const client = createClient(url());
      const stream = newStream();
      await client.appendToStream(stream, jsonEvent({ type: 'Happened', data: {} }));
      await expect(client.deleteStream(stream)).rejects.toBeInstanceOf(AccessDeniedError);
      await expect(client.tombstoneStream(stream)).rejects.toBeInstanceOf(AccessDeniedError);
      await expect(client.setStreamMetadata(stream, { truncateBefore: 1 })).rejects.toBeInstanceOf(AccessDeniedError);
      await expect(client.setStreamMetadata('$all', {})).rejects.toBeInstanceOf(AccessDeniedError);
      const settings = jsonEvent({ type: 'update-default-acl', data: {} });
      await expect(client.appendToStream('$settings', settings)).rejects.toBeInstanceOf(AccessDeniedError);
      await client.dispose();
    });

    it('denies the streams to a user without these rights', async () => {
      const client = createClient(server.urlOf('').replace('//@', '//'));
      const event = jsonEvent({ type: 'Happened', data: {} });
      await expect(client.appendToStream(newStream(), event)).rejects.toBeInstanceOf(AccessDeniedError);
      await client.dispose();
    });
  });

  it('grants nothing as a user who is no administrator', async () => {
    await expect(grantRights(server.urlOf('ops:changeit'), server.urlOf('other:password'))).rejects.toThrow(
      'The server rejects the user of EVENTSTORE_ADMIN_URL, or it is no administrator.',
    );
  });
});
