import { WaitingRoom } from './waiting-room';

describe('WaitingRoom', () => {
  const never = new AbortController().signal;

  it('wakes all who wait, and those who come later not before the next time', async () => {
    const room = new WaitingRoom();
    const woken: string[] = [];
    const enter = (name: string) => room.wait(never).then(() => woken.push(name));
    const early = Promise.all([enter('a'), enter('b')]);
    room.wakeAll();
    const late = enter('c');
    await early;
    expect(woken).toEqual(['a', 'b']);
    room.wakeAll();
    await late;
  });

  it('tells them of an error', async () => {
    const room = new WaitingRoom();
    const waiting = [room.wait(never), room.wait(never)];
    room.wakeAll(new Error('gone'));
    for (const each of waiting) await expect(each).rejects.toThrow('gone');
  });

  it('lets nobody wait whose signal aborts, or has aborted, and forgets them', async () => {
    const room = new WaitingRoom();
    const controller = new AbortController();
    const waiting = room.wait(controller.signal);
    controller.abort();
    room.wakeAll(new Error('too late'));
    await waiting;
    await room.wait(controller.signal);
  });
});
