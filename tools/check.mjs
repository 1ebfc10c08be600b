import { spawnSync } from 'node:child_process';

/**
 * Everything that must hold before a change is merged, stopping at the first failure. CI runs this and nothing else.
 * Arguments are handed on to Jest.
 */
const steps = [
  { title: 'Format', script: ['check:format'] },
  // A cached verdict misses what changed in other files, such as a function that has become asynchronous.
  { title: 'Lint', script: ['lint', '--', '--no-cache'] },
  { title: 'Types', script: ['types'] },
  { title: 'Tests', script: ['test', '--', ...process.argv.slice(2)] },
];

for (const { title, script } of steps) {
  console.log(`\n=== ${title}: npm run ${script.join(' ')}`);
  const start = performance.now();
  const { status } = spawnSync('npm', ['run', '--silent', ...script], { stdio: 'inherit' });
  if (status !== 0) {
    console.error(`\n=== ${title} failed. Repeat this step alone with: npm run ${script[0]}`);
    process.exit(1);
  }
  console.log(`=== ${title} passed in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
