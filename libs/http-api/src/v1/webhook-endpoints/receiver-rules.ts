import { checkUrl } from '@florin/webhooks-domain';
import { Inject, Injectable } from '@nestjs/common';
import { validationFailed } from '../../errors/api-error';
import type { Caller } from '../../caller';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../../http-api-options';

/** Which URLs may receive events: a client must not reach internal hosts through Florin. */
@Injectable()
export class ReceiverRules {
  private readonly allowLoopback: boolean;

  constructor(@Inject(HTTP_API_OPTIONS) { webhookAllowLoopback }: HttpApiOptions) {
    this.allowLoopback = webhookAllowLoopback;
  }

  check(url: string, { environment }: Caller): void {
    const problem = checkUrl(url, { environment, allowLoopback: this.allowLoopback });
    if (problem !== undefined) throw validationFailed(`${problem}.`);
  }
}
