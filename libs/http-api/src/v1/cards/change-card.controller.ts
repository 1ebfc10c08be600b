import { randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { CardAnswer, CloseCard, FreezeCard, UnfreezeCard } from '@florin/operations-domain';
import { Controller } from '@nestjs/common';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { idParams } from '../../schemas';
import { card, cardBody } from './card-schemas';

type CardCommand = FreezeCard | UnfreezeCard | CloseCard;

type CardInput = Input<undefined, undefined, typeof idParams>;

const common = {
  method: 'POST',
  tag: 'Cards',
  scope: 'cards:write',
  params: idParams,
  errors: ['card_not_active'],
} as const;

const cardResponse = (description: string, status: string) => ({
  status: 200,
  description,
  schema: card,
  example: { ...exampleCard, status },
});

const exampleCard = {
  id: '0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57',
  name: 'Travel',
  holderId: '5b6a9d3c-1e57-5c4e-9d53-0f8b4a4e2f0c',
  last4: '4242',
  status: 'active',
  balance: '100.00',
  productId: 'virtual-usd',
  createdAt: '2030-01-31T12:00:00.000Z',
};

@Controller()
export class ChangeCardController {
  constructor(private readonly commands: Commands) {}

  @Endpoint({
    ...common,
    path: '/api/v1/cards/:id/freeze',
    summary: 'Freeze a card',
    description: 'A frozen card declines payments and cannot be topped up until it is unfrozen.',
    response: cardResponse('The frozen card.', 'frozen'),
  })
  freeze(input: CardInput): Promise<ResponseOf<typeof card>> {
    return this.change('FreezeCard', input);
  }

  @Endpoint({
    ...common,
    path: '/api/v1/cards/:id/unfreeze',
    summary: 'Unfreeze a card',
    response: cardResponse('The card, active again.', 'active'),
  })
  unfreeze(input: CardInput): Promise<ResponseOf<typeof card>> {
    return this.change('UnfreezeCard', input);
  }

  @Endpoint({
    ...common,
    path: '/api/v1/cards/:id/close',
    summary: 'Close a card',
    description: 'Closes the card permanently. A closed card cannot be reopened.',
    response: cardResponse('The closed card.', 'closed'),
  })
  close(input: CardInput): Promise<ResponseOf<typeof card>> {
    return this.change('CloseCard', input);
  }

  private async change(
    type: CardCommand['type'],
    { params, caller, idempotency, ...origin }: CardInput,
  ): Promise<ResponseOf<typeof card>> {
    const accountId = accountIdOf(caller.companyId, caller.environment);
    const requestId = idempotency?.commandId ?? randomId();
    const command: CardCommand = { type, data: { cardId: params.id, accountId, requestId } };
    const { answer: changed, repeated } = await this.commands.execute<CardAnswer>(origin, {
      context: 'operations',
      key: accountId,
      id: requestId,
      command,
    });
    return response(200, cardBody(changed), { replayed: repeated });
  }
}
