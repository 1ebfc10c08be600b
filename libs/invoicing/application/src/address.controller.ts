import { type CommandMessage, type CommandReply, patternOf } from '@florin/event-sourcing';
import {
  type AddressAnswer,
  type AddressCommand,
  addressCommandTypes,
  type AddressRefusal,
  type InvoiceRefusal,
  type SettleBlocks,
} from '@florin/invoicing-domain';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Addresses } from './aggregates';
import { ResolveDepositHandler } from './resolve-deposit';
import { SettleBlocksHandler } from './settle-blocks';

/** Handles the commands of pay addresses: from the chain, the clock and operators. */
@Controller()
export class AddressController {
  constructor(
    private readonly addresses: Addresses,
    private readonly settlements: SettleBlocksHandler,
    private readonly resolutions: ResolveDepositHandler,
  ) {}

  @MessagePattern(patternOf('invoicing', 'SettleBlocks'))
  settle(@Payload() message: CommandMessage<SettleBlocks>): Promise<CommandReply> {
    return this.settlements.execute(message.command, message);
  }

  @MessagePattern(addressCommandTypes.map((type) => patternOf('invoicing', type)))
  handle(
    @Payload() message: CommandMessage<AddressCommand>,
  ): Promise<CommandReply<AddressAnswer, AddressRefusal | InvoiceRefusal>> {
    const { command } = message;
    if (command.type === 'ResolveDeposit') return this.resolutions.execute(command, message);
    return this.addresses.handle(command.data.address, command, message);
  }
}
