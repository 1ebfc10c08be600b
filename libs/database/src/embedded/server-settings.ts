/**
 * Settings for an event store on a small machine. They are given on the command line at every start, so that a data
 * folder made by an older version gets them as well. An acknowledged append is always on disk: fsync and synchronous
 * commit are never traded for speed.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  // No network access; on this machine only the owner of the socket's folder can connect.
  listen_addresses: '',
  unix_socket_permissions: '0700',

  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',

  // A process needs about 40, and more with READ_CONNECTIONS. Several processes may share the server.
  max_connections: '200',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // Many small transactions gain nothing from parallel plans, which would also need a large /dev/shm in a container.
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',

  // Few and slow checkpoints: each one makes the next write of every page a full page in the log.
  wal_buffers: '16MB',
  min_wal_size: '128MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',

  // Events are only appended; without this setting the statistics would become outdated.
  autovacuum_vacuum_insert_scale_factor: '0.05',
  random_page_cost: '1.1',
  jit: 'off',

  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_messages: 'warning',
};

export function settingsAsArguments(overrides: Readonly<Record<string, string>>): string[] {
  return Object.entries({ ...SETTINGS, ...overrides }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
