import type { CommandReply } from '@florin/event-sourcing';
import { assert } from '@florin/kernel';
import type { CheckRefusal, Quote, QuoteOperation } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';
import { RequestChecks } from './request-checks';

/** Tells what an operation would cost, or why it would be refused; the funds are not looked at, and nothing happens. */
@Injectable()
export class QuoteOperationHandler {
  constructor(@Inject(RequestChecks) private readonly checks: RequestChecks) {}

  async execute({ data }: QuoteOperation): Promise<CommandReply<Quote, CheckRefusal>> {
    const checked = await this.checks.check(data);
    if ('refused' in checked) return { ok: false, refusal: checked };
    assert('quote' in checked, 'a quote has no id under which it could be repeated');
    return { ok: true, repeated: false, answer: checked.quote };
  }
}
