export type Shapes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
export function readShapes(files: readonly string[], compilerOptions: object): Shapes;
export function findProblems(recorded: Shapes, current: Shapes): readonly string[];
export function withNewVersions(recorded: Shapes, current: Shapes): Shapes;
