import type { Feature, Json } from '../../../features/feature.ts';
import { type Device, type DeviceState, deviceKey } from '../../state/deviceState.ts';
import { isSamePart, partValue, type ValuePart } from '../../state/valueParts.ts';
import { END_NOT_KEPT } from '../answers/results.ts';
import type { CommandRequest } from '../request/commandRequest.ts';
import { contestedIn, endInForce, type InForce, nameOf, type PartInForce, withoutTemporary, withParts } from '../write/end.ts';
import { type End, isSent, type SentWrite } from '../write/write.ts';
import { type Place, placeKey, type WriteLog } from '../write/writeLog.ts';

/** A write that ends at a given time. `isPossible`: its answer was lost, and no read has shown it yet. */
export type Temporary = Place & InForce & Pick<SentWrite, 'isPossible'>;

/** A part that was changed elsewhere, with the shown value. */
export type ContestedPart = PartInForce & { readonly shown: Json };

/** A temporary write with the names of parts that were changed elsewhere. */
export type Conflict = Pick<Temporary, 'feature' | 'untilMs'> & { readonly names: readonly string[] };

/** The ends of temporary writes, at most one in force per feature, derived from the writes. */
export const makeEnds = (writes: WriteLog, states: ReadonlyMap<string, DeviceState>) => {
  /** The temporary write on the feature now. */
  const running = (place: Place): Temporary | undefined => runningOf(place, writes.sentOn(place));

  /** The temporary writes of all features. */
  const allRunning = (): readonly Temporary[] =>
    [...Map.groupBy(writes.all().filter(isSent), placeKey).values()].flatMap((sent) => (sent[0] && runningOf(sent[0], sent)) ?? []);

  /** All temporary writes that may have to end, including lost ones that may have been carried out. */
  const all = (): readonly Temporary[] => {
    const sent = writes.all().filter(isSent);
    // While a lost write of an earlier run is open, nothing on its feature ends.
    const open = new Set(sent.filter((one) => writes.isLeft(one.key) && isUnanswered(one)).map(placeKey));
    const possible = sent.filter((one) => one.isPossible && !isUnanswered(one)).flatMap(possibleOf);
    return [...allRunning(), ...possible].filter((one) => !open.has(placeKey(one)));
  };

  /** Moves the end (epoch milliseconds), by a command if given; false where it is unchanged. */
  const move = (place: Place, untilMs: number, request?: Pick<CommandRequest, 'by'>): boolean => {
    const isOther = running(place)?.untilMs !== untilMs;
    if (isOther) change(place, (end) => ({ ...end, untilMs }));
    if (isOther && request) writes.emit('endSet', place, request.by);
    return isOther;
  };

  /** Gives an end to values that are shown already; false where the end cannot be stored on disk. */
  const begin = (write: Omit<SentWrite, 'key'>): boolean => {
    const { result: key, isKept } = writes.together(() => writes.add(write, undefined, true));
    if (!isKept) writes.apply([key], { kind: 'refused', result: END_NOT_KEPT });
    writes.emit('endChanged', write);
    if (isKept) writes.emit('endSet', write, write.by);
    return isKept;
  };

  /** Drops parts that were changed elsewhere from the temporary write; false where there are none. */
  const leaveContested = (place: Place): boolean => {
    const [temporary, feature] = [running(place), shown(place)];
    return temporary !== undefined && feature !== undefined && drop(place, contestedIn(temporary, feature));
  };

  /** Takes values that were changed elsewhere as the temporary ones, so that the revert overwrites them. */
  const takeContested = (place: Place): void => {
    const [temporary, feature] = [running(place), shown(place)];
    if (!temporary || !feature) return;
    const { key, untilMs } = temporary;
    const parts = temporary.parts.map(({ unseen: _, ...part }) => ({ ...part, written: partValue(feature, part) ?? part.written }));
    // Parts under an accepted write are not in force: reads have yet to decide about them.
    const others = writes.sent(key)?.end?.parts.filter((part) => !parts.some((one) => isSamePart(one, part))) ?? [];
    writes.together(() => {
      drop(place, parts, key);
      writes.apply([key], { kind: 'endChanged', end: { untilMs, parts: [...others, ...parts] } });
    });
  };

  /** Removes the temporary write without a revert. */
  const end = (place: Place): void => void drop(place, running(place)?.parts ?? []);

  /** Removes these parts from all ends except that of `but`; false where there are no parts. */
  const drop = (place: Place, parts: readonly ValuePart[], but?: number): boolean => {
    change(place, (end, key) => (key === but ? end : withParts(end, (part) => !parts.some((one) => isSamePart(one, part)))));
    return parts.length > 0;
  };

  /** Changes the ends of the temporary writes to the feature, except possible ones. */
  const change = (place: Place, changed: (end: End, key: number) => End | undefined): void =>
    writes.together(() => {
      for (const { key, end, isPossible } of writes.sentOn(place))
        if (end && !isPossible) writes.apply([key], { kind: 'endChanged', end: changed(end, key) });
    }).result;

  /** Removes possible writes that ended by `nowMs` (epoch ms): reads show they were not carried out. */
  const dropPossible = (place: Place, nowMs: number): void => {
    for (const { key, end, isPossible } of writes.sentOn(place))
      if (end && isPossible && end.untilMs <= nowMs) writes.apply([key], { kind: 'endChanged', end: undefined });
  };

  /** Reads have shown these features: they may prove that possible writes were carried out. */
  const seen = (state: DeviceState, features: readonly Feature[]): void => {
    const device = deviceKey(state.device);
    for (const write of writes.all().filter(isSent)) {
      if (write.device !== device || !(write.over || (write.end && (write.isPossible || write.end.unseen)))) continue;
      const feature = features.find(({ name }) => name === write.feature);
      if (feature) writes.apply([write.key], { kind: 'shown', feature });
    }
  };

  /**
   * The parts of the temporary write on the feature that were changed elsewhere. Parts with a pending write
   * are left out: an earlier or an adapted value may still show.
   */
  const contested = (place: Place): readonly ContestedPart[] => {
    const [temporary, feature] = [running(place), shown(place)];
    if (!temporary || !feature) return [];
    const pending = states.get(place.device)?.pending;
    return contestedIn(temporary, feature)
      .filter((part) => !pending?.mayChange(place.feature, part))
      .map((part) => ({ ...part, shown: partValue(feature, part) ?? null }));
  };

  /** The temporary writes on a device with parts that were changed elsewhere. */
  const conflicts = (device: Device): readonly Conflict[] => {
    const key = deviceKey(device);
    return allRunning().flatMap((temporary) => {
      const { feature, untilMs } = temporary;
      const names = temporary.device === key ? contested(temporary).map(nameOf) : [];
      return names.length > 0 ? [{ feature, untilMs, names }] : [];
    });
  };

  /** The feature as it is shown now. */
  const shown = ({ device, feature }: Place): Feature | undefined => states.get(device)?.shown(feature);

  /** The feature as it will be after its temporary write. */
  const lasting = (place: Place, feature: Feature): Feature => {
    const temporary = running(place);
    return temporary ? withoutTemporary(feature, temporary) : feature;
  };

  return { running, allRunning, all, move, begin, leaveContested, takeContested, end, dropPossible, seen, contested, conflicts, lasting };
};

export type Ends = ReturnType<typeof makeEnds>;

const isUnanswered = ({ isPossible, answer }: SentWrite): boolean => isPossible === true && answer === 'open';

const runningOf = ({ device, feature }: Place, sent: readonly SentWrite[]): Temporary | undefined => {
  const inForce = endInForce(sent);
  return inForce && { device, feature, ...inForce };
};

const possibleOf = ({ key, device, feature, command, end }: SentWrite): readonly Temporary[] =>
  end ? [{ key, device, feature, command, isPossible: true, untilMs: end.untilMs, parts: end.parts }] : [];
