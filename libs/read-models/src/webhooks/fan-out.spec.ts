import type { CommandReply } from '@florin/event-sourcing';
import * as card from '../cards/testing/card-commands';
import { acme, acmeLive, ida, type Owner } from '../testing/owners';
import * as endpoint from './testing/endpoint-commands';
import { type WebhooksFixture, webhooksFixture } from './testing/webhooks-fixture';

let fixture: WebhooksFixture;

beforeAll(async () => {
  fixture = await webhooksFixture();
});
afterAll(() => fixture.database.close());
beforeEach(() => fixture.reset());

const { endpointId } = endpoint;
const endpointCommand = (command: Parameters<WebhooksFixture['log']['endpoint']>[0]): Promise<CommandReply> =>
  fixture.log.endpoint(command);
const issue = (number: number, owner: Owner) => fixture.log.card(card.issue(number, owner));

/** The endpoints of an event and the status of each delivery. */
async function recipientsOf(eventId: string): Promise<readonly (readonly [number, string])[]> {
  const numbers = new Map(Array.from({ length: 9 }, (_, number) => [endpointId(number), number]));
  const rows = (await fixture.deliveries()).filter(({ event_id }) => event_id === eventId);
  return rows.map(({ endpoint_id, status }) => [numbers.get(endpoint_id)!, status] as const).sort();
}

const setStatus = (eventId: string, number: number, status: string) =>
  fixture.database.pool.query('UPDATE webhooks.deliveries SET status = $3 WHERE event_id = $1 AND endpoint_id = $2', [
    eventId,
    endpointId(number),
    status,
  ]);

describe('an event is sent', () => {
  it('to the enabled endpoints of its account that subscribe to its type', async () => {
    await fixture.run(
      endpointCommand(endpoint.register(1, acme)),
      endpointCommand(endpoint.register(2, acme, ['card.created'])),
      endpointCommand(endpoint.register(3, acme, ['card.updated', 'holder.created'])),
      endpointCommand(endpoint.register(4, acme)),
      endpointCommand(endpoint.register(5, acme)),
      endpointCommand(endpoint.register(6, acmeLive)),
      endpointCommand(endpoint.register(7, ida)),
      endpointCommand(endpoint.update(4, acme, { status: 'disabled' })),
      endpointCommand(endpoint.remove(5, acme)),
    );
    const [created] = await fixture.run(issue(1, acme));
    expect(await recipientsOf(created!.id)).toEqual([
      [1, 'pending'],
      [2, 'pending'],
    ]);
    const [frozen] = await fixture.run(fixture.log.card(card.changeStatus('FreezeCard', 1, acme)));
    expect(await recipientsOf(frozen!.id)).toEqual([
      [1, 'pending'],
      [3, 'pending'],
    ]);
    const [live] = await fixture.run(issue(2, acmeLive));
    expect(await recipientsOf(live!.id)).toEqual([[6, 'pending']]);
  });

  it('to endpoints that subscribed to it when it happened, also within one batch', async () => {
    const published = await fixture.run(
      issue(1, acme),
      (async () => {
        await endpointCommand(endpoint.register(1, acme, ['card.created']));
        await issue(2, acme);
        await endpointCommand(endpoint.update(1, acme, { events: ['holder.created'] }));
        await issue(3, acme);
        await endpointCommand(endpoint.update(1, acme, { events: null }));
        await issue(4, acme);
        await endpointCommand(endpoint.disable(1, acme));
        await issue(5, acme);
        return endpointCommand(endpoint.update(1, acme, { status: 'enabled' }));
      })(),
    );
    const cards = published.filter(({ type }) => type === 'card.created');
    const recipients = await Promise.all(cards.map(({ id }) => recipientsOf(id)));
    expect(recipients).toEqual([[], [[1, 'cancelled']], [], [[1, 'cancelled']], []]);
  });

  it('with a notification to the dispatchers when there is a delivery', async () => {
    const listener = await fixture.database.pool.connect();
    const woken: string[] = [];
    listener.on('notification', ({ channel }) => woken.push(channel));
    await listener.query('LISTEN webhook_deliveries');
    await fixture.run(issue(1, acme));
    await listener.query('SELECT 1');
    expect(woken).toEqual([]);
    await fixture.run(endpointCommand(endpoint.register(1, acme)));
    await fixture.run(issue(2, acme));
    await listener.query('SELECT 1');
    expect(woken).toEqual(['webhook_deliveries']);
    listener.release(true);
  });

  it('to the other endpoints when one is disabled, and a test to the tested endpoint only', async () => {
    await fixture.run(
      endpointCommand(endpoint.register(1, acme)),
      endpointCommand(endpoint.register(2, acme, ['card.created'])),
      endpointCommand(endpoint.register(3, acme, ['webhook_endpoint.disabled'])),
      endpointCommand(endpoint.register(7, ida)),
    );
    const [tested] = await fixture.run(endpointCommand(endpoint.test(2, acme, 'test')));
    expect(await recipientsOf(tested!.id)).toEqual([[2, 'pending']]);
    const [disabled] = await fixture.run(endpointCommand(endpoint.disable(1, acme)));
    expect(await recipientsOf(disabled!.id)).toEqual([[3, 'pending']]);
    const [sample] = await fixture.run(endpointCommand(endpoint.trigger(acme, 'card.created', 'sample')));
    expect(await recipientsOf(sample!.id)).toEqual([[2, 'pending']]);
  });

  it('no more once the endpoint is disabled or deleted', async () => {
    await fixture.run(
      endpointCommand(endpoint.register(1, acme)),
      endpointCommand(endpoint.register(2, acme)),
      endpointCommand(endpoint.register(3, acme)),
    );
    const [created] = await fixture.run(issue(1, acme));
    await setStatus(created!.id, 1, 'delivered');
    await fixture.run(endpointCommand(endpoint.disable(1, acme)), endpointCommand(endpoint.remove(2, acme)));
    expect(await recipientsOf(created!.id)).toEqual([
      [1, 'delivered'],
      [2, 'cancelled'],
      [3, 'pending'],
    ]);
  });
});

describe('a resend', () => {
  it('sends an event again to all subscribed endpoints or to the given one', async () => {
    await fixture.run(
      endpointCommand(endpoint.register(1, acme)),
      endpointCommand(endpoint.register(2, acme, ['card.created'])),
      endpointCommand(endpoint.register(3, acme, ['holder.created'])),
    );
    const [created] = await fixture.run(issue(1, acme));
    await fixture.run(endpointCommand(endpoint.resend(acme, created!.id, 'again')));
    const [one, two] = [[1, 'pending'] as const, [2, 'pending'] as const];
    expect(await recipientsOf(created!.id)).toEqual([one, one, two, two]);
    await fixture.run(endpointCommand(endpoint.resend(acme, created!.id, 'to three', 3)));
    expect(await recipientsOf(created!.id)).toEqual([one, one, two, two, [3, 'pending']]);
  });

  it('sends a test again to the endpoint that was tested', async () => {
    await fixture.run(endpointCommand(endpoint.register(1, acme)), endpointCommand(endpoint.register(2, acme)));
    const [tested] = await fixture.run(endpointCommand(endpoint.test(1, acme, 'test')));
    await fixture.run(endpointCommand(endpoint.resend(acme, tested!.id, 'again')));
    expect(await recipientsOf(tested!.id)).toEqual([
      [1, 'pending'],
      [1, 'pending'],
    ]);
  });

  it.each(['evt_00000000000000000000000000000000', 'evt_\0', 'nothing'])(
    'of the unknown event %j sends nothing',
    async (id) => {
      await fixture.run(endpointCommand(endpoint.register(1, acme)));
      await fixture.run(
        endpointCommand(endpoint.resend(acme, id, 'again')),
        endpointCommand(endpoint.resend(acme, id, 'to one', 1)),
      );
      expect(await fixture.deliveries()).toEqual([]);
    },
  );

  it('of an event of another company or environment sends nothing', async () => {
    await fixture.run(
      endpointCommand(endpoint.register(1, acme)),
      endpointCommand(endpoint.register(2, acmeLive)),
      endpointCommand(endpoint.register(3, ida)),
    );
    const [created] = await fixture.run(issue(1, acme));
    for (const [owner, number] of [
      [ida, 3],
      [acmeLive, 2],
    ] as const) {
      await fixture.run(
        endpointCommand(endpoint.resend(owner, created!.id, 'all')),
        endpointCommand(endpoint.resend(owner, created!.id, 'one', number)),
      );
    }
    expect(await recipientsOf(created!.id)).toEqual([[1, 'pending']]);
  });
});

describe('a recovery', () => {
  interface Recovery {
    readonly endpoint_id: string;
    readonly after_time: Date;
    readonly after_id: string;
    readonly until_position: string;
    readonly again_since: Date | null;
  }
  const recoveries = async (): Promise<readonly Recovery[]> =>
    (await fixture.database.pool.query<Recovery>('SELECT * FROM webhooks.recoveries ORDER BY endpoint_id')).rows;
  const recover = (number: number, requestId: string, since: string) =>
    fixture.run(endpointCommand(endpoint.recover(number, acme, requestId, since)));
  const [early, middle, late] = [
    '2030-01-02T00:00:00.000Z',
    '2030-01-03T00:00:00.000Z',
    '2030-01-04T00:00:00.000Z',
  ] as const;

  it('is stored for the dispatcher and creates no deliveries in the projection', async () => {
    await fixture.run(issue(1, acme), endpointCommand(endpoint.register(1, acme)));
    await recover(1, 'one', early);
    const position = (await fixture.log.events()).at(-1)!.position;
    expect(await recoveries()).toMatchObject([
      { endpoint_id: endpointId(1), after_time: new Date(early), after_id: '', until_position: `${position}` },
    ]);
    expect(await fixture.deliveries()).toEqual([]);
  });

  it('is merged with other requests for the endpoint and starts at the earliest time', async () => {
    await fixture.run(endpointCommand(endpoint.register(1, acme)), endpointCommand(endpoint.register(2, acme)));
    for (const [requestId, since] of [
      ['one', middle],
      ['two', early],
      ['three', late],
    ] as const) {
      await recover(1, requestId, since);
    }
    await recover(2, 'other', late);
    const position = (await fixture.log.events()).at(-2)!.position;
    const stored = await recoveries();
    expect(stored).toHaveLength(2);
    expect(stored.find(({ endpoint_id }) => endpoint_id === endpointId(1))).toMatchObject({
      after_time: new Date(early),
      until_position: `${position}`,
      again_since: null,
    });
  });

  it('in progress continues, and starts again at its end if a request asks for earlier events', async () => {
    await fixture.run(endpointCommand(endpoint.register(1, acme)));
    await recover(1, 'one', early);
    await fixture.database.pool.query(`UPDATE webhooks.recoveries SET after_time = $1, after_id = 'evt_1'`, [middle]);
    await recover(1, 'two', late);
    const progress = { after_time: new Date(middle), after_id: 'evt_1' };
    expect(await recoveries()).toMatchObject([{ ...progress, again_since: null }]);
    await recover(1, 'three', middle);
    await recover(1, 'four', early);
    await recover(1, 'five', middle);
    expect(await recoveries()).toMatchObject([{ ...progress, again_since: new Date(early) }]);
  });

  it('ends when the endpoint is disabled or deleted, and is not stored for such an endpoint', async () => {
    await fixture.run(endpointCommand(endpoint.register(1, acme)), endpointCommand(endpoint.register(2, acme)));
    await recover(1, 'one', early);
    await recover(2, 'two', early);
    expect(await recoveries()).toHaveLength(2);
    await fixture.run(
      endpointCommand(endpoint.update(1, acme, { status: 'disabled' })),
      endpointCommand(endpoint.remove(2, acme)),
    );
    expect(await recoveries()).toEqual([]);
    await fixture.run(
      (async () => {
        await endpointCommand(endpoint.update(1, acme, { status: 'enabled' }));
        await endpointCommand(endpoint.recover(1, acme, 'three', early));
        return endpointCommand(endpoint.update(1, acme, { status: 'disabled', description: 'again' }));
      })(),
    );
    expect(await recoveries()).toEqual([]);
  });
});

describe('enabling an endpoint', () => {
  it('resets its failures only', async () => {
    const { pool } = fixture.database;
    await fixture.run(endpointCommand(endpoint.register(1, acme)), endpointCommand(endpoint.register(2, acme)));
    await pool.query(`
      INSERT INTO webhooks.endpoint_health
      SELECT id, '2030-01-01', '2029-12-31' FROM webhooks.endpoints`);
    await fixture.run(endpointCommand(endpoint.disable(1, acme, 'failing')));
    await fixture.run(endpointCommand(endpoint.update(1, acme, { status: 'enabled' })));
    const text = 'SELECT endpoint_id FROM webhooks.endpoint_health WHERE failing_since IS NOT NULL';
    expect((await pool.query(text)).rows).toEqual([{ endpoint_id: endpointId(2) }]);
  });
});
