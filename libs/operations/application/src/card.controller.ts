import { type CommandMessage, type CommandReply, patternOf } from '@florin/event-sourcing';
import { type CardAnswer, type CardCommand, cardCommandTypes, type CardRefusal } from '@florin/operations-domain';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Cards } from './aggregates';

@Controller()
export class CardController {
  constructor(private readonly cards: Cards) {}

  @MessagePattern(cardCommandTypes.map((type) => patternOf('operations', type)))
  handle(@Payload() message: CommandMessage<CardCommand>): Promise<CommandReply<CardAnswer, CardRefusal>> {
    return this.cards.handle(message.command.data.cardId, message.command, message);
  }
}
