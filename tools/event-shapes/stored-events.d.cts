import type { Shapes } from './event-shapes.cjs';

export const recordFile: string;
export function readRecord(): Shapes;
export function currentShapes(): Shapes;
