import type { components, paths } from './generated/openapi';

/** The types of requests and responses by method and path, so that renamed operations and schemas change nothing here. */
export type Method = 'get' | 'post' | 'patch' | 'delete';

export type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path][M] extends undefined ? never : Path;
}[keyof paths];

export type BodyOf<M extends Method, Path extends keyof paths> = paths[Path][M] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;

export type QueryOf<Path extends keyof paths> = paths[Path]['get'] extends { parameters: { query?: infer Query } }
  ? NonNullable<Query>
  : never;

export type ResultOf<M extends Method, Path extends keyof paths> = paths[Path][M] extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses & (200 | 201 | 202 | 204)]>
  : never;

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : void;

/** A page of a list. The last page has no `nextCursor`. */
export interface Page<Item> {
  data: Item[];
  nextCursor?: string;
}

export type ItemOf<Path extends keyof paths> = ResultOf<'get', Path> extends { data: (infer Item)[] } ? Item : never;

/** The filters of a list, with the size of its pages. */
export type ListQuery<Path extends keyof paths> = QueryOf<Path>;

/** An error code of Florin, or `unexpected_response` for a response that is not from Florin. */
export type ErrorCode = components['schemas']['Error']['code'] | 'unexpected_response';

export type Operation = ResultOf<'get', '/api/v1/operations/{id}'>;
export type OperationRequest = BodyOf<'post', '/api/v1/operations'>;
export type BulkRequest = BodyOf<'post', '/api/v1/operations/bulk'>;
export type BulkResults = ResultOf<'post', '/api/v1/operations/bulk'>;
export type Quote = ResultOf<'post', '/api/v1/quotes'>;
export type QuoteRequest = BodyOf<'post', '/api/v1/quotes'>;
export type Product = ItemOf<'/api/v1/products'>;
export type Card = ResultOf<'get', '/api/v1/cards/{id}'>;
export type CardChanges = BodyOf<'patch', '/api/v1/cards/{id}'>;
export type CardReveal = ResultOf<'post', '/api/v1/cards/{id}/reveal'>;
export type Holder = ResultOf<'get', '/api/v1/holders/{id}'>;
export type HolderRequest = BodyOf<'post', '/api/v1/holders'>;
export type HolderChanges = BodyOf<'patch', '/api/v1/holders/{id}'>;
export type Transaction = ResultOf<'get', '/api/v1/transactions/{id}'>;
export type Invoice = ResultOf<'get', '/api/v1/card-account/invoices/{id}'>;
export type InvoiceRequest = BodyOf<'post', '/api/v1/card-account/invoices'>;
export type Balance = ResultOf<'get', '/api/v1/balance'>;
export type Statement = ResultOf<'get', '/api/v1/account-statements'>;
export type WebhookEndpoint = ResultOf<'get', '/api/v1/webhook-endpoints/{id}'>;
export type WebhookEndpointRequest = BodyOf<'post', '/api/v1/webhook-endpoints'>;
export type WebhookEndpointChanges = BodyOf<'patch', '/api/v1/webhook-endpoints/{id}'>;
export type WebhookEndpointWithSecret = ResultOf<'post', '/api/v1/webhook-endpoints'>;
export type WebhookDelivery = ItemOf<'/api/v1/webhook-endpoints/{id}/deliveries'>;
export type WebhookEvent = ResultOf<'get', '/api/v1/events/{id}'>;
export type RequestedEvent = ResultOf<'post', '/api/v1/sandbox/events'>;
