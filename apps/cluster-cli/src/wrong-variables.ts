/**
 * What the services would refuse in their configuration, beyond what is known already. The code is loaded only now that
 * something is wrong anyway: it is large, and a good start should not wait for it.
 */
export async function wrongVariables(
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
