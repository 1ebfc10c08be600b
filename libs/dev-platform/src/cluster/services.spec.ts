import { BusKeys } from '@florin/bus-trust';
import { planServices, type ServiceSettings } from './services';

const settings: ServiceSettings = {
  dataDirectory: '/data',
  replicas: {},
  env: {
    LOG_LEVEL: 'debug',
    PORT: '3000',
    FLORIN_SEED: 'demo',
    DATABASE_OWNER_URL: 'postgres://owner@localhost/florin',
  },
  fileOf: (service) => `/apps/${service}/main.js`,
  baseUrl: 'http://127.0.0.1:3000',
  operatorToken: 'the token',
  vaultKeyFile: '/data/vault.key',
  logSigningKey: 'the key',
  kafkaBrokers: '127.0.0.1:9092',
  kafkaConnectionOf: (service) => ({ KAFKA_SASL_USERNAME: service }),
  busKeys: BusKeys.generate(),
  databaseUrlFor: (service) => `postgres://${service}@localhost/florin`,
  eventStore: 'postgres',
};

const namesOf = (changes: Partial<ServiceSettings>) =>
  planServices({ ...settings, ...changes }).map(({ name }) => name);

describe('the plan of services', () => {
  it('has one replica of each service, and a watcher only with a TRON node', () => {
    const byDefault = ['gateway-1', 'ledger-1', 'operations-1', 'invoicing-1', 'webhook-dispatcher-1', 'projector-1'];
    expect(namesOf({})).toEqual(byDefault);
    expect(namesOf({ env: { TRON_NODE_URL: 'http://node' } })).toContain('tron-watcher-1');
  });

  it('has the requested number of replicas, and leaves a service with 0 out', () => {
    const names = namesOf({ replicas: { operations: 2, invoicing: 0 } });
    expect(names).toEqual(expect.arrayContaining(['operations-1', 'operations-2']));
    expect(names).not.toContain('invoicing-1');
  });

  it.each([
    [{ 'tron-watcher': 1 }, 'tron-watcher needs a TRON node: set TRON_NODE_URL.'],
    [{ gateway: 0 }, 'The API needs a gateway: gateway must be 1 or more.'],
  ])('rejects %j', (replicas, message) => {
    expect(() => namesOf({ replicas })).toThrow(message);
  });

  it('passes addresses and settings to every service', () => {
    for (const program of planServices({ ...settings, eventStore: 'eventstoredb', eventStoreUrl: 'esdb://store' })) {
      expect(program.env(21_000)).toMatchObject({
        PORT: '21000',
        HOST: '127.0.0.1',
        LOG_LEVEL: 'debug',
        COMMAND_BUS: 'kafka',
        KAFKA_BROKERS: '127.0.0.1:9092',
        DATABASE_URL: `postgres://${program.service}@localhost/florin`,
        DATABASE_OWNER_URL: '',
        EVENT_STORE: 'eventstoredb',
        EVENTSTORE_URL: 'esdb://store',
        FLORIN_BASE_URL: 'http://127.0.0.1:3000',
      });
    }
  });

  it('gives every service only the bus keys of the edges it uses', () => {
    const keysOf = (service: string): readonly string[] => {
      const program = planServices(settings).find((planned) => planned.service === service)!;
      return program
        .env(1)
        ['BUS_KEYS']!.split(' ')
        .map((entry) => entry.split('=')[0]!);
    };
    expect(keysOf('webhook-dispatcher')).toEqual(['gateway>webhooks', 'webhook-dispatcher>webhooks']);
    expect(keysOf('projector')).toEqual(['']);
  });

  it('lets every service connect to Kafka as itself', () => {
    for (const program of planServices(settings)) expect(program.env(1)['KAFKA_SASL_USERNAME']).toBe(program.service);
  });

  it('prefers the configured vault key to the one in the data folder', () => {
    const [program] = planServices({ ...settings, env: { VAULT_KEY: 'configured' } });
    expect(program!.env(1)).toMatchObject({ VAULT_KEY: 'configured' });
    expect(program!.env(1)).not.toHaveProperty('VAULT_KEY_FILE');
  });

  it('gives the vault key and the operator token only to the services that use them', () => {
    const having = (name: string): string[] =>
      planServices(settings)
        .filter(({ env }) => env(1)[name] !== '')
        .map(({ service }) => service);
    expect(having('VAULT_KEY_FILE')).toEqual(['gateway', 'operations', 'webhook-dispatcher', 'projector']);
    expect(having('FLORIN_OPERATOR_TOKEN')).toEqual(['gateway']);
  });

  it('gives the key that signs the log to the projector only', () => {
    const programs = planServices({ ...settings, env: { LOG_SIGNING_KEY: 'the key' } });
    const holders = programs.filter(({ env }) => env(1)['LOG_SIGNING_KEY'] !== '');
    expect(holders.map(({ name, env }) => [name, env(1)['LOG_SIGNING_KEY']])).toEqual([['projector-1', 'the key']]);
  });

  it('lets only the first gateway seed demo data, and gives the others separate folders', () => {
    const programs = planServices({ ...settings, replicas: { gateway: 2 } });
    const environments = programs.map(({ name, env }) => [name, env(1)['FLORIN_SEED'], env(1)['FLORIN_DATA_DIR']]);
    expect(environments.slice(0, 3)).toEqual([
      ['gateway-1', 'demo', '/data'],
      ['gateway-2', 'none', '/data/gateway-2'],
      ['ledger-1', 'none', '/data'],
    ]);
    const [first] = planServices({ ...settings, env: { FLORIN_SEED: 'none' } });
    expect(first!.env(1)['FLORIN_SEED']).toBe('none');
  });
});
