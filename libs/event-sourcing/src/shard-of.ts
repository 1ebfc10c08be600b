/** Distributes streams over shards, identically on every machine and in every release (FNV-1a). */
export function shardOf(stream: string, shardCount: number): number {
  if (shardCount === 1) return 0;
  let hash = 0x811c9dc5;
  for (let index = 0; index < stream.length; index++) {
    hash = Math.imul(hash ^ stream.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % shardCount;
}
