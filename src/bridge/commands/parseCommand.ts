import type { Command, Feature } from '../../features/feature.ts';
import { writableProperties } from '../../features/propertyCommands.ts';
import type { Profile } from '../../schedule/profile.ts';
import { daysOfWord } from '../../schedule/text/dayWords.ts';
import { DAYS } from '../../schedule/week.ts';
import { nearestWords } from '../../shared/closestMatch.ts';
import { type Checked, pointer } from '../../shared/issue.ts';
import { readArguments } from '../../topics/commandPayload.ts';
import { isScheduleLeaf, schedulePropertyOf } from '../../topics/featureState.ts';
import { schedulerOf, weekParameter } from '../../topics/scheduleCommand.ts';
import type { FeatureAddress } from '../../topics/topicNames.ts';
import { looksLikeJson, readWeekPayload, readWeekValue, type WeekPayload } from '../../topics/weekPayload.ts';
import { parseProfileWrite } from './parseProfileWrite.ts';
import { parsePropertyWrite } from './parsePropertyWrite.ts';
import { invalid, type Refusal } from './rejection.ts';
import type { Parsed } from './resolveWrite.ts';

/** Parses a command for a feature: the write, or why it is refused. */
export const parseCommand = (
  address: FeatureAddress,
  feature: Feature,
  leaf: string | undefined,
  text: string,
  profiles: readonly Profile[] = [],
): Parsed => {
  if (!feature.isEnabled) return { ok: false, refusal: disabled(feature) };
  if (address.kind === 'call') {
    const command = feature.commands.get(address.command);
    if (!command) return { ok: false, refusal: noCommand(feature, address.command) };
    return parseCall(feature, command, text);
  }
  const scheduler = schedulerOf(feature);
  const property = schedulePropertyOf(feature);
  const meansWeek = leaf === undefined || leaf === property || (property !== undefined && isScheduleLeaf(leaf));
  if (!scheduler || !meansWeek) {
    const writable = writableProperties(feature);
    const isWritable = address.kind === 'set' && (leaf === undefined ? writable.length > 0 : writable.includes(leaf));
    if (isWritable) return { ok: true, write: parsePropertyWrite(feature, leaf, text) };
    return { ok: false, refusal: notWritable(feature, leaf, writable) };
  }
  const day = DAYS.find((one) => one === leaf);
  const read = leaf === 'profile' ? parseProfileWrite(text, profiles) : readWeekPayload(text, day);
  if (!read.ok) return { ok: false, refusal: invalid(read.issues) };
  return {
    ok: true,
    write: {
      feature: feature.name,
      command: scheduler.command,
      envelope: read.value.envelope,
      content: { kind: 'week', param: scheduler.param, week: read.value.week },
      dryRun: address.kind === 'validate',
    },
  };
};

const parseCall = (feature: Feature, command: Command, text: string): Parsed => {
  const base = { feature: feature.name, command: command.name, dryRun: false };
  const param = command.params.size > 1 ? undefined : weekParameter(command);
  if (param !== undefined) {
    const called = calledWeek(command, param, text);
    if (!called.ok) return { ok: false, refusal: invalid(called.issues) };
    const { envelope, week } = called.value;
    return { ok: true, write: { ...base, envelope, content: { kind: 'week', param, week } } };
  }
  const read = readArguments(command, text);
  if (!read.ok) return { ok: false, refusal: invalid(read.issues) };
  const { envelope, value, at, bare } = read.value;
  return { ok: true, write: { ...base, envelope, content: { kind: 'arguments', args: value, at, bare } } };
};

const calledWeek = (command: Command, param: string, text: string): Checked<WeekPayload> => {
  if (!looksLikeJson(text)) return readWeekPayload(text);
  const read = readArguments(command, text);
  if (!read.ok) return read;
  const { envelope, value, at, bare } = read.value;
  // No other parameter may be named beside the week. The check of the week reports it with its place.
  const alone = Object.keys(value).length === 1 && Object.hasOwn(value, param);
  return alone ? readWeekValue(envelope, value[param] ?? null, bare ? at : at + pointer(param)) : readWeekValue(envelope, value, at);
};

const disabled = ({ name }: Feature): Refusal => ({ code: 'not_executable', message: `${name} is disabled on the platform now` });

const WEEKLY = ['set', 'entries/set', 'text/set', ...DAYS.map((day) => `${day}/set`), 'profile/set', 'undo/set'];

const noCommand = (feature: Feature, name: string): Refusal => {
  const all = [...feature.commands.keys()];
  const near = nearestWords(name, all);
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : all.length > 0 ? `; it has ${all.join(', ')}` : '; it has none';
  return { code: 'unknown_command', message: `${feature.name} has no command ${name}${hint}` };
};

const notWritable = (feature: Feature, leaf: string | undefined, writable: readonly string[]): Refusal => {
  const weekly = schedulerOf(feature) && schedulePropertyOf(feature) !== undefined ? WEEKLY : [];
  const what = leaf === undefined ? feature.name : `${leaf} of ${feature.name}`;
  const [day, ...others] = leaf === undefined || weekly.length === 0 ? [] : (daysOfWord(leaf) ?? []);
  if (day !== undefined && others.length === 0) return { code: 'not_writable', message: `${what} cannot be written here; use ${day}/set` };
  const sets = [...writable.map((name) => `${name}/set`), ...weekly];
  const calls = [...sets, ...[...feature.commands.keys()].map((name) => `call/${name}`)];
  return {
    code: 'not_writable',
    message: `${what} cannot be written here${calls.length > 0 ? `; use ${calls.join(', ')} of the feature` : ''}`,
  };
};
