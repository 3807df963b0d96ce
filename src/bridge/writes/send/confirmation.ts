import type { Feature, Json } from '../../../features/feature.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import type { Before } from '../../state/pendingWrites.ts';
import { type ReadTarget, readKey } from '../../state/readTarget.ts';
import { type Effect, isSamePart, isSameValue, partsOf, partValue } from '../../state/valueParts.ts';
import type { CommandResult } from '../request/commandRequest.ts';
import type { RecordReader } from './recordReader.ts';

const SHOWN: CommandResult = { status: 'applied' };

const unconfirmed = (code: string, message: string): CommandResult => ({ status: 'unconfirmed', code, message });

const NOT_SHOWN = unconfirmed('not_shown', 'the platform said yes, but did not show it in any of the confirming reads');
const NO_CALL_LEFT = unconfirmed(
  'no_quota',
  'the platform said yes; there is no call left to see whether it shows it, so the next poll will tell',
);
const STOPPING = unconfirmed('stopping', 'the platform said yes; the bridge was stopped before it could see it');

/** The expected effect of a sent write. */
type Expected = {
  readonly state: DeviceState;
  readonly feature: string;
  readonly effect: Effect;
  /** The values before the write. With `adapted`, any other value is the platform's adaptation. */
  readonly before: readonly Before[];
  readonly adapted: boolean;
  /** True where the platform accepted the command, false where its answer got lost. */
  readonly accepted: boolean;
  /** When the platform's answer came or was lost (`Clock.elapsedMs`); confirming reads count from it. */
  readonly sinceMs: number;
};

type Recheck = Omit<Expected, 'effect' | 'sinceMs'> & { readonly effect: Effect | undefined };

type Awaited = Expected & {
  readonly read: ReadTarget;
  /** The due times of confirming reads (`Clock.elapsedMs`). */
  readonly marks: number[];
  readonly resolve: (result: CommandResult) => void;
};

/** Reads that are due within this time of each other are merged. */
const SHARED_MS = 1000;

/** Waits until the platform shows the written values, with a few reads of its own and all other reads. */
export const confirmationOf = (reader: RecordReader, clock: Clock, confirmS: readonly number[], signal: AbortSignal) => {
  let awaited: Awaited[] = [];
  /** The read loops by the key of their target; aborting wakes a loop when a write joins. */
  const loops = new Map<string, AbortController>();

  /** The signal was aborted: ends all waits. */
  const stop = (): void => {
    end(awaited, STOPPING);
  };

  /** Resolves when the platform shows the effect, or after the last confirming read. */
  const wait = (what: Expected): Promise<CommandResult> => {
    if (signal.aborted) return Promise.resolve(STOPPING);
    return new Promise((resolve) => {
      const read = reader.showing(what.state, what.feature);
      awaited.push({ ...what, read, marks: confirmS.map((s) => what.sinceMs + s * 1000), resolve });
      void ask(read);
    });
  };

  /** Reads once, later, for an effect that cannot be predicted, unless another read has shown it. */
  const look = async (what: Pick<Expected, 'state' | 'feature' | 'sinceMs'>): Promise<void> => {
    const dueMs = what.sinceMs + (confirmS[0] ?? 0) * 1000;
    await clock.sleep(Math.max(0, dueMs - clock.elapsedMs()), signal).catch(() => undefined);
    if (!signal.aborted && !isReadSince(what, dueMs)) await reader.readAsPoll(reader.showing(what.state, what.feature));
  };

  /**
   * As `wait`, for a command of an earlier run, with one read at once. After that read the result is
   * `NOT_SHOWN` where no effect can be predicted.
   */
  const recheck = async ({ effect, ...what }: Recheck): Promise<CommandResult> => {
    const { state, feature } = what;
    const sinceMs = clock.elapsedMs();
    state.markStale(feature, sinceMs);
    const confirmed = effect && wait({ ...what, effect, sinceMs });
    await reader.readAsPoll(reader.showing(state, feature));
    const result = (await confirmed) ?? NOT_SHOWN;
    return signal.aborted && result.status !== 'applied' ? STOPPING : result;
  };

  /** Features were read: ends the waits whose effect they show. */
  const seen = (state: DeviceState, features: readonly Feature[]): void => {
    if (awaited.length === 0) return;
    for (const feature of features) {
      const mine = awaited.filter((waiting) => waiting.state === state && waiting.feature === feature.name);
      const [first] = mine;
      // The last of several writes may restore the first value, so former values prove nothing yet.
      if (!first || (mine.length > 1 && showsBefore(feature, first.before))) continue;
      const last = mine.findLastIndex((waiting) => shows(feature, waiting.effect));
      const done: Awaited[] = [];
      for (const waiting of mine.slice(0, last + 1).toReversed()) {
        const { accepted, effect, before } = waiting;
        // The platform keeps the order: a shown later write proves earlier accepted ones on the same parts.
        // For a lost write, values from before prove nothing: a lagging record shows them too.
        if (accepted ? shows(feature, effect, done) : shows(feature, effect) && !showsBefore(feature, before)) done.push(waiting);
      }
      end(done.toReversed(), SHOWN);
      for (const waiting of mine) {
        const { adapted, before, effect } = waiting;
        const isAdapted = adapted && awaited.includes(waiting) && !showsBefore(feature, before);
        if (isAdapted) end([waiting], { ...SHOWN, adapted: shownValues(feature, effect) });
      }
    }
  };

  const end = (waiting: readonly Awaited[], result: CommandResult): void => {
    awaited = awaited.filter((one) => !waiting.includes(one));
    for (const { resolve } of waiting) resolve(result);
  };

  const of = (key: string): Awaited[] => awaited.filter(({ read }) => readKey(read.target) === key);

  /** Reads one target while writes wait for it. */
  const ask = async (read: ReadTarget): Promise<void> => {
    const key = readKey(read.target);
    const asking = loops.get(key);
    // The running loop may sleep longer than the new write allows.
    asking?.abort();
    if (asking) return;
    for (let all = of(key); all.length > 0; all = of(key)) {
      const woken = new AbortController();
      loops.set(key, woken);
      const pause = dueMs(all) - clock.elapsedMs();
      if (pause > 0) {
        await clock.sleep(pause, AbortSignal.any([signal, woken.signal])).catch(() => undefined);
        continue;
      }
      const now = clock.elapsedMs();
      // The last read of a write is never early: its result is final.
      const late = all.filter(({ marks }) => (marks[0] ?? 0) <= now + (marks.length > 1 ? SHARED_MS : 0));
      // Another read may have been made at the same time.
      const isRead = late.every((waiting) => isReadSince(waiting, waiting.marks[0] ?? 0));
      for (const { marks } of late) marks.shift();
      if (isRead || (await reader.readAsPoll(read))) endLast(late);
      else end(late, NO_CALL_LEFT);
    }
    loops.delete(key);
  };

  /** Ends the waits whose last read was made. */
  const endLast = (late: readonly Awaited[]): void => {
    for (const waiting of late.filter((one) => awaited.includes(one) && one.marks.length === 0)) {
      const truth = waiting.state.features.get(waiting.feature)?.truth;
      end([waiting], truth && shows(truth, waiting.effect) ? SHOWN : NOT_SHOWN);
    }
  };

  return { stop, wait, look, recheck, seen };
};

export type Confirmation = ReturnType<typeof confirmationOf>;

/** True where a read that began at `atMs` or later has shown the feature. */
const isReadSince = ({ state, feature }: Pick<Awaited, 'state' | 'feature'>, atMs: number): boolean =>
  (state.features.get(feature)?.readAtMs ?? Number.NEGATIVE_INFINITY) >= atMs;

/** When the next read is due. It waits for last reads that are due soon, since those must not be early. */
const dueMs = (all: readonly Pick<Awaited, 'marks'>[]): number => {
  const next = all.map(({ marks: [mark = Number.NEGATIVE_INFINITY, ...more] }) => ({ mark, isLast: more.length === 0 }));
  const first = Math.min(...next.map(({ mark }) => mark));
  const together = next.filter(({ mark, isLast }) => isLast && mark <= first + SHARED_MS).map(({ mark }) => mark);
  return Math.max(first, ...together);
};

/** True where the feature shows the effect, except for parts that `later` writes have overwritten. */
const shows = (feature: Feature, effect: Effect, later: readonly Awaited[] = []): boolean => {
  const again = later.flatMap((one) => partsOf(one.effect));
  return partsOf(effect).every(
    (part) => again.some((one) => isSamePart(one, part)) || isSameValue(part, partValue(feature, part), part.value),
  );
};

/** True where the feature shows only values from before the write. */
const showsBefore = (feature: Feature, before: readonly Before[]): boolean =>
  before.every((part) => part.values.some((value) => isSameValue(part, partValue(feature, part), value)));

const shownValues = (feature: Feature, { values }: Effect): Json => {
  const shown = [...values.keys()].map((name) => [name, feature.properties.get(name)?.value ?? null] as const);
  return shown.length === 1 ? (shown[0]?.[1] ?? null) : Object.fromEntries(shown);
};
