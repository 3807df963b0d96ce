import { endsItself } from '../../../features/commandEnd.ts';
import type { Clock } from '../../../shared/clock.ts';
import { partsOf } from '../../state/valueParts.ts';
import type { Ends } from '../ends/ends.ts';
import type { PlannedWrite } from '../parse/evaluate.ts';
import { changeOf, isDayPart, type Own } from '../write/change.ts';
import { replacedBy } from '../write/end.ts';
import { isChange, type SentWrite } from '../write/write.ts';
import { placeOf, type WriteLog } from '../write/writeLog.ts';
import type { SentCommand, Share } from './mergeWrites.ts';
import type { WaitingWrites } from './waiting.ts';

/** A command whose writes are on disk; `keys` are in the order of its shares. */
export type Begun = {
  readonly sent: SentCommand;
  readonly keys: readonly number[];
  /** The feature before the command, without its temporary write. */
  readonly lasting: SentCommand['before'];
};

export type BeginWrites = ReturnType<typeof beginWrites>;

/** Stores the writes of a command before it is sent, over restarts. To be called in one transaction. */
export const beginWrites =
  (writes: WriteLog, ends: Ends, waiting: WaitingWrites, clock: Clock) =>
  (sent: SentCommand): Begun => {
    const { state, feature } = sent;
    const place = placeOf(state.device, feature);
    const truth = state.features.get(feature)?.truth;
    const lasting = ends.lasting(place, sent.before);
    const isOver = writes.sentOn(place).some(({ end }) => end);
    const waits = waiting.takenBy(sent);
    const keys: number[] = [];
    for (const share of sent.shares) {
      const { request, write, named, kept, changed, properties } = share;
      const values = sent.effect && [...sent.effect.values].filter(([name]) => properties?.includes(name) ?? true);
      // Unchanged named days count too: an edit of them that is not shown yet is overwritten.
      const effect = values && { values: new Map(values), ...(named ? { days: named } : {}) };
      const change = changeOf(partsOf(sent.effect), ownOf(share), sent.before, lasting);
      const { content, untilMs } = write;
      const purpose = content.kind === 'deferred' ? content.purpose : undefined;
      const isUndoable = isChange({ purpose }) && change?.some(isDayPart) === true;
      // A write with an end is never merged.
      const parts = untilMs === undefined || !sent.effect ? [] : (replacedBy(sent.effect, sent.before) ?? []);
      const end = untilMs !== undefined && parts.length > 0 ? { untilMs, parts, unseen: true as const } : undefined;
      const row: Omit<SentWrite, 'key'> = {
        ...place,
        at: clock.now(),
        state: 'sent',
        name: state.device.name,
        topic: request.source,
        id: write.envelope.id,
        by: request.by,
        command: write.command,
        composite: write.details?.feature,
        rounded: write.details?.rounded_from,
        values: values && Object.fromEntries(values),
        days: effect?.days,
        before: effect && state.pending.before(feature, effect, truth),
        revsBefore: effect ? undefined : state.pending.revsBefore(truth),
        change,
        purpose,
        undoes: sent.undoes,
        ...(isUndoable ? { isUndoable } : {}),
        until: untilMs,
        ...(isOver && effect && !end ? { over: true } : {}),
        ...(hasOwnEnd(sent, write) ? { endsItself: true } : {}),
        ...(end ? { end } : {}),
        changed,
        kept,
        answer: 'open',
      };
      const [group] = keys;
      const waited = share.waited === undefined ? undefined : waits.get(share.waited);
      const asked = { request, about: write, ...(waited ? { waited } : {}) };
      keys.push(writes.add({ ...row, group }, asked, true));
      request.queued?.end();
    }
    return { sent, keys, lasting };
  };

/** True where the device ends the write by its named parameters, not by values that completed it. */
const hasOwnEnd = ({ before, command, args }: SentCommand, { content, untilMs }: PlannedWrite): boolean => {
  const sent = before.commands.get(command);
  if (!sent || untilMs !== undefined || content.kind !== 'arguments') return false;
  const { endsBy, chosen } = content;
  return endsItself(
    sent,
    args,
    chosen?.filled?.filter((name) => name !== endsBy),
  );
};

/** The part of a command that belongs to one write. */
export const ownOf = ({ changed, kept, properties }: Share): Own => ({ days: changed ?? kept, properties });
