import { operatorAggregate, type OperatorCommand, operatorDirectoryId } from '@florin/companies-domain';
import { CommandHandler, type RecordedEvent } from '@florin/event-sourcing';
import { InMemoryEventStore } from '@florin/event-sourcing/testing';
import { type OperatorActor, randomId } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { OperatorLog } from './operator-log';

class CountingStore extends InMemoryEventStore {
  eventsRead = 0;
  isDown = false;

  override async *readStream(stream: string, fromRevision?: number): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const page of super.readStream(stream, fromRevision)) {
      this.eventsRead += page.length;
      yield page;
      if (this.isDown) throw new Error('The store is down');
    }
  }
}

const at = '2030-01-01T00:00:00.000Z';
const operator = (id: string): OperatorActor => ({ kind: 'operator', id });
const create = (operatorId: string): OperatorCommand => ({
  type: 'CreateOperator',
  data: {
    ...{ operatorId, sealed: 'sealed', emailHash: `e-mail of ${operatorId}`, role: 'finance' },
    ...{ tokenHash: `hash of ${operatorId}`, hint: 'aaaa', createdAt: at },
  },
});

function newLog() {
  const store = new CountingStore();
  const operators = new CommandHandler(operatorAggregate, { store, clock: manualClock(at) });
  const execute = async (command: OperatorCommand): Promise<void> => {
    const headers = { correlationId: 'c', causationId: 'c', actor: operator('bootstrap') };
    await operators.handle(operatorDirectoryId, command, { id: randomId(), headers });
    store.eventsRead = 0;
  };
  return { store, execute, log: new OperatorLog(store) };
}

const objection = async (log: OperatorLog) => (await log.read()).objection(operator('ida'), operator('bob'));

describe('The log of operators', () => {
  it('is read from the first event once, and then only the new events', async () => {
    const { store, execute, log } = newLog();
    await execute(create('ida'));
    await execute(create('bob'));
    expect(await objection(log)).toBeUndefined();
    expect(store.eventsRead).toBe(2);
    await execute({ type: 'DisableOperator', data: { operatorId: 'bob', disabledAt: at } });
    expect(await objection(log)).toMatch('bob is disabled');
    expect(store.eventsRead).toBe(1);
  });

  it('adds each event once, also to concurrent reads', async () => {
    const { store, execute, log } = newLog();
    for (const id of ['ida', 'bob', 'eve']) await execute(create(id));
    await Promise.all(Array.from({ length: 5 }, () => log.read()));
    expect(store.eventsRead).toBe(3);
  });

  it('continues after a failed read', async () => {
    const { store, execute, log } = newLog();
    await execute(create('ida'));
    store.isDown = true;
    await expect(log.read()).rejects.toThrow('The store is down');
    store.isDown = false;
    await execute(create('bob'));
    expect(await objection(log)).toBeUndefined();
    expect(store.eventsRead).toBe(1);
  });
});
