import type { InvoiceAnswer, PaySandboxInvoice, RequestInvoice } from '@florin/invoicing-domain';
import { accountIdOf } from '@florin/ledger-domain';
import { InvoiceQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { ApiResponse, Endpoint, type IdInput, type Input, type ResponseOf } from '../../endpoint';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, pageOf, pageQuery } from '../../pages';
import { idParams, timestampInput } from '../../schemas';
import { exampleInvoice, invoice, invoiceBody, invoiceStatus } from './invoice-schemas';

const tag = 'Funding';

const filters = z.strictObject({
  ...pageQuery,
  status: invoiceStatus.optional().meta({ description: 'Only invoices with this status' }),
  createdFrom: timestampInput.optional().meta({ description: 'Only invoices created at this time or later' }),
  createdTo: timestampInput.optional().meta({ description: 'Only invoices created at this time or earlier' }),
});
const invoices = pageOf(invoice);

@Controller()
export class InvoicesController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: InvoiceQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/card-account/invoices',
    tag,
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
    errors: ['not_found', 'amount_below_minimum', 'unresolved_invoice_exists'],
  })
  async create(input: Input<typeof invoiceBody>): Promise<ResponseOf<typeof invoice>> {
    const { companyId, environment } = input.caller;
    const { commandId: invoiceId, fingerprint } = input.idempotency!;
    const accountId = accountIdOf(companyId, environment);
    const command: RequestInvoice = {
      type: 'RequestInvoice',
      data: { invoiceId, companyId, environment, accountId, amount: input.body.amount, fingerprint },
    };
    // A repetition gets the original response, even if the invoice has changed since.
    const { answer: requested, repeated } = await this.commands.execute<InvoiceAnswer>(input, {
      context: 'invoicing',
      key: accountId,
      id: invoiceId,
      command,
      remembered: { fingerprint, replyAgain: () => this.firstReturned(input.caller, invoiceId), isShortcut: true },
    });
    const headers = { location: `/api/v1/card-account/invoices/${invoiceId}` };
    return new ApiResponse(requested, { headers, replayed: repeated });
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/card-account/invoices',
    tag,
    summary: 'List invoices',
    description: 'Returns invoices, newest first.',
    scope: ['funding:read', 'funding:write'],
    query: filters,
    response: { status: 200, description: 'A page of invoices.', schema: invoices },
  })
  list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof invoices>> {
    return this.cursors.readPage(input, byCreation, (wanted, page) => this.queries.list(input.caller, wanted, page));
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/card-account/invoices/:id',
    tag,
    summary: 'Read an invoice',
    scope: ['funding:read', 'funding:write'],
    params: idParams,
    response: { status: 200, description: 'The current state of the invoice.', schema: invoice },
  })
  async read({ params: { id }, caller }: IdInput): Promise<ResponseOf<typeof invoice>> {
    return mustBeFound(await this.queries.find(caller, id), 'invoice', id);
  }

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
  async complete(input: IdInput): Promise<ResponseOf<typeof invoice>> {
    const { params, caller } = input;
    // The account may have forgotten it.
    const known = await this.queries.find(caller, params.id);
    if (known?.status === 'completed') return new ApiResponse(known, { replayed: true });
    const accountId = accountIdOf(caller.companyId, caller.environment);
    const command: PaySandboxInvoice = { type: 'PaySandboxInvoice', data: { accountId, invoiceId: params.id } };
    const { answer: completed, repeated } = await this.commands.execute<InvoiceAnswer>(input, {
      context: 'invoicing',
      key: accountId,
      command,
      refusals: { wrong_status: 'validation_failed' },
    });
    return new ApiResponse(completed, { replayed: repeated });
  }

  /** Undefined while it has no pay address: then the command continues its creation. */
  private async firstReturned(caller: IdInput['caller'], id: string): Promise<InvoiceAnswer | undefined> {
    const known = await this.queries.find(caller, id);
    if (known === undefined || known.status === 'creating') return undefined;
    return known.address === null ? known : { ...known, status: 'pending' };
  }
}
