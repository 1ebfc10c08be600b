const { existsSync, readdirSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Gives every package of the workspace its targets, so that a new package needs no settings. */
exports.createNodesV2 = [
  '{apps,clients,libs}/**/package.json',
  (packageFiles, _options, { workspaceRoot }) =>
    packageFiles.map((packageFile) => {
      const root = dirname(packageFile);
      const targets = { build: root.startsWith('clients/') ? buildClient(root) : build(root) };
      if (hasSpecs(join(workspaceRoot, root, 'src'))) targets.test = test(root);
      return [packageFile, { projects: { [root]: { targets } } }];
    }),
];

function build(root) {
  return {
    command: `node tools/nx/compile.mjs ${root}`,
    cache: true,
    dependsOn: ['generate', '^build'],
    inputs: ['sources', 'compiler', { dependentTasksOutputFiles: '**/*.ts' }],
    outputs: ['{projectRoot}/dist'],
  };
}

/** What others install is compiled for several module systems, with declarations. */
function buildClient(root) {
  return {
    ...build(root),
    command: `node tools/nx/build-client.mjs ${root}`,
    inputs: [
      'sources',
      ...['{projectRoot}/tsconfig.build.json', '{workspaceRoot}/tools/nx/*client*', '{workspaceRoot}/LICENSE'],
      { dependentTasksOutputFiles: '**/*' },
      { externalDependencies: ['typescript'] },
    ],
  };
}

/** Some specs start compiled programs, so the project and its dependencies are built first. */
function test(root) {
  const results = `test-results/${root.replaceAll('/', '-')}.json`;
  const suite = root === 'apps/e2e' ? 'e2e' : 'unit';
  return {
    command: `jest --selectProjects ${suite} --runInBand --json --outputFile=${results} ${root}/`,
    cache: true,
    dependsOn: ['build'],
    inputs: ['default', '^default', 'testRunner'],
    outputs: [`{workspaceRoot}/${results}`],
  };
}

function hasSpecs(folder) {
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  return files.some((file) => /(?<!\.kafka)\.spec\.ts$/.test(file));
}
