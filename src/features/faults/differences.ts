import { OPEN_KINDS } from './faultKind.ts';
import type { Life } from './lives.ts';

/** The begins and ends that make the second lives of the first, the oldest first. */
export const differences = (before: readonly Life[], after: readonly Life[]): readonly { what: 'began' | 'ended'; life: Life }[] => {
  const left = new Set(before);
  const byBegin = new Map(before.flatMap((life) => life.begins.map((key) => [key, life] as const)));
  return after.toReversed().flatMap((life) => {
    if (!OPEN_KINDS.has(life.kind) || life.since === undefined) return [];
    const shared = life.begins.flatMap((key) => byBegin.get(key) ?? []).filter((one) => left.has(one));
    const same = shared.find(({ until }) => until === undefined) ?? shared[0];
    if (same) left.delete(same);
    const wasOpen = same !== undefined && same.until === undefined;
    const began = same === undefined || (!wasOpen && life.until === undefined) ? [{ what: 'began' as const, life }] : [];
    const ended = life.until !== undefined && (wasOpen || same === undefined) ? [{ what: 'ended' as const, life }] : [];
    return [...began, ...ended];
  });
};
