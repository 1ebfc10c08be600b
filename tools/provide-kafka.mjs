/** Fetches Kafka before any spec runs that has little patience; where it is in the cache already, nothing happens. */
import { createRequire } from 'node:module';

const { provideKafka } = createRequire(import.meta.url)('@florin/dev-platform');

await provideKafka((line) => console.log(line));
