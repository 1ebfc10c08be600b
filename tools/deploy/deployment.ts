import { type Config, readConfig } from '@florin/runtime';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const root = resolve(__dirname, '../..');
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');
export const filesIn = (folder: string): string[] => readdirSync(join(root, folder));

export const { version } = JSON.parse(read('package.json')) as { version: string };

const mainOf = (app: string): string => `apps/${app}/src/main.ts`;

/** The apps that are separate services: their main file calls `runService`. */
export const services = filesIn('apps')
  .filter((app) => app !== 'all-in-one' && existsSync(join(root, mainOf(app))))
  .filter((app) => read(mainOf(app)).includes('runService('))
  .sort();

/** The variables that a service requires, and those that it sets itself. */
export function demandsOf(service: string) {
  const main = read(mainOf(service));
  const [, needs] = /needs: \[([^\]]*)\]/.exec(main) ?? [];
  const [, bus] = /COMMAND_BUS: '([\w-]+)'/.exec(main) ?? [];
  if (needs === undefined || bus === undefined)
    throw new Error(`${mainOf(service)} does not list the variables it needs`);
  return { needs: [...needs.matchAll(/'(\w+)'/g)].map(([, name]) => name!), fixed: { COMMAND_BUS: bus } };
}

export interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly envFrom: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly [other: string]: unknown;
}

export interface Pod {
  readonly containers: readonly Container[];
  readonly terminationGracePeriodSeconds: number;
  readonly [other: string]: unknown;
}

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: { readonly spec: Pod }; readonly [other: string]: unknown };
}

export interface Kustomization {
  readonly resources: readonly string[];
  readonly images: readonly { readonly newTag: string }[];
  readonly configMapGenerator: readonly {
    readonly name: string;
    readonly literals?: readonly string[];
    readonly files?: readonly string[];
  }[];
  readonly patches?: readonly { readonly patch: string }[];
}

export const kustomization = parse(read('k8s/kustomization.yaml')) as Kustomization;

const manifests = kustomization.resources.flatMap((file) => manifestsOf(`k8s/${file}`));
export const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
export const namesOf = (some: readonly Manifest[]): string[] => some.map(({ metadata }) => metadata.name).sort();

export function named(kind: string, name: string): Manifest {
  const found = ofKind(kind).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
  return found;
}

/** The Deployments of the services, and the all-in-one Deployment. */
export const deployments = ofKind('Deployment');
export const allDeployments = [
  ...deployments,
  ...manifestsOf('k8s/all-in-one.yaml').filter(({ kind }) => kind === 'Deployment'),
].map((deployment) => {
  const pod = deployment.spec.template.spec;
  return { name: deployment.metadata.name, deployment, pod, container: pod.containers[0]! };
});

function manifestsOf(file: string): Manifest[] {
  return parseAllDocuments(read(file)).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file} is not valid YAML`, { cause: document.errors[0] });
    return document.toJS() as Manifest;
  });
}

export const secretsOf = ({ envFrom }: Container): string[] =>
  envFrom.flatMap(({ secretRef }) => secretRef?.name ?? []);

/** The nightly audit. */
export const auditJob = named('CronJob', 'audit').spec as unknown as {
  readonly concurrencyPolicy: string;
  readonly jobTemplate: {
    readonly spec: {
      readonly backoffLimit: number;
      readonly podFailurePolicy: { readonly rules: readonly object[] };
      readonly template: { readonly spec: Pod };
    };
  };
};

/** The Job that migrates the database. */
export const migrationPod = named('Job', 'database').spec.template.spec;

/** The environment of a Kubernetes container, without secrets. */
export function environmentIn({ env = [], envFrom }: Container): Record<string, string> {
  const references = envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []);
  const literals = kustomization.configMapGenerator
    .filter(({ name }) => references.includes(name))
    .flatMap(({ literals = [] }) => literals.map((literal) => literal.split('=', 2) as [string, string]));
  const own = env.map(({ name, value = '' }): [string, string] => [name, value]);
  return Object.fromEntries([...literals, ...own]);
}

/** As the secret `florin-event-store` has it. */
export const eventStoreUrl =
  'esdb://florin:of-this-spec@kurrentdb-0.kurrentdb.florin.svc:2113,kurrentdb-1.kurrentdb.florin.svc:2113,' +
  'kurrentdb-2.kurrentdb.florin.svc:2113?tls=true&tlsCAFile=/kurrentdb-ca/ca.crt';

/** The configuration of a Kubernetes container, with the address of the event log. */
export const configurationIn = (container: Container): Config =>
  readConfig({ EVENTSTORE_URL: eventStoreUrl, ...environmentIn(container) });

export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly [other: string]: unknown;
}

export const compose = parse(read('deploy/compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, unknown>>;
};

/** Containers that do one task and end. */
export const jobs = Object.entries(compose.services).filter(([, service]) => service['restart'] === 'no');

/** It migrates the database as its owner. */
export const migrationContainer = compose.services['database']!;

export const ownContainers = Object.entries(compose.services).filter(
  ([name, { image }]) => image.startsWith('florin:') && jobs.every(([job]) => job !== name),
);

/** Interpolates like Compose: `${NAME:-default}`, and `${NAME:?message}` for required variables. */
export function interpolated(
  environment: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const replaced = (text: string): string =>
    text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name: string, kind: string, rest: string) => {
      if (kind === '?' && given[name] === undefined) throw new Error(`${name} is required: ${rest}`);
      return given[name] ?? rest;
    });
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, replaced(value)]));
}
