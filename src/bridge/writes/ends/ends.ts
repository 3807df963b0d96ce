import { isDeepStrictEqual } from 'node:util';
import type { Feature, Json } from '../../../features/feature.ts';
import { type Device, type DeviceState, deviceKey } from '../../state/deviceState.ts';
import { partValue } from '../../state/valueParts.ts';
import { asShown, contestedIn, nameOf, withoutContested, withoutTemporary } from '../write/end.ts';
import { type End, type EndPart, isSent, type SentWrite } from '../write/write.ts';
import { type Place, placeKey, type WriteLog } from '../write/writeLog.ts';

/** A temporary write: one that ends at a given time. `isPossible`: its answer was lost, and no read has shown it yet. */
export type Temporary = Place & End & Pick<SentWrite, 'key' | 'command' | 'isPossible'>;

/** A part that somebody else has changed, with what it shows now. */
export type ContestedPart = EndPart & { readonly shown: Json };

/** A temporary write of which somebody else has changed these parts, by their names. */
export type Conflict = Pick<Temporary, 'feature' | 'untilMs'> & { readonly names: readonly string[] };

/** The ends of temporary writes, at most one that is in force on each feature: a query over the writes. */
export class Ends {
  readonly #writes: WriteLog;
  readonly #states: ReadonlyMap<string, DeviceState>;

  constructor(writes: WriteLog, states: ReadonlyMap<string, DeviceState>) {
    this.#writes = writes;
    this.#states = states;
  }

  /** The temporary write on the feature now. */
  running(place: Place): Temporary | undefined {
    const write = this.#writes.sentOn(place).findLast(isRunning);
    return write && temporaryOf(write);
  }

  /** The temporary writes of all features. */
  allRunning(): readonly Temporary[] {
    const running = this.#writes.all().filter(isSent).filter(isRunning);
    return running.flatMap((write) => temporaryOf(write) ?? []);
  }

  /** All temporary writes that may have to end, also those of which it is not known whether they were carried out. */
  all(): readonly Temporary[] {
    const writes = this.#writes.all().filter(isSent);
    // Until it is known what became of a write of an earlier run, nothing on its feature ends.
    const open = new Set(writes.filter((one) => this.#writes.isLeft(one.key) && isUnanswered(one)).map(placeKey));
    const known = writes.filter((one) => !open.has(placeKey(one)) && (isRunning(one) || (one.isPossible && !isUnanswered(one))));
    return known.flatMap((one) => temporaryOf(one) ?? []);
  }

  /** Moves the end (epoch milliseconds); false where it is the same. */
  move(place: Place, untilMs: number): boolean {
    return this.#change(place, (end) => ({ ...end, untilMs }));
  }

  /** Removes what somebody else has changed from the temporary write, which goes on with the rest; false where there is nothing of that. */
  leaveContested(place: Place): boolean {
    const shown = this.#shown(place);
    return shown !== undefined && this.#change(place, (end) => withoutContested(end, shown));
  }

  /** Takes what somebody else has written as the temporary values, so that the former ones come back over it. */
  takeContested(place: Place): void {
    const shown = this.#shown(place);
    if (shown) this.#change(place, (end) => asShown(end, shown));
  }

  /** Removes the temporary write without a revert. */
  end(place: Place): void {
    this.#change(place, () => undefined);
  }

  /** Changes the end of the temporary write; false where it is the same. */
  #change(place: Place, change: (end: End) => End | undefined): boolean {
    const running = this.#writes.sentOn(place).findLast(isRunning);
    const end = running?.end && change(running.end);
    if (!running || isDeepStrictEqual(end, running.end)) return false;
    this.#writes.apply([running.key], { kind: 'endChanged', end });
    return true;
  }

  /** Removes possible writes that have ended by now (epoch milliseconds): a read has shown that they were not carried out. */
  dropPossible(place: Place, nowMs: number): void {
    for (const { key, end, isPossible } of this.#writes.sentOn(place))
      if (end && isPossible && end.untilMs <= nowMs) this.#writes.apply([key], { kind: 'endChanged', end: undefined });
  }

  /** Reads have shown these features: they may prove that possible writes were carried out. */
  seen(state: DeviceState, features: readonly Feature[]): void {
    const device = deviceKey(state.device);
    for (const write of this.#writes.all().filter(isSent)) {
      if (write.device !== device || !write.end || !(write.isPossible || write.end.unseen)) continue;
      const feature = features.find(({ name }) => name === write.feature);
      if (feature) this.#writes.apply([write.key], { kind: 'shown', feature });
    }
  }

  /**
   * What somebody else has changed of the temporary write on the feature. While a write to a part is pending this is not known: an earlier
   * value may still show, or one that the platform has adapted.
   */
  contested(place: Place): readonly ContestedPart[] {
    const running = this.running(place);
    const shown = this.#shown(place);
    if (!running || !shown) return [];
    const pending = this.#states.get(place.device)?.pending;
    return contestedIn(running, shown)
      .filter((part) => !pending?.mayChange(place.feature, part))
      .map((part) => ({ ...part, shown: partValue(shown, part) ?? null }));
  }

  /** The temporary writes on a device of which somebody else has changed something. */
  conflicts(device: Device): readonly Conflict[] {
    const key = deviceKey(device);
    return this.allRunning().flatMap((running) => {
      const names = running.device === key ? this.contested(running).map(nameOf) : [];
      return names.length > 0 ? [{ feature: running.feature, untilMs: running.untilMs, names }] : [];
    });
  }

  /** The feature as it is shown now. */
  #shown({ device, feature }: Place): Feature | undefined {
    return this.#states.get(device)?.shown(feature);
  }

  /** The feature as it will be after its temporary write. */
  lasting(place: Place, feature: Feature): Feature {
    const running = this.running(place);
    return running ? withoutTemporary(feature, running) : feature;
  }
}

const isRunning = ({ state, end, isPossible }: SentWrite): boolean =>
  end !== undefined && !isPossible && (state === 'accepted' || state === 'settled');

const isUnanswered = ({ isPossible, answer }: SentWrite): boolean => isPossible === true && answer === 'open';

const temporaryOf = ({ key, device, feature, command, isPossible, end }: SentWrite): Temporary | undefined =>
  end && { key, device, feature, command, ...(isPossible ? { isPossible } : {}), ...end };
