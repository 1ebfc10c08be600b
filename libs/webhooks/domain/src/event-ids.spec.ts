import {
  eventCursor,
  eventIdOf,
  eventIdsAt,
  eventTimeOf,
  isEventId,
  isTimeOrdered,
  publicId,
  requestedEventId,
  timeOrderedEventId,
  uuidOf,
} from './event-ids';

const now = '2030-01-31T12:00:00.123Z';
const later = '2030-01-31T12:00:00.124Z';

describe('eventIdOf', () => {
  it('depends on the event of the log and the object only', () => {
    const id = eventIdOf('source', 'card');
    expect(id).toMatch(/^evt_[0-9a-f]{32}$/);
    expect(eventIdOf('source', 'card')).toBe(id);
    expect(eventIdOf('source', 'transaction')).not.toBe(id);
    expect(eventIdOf('other', 'card')).not.toBe(id);
  });
});

describe('timeOrderedEventId', () => {
  const id = timeOrderedEventId('source', 'card', now);

  it('depends on the event of the log and the object only', () => {
    expect(isEventId(id)).toBe(true);
    expect(timeOrderedEventId('source', 'card', now)).toBe(id);
    expect(timeOrderedEventId('source', 'transaction', now)).not.toBe(id);
    expect(timeOrderedEventId('other', 'card', now)).not.toBe(id);
  });

  it('contains the time, and sorts by it', () => {
    expect(eventTimeOf(id)).toBe(now);
    for (const source of ['a', 'b', 'c', 'd']) expect(timeOrderedEventId(source, 'card', later) > id).toBe(true);
  });

  it('differs from all other ids in its version', () => {
    expect(isTimeOrdered(id)).toBe(true);
    expect(isTimeOrdered(eventIdOf('source', 'card'))).toBe(false);
    expect(isTimeOrdered(requestedEventId('request'))).toBe(false);
  });

  it('is a UUID in another form', () => {
    expect(publicId(uuidOf(id))).toBe(id);
    expect(uuidOf(id).charAt(14)).toBe('7');
  });
});

describe('eventCursor', () => {
  const { lowest, highest } = eventIdsAt(new Date(now));

  it('is the id itself if that is time-ordered', () => {
    const id = timeOrderedEventId('source', 'card', now);
    expect(eventCursor(new Date(now), id)).toBe(uuidOf(id));
  });

  it('separates the ids of the same time like the text of any other id', () => {
    expect(eventCursor(new Date(now), `evt_${'0'.repeat(32)}`)).toBe(lowest);
    expect(eventCursor(new Date(now), `evt_${'f'.repeat(32)}`)).toBe(highest);
  });

  it('is before all events of the time without an id', () => {
    expect(eventCursor(new Date(now), '')).toBe(lowest);
    expect(lowest < uuidOf(timeOrderedEventId('source', 'card', now))).toBe(true);
  });
});
