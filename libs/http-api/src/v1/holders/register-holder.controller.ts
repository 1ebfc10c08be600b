import { CLOCK } from '@florin/event-sourcing';
import { canonicalJson, type Clock, deterministicId, KeyDestroyed, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { HOLDER_VAULT, type HolderVault, type RegisterHolder } from '@florin/operations-domain';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import { ApiError } from '../../errors/api-error';
import type { Input } from '../../input';
import { holder, registration } from './holder-schemas';

@Controller()
export class RegisterHolderController {
  constructor(
    private readonly commands: Commands,
    @Inject(HOLDER_VAULT) private readonly vault: HolderVault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/holders',
    tag: 'Holders',
    summary: 'Create a cardholder',
    description:
      '`externalId` must be unique within the company and environment. Sandbox holders are `active` immediately; live holders are `pending` until an operator approves them.',
    scope: 'holders:write',
    body: registration,
    response: { status: 201, description: 'The holder.', schema: holder },
  })
  async register({
    body,
    caller,
    idempotency,
    ...origin
  }: Input<typeof registration>): Promise<ResponseOf<typeof holder>> {
    const { companyId, environment } = caller;
    const accountId = accountIdOf(companyId, environment);
    const requestId = idempotency?.commandId ?? randomId();
    const holderId = deterministicId('holder', requestId);
    const { name, email, kind, externalId } = body;
    const status = environment === 'sandbox' ? 'active' : 'pending';
    const { sealed, fingerprint } = await this.seal(holderId, body);
    const createdAt = this.clock.now().toISOString();
    const registered = { holderId, companyId, environment, kind, externalId, status, requestId, createdAt } as const;
    const command: RegisterHolder = {
      type: 'RegisterHolder',
      data: { ...registered, accountId, sealed, fingerprint },
    };
    const { repeated } = await this.commands.execute(origin, {
      context: 'operations',
      key: accountId,
      id: requestId,
      command,
      refusals: { external_id_taken: 'validation_failed' },
    });
    // A repetition has the same body, else it would be a conflict, so this equals the original response.
    return response(201, { id: holderId, name, email, kind, status, externalId }, { replayed: repeated });
  }

  /** The sealed data can be read only with the key of this holder, which is never stored in the log. */
  private async seal(holderId: string, body: z.output<typeof registration>) {
    const { name, email } = body;
    try {
      const sealed = await this.vault.seal(holderId, { name, email });
      return { sealed, fingerprint: await this.vault.fingerprint(holderId, canonicalJson(body)) };
    } catch (error) {
      if (error instanceof KeyDestroyed) throw erasedSince();
      throw error;
    }
  }
}

function erasedSince(): ApiError {
  const message = 'The holder that was created with this Idempotency-Key has been erased: use a new key.';
  return new ApiError('idempotency_conflict', message);
}
