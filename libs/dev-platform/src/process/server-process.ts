import { ManagedProcess } from './managed-process';

export interface ServerProcess {
  readonly baseUrl: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  /** The JavaScript file to run. */
  readonly file: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly nodeOptions?: readonly string[];
  /** Matches the line that contains the address. The default is the first line with an address. */
  readonly ready?: RegExp;
}

const address = /http:\/\/127\.0\.0\.1:\d+/;
const stopTimeoutMs = 60_000;

/** Starts a server in a separate process and waits until it prints its address. Prints its stderr. */
export async function startServerProcess({
  file,
  env = {},
  nodeOptions = [],
  ready = address,
}: ServerProcessOptions): Promise<ServerProcess> {
  let child: ManagedProcess;
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child = new ManagedProcess({
      command: process.execPath,
      args: [...nodeOptions, file],
      env,
      onLine: (line, stream) => {
        if (stream === 'stderr') process.stderr.write(`${line}\n`);
        else if (ready.test(line)) resolve(address.exec(line)![0]);
      },
    });
    void child.exited.then((how) =>
      reject(new Error(`${file} ended with ${how} before it was ready:\n${child.recentOutput}`)),
    );
  });
  return { baseUrl, pid: child!.pid!, stop: async () => void (await child.stop(stopTimeoutMs)) };
}
