import { serviceNames } from '@florin/dev-platform';

export const usage = `Starts Florin as it runs at scale: every service a process of its own, on a real Kafka and a Postgres.

  npm run cluster -- [options] [NAME=value …]

  --replicas <service=number,…>   how many of a service, such as operations=2,ledger=2; 1 each unless told otherwise;
                                  0 leaves one out, and tron-watcher runs only with TRON_NODE_URL
  --event-store <which>           postgres (default) or eventstoredb: the server that EVENTSTORE_URL names, or else
                                  a stand-in for development that speaks its protocol
  --port <number>                 where the API is (default 3000; 0: any free port)
  --data <folder>                 where everything is kept (default .florin/cluster)
  --logs <which>                  all, none, warn (warnings and errors), or names such as operations,ledger-1,kafka;
                                  warn at a terminal, otherwise all
  --help

The services: ${serviceNames.join(', ')}.

PORT, FLORIN_DATA_DIR and EVENT_STORE say the same as the options. KAFKA_BROKERS, DATABASE_URL and EVENTSTORE_URL name
servers of your own, in whose place none is started. Every other variable goes to the services; NAME=value is what it is
when the environment does not say otherwise. Ctrl-C stops everything in order; a second one, at once.`;
