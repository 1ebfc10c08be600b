import type { InvoiceAnswer, RequestInvoice } from '@florin/invoicing-domain';
import { accountIdOf } from '@florin/ledger-domain';
import { Controller } from '@nestjs/common';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { invoice, invoiceBody } from './invoice-schemas';

@Controller()
export class CreateInvoiceController {
  constructor(private readonly commands: Commands) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/card-account/invoices',
    tag: 'Funding',
    summary: 'Create a direct payment invoice',
    description:
      'Transfer exactly `payAmount` of USDT on TRON to `address` before `expiresAt`. The sender pays the network fee in TRX. ' +
      '`creditAmount` is credited once the transfer is final. A different amount, a second transfer or a late transfer is ' +
      'not credited automatically. Only one invoice can be unresolved (`creating`, `pending`, `manual_review`) at a time.',
    scope: 'funding:write',
    capability: 'direct_invoices',
    chain: true,
    idempotency: 'required',
    body: invoiceBody,
    response: {
      status: 201,
      description: 'The invoice, ready to be paid.',
      schema: invoice,
      headers: { Location: 'The path of the invoice' },
    },
    errors: ['amount_below_minimum', 'unresolved_invoice_exists'],
  })
  async create({
    body,
    caller,
    idempotency,
    ...origin
  }: Input<typeof invoiceBody>): Promise<ResponseOf<typeof invoice>> {
    const { commandId: invoiceId, fingerprint } = idempotency!;
    const { companyId, environment } = caller;
    const accountId = accountIdOf(companyId, environment);
    const command: RequestInvoice = {
      type: 'RequestInvoice',
      data: { invoiceId, companyId, environment, accountId, amount: body.amount, fingerprint },
    };
    // A repetition gets the original response, even if the invoice has changed since.
    const { answer: requested, repeated } = await this.commands.execute<InvoiceAnswer>(origin, {
      context: 'invoicing',
      key: accountId,
      id: invoiceId,
      command,
    });
    const headers = { location: `/api/v1/card-account/invoices/${invoiceId}` };
    return response(201, requested, { headers, replayed: repeated });
  }
}
