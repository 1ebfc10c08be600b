import { checkUrl } from '@florin/webhooks-domain';
import { validationFailed } from '../../errors/api-error';
import type { Caller } from '../../caller';

/** Where events may be sent to: nobody may use us to reach what they could not reach themselves. */
export class ReceiverRules {
  constructor(private readonly allowLoopback: boolean) {}

  check(url: string, { environment }: Caller): void {
    const problem = checkUrl(url, { environment, allowLoopback: this.allowLoopback });
    if (problem !== undefined) throw validationFailed(`${problem}.`);
  }
}
