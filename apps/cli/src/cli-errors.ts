/** The command line is wrong; nothing was attempted. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(
    message: string,
    /** How to find the correct usage. */
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** The command was attempted and failed. `details` is the machine-readable part of the error, for `--json`. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    message: string,
    readonly details: object = {},
  ) {
    super(message);
  }
}

/** The command could not run or was interrupted. Of commands that check something: there is no result. */
export class CouldNotRun extends CommandFailed {}
