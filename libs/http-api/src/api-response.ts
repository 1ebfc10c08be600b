import type { z } from 'zod';
import type { Schema } from './endpoint-definition';

/** A body that is sent unchanged: CSV, or JSON that the database has serialized. */
export class RawText {
  constructor(
    readonly text: string,
    readonly contentType: string,
  ) {}
}

export interface ResponseOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether this is the response to an earlier request; sent as `Idempotent-Replayed: true`. */
  readonly replayed?: boolean;
}

/** The response of a use case. Plain data, so that controllers do not depend on Fastify. */
export interface ApiResponse<Body = unknown> extends ResponseOptions {
  readonly status: number;
  readonly body: Body | RawText;
}

export function response(status: number, body: RawText, options?: ResponseOptions): ApiResponse<never>;
export function response<const Body>(status: number, body: Body, options?: ResponseOptions): ApiResponse<Body>;
export function response(status: number, body: unknown, options?: ResponseOptions): ApiResponse {
  return { status, body, headers: options?.headers, replayed: options?.replayed };
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The response that an endpoint's schema describes, for return types such as `Promise<ResponseOf<typeof balance>>`. */
export type ResponseOf<Success extends Schema> = ApiResponse<
  Success extends z.ZodType ? DeepReadonly<z.output<Success>> : unknown
>;
