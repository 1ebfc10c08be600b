import { probeEventStoreDb, probeSecureEventStoreDb } from '../cluster/readiness-probe';
import { freePort, loopback } from '../network/free-port';
import { ManagedProcess } from '../process/managed-process';
import { RestartableServer } from '../process/restartable-server';
import { RunningServer } from '../process/running-server';

export interface EventStoreDbServerOptions {
  /** Called with the data folder, the port and the options of the server. */
  readonly command: string;
  /** Keeps the data between starts. */
  readonly dataDirectory: string;
  /** The port on loopback; absent: a free port, which `restart()` keeps. */
  readonly port?: number;
  /** Options of the server, such as `--mem-db`. */
  readonly serverOptions?: readonly string[];
  /** Its options turn on TLS. */
  readonly isSecure?: boolean;
  /** Keeps it running at Ctrl-C until it is stopped in order. */
  readonly detached?: boolean;
  readonly log?: (line: string) => void;
  /** Called with the process id before the server is ready. */
  readonly onSpawn?: (pid: number | undefined) => void;
  /** Called when the server exits unexpectedly; `restart()` is possible then. */
  readonly onExit?: (error: Error) => void;
}

/** The server reads `EVENTSTORE_…` variables as options, and would exit because of EVENTSTORE_URL. */
const ignoreUnknownVariables = ['--allow-unknown-options'];

/** A real EventStoreDB on loopback: one node, without TLS and users. */
export class EventStoreDbServer extends RestartableServer {
  private constructor(
    options: EventStoreDbServerOptions,
    readonly port: number,
    running: RunningServer,
  ) {
    super(running, () => startProcess(options, port));
  }

  /** Resolves when clients can connect. */
  static async start(options: EventStoreDbServerOptions): Promise<EventStoreDbServer> {
    const port = options.port ?? (await freePort());
    return new EventStoreDbServer(options, port, await startProcess(options, port));
  }

  /** The connection string for clients. */
  get url(): string {
    return eventStoreDbUrl(this.port);
  }
}

export function eventStoreDbUrl(port: number): string {
  return `esdb://${loopback}:${port}?tls=false`;
}

function startProcess(options: EventStoreDbServerOptions, port: number): Promise<RunningServer> {
  const {
    command,
    dataDirectory,
    serverOptions = [],
    isSecure,
    detached,
    log,
    onSpawn,
    onExit = () => undefined,
  } = options;
  const server = new ManagedProcess({
    command,
    args: [dataDirectory, String(port), ...ignoreUnknownVariables, ...serverOptions],
    ...(detached && { detached }),
    ...(log && { onLine: log }),
  });
  onSpawn?.(server.pid);
  const probe = isSecure ? probeSecureEventStoreDb : probeEventStoreDb;
  const isReady = async (): Promise<boolean> => (await probe(port)).ready;
  return RunningServer.start({ name: 'EventStoreDB', process: server, isReady, onExit });
}
