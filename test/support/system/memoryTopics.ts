import type { Held, PublishedTopicChange } from '../../../src/bridge/ports.ts';

/** The published topics in memory. */
export const memory = (
  start: { beat?: number; held?: readonly (readonly [string, Held])[]; cleared?: readonly (readonly [string, number])[] } = {},
) => {
  const lines: PublishedTopicChange[] = [];
  const held = new Map(start.held);
  const cleared = new Map(start.cleared);
  const publishedTopics = {
    held,
    cleared,
    beat: start.beat ?? 0,
    pendingBeat: start.beat ?? 0,
    lines,
    write: (more: readonly PublishedTopicChange[]): void => {
      lines.push(...more);
      for (const line of more) {
        if (line.kind === 'sending') held.set(line.topic, { owner: line.owner, hash: undefined, seal: 0 });
        else if (line.kind === 'held') held.set(line.topic, { owner: line.owner, hash: line.hash, seal: line.seal });
        else if (line.kind === 'gone') {
          held.delete(line.topic);
          cleared.set(line.topic, line.seal);
        } else {
          publishedTopics.pendingBeat = line.beat;
          if (line.acknowledged) publishedTopics.beat = line.beat;
        }
      }
    },
  };
  return publishedTopics;
};
