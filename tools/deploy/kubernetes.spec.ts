import { readConfig } from '@florin/runtime';
import {
  allDeployments,
  deployments,
  environmentIn,
  filesIn,
  kustomization,
  namesOf,
  ofKind,
  services,
} from './deployment';

describe('Every service', () => {
  it('is known', () => {
    expect(services).toHaveLength(7);
  });

  it('has a Deployment with its own command', () => {
    expect(namesOf(deployments)).toEqual(services);
    const own = allDeployments.filter(({ name }) => services.includes(name));
    expect(own.map(({ container }) => container.command)).toEqual(
      own.map(({ name }) => ['node', `apps/${name}/dist/main.js`]),
    );
  });

  it('is part of the whole', () => {
    const others = ['all-in-one.yaml', 'kustomization.yaml'];
    const files = filesIn('k8s').filter((file) => !others.includes(file));
    expect([...kustomization.resources].sort()).toEqual(files.sort());
  });

  it('leaves one at a time, and in an upgrade only after the next one has come', () => {
    expect(namesOf(ofKind('PodDisruptionBudget'))).toEqual(services);
    const strategies = deployments.map(({ spec }) => spec['strategy']);
    expect(strategies).toEqual(services.map(() => ({ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })));
  });
});

describe.each(allDeployments)('The Deployment $name', ({ name, pod, container }) => {
  it('is probed', () => {
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: '/health/live', port: 'http' } },
      livenessProbe: { httpGet: { path: '/health/live', port: 'http' } },
      readinessProbe: { httpGet: { path: '/health/ready', port: 'http' } },
      ports: [{ name: 'http', containerPort: 3000 }],
    });
  });

  it('has no rights that it does not need', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('says what it needs', () => {
    const memory: unknown = expect.any(String);
    const cpu: unknown = expect.any(String);
    expect(container['resources']).toEqual({ requests: { cpu, memory }, limits: { memory } });
  });

  it('has the time to end in order', () => {
    const config = readConfig(environmentIn(container));
    const { SHUTDOWN_NOTICE_SECONDS: notice, SHUTDOWN_TIMEOUT_SECONDS: shutdown } = config;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(notice + shutdown);
    expect(shutdown).toBeGreaterThan(config.ISSUER_TIMEOUT_SECONDS);
    // Only the gateway is sent requests by others, who have to hear first that it leaves.
    expect(notice > 0).toBe(name === 'gateway');
  });
});

describe('Scaling', () => {
  const scalers = ofKind('HorizontalPodAutoscaler');

  it.each(scalers)('of $metadata.name is left to the autoscaler, and ends where the partitions do', (scaler) => {
    const { deployment, container } = allDeployments.find(({ name }) => name === scaler.metadata.name)!;
    expect(deployment.spec['replicas']).toBeUndefined();
    expect(scaler.spec).toMatchObject({ scaleTargetRef: { kind: 'Deployment', name: deployment.metadata.name } });
    expect(scaler.spec['maxReplicas']).toBeLessThanOrEqual(readConfig(environmentIn(container)).KAFKA_PARTITIONS);
  });

  it('begins with two of each, so that one may fail', () => {
    expect(scalers.map(({ spec }) => spec['minReplicas'])).toEqual(scalers.map(() => 2));
    const others = deployments.filter(({ metadata }) => !namesOf(scalers).includes(metadata.name));
    expect(others.map(({ spec }) => spec['replicas'])).toEqual(others.map(() => 2));
  });
});

interface Peer {
  readonly ipBlock?: unknown;
  readonly namespaceSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
}

interface Policy {
  readonly podSelector: {
    readonly matchLabels?: Readonly<Record<string, string>>;
    readonly matchExpressions?: readonly { readonly values: readonly string[] }[];
  };
  readonly ingress?: readonly { readonly from: readonly Peer[] }[];
  readonly egress?: readonly { readonly to: readonly Peer[] }[];
}

describe('The network', () => {
  const policies = ofKind('NetworkPolicy').map(({ spec }) => spec as object as Policy);

  const subjectsOf = ({ podSelector: { matchLabels, matchExpressions } }: Policy) =>
    matchExpressions?.flatMap(({ values }) => values) ?? Object.values(matchLabels ?? { name: 'everybody' });
  const isMonitoring = ({ namespaceSelector }: Peer) =>
    namespaceSelector?.matchLabels['florin/monitoring'] === 'true' &&
    Object.keys(namespaceSelector.matchLabels).length === 1;

  it('is closed by itself', () => {
    expect(policies).toContainEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  it('lets clients to the gateway alone', () => {
    const open = policies.filter(({ ingress = [] }) => !ingress.every(({ from }) => from.every(isMonitoring)));
    expect(open.flatMap(subjectsOf)).toEqual(['gateway']);
  });

  it('lets only those out who have business there', () => {
    const leadsOut = ({ egress = [] }: Policy) =>
      egress.some(({ to }) => to.some(({ ipBlock }) => ipBlock !== undefined));
    const subjects = policies.filter(leadsOut).flatMap(subjectsOf);
    expect(subjects.sort()).toEqual(['operations', 'tron-watcher', 'webhook-dispatcher']);
  });
});
