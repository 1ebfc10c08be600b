import { join } from 'node:path';
import type { KafkaDistribution } from './kafka-installation';

const LOGGING = join(__dirname, '../../kafka/log4j.properties');

/** The JVM options for Kafka's programs: little memory, and a quick start instead of the highest speed. */
export function javaArguments({ classPath, classArchive }: KafkaDistribution): string[] {
  return [
    '-Xms64m',
    '-Xmx384m',
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    ...classArchive,
    '-Djava.awt.headless=true',
    `-Dlog4j.configuration=file:${LOGGING}`,
    '-cp',
    classPath,
  ];
}
