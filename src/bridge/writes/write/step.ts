import type { Feature } from '../../../features/feature.ts';
import type { ValuePart } from '../../state/valueParts.ts';
import { CANCELLED, INTERRUPTED, superseded, supersededBy, UNKNOWN } from '../answers/results.ts';
import type { CommandResult } from '../request/commandRequest.ts';
import { isDayPart } from './change.ts';
import { asShown, endAgain, followedBy, isRepeated, seenOf, withoutReplaced } from './end.ts';
import { isAdaptedShown, isEndShown, isShown, isTelling } from './shown.ts';
import { type End, effectOf, isChange, type Outcome, type QueuedWrite, type SentWrite, type WaitingWrite, type Write } from './write.ts';

/** What happens to a write. */
export type WriteEvent =
  // The answer to the call.
  | { readonly kind: 'accepted'; readonly words: Pick<CommandResult, 'reason' | 'message'>; readonly adapted?: boolean }
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused'; readonly result: CommandResult }
  // The outcome. `unconfirmed`: the last read did not show it; without `result` it is answered elsewhere.
  | { readonly kind: 'confirmed'; readonly result: CommandResult }
  | { readonly kind: 'unconfirmed'; readonly result?: CommandResult }
  | { readonly kind: 'adapted'; readonly change: SentWrite['change']; readonly shows: Feature | undefined; readonly result: CommandResult }
  | { readonly kind: 'made'; readonly change: SentWrite['change'] }
  // Found by a new run. `answerAgain`: nothing more will be known, and its final answer was not delivered.
  | { readonly kind: 'resumed' }
  | { readonly kind: 'answerAgain' }
  /** Reads have shown its outcome: it is no longer pending. */
  | { readonly kind: 'settled' }
  /** A queued command ends without being sent. Its final answer is given elsewhere. */
  | { readonly kind: 'answered'; readonly result: CommandResult }
  /** Its final answer is on the broker. */
  | { readonly kind: 'delivered' }
  // The end of a temporary write was moved or removed.
  | { readonly kind: 'endChanged'; readonly end: End | undefined }
  /** A read has shown the feature. */
  | { readonly kind: 'shown'; readonly feature: Feature }
  // Another write to the same feature. `followed`: a newer temporary write was accepted; `between`: parts
  // written between the two. `returnIgnored`: no read has shown the revert of this write.
  | { readonly kind: 'followed'; readonly by: End; readonly between?: readonly ValuePart[] }
  | { readonly kind: 'replaced'; readonly by: SentWrite }
  | { readonly kind: 'returnIgnored'; readonly by: SentWrite }
  | { readonly kind: 'undone' }
  /** No older temporary write is left on the feature. */
  | { readonly kind: 'uncovered' }
  // Events of a write that waits for the other values of its command.
  | { readonly kind: 'joined' }
  | { readonly kind: 'overwritten'; readonly properties: readonly string[]; readonly why: string }
  | { readonly kind: 'closed'; readonly result: CommandResult }
  | { readonly kind: 'otherSent'; readonly command: string; readonly properties: readonly string[]; readonly isCancelling: boolean };

/** Effects of a step. Storing the write is not one of them. */
export type StepEffect =
  /** `isFinal`: `delivered` follows when the broker has the answer. */
  | { readonly kind: 'answer'; readonly result: CommandResult; readonly isFinal: boolean }
  /** The written value is shown in place of the read one until a read shows it. */
  | { readonly kind: 'markPending' }
  /** Only read values are shown again. */
  | { readonly kind: 'clearPending' }
  /** The feature may show another value than before. */
  | { readonly kind: 'show' }
  /** The write was carried out: it replaces older temporary writes to the feature. */
  | { readonly kind: 'carriedOut' }
  /** An event for older writes to the feature; with `from` only for this group and newer ones. */
  | { readonly kind: 'tellOlder'; readonly event: WriteEvent; readonly from?: number };

/** `write` is undefined where its row is removed. */
export type Step = { readonly write: Write | undefined; readonly effects: readonly StepEffect[] };
type SentStep = Step & { readonly write: SentWrite };

/** Maximum message length in the history, in characters: a message may quote the platform. */
const LONGEST_MESSAGE = 500;

const SHOW: StepEffect = { kind: 'show' };
const MARK_PENDING: StepEffect = { kind: 'markPending' };
const CLEAR_PENDING: StepEffect = { kind: 'clearPending' };
const CARRIED_OUT: StepEffect = { kind: 'carriedOut' };

/** Returns the new state of a write and its effects. Ignores events that are impossible in its state. */
export const step = (write: Write, event: WriteEvent): Step => {
  if (write.state === 'queued') return queuedStep(write, event);
  if (write.state === 'waiting') return waitingStep(write, event);
  switch (event.kind) {
    case 'accepted': {
      const effect = effectOf(write);
      const outcome = { status: effect ? 'accepted' : 'applied' } as const;
      const now: SentWrite = { ...write, state: 'accepted', outcome, adapted: event.adapted || undefined };
      const effects: readonly StepEffect[] = [MARK_PENDING, SHOW, ...forOlder(now)];
      // An effect that cannot be predicted is never confirmed: this is the final answer.
      if (!effect) return answered(now, { status: 'applied', ...event.words }, [...effects, CARRIED_OUT], outcome);
      if (write.kept) return answered(now, superseded(write.kept), effects, outcome);
      return { write: now, effects: [...effects, { kind: 'answer', result: { status: 'accepted', ...event.words }, isFinal: false }] };
    }
    case 'lost':
      return { write: { ...write, state: 'lost', isPossible: true }, effects: [MARK_PENDING] };
    case 'resumed': {
      const now: SentWrite = write.answer === 'given' ? { ...write, answer: 'open' } : write;
      // Sent, but not answered: only reads can tell whether it was carried out.
      return { write: write.state === 'sent' ? { ...now, state: 'lost', isPossible: true } : now, effects: [] };
    }
    case 'refused': {
      const failed: SentWrite = { ...write, state: 'failed', end: undefined, isUndoable: undefined, over: undefined };
      return answered(failed, event.result, [SHOW]);
    }
    case 'confirmed': {
      // A lost write that a read shows was accepted.
      const { write: now, effects } = write.isPossible ? foundAccepted(write) : confirmed(write);
      const result = { ...event.result, changed: now.changed };
      return answered(now, ofWhatWasSent(now, result), [SHOW, ...effects], outcomeOf(result));
    }
    case 'unconfirmed': {
      if (!event.result) return { write: { ...write, outcome: { status: 'unconfirmed' }, answer: 'delivered' }, effects: [SHOW] };
      if (write.isPossible) return answered(write, event.result, [SHOW]);
      const result = { ...event.result, changed: write.changed };
      return answered(write, ofWhatWasSent(write, result), [SHOW, ...ignored(write)], outcomeOf(result));
    }
    case 'adapted': {
      const end = write.end && event.shows ? asShown(write.end, event.shows) : write.end;
      const { write: found, effects } = carriedOut({ ...write, end });
      const now = withChange(found, event.change, write.isUndoable === true);
      return answered(now, { ...event.result, changed: write.changed }, [CLEAR_PENDING, SHOW, ...effects]);
    }
    case 'made':
      return { write: withChange(write, event.change, isChange(write)), effects: [] };
    case 'answerAgain':
      return answered(write, write.outcome ? resultOf(write.outcome) : UNKNOWN, [SHOW]);
    case 'settled':
      return write.state === 'accepted' || write.state === 'lost'
        ? { write: trimmed({ ...write, state: 'settled' }), effects: [] }
        : unchanged(write);
    case 'delivered':
      return {
        write: trimmed({ ...write, answer: 'delivered', ...(write.outcome ? { outcome: shortOf(write.outcome) } : {}) }),
        effects: [],
      };
    case 'endChanged':
      return { write: { ...write, end: event.end }, effects: [] };
    case 'followed':
      return write.end ? { write: { ...write, end: followedBy(event.by, write.end, event.between) }, effects: [] } : unchanged(write);
    case 'returnIgnored':
      if (isRepeated(write, event.by)) return uncovered(write);
      return write.end ? { write: { ...write, end: endAgain(write.end, event.by) }, effects: [] } : unchanged(write);
    case 'uncovered':
      return uncovered(write);
    case 'shown':
      return shown(write, event.feature);
    case 'replaced':
      return replaced(write, event.by);
    case 'undone':
      return write.isUndoable ? { write: { ...write, isUndoable: undefined }, effects: [] } : unchanged(write);
    default:
      return unchanged(write);
  }
};

const unchanged = (write: Write): Step => ({ write, effects: [] });

const queuedStep = (write: QueuedWrite, event: WriteEvent): Step => {
  if (event.kind === 'answerAgain') {
    const result = write.outcome ? resultOf(write.outcome) : INTERRUPTED;
    return { write, effects: [{ kind: 'answer', result, isFinal: true }] };
  }
  if (event.kind === 'answered') return { write: { ...write, outcome: outcomeOf(event.result) }, effects: [] };
  return event.kind === 'joined' || event.kind === 'delivered' ? { write: undefined, effects: [] } : unchanged(write);
};

const waitingStep = (write: WaitingWrite, event: WriteEvent): Step => {
  switch (event.kind) {
    case 'joined':
    case 'delivered':
      return { write: undefined, effects: event.kind === 'joined' ? [SHOW] : [] };
    case 'answerAgain':
      return write.outcome ? { write, effects: [{ kind: 'answer', result: resultOf(write.outcome), isFinal: true }] } : unchanged(write);
    case 'closed':
      return closed(write, event.result);
    case 'overwritten':
      return overwritten(write, event.properties, event.why);
    case 'otherSent': {
      const { command, properties, isCancelling } = event;
      if (isCancelling) return closed(write, CANCELLED);
      if (write.command === command) return closed(write, supersededBy(`${command} was sent with other values`));
      return overwritten(write, properties, `${command} was sent instead`);
    }
    default:
      return unchanged(write);
  }
};

/** Stores the final answer of a waiting write until it is delivered, so that the next run can repeat it. */
const closed = (write: WaitingWrite, result: CommandResult): Step =>
  write.outcome
    ? unchanged(write)
    : { write: { ...write, outcome: outcomeOf(result) }, effects: [SHOW, { kind: 'answer', result, isFinal: true }] };

/** Drops properties that another write overwrites; the write ends when none is left. */
const overwritten = (write: WaitingWrite, properties: readonly string[], why: string): Step => {
  const values = Object.fromEntries(Object.entries(write.values).filter(([name]) => !properties.includes(name)));
  const left = Object.keys(values).length;
  if (left === 0) return closed(write, supersededBy(why));
  return left === Object.keys(write.values).length ? unchanged(write) : { write: { ...write, values }, effects: [SHOW] };
};

/** A read has shown that it was carried out. */
const carriedOut = (write: SentWrite): SentStep => ({ write: { ...write, over: undefined }, effects: [CARRIED_OUT] });

/** It no longer waits for a read to show it. */
const uncovered = (write: SentWrite): Step => ({ write: trimmed({ ...write, over: undefined }), effects: [] });

/** The answer of the platform was lost, and a read has shown that the write was carried out. */
const foundAccepted = (write: SentWrite): SentStep => {
  const { write: found, effects } = carriedOut({
    ...write,
    isPossible: undefined,
    state: write.state === 'lost' ? 'accepted' : write.state,
  });
  return { write: found, effects: [...forOlder(found), ...effects] };
};

/** A read shows the written values. Values from before the write prove nothing until it is settled. */
const confirmed = (write: SentWrite): SentStep => (isTelling(write) ? carriedOut(write) : { write, effects: [] });

/** It was accepted, and no read has shown it. */
const ignored = (write: SentWrite): readonly StepEffect[] =>
  write.purpose === 'revert' || write.purpose === 'restore' ? [{ kind: 'tellOlder', event: { kind: 'returnIgnored', by: write } }] : [];

/** A read has shown the feature, which may prove that the write was carried out. */
const shown = (write: SentWrite, feature: Feature): Step => {
  const { end, isPossible, answer, state } = write;
  if (state === 'sent') return unchanged(write);
  if (write.over && !isPossible && answer !== 'open' && isShown(write, feature)) return carriedOut(write);
  // No confirming read has shown the adapted values: this read does.
  if (end?.unseen && write.adapted && answer !== 'open' && isAdaptedShown(end, feature))
    return carriedOut({ ...write, end: asShown(end, feature) });
  if (!end || !isEndShown(write, end, feature) || (isPossible && answer === 'open')) return unchanged(write);
  const now = { ...write, end: seenOf(end) };
  if (!isPossible) return end.unseen ? carriedOut(now) : unchanged(write);
  const { write: found, effects } = foundAccepted(now);
  return { write: found, effects: [SHOW, ...effects] };
};

/** Effects of an accepted write on older ones. A temporary undo leaves them undoable. */
const forOlder = ({ end, undoes, until }: SentWrite): readonly StepEffect[] => [
  ...(end ? [{ kind: 'tellOlder', event: { kind: 'followed', by: end } } as const] : []),
  ...(undoes !== undefined && until === undefined ? [{ kind: 'tellOlder', event: { kind: 'undone' }, from: undoes } as const] : []),
];

/** A newer write was carried out: drops the parts of the end that it replaces. */
const replaced = (write: SentWrite, by: SentWrite): Step => {
  const left = write.end && write.state !== 'sent' ? withoutReplaced(write.end, by) : write.end;
  return left === write.end ? unchanged(write) : { write: { ...write, end: left }, effects: [] };
};

/** Gives the final answer at most once. */
const answered = (write: SentWrite, result: CommandResult, effects: readonly StepEffect[], outcome: Outcome = outcomeOf(result)): Step => {
  if (write.answer !== 'open') return { write: { ...write, outcome: write.answer === 'given' ? outcome : shortOf(outcome) }, effects };
  const now = { ...write, outcome };
  return { write: { ...now, answer: 'given' }, effects: [...effects, { kind: 'answer', result, isFinal: true }] };
};

/** The final answer of an accepted write; `superseded` where a later write replaced some of its days. */
const ofWhatWasSent = ({ kept }: SentWrite, result: CommandResult): CommandResult => (kept ? superseded(kept) : result);

const withChange = (write: SentWrite, change: SentWrite['change'], mayUndo: boolean): SentWrite => ({
  ...write,
  change,
  isUndoable: (mayUndo && change?.some(isDayPart)) || undefined,
});

/** Removes fields that only an open write needs. */
const trimmed = (write: SentWrite): SentWrite => {
  if (write.answer !== 'delivered' || write.over || (write.state !== 'settled' && write.state !== 'failed')) return write;
  const { values, days, before, revsBefore, changed, kept, ...rest } = write;
  return rest;
};

/** Rebuilds the result from its stored outcome. */
export const resultOf = ({ more, ...outcome }: Outcome): CommandResult => ({ ...outcome, ...(more as Partial<CommandResult> | undefined) });

const outcomeOf = ({ status, code, message, ...more }: CommandResult): Outcome => ({
  status: status as Outcome['status'],
  code,
  message,
  more: more as Outcome['more'],
});

/** The outcome as the history shows it. */
export const shortOf = ({ more: _, message, ...outcome }: Outcome): Outcome => ({
  ...outcome,
  message: message?.slice(0, LONGEST_MESSAGE),
});
