export * from './sandbox-issuer.adapter';
