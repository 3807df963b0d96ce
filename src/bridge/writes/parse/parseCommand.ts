import type { Command, Feature } from '../../../features/feature.ts';
import { writableProperties } from '../../../features/writings.ts';
import type { Profile } from '../../../schedule/profile.ts';
import { CUSTOM } from '../../../schedule/profileName.ts';
import { daysOfWord } from '../../../schedule/text/dayWords.ts';
import { DAYS } from '../../../schedule/week.ts';
import { nearestWords } from '../../../shared/closestMatch.ts';
import { bad, broken, type Checked, good, pointer, shown } from '../../../shared/issue.ts';
import { readArguments, readEnveloped, withRightKeys } from '../../../topics/commandPayload.ts';
import { isScheduleLeaf, schedulePropertyOf } from '../../../topics/featureState.ts';
import { type Scheduler, schedulerOf, weekParameter } from '../../../topics/scheduleCommand.ts';
import type { FeatureAddress } from '../../../topics/topicNames.ts';
import { looksLikeJson, readWeekPayload, readWeekValue, type WeekPayload } from '../../../topics/weekPayload.ts';
import { invalid, type Refusal } from '../request/rejection.ts';
import { disabled, noCommand } from './evaluate.ts';
import { parsePropertyWrite } from './parsePropertyWrite.ts';
import type { Parsed, WaitingOf } from './resolveWrite.ts';

/** Parses a command for a feature into a write or a refusal. */
export const parseCommand = (
  address: FeatureAddress,
  feature: Feature,
  leaf: string | undefined,
  text: string,
  profiles: readonly Profile[] = [],
  waitingOf: WaitingOf = () => undefined,
): Parsed => {
  if (!feature.isEnabled) return { ok: false, refusal: disabled(feature) };
  const called = address.kind === 'call' ? feature.commands.get(address.command) : undefined;
  if (address.kind === 'call' && !called) return { ok: false, refusal: noCommand(address.command, feature) };
  const scheduler = called ? callWithWeek(called) : schedulerOf(feature);
  const meansWeek = leaf === undefined || leaf === schedulePropertyOf(feature) || isScheduleLeaf(leaf);
  if (!scheduler || !meansWeek) {
    if (called) return parseCall(feature, called, text);
    const writable = writableProperties(feature);
    const isWritable = address.kind === 'set' && (leaf === undefined ? writable.length > 0 : writable.includes(leaf));
    if (isWritable) return { ok: true, write: parsePropertyWrite(feature, leaf, text, waitingOf) };
    return { ok: false, refusal: notWritable(feature, leaf, writable) };
  }
  const { command, param } = scheduler;
  const day = DAYS.find((one) => one === leaf);
  const read = called
    ? calledWeek(called, param, text)
    : leaf === 'profile'
      ? parseProfileWrite(text, profiles)
      : readWeekPayload(text, day);
  if (!read.ok) return { ok: false, refusal: invalid(read.issues) };
  const { envelope, week } = read.value;
  const content = { kind: 'week', param, week } as const;
  return { ok: true, write: { feature: feature.name, command, envelope, content, dryRun: address.kind === 'validate' } };
};

/** The week of the profile that a payload names. `custom` is a week without days, which changes nothing. */
const parseProfileWrite = (payload: string, profiles: readonly Profile[]): Checked<WeekPayload> => {
  const read = withRightKeys(looksLikeJson(payload) ? readEnveloped(payload) : good({ envelope: {}, value: payload, at: '' }));
  if (!read.ok) return read;
  const { envelope, value, at } = read.value;
  const name = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  if (name === CUSTOM) return good({ envelope, week: { days: new Map(), issues: [] } });
  const week = profiles.find((profile) => profile.name === name)?.week;
  if (week) return good({ envelope, week });
  const allowed = [...profiles.map((profile) => profile.name), CUSTOM];
  const known = profiles.length > 0 ? `profiles are ${allowed.join(', ')}` : 'the setting schedules.profiles is empty';
  const nearest = nearestWords(typeof value === 'string' ? value : '', allowed);
  return bad(broken('profile', at, `${shown(value)} is not a profile; ${known}`, { got: value, allowed, nearest }));
};

/** A command whose only parameter is a week. */
const callWithWeek = (command: Command): Scheduler | undefined => {
  const param = command.params.size > 1 ? undefined : weekParameter(command);
  return param === undefined ? undefined : { command: command.name, param };
};

const parseCall = (feature: Feature, command: Command, text: string): Parsed => {
  const read = readArguments(command, text);
  if (!read.ok) return { ok: false, refusal: invalid(read.issues) };
  const { envelope, value: args, at, bare } = read.value;
  const content = { kind: 'arguments', args, placeOf: (path: string) => at + (bare ? '' : path) } as const;
  return { ok: true, write: { feature: feature.name, command: command.name, envelope, content, dryRun: false } };
};

const calledWeek = (command: Command, param: string, text: string): Checked<WeekPayload> => {
  if (!looksLikeJson(text)) return readWeekPayload(text);
  const read = readArguments(command, text);
  if (!read.ok) return read;
  const { envelope, value, at, bare } = read.value;
  // The week must be the only parameter; the check of the week reports others with their place.
  const alone = Object.keys(value).length === 1;
  return alone ? readWeekValue(envelope, value[param] ?? null, bare ? at : at + pointer(param)) : readWeekValue(envelope, value, at);
};

const WEEKLY = ['set', 'entries/set', 'text/set', ...DAYS.map((day) => `${day}/set`), 'profile/set', 'undo/set'];

const notWritable = (feature: Feature, leaf: string | undefined, writable: readonly string[]): Refusal => {
  const weekly = schedulerOf(feature) ? WEEKLY : [];
  const [what, name] = leaf === undefined ? [feature.name, feature.name] : [`${leaf} of ${feature.name}`, `${feature.name}.${leaf}`];
  const [day, ...others] = leaf === undefined || weekly.length === 0 ? [] : (daysOfWord(leaf) ?? []);
  if (day !== undefined && others.length === 0) {
    const facts = { about: 'not_writable', what: name, use: [`${day}/set`] } as const;
    return { code: 'not_writable', message: `${what} cannot be written here; use ${day}/set`, facts };
  }
  const sets = [...writable.map((name) => `${name}/set`), ...weekly];
  const calls = [...sets, ...[...feature.commands.keys()].map((name) => `call/${name}`)];
  return {
    code: 'not_writable',
    message: `${what} cannot be written here${calls.length > 0 ? `; use ${calls.join(', ')} of the feature` : ''}`,
    facts: { about: 'not_writable', what: name, use: calls },
  };
};
