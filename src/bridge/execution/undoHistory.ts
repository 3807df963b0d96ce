import type { Feature } from '../../features/feature.ts';
import { changedDays, DAYS, type Day, type Entry, readWeek, sameDay, type Week, weekOf } from '../../schedule/week.ts';
import { writtenFrom } from '../../schedule/writtenWeek.ts';
import type { Clock } from '../../shared/clock.ts';
import { isRecord } from '../../shared/json.ts';
import { schedulePropertyOf } from '../../topics/featureState.ts';
import type { schedulerOf } from '../../topics/scheduleCommand.ts';
import type { DeferredContent, Effect } from '../commands/evaluate.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { OverrideRepository } from '../overrides/overrideRepository.ts';
import type { KeyedStore } from '../ports.ts';
import type { SendObserver, Sent, SentEnd } from './sentCommand.ts';

type Days = ReadonlyMap<Day, readonly Entry[]>;
type Scheduler = NonNullable<ReturnType<typeof schedulerOf>>;

/**
 * The days that a command changed, before and after. A day that a temporary write had changed is kept as it was before that write.
 * `possible`: it is not known whether the platform has carried out the command.
 */
type Change = { readonly before: Days; readonly after: Days; readonly possible?: true };

/** `at` in epoch milliseconds. */
type Taken = { readonly id: string | number; readonly at: number };

/** Within this time the same id counts as the same message: a message may come again after a broken connection. Some flows always send one id. */
const SAME_MESSAGE_MS = 300_000;

/** So many changes of a schedule can be taken back (docs/schedules.md). */
const KEPT = 10;

/** Remembers over restarts what commands altered of the schedules, and takes it back, one change after the other. */
export class UndoHistory implements SendObserver {
  readonly #store: KeyedStore;
  /** By device and feature, the newest last. */
  readonly #changes: Map<string, readonly Change[]>;
  /** Messages whose undo was sent, by device and feature: one that is delivered twice is one. */
  readonly #taken: Map<string, readonly Taken[]>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #overrides: Pick<OverrideRepository, 'permanent'>;
  /** The feature before each command that is under way, without temporary values. */
  readonly #before = new Map<Sent, Feature>();
  readonly #sending = new Map<Sent, Change>();
  /** The change that each undo reverts, as it was last resolved. */
  readonly #taking = new WeakMap<DeferredContent, Change>();

  constructor(store: KeyedStore, overrides: Pick<OverrideRepository, 'permanent'>, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
    this.#overrides = overrides;
    const kept = [...store.read()];
    this.#changes = new Map(kept.map(([key, value]) => [key, readChanges(value)]));
    this.#taken = new Map(kept.map(([key, value]) => [key, readTaken(value)]));
  }

  /** The content of a write that reverts the last change of the schedule that is still shown. */
  revertLast(state: DeviceState, feature: string, { command, param }: Scheduler, id: string | number | undefined): DeferredContent {
    const content: DeferredContent = {
      kind: 'deferred',
      resolve: (shown) => {
        if (this.#lately(keyOf(state, feature)).some((taken) => taken.id === id)) return { kind: 'unchanged' };
        const present = weekShown(shown);
        if (!present) return reject('incomplete', 'the platform shows no week now, so nothing can be taken back');
        const change = this.#of(state, feature).findLast((one) => stands(one, present));
        if (!change) return { kind: 'unchanged' };
        const days = standing(change.before, present);
        const foreign = days.filter((day) => !sameDay(present[day], change.after.get(day) ?? []));
        if (foreign.length > 0) {
          const which = `${foreign.join(', ')} ${foreign.length > 1 ? 'were' : 'was'}`;
          return reject(
            'conflict',
            `${which} changed elsewhere since the bridge's last change, which is not taken back therefore; write the days that you want`,
          );
        }
        this.#taking.set(content, change);
        const week = weekOf((day) => change.before.get(day) ?? present[day]);
        return { command, content: { kind: 'week', param, week: writtenFrom(week, days) } };
      },
    };
    return content;
  }

  beforeSend(sent: Sent): undefined {
    const { state, feature, effect, before: shown } = sent;
    const before = this.#overrides.permanent({ device: deviceKey(state.device), feature }, shown);
    this.#before.set(sent, before);
    const change = isOwn(sent) || !effect?.days ? undefined : changeBy(before, effect);
    if (!change) return;
    // Until the platform has accepted it.
    const possible = { ...change, possible: true } as const;
    this.#sending.set(sent, possible);
    // One more is kept until the command is accepted, so that a failed one costs no older change.
    this.#keep(sent, [...this.#of(state, feature), possible], KEPT + 1);
  }

  accepted(sent: Sent): void {
    this.#replace(sent, (change) => [{ before: change.before, after: change.after }]);
    this.#take(sent);
  }

  ended(sent: Sent, how: SentEnd): void {
    const before = this.#before.get(sent) ?? sent.before;
    if (how === 'failed') this.#replace(sent, () => []);
    if (how === 'adapted') this.#replace(sent, (change) => asMade(sent, before, [...change.before.keys()]));
    // The effect of an unpredictable command is known only now.
    if (!isOwn(sent) && !sent.effect && how === 'applied')
      this.#keep(sent, [...this.#of(sent.state, sent.feature), ...asMade(sent, before, DAYS)]);
    if (how === 'unknown') this.#remember(sent);
    this.#before.delete(sent);
    this.#sending.delete(sent);
  }

  /** An undo was carried out: removes the change, and remembers the id. */
  #take(sent: Sent): void {
    // A temporary undo does not remove the change.
    const taken = sent.shares.flatMap(({ write: { content, untilMs } }) =>
      content.kind === 'deferred' && untilMs === undefined ? (this.#taking.get(content) ?? []) : [],
    );
    this.#remember(sent);
    const all = this.#of(sent.state, sent.feature);
    // Later changes were reverted elsewhere.
    for (const change of taken) if (all.includes(change)) this.#keep(sent, all.slice(0, all.indexOf(change)));
  }

  #remember({ state, feature, shares }: Sent): void {
    const ids = shares.flatMap(({ write: { content, envelope } }) =>
      content.kind === 'deferred' && this.#taking.has(content) && envelope.id !== undefined ? [envelope.id] : [],
    );
    const key = keyOf(state, feature);
    if (ids.length === 0) return;
    const at = this.#clock.now();
    this.#taken.set(key, [...this.#lately(key), ...ids.map((id) => ({ id, at }))]);
    this.#write(key);
  }

  #lately(key: string): readonly Taken[] {
    const now = this.#clock.now();
    return (this.#taken.get(key) ?? []).filter(({ at }) => Math.abs(now - at) <= SAME_MESSAGE_MS).slice(-KEPT);
  }

  /** Replaces the change that a command made. */
  #replace(sent: Sent, by: (change: Change) => readonly Change[]): void {
    const change = this.#sending.get(sent);
    if (!change) return;
    const others = by(change);
    const [first] = others;
    const all = this.#of(sent.state, sent.feature);
    this.#keep(
      sent,
      all.flatMap((one) => (one === change ? others : [one])),
    );
    if (first) this.#sending.set(sent, first);
  }

  #of(state: DeviceState, feature: string): readonly Change[] {
    return this.#changes.get(keyOf(state, feature)) ?? [];
  }

  #keep({ state, feature }: Sent, changes: readonly Change[], most = KEPT): void {
    const key = keyOf(state, feature);
    const before = this.#changes.get(key) ?? [];
    if (changes.length === before.length && changes.every((change, index) => change === before[index])) return;
    if (changes.length === 0) this.#changes.delete(key);
    else this.#changes.set(key, changes.slice(-most));
    this.#write(key);
  }

  #write(key: string): void {
    const [changes, taken] = [this.#changes.get(key) ?? [], this.#taken.get(key) ?? []];
    this.#store.write(key, changes.length + taken.length === 0 ? undefined : { changes: changes.map(asJson), taken });
  }
}

const keyOf = ({ device }: DeviceState, feature: string): string => `${deviceKey(device)} ${feature}`;

/** Reverts and undos are not recorded in the undo history. */
const isOwn = ({ shares }: Sent): boolean => shares.some(({ write }) => write.content.kind === 'deferred');

const reject = (code: 'conflict' | 'incomplete', message: string) => ({ kind: 'reject', code, message, mayAge: true }) as const;

const weekShown = (feature: Feature | undefined): Week | undefined => {
  const property = feature && schedulePropertyOf(feature);
  const read = property === undefined ? undefined : readWeek(feature?.properties.get(property)?.value);
  return read?.ok ? read.value : undefined;
};

const daysOf = (week: Week, days: readonly Day[]): Days => new Map(days.map((day) => [day, week[day]]));

/** The days of a change that do not show the former entries. */
const standing = (before: Days, present: Week): readonly Day[] =>
  DAYS.filter((day) => {
    const was = before.get(day);
    return was !== undefined && !sameDay(present[day], was);
  });

/** True where a part of the change can be reverted; a possible change has to be shown completely. */
const stands = ({ before, after, possible }: Change, present: Week): boolean => {
  const days = standing(before, present);
  return days.length > 0 && (!possible || days.every((day) => sameDay(present[day], after.get(day) ?? [])));
};

const changeBy = (feature: Feature, { values, days = [] }: Effect): Change | undefined => {
  const before = weekShown(feature);
  const after = readWeek(values.get(schedulePropertyOf(feature) ?? ''));
  return before && after.ok && days.length > 0 ? { before: daysOf(before, days), after: daysOf(after.value, days) } : undefined;
};

/** The change of these days that the platform shows, if any. */
const asMade = ({ state, feature }: Sent, was: Feature, among: readonly Day[]): readonly Change[] => {
  const [before, after] = [weekShown(was), weekShown(state.features.get(feature)?.truth)];
  const days = before && after ? changedDays(before, after).filter((day) => among.includes(day)) : [];
  return before && after && days.length > 0 ? [{ before: daysOf(before, days), after: daysOf(after, days) }] : [];
};

const asJson = ({ before, after, possible }: Change): object => ({
  before: Object.fromEntries(before),
  after: Object.fromEntries(after),
  ...(possible ? { possible } : {}),
});

/** What was kept, as far as it makes sense. */
const readChanges = (raw: unknown): readonly Change[] =>
  isRecord(raw) && Array.isArray(raw.changes) ? raw.changes.flatMap(readChange).slice(-KEPT) : [];

const readChange = (raw: unknown): readonly Change[] => {
  if (!isRecord(raw)) return [];
  const [before, after] = [readDays(raw.before), readDays(raw.after)];
  return before && after ? [{ before, after, ...(raw.possible === true ? { possible: true } : {}) }] : [];
};

const readTaken = (raw: unknown): readonly Taken[] => (isRecord(raw) && Array.isArray(raw.taken) ? raw.taken.flatMap(readOneTaken) : []);

const readOneTaken = (raw: unknown): readonly Taken[] => {
  const { id, at }: Partial<Record<string, unknown>> = isRecord(raw) ? raw : {};
  return (typeof id === 'string' || typeof id === 'number') && typeof at === 'number' ? [{ id, at }] : [];
};

const readDays = (raw: unknown): Days | undefined => {
  const read = readWeek(raw);
  return read.ok && isRecord(raw)
    ? daysOf(
        read.value,
        DAYS.filter((day) => Object.hasOwn(raw, day)),
      )
    : undefined;
};
