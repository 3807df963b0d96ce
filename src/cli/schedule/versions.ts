import { AUTHORS } from '../../bridge/writes/answers/answerLog.ts';
import { changeIn } from '../../bridge/writes/undo/history.ts';
import { isSent, readWrite, type SentWrite } from '../../bridge/writes/write/write.ts';
import type { Settings } from '../../config/settings.ts';
import { SettingsError } from '../../config/validation/mistake.ts';
import { differenceSentence } from '../../language/versions/differenceWords.ts';
import type { RequestClient } from '../../mqtt/requestClient.ts';
import { profileOf } from '../../schedule/profile.ts';
import { CUSTOM, isProfileName } from '../../schedule/profileName.ts';
import { printWeek } from '../../schedule/text/weekText.ts';
import { type Version, versionsOf, weekChangesOf } from '../../schedule/versions/versions.ts';
import { weekDifference } from '../../schedule/versions/weekDifference.ts';
import type { Week } from '../../schedule/week.ts';
import { printInstant } from '../../schedule/zone.ts';
import { UsageError } from '../../shared/errors.ts';
import { printable } from '../../shared/log.ts';
import { machineZone } from '../../shared/timeZone.ts';
import { readWritesBeside } from '../../storage/writeRepository.ts';
import type { Io } from '../terminal/io.ts';
import { jsonText, wrapText } from '../terminal/terminalText.ts';
import { chooseOne } from './chooseSchedules.ts';
import type { RetainedSchedule, RetainedState } from './retainedSchedules.ts';
import type { VersionsRequest } from './scheduleArguments.ts';
import { setSchedule } from './setSchedule.ts';

type Listed = Version<ReturnType<typeof entryOf>>;

/**
 * `heating2mqtt schedule versions`: the stored past weeks of a schedule. Exit code, errors: see
 * `setSchedule`.
 */
export const versions = async (
  client: RequestClient,
  state: RetainedState,
  request: VersionsRequest,
  settings: Pick<Settings, 'mqtt' | 'data_dir'>,
  io: Pick<Io, 'env' | 'cwd' | 'out' | 'err' | 'stdin' | 'isTTY'>,
): Promise<number> => {
  const schedule = chooseOne(state.schedules, request.words, settings.mqtt.base);
  const listed = versionsIn(settings.data_dir, schedule);
  const { number, name, until, json, timeoutMs } = request;
  if (number === undefined) {
    io.out(json ? jsonText(listed.map((one) => jsonOf(one, schedule))) : textOf(listed, schedule, state));
    return 0;
  }
  const chosen = listed[number - 1];
  if (!chosen) throw new UsageError('usage', `There is no version ${number}; available: 1 to ${listed.length}.`);
  if (name !== undefined) return nameVersion(chosen.week, name, request, state, io);
  const { device, feature } = schedule;
  const week = JSON.stringify({ value: chosen.week, ...(until === undefined ? {} : { until }) });
  const set = { kind: 'set', words: [device, feature, week], profile: undefined, file: undefined, day: undefined, dryRun: false } as const;
  return setSchedule(client, state, { ...set, json, timeoutMs }, settings.mqtt, io);
};

const entryOf = (write: SentWrite) => ({ status: write.outcome?.status ?? 'failed', ...changeIn(write) });

/** A device may have been renamed: the newest write has its current name. */
const versionsIn = (dataDir: string, { device, feature, entries }: RetainedSchedule): readonly Listed[] => {
  const writes = readWritesBeside(dataDir, feature).flatMap((row) => readWrite(row) ?? []);
  const key = writes.find((write) => write.name === device)?.device;
  const own = writes.filter(isSent).filter((write) => write.device === key);
  return versionsOf(entries, weekChangesOf(own.map(entryOf)).known);
};

const differenceOf = (week: Week, { entries }: RetainedSchedule): string => differenceSentence(weekDifference(entries, week), 'en');

const jsonOf = ({ week, by }: Listed, schedule: RetainedSchedule): object => ({
  ...(by ? { at: by.at, by: by.by, until: by.until } : {}),
  text: printWeek(week),
  difference: differenceOf(week, schedule),
  week,
});

const textOf = (listed: readonly Listed[], schedule: RetainedSchedule, { bridge }: RetainedState): string => {
  const zone = bridge.zones.get(schedule.device) ?? machineZone();
  const wall = (instant: string): string => printInstant(Date.parse(instant), zone).slice(0, 16).replace('T', ' ');
  const titleOf = ({ by, after }: Listed): string => {
    if (!by) return after ? `changed elsewhere, after ${wall(after.at)}` : 'before the recorded changes';
    const { at, by: author, until } = by;
    const who = `by ${AUTHORS[author.kind]}${author.user === undefined ? '' : ` (${author.user})`}`;
    return `${wall(at)} ${who}${until === undefined ? '' : `, until ${wall(until)}`}`;
  };
  const lines = listed.flatMap((version, index) => {
    const name = profileOf(version.week, bridge.profiles, schedule.constraints);
    const title = `${String(index + 1).padStart(3)}  ${titleOf(version)}${name === CUSTOM ? '' : `, profile ${name}`}`;
    return [printable(title), ...wrapText(printable(differenceOf(version.week, schedule) || 'the current week'), '     ')];
  });
  return [printable(`${schedule.device} ${schedule.feature}`), ...lines].join('\n');
};

/** Keeps a week permanently, as a profile in the page's settings. */
const nameVersion = async (
  week: Week,
  name: string,
  { config }: VersionsRequest,
  { bridge }: RetainedState,
  { env, cwd, out }: Pick<Io, 'env' | 'cwd' | 'out'>,
): Promise<number> => {
  if (!isProfileName(name))
    throw new UsageError(
      'usage',
      `--name ${name} is not allowed: use up to 30 characters of a-z, 0-9, _ and -, but not the names custom and none.`,
    );
  if (bridge.profiles.some((one) => one.name === name)) throw new UsageError('usage', `The profile ${name} already exists.`);
  const { planChange, writePlan } = await import('../../config/editing/settingsStore.ts');
  const written = printWeek(week) ?? JSON.stringify(week);
  const plan = planChange({ file: config, env, cwd, needDevices: false }, [{ path: ['schedules', 'profiles', name], value: written }]);
  if (plan.mistakes.length > 0) throw new SettingsError(plan.mistakes, 'Nothing was changed.');
  writePlan(plan);
  for (const line of wrapText(`${name} is stored in ${plan.file}. Restart the bridge to use it.`)) out(line);
  return 0;
};
