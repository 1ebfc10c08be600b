export * from './assert';
export * from './clock';
export * from './decider';
export * from './event-versions';
export * from './ids';
export * from './json';
export * from './money';
