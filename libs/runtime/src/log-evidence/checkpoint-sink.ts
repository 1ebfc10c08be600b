import type { CheckpointSink } from '@florin/event-sourcing';
import { sha256 } from '@florin/kernel';
import { FileCheckpointSink } from './file-checkpoint-sink';
import { HttpCheckpointSink } from './http-checkpoint-sink';

/** The name under which the progress of a sink is stored. Another sink has another name, and gets all checkpoints. */
export function sinkName(sink: string): string {
  return `checkpoint-sink-${sha256(sink).slice(0, 12)}`;
}

/** `CHECKPOINT_SINK` is an HTTP address, `file:<path>` or a path. */
export function openCheckpointSink(sink: string): CheckpointSink {
  return /^https?:/i.test(sink) ? new HttpCheckpointSink(sink) : new FileCheckpointSink(sinkPath(sink));
}

export function sinkPath(sink: string): string {
  return sink.replace(/^file:(\/\/)?/, '');
}
