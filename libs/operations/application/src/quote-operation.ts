import type { CommandContext, CommandReply } from '@florin/event-sourcing';
import { assert } from '@florin/kernel';
import type { CheckRefusal, KeepQuote, Quote, QuoteOperation } from '@florin/operations-domain';
import { Injectable } from '@nestjs/common';
import { noCacheMs, Quotes } from './aggregates';
import { RequestChecks } from './request-checks';

/** Calculates the price of an operation without reserving funds. With an idempotency key, a repeat returns the first quote. */
@Injectable()
export class QuoteOperationHandler {
  constructor(
    private readonly checks: RequestChecks,
    private readonly quotes: Quotes,
  ) {}

  async execute({ data }: QuoteOperation, context: CommandContext): Promise<CommandReply<Quote, CheckRefusal>> {
    const { repeatable, ...request } = data;
    const stored = repeatable && (await this.quotes.read(repeatable.quoteId, noCacheMs, (first) => first?.quote));
    const checked = stored === undefined ? await this.checks.check(request) : { quote: stored };
    if ('refused' in checked) return { ok: false, refusal: checked };
    assert('quote' in checked, 'a quote request has no operation id to repeat');
    if (repeatable === undefined) return { ok: true, repeated: false, answer: checked.quote };
    const command: KeepQuote = { type: 'KeepQuote', data: { ...repeatable, quote: checked.quote } };
    return this.quotes.handle(repeatable.quoteId, command, context);
  }
}
