const { dirname } = require('node:path');

/** Gives every package of the workspace its `lint` and `test` targets, so that a new one needs no settings. */
exports.createNodesV2 = [
  '{apps,libs}/**/package.json',
  (packageFiles) =>
    packageFiles.map((packageFile) => {
      const root = dirname(packageFile);
      const targets = {
        lint: { command: `eslint --max-warnings 0 ${root}` },
        test: root.startsWith('apps/') ? testBuilt(root) : { command: `jest --passWithNoTests ${root}/` },
      };
      return [packageFile, { projects: { [root]: { targets } } }];
    }),
];

/** Specs of an app start its compiled form. They run alone, because two builds at once would write the same files. */
function testBuilt(root) {
  return { command: `npm test -- --passWithNoTests ${root}/`, parallelism: false };
}
