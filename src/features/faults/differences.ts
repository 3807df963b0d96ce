import { OPEN_KINDS } from './faultKind.ts';
import type { Life } from './lives.ts';

/** The begins and ends that make the second lives of the first, the oldest first. */
export const differences = (before: readonly Life[], after: readonly Life[]): readonly { what: 'began' | 'ended'; life: Life }[] => {
  const left = new Set(before);
  return after.toReversed().flatMap((life) => {
    if (!OPEN_KINDS.has(life.kind) || life.since === undefined) return [];
    const same = [...left].find(({ begins }) => begins.some((key) => life.begins.includes(key)));
    if (same) left.delete(same);
    const wasOpen = same !== undefined && same.until === undefined;
    const began = same === undefined || (!wasOpen && life.until === undefined) ? [{ what: 'began' as const, life }] : [];
    const ended = life.until !== undefined && (wasOpen || same === undefined) ? [{ what: 'ended' as const, life }] : [];
    return [...began, ...ended];
  });
};
