import type { CommandMessage } from '@florin/event-sourcing';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import type { Log } from './log';

/** Logs a failed command with the id of its request. The caller gets the error, so the outcome is unknown to it. */
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
