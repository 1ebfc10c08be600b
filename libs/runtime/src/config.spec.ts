import { BadConfiguration, readConfig } from './config';

describe('readConfig', () => {
  it('has a default for every variable', () => {
    expect(readConfig({})).toMatchObject({
      PORT: 3000,
      FLORIN_DATA_DIR: '.florin',
      FLORIN_SEED: 'demo',
      KAFKA_SESSION_TIMEOUT_SECONDS: 10,
      STALLED_AFTER_SECONDS: 15,
      TRON_RECORD_SECONDS: 5,
      LOG_LEVEL: 'info',
    });
  });

  it('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toEqual(readConfig({}));
  });

  it('reports every invalid variable at once', () => {
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

  it('reads trusted proxies as addresses and networks', () => {
    const proxies = (TRUSTED_PROXIES: string) => readConfig({ TRUSTED_PROXIES }).TRUSTED_PROXIES;
    expect(proxies('10.0.0.0/8, 192.0.2.7,2001:db8::/32')).toEqual(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);
    for (const wrong of ['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', 'true', '10.0.0.1,']) {
      expect(problemsOf(() => proxies(wrong))).toHaveLength(1);
    }
  });

  it('does not repeat a secret in its message', () => {
    expect(() => readConfig({ FLORIN_OPERATOR_TOKEN: 'hunter2' })).toThrow(
      /FLORIN_OPERATOR_TOKEN must have at least 24/,
    );
    expect(() => readConfig({ FLORIN_OPERATOR_TOKEN: 'hunter2' })).not.toThrow(/hunter2/);
  });

  it.each(['correct horse battery staple', 'ein-schlüssel-mit-umlauten', 'x'.repeat(513)])(
    'refuses an operator token that no header can carry: %s',
    (token) => expect(problemsOf(() => readConfig({ FLORIN_OPERATOR_TOKEN: token }))).toHaveLength(1),
  );

  it('reports the variables that the choice of an adapter requires', () => {
    const env = { COMMAND_BUS: 'kafka', EVENT_STORE: 'eventstoredb', KAFKA_SASL_USERNAME: 'florin' };
    const problems = problemsOf(() => readConfig(env));
    expect(problems).toEqual(
      expect.arrayContaining([
        'KAFKA_BROKERS must be set with COMMAND_BUS=kafka',
        'BUS_KEYS must be set with COMMAND_BUS=kafka',
        'EVENTSTORE_URL must be set with EVENT_STORE=eventstoredb',
        'KAFKA_SASL_PASSWORD must be set together with KAFKA_SASL_USERNAME',
      ]),
    );
  });

  it.each([
    'esdb://127.0.0.1:2113?tls=false',
    'esdb://florin:secret@a:2113,b:2113,c:2113?tls=true&tlsCaFile=ca.pem',
    'kurrentdb+discover://florin:secret@kurrentdb.example.com:2113/',
  ])('accepts the event store %s', (address) => {
    const env = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: address };
    expect(readConfig(env).EVENTSTORE_URL).toBe(address);
  });

  it.each(['http://a:2113', 'esdb:a', 'esdb://', 'esdb://a:2113,,b:2113', 'a:2113'])(
    'refuses the event store %s',
    (address) => {
      const problems = problemsOf(() => readConfig({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: address }));
      expect(problems).toEqual([expect.stringContaining('EVENTSTORE_URL must begin with esdb://')]);
    },
  );

  it('reports missing variables together with invalid ones', () => {
    const env = { LOG_LEVEL: 'loud', ISSUER_URL: 'http://issuer', COMMAND_BUS: 'kafka', TRON_START_BLOCK: 'first' };
    expect(problemsOf(() => readConfig(env))).toEqual([
      'TRON_START_BLOCK must be a whole number from 1 to 1000000000',
      'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent',
      'ISSUER_SECRET must be set together with ISSUER_URL',
      'TRON_NODE_URL must be set together with TRON_START_BLOCK',
      'TRON_USDT_CONTRACT must be set together with TRON_START_BLOCK',
      'TRON_ADDRESSES must be set together with TRON_START_BLOCK',
      'KAFKA_BROKERS must be set with COMMAND_BUS=kafka',
      'BUS_KEYS must be set with COMMAND_BUS=kafka',
    ]);
  });

  it('reads a list of brokers and rejects an invalid one', () => {
    expect(readConfig({ KAFKA_BROKERS: 'kafka-1:9092, kafka-2:9093' }).KAFKA_BROKERS).toEqual([
      'kafka-1:9092',
      'kafka-2:9093',
    ]);
    expect(problemsOf(() => readConfig({ KAFKA_BROKERS: 'kafka' }))).toHaveLength(1);
  });

  it('reads the passwords of database roles, and requires DATABASE_URL beside the URL of the owner', () => {
    const DATABASE_PASSWORDS = 'ledger=0123456789abcdef=,tron-watcher=fedcba9876543210';
    expect(readConfig({ DATABASE_PASSWORDS }).DATABASE_PASSWORDS).toEqual({
      florin_ledger: '0123456789abcdef=',
      florin_tron_watcher: 'fedcba9876543210',
    });
    for (const wrong of ['ledger', 'ledger=short', 'teller=0123456789abcdef', 'ledger=0123456789 abcdef']) {
      expect(problemsOf(() => readConfig({ DATABASE_PASSWORDS: wrong }))).toEqual([
        expect.stringMatching(/^DATABASE_PASSWORDS must be services and their passwords/),
      ]);
    }
    expect(problemsOf(() => readConfig({ DATABASE_OWNER_URL: 'postgres://x/y' }))).toEqual([
      'DATABASE_URL must be set together with DATABASE_OWNER_URL',
    ]);
  });

  it('reports a variable that the service requires once, together with all other problems', () => {
    expect(
      problemsOf(() => readConfig({ PORT: 'x', COMMAND_BUS: 'kafka' }, ['DATABASE_URL', 'KAFKA_BROKERS'])),
    ).toEqual([
      'PORT must be a whole number from 0 to 65535',
      'KAFKA_BROKERS must be set with COMMAND_BUS=kafka',
      'BUS_KEYS must be set with COMMAND_BUS=kafka',
      'DATABASE_URL must be set for this service',
    ]);
    expect(readConfig({ DATABASE_URL: 'postgres://x/y' }, ['DATABASE_URL']).DATABASE_URL).toBe('postgres://x/y');
  });

  it('accepts vault keys as base64 or hex, and does not repeat an invalid one', () => {
    const [first, second] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('hex')];
    expect(readConfig({ VAULT_KEY: `${first}, ${second}` }).VAULT_KEY).toEqual([first, second]);
    const problems = problemsOf(() => readConfig({ VAULT_KEY: `${first},hunter2` }));
    expect(problems).toEqual([expect.stringMatching(/^VAULT_KEY must be a key of 32 bytes/)]);
    expect(problems.join()).not.toContain('hunter2');
    expect(problemsOf(() => readConfig({ VAULT_KEY: `${first},${first}` }))).toEqual([
      'VAULT_KEY must not contain a key twice',
    ]);
  });

  it('needs a vault key or its file, and not both', () => {
    const VAULT_KEY = Buffer.alloc(32, 1).toString('base64');
    expect(problemsOf(() => readConfig({}, ['VAULT_KEY']))).toEqual([
      'VAULT_KEY or VAULT_KEY_FILE must be set for this service',
    ]);
    expect(readConfig({ VAULT_KEY_FILE: 'key' }, ['VAULT_KEY']).VAULT_KEY_FILE).toBe('key');
    expect(problemsOf(() => readConfig({ VAULT_KEY, VAULT_KEY_FILE: 'key' }))).toEqual([
      'VAULT_KEY_FILE must not be set together with VAULT_KEY',
    ]);
  });

  it('rejects equal ports', () => {
    expect(problemsOf(() => readConfig({ OPERATOR_PORT: '3000', METRICS_PORT: '3000' }))).toEqual([
      'OPERATOR_PORT must differ from PORT',
      'METRICS_PORT must differ from PORT',
      'METRICS_PORT must differ from OPERATOR_PORT',
    ]);
    expect(readConfig({ PORT: '0', OPERATOR_PORT: '0', METRICS_PORT: '0' })).toMatchObject({ METRICS_PORT: 0 });
  });
});

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof BadConfiguration) return error.problems;
    throw error;
  }
  return [];
}
