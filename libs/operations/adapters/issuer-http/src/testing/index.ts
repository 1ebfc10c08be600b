export * from './fake-answers';
export * from './fake-issuer';
