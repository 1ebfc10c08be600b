import { PRISMA, type PrismaClient } from '@florin/database';
import { READ_YOUR_WRITES, type ReadYourWrites } from '@florin/event-sourcing';
import { Inject, Injectable } from '@nestjs/common';

/** Typed reads. Every result includes all writes that were acknowledged before the call. */
@Injectable()
export abstract class ReadModelQueries {
  constructor(
    @Inject(PRISMA) protected readonly prisma: PrismaClient,
    @Inject(READ_YOUR_WRITES) private readonly readYourWrites: ReadYourWrites,
  ) {}

  protected async waitUntilCaughtUp(...readModels: readonly { readonly name: string }[]): Promise<void> {
    await Promise.all(readModels.map(({ name }) => this.readYourWrites.waitUntilCaughtUp(name)));
  }
}
