import { type CommandMessage, type CommandReply, patternOf } from '@florin/event-sourcing';
import {
  type CardAnswer,
  type CardCommand,
  cardCommandTypes,
  type CardRefusal,
  type RevealAnswer,
  type RevealCard,
  type RevealRefusal,
} from '@florin/operations-domain';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Cards } from './aggregates';
import { RevealCardHandler } from './reveal-card';

@Controller()
export class CardController {
  constructor(
    private readonly cards: Cards,
    private readonly reveals: RevealCardHandler,
  ) {}

  @MessagePattern(patternOf('operations', 'RevealCard'))
  reveal(@Payload() message: CommandMessage<RevealCard>): Promise<CommandReply<RevealAnswer, RevealRefusal>> {
    return this.reveals.execute(message.command);
  }

  @MessagePattern(cardCommandTypes.map((type) => patternOf('operations', type)))
  handle(@Payload() message: CommandMessage<CardCommand>): Promise<CommandReply<CardAnswer, CardRefusal>> {
    return this.cards.handle(message.command.data.cardId, message.command, message);
  }
}
