import type { CommandContext, CommandReply } from '@florin/event-sourcing';
import { type AddressCommand, depositOf, type SettleBlocks } from '@florin/invoicing-domain';
import { deterministicId } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { Addresses } from './aggregates';
import { INVOICING_OPTIONS, type InvoicingOptions } from './invoicing-options';

/**
 * Records the transfers of a block range as deposits, in order. Only when all of them are recorded, closes the claims that
 * expired by then: no invoice expires while its payment is being recorded.
 */
@Injectable()
export class SettleBlocksHandler {
  constructor(
    private readonly addresses: Addresses,
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
        mustSucceed(command, await this.addresses.handle(address, command, partOf(context, address)));
      }),
    );
    return { ok: true, repeated: false, answer: null };
  }
}

/** A command id belongs to one stream, and this command concerns several. */
function partOf({ id, headers }: CommandContext, name: string): CommandContext {
  return { id: deterministicId(id, name), headers };
}

/** Commands from the chain are never refused. */
function mustSucceed({ type, data }: AddressCommand, reply: CommandReply<unknown>): void {
  if (!reply.ok) throw new Error(`${type} at ${data.address} was refused: ${reply.refusal.message}`);
}
