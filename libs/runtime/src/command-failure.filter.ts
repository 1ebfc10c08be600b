import type { CommandMessage } from '@florin/event-sourcing';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import type { Log } from './log';

/** A command that failed is told with the request it came from; the caller learns that its outcome is unknown. */
@Catch()
export class CommandFailureFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): Observable<never> {
    const { id, command, headers } = host.switchToRpc().getData<CommandMessage>();
    const details = { err: error, requestId: headers.correlationId, commandId: id, command: command.type };
    this.log.error(details, 'A command failed');
    return throwError(() => error);
  }
}
