import { type CommandMessage, type CommandReply, patternOf } from '@florin/event-sourcing';
import { type Product, type ProductCommand, productCommandTypes, type ProductRefusal } from '@florin/operations-domain';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Products } from './aggregates';

@Controller()
export class ProductController {
  constructor(private readonly products: Products) {}

  @MessagePattern(productCommandTypes.map((type) => patternOf('operations', type)))
  handle(@Payload() message: CommandMessage<ProductCommand>): Promise<CommandReply<Product, ProductRefusal>> {
    return this.products.handle(message.command.data.productId, message.command, message);
  }
}
