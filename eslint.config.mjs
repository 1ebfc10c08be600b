import { createProjectGraphAsync } from '@nx/devkit';
import nx from '@nx/eslint-plugin';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import * as restrictions from './tools/lint/restrictions.mjs';

// The Nx rule reads this graph from a file, and checks nothing if the file is missing. Isolated plugins start slowly.
process.env.NX_ISOLATE_PLUGINS ??= 'false';
await createProjectGraphAsync();

const testFiles = ['**/*.spec.ts', '**/testing/**/*.ts'];
const configFiles = ['**/*.config.{mjs,cjs,ts}', '**/jest-global-*.ts'];
const usersOfTestSupport = [...testFiles, 'apps/{bench,chaos,e2e}/**/*.ts'];

const unusedOnPurpose = { argsIgnorePattern: '^_', ignoreRestSiblings: true };

const mistakes = {
  files: ['**/*.{ts,mjs,cjs}'],
  rules: {
    eqeqeq: 'error',
    'no-constant-condition': ['error', { checkLoops: false }],
    'no-empty': 'error',
    'no-fallthrough': 'error',
    'no-unsafe-finally': 'error',
    'no-unused-vars': ['error', unusedOnPurpose],
    'no-var': 'error',
    'prefer-const': 'error',
  },
};

const mistakesInScripts = {
  files: ['**/*.{mjs,cjs}'],
  languageOptions: {
    globals: Object.fromEntries([...Object.getOwnPropertyNames(globalThis), '__dirname'].map((name) => [name, false])),
  },
  rules: { 'no-undef': 'error' },
};

/** The most important typed rules find promises that are not awaited, whose rejections would be lost. */
const mistakesInTypeScript = {
  files: ['**/*.ts'],
  extends: [tseslint.configs.recommended],
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  rules: {
    'no-unused-vars': 'off',
    '@typescript-eslint/await-thenable': 'error',
    '@typescript-eslint/consistent-type-imports': 'error',
    '@typescript-eslint/no-floating-promises': 'error',
    '@typescript-eslint/no-misused-promises': 'error',
    '@typescript-eslint/no-unused-vars': ['error', unusedOnPurpose],
    '@typescript-eslint/only-throw-error': 'error',
    '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
    '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  },
};

const size = {
  files: ['**/*.{ts,mjs,cjs}'],
  ignores: testFiles,
  rules: {
    'max-lines': ['error', 250],
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
  },
};

const namedExports = {
  files: ['**/*.{ts,mjs}'],
  ignores: configFiles,
  rules: {
    'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
  },
};

function projectBoundaries(files, depConstraints) {
  const options = { banTransitiveDependencies: true, depConstraints };
  return { files, plugins: { '@nx': nx }, rules: { '@nx/enforce-module-boundaries': ['error', options] } };
}

function importStatements(files, options) {
  return { files, rules: { 'no-restricted-imports': ['error', options] } };
}

const boundaries = [
  projectBoundaries(['{apps,clients,libs}/**/*.ts'], restrictions.dependencyConstraints({ forTests: false })),
  projectBoundaries(
    testFiles.map((glob) => ['{apps,clients,libs}/**/*.ts', glob]),
    restrictions.dependencyConstraints({ forTests: true }),
  ),
  ...restrictions.restrictedFolders.flatMap((entry) => {
    const files = `${entry.folder}/**/*.ts`;
    return [
      importStatements([files], restrictions.restrictedImports(entry)),
      importStatements(
        usersOfTestSupport.map((glob) => [files, glob]),
        restrictions.restrictedImportsOfTests(entry),
      ),
    ];
  }),
];

/** Configuration is read in one place, so that invalid values fail the start as a whole. */
const environment = {
  files: ['libs/**/*.ts'],
  ignores: ['libs/runtime/**', ...testFiles],
  rules: {
    'no-restricted-properties': [
      'error',
      { object: 'process', property: 'env', message: 'Only libs/runtime reads the environment. Use a parameter.' },
    ],
    'no-restricted-syntax': [
      'error',
      { selector: 'ImportDeclaration[source.value=/^(node:)?process$/]', message: 'Use the global `process`.' },
    ],
  },
};

/** A decision must be repeatable: time, ids and settings are part of the command. */
const purity = {
  files: ['libs/*/domain/**/*.ts'],
  ignores: testFiles,
  rules: {
    'no-restricted-globals': ['error', ...restrictions.impureGlobals],
    'no-restricted-properties': ['error', ...restrictions.impureProperties],
    'no-restricted-syntax': ['error', ...restrictions.impureSyntax],
  },
};

const output = { files: ['{clients,libs}/**/*.ts'], rules: { 'no-console': 'error' } };

export default defineConfig([
  globalIgnores(['**/dist', '**/generated', '.nx', '.florin', 'coverage', 'bench-results', 'test-results']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  mistakes,
  mistakesInScripts,
  mistakesInTypeScript,
  size,
  namedExports,
  boundaries,
  environment,
  purity,
  output,
]);
