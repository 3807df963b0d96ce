import { withFormers } from './end.ts';
import { type StepEffect, step, type WriteEvent } from './step.ts';
import { groupOf, isSent, type SentWrite, type Write } from './write.ts';

/** An effect outside the stored writes. `endChanged`: what is in force on the feature, or when it ends. */
export type OwnEffect = Exclude<StepEffect, { readonly kind: 'carriedOut' | 'tellOlder' }> | { readonly kind: 'endChanged' };

/** `after` is undefined where the row is removed. `isDurable`: the change survives a power cut. */
type Change = { readonly before: Write; readonly after: Write | undefined; readonly isDurable: boolean };

/** `write`: as it is now, or was when it was removed. `changes`: in their order, of this and of other writes. */
type Transition = { readonly write: Write; readonly changes: readonly Change[]; readonly effects: readonly OwnEffect[] };

/** Events that need not survive a power cut: the next run finds them out again. */
const FOUND_AGAIN: ReadonlySet<WriteEvent['kind']> = new Set([
  'settled',
  'delivered',
  'confirmed',
  'unconfirmed',
  'answerAgain',
  'replaced',
  'uncovered',
]);

/** Maximum number of changes of a schedule that can be undone (docs/schedules.md). */
const MOST_UNDOABLE = 10;

/** All that an event makes of a write, and of the other writes to its feature (`sent`, oldest first). */
export const transition = (write: Write, sent: readonly SentWrite[], event: WriteEvent): Transition => {
  const changes: Change[] = [];
  const now = new Map(sent.map((one) => [one.key, one]));
  const all = (): readonly SentWrite[] => [...now.values()];
  const older = (): readonly SentWrite[] => all().filter(({ key }) => key < write.key);

  const change = (before: Write, after: Write | undefined, { kind }: WriteEvent): void => {
    if (after === before) return;
    changes.push({ before, after, isDurable: !FOUND_AGAIN.has(kind) });
    if (after && isSent(after)) now.set(after.key, after);
  };
  const tell = (one: SentWrite, told: WriteEvent): void => change(one, step(one, told).write, told);

  const { write: stepped, effects } = step(write, event);
  const carriedOut = stepped && isSent(stepped) && effects.some(({ kind }) => kind === 'carriedOut') ? stepped : undefined;
  const after = carriedOut?.end ? { ...carriedOut, end: withFormers(carriedOut.end, older()) } : stepped;
  change(write, after, event);
  for (const effect of effects) {
    if (effect.kind !== 'tellOlder') continue;
    const { event: told, from = 0 } = effect;
    const others = older().filter((one) => groupOf(one) >= from);
    for (const [index, one] of others.entries()) {
      const between = others.slice(index + 1).flatMap(({ end }) => end?.parts ?? []);
      tell(one, told.kind === 'followed' ? { ...told, between } : told);
    }
  }
  if (carriedOut) for (const one of older()) tell(one, { kind: 'replaced', by: carriedOut });
  // Only the newest changes stay undoable.
  if (event.kind === 'accepted' || event.kind === 'made') for (const one of tooOld(all())) tell(one, { kind: 'undone' });
  // Writes over temporary writes wait no longer when no older temporary write is left.
  const first = all().find(({ end }) => end)?.key ?? Number.POSITIVE_INFINITY;
  for (const one of all()) if (one.over && one.key < first) tell(one, { kind: 'uncovered' });
  const own = effects.filter((one) => one.kind !== 'carriedOut' && one.kind !== 'tellOlder');
  // A write gets its end when it is stored; events only change or remove it.
  const isEndChanged = changes.some(({ before }) => hasEnd(before));
  return { write: after ?? write, changes, effects: isEndChanged ? [...own, { kind: 'endChanged' }] : own };
};

/** True for a write with an end, or over one with an end. */
const hasEnd = (write: Write): boolean => isSent(write) && Boolean(write.end ?? write.over);

/** The writes that belong to older changes than the last undoable ones. A `sent` write may still fail, so it does not count. */
const tooOld = (sent: readonly SentWrite[]): readonly SentWrite[] => {
  const undoable = sent.filter(({ isUndoable, state }) => isUndoable && state !== 'sent');
  const groups = [...new Set(undoable.map(groupOf))].slice(0, -MOST_UNDOABLE);
  return undoable.filter((one) => groups.includes(groupOf(one)));
};
