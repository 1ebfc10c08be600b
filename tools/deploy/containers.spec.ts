import {
  allDeployments,
  compose,
  jobs,
  kustomization,
  migrationContainer,
  ownContainers,
  read,
  services,
  version,
} from './deployment';

const containers = Object.entries(compose.services);
const dockerfile = read('deploy/Dockerfile');

describe('Compose', () => {
  it('has a container with its own command for every service', () => {
    expect(ownContainers.map(([name]) => name).sort()).toEqual(services);
    const commands = ownContainers.map(([, { command }]) => command);
    expect(commands).toEqual(ownContainers.map(([name]) => ['node', `apps/${name}/dist/main.js`]));
  });

  it.each(containers)('drops all privileges of %s and restarts it unless it is a job', (name, service) => {
    const isJob = jobs.some(([job]) => job === name);
    expect(service).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: isJob ? 'no' : 'unless-stopped',
    });
  });

  it('migrates the database and grants the permissions on the stores before the services start', () => {
    expect(jobs.map(([name]) => name)).toEqual([
      ...['database', 'kafka-permissions', 'kurrentdb-certificates', 'event-store-permissions', 'backup'],
    ]);
    for (const [, service] of ownContainers) {
      expect(service['depends_on']).toMatchObject({
        database: { condition: 'service_completed_successfully' },
        'event-store-permissions': { condition: 'service_completed_successfully' },
      });
    }
    const onKafka = ownContainers.filter(([, { environment }]) => 'KAFKA_BROKERS' in environment);
    for (const [, service] of onKafka) {
      expect(service['depends_on']).toMatchObject({
        'kafka-permissions': { condition: 'service_completed_successfully' },
      });
    }
  });

  it('lets every service connect to Kafka as itself', () => {
    const onKafka = ownContainers.filter(([, { environment }]) => 'KAFKA_BROKERS' in environment);
    for (const [name, { environment }] of onKafka) expect(environment['KAFKA_SASL_USERNAME']).toBe(name);
  });

  it.each([
    ['kafka-secrets', ['kafka']],
    ['kurrentdb-nodes', ['kurrentdb-certificates', 'kurrentdb-1', 'kurrentdb-2', 'kurrentdb-3']],
  ])('mounts the private key in %s only where it is used', (secret, users) => {
    const readers = containers.filter(([, { volumes = [] }]) =>
      volumes.some((volume) => volume.startsWith(`${secret}:`)),
    );
    expect(readers.map(([name]) => name)).toEqual(users);
  });

  it('signs the log and copies the checkpoints out of the database', () => {
    expect(compose.services['projector']!.environment).toMatchObject({
      LOG_SIGNING_KEY: expect.stringContaining('${LOG_SIGNING_KEY:?') as string,
      CHECKPOINT_SINK: '${CHECKPOINT_SINK:-/evidence/florin.jsonl}',
    });
    expect(compose.services['projector']!.volumes).toContain('evidence:/evidence');
    expect(dockerfile).toMatch(/--owner=node .*\/evidence$/m);
  });

  it.each(containers)('has a health check for %s, in Compose or in its image', (_name, service) => {
    expect(service['healthcheck'] !== undefined || service.image === `florin:${version}`).toBe(true);
  });

  it.each(ownContainers)('runs %s read-only and allows time for a graceful shutdown', (_name, service) => {
    expect(service).toMatchObject({ read_only: true, user: 'node', tmpfs: ['/tmp'] });
    const [, seconds] = /^(\d+)s$/.exec(service['stop_grace_period'] as string)!;
    expect(Number(seconds)).toBeGreaterThan(Number(service.environment['SHUTDOWN_TIMEOUT_SECONDS']));
  });

  it('publishes only the ports of the gateway for clients and operators, on loopback', () => {
    const published = containers
      .filter(([, { ports }]) => ports !== undefined)
      .map(([name, { ports }]) => [name, ports]);
    expect(published).toEqual([['gateway', ['127.0.0.1:${PORT:-3000}:3000', '127.0.0.1:${OPERATOR_PORT:-3001}:3001']]]);
  });

  it('connects only services that call external systems to the outside network', () => {
    expect(compose.networks['backbone']).toEqual({ internal: true });
    const outside = containers.filter(([, { networks }]) => networks.includes('outside')).map(([name]) => name);
    expect(outside.sort()).toEqual(['gateway', 'operations', 'projector', 'tron-watcher', 'webhook-dispatcher']);
  });
});

describe('Images', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image!);
  const inKubernetes = allDeployments.map(({ container }) => container.image);

  it('have exact versions', () => {
    const inCompose = containers.map(([, { image }]) => image.replace(/\$\{\w+:-(.*)\}/, '$1'));
    const images = [...bases, ...inCompose, ...inKubernetes];
    expect(images.filter((image) => !/:\d+\.\d+(\.\d+)?(-[\w.-]+)?$/.test(image))).toEqual([]);
    expect(new Set(bases).size).toBe(1);
  });

  it('of this product have its version', () => {
    const ours = [...inKubernetes, migrationContainer.image, ...ownContainers.map(([, { image }]) => image)];
    expect([...new Set(ours)]).toEqual([`florin:${version}`]);
    expect(kustomization.images.map(({ newTag }) => newTag)).toEqual([version]);
  });

  it('of this product run without root privileges and have a health check', () => {
    const final = dockerfile.split(/^FROM .*$/m).at(-1);
    expect(final).toMatch(/^USER node$/m);
    expect(final).toMatch(/^HEALTHCHECK [^\n]*\\\n +CMD \["node", "-e", .*\/health\/ready/m);
    expect(final).toMatch(/^CMD \["node", "apps\/all-in-one\/dist\/main\.js"\]$/m);
  });
});
