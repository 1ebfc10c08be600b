import type { Pool } from 'pg';

/** Tokens that a gateway has granted, by bucket. They only increase while the bucket is listed. */
export type SpentTokens = Readonly<Record<string, number>>;

export interface GatewayReplica {
  readonly replicaId: string;
  readonly spent: SpentTokens;
}

/** A gateway that has not reported for five seconds is regarded as ended. */
const exchange = {
  name: 'exchange-gateway-replicas',
  text: `
    WITH reported AS (
      INSERT INTO gateway.replicas (replica_id, seen_at, spent) VALUES ($1, now(), $2)
      ON CONFLICT (replica_id) DO UPDATE SET seen_at = now(), spent = excluded.spent
    ), forgotten AS (
      DELETE FROM gateway.replicas WHERE replica_id <> $1 AND seen_at < now() - interval '1 minute'
    )
    SELECT replica_id AS "replicaId", spent FROM gateway.replicas
    WHERE replica_id <> $1 AND seen_at > now() - interval '5 seconds'`,
};

/** The gateways on one database. Not a read model: every gateway writes its own row. */
export class GatewayReplicas {
  constructor(private readonly pool: Pool) {}

  /** Reports what this gateway has granted, and returns the reports of the others that run. */
  async exchange(replicaId: string, spent: SpentTokens): Promise<readonly GatewayReplica[]> {
    const { rows } = await this.pool.query<GatewayReplica>({ ...exchange, values: [replicaId, spent] });
    return rows;
  }

  async leave(replicaId: string): Promise<void> {
    await this.pool.query('DELETE FROM gateway.replicas WHERE replica_id = $1', [replicaId]);
  }
}
