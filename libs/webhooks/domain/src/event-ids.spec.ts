import { eventIdOf } from './event-ids';

describe('The id of an event', () => {
  it('is the same for the same event of the log and object, and no other', () => {
    const id = eventIdOf('source', 'card');
    expect(id).toMatch(/^evt_[0-9a-f]{32}$/);
    expect(eventIdOf('source', 'card')).toBe(id);
    expect(eventIdOf('source', 'transaction')).not.toBe(id);
    expect(eventIdOf('other', 'card')).not.toBe(id);
  });
});
