import { type CommandMessage, NoReply, patternOf } from '@florin/event-sourcing';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { jsonCopy } from './json-copy';

/** The receiving end of the in-process bus as a Nest transport strategy. The same controllers run on Kafka. */
export class InProcessTransport extends Server implements CustomTransportStrategy {
  private underWay = 0;
  private closed = false;
  private onDrained: () => void = () => undefined;

  listen(callback: () => void): void {
    callback();
  }

  /** Waits for the commands in progress: a shutdown never drops an accepted command. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.underWay > 0) await new Promise<void>((resolve) => (this.onDrained = resolve));
  }

  on(): void {
    // There is no connection whose state could change.
  }

  unwrap<T>(): T {
    return this as unknown as T;
  }

  /** Takes a copy of a message and returns a copy of the reply. */
  async deliver(message: CommandMessage): Promise<unknown> {
    this.underWay += 1;
    try {
      return await this.handle(message);
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) this.onDrained();
    }
  }

  private async handle(message: CommandMessage): Promise<unknown> {
    const name = patternOf(message.context, message.command.type);
    if (this.closed) throw new NoReply(`${name} was sent after the bus was closed; retry it`);
    const handler = this.messageHandlers.get(name);
    if (handler === undefined) throw new NoReply(`Nothing handles ${name}; is its service running?`);
    try {
      const result: unknown = await handler(message);
      const reply: unknown = isObservable(result) ? await lastValueFrom(result) : result;
      return jsonCopy(reply) ?? null;
    } catch (error) {
      throw new NoReply(`${name} failed; its outcome is unknown`, { cause: error });
    }
  }
}
