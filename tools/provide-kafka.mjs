/** Downloads Kafka before the specs run, unless it is in the cache: a download takes longer than the timeout of a spec. */
import { createRequire } from 'node:module';

const { provideKafka } = createRequire(import.meta.url)('@florin/dev-platform');

await provideKafka((line) => console.log(line));
