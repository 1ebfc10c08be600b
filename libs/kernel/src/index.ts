export * from './assert';
export * from './bounded-map';
export * from './clock';
export * from './decider';
export * from './event-versions';
export * from './ids';
export * from './json';
export * from './money';
