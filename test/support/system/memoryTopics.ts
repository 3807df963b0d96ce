import type { Held, PublishedTopicChange } from '../../../src/bridge/ports.ts';

/** The published topics in memory. */
export const memory = (start: { beat?: number } = {}) => {
  const lines: PublishedTopicChange[] = [];
  const held = new Map<string, Held>();
  const cleared = new Map<string, string>();
  const put = (topic: string, one: Held): void => {
    held.set(topic, one);
    cleared.delete(topic);
  };
  const publishedTopics = {
    held,
    cleared,
    lastCheckpointId: start.beat ?? 0,
    checkpointId: undefined as number | undefined,
    lines,
    write: (more: readonly PublishedTopicChange[]): void => {
      lines.push(...more);
      for (const line of more) {
        if (line.kind === 'sending') put(line.topic, { owner: line.owner, hash: undefined });
        else if (line.kind === 'held') put(line.topic, { owner: line.owner, hash: line.hash });
        else if (line.kind === 'nextCheckpoint') publishedTopics.lastCheckpointId = line.id;
        else if (line.kind === 'checkpoint') publishedTopics.checkpointId = line.id;
        else if (line.kind === 'gone') {
          cleared.set(line.topic, held.get(line.topic)?.owner ?? '');
          held.delete(line.topic);
        }
      }
    },
  };
  return publishedTopics;
};
