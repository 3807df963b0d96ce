import type { Feature, Json } from '../../../features/feature.ts';
import { hasPlans, isCancelling } from '../../../features/fields.ts';
import { printInstant } from '../../../schedule/zone.ts';
import { CLOCK_CHECK_MS, type Clock, DAY_MS, wakeLoop } from '../../../shared/clock.ts';
import type { Device, DeviceState } from '../../state/deviceState.ts';
import { isChosen } from '../../state/readTarget.ts';
import { CANCELLED, noCommand, noDevice, noFeature, notFollowed, supersededBy } from '../answers/results.ts';
import type { PlannedWrite, WaitingValues } from '../parse/evaluate.ts';
import type { WaitingCommand, WaitingShare } from '../parse/resolveWrite.ts';
import { type DeviceRequest, reply } from '../request/commandRequest.ts';
import { isSent, type WaitingWrite, type Write } from '../write/write.ts';
import { placeOf, type WriteLog } from '../write/writeLog.ts';
import type { SentCommand } from './mergeWrites.ts';

type WaitingSettings = {
  /** The time zone of shown instants. */
  readonly zone: (device: Device) => string;
  /** Undefined where the settings name the devices; `devices()` is undefined until they are known. */
  readonly discovery?: { devices(): readonly Device[] | undefined } | undefined;
};

/** The payload of a feature's `waiting` topic. */
type WaitingPayload = {
  readonly command: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly missing: readonly string[];
  /** RFC 3339, in the zone of the device. */
  readonly since: string;
  readonly until: string;
};

/**
 * Writes whose command needs other values too. They wait for these, over restarts, for at most a day. Each
 * gets one final answer: with the command, or when it ends without one.
 */
export const waitingWrites = (settings: WaitingSettings, states: ReadonlyMap<string, DeviceState>, writes: WriteLog, clock: Clock) => {
  const loop = wakeLoop(clock);

  /** The waiting values of the feature, if any. */
  const of = (state: DeviceState, feature: string): WaitingCommand | undefined => {
    const all = openOn(state, feature);
    const last = all.at(-1);
    if (!last) return undefined;
    const values = new Map(all.flatMap((write) => Object.entries(write.values)));
    return { command: last.command, values, writes: all.map((write) => joined(state, write)) };
  };

  /** The shown payload; also while the command is being sent. */
  const shown = (state: DeviceState, feature: string): WaitingPayload | undefined => {
    const own = writes.at(placeOf(state.device, feature));
    const sending = own.filter(isSent).flatMap((write) => {
      const isUnderWay = write.state === 'sent' || (write.state === 'lost' && write.answer === 'open');
      return isUnderWay && !writes.isLeft(write.key) ? (writes.askedOf(write).waited ?? []) : [];
    });
    const all = [...sending, ...own.filter(isOpen)];
    return all.length === 0 ? undefined : waitingPayload(all, settings.zone(state.device));
  };

  /** Adds a write that needs other values. Its values replace waiting ones. */
  const add = (request: DeviceRequest, write: PlannedWrite, { values, missing }: WaitingValues): void => {
    const { state } = request.target;
    const { feature, command, envelope } = write;
    const at = clock.now();
    const untilMs = at + DAY_MS;
    const [older, names] = [openOn(state, feature), [...values.keys()]];
    const common = {
      ...placeOf(state.device, feature),
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
    const message = `${names.join(', ')} waits until ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} written too; nothing was sent yet`;
    reply(request, { status: 'waiting', message, until, facts: { about: 'waits', names, missing } }, write);
    loop.wake();
  };

  /** True for a cancelling command that has only waiting values to cancel. */
  const isAllToCancel = (state: DeviceState, feature: Feature, command: string): boolean => {
    const waits = of(state, feature.name);
    if (!waits || !isCancelling(feature, command)) return false;
    return feature.commands.get(command)?.isExecutable !== true || !hasPlans(feature, waits.command);
  };

  /** Discards the waiting values of the feature. */
  const cancel = (state: DeviceState, feature: string): void => {
    const keys = openOn(state, feature).map(({ key }) => key);
    writes.apply(keys, { kind: 'closed', result: CANCELLED });
  };

  /** A write changed nothing: closes `joined`, which waited for it, and drops waiting `properties`. */
  const unchanged = (state: DeviceState, feature: string, joined: readonly WaitingShare[], properties: readonly string[]): void => {
    const done = joined.map(({ waited }) => waited);
    const others = openOn(state, feature).flatMap(({ key }) => (done.includes(key) ? [] : [key]));
    writes.apply(done, { kind: 'closed', result: { status: 'unchanged' } });
    writes.apply(others, { kind: 'overwritten', properties, why: `${properties.join(', ')} was written back before it was sent` });
  };

  /** A command is sent: returns by key the writes that go with it; other waiting writes may end. */
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

  /** Reads have shown these features: closes writes whose command is gone. */
  const seen = (state: DeviceState, features: readonly Feature[]): void => {
    for (const feature of features)
      for (const { key, command } of openOn(state, feature.name))
        if (!feature.isEnabled || !feature.commands.has(command))
          writes.apply([key], { kind: 'closed', result: noCommand(feature.name, command) });
  };

  /** Closes writes to features that the platform no longer has. */
  const gone = (state: DeviceState, names: readonly string[]): void => {
    for (const feature of names)
      for (const { key } of openOn(state, feature)) writes.apply([key], { kind: 'closed', result: noFeature(feature) });
  };

  /** Closes writes to unknown devices, and to features that the settings leave out. */
  const dropUnknown = (): void => {
    const { discovery } = settings;
    if (discovery && discovery.devices() === undefined) return;
    for (const { key, device, name, feature } of open()) {
      const known = states.get(device)?.device;
      if (!known || !isChosen(known, feature)) writes.apply([key], { kind: 'closed', result: known ? noFeature(feature) : noDevice(name) });
    }
  };

  /** Closes writes after a day, until the signal is aborted. */
  const run = (signal: AbortSignal): Promise<void> =>
    loop.run(signal, () => {
      dropUnknown();
      for (const write of open()) {
        const { key, values, missing } = write;
        if (waitMs(write) <= 0) writes.apply([key], { kind: 'closed', result: notFollowed(Object.keys(values), missing) });
      }
      const waits = open().map(waitMs);
      return waits.length === 0 ? DAY_MS : Math.min(CLOCK_CHECK_MS, ...waits);
    });

  /** Limits the wait to a day of both the clock and this process, in case the clock is set. */
  const waitMs = ({ key, untilMs }: WaitingWrite): number => Math.min(untilMs - clock.now(), DAY_MS - writes.knownForMs(key));

  const open = (): readonly WaitingWrite[] => writes.all().filter(isOpen);

  const openOn = ({ device }: DeviceState, feature: string): readonly WaitingWrite[] => writes.at(placeOf(device, feature)).filter(isOpen);

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

/** True for a waiting write without a final answer. */
const isOpen = (write: Write): write is WaitingWrite => write.state === 'waiting' && !write.outcome;

/** The payload for these writes, which wait on one feature. */
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
