const { mkdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');

// Jest does not create the folder of its `--outputFile`.
mkdirSync(join(root, 'test-results'), { recursive: true });

const readJson = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** Packages are found in their sources, by the very paths TypeScript uses; nothing has to be built before a test. */
const packagePaths = Object.entries(readJson('tsconfig.base.json').compilerOptions.paths);
const moduleNameMapper = Object.fromEntries(
  packagePaths.map(([name, [path]]) => [`^${name}$`, path.replace(/^\./, '<rootDir>')]),
);

/** Packages that are published as ES modules only, which Jest cannot load as they are. */
const esModules = ['p-queue', 'p-timeout', 'eventemitter3'];

const shared = {
  rootDir: root,
  testEnvironment: 'node',
  moduleNameMapper,
  transform: { '\\.(ts|m?js)$': ['@swc/jest', { ...readJson('.swcrc'), swcrc: false }] },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`, '/dist/'],
  modulePathIgnorePatterns: ['/dist/', '/\\.nx/', '/\\.florin/'],
};

const elsewhere = ['/node_modules/', '/dist/'];

/** One Postgres for all specs of a run, and one Kafka broker, which is started only if a suite asks for it. */
const servers = {
  globalSetup: '<rootDir>/tools/jest-global-setup.ts',
  globalTeardown: '<rootDir>/tools/jest-global-teardown.ts',
};

const endToEnd = {
  testMatch: ['<rootDir>/apps/e2e/**/*.spec.ts'],
  testPathIgnorePatterns: elsewhere,
};

/** What there is to run, and what it needs. */
module.exports = {
  /** Node alone. */
  unit: {
    ...shared,
    ...servers,
    displayName: 'unit',
    testMatch: ['<rootDir>/{apps,libs,tools}/**/*.spec.ts'],
    testPathIgnorePatterns: [...elsewhere, '<rootDir>/apps/e2e/', '\\.kafka\\.spec\\.ts$'],
  },
  e2e: {
    ...shared,
    ...endToEnd,
    displayName: 'e2e',
    setupFilesAfterEnv: ['<rootDir>/apps/e2e/src/harness/patience.ts'],
  },
  /** Java and Maven besides. */
  kafka: {
    ...shared,
    ...servers,
    displayName: 'kafka',
    testMatch: ['<rootDir>/{apps,libs}/**/*.kafka.spec.ts'],
    testPathIgnorePatterns: elsewhere,
  },
  /** The end-to-end suite once more, against the product as services. */
  cluster: {
    ...shared,
    ...servers,
    ...endToEnd,
    displayName: 'cluster',
    setupFiles: ['<rootDir>/apps/e2e/src/harness/as-cluster.ts'],
    setupFilesAfterEnv: ['<rootDir>/apps/e2e/src/harness/patience.ts'],
  },
};
