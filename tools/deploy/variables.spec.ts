import { generateKeyPairSync } from 'node:crypto';
import { BusKeys, busKeysVariable, busServices, edgesOf } from '@florin/bus-trust';
import { type DatabaseRole, roleName } from '@florin/database';
import { type Config, configurationNames, readConfig } from '@florin/runtime';
import {
  allDeployments,
  compose,
  type Container,
  demandsOf,
  environmentIn,
  eventStoreUrl,
  filesIn,
  interpolated,
  migrationContainer,
  migrationPod,
  ofKind,
  ownContainers,
  read,
  secretsOf,
  services,
} from './deployment';

const kafkaPasswordVariable = (service: string) => `KAFKA_PASSWORD_${service.toUpperCase().replaceAll('-', '_')}`;
const kafkaUser = {
  KAFKA_SASL_MECHANISM: 'scram-sha-512',
  KAFKA_SASL_USERNAME: 'of-this-spec',
  KAFKA_SASL_PASSWORD: 'of-this-spec',
};
const busKeyVariables = busServices.map(busKeysVariable);
const known = [...configurationNames, ...busKeyVariables];
const unknown = (names: readonly string[]) => names.filter((name) => !known.includes(name));
const busKeys = String(BusKeys.generate([...edgesOf('gateway'), ...edgesOf('operations'), ...edgesOf('invoicing')]));

const databasePasswordOf = (service: string): string =>
  `${service.toUpperCase().replaceAll('-', '_')}_DATABASE_PASSWORD`;

/** The operator provides these in secrets. */
const signingKey = generateKeyPairSync('ed25519')
  .privateKey.export({ type: 'pkcs8', format: 'der' })
  .toString('base64');

const secrets = {
  ...Object.fromEntries(services.map((service) => [databasePasswordOf(service), `password-of-${service}`])),
  DATABASE_URL: 'postgres://florin@postgres/florin',
  EVENTSTORE_URL: eventStoreUrl,
  EVENTSTORE_PASSWORD: 'of-this-spec',
  KURRENTDB_ADMIN_PASSWORD: 'of-this-spec',
  POSTGRES_PASSWORD: 'of-this-spec',
  BUS_KEYS: busKeys,
  ...Object.fromEntries(busKeyVariables.map((name) => [name, busKeys])),
  ...Object.fromEntries(busServices.map((service) => [kafkaPasswordVariable(service), 'of-this-spec'])),
  VAULT_KEY: 'a'.repeat(64),
  LOG_SIGNING_KEY: signingKey,
  FLORIN_OPERATOR_TOKEN: 'a-token-of-at-least-24-characters',
  TRON_NODE_URL: 'http://node.example',
  TRON_USDT_CONTRACT: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  TRON_ADDRESSES: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  TRON_START_BLOCK: '1',
};

/** The configuration that the service reads from this environment. Throws if the service could not start. */
function configurationOf(service: string, environment: Readonly<Record<string, string>>): Config {
  if (!services.includes(service)) return readConfig(environment);
  const { needs, fixed } = demandsOf(service);
  return readConfig({ ...environment, ...fixed }, needs as (keyof Config)[]);
}

describe('Variables', () => {
  it.each(allDeployments)('of the Deployment $name are known and sufficient to start', ({ name, container }) => {
    const environment = environmentIn(container);
    expect(unknown(Object.keys(environment))).toEqual([]);
    const user = 'KAFKA_BROKERS' in environment ? kafkaUser : {};
    expect(() => configurationOf(name, { ...environment, ...secrets, ...user })).not.toThrow();
  });

  it('of the migration are known', () => {
    expect(unknown(Object.keys(migrationContainer.environment))).toEqual([]);
  });

  it.each(ownContainers)('of the container %s are known and sufficient to start', (name, { environment }) => {
    expect(unknown(Object.keys(environment))).toEqual([]);
    expect(() => configurationOf(name, interpolated(environment, secrets))).not.toThrow();
  });

  it('of Kafka are set only for services on the Kafka command bus', () => {
    const onKafka = services.filter((service) => demandsOf(service).fixed.COMMAND_BUS === 'kafka').sort();
    const inKubernetes = allDeployments.filter(({ container }) => 'KAFKA_BROKERS' in environmentIn(container));
    const inCompose = ownContainers.filter(([, { environment }]) => 'KAFKA_BROKERS' in environment);
    expect(inKubernetes.map(({ name }) => name).sort()).toEqual(onKafka);
    expect(inCompose.map(([name]) => name).sort()).toEqual(onKafka);
  });

  it('of the vault reach only the services that need them', () => {
    const needing = services.filter((service) => demandsOf(service).needs.includes('VAULT_KEY'));
    expect(needing).toEqual(['gateway', 'operations', 'projector', 'webhook-dispatcher']);
    const hasVault = ({ envFrom }: Container) => envFrom.some(({ secretRef }) => secretRef?.name === 'florin-vault');
    const inKubernetes = allDeployments.filter(({ container }) => hasVault(container)).map(({ name }) => name);
    const inCompose = ownContainers.filter(([, { environment }]) => 'VAULT_KEY' in environment).map(([name]) => name);
    expect(inKubernetes.sort()).toEqual(needing);
    expect(inCompose.sort()).toEqual(needing);
  });

  it('have their correct names in comments', () => {
    const words = filesIn('k8s').flatMap((file) => read(`k8s/${file}`).match(/\b[A-Z]+(_[A-Z]+)+\b/g) ?? []);
    expect(words).toContain('KAFKA_SASL_PASSWORD');
    const ofOthers = /^(EVENTSTORE_ADMIN_URL|KURRENTDB_.*|POD_NAME|BACKUPS_KEPT)$/;
    expect(unknown(words).filter((word) => !ofOthers.test(word))).toEqual([]);
  });

  it('are all documented, and no others', () => {
    const explained = [...read('docs/CONFIGURATION.md').matchAll(/^\| `([A-Z_0-9]+)`/gm)].map(([, name]) => name!);
    expect([...new Set(explained)].sort()).toEqual([...configurationNames].sort());
  });
});

describe('Database users', () => {
  it('are the roles of the services in Compose, with the passwords that the migration sets', () => {
    const given = interpolated(migrationContainer.environment, secrets);
    const { DATABASE_PASSWORDS } = readConfig({ ...given, DATABASE_URL: given['DATABASE_OWNER_URL'] });
    const expected = services.map((service) => [roleName(service as DatabaseRole), `password-of-${service}`]);
    expect(Object.entries(DATABASE_PASSWORDS!).sort()).toEqual(expected.sort());
    const used = ownContainers.map(
      ([, { environment }]) => new URL(interpolated(environment, secrets)['DATABASE_URL']!),
    );
    expect(used.map(({ username, password }) => [username, password]).sort()).toEqual(expected.sort());
  });

  it('are in one secret per service in Kubernetes, and the owner in that of the migration', () => {
    const ofDatabase = (names: readonly string[]) => names.filter((name) => name.startsWith('florin-database'));
    for (const { name, container } of allDeployments.filter((deployment) => services.includes(deployment.name))) {
      expect(ofDatabase(secretsOf(container))).toEqual([`florin-database-${name}`]);
    }
    expect(migrationPod.containers.flatMap(secretsOf)).toEqual(['florin-database-owner']);
  });

  it('include the owner only in the migration and in the backup', () => {
    const owners = Object.values(compose.services).filter(
      ({ environment = {} }) => 'DATABASE_OWNER_URL' in environment,
    );
    expect(owners).toEqual([migrationContainer, compose.services['backup']]);
  });
});

describe('Secrets', () => {
  const isSecret = (name: string) => /TOKEN|SECRET|PASSWORD|API_KEY|BUS_KEYS|VAULT_KEY$|SIGNING_KEY/.test(name);
  const mayHoldOne = (name: string) => isSecret(name) || /^(DATABASE|DATABASE_OWNER|EVENTSTORE)_URL$/.test(name);

  it('are referenced in manifests but not included', () => {
    expect(ofKind('Secret')).toEqual([]);
    const given = allDeployments.flatMap(({ container }) => Object.entries(environmentIn(container)));
    expect(given.filter(([name, value]) => mayHoldOne(name) && value !== '')).toEqual([]);
  });

  it('of the bus reach every service that needs them, each its own only', () => {
    const inKubernetes = allDeployments.flatMap(({ name, container: { env = [] } }) =>
      env.flatMap(({ valueFrom }) => (valueFrom === undefined ? [] : [[name, valueFrom.secretKeyRef.key]])),
    );
    const inCompose = ownContainers.flatMap(([name, { environment }]) =>
      environment.BUS_KEYS === undefined ? [] : [[name, /^\$\{(\w+):\?/.exec(environment.BUS_KEYS)?.[1]]],
    );
    const expected = busServices.map((service) => [service, busKeysVariable(service)]).sort();
    expect(inKubernetes.sort()).toEqual(expected);
    expect(inCompose.sort()).toEqual(expected);
  });

  it('reach Compose through variables', () => {
    const settings = Object.values(compose.services).flatMap(({ environment = {} }) => Object.entries(environment));
    // One variable, or a list such as `ledger=${…}, gateway=${…}`.
    const isGiven = (value: string) =>
      value.split(/, (?=[\w-]+=)/).every((part) => /^([\w-]+=)?\$\{\w+:[-?][^}]*\}$/.test(part));
    const hasPassword = (value: string) => /:\/\/[^/@]*:(?!\$\{)[^/@]*@/.test(value);
    expect(settings.filter(([name]) => isSecret(name)).length).toBeGreaterThan(0);
    expect(settings.filter(([name, value]) => (isSecret(name) && !isGiven(value)) || hasPassword(value))).toEqual([]);
  });

  it('in .env files are excluded from the repository and the image', () => {
    expect(read('deploy/.gitignore').split('\n')).toContain('.env');
    expect(read('.dockerignore').split('\n')).toContain('**/.env');
  });
});
