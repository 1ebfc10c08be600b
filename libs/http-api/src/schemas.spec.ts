import { date, timestampInput } from './schemas';

describe('Times from clients', () => {
  it.each([
    ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31T12:00:00.5+02:00', '2030-01-31T10:00:00.500Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s leave in UTC with milliseconds', (text, utc) => expect(timestampInput.parse(text)).toBe(utc));

  // The first and the last are out of range only once the offset is taken off.
  it.each(['0001-01-01T00:30:00+01:00', '0000-06-01T00:00:00Z', '9999-12-31T23:30:00-01:00', 'soon', '2030-01-31'])(
    '%s are refused, because no event with them could be shown',
    (text) => expect(timestampInput.safeParse(text).success).toBe(false),
  );
});

describe('Dates from clients', () => {
  it.each(['0001-01-01', '2030-01-31', '9999-12-31'])('%s stay as they are', (text) => {
    expect(date.parse(text)).toBe(text);
  });
  it.each(['0000-01-01', '2030-02-30', '2030-1-1', '10000-01-01'])('%s are refused', (text) => {
    expect(date.safeParse(text).success).toBe(false);
  });
});
