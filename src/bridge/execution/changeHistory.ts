import type { Feature, Json } from '../../features/feature.ts';
import { readWeek } from '../../schedule/readWeek.ts';
import { changedDays } from '../../schedule/week.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Author, CommandResult } from '../commands/commandRequest.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import { isSameValue, partsOf, partValue, type ValuePart } from '../devices/valueParts.ts';
import type { Change, ChangeStore } from '../ports.ts';
import type { InterruptedWrite } from './journalRecovery.ts';
import type { SendObserver, Sent, SentEnd, Share } from './sentCommand.ts';
import { type Undo, type UndoRules, undoOf } from './undoOfChange.ts';

/** Values by property; of a week by property and day. */
type Values = Readonly<Record<string, Json>>;

/** What is kept of a change. */
type Facts = {
  /** The name of the device in topics when it was made. */
  readonly name: string;
  readonly command: string;
  /** The topic of the command. */
  readonly topic: string;
  readonly by: Author;
  /** Absent where they are not known, or too long to be kept. */
  readonly before?: Values;
  readonly after?: Values;
  /** When it ends by itself (RFC 3339). */
  readonly until?: string;
  readonly status: CommandResult['status'];
  readonly code?: string;
  readonly message?: string;
};

/** A change as the page gets it. */
export type ShownChange = Facts & {
  readonly key: number;
  readonly at: string;
  readonly device: string;
  readonly feature: string;
  readonly undo: Undo;
};

/** A week of 7 × 8 entries has 4 KB. */
const LONGEST_VALUES = 16_000;
const LONGEST_TOPIC = 400;
/** Of the 64 letters of a name each has two units at most. */
const LONGEST_USER = 128;
const LONGEST_MESSAGE = 500;

const STATUS_OF: Readonly<Record<SentEnd, CommandResult['status']>> = {
  applied: 'applied',
  adapted: 'applied',
  unconfirmed: 'unconfirmed',
  failed: 'failed',
  unknown: 'unconfirmed',
};

/** Keeps what the bridge changes: who asked for it, when, the values before and after, and how it ended. Nothing of it waits before a call. */
export class ChangeHistory implements SendObserver {
  readonly #store: ChangeStore;
  readonly #states: ReadonlyMap<string, DeviceState>;
  readonly #rules: UndoRules;
  readonly #clock: Pick<Clock, 'now'>;
  /** The commands that are under way. */
  readonly #sending = new Map<Sent, { readonly keys: readonly number[]; readonly at: number }>();

  constructor(store: ChangeStore, states: ReadonlyMap<string, DeviceState>, rules: UndoRules, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#states = states;
    this.#rules = rules;
    this.#clock = clock;
  }

  beforeSend(sent: Sent, keys: readonly number[]): void {
    this.#sending.set(sent, { keys, at: this.#clock.now() });
  }

  accepted(sent: Sent): void {
    // What cannot be predicted has its answer with the platform's yes.
    this.#put(sent, sent.effect, { status: sent.effect ? 'accepted' : 'applied' });
  }

  ended(sent: Sent, how: SentEnd, result?: CommandResult): void {
    const truth = sent.state.features.get(sent.feature)?.truth;
    const isShown = how === 'adapted' || (how === 'applied' && !sent.effect);
    this.#put(sent, isShown && truth ? differing(sent.before, truth) : sent.effect, {
      ...result,
      status: result?.status ?? STATUS_OF[how],
    });
    this.#sending.delete(sent);
  }

  /** A write of an earlier run has its result. */
  recovered({ key, write, effect }: InterruptedWrite, { status, code, message }: CommandResult): void {
    const known = this.#store.find(key);
    const { device, feature, name, command, topic, by = { kind: 'mqtt' }, before = [] } = write;
    const former = before.flatMap(({ values: [value], ...part }) => (value === undefined ? [] : [{ ...part, value }]));
    const facts = known?.facts ?? factsOf({ name, command, topic, by, before: valuesOf(former), after: valuesOf(partsOf(effect)), status });
    const outcome = { status, code, message: message?.slice(0, LONGEST_MESSAGE) };
    this.#store.put({ key, at: known?.at ?? this.#clock.now(), device, feature, facts: { ...facts, ...outcome } });
  }

  /** The newest changes first; `before`: those with a smaller key. Devices are named as in topics. */
  newest({ before, device, feature }: { before?: number; device?: string; feature?: string }, most: number): readonly ShownChange[] {
    const [key] = device === undefined ? [] : ([...this.#states].find(([, state]) => state.device.name === device) ?? ['']);
    const which = { ...(before === undefined ? {} : { before }), ...(key === undefined ? {} : { device: key }) };
    return this.#store.newest({ ...which, ...(feature === undefined ? {} : { feature }) }, most).map((change) => this.#shown(change));
  }

  #shown({ key, at, device, feature, facts }: Change): ShownChange {
    const kept = facts as Facts;
    const state = this.#states.get(device);
    const name = state?.device.name ?? kept.name;
    const undo = undoOf({ ...kept, device: name }, state?.shown(feature), this.#rules);
    return { ...kept, key, at: new Date(at).toISOString(), device: name, feature, undo };
  }

  #put(sent: Sent, effect: Sent['effect'], { status, code, message }: CommandResult): void {
    // It was not sent.
    if (status === 'rejected') return;
    const { state, feature, command, shares, before: shown } = sent;
    const { keys, at } = this.#sending.get(sent) ?? { keys: [], at: 0 };
    for (const [index, key] of keys.entries()) {
      const share = shares[index];
      if (!share) continue;
      const { request, write } = share;
      const after = partsBy(share, effect, shown);
      const before = after.flatMap((part) => {
        const value = partValue(shown, part);
        return value === undefined ? [] : [{ ...part, value }];
      });
      const facts = factsOf({
        name: state.device.name,
        command,
        topic: request.source,
        by: request.by ?? { kind: 'mqtt' },
        before: valuesOf(before),
        after: valuesOf(after),
        ...(write.untilMs === undefined ? {} : { until: new Date(write.untilMs).toISOString() }),
        status,
        ...(code === undefined ? {} : { code }),
        ...(message === undefined ? {} : { message }),
      });
      this.#store.put({ key, at, device: deviceKey(state.device), feature, facts });
    }
  }
}

type Part = ValuePart & { readonly value: Json };

/** What a share of a command writes, without what was so already. */
const partsBy = ({ changed, kept, properties }: Share, effect: Sent['effect'], before: Feature): readonly Part[] => {
  const days = changed ?? kept;
  return partsOf(effect)
    .filter(({ day }) => day === undefined || days === undefined || days.includes(day))
    .filter(({ property }) => properties?.includes(property) ?? true)
    .filter((part) => !isSameValue(part, partValue(before, part), part.value));
};

/** As an effect, how a feature differs from before. */
const differing = (before: Feature, after: Feature): Sent['effect'] => {
  const changed = [...after.properties].flatMap(([name, { value }]): [string, Json][] => {
    const part = { property: name };
    return value === undefined || isSameValue(part, partValue(before, part), value) ? [] : [[name, value]];
  });
  const values = new Map(changed);
  const [only] = changed;
  if (changed.length !== 1 || !only) return { values };
  const [was, is] = [readWeek(before.properties.get(only[0])?.value), readWeek(only[1])];
  return was.ok && is.ok ? { values, days: changedDays(was.value, is.value) } : { values };
};

const valuesOf = (parts: readonly Part[]): Values => {
  const values: Record<string, Json> = {};
  for (const { property, day, value } of parts) {
    const week = Object.hasOwn(values, property) ? values[property] : {};
    values[property] = day === undefined ? value : { ...(week as Values), [day]: value };
  }
  return values;
};

/** The facts within the length that is kept. */
const factsOf = ({ before, after, by, topic, message, ...facts }: Facts): Facts => {
  const isKept = JSON.stringify([before, after]).length <= LONGEST_VALUES && Object.keys(after ?? {}).length > 0;
  return {
    ...facts,
    topic: topic.slice(0, LONGEST_TOPIC),
    by: { kind: by.kind, ...(by.user === undefined ? {} : { user: by.user.slice(0, LONGEST_USER) }) },
    ...(isKept && before && after ? { before, after } : {}),
    ...(message === undefined ? {} : { message: message.slice(0, LONGEST_MESSAGE) }),
  };
};
