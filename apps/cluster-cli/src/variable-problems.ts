/** Problems that the services would find in their variables. Imports the runtime late, because loading it is slow. */
export async function variableProblems(
  env: Readonly<Record<string, string | undefined>>,
  knownProblems: readonly string[],
): Promise<readonly string[]> {
  const { BadConfiguration, readConfig } = await import('@florin/runtime');
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof BadConfiguration)) throw error;
    // A problem starts with the name of its variable.
    const nameOf = (problem: string): string | undefined => problem.split(' ')[0];
    return error.problems.filter((problem) => !knownProblems.some((other) => nameOf(other) === nameOf(problem)));
  }
}
