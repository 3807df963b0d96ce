import type { Feature, Json } from '../../features/feature.ts';
import { DAYS } from '../../schedule/week.ts';
import { revision } from '../../topics/recordPayload.ts';
import { type Effect, isSamePart, isSameValue, partsOf, partValue, standingIn, type ValuePart, withValue } from './valueParts.ts';

/** Possible values of a part before the write: a read may show them although it was carried out. */
export type Before = ValuePart & { readonly values: readonly Json[] };

/** A sent write that no read has shown yet. */
export type PendingWrite = {
  /** The key of its row. */
  readonly key: number;
  readonly feature: string;
  /** `accepted`: the platform has accepted it. `unknown`: its answer was lost. */
  readonly outcome: 'accepted' | 'unknown';
  /** Undefined where no effect can be predicted. */
  readonly effect: Effect | undefined;
  readonly before: readonly Before[];
  /** Where no effect can be predicted: revisions that a read may show before that of the write. */
  readonly revsBefore: readonly string[];
  /** When the platform's answer came, or was lost (`Clock.elapsedMs`); after a restart, the start. */
  readonly sinceMs: number;
};

/**
 * `isContested`: the last read showed a third value, neither written nor from before. `isCarried`: a day that
 * the write does not name, and that its command sent as it was shown.
 */
type Part = ValuePart & { readonly value: Json; readonly isContested: boolean; readonly isCarried?: true };

/** `isChanged`: reads show a changed record, where the effect cannot be predicted. */
type Open = { readonly write: PendingWrite; parts: readonly Part[]; isChanged: boolean };

/**
 * What a decision must know of earlier writes: their outcome; also the values that they made; or also whether
 * those values were changed since, which matters where shown values are sent.
 */
export type Needs = 'outcome' | 'values' | 'truth';

/** A lost command may still be carried out: the wait is longer by this share, 10 s of the usual minute. */
const LATE_SHARE = 1 / 6;

/**
 * The sent writes to one device that no read has shown yet. Accepted values replace read ones, part by part
 * (a property, or a day of a week), until a read shows the part. A read that began `settleMs` after the write
 * ends it as a whole. A third value, an edit in the app, is shown at once; only that last read can tell
 * whether the edit came before or after the write.
 */
export class PendingWrites {
  readonly #settleMs: number;
  readonly #open = new Map<number, Open>();
  #settled: number[] = [];
  /** Caches `withPending` by record, until a write or a read changes what is pending. */
  #shown = new WeakMap<Feature, Feature>();

  /** `left`: writes of an earlier run. */
  constructor(settleMs: number, left: readonly PendingWrite[] = []) {
    this.#settleMs = settleMs;
    for (const write of left) this.add(write);
  }

  /** Values that a read may show before the write: the last read ones, and those of pending writes. */
  before(feature: string, effect: Effect, truth: Feature | undefined): readonly Before[] {
    const open = this.#of(feature).map(({ write }) => ({ known: write.before, written: partsOf(write.effect) }));
    return partsOf(effect).map(({ property, day }) => {
      const part = day === undefined ? { property } : { property, day };
      const older = open.flatMap(({ known, written }) => [
        ...known.flatMap((one) => (isSamePart(one, part) ? one.values : [])),
        ...written.flatMap((one) => (isSamePart(one, part) ? [one.value] : [])),
      ]);
      const shown = partValue(truth, part);
      const known = shown === undefined ? older : [shown, ...older];
      return { ...part, values: known.filter((value, index) => known.findIndex((one) => isSameValue(part, one, value)) === index) };
    });
  }

  /** Revisions that reads may show before a new write: the last read one, and one per pending write. */
  revsBefore(truth: Feature | undefined): readonly string[] {
    if (!truth) return [];
    let feature = truth;
    const revs = new Set([revision(truth)]);
    for (const { write } of this.#of(truth.name)) {
      for (const part of partsOf(write.effect)) feature = withValue(feature, part, part.value);
      revs.add(revision(feature));
    }
    return [...revs];
  }

  /** Adds a sent write; if accepted, it replaces older ones on the same parts. */
  add(write: PendingWrite): void {
    this.#shown = new WeakMap();
    const parts = [...partsOf(write.effect), ...this.#carriedBy(write)].map((part) => ({ ...part, isContested: false }));
    const written = write.outcome === 'accepted' ? parts : [];
    for (const older of this.#of(write.feature)) {
      if (older.write.outcome !== 'accepted' || !older.write.effect) continue;
      older.parts = older.parts.filter((part) => !written.some((one) => isSamePart(one, part)));
      if (older.parts.every(({ isCarried }) => isCarried)) this.discard(older.write.key);
    }
    this.#open.set(write.key, { write, parts, isChanged: false });
  }

  /** The days that an accepted command sent without its write naming them, except those of pending writes. */
  #carriedBy({ feature, outcome, effect }: PendingWrite): readonly Omit<Part, 'isContested'>[] {
    if (outcome !== 'accepted' || !effect?.days) return [];
    const known = [
      ...effect.days,
      ...this.#of(feature).flatMap(({ parts }) => parts.flatMap(({ day, isCarried }) => (isCarried ? [] : day))),
    ];
    const days = DAYS.filter((day) => !known.includes(day));
    return partsOf({ ...effect, days }).map((part) => ({ ...part, isCarried: true as const }));
  }

  /** The write no longer replaces read values. */
  discard(key: number): void {
    this.#shown = new WeakMap();
    if (this.#open.delete(key)) this.#settled.push(key);
  }

  /** Ends the writes to a feature that the platform no longer has: no read will show them. */
  forget(feature: string): void {
    for (const { write } of this.#of(feature)) this.discard(write.key);
  }

  /** A read that began at `readAtMs` (`Clock.elapsedMs`) has shown the feature. */
  read(feature: Feature, readAtMs: number): void {
    for (const one of this.#of(feature.name)) {
      // A read that began before the write proves nothing.
      if (readAtMs < one.write.sinceMs) continue;
      this.#shown = new WeakMap();
      if (readAtMs >= this.#endMs(one) || this.#isSeen(one, feature)) this.#end(one);
    }
  }

  /** The feature with accepted pending values in place of the read ones; for features with `has`. */
  withPending(truth: Feature): Feature {
    const known = this.#shown.get(truth);
    if (known) return known;
    const shown = this.#of(truth.name)
      .filter(({ write }) => write.outcome === 'accepted')
      .flatMap(({ parts }) => parts.filter(({ isContested }) => !isContested))
      .reduce((feature, part) => withValue(feature, part, part.value), truth);
    this.#shown.set(truth, shown);
    return shown;
  }

  /**
   * When the state of the feature is known at the latest (`Clock.elapsedMs`); undefined where it is known
   * now. It is not while an answer is lost, an effect cannot be predicted, or a third value shows.
   */
  knownAtMs(feature: string, needs: Needs = 'truth'): number | undefined {
    const instants = this.#of(feature).flatMap((one) => (isKnown(one, needs) ? [] : [this.#endMs(one)]));
    return instants.length === 0 ? undefined : Math.max(...instants);
  }

  /** True where a read before that time may show the state too. */
  mayShowSooner(feature: string, needs: Needs): boolean {
    return this.#of(feature).some((one) => !isKnown(one, needs) && (one.write.effect !== undefined || needs === 'values'));
  }

  /** A read that begins at or after this time ends the write, whatever it shows. */
  #endMs({ write: { outcome, sinceMs } }: Open): number {
    return sinceMs + this.#settleMs * (outcome === 'unknown' ? 1 + LATE_SHARE : 1);
  }

  /** Keys of the writes that have ended since the last call. */
  takeSettled(): readonly number[] {
    const settled = this.#settled;
    this.#settled = [];
    return settled;
  }

  /** True where a write to the feature is pending. */
  has(feature: string): boolean {
    for (const { write } of this.#open.values()) if (write.feature === feature) return true;
    return false;
  }

  /** True where a write to this part is pending; one whose effect cannot be predicted may be to any part. */
  mayChange(feature: string, part: ValuePart): boolean {
    return this.#of(feature).some(
      ({ write: { effect }, parts }) => !effect || parts.some((one) => !one.isCarried && isSamePart(one, part)),
    );
  }

  #of(feature: string): readonly Open[] {
    if (!this.has(feature)) return [];
    return [...this.#open.values()].filter(({ write }) => write.feature === feature);
  }

  /** True where the read shows all open parts. */
  #isSeen(one: Open, feature: Feature): boolean {
    const { effect, outcome, revsBefore } = one.write;
    if (!effect) {
      // Only the last read can tell whether the command made the change.
      one.isChanged ||= !revsBefore.includes(revision(feature));
      return false;
    }
    const left = one.parts.flatMap((part) => leftOf(one.write, part, feature));
    if (outcome === 'accepted') one.parts = left;
    return left.every(({ isCarried }) => isCarried);
  }

  #end({ write }: Open): void {
    // A command without a predictable effect has replaced the values written before it.
    const older = write.effect ? [] : this.#of(write.feature).filter((one) => one.write.key < write.key);
    for (const one of older) this.discard(one.write.key);
    this.discard(write.key);
  }
}

/** The rest of a part after a read. */
const leftOf = ({ before, outcome }: PendingWrite, part: Part, feature: Feature): readonly Part[] => {
  const values = before.find((known) => isSamePart(known, part))?.values ?? [];
  const standing = standingIn(feature, part, part.value, values);
  if (standing === 'written' && !part.isCarried) return [];
  return [{ ...part, isContested: standing === 'other' && outcome === 'accepted' }];
};

const isKnown = ({ write: { outcome, effect }, parts, isChanged }: Open, needs: Needs): boolean => {
  if (outcome === 'unknown') return false;
  if (needs === 'outcome') return true;
  if (!effect) return needs === 'values' && isChanged;
  return needs === 'values' || !parts.some(({ isContested }) => isContested);
};
