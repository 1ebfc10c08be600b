import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Adds up the result files in a folder, in the format of Jest. Fails if a test or another step of the check failed. */
const [folder, checkStatus] = process.argv.slice(2);

let passed = 0;
let failed = 0;
const files = existsSync(folder) ? readdirSync(folder) : [];
for (const file of files) {
  const results = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  passed += results.numPassedTests;
  // A spec that does not load has no tests to count.
  failed += results.numFailedTests + results.numRuntimeErrorTestSuites;
}
// A failed installation, build, format, lint or type check counts as one failure.
if (checkStatus !== '0' && failed === 0) failed = 1;
// So does a suite that did not run.
const suites = ['tools.json', 'apps-e2e.json', 'browser.json', 'api-description.json', 'python.json', 'kafka.json'];
failed += suites.filter((suite) => !files.includes(suite)).length;

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
