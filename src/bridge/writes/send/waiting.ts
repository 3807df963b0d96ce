import type { Feature, Json } from '../../../features/feature.ts';
import { hasPlans, isCancelling } from '../../../features/fields.ts';
import { printInstant } from '../../../schedule/zone.ts';
import { type Clock, DAY_MS, wakeLoop } from '../../../shared/clock.ts';
import { type Device, type DeviceState, deviceKey } from '../../state/deviceState.ts';
import { isChosen } from '../../state/readTarget.ts';
import { CANCELLED, noCommand, noDevice, noFeature, notFollowed, supersededBy } from '../answers/results.ts';
import type { PlannedWrite, WaitingValues } from '../parse/evaluate.ts';
import type { WaitingCommand, WaitingShare } from '../parse/resolveWrite.ts';
import { type DeviceRequest, reply } from '../request/commandRequest.ts';
import type { WaitingWrite, Write } from '../write/write.ts';
import type { WriteLog } from '../write/writeLog.ts';
import type { SentCommand } from './mergeWrites.ts';

// A clock that was set, or a machine that slept, is noticed within this time.
const LOOK_MS = 60_000;

type WaitingSettings = {
  /** The time zone in which instants are shown. */
  readonly zone: (device: Device) => string;
  /** Undefined where the settings name the devices; it gives none while it is not known which there are. */
  readonly discovery?: { devices(): readonly Device[] | undefined } | undefined;
};

/** What the topic `waiting` of a feature shows. */
type WaitingPayload = {
  readonly command: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly missing: readonly string[];
  /** RFC 3339, in the zone of the device. */
  readonly since: string;
  readonly until: string;
};

/**
 * Writes of which the command needs other values too. They wait, over restarts, until these are written; a day at most. Each gets its one
 * final answer: with the command, or when it ends without one.
 */
export const waitingWrites = (settings: WaitingSettings, states: ReadonlyMap<string, DeviceState>, writes: WriteLog, clock: Clock) => {
  const loop = wakeLoop(clock);

  /** What waits on the feature; undefined where nothing does. */
  const of = (state: DeviceState, feature: string): WaitingCommand | undefined => {
    const all = openOn(state, feature);
    const last = all.at(-1);
    if (!last) return undefined;
    const values = new Map(all.flatMap((write) => Object.entries(write.values)));
    return { command: last.command, values, writes: all.map((write) => joined(state, write)) };
  };

  /** What is shown of it: also while the command is on its way. */
  const shown = (state: DeviceState, feature: string): WaitingPayload | undefined => {
    const place = { device: deviceKey(state.device), feature };
    // Almost always.
    if (writes.at(place).length === 0) return undefined;
    const sending = writes.sentOn(place).flatMap((write) => {
      const isUnderWay = write.state === 'sent' || (write.state === 'lost' && write.answer === 'open');
      return isUnderWay && !writes.isLeft(write.key) ? (writes.askedOf(write).waited ?? []) : [];
    });
    const all = [...sending, ...openOn(state, feature)];
    return all.length === 0 ? undefined : waitingPayload(all, settings.zone(state.device));
  };

  /** Adds a write that needs others. What it writes anew takes the place of what waited. */
  const add = (request: DeviceRequest, write: PlannedWrite, { values, missing }: WaitingValues): void => {
    const { state } = request.target;
    const { feature, command, envelope } = write;
    const at = clock.now();
    const untilMs = at + DAY_MS;
    const [older, names] = [openOn(state, feature), [...values.keys()]];
    const common = {
      device: deviceKey(state.device),
      feature,
      at,
      name: state.device.name,
      command,
      topic: request.source,
      id: envelope.id ?? request.id,
      by: request.by,
    };
    const about = { envelope: { id: common.id }, feature, command };
    writes.add({ ...common, state: 'waiting', values: Object.fromEntries(values), missing, untilMs }, { request, about }, true);
    writes.apply(
      older.map(({ key }) => key),
      (index) =>
        older[index]?.command === command
          ? { kind: 'overwritten', properties: names, why: `${names.join(', ')} was written again before it was sent` }
          : { kind: 'closed', result: supersededBy(`${names.join(', ')} of ${command} waits instead; it was not sent`) },
      () => writes.emit('shownChanged', state, feature),
    );
    const until = new Date(untilMs).toISOString();
    const message = `${names.join(', ')} is kept until ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} written too; nothing was sent yet`;
    reply(request, { status: 'waiting', message, until, facts: { about: 'waits', names, missing } }, write);
    loop.wake();
  };

  /** True for a command that has nothing to cancel but what waits. */
  const isAllToCancel = (state: DeviceState, feature: Feature, command: string): boolean => {
    const waits = of(state, feature.name);
    if (!waits || !isCancelling(feature, command)) return false;
    return feature.commands.get(command)?.isExecutable !== true || !hasPlans(feature, waits.command);
  };

  /** Discards what waits on the feature. */
  const cancel = (state: DeviceState, feature: string): void => {
    const keys = openOn(state, feature).map(({ key }) => key);
    writes.apply(keys, { kind: 'closed', result: CANCELLED });
  };

  /** A write has changed nothing. `joined` waited for it, and `properties` no longer wait. */
  const unchanged = (state: DeviceState, feature: string, joined: readonly WaitingShare[], properties: readonly string[]): void => {
    const done = joined.map(({ waited }) => waited);
    const others = openOn(state, feature).flatMap(({ key }) => (done.includes(key) ? [] : [key]));
    writes.apply(done, { kind: 'closed', result: { status: 'unchanged' } });
    writes.apply(others, { kind: 'overwritten', properties, why: `${properties.join(', ')} was written back before it was sent` });
  };

  /** A command is sent. Gives by key the writes that go with it; other waiting writes may end. */
  const takenBy = ({ state, feature, command, shares, effect, before }: SentCommand): ReadonlyMap<number, WaitingWrite> => {
    const all = openOn(state, feature);
    if (all.length === 0) return new Map();
    const joined = new Set(shares.flatMap(({ waited }) => waited ?? []));
    const other = {
      kind: 'otherSent',
      command,
      properties: [...(effect?.values.keys() ?? [])],
      isCancelling: isCancelling(before, command),
    } as const;
    writes.apply(
      all.map(({ key }) => key),
      (index) => (joined.has(all[index]?.key ?? 0) ? { kind: 'joined' } : other),
    );
    return new Map(all.flatMap((write) => (joined.has(write.key) ? [[write.key, write]] : [])));
  };

  /** Reads have shown these features. */
  const seen = (state: DeviceState, features: readonly Feature[]): void => {
    for (const feature of features)
      for (const { key, command } of openOn(state, feature.name))
        if (!feature.isEnabled || !feature.commands.has(command))
          writes.apply([key], { kind: 'closed', result: noCommand(feature.name, command) });
  };

  /** The platform no longer has these features. */
  const gone = (state: DeviceState, names: readonly string[]): void => {
    for (const feature of names)
      for (const { key } of openOn(state, feature)) writes.apply([key], { kind: 'closed', result: noFeature(feature) });
  };

  /** Ends what waits on devices that are not known, and on features that the settings leave out. */
  const dropUnknown = (): void => {
    const { discovery } = settings;
    if (discovery && discovery.devices() === undefined) return;
    for (const { key, device, name, feature } of open()) {
      const known = states.get(device)?.device;
      if (!known || !isChosen(known, feature)) writes.apply([key], { kind: 'closed', result: known ? noFeature(feature) : noDevice(name) });
    }
  };

  /** Ends writes after a day, until the signal. */
  const run = (signal: AbortSignal): Promise<void> =>
    loop.run(signal, () => {
      dropUnknown();
      for (const write of open()) {
        const { key, values, missing } = write;
        if (waitMs(write) <= 0) writes.apply([key], { kind: 'closed', result: notFollowed(Object.keys(values), missing) });
      }
      const waits = open().map(waitMs);
      return waits.length === 0 ? DAY_MS : Math.min(LOOK_MS, ...waits);
    });

  /** None waits for longer than a day of the clock, nor of this process, wherever the clock is set. */
  const waitMs = ({ key, untilMs }: WaitingWrite): number => Math.min(untilMs - clock.now(), DAY_MS - writes.knownForMs(key));

  const open = (): readonly WaitingWrite[] => writes.all().filter(isOpen);

  const openOn = ({ device }: DeviceState, feature: string): readonly WaitingWrite[] =>
    writes.at({ device: deviceKey(device), feature }).filter(isOpen);

  const joined = (state: DeviceState, write: WaitingWrite): WaitingShare => {
    const { key, feature, command, id, values } = write;
    const content = { kind: 'arguments', args: values, placeOf: (path: string) => path } as const;
    const parsed: PlannedWrite = { feature, command, envelope: { id }, content, dryRun: false };
    const { request } = writes.askedOf(write);
    const target =
      request.target.kind === 'unknown' ? ({ kind: 'stored', state, device: state.device.name, feature } as const) : request.target;
    return { waited: key, request: { ...request, target }, write: parsed, properties: Object.keys(values) };
  };

  return { of, shown, add, isAllToCancel, cancel, unchanged, takenBy, seen, gone, dropUnknown, run };
};

export type WaitingWrites = ReturnType<typeof waitingWrites>;

/** True for what waits and has no final answer yet. */
const isOpen = (write: Write): write is WaitingWrite => write.state === 'waiting' && !write.outcome;

/** What is shown of these writes, which wait on one feature. */
const waitingPayload = (all: readonly WaitingWrite[], zone: string): WaitingPayload => {
  const values: Readonly<Record<string, Json>> = Object.assign({}, ...all.map((write) => write.values));
  const missing = new Set(all.flatMap((write) => write.missing));
  return {
    command: all.at(-1)?.command ?? '',
    values,
    missing: [...missing].filter((name) => !Object.hasOwn(values, name)),
    since: printInstant(Math.min(...all.map(({ at }) => at)), zone),
    until: printInstant(Math.min(...all.map(({ untilMs }) => untilMs)), zone),
  };
};
