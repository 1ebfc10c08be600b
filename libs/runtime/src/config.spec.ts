import { BadConfiguration, readConfig } from './config';

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      PORT: 3000,
      FLORIN_DATA_DIR: '.florin',
      FLORIN_SEED: 'demo',
      LOG_LEVEL: 'info',
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toEqual(readConfig({}));
  });

  it('names every bad variable at once', () => {
    const env = {
      PORT: 'eighty',
      DATABASE_URL: 'mysql://x',
      FLORIN_SEED: 'all',
      RATE_LIMIT_LIVE: '-1',
      LOG_LEVEL: 'loud',
    };
    let message = '';
    try {
      readConfig(env);
    } catch (error) {
      expect(error).toBeInstanceOf(BadConfiguration);
      message = (error as Error).message;
    }
    for (const name of Object.keys(env)) expect(message).toContain(`- ${name} must be`);
  });

  it('does not repeat a secret in its message', () => {
    expect(() => readConfig({ FLORIN_OPERATOR_TOKEN: 'hunter2' })).toThrow(
      /FLORIN_OPERATOR_TOKEN must have at least 24/,
    );
    expect(() => readConfig({ FLORIN_OPERATOR_TOKEN: 'hunter2' })).not.toThrow(/hunter2/);
  });
});
