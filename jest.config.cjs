const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const readJson = (file) => JSON.parse(readFileSync(join(__dirname, file), 'utf8'));

/** Packages are found in their sources, by the very paths TypeScript uses; nothing has to be built before a test. */
const packagePaths = Object.entries(readJson('tsconfig.base.json').compilerOptions.paths);
const moduleNameMapper = Object.fromEntries(
  packagePaths.map(([name, [path]]) => [`^${name}$`, path.replace(/^\./, '<rootDir>')]),
);

const shared = {
  rootDir: __dirname,
  testEnvironment: 'node',
  moduleNameMapper,
  transform: { '\\.ts$': ['@swc/jest', { ...readJson('.swcrc'), swcrc: false }] },
  modulePathIgnorePatterns: ['/dist/', '/\\.nx/', '/\\.florin/'],
};

module.exports = {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs,tools}/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '/dist/', '<rootDir>/apps/e2e/'],
      globalSetup: '<rootDir>/libs/database/src/testing/jest-global-setup.ts',
      globalTeardown: '<rootDir>/libs/database/src/testing/jest-global-teardown.ts',
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/apps/e2e/**/*.spec.ts'],
      setupFilesAfterEnv: ['<rootDir>/apps/e2e/src/harness/patience.ts'],
      testPathIgnorePatterns: ['/node_modules/', '/dist/'],
    },
  ],
};
