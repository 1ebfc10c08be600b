import { readConfig } from '@florin/runtime';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import {
  allDeployments,
  compose,
  type Container,
  environmentIn,
  interpolated,
  type Kustomization,
  kustomization,
  named,
  ownContainers,
  type Pod,
  read,
  secretsOf,
} from './deployment';

const root = resolve(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'florin-deploy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const hostsIn = (url: string): string[] => /@([^?]+)\?/.exec(url)![1]!.split(',');

describe('The event log in Compose', () => {
  const nodes = ['kurrentdb-1', 'kurrentdb-2', 'kurrentdb-3'];
  const given = { EVENTSTORE_PASSWORD: 'of-this-spec', KURRENTDB_ADMIN_PASSWORD: 'a', KURRENTDB_OPS_PASSWORD: 'o' };

  it('has three nodes with TLS that know each other', () => {
    for (const name of nodes) {
      const { environment, volumes } = compose.services[name]!;
      expect(environment).toMatchObject({
        KURRENTDB_CLUSTER_SIZE: '3',
        KURRENTDB_GOSSIP_SEED: nodes.map((node) => `${node}:2113`).join(','),
        KURRENTDB_NODE_HOST_ADVERTISE_AS: name,
        KURRENTDB_CERTIFICATE_FILE: '/certificates/node.crt',
        KURRENTDB_TRUSTED_ROOT_CERTIFICATES_PATH: '/ca',
      });
      expect(environment).not.toHaveProperty('KURRENTDB_INSECURE');
      expect(volumes).toContain(`${name}:/var/lib/kurrentdb`);
    }
    expect(compose.services['kurrentdb-certificates']!.entrypoint).toEqual(expect.arrayContaining(nodes));
  });

  it('gets its user from a job, the only other container with the password of the administrator', () => {
    const { command, environment } = compose.services['event-store-permissions']!;
    expect(command!.at(-1)).toContain('apps/cli/dist/main.js eventstore grant');
    expect(hostsIn(interpolated(environment, { ...given })['EVENTSTORE_ADMIN_URL']!)).toHaveLength(3);
    const administrators = Object.entries(compose.services).filter(([, service]) =>
      JSON.stringify(service.environment ?? {}).includes('KURRENTDB_ADMIN_PASSWORD'),
    );
    expect(administrators.map(([name]) => name)).toEqual([...nodes, 'event-store-permissions']);
  });

  it.each(ownContainers)('is named with all nodes, TLS and a user that is no administrator for %s', (_, service) => {
    const url = interpolated({ url: service.environment['EVENTSTORE_URL']! }, given)['url']!;
    expect(hostsIn(url)).toEqual(nodes.map((node) => `${node}:2113`));
    expect(url).toMatch(/^esdb:\/\/florin:.*\?tls=true&tlsCAFile=\/kurrentdb-ca\/ca\.crt$/);
    expect(() => readConfig({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url })).not.toThrow();
    expect(service.volumes).toContain('kurrentdb-ca:/kurrentdb-ca:ro');
  });
});

describe('The event log in Kubernetes', () => {
  const { spec } = named('StatefulSet', 'kurrentdb');
  const pod = spec.template.spec;
  const container = pod.containers[0]!;
  const nodes = [0, 1, 2].map((number) => `kurrentdb-${number}.kurrentdb.florin.svc:2113`);
  const variable = (name: string) => container.env?.find((entry) => entry.name === name)?.value;

  it('has three nodes on three machines that keep their volumes', () => {
    expect(spec).toMatchObject({
      replicas: 3,
      serviceName: 'kurrentdb',
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
    });
    expect(pod['affinity']).toMatchObject({
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }],
      },
    });
    expect(named('PodDisruptionBudget', 'kurrentdb').spec).toMatchObject({ maxUnavailable: 1 });
    expect(named('Service', 'kurrentdb').spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
  });

  it('has TLS, and passwords from a secret', () => {
    expect(variable('KURRENTDB_GOSSIP_SEED')).toBe(nodes.join(','));
    expect(variable('KURRENTDB_CERTIFICATE_FILE')).toBe('/certificates/node.crt');
    expect(variable('KURRENTDB_INSECURE')).toBeUndefined();
    expect(container.envFrom).toEqual([{ secretRef: { name: 'florin-kurrentdb-admin' } }]);
    expect(container['readinessProbe']).toMatchObject({ httpGet: { scheme: 'HTTPS' } });
  });

  it('is the default of every service, which trusts its certificate authority', () => {
    const own = allDeployments.filter(({ name }) => name !== 'florin');
    for (const { container: service, pod: servicePod } of own) {
      expect(environmentIn(service)['EVENT_STORE']).toBe('eventstoredb');
      expect(service['volumeMounts']).toContainEqual({
        ...{ name: 'kurrentdb-ca', mountPath: '/kurrentdb-ca', readOnly: true },
      });
      expect(servicePod['volumes']).toContainEqual({
        ...{ name: 'kurrentdb-ca', secret: { secretName: 'florin-kurrentdb-ca', optional: true } },
      });
    }
  });

  it('gets a user that is no administrator from a Job, the only pod with the password of the administrator', () => {
    const grant = named('Job', 'event-store').spec.template.spec.containers[0]!;
    expect(grant.command).toEqual(['node', 'apps/cli/dist/main.js', 'eventstore', 'grant']);
    expect(secretsOf(grant)).toEqual(['florin-event-store', 'florin-event-store-admin']);
    expect(allDeployments.flatMap(({ container: service }) => secretsOf(service))).not.toContain(
      'florin-event-store-admin',
    );
    expect(grant['securityContext']).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
  });

  it('is named with all nodes in the instructions', () => {
    const [, url] = /EVENTSTORE_URL='([^']+)'/.exec(read('k8s/kustomization.yaml'))!;
    expect(hostsIn(url!)).toEqual(nodes);
    expect(() => readConfig({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url })).not.toThrow();
  });

  it('is left out with the events in Postgres', () => {
    const overlay = parse(read('deploy/k8s-postgres-events/kustomization.yaml')) as Kustomization;
    expect(overlay.resources).toEqual(['../../k8s']);
    expect(overlay.configMapGenerator).toMatchObject([{ name: 'florin', literals: ['EVENT_STORE=postgres'] }]);
    const deleted = overlay.patches!.map(({ patch }) => parse(patch) as { kind: string; metadata: { name: string } });
    for (const { kind, metadata } of deleted) expect(named(kind, metadata.name)).toBeDefined();
    expect(deleted.map(({ kind }) => kind).sort()).toEqual([
      ...['CronJob', 'Job', 'NetworkPolicy', 'PersistentVolumeClaim', 'PodDisruptionBudget', 'Service', 'StatefulSet'],
    ]);
  });

  it('runs without privileges, like its backup', () => {
    const backup = backupPod();
    for (const each of [pod, backup]) {
      expect(each).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
    }
    for (const each of [container, ...backup.initContainers, ...backup.containers]) {
      expect(each['securityContext']).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      });
      expect(each['resources']).toMatchObject({ limits: { memory: expect.any(String) as string } });
    }
  });
});

interface BackupPod extends Pod {
  readonly initContainers: readonly Container[];
}

function backupPod(): BackupPod {
  const job = named('CronJob', 'backup').spec as unknown as {
    readonly jobTemplate: { readonly spec: { readonly template: { readonly spec: BackupPod } } };
  };
  return job.jobTemplate.spec.template.spec;
}

describe('A backup', () => {
  const steps = ['database', 'log', 'vault', 'finish'];

  it('takes the database before the log, and the keys after it', () => {
    const { initContainers, containers } = backupPod();
    expect([...initContainers, ...containers].map(({ command }) => command![2])).toEqual(steps);
    expect(kustomization.configMapGenerator).toContainEqual({ name: 'florin-backup', files: ['backup.sh'] });
    expect(read('deploy/compose.yaml')).toContain(`for step in ${steps.join(' ')}; do`);
    expect(compose.services['backup']!.volumes).toContain('../k8s/backup.sh:/backup.sh:ro');
  });

  /** Runs a step with a `pg_dump` that records its arguments. */
  function run(step: string) {
    const bin = join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    const dump =
      '#!/bin/sh\nfor argument; do case $argument in --file=*) echo "$@" >"${argument#--file=}";; esac; done\n';
    writeFileSync(join(bin, 'pg_dump'), dump);
    chmodSync(join(bin, 'pg_dump'), 0o755);
    const script = join(root, 'k8s/backup.sh');
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      DATABASE_OWNER_URL: 'postgres://owner@host/florin',
      BACKUPS_KEPT: '2',
    };
    const { status, stderr } = spawnSync('sh', [script, step, join(folder, 'backups'), join(folder, 'node')], {
      ...{ env, encoding: 'utf8' },
    });
    return { status, stderr };
  }

  it('is complete only after all steps in this order', () => {
    const index = join(folder, 'node/index/stream-existence');
    mkdirSync(index, { recursive: true });
    for (const file of [
      'chaser.chk',
      'writer.chk',
      'epoch.chk',
      'truncate.chk',
      'chunk-000000.000000',
      'kurrent.ddb',
    ]) {
      writeFileSync(join(folder, 'node', file), file);
    }
    writeFileSync(join(index, 'streamExistenceFilter.chk'), '');
    expect(run('log')).toMatchObject({ status: 1, stderr: 'The step database must be done before log.\n' });
    for (const step of steps) expect(run(step)).toEqual({ status: 0, stderr: '' });
    expect(run('finish').status).toBe(1);
    const [name] = readdirSync(join(folder, 'backups'));
    const backup = join(folder, 'backups', name!);
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(readFileSync(join(backup, 'vault.dump'), 'utf8')).toContain('--schema=vault');
    expect(readFileSync(join(backup, 'log/truncate.chk'), 'utf8')).toBe('chaser.chk');
    expect(existsSync(join(backup, 'log/index/stream-existence/streamExistenceFilter.chk'))).toBe(true);
    expect(existsSync(join(backup, 'log/kurrent.ddb'))).toBe(false);
  });

  it('replaces the oldest ones', () => {
    for (const old of ['2020-01-01T00-00-00Z', '2021-01-01T00-00-00Z'])
      mkdirSync(join(folder, 'backups', old), { recursive: true });
    for (const step of steps) expect(run(step).status).toBe(0);
    const kept = readdirSync(join(folder, 'backups'));
    expect(kept).toHaveLength(2);
    expect(kept).not.toContain('2020-01-01T00-00-00Z');
  });
});

describe('The certificate of the nodes', () => {
  it('is signed by the authority, names all nodes, and is kept', () => {
    const script = join(root, 'deploy/kurrentdb/certificates.sh');
    const args = [script, join(folder, 'nodes'), join(folder, 'ca'), 'kurrentdb-1', '*.kurrentdb.florin.svc'];
    const create = (): X509Certificate => {
      execFileSync('sh', args);
      return new X509Certificate(readFileSync(join(folder, 'nodes/node.crt')));
    };
    const certificate = create();
    const authority = new X509Certificate(readFileSync(join(folder, 'ca/ca.crt')));
    expect(certificate.checkIssued(authority) && certificate.verify(authority.publicKey)).toBe(true);
    for (const host of ['localhost', 'kurrentdb-1', 'kurrentdb-2.kurrentdb.florin.svc']) {
      expect(certificate.checkHost(host)).toBeDefined();
    }
    expect(certificate.checkHost('kurrentdb-2')).toBeUndefined();
    expect(certificate.subject).toBe('CN=eventstoredb-node');
    expect(readdirSync(join(folder, 'ca'))).toEqual(['ca.crt']);
    expect(create().fingerprint256).toBe(certificate.fingerprint256);
  });
});
