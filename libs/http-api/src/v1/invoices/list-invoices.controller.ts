import { InvoiceQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Cursors } from '../../cursors/cursors';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { byCreation, pageOf, pageQuery, readPage } from '../../pages';
import { timestampInput } from '../../schemas';
import { invoice, invoiceStatus } from './invoice-schemas';

const filters = z.strictObject({
  ...pageQuery,
  status: invoiceStatus.optional().meta({ description: 'Only invoices with this status' }),
  createdFrom: timestampInput.optional().meta({ description: 'Only invoices created at this time or later' }),
  createdTo: timestampInput.optional().meta({ description: 'Only invoices created at this time or earlier' }),
});
const invoices = pageOf(invoice);

@Controller()
export class ListInvoicesController {
  constructor(
    private readonly queries: InvoiceQueries,
    private readonly cursors: Cursors,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/card-account/invoices',
    tag: 'Funding',
    summary: 'List invoices',
    description: 'Returns invoices, newest first.',
    scope: ['funding:read', 'funding:write'],
    query: filters,
    response: { status: 200, description: 'A page of invoices.', schema: invoices },
  })
  async list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof invoices>> {
    const { companyId, environment } = input.caller;
    const found = await readPage(
      this.cursors,
      input,
      (wanted, page) => this.queries.list({ companyId, environment }, wanted, page),
      byCreation,
    );
    return response(200, found);
  }
}
