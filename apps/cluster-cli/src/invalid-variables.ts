/** Further variables that the services would reject. Loaded only after another problem, because it slows the start. */
export async function invalidVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): Promise<readonly string[]> {
  const { BadConfiguration, readConfig } = await import('@florin/runtime');
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof BadConfiguration)) throw error;
    const nameOf = (problem: string): string | undefined => problem.split(' ')[0];
    return error.problems.filter((problem) => !known.some((other) => nameOf(other) === nameOf(problem)));
  }
}
