/** A webhook event. Types and fields can be added at any time: ignore those that you do not know. */
export interface WebhookEvent<Subject = Readonly<Record<string, unknown>>> {
  /** The same for every delivery of the event: ignore ids that you have processed. */
  readonly id: string;
  /** For example `operation.completed`. */
  readonly type: string;
  readonly createdAt: string;
  readonly environment: 'sandbox' | 'live';
  readonly companyId: string;
  /** Increases with each event of the same object: a smaller one is older. */
  readonly objectVersion: number;
  /** The object as in the API at that time. */
  readonly data: { readonly object: Subject };
}
