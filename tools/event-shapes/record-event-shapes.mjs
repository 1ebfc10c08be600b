/** Adds new event versions to event-shapes.json: `npm run record:event-shapes`. It never changes a recorded version. */
import { existsSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { findProblems, withNewVersions } from './event-shapes.cjs';
import { currentShapes, readRecord, recordFile } from './stored-events.cjs';

const recorded = existsSync(recordFile) ? readRecord() : {};
const current = currentShapes();
const problems = findProblems(recorded, current);
if (problems.length === 0) {
  const text = JSON.stringify(withNewVersions(recorded, current));
  writeFileSync(recordFile, await format(text, { ...(await resolveConfig(recordFile)), filepath: recordFile }));
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
