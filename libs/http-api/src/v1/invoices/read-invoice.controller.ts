import { InvoiceQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { type ResponseOf, response } from '../../api-response';
import { Endpoint } from '../../endpoint';
import { notFound } from '../../errors/api-error';
import type { Input } from '../../input';
import { idParams } from '../../schemas';
import { invoice } from './invoice-schemas';

@Controller()
export class ReadInvoiceController {
  constructor(private readonly queries: InvoiceQueries) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/card-account/invoices/:id',
    tag: 'Funding',
    summary: 'Read an invoice',
    scope: ['funding:read', 'funding:write'],
    params: idParams,
    response: { status: 200, description: 'The current state of the invoice.', schema: invoice },
  })
  async read({ params, caller }: Input<undefined, undefined, typeof idParams>): Promise<ResponseOf<typeof invoice>> {
    const { companyId, environment } = caller;
    const found = await this.queries.find({ companyId, environment }, params.id);
    if (found === undefined) throw notFound(`There is no invoice ${params.id}: check the id.`);
    return response(200, found);
  }
}
