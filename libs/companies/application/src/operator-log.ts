import {
  operatorAggregate,
  operatorDirectoryId,
  operatorEventVersions,
  OperatorRegister,
} from '@florin/companies-domain';
import { eventCodec, type EventStore } from '@florin/event-sourcing';

const stream = `${operatorAggregate.category}-${operatorDirectoryId}`;
const codec = eventCodec(operatorEventVersions);

/** Reads the operators from the log: all events once, and then only the new ones. */
export class OperatorLog {
  private readonly register = new OperatorRegister();
  private nextRevision = 0;
  private previous: Promise<unknown> = Promise.resolve();

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /** Includes all events that were stored before the call. One read at a time, because each event is added once. */
  read(): Promise<OperatorRegister> {
    const read = this.previous.then(() => this.catchUp());
    this.previous = read.catch(() => undefined);
    return read;
  }

  private async catchUp(): Promise<OperatorRegister> {
    for await (const page of this.store.readStream(stream, this.nextRevision)) {
      for (const recorded of page) {
        const { event, metadata } = codec.decode(recorded);
        this.register.add(event, metadata.actor);
        this.nextRevision = recorded.revision + 1;
      }
    }
    return this.register;
  }
}
