import type { status } from '@grpc/grpc-js';
import { Metadata, type StatusObject } from '@grpc/grpc-js';

/** A call that ends with a status other than OK. The client reads the kind of refusal from the trailer `exception`. */
export class Refusal extends Error implements StatusObject {
  readonly metadata = new Metadata();

  constructor(
    readonly code: status,
    readonly details: string,
    trailers: Readonly<Record<string, string>> = {},
  ) {
    super(details);
    this.name = 'Refusal';
    for (const [key, value] of Object.entries(trailers)) this.metadata.set(key, value);
  }
}
