export interface KafkaDistribution {
  readonly version: string;
  readonly folder: string;
  /** The value for `java -cp`. */
  readonly classPath: string;
  /** The JVM flags for the class data archive; empty without an archive. */
  readonly classArchive: readonly string[];
}
