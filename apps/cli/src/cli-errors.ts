/** The command was called wrongly: nothing was attempted. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was attempted and did not succeed. `details` is what the server said, for programs. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    message: string,
    readonly details: object = {},
  ) {
    super(message);
  }
}
