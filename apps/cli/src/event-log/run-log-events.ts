import { type RecordedEvent, scanLog } from '@florin/event-sourcing';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { withEventLog } from './with-event-log';

export interface LogEventsOptions {
  readonly stream?: string;
  readonly type?: string;
}

/** Prints one line of JSON per event. */
export function runLogEvents(context: CliContext, { stream, type }: LogEventsOptions): Promise<void> {
  return withEventLog(context.environment, { migrate: false, role: 'auditor', readOnly: true }, async ({ store }) => {
    let found = 0;
    const print = (page: readonly RecordedEvent[]): void => {
      const lines = page.filter((event) => type === undefined || event.type === type).map(lineOf);
      found += lines.length;
      if (lines.length > 0) context.print(lines.join('\n'));
    };
    if (stream === undefined) {
      const page: RecordedEvent[] = [];
      await scanLog(
        store,
        (event) => page.push(event),
        () => print(page.splice(0)),
      );
    } else for await (const page of store.readStream(stream)) print(page);
    if (found > 0) return;
    const place = stream === undefined ? 'the log' : `stream ${stream}`;
    throw new CommandFailed(`There is no ${type ?? 'event'} in ${place}. Check the name.`);
  });
}

function lineOf({ position, stream, revision, id, type, metadata, data }: RecordedEvent): string {
  return JSON.stringify({
    ...{ position: String(position), stream, revision, id, type },
    metadata: parsed(metadata),
    data: parsed(data),
  });
}

/** A text that is not valid JSON was damaged, and is printed as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
