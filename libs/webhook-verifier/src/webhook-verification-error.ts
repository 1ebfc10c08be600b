/** Why a request is not to be trusted. */
export type WebhookVerificationCode =
  /** There is no `Service-Signature`: somebody else has sent it. */
  | 'signature_missing'
  /** The header is there but is none that we could have written. */
  | 'signature_malformed'
  /** It was signed with another secret, or changed on its way. */
  | 'signature_mismatch'
  /** It was signed rightly but too long ago or too far ahead: it was sent again by a stranger, or a clock is wrong. */
  | 'timestamp_out_of_tolerance'
  /** It was signed rightly but is no event. */
  | 'body_malformed'
  /** The receiver's own mistake: the body was parsed before it was verified. */
  | 'body_not_raw'
  /** The receiver's own mistake: there is no secret to verify with. */
  | 'secret_missing';

/** Answer such a request with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly code: WebhookVerificationCode,
    message: string,
  ) {
    super(message);
  }
}
