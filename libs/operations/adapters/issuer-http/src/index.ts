export * from './http-issuer.adapter';
