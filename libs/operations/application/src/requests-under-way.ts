import { Injectable } from '@nestjs/common';

/** How many clients wait for the answer to a request at this moment. Background work gives way to them. */
@Injectable()
export class RequestsUnderWay {
  count = 0;

  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.count += 1;
    try {
      return await work;
    } finally {
      this.count -= 1;
    }
  }
}
