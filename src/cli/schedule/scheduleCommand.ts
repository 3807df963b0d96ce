import { brokerOptionsOf } from '../../brokerOptions.ts';
import type { Settings } from '../../config/settings.ts';
import { requestClient } from '../../mqtt/requestClient.ts';
import type { Hint } from '../../schedule/hints/checks.ts';
import type { Io } from '../terminal/io.ts';
import { hasColour, jsonText } from '../terminal/terminalText.ts';
import { chooseSchedules } from './chooseSchedules.ts';
import { hintLines, readHints } from './readHints.ts';
import { type RetainedState, readSchedules, type ScheduleName } from './retainedSchedules.ts';
import { type ScheduleRequest, splitWords } from './scheduleArguments.ts';
import { setSchedule, undoSchedule } from './setSchedule.ts';
import { drawSchedule, jsonOf, profileLines, profileUses, textOf } from './showSchedule.ts';

type ScheduleIo = Pick<Io, 'env' | 'cwd' | 'out' | 'err' | 'stdin' | 'isTTY'>;

/**
 * `heating2mqtt schedule`: shows and writes weeks through the topics of the running bridge. Exit code 0 if
 * everything is as requested, else 1. Throws UsageError, and coded errors for an unreachable broker or
 * bridge.
 */
export const schedule = async (
  settings: Pick<Settings, 'mqtt' | 'data_dir'>,
  request: ScheduleRequest,
  io: ScheduleIo,
): Promise<number> => {
  const client = await requestClient(brokerOptionsOf(settings));
  try {
    const state = await readSchedules(client, settings.mqtt.base, fullName(request));
    if (request.kind === 'set') return await setSchedule(client, state, request, settings.mqtt, io);
    if (request.kind === 'undo') return await undoSchedule(client, state, request, settings.mqtt.base, io);
    if (request.kind === 'versions') return await (await import('./versions.ts')).versions(client, state, request, settings, io);
    const schedules = chooseSchedules(state.schedules, request.words, settings.mqtt.base);
    if (!state.bridge.isOnline) io.err('The bridge is offline; this is its last known state.');
    if (request.kind === 'show') {
      const hints = request.form === 'chart' ? await readHints(client, settings, schedules, state.bridge, Date.now()) : [];
      show(request, { ...state, schedules }, hints, io);
    } else {
      const uses = profileUses(state.bridge, schedules);
      io.out(request.json ? jsonText(uses) : profileLines(uses).join('\n'));
    }
    return 0;
  } finally {
    await client.close();
  }
};

// Longer than any known name; the length of a topic is limited.
const FULL_NAME = /^[\w.-]{1,200}$/u;

/** The device and feature in the words, if these can be full names. */
const fullName = (request: ScheduleRequest): ScheduleName | undefined => {
  const endsWithWeek = request.kind === 'set' && request.file === undefined && request.profile === undefined;
  const [device, feature] = endsWithWeek ? splitWords(request.words, []).names : request.words;
  return device !== undefined && feature !== undefined && FULL_NAME.test(feature) ? { device, feature } : undefined;
};

type ShowRequest = Extract<ScheduleRequest, { kind: 'show' }>;

/** `hints` are in the order of the schedules. */
const show = (
  { form, words }: ShowRequest,
  { bridge, schedules }: RetainedState,
  hints: readonly (readonly Hint[])[],
  io: ScheduleIo,
): void => {
  if (form === 'json') io.out(jsonText(schedules.map(jsonOf)));
  else if (form === 'text') {
    const isAlone = schedules.length === 1 && words.length > 0;
    for (const one of schedules) io.out(textOf(one, isAlone));
  } else {
    const drawn = schedules.map((one, index) => [
      ...drawSchedule(one, bridge, Date.now(), hasColour(io)),
      ...hintLines(hints[index] ?? []),
    ]);
    io.out(drawn.map((lines) => lines.join('\n')).join('\n\n'));
  }
};
