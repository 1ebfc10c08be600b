import type { InvoiceAnswer, PaySandboxInvoice } from '@florin/invoicing-domain';
import { accountIdOf } from '@florin/ledger-domain';
import { Controller } from '@nestjs/common';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { idParams } from '../../schemas';
import { exampleInvoice, invoice } from '../invoices/invoice-schemas';

@Controller()
export class CompleteInvoiceController {
  constructor(private readonly commands: Commands) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/invoices/:id/complete',
    tag: 'Sandbox',
    summary: 'Simulate the payment of an invoice',
    description: 'Simulates a transfer of exactly `payAmount`. `creditAmount` is credited before the response is sent.',
    scope: 'funding:write',
    sandboxOnly: true,
    params: idParams,
    response: {
      status: 200,
      description: 'The completed invoice.',
      schema: invoice,
      example: { ...exampleInvoice, environment: 'sandbox', status: 'completed' },
    },
  })
  async complete({
    params: { id: invoiceId },
    caller,
    ...origin
  }: Input<undefined, undefined, typeof idParams>): Promise<ResponseOf<typeof invoice>> {
    const accountId = accountIdOf(caller.companyId, caller.environment);
    const command: PaySandboxInvoice = { type: 'PaySandboxInvoice', data: { accountId, invoiceId } };
    const { answer: completed, repeated } = await this.commands.execute<InvoiceAnswer>(origin, {
      context: 'invoicing',
      key: accountId,
      command,
      refusals: { wrong_status: 'validation_failed' },
    });
    return response(200, completed, { replayed: repeated });
  }
}
