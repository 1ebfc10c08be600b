const { mkdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');

// Jest does not create the folder of its `--outputFile`.
mkdirSync(join(root, 'test-results'), { recursive: true });

const readJson = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** Imports of packages resolve to their sources through the paths of tsconfig, as in TypeScript. */
const packagePaths = Object.entries(readJson('tsconfig.base.json').compilerOptions.paths);
const moduleNameMapper = Object.fromEntries(
  packagePaths.map(([name, [path]]) => [`^${name}$`, path.replace(/^\./, '<rootDir>')]),
);

const shared = {
  rootDir: root,
  testEnvironment: 'node',
  moduleNameMapper,
  transform: { '\\.(ts|mjs)$': ['@swc/jest', { ...readJson('.swcrc'), swcrc: false }] },
  modulePathIgnorePatterns: ['/dist/', '/\\.nx/', '/\\.florin/'],
};

const notSources = ['/node_modules/', '/dist/'];

/** One Postgres for all specs of a run. A Kafka broker and a shared Florin start when the first spec requests them. */
const servers = {
  globalSetup: '<rootDir>/tools/jest-global-setup.ts',
  globalTeardown: '<rootDir>/tools/jest-global-teardown.ts',
};

const endToEnd = {
  ...shared,
  ...servers,
  testMatch: ['<rootDir>/apps/e2e/**/*.spec.ts'],
  testPathIgnorePatterns: [...notSources, '\\.browser\\.spec\\.ts$'],
  setupFilesAfterEnv: ['<rootDir>/apps/e2e/src/harness/test-timeouts.ts'],
};

const asCluster = { ...endToEnd, setupFiles: ['<rootDir>/apps/e2e/src/harness/as-cluster.ts'] };

const onEventStoreDb = { ...endToEnd, setupFiles: ['<rootDir>/apps/e2e/src/harness/as-cluster-on-eventstoredb.ts'] };

const specs = (names) => names.map((name) => `<rootDir>/apps/e2e/src/${name}.spec.ts`);

/** What a change must pass as a cluster: crashes, replicas, tracing, a frozen event store; TRON, the live issuer and webhooks. */
const clusterSpecsPerChange = ['operations-crash', 'replicas', 'tracing', 'frozen-store', 'webhooks-live'];

/** The same with the log in EventStoreDB: crashes; companies, ledger, operations, cards, invoicing. */
const eventStoreDbSpecsPerChange = ['crash', 'operator', 'funding', 'operations', 'card-payments', 'invoices'];

/** Those that neither read the log in Postgres nor run commands on it. */
const eventStoreDbSpecs = [
  ...eventStoreDbSpecsPerChange,
  ...[
    'access',
    'balance-history',
    'bulk-operations',
    'cards',
    'explain',
    'four-eyes',
    'invoices-live',
    'lists',
    'operations-refusals',
  ],
  ...['prices', 'statement-hashes', 'tracing', 'unloads', 'webhooks-deliveries', 'webhooks-events'],
];

/** The test projects and what they need. */
module.exports = {
  /** Needs only Node. */
  unit: {
    ...shared,
    ...servers,
    displayName: 'unit',
    testMatch: ['<rootDir>/{apps,clients,libs,tools}/**/*.spec.ts'],
    testPathIgnorePatterns: [...notSources, '<rootDir>/apps/e2e/', '\\.(kafka|nightly|schemathesis)\\.spec\\.ts$'],
  },
  /** What takes too long for every change, for `npm run test:nightly`. */
  nightly: {
    ...shared,
    ...servers,
    displayName: 'nightly',
    testMatch: ['<rootDir>/{apps,libs}/**/*.nightly.spec.ts'],
    testPathIgnorePatterns: notSources,
  },
  e2e: { ...endToEnd, displayName: 'e2e' },
  /** Pages in a real browser. Needs Chromium. */
  browser: {
    ...endToEnd,
    displayName: 'browser',
    testMatch: ['<rootDir>/apps/e2e/**/*.browser.spec.ts'],
    testPathIgnorePatterns: notSources,
  },
  /** The API as its OpenAPI documents describe it. Needs Python. */
  apiDescription: {
    ...endToEnd,
    displayName: 'api-description',
    testMatch: ['<rootDir>/tools/openapi/*.schemathesis.spec.ts'],
  },
  /** Needs Java and Maven. */
  kafka: {
    ...shared,
    ...servers,
    displayName: 'kafka',
    testMatch: ['<rootDir>/{apps,libs}/**/*.kafka.spec.ts'],
    testPathIgnorePatterns: notSources,
  },
  /** End-to-end specs against Florin as services on Kafka: those that run for every change. */
  cluster: {
    ...asCluster,
    displayName: 'cluster',
    testMatch: specs(clusterSpecsPerChange),
  },
  /** Needs an EventStoreDB as well; without one, the log is in Postgres. */
  clusterOnEventStoreDb: {
    ...onEventStoreDb,
    displayName: 'cluster-eventstoredb',
    testMatch: specs(eventStoreDbSpecsPerChange),
  },
  /** For `npm run test:nightly`. */
  clusterOnEventStoreDbAll: {
    ...onEventStoreDb,
    displayName: 'cluster-eventstoredb-all',
    testMatch: specs(eventStoreDbSpecs),
  },
  /** All end-to-end specs, for `npm run test:nightly`. */
  clusterAll: { ...asCluster, displayName: 'cluster-all' },
};
