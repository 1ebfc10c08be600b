import { eventIdOf } from './event-ids';

describe('eventIdOf', () => {
  it('depends on the event of the log and the object only', () => {
    const id = eventIdOf('source', 'card');
    expect(id).toMatch(/^evt_[0-9a-f]{32}$/);
    expect(eventIdOf('source', 'card')).toBe(id);
    expect(eventIdOf('source', 'transaction')).not.toBe(id);
    expect(eventIdOf('other', 'card')).not.toBe(id);
  });
});
