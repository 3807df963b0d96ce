import { brokerOptionsOf } from '../../app.ts';
import type { Settings } from '../../config/settings.ts';
import { Guest } from '../../mqtt/requestClient.ts';
import type { Io } from '../io.ts';
import { chooseOne, chooseSchedules } from './choice.ts';
import { profileLines, profileUses } from './profiles.ts';
import { readWanted } from './requestedWeek.ts';
import { type Read, readSchedules } from './retainedSchedules.ts';
import { partWords, type ScheduleRequest } from './scheduleArguments.ts';
import { needOnline, refuse, setSchedule } from './setSchedule.ts';
import { drawSchedule, jsonOf, textOf } from './showSchedule.ts';

type ScheduleIo = Pick<Io, 'env' | 'cwd' | 'out' | 'err' | 'stdin' | 'isTTY'>;

/**
 * `heating2mqtt schedule`: shows and writes the weeks of schedules through the topics of the running bridge. Gives the exit code: 0 all is
 * as it was asked for, 1 not. Throws UsageError for wrong words, and coded errors where broker or bridge are away.
 */
export const schedule = async (settings: Pick<Settings, 'mqtt'>, request: ScheduleRequest, io: ScheduleIo): Promise<number> => {
  const guest = await Guest.enter(brokerOptionsOf(settings));
  try {
    const read = await readSchedules(guest, settings.mqtt.base, namedIn(request));
    if (request.what === 'set') return await set(guest, read, request, settings, io);
    if (!read.bridge.isOnline) io.err('The bridge is offline: this is what it said last.');
    const chosen = chooseSchedules(read.schedules, request.words, settings.mqtt.base);
    if (request.what === 'profiles') {
      const uses = profileUses(read.bridge, chosen);
      if (request.form === 'json') io.out(JSON.stringify(uses, undefined, 2));
      else for (const line of profileLines(uses)) io.out(line);
    } else show(request, { ...read, schedules: chosen }, io);
    return 0;
  } finally {
    await guest.leave();
  }
};

/** A device and a feature that could be named in full. */
const namedIn = (request: ScheduleRequest): { readonly device: string; readonly feature: string } | undefined => {
  const names = request.what === 'set' && request.source.from === 'words' ? partWords(request.words, []).names : request.words;
  const [device, feature] = names;
  return device !== undefined && feature !== undefined && FULL_NAME.test(feature) ? { device, feature } : undefined;
};

// Longer than any name seen; a topic has its limits.
const FULL_NAME = /^[\w.-]{1,200}$/u;

const hasColour = ({ env, isTTY }: Pick<Io, 'env' | 'isTTY'>): boolean => isTTY && !env.NO_COLOR && env.TERM !== 'dumb';

const show = ({ form, words }: Extract<ScheduleRequest, { what: 'show' }>, { bridge, schedules }: Read, io: ScheduleIo): void => {
  if (form === 'json') io.out(JSON.stringify(schedules.map(jsonOf), undefined, 2));
  else if (form === 'text') {
    const isAlone = schedules.length === 1 && words.length > 0;
    for (const found of schedules) io.out(textOf(found, isAlone));
  } else {
    io.out(schedules.map((found) => drawSchedule(found, bridge, Date.now(), hasColour(io)).join('\n')).join('\n\n'));
  }
};

const set = async (
  guest: Guest,
  { bridge, schedules }: Read,
  request: Extract<ScheduleRequest, { what: 'set' }>,
  { mqtt }: Pick<Settings, 'mqtt'>,
  io: ScheduleIo,
): Promise<number> => {
  const { words, source, day, ...how } = request;
  const devices = [...new Set(schedules.map((found) => found.device))];
  const { names, week } = source.from === 'words' ? partWords(words, devices) : { names: words, week: undefined };
  const found = chooseOne(schedules, names, mqtt.base);
  const wanted = await readWanted({ source, week, day }, found, bridge, mqtt.max_payload, io);
  if (!wanted.ok) return refuse(wanted.issues, (path) => path, how, io);
  needOnline(bridge.isOnline, mqtt.base);
  return setSchedule(guest, found, wanted.value, { ...how, base: mqtt.base, maxPayload: mqtt.max_payload, colour: hasColour(io) }, io);
};
