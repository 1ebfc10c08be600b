export * from './unusual-transactions';
