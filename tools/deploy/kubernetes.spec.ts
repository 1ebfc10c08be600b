import {
  allDeployments,
  auditJob,
  configurationIn,
  type Container,
  deployments,
  filesIn,
  kustomization,
  migrationPod,
  namesOf,
  ofKind,
  secretsOf,
  services,
} from './deployment';

describe('Every service', () => {
  it('is found', () => {
    expect(services).toHaveLength(7);
  });

  it('has a Deployment with its own command', () => {
    expect(namesOf(deployments)).toEqual(services);
    const own = allDeployments.filter(({ name }) => services.includes(name));
    expect(own.map(({ container }) => container.command)).toEqual(
      own.map(({ name }) => ['node', `apps/${name}/dist/main.js`]),
    );
  });

  it('is listed in the kustomization', () => {
    const others = ['all-in-one.yaml', 'kustomization.yaml'];
    const files = filesIn('k8s').filter((file) => file.endsWith('.yaml') && !others.includes(file));
    expect([...kustomization.resources].sort()).toEqual(files.sort());
  });

  it('has a disruption budget and replaces a pod only after the new one is ready', () => {
    expect(namesOf(ofKind('PodDisruptionBudget'))).toEqual([...services, 'kurrentdb'].sort());
    const strategies = deployments.map(({ spec }) => spec['strategy']);
    expect(strategies).toEqual(services.map(() => ({ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })));
  });
});

describe('The migration', () => {
  it('has its own command, runs without privileges and can be repeated', () => {
    const [container] = migrationPod.containers;
    expect(container).toMatchObject({
      command: ['node', 'apps/cli/dist/main.js', 'database', 'migrate'],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
    expect(migrationPod).toMatchObject({
      automountServiceAccountToken: false,
      restartPolicy: 'OnFailure',
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
  });
});

describe('The nightly audit', () => {
  const { jobTemplate, concurrencyPolicy } = auditJob;
  const { template, podFailurePolicy, backoffLimit } = jobTemplate.spec;
  const pod = template.spec;
  const container = pod.containers[0]!;

  it('compares the log with its checkpoints and sends the metrics of the result', () => {
    const [node, main, ...args] = container.command!;
    expect([node, main, args[0]]).toEqual(['node', 'apps/cli/dist/main.js', 'audit']);
    expect(args).toEqual(expect.arrayContaining(['--checkpoints', '--metrics']));
  });

  it('ends after problems were found, and is repeated if it could not run', () => {
    const ending = {
      action: 'FailJob',
      onExitCodes: { containerName: container['name'], operator: 'In', values: [1, 2] },
    };
    expect(podFailurePolicy.rules[0]).toEqual(ending);
    expect(JSON.stringify(podFailurePolicy.rules)).not.toContain('3');
    expect(backoffLimit).toBeGreaterThan(0);
    // Required by the policy.
    expect(pod['restartPolicy']).toBe('Never');
    expect(concurrencyPolicy).toBe('Forbid');
  });

  it('reads as the auditor, and can neither sign nor decrypt', () => {
    expect(secretsOf(container)).toEqual(['florin-database-auditor', 'florin-event-store', 'florin-log-public']);
    expect(() => configurationIn(container)).not.toThrow();
  });

  it('runs without privileges', () => {
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
});

describe.each(allDeployments)('The Deployment $name', ({ name, pod, container }) => {
  it('has startup, liveness and readiness probes', () => {
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: '/health/live', port: 'http' } },
      livenessProbe: { httpGet: { path: '/health/live', port: 'http' }, timeoutSeconds: 5 },
      // Longer than the two seconds of each dependency, so that the reason is reported.
      readinessProbe: { httpGet: { path: '/health/ready', port: 'http' }, timeoutSeconds: 3 },
    });
  });

  it('declares the ports that it listens on', () => {
    const { PORT, OPERATOR_PORT, METRICS_PORT } = configurationIn(container);
    const isApi = ['gateway', 'florin'].includes(name);
    expect(OPERATOR_PORT !== undefined).toBe(isApi);
    expect(container['ports']).toEqual([
      { name: 'http', containerPort: PORT },
      ...(isApi ? [{ name: 'operator', containerPort: OPERATOR_PORT }] : []),
      { name: 'metrics', containerPort: METRICS_PORT },
    ]);
  });

  it('runs without privileges', () => {
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

  it('declares its resources', () => {
    const memory: unknown = expect.any(String);
    const cpu: unknown = expect.any(String);
    expect(container['resources']).toEqual({ requests: { cpu, memory }, limits: { memory } });
  });

  it('has a grace period that covers the graceful shutdown', () => {
    const config = configurationIn(container);
    const { SHUTDOWN_NOTICE_SECONDS: notice, SHUTDOWN_TIMEOUT_SECONDS: shutdown } = config;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(notice + shutdown);
    expect(shutdown).toBeGreaterThan(config.ISSUER_TIMEOUT_SECONDS);
    // Only the gateway serves requests, so only it announces the shutdown to the load balancer.
    expect(notice > 0).toBe(name === 'gateway');
  });
});

describe('Scaling', () => {
  const scalers = ofKind('HorizontalPodAutoscaler');

  it.each(scalers)(
    'of $metadata.name is controlled by the autoscaler and limited by the number of partitions',
    (scaler) => {
      const { deployment, container } = allDeployments.find(({ name }) => name === scaler.metadata.name)!;
      expect(deployment.spec['replicas']).toBeUndefined();
      expect(scaler.spec).toMatchObject({ scaleTargetRef: { kind: 'Deployment', name: deployment.metadata.name } });
      expect(scaler.spec['maxReplicas']).toBeLessThanOrEqual(configurationIn(container).KAFKA_PARTITIONS);
    },
  );

  it('starts with two replicas of each service', () => {
    expect(scalers.map(({ spec }) => spec['minReplicas'])).toEqual(scalers.map(() => 2));
    const others = deployments.filter(({ metadata }) => !namesOf(scalers).includes(metadata.name));
    expect(others.map(({ spec }) => spec['replicas'])).toEqual(others.map(() => 2));
  });
});

interface Peer {
  readonly ipBlock?: unknown;
  readonly namespaceSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly podSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
}

interface Policy {
  readonly podSelector: {
    readonly matchLabels?: Readonly<Record<string, string>>;
    readonly matchExpressions?: readonly { readonly values: readonly string[] }[];
  };
  readonly ingress?: readonly {
    readonly from: readonly Peer[];
    readonly ports: readonly { readonly port: number }[];
  }[];
  readonly egress?: readonly {
    readonly to: readonly Peer[];
    readonly ports: readonly { readonly port: number }[];
  }[];
}

describe('The network', () => {
  const policies = ofKind('NetworkPolicy').map(({ spec }) => spec as object as Policy);

  const subjectsOf = ({ podSelector: { matchLabels, matchExpressions } }: Policy) =>
    matchExpressions?.flatMap(({ values }) => values) ?? Object.values(matchLabels ?? { name: 'everybody' });
  const isMonitoring = ({ namespaceSelector }: Peer) =>
    namespaceSelector?.matchLabels['florin/monitoring'] === 'true' &&
    Object.keys(namespaceSelector.matchLabels).length === 1;

  it('denies all traffic by default', () => {
    expect(policies).toContainEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  /** A pod of this namespace. */
  const isInternal = ({ namespaceSelector, ipBlock }: Peer) => namespaceSelector === undefined && ipBlock === undefined;

  it('admits clients only to the gateway', () => {
    const isOwn = (peer: Peer) => isMonitoring(peer) || isInternal(peer);
    const open = policies.filter(({ ingress = [] }) => !ingress.every(({ from }) => from.every(isOwn)));
    expect([...new Set(open.flatMap(subjectsOf))]).toEqual(['gateway']);
  });

  it('admits each group of clients to its own port', () => {
    const admitted = policies.flatMap(({ ingress = [] }) =>
      ingress.flatMap(({ from, ports }) =>
        from.flatMap(({ namespaceSelector }) =>
          namespaceSelector === undefined
            ? []
            : [[Object.keys(namespaceSelector.matchLabels)[0], ports.map(({ port }) => port)]],
        ),
      ),
    );
    expect(Object.fromEntries(admitted)).toEqual({
      'florin/ingress': [3000],
      'florin/operators': [3001],
      'florin/monitoring': [9464],
    });
  });

  it('admits only pods of this namespace to the event log, and only its nodes to the port of replication', () => {
    const toLog = policies.filter((policy) => subjectsOf(policy).includes('kurrentdb'));
    const admitted = toLog.flatMap(({ ingress = [] }) => ingress.map(({ from, ports }) => ({ from, ports })));
    expect(admitted).toEqual([
      { from: [{ podSelector: {} }], ports: [{ protocol: 'TCP', port: 2113 }] },
      {
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'kurrentdb' } } }],
        ports: [{ protocol: 'TCP', port: 1112 }],
      },
    ]);
    const leadsToLog = ({ egress = [] }: Policy) =>
      egress.some(({ to }) =>
        to.some(({ podSelector }) => podSelector?.matchLabels?.['app.kubernetes.io/name'] === 'kurrentdb'),
      );
    expect(policies.filter(leadsToLog).flatMap(subjectsOf).sort()).toEqual(['everybody', 'kurrentdb']);
  });

  it('lets every service that uses Kafka reach it', () => {
    const usesKafka = ({ envFrom }: Container) =>
      envFrom.some(({ configMapRef }) => configMapRef?.name === 'florin-kafka');
    const users = allDeployments.filter(({ container }) => usesKafka(container)).map(({ name }) => name);
    const leadsToKafka = ({ egress = [] }: Policy) =>
      egress.some(({ ports }) => ports.some(({ port }) => port === 9092));
    expect(policies.filter(leadsToKafka).flatMap(subjectsOf).sort()).toEqual(users.sort());
  });

  it('allows outbound traffic only for services that call external systems', () => {
    const leadsOut = ({ egress = [] }: Policy) =>
      egress.some(({ to }) => to.some(({ ipBlock }) => ipBlock !== undefined));
    const subjects = policies.filter(leadsOut).flatMap(subjectsOf);
    expect(subjects.sort()).toEqual(['operations', 'projector', 'tron-watcher', 'webhook-dispatcher']);
  });
});
