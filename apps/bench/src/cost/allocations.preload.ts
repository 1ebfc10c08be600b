import { appendFileSync } from 'node:fs';
import { GCProfiler } from 'node:v8';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/**
 * Loaded into every thread of the product with `--require`. The first SIGUSR2 starts counting, the second one appends a line with
 * the bytes that each thread has allocated to the file `BENCH_ALLOCATIONS`.
 */
const profiler = new GCProfiler();
let isCounting = false;

function toggle(): void {
  if (isCounting) appendFileSync(process.env['BENCH_ALLOCATIONS']!, `${allocatedBytes()}\n`);
  else profiler.start();
  isCounting = !isCounting;
}

/** Between two collections, the heap grows by what was allocated. */
function allocatedBytes(): number {
  const { statistics } = profiler.stop()!;
  return statistics.slice(1).reduce((sum, { beforeGC }, index) => {
    const { usedHeapSize } = statistics[index]!.afterGC.heapStatistics;
    return sum + beforeGC.heapStatistics.usedHeapSize - usedHeapSize;
  }, 0);
}

const threads = new BroadcastChannel('allocations');
threads.onmessage = toggle;
threads.unref();
if (isMainThread) {
  process.on('SIGUSR2', () => {
    toggle();
    threads.postMessage('toggle');
  });
}
