import type { z } from 'zod';
import type { Schema } from './endpoint-definition';

/** A body that is sent to the letter: CSV, or JSON that the database has already written. */
export class RawText {
  constructor(
    readonly text: string,
    readonly contentType: string,
  ) {}
}

/** What a use case answers. Plain data, so that a controller never touches the HTTP reply. */
export interface ApiResponse<Body = unknown> {
  readonly status: number;
  readonly body: Body | RawText;
  readonly headers?: Readonly<Record<string, string>>;
  /** The wish had been granted before: the client is told by `Idempotent-Replayed: true`. */
  readonly replayed?: boolean;
}

export interface ResponseOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly replayed?: boolean;
}

export function response(status: number, body: RawText, options?: ResponseOptions): ApiResponse<never>;
export function response<const Body>(status: number, body: Body, options?: ResponseOptions): ApiResponse<Body>;
export function response(status: number, body: unknown, options: ResponseOptions = {}): ApiResponse {
  return { status, body, headers: options.headers, replayed: options.replayed };
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The answer that an endpoint's schema promises: what a method declares as `Promise<ResponseOf<typeof balance>>`. */
export type ResponseOf<Success extends Schema> = ApiResponse<
  Success extends z.ZodType ? DeepReadonly<z.output<Success>> : unknown
>;
