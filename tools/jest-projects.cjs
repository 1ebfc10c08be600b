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

/** Packages published only as ES modules, which Jest cannot load without compiling them. */
const esModules = ['p-queue', 'p-timeout', 'eventemitter3'];

const shared = {
  rootDir: root,
  testEnvironment: 'node',
  moduleNameMapper,
  transform: { '\\.(ts|m?js)$': ['@swc/jest', { ...readJson('.swcrc'), swcrc: false }] },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`],
  modulePathIgnorePatterns: ['/dist/', '/\\.nx/', '/\\.florin/'],
};

const notSources = ['/node_modules/', '/dist/'];

/** One Postgres for all specs of a run, and one Kafka broker that starts when the first suite requests it. */
const servers = {
  globalSetup: '<rootDir>/tools/jest-global-setup.ts',
  globalTeardown: '<rootDir>/tools/jest-global-teardown.ts',
};

const endToEnd = {
  testMatch: ['<rootDir>/apps/e2e/**/*.spec.ts'],
  testPathIgnorePatterns: notSources,
};

/** The suites, and what each needs. */
module.exports = {
  /** Needs only Node. */
  unit: {
    ...shared,
    ...servers,
    displayName: 'unit',
    testMatch: ['<rootDir>/{apps,libs,tools}/**/*.spec.ts'],
    testPathIgnorePatterns: [...notSources, '<rootDir>/apps/e2e/', '\\.kafka\\.spec\\.ts$'],
  },
  e2e: {
    ...shared,
    ...endToEnd,
    displayName: 'e2e',
    setupFilesAfterEnv: ['<rootDir>/apps/e2e/src/harness/patience.ts'],
  },
  /** Needs Java and Maven. */
  kafka: {
    ...shared,
    ...servers,
    displayName: 'kafka',
    testMatch: ['<rootDir>/{apps,libs}/**/*.kafka.spec.ts'],
    testPathIgnorePatterns: notSources,
  },
  /** The end-to-end suite against the product as services. */
  cluster: {
    ...shared,
    ...servers,
    ...endToEnd,
    displayName: 'cluster',
    setupFiles: ['<rootDir>/apps/e2e/src/harness/as-cluster.ts'],
    setupFilesAfterEnv: ['<rootDir>/apps/e2e/src/harness/patience.ts'],
  },
};
