import * as z from 'zod/mini';
import type { Feature } from '../../features/feature.ts';
import type { AnswerFacts } from '../../language/answers/answersDe.ts';
import { readWeek } from '../../schedule/readWeek.ts';
import { changedDays, DAYS, type Day, type Entry, sameDay, type Week, weekOf } from '../../schedule/week.ts';
import { writtenFrom } from '../../schedule/writtenWeek.ts';
import type { Clock } from '../../shared/clock.ts';
import { schedulePropertyOf } from '../../topics/featureState.ts';
import type { schedulerOf } from '../../topics/scheduleCommand.ts';
import type { DeferredContent, Effect, Write } from '../commands/evaluate.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { OverrideRepository } from '../overrides/overrideRepository.ts';
import type { KeyedStore } from '../ports.ts';
import type { SendObserver, Sent, SentEnd } from './sentCommand.ts';

type Scheduler = NonNullable<ReturnType<typeof schedulerOf>>;

const ENTRY = z.object({ start: z.string(), end: z.string(), mode: z.string(), position: z.number() });
const SOME_DAYS = z.partialRecord(z.enum(DAYS), z.array(ENTRY));
type Days = { readonly [D in Day]?: readonly Entry[] };

/**
 * The days that a command changed, before and after. A day that a temporary write had changed is kept as it was before that write.
 * `possible`: it is not known whether the platform has carried out the command.
 */
const CHANGE = z.object({ before: SOME_DAYS, after: SOME_DAYS, possible: z.optional(z.literal(true)) });
type Change = { readonly before: Days; readonly after: Days; readonly possible?: true | undefined };

/** An undo that was sent, by the id of its message; `at` in epoch milliseconds. */
const TAKEN = z.object({ id: z.union([z.string(), z.number()]), at: z.number() });

/** What is kept of a feature, the newest last. */
const KEPT = z.object({ changes: z.array(CHANGE), taken: z.array(TAKEN) });
type Kept = { readonly changes: readonly Change[]; readonly taken: readonly z.infer<typeof TAKEN>[] };
const NOTHING: Kept = { changes: [], taken: [] };

/** Within this time the same id counts as the same message: a message may come again after a broken connection. Some flows always send one id. */
const SAME_MESSAGE_MS = 300_000;

/** Begins the key of a row with the one change that a command under way makes; no key of a device begins so. */
const APART = 'sent ';

/** So many changes of a schedule can be taken back (docs/schedules.md). */
const MOST_CHANGES = 10;

/** Remembers over restarts what commands altered of the schedules, and takes it back, one change after the other. */
export class UndoHistory implements SendObserver {
  readonly #store: KeyedStore;
  readonly #overrides: Pick<OverrideRepository, 'permanent'>;
  readonly #clock: Pick<Clock, 'now'>;
  /** By device and feature. */
  readonly #kept: Map<string, Kept>;
  /** Whose last change is in a row of its own on disk. */
  readonly #apart = new Set<string>();
  /** For each command that is under way: the feature before it, without temporary values, and the change that is kept of it. */
  readonly #sending = new Map<Sent, { readonly before: Feature; readonly change: Change | undefined }>();
  /** The change that each undo reverts, as it was last resolved. */
  readonly #taking = new WeakMap<DeferredContent, Change>();

  constructor(store: KeyedStore, overrides: Pick<OverrideRepository, 'permanent'>, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#overrides = overrides;
    this.#clock = clock;
    const rows = [...store.read()];
    this.#kept = new Map(
      rows.filter(([key]) => !key.startsWith(APART)).map(([key, value]) => [key, KEPT.safeParse(value).data ?? NOTHING]),
    );
    for (const [row, value] of rows) if (row.startsWith(APART)) this.#adopt(row.slice(APART.length), CHANGE.safeParse(value).data);
  }

  /** The content of a write that reverts the last change of the schedule that is still shown. */
  revertLast(state: DeviceState, feature: string, { command, param }: Scheduler, id: string | number | undefined): DeferredContent {
    const content: DeferredContent = {
      kind: 'deferred',
      resolve: (shown) => {
        const { changes, taken } = this.#of({ state, feature });
        // A message that is delivered twice is one undo.
        if (this.#lately(taken).some((one) => one.id === id)) return { kind: 'unchanged' };
        const present = weekShown(shown);
        if (!present) return reject('incomplete', 'the platform shows no week now, so nothing can be taken back');
        const change = changes.findLast((one) => stands(one, present));
        if (!change) return { kind: 'unchanged' };
        const days = standing(change.before, present);
        const foreign = days.filter((day) => !sameDay(present[day], change.after[day] ?? []));
        if (foreign.length > 0) {
          const which = `${foreign.join(', ')} ${foreign.length > 1 ? 'were' : 'was'}`;
          return reject(
            'conflict',
            `${which} changed elsewhere since the bridge's last change, which is not taken back therefore; write the days that you want`,
            { about: 'changed_elsewhere', names: foreign },
          );
        }
        this.#taking.set(content, change);
        const week = weekOf((day) => change.before[day] ?? present[day]);
        return { command, content: { kind: 'week', param, week: writtenFrom(week, days) } };
      },
    };
    return content;
  }

  beforeSend(sent: Sent): void {
    const { state, feature, effect } = sent;
    const before = this.#overrides.permanent({ device: deviceKey(state.device), feature }, sent.before);
    const [made] = isOwn(sent) || !effect?.days ? [] : changeOf(weekShown(before), weekShown(before, effect.values), effect.days);
    const change = made && { ...made, possible: true as const };
    this.#sending.set(sent, { before, change });
    if (!change) return;
    const key = keyOf(sent);
    const { changes, taken } = this.#of(sent);
    // One more is kept until the command is accepted, so that a failed one costs no older change.
    this.#kept.set(key, { changes: [...changes, change].slice(-MOST_CHANGES - 1), taken });
    // The call waits for this: all changes together are ten times as long.
    this.#apart.add(key);
    this.#store.write(APART + key, change);
  }

  accepted(sent: Sent): void {
    const { change } = this.#sending.get(sent) ?? {};
    if (change) this.#replace(sent, [{ before: change.before, after: change.after }]);
    this.#remember(sent);
    const undo = this.#undoIn(sent);
    const { changes } = this.#of(sent);
    // A temporary undo does not remove the change. Later changes were reverted elsewhere.
    if (undo && undo.write.untilMs === undefined && changes.includes(undo.change))
      this.#keep(sent, changes.slice(0, changes.indexOf(undo.change)));
  }

  ended(sent: Sent, how: SentEnd): void {
    const { before = sent.before, change } = this.#sending.get(sent) ?? {};
    if (how === 'failed') this.#replace(sent, []);
    if (how === 'adapted' && change) this.#replace(sent, asMade(sent, before, Object.keys(change.before)));
    // The effect of an unpredictable command is known only now.
    if (how === 'applied' && !sent.effect && !isOwn(sent)) this.#keep(sent, [...this.#of(sent).changes, ...asMade(sent, before, DAYS)]);
    if (how === 'unknown') this.#remember(sent);
    if (this.#apart.has(keyOf(sent))) this.#write(keyOf(sent), this.#of(sent));
    this.#sending.delete(sent);
  }

  /** The undo that a command carries out, and the change that it reverts. An undo is never merged. */
  #undoIn({ shares: [share] }: Sent): { readonly write: Write; readonly change: Change } | undefined {
    const content = share?.write.content;
    const change = content?.kind === 'deferred' ? this.#taking.get(content) : undefined;
    return share && change && { write: share.write, change };
  }

  #remember(sent: Sent): void {
    const id = this.#undoIn(sent)?.write.envelope.id;
    if (id === undefined) return;
    const { changes, taken } = this.#of(sent);
    this.#write(keyOf(sent), { changes, taken: [...this.#lately(taken), { id, at: this.#clock.now() }] });
  }

  #lately(taken: Kept['taken']): Kept['taken'] {
    const now = this.#clock.now();
    return taken.filter(({ at }) => Math.abs(now - at) <= SAME_MESSAGE_MS).slice(-MOST_CHANGES);
  }

  /** Replaces the change that a command made. */
  #replace(sent: Sent, by: readonly Change[]): void {
    const sending = this.#sending.get(sent);
    if (!sending?.change) return;
    const changes = this.#of(sent).changes.flatMap((one) => (one === sending.change ? by : [one]));
    this.#keep(sent, changes);
    this.#sending.set(sent, { ...sending, change: by[0] });
  }

  #keep(sent: Sent, changes: readonly Change[]): void {
    const { changes: before, taken } = this.#of(sent);
    const isSame = changes.length === before.length && changes.every((change, index) => change === before[index]);
    if (!isSame) this.#write(keyOf(sent), { changes: changes.slice(-MOST_CHANGES), taken });
  }

  #of(place: Place): Kept {
    return this.#kept.get(keyOf(place)) ?? NOTHING;
  }

  /** What an earlier run had sent, and did not come to write beside the other changes. */
  #adopt(key: string, change: Change | undefined): void {
    const { changes, taken } = this.#kept.get(key) ?? NOTHING;
    this.#apart.add(key);
    this.#write(key, { changes: change ? [...changes, change] : changes, taken });
  }

  #write(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#store.write(key, kept.changes.length + kept.taken.length === 0 ? undefined : kept);
    if (this.#apart.delete(key)) this.#store.write(APART + key, undefined);
  }
}

type Place = { readonly state: DeviceState; readonly feature: string };
const keyOf = ({ state, feature }: Place): string => `${deviceKey(state.device)} ${feature}`;

/** Reverts and undos are not recorded in the undo history. */
const isOwn = ({ shares }: Sent): boolean => shares.some(({ write }) => write.content.kind === 'deferred');

const reject = (code: 'conflict' | 'incomplete', message: string, facts?: AnswerFacts) =>
  ({ kind: 'reject', code, message, mayAge: true, ...(facts ? { facts } : {}) }) as const;

/** The week that these values hold; without `values` the one that the feature shows. */
const weekShown = (feature: Feature | undefined, values?: Effect['values']): Week | undefined => {
  const property = (feature && schedulePropertyOf(feature)) ?? '';
  const read = readWeek(values ? values.get(property) : feature?.properties.get(property)?.value);
  return read.ok ? read.value : undefined;
};

const daysOf = (week: Week, days: readonly Day[]): Days => Object.fromEntries(days.map((day) => [day, week[day]]));

/** The days of a change that do not show the former entries. */
const standing = (before: Days, present: Week): readonly Day[] =>
  DAYS.filter((day) => {
    const was = before[day];
    return was !== undefined && !sameDay(present[day], was);
  });

/** True where a part of the change can be reverted; a possible change has to be shown completely. */
const stands = ({ before, after, possible }: Change, present: Week): boolean => {
  const days = standing(before, present);
  return days.length > 0 && (!possible || days.every((day) => sameDay(present[day], after[day] ?? [])));
};

const changeOf = (before: Week | undefined, after: Week | undefined, days: readonly Day[]): readonly Change[] =>
  before && after && days.length > 0 ? [{ before: daysOf(before, days), after: daysOf(after, days) }] : [];

/** The change of these days that the platform shows, if any. */
const asMade = ({ state, feature }: Sent, was: Feature, among: readonly string[]): readonly Change[] => {
  const [before, after] = [weekShown(was), weekShown(state.features.get(feature)?.truth)];
  const days = before && after ? changedDays(before, after) : [];
  return changeOf(
    before,
    after,
    days.filter((day) => among.includes(day)),
  );
};
