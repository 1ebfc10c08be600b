import { CLOCK } from '@florin/event-sourcing';
import type { CancelInvoice, InvoiceAnswer, PaySandboxInvoice, RequestInvoice } from '@florin/invoicing-domain';
import { type Clock, type Json, randomId } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import { InvoiceQueries } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { ApiResponse, Endpoint, type IdInput, type Input, type ResponseOf } from '../../endpoint';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../../http-api-options';
import { mustBeFound } from '../../must-exist';
import { byCreation, Cursors, pageOf, pageQuery } from '../../pages';
import { newPaymentUrl } from '../../payment-page/payment-url';
import { invoiceId, paramsOf } from '../../ids';
import { metadataFilter, timestampInput } from '../../schemas';
import { exampleInvoice, exampleSettlement, invoice, invoiceBody, invoiceStatus } from './invoice-schemas';

const tag = 'Funding';

const filters = z.strictObject({
  ...pageQuery,
  status: invoiceStatus.optional().meta({ description: 'Only invoices with this status' }),
  metadata: metadataFilter.optional(),
  createdFrom: timestampInput.optional().meta({ description: 'Only invoices created at this time or later' }),
  createdTo: timestampInput.optional().meta({ description: 'Only invoices created at this time or earlier' }),
});
const invoices = pageOf('InvoicePage', invoice);
const params = paramsOf(invoiceId);

@Controller()
export class InvoicesController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: InvoiceQueries,
    private readonly cursors: Cursors,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(HTTP_API_OPTIONS) private readonly options: Pick<HttpApiOptions, 'baseUrl'>,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/card-account/invoices',
    operationId: 'invoices.create',
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
    const paymentUrl = newPaymentUrl(this.options.baseUrl);
    const { amount, metadata } = input.body;
    const command: RequestInvoice = {
      type: 'RequestInvoice',
      data: { invoiceId, companyId, environment, accountId, amount, paymentUrl, metadata, fingerprint },
    };
    // A repetition gets the original response, even if the invoice has changed since.
    const { answer: requested, repeated } = await this.commands.execute<InvoiceAnswer>(input, {
      context: 'invoicing',
      key: accountId,
      id: invoiceId,
      command,
      remembered: {
        fingerprint,
        replyAgain: (stored) => this.asReturned(input.caller, invoiceId, stored),
        isShortcut: true,
      },
    });
    const headers = { location: `/api/v1/card-account/invoices/${invoiceId}` };
    return new ApiResponse(withMetadata(requested, input.body), { headers, replayed: repeated });
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/card-account/invoices',
    operationId: 'invoices.list',
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
    operationId: 'invoices.get',
    tag,
    summary: 'Read an invoice',
    scope: ['funding:read', 'funding:write'],
    params,
    response: { status: 200, description: 'The current state of the invoice.', schema: invoice },
  })
  async read({ params: { id }, caller }: IdInput): Promise<ResponseOf<typeof invoice>> {
    return mustBeFound(await this.queries.find(caller, id), 'invoice', id);
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/card-account/invoices/:id/cancel',
    operationId: 'invoices.cancel',
    tag,
    summary: 'Cancel an invoice',
    description:
      'Sets `expiresAt` to now. The invoice stays `pending` until every final block up to that time was read, and then ' +
      'expires; a payment from before still counts. An invoice that is being created fails at once. Only a `pending` or ' +
      '`creating` invoice can be canceled.',
    scope: 'funding:write',
    params,
    response: {
      status: 200,
      description: 'The invoice with its new expiry.',
      schema: invoice,
      example: { ...exampleInvoice, expiresAt: '2030-01-31T12:20:00.000Z' },
    },
  })
  async cancel(input: IdInput): Promise<ResponseOf<typeof invoice>> {
    const { params, caller, idempotency } = input;
    const accountId = accountIdOf(caller.companyId, caller.environment);
    const requestId = idempotency?.commandId ?? randomId();
    const canceledAt = this.clock.now().toISOString();
    const data = { accountId, invoiceId: params.id, requestId, canceledAt };
    const { answer, repeated } = await this.commands.execute<InvoiceAnswer>(input, {
      context: 'invoicing',
      key: accountId,
      id: requestId,
      command: { type: 'CancelInvoice', data } satisfies CancelInvoice,
      refusals: { wrong_status: 'validation_failed' },
      remembered: { replyAgain: (stored) => this.asReturned(caller, params.id, stored) },
    });
    const known = await this.queries.find(caller, params.id);
    return new ApiResponse(withMetadata(answer, known), { replayed: repeated });
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/invoices/:id/complete',
    operationId: 'sandbox.completeInvoice',
    tag: 'Sandbox',
    summary: 'Simulate the payment of an invoice',
    description: 'Simulates a transfer of exactly `payAmount`. `creditAmount` is credited before the response is sent.',
    scope: 'funding:write',
    sandboxOnly: true,
    params,
    response: {
      status: 200,
      description: 'The completed invoice.',
      schema: invoice,
      example: { ...exampleInvoice, environment: 'sandbox', status: 'completed', settlement: exampleSettlement },
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
    return new ApiResponse(withMetadata(completed, known), { replayed: repeated });
  }

  /**
   * The invoice as it was returned to an earlier request. Undefined while it has no pay address: then the command continues
   * its creation.
   */
  private async asReturned(caller: IdInput['caller'], id: string, stored: Json): Promise<InvoiceAnswer | undefined> {
    const known = await this.queries.find(caller, id);
    if (known === undefined || known.status === 'creating') return undefined;
    if (known.address === null) return known;
    const { settlement: _, ...invoice } = known;
    // Early releases stored no expiry, which did not change.
    const { expiresAt } = (stored ?? invoice) as Pick<InvoiceAnswer, 'expiresAt'>;
    return { ...invoice, status: 'pending', expiresAt };
  }
}

/** Replies to commands do not have the metadata, which never changes. */
function withMetadata(invoice: InvoiceAnswer, source: Pick<InvoiceAnswer, 'metadata'> | undefined): InvoiceAnswer {
  return source?.metadata === undefined ? invoice : { ...invoice, metadata: source.metadata };
}
