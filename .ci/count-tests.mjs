import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sums up the result files of all Jest runs in a folder, and fails when a test or the check itself has failed. */
const [folder, checkStatus] = process.argv.slice(2);

let passed = 0;
let failed = 0;
for (const file of readdirSync(folder)) {
  const results = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  passed += results.numPassedTests;
  // A spec that does not even load has no tests to count.
  failed += results.numFailedTests + results.numRuntimeErrorTestSuites;
}
// Formatting, lint, types, the build and the installation are no tests, but their failure must not look like a success.
if (checkStatus !== '0' && failed === 0) failed = 1;

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
