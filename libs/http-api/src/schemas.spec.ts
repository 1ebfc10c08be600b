import { date, timestampInput } from './schemas';

describe('timestampInput', () => {
  it.each([
    ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31T12:00:00.5+02:00', '2030-01-31T10:00:00.500Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('converts %s to UTC with milliseconds', (text, utc) => expect(timestampInput.parse(text)).toBe(utc));

  // The first and the third are out of range after the conversion to UTC.
  it.each(['0001-01-01T00:30:00+01:00', '0000-06-01T00:00:00Z', '9999-12-31T23:30:00-01:00', 'soon', '2030-01-31'])(
    'rejects %s',
    (text) => expect(timestampInput.safeParse(text).success).toBe(false),
  );
});

describe('date', () => {
  it.each(['0001-01-01', '2030-01-31', '9999-12-31'])('accepts %s', (text) => {
    expect(date.parse(text)).toBe(text);
  });
  it.each(['0000-01-01', '2030-02-30', '2030-1-1', '10000-01-01'])('rejects %s', (text) => {
    expect(date.safeParse(text).success).toBe(false);
  });
});
