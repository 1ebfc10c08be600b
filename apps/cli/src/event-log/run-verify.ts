import { brokenChain, describeMissing } from '@florin/audit';
import { verifyLog } from '@florin/event-sourcing';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { emptyLog, withEventLog } from './with-event-log';

/** Reads the database directly: the result must not depend on a running service. */
export function runVerify(context: CliContext): Promise<void> {
  return withEventLog(context.environment, { migrate: false, role: 'auditor' }, async ({ store }) => {
    const { events, streams, broken, missing } = await verifyLog(store, ({ events: checked, readTo, head }) => {
      context.report(`Verified ${checked} events, up to position ${readTo} of ${head}`);
    });
    const findings = [
      ...broken.map(({ stream, revision, position }) => `${stream}@${revision} (position ${position}): ${brokenChain}`),
      ...missing.map(describeMissing).map(({ at, text }) => `${at}: ${text}`),
    ];
    if (findings.length > 0) {
      throw new CommandFailed(`Found tampering in ${events} events:\n  ${findings.join('\n  ')}`, {
        broken: broken.map(({ stream, revision, position }) => ({ stream, revision, position: String(position) })),
        missing: missing.map(({ from, to }) => ({ from: String(from), to: String(to) })),
      });
    }
    if (events === 0) throw emptyLog('verify');
    const result = { events, streams, broken: [], missing: [] };
    context.output(result, `Verified ${events} events in ${streams} streams. No tampering found.`);
  });
}
