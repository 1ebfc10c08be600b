import { FlorinClient } from './florin-client';

/** The operator's half of the HTTP API. */
export class OperatorApi extends FlorinClient {
  constructor(baseUrl: string, token: string) {
    const advice = 'Give the right token with --token or FLORIN_OPERATOR_TOKEN.';
    super({ baseUrl, path: '/operator/v1', bearer: token, advice });
  }
}
