export interface KafkaDistribution {
  readonly version: string;
  readonly folder: string;
  /** What `java -cp` is given. */
  readonly classPath: string;
  /** Flags of Java's that concern an archive of loaded classes; none where there is no such archive. */
  readonly classArchive: readonly string[];
}
