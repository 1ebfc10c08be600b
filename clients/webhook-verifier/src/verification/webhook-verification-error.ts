/** Why a request is rejected. */
export type WebhookVerificationCode =
  /** There is no `Service-Signature`: the request is not from Florin. */
  | 'signature_missing'
  /** The header does not have the format of Florin. */
  | 'signature_malformed'
  /** It was signed with another secret, or changed in transit. */
  | 'signature_mismatch'
  /** The signature is valid, but too old or too far ahead: a replay, or a clock is wrong. */
  | 'timestamp_out_of_tolerance'
  /** The signature is valid, but the body is not an event. */
  | 'body_malformed'
  /** A programming error: the body was parsed before it was verified. */
  | 'body_not_raw'
  /** A configuration error: there is no secret. */
  | 'secret_missing';

/** Respond with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly code: WebhookVerificationCode,
    message: string,
  ) {
    super(message);
  }
}
