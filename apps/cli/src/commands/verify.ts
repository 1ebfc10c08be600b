import { verifyLog } from '@florin/event-sourcing';
import { CommandFailed } from '../cli-errors';
import type { Command } from '../command';
import { nothingTo, withEventLog } from '../with-event-log';

/** Works on the database itself, so that it needs no running service and trusts none. */
export const verify: Command = {
  words: 'verify',
  summary: 'Checks the hash chain of every stream, on DATABASE_URL or the data folder of a stopped Florin.',
  arguments: [],
  options: {},
  run: ({ environment, report }) =>
    withEventLog(environment, { migrate: false }, async ({ store }) => {
      const { events, streams, broken, missing } = await verifyLog(store, ({ events: checked, readTo, head }) => {
        report(`Checked ${checked} events, up to position ${readTo} of ${head}`);
      });
      const places = broken.map(({ stream, revision, position }) => ({ stream, revision, position: String(position) }));
      const gaps = missing.map(({ from, to }) => ({ from: String(from), to: String(to) }));
      const findings = [
        ...listed(
          'These events do not stand as they were written:',
          places.map(({ stream, revision, position }) => `${stream}@${revision} (position ${position})`),
        ),
        ...listed(
          'These positions are empty; somebody has removed what stood there:',
          gaps.map(({ from, to }) => (from === to ? from : `${from} to ${to}`)),
        ),
      ];
      if (findings.length > 0) throw new CommandFailed(findings.join('\n'), { broken: places, missing: gaps });
      if (events === 0) throw nothingTo('verify');
      const answer = { events, streams, broken: [], missing: [] };
      return { answer, text: `All ${events} events in ${streams} streams stand as they were written.` };
    }),
};

function listed(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}
