import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { Inject, Injectable } from '@nestjs/common';
import { type ReadConnection, ReadDatabase, type Reader } from './read-database';

interface Continuation {
  /** Whether this read continues a response, which has waited for the read model before. */
  readonly continued?: boolean;
}

/** Every result includes all writes that were acknowledged before the call. */
@Injectable()
export abstract class ReadModelQueries {
  constructor(
    private readonly database: ReadDatabase,
    @Inject(READ_YOUR_WRITES) protected readonly readYourWrites: ReadYourWrites,
  ) {}

  protected async waitUntilCaughtUp(...readModels: readonly { readonly name: string }[]): Promise<void> {
    await Promise.all(readModels.map(({ name }) => this.readYourWrites.waitUntilCaughtUp(name)));
  }

  protected read<Result>(
    reader: Reader,
    task: (connection: ReadConnection) => Promise<Result>,
    continuation?: Continuation,
  ): Promise<Result> {
    return this.database.read(reader, task, continuation);
  }
}
