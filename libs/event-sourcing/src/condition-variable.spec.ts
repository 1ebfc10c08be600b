import { ConditionVariable } from './condition-variable';

describe('ConditionVariable', () => {
  const never = new AbortController().signal;

  it('wakes all current waiters and makes later ones wait for the next notification', async () => {
    const condition = new ConditionVariable();
    const woken: string[] = [];
    const wait = (name: string) => condition.wait(never).then(() => woken.push(name));
    const early = Promise.all([wait('a'), wait('b')]);
    condition.notifyAll();
    const late = wait('c');
    await early;
    expect(woken).toEqual(['a', 'b']);
    condition.notifyAll();
    await late;
  });

  it('rejects all waiters when notified with an error', async () => {
    const condition = new ConditionVariable();
    const waiting = [condition.wait(never), condition.wait(never)];
    condition.notifyAll(new Error('connection lost'));
    for (const each of waiting) await expect(each).rejects.toThrow('connection lost');
  });

  it('stops waiting when the signal aborts, and does not wait on an aborted signal', async () => {
    const condition = new ConditionVariable();
    const controller = new AbortController();
    const waiting = condition.wait(controller.signal);
    controller.abort();
    condition.notifyAll(new Error('too late'));
    await waiting;
    await condition.wait(controller.signal);
  });
});
