/** What arrives. More types and more fields can be added to it at any time: pass over those that you do not know. */
export interface WebhookEvent<Subject = Readonly<Record<string, unknown>>> {
  /** The same whenever the event is sent again: do nothing for an id that you have dealt with. */
  readonly id: string;
  /** What happened, such as `operation.completed`. */
  readonly type: string;
  readonly createdAt: string;
  readonly environment: 'sandbox' | 'live';
  readonly companyId: string;
  /** Grows with each event of the same object: what has a smaller one than you know is older. */
  readonly objectVersion: number;
  /** The object as the API showed it at that moment. */
  readonly data: { readonly object: Subject };
}
