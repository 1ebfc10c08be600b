import { auditLog } from '@florin/audit';
import { createPool } from '@florin/database';
import { auditReport } from '../audit/audit-report';
import { auditText } from '../audit/audit-text';
import { compareReadModels } from '../audit/compare-read-models';
import { CommandFailed } from '../cli-errors';
import type { Command } from '../command';
import { nothingTo, withEventLog } from '../with-event-log';

/** Works on the database itself, so that it needs no running service and trusts none. */
export const audit: Command = {
  words: 'audit',
  summary:
    'Adds up the books from the log and compares what is shown, on DATABASE_URL or the data folder of a stopped Florin.',
  details:
    'Hash chains, balances, holds and operations are checked by the log alone; then statements and operations as they are shown.',
  arguments: [],
  options: {
    account: { value: 'account', description: 'only this account, such as <company-id>-live, and its operations' },
  },
  run: (input) => {
    const { environment, report } = input;
    const account = input.has('account') ? input.text('account') : undefined;
    const stream = account === undefined ? undefined : `account-${account}`;
    return withEventLog(environment, { migrate: false }, async ({ store, checkpoints, connection }) => {
      const audited = await auditLog(store, {
        account: stream,
        report: ({ events, readTo, head }) => report(`Audited ${events} events, up to position ${readTo} of ${head}`),
      });
      if (audited.events === 0 && account !== undefined) {
        throw new CommandFailed(
          `The log knows no account ${account}. Give a company's id and the environment, such as <company-id>-sandbox`,
        );
      }
      const pool = createPool(connection, { max: 1 });
      try {
        const answer = auditReport(
          audited,
          await compareReadModels(audited, { store, checkpoints, pool }, stream),
          account,
        );
        if (audited.events === 0 && answer.flaws.length === 0) throw nothingTo('audit');
        return { answer, text: auditText(answer), isBad: answer.flaws.length > 0 };
      } finally {
        await pool.end();
      }
    });
  },
};
