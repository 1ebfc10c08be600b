import type { CommandContext, CommandReply } from '@florin/event-sourcing';
import { type AddressCommand, depositOf, type SettleBlocks } from '@florin/invoicing-domain';
import { deterministicId } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { Addresses } from './aggregates';
import { INVOICING_OPTIONS, type InvoicingOptions } from './invoicing-options';

/**
 * Tells the addresses what the chain brought. A deposit is recorded before the next one is looked at, and only when all
 * of them are, the addresses hear up to when they have heard everything: nothing expires while its payment is on the way.
 */
@Injectable()
export class SettleBlocksHandler {
  constructor(
    @Inject(Addresses) private readonly addresses: Addresses,
    @Inject(INVOICING_OPTIONS) private readonly options: InvoicingOptions,
  ) {}

  async execute({ data: { transfers, toBlockTime } }: SettleBlocks, context: CommandContext): Promise<CommandReply> {
    for (const transfer of transfers) {
      const command = depositOf(transfer);
      mustSucceed(
        command,
        await this.addresses.handle(transfer.to, command, partOf(context, command.data.deposit.depositId)),
      );
    }
    await Promise.all(
      this.options.addresses.map(async (address) => {
        const command = { type: 'CloseClaims', data: { address, readTo: toBlockTime } } as const;
        mustSucceed(command, await this.addresses.close(command, partOf(context, address)));
      }),
    );
    return { ok: true, repeated: false, answer: null };
  }
}

/** The id of a wish names one stream, and this one is a wish to several. */
function partOf({ id, headers }: CommandContext, name: string): CommandContext {
  return { id: deterministicId(id, name), headers };
}

/** Nothing that is told of the chain can be refused. */
function mustSucceed({ type, data }: AddressCommand, reply: CommandReply<unknown>): void {
  if (!reply.ok) throw new Error(`${type} at ${data.address} was refused: ${reply.refusal.message}`);
}
