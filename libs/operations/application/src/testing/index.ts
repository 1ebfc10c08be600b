export * from './issuer.contract';
