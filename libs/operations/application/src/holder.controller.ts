import { type CommandMessage, type CommandReply, patternOf } from '@florin/event-sourcing';
import {
  HOLDER_VAULT,
  type HolderAnswer,
  type HolderCommand,
  holderCommandTypes,
  type HolderRefusal,
  type HolderVault,
} from '@florin/operations-domain';
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Holders } from './aggregates';

/** Registers and erases cardholders. */
@Controller()
export class HolderController {
  constructor(
    private readonly holders: Holders,
    @Inject(HOLDER_VAULT) private readonly vault: HolderVault,
  ) {}

  @MessagePattern(holderCommandTypes.map((type) => patternOf('operations', type)))
  async handle(@Payload() message: CommandMessage<HolderCommand>): Promise<CommandReply<HolderAnswer, HolderRefusal>> {
    const { type, data } = message.command;
    const reply = await this.holders.handle(data.accountId, message.command, message);
    // The erasure is acknowledged only after the key is destroyed. After a crash in between, a repeat destroys it.
    if (type === 'EraseHolder' && reply.ok) await this.vault.destroy(data.holderId);
    // After a crash in between, the key is confirmed by a repeat, or by the sweep.
    if (type === 'RegisterHolder' && reply.ok) await this.vault.confirm(data.holderId);
    return reply;
  }
}
