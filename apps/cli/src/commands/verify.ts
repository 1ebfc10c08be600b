import { verifyLog } from '@florin/event-sourcing';
import { CommandFailed } from '../cli-errors';
import type { Command } from '../command';
import { withEventLog } from '../with-event-log';

/** Works on the database itself, so that it needs no running service and trusts none. */
export const verify: Command = {
  words: 'verify',
  summary: 'Checks the hash chain of every stream, on DATABASE_URL or the data folder of a stopped Florin.',
  arguments: [],
  options: {},
  run: ({ environment, report }) =>
    withEventLog(environment, async ({ store }) => {
      const { events, streams, broken } = await verifyLog(store, ({ events: checked, readTo, head }) => {
        report(`Checked ${checked} events, up to position ${readTo} of ${head}`);
      });
      const places = broken.map(({ stream, revision, position }) => ({ stream, revision, position: String(position) }));
      if (places.length > 0) {
        const list = places.map(({ stream, revision, position }) => `  ${stream}@${revision} (position ${position})`);
        throw new CommandFailed(`These events do not stand as they were written:\n${list.join('\n')}`, {
          broken: places,
        });
      }
      const answer = { events, streams, broken: [] };
      return { answer, text: `All ${events} events in ${streams} streams stand as they were written.` };
    }),
};
