import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random';
import { type Answer, type Api, describeAnswer, isKnown, isSuccess } from './api';
import type { LoadAccount } from './load-account';

export type WriteKind =
  'funding' | 'operation' | 'holder' | 'card-change' | 'payment' | 'invoice' | 'invoice-payment' | 'review' | 'quote';

/** Something that a client wants done, once. */
export interface Wish {
  readonly kind: WriteKind;
  readonly account: LoadAccount;
  /** The account's own key, unless somebody else does it. */
  readonly token?: string;
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  /** The codes it has to be refused with; a valid wish has none. */
  readonly refusedWith?: readonly string[];
  /** The codes that a valid wish may be refused with all the same. */
  readonly tolerated?: readonly string[];
}

export interface Attempt {
  readonly at: string;
  readonly tookMs: number;
  readonly answer: Answer;
}

/** What a client remembers about a wish. `unknown`: it has given up asking. */
export interface Write {
  readonly number: number;
  readonly wish: Wish;
  readonly attempts: Attempt[];
  outcome: 'open' | 'acknowledged' | 'refused' | 'unknown';
  /** The first answer that said what became of it. */
  answer?: Answer;
}

const pausesMs = [100, 200, 400, 800, 1_500] as const;

/** Everything that clients have sent and were told. They keep asking until they know, always with the same key. */
export class Journal {
  readonly writes: Write[] = [];
  /** What no client should ever see. */
  readonly violations: string[] = [];
  reads = 0;
  private givesUpAtMs = Infinity;

  constructor(
    private readonly api: Api,
    private readonly random: Random,
  ) {}

  /** From then on clients give up on what they do not know. */
  giveUpAfter(milliseconds: number): void {
    this.givesUpAtMs = Date.now() + milliseconds;
  }

  async perform(wish: Wish): Promise<Write> {
    const write: Write = { number: this.writes.length, wish, attempts: [], outcome: 'open' };
    this.writes.push(write);
    for (;;) {
      const answer = await this.attempt(write);
      if (isKnown(answer)) {
        this.settle(write, answer);
        return write;
      }
      if (Date.now() > this.givesUpAtMs) {
        write.outcome = 'unknown';
        return write;
      }
      const pauseMs = pausesMs[Math.min(write.attempts.length, pausesMs.length) - 1] ?? 0;
      await delay(pauseMs * (0.5 + this.random.next()));
    }
  }

  /** Sends what is known already once more: it must be told the same. */
  async repeat(write: Write): Promise<void> {
    const answer = await this.attempt(write);
    if (!isKnown(answer)) return;
    const first = write.answer?.body['id'];
    if (!isSuccess(answer) || answer.body['id'] !== first) {
      this.violate(write, `a repeat got another answer than the first, which gave the id ${String(first)}`, answer);
    }
  }

  /** A read of something that is known to be there; nothing when no answer came. */
  async read(account: LoadAccount, path: string): Promise<Answer['body'] | undefined> {
    this.reads += 1;
    const answer = await this.api.send({ method: 'GET', path, token: account.key });
    if (!isKnown(answer)) return undefined;
    if (isSuccess(answer)) return answer.body;
    this.violations.push(`GET ${path} of ${account.name} was answered ${describeAnswer(answer)}`);
    return undefined;
  }

  private async attempt(write: Write): Promise<Answer> {
    const { account, token = account.key, path, body, idempotencyKey } = write.wish;
    const begun = Date.now();
    const answer = await this.api.send({ method: 'POST', path, token, body, idempotencyKey });
    write.attempts.push({ at: new Date(begun).toISOString(), tookMs: Date.now() - begun, answer });
    return answer;
  }

  private settle(write: Write, answer: Answer): void {
    const { refusedWith = [], tolerated = [] } = write.wish;
    write.answer = answer;
    write.outcome = isSuccess(answer) ? 'acknowledged' : 'refused';
    const code = String(answer.body['code']);
    if (write.outcome === 'acknowledged' && refusedWith.length > 0) {
      this.violate(write, `it should have been refused with ${refusedWith.join(' or ')}`, answer);
    }
    if (write.outcome === 'refused' && ![...refusedWith, ...tolerated].includes(code)) {
      this.violate(write, 'it should not have been refused so', answer);
    }
  }

  private violate({ number, wish, attempts }: Write, problem: string, answer: Answer): void {
    const request = `POST ${wish.path} ${JSON.stringify(wish.body ?? {})} with the key ${wish.idempotencyKey}`;
    const said = `answered ${describeAnswer(answer)} at attempt ${attempts.length}`;
    this.violations.push(`write ${number} of ${wish.account.name}: ${problem}; ${request} was ${said}`);
  }
}

/** Whether no attempt at it ever had an unknown outcome before it was refused: nothing of it can be under way. */
export function isSurelyRefused({ outcome, attempts }: Write): boolean {
  return outcome === 'refused' && attempts.length === 1;
}
