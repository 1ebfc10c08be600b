import { type AnyEndpoint, isOperatorEndpoint } from '../endpoint-definition';

/** The endpoints that this process serves and documents. */
export class EndpointRegistry {
  private readonly endpoints: AnyEndpoint[] = [];

  add(endpoint: AnyEndpoint): void {
    this.endpoints.push(endpoint);
  }

  of(audience: 'public' | 'operator'): readonly AnyEndpoint[] {
    return this.endpoints.filter((endpoint) => isOperatorEndpoint(endpoint) === (audience === 'operator'));
  }
}
