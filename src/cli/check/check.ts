import { styleText } from 'node:util';
import { brokerOptionsOf } from '../../app.ts';
import { chooseDevices } from '../../bridge/devices/deviceInventory.ts';
import type { BridgeStatus } from '../../bridge/polling/pollStatistics.ts';
import { readsOf } from '../../bridge/polling/readPlanner.ts';
import { loadSettings } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';
import type { DeviceChoice } from '../../config/validation/deviceEntries.ts';
import { parseInstallations } from '../../features/equipment.ts';
import { parseFeature, recordsOf } from '../../features/parseFeature.ts';
import { withoutPassword } from '../../mqtt/connect.ts';
import { probeBroker } from '../../mqtt/probe.ts';
import { readTokens } from '../../platform/auth/tokenFile.ts';
import type { Log } from '../../shared/log.ts';
import { makeDataDir } from '../../storage/dataDir.ts';
import { askHolder, Lock } from '../../storage/lock.ts';
import type { Io } from '../io.ts';
import { listDevices } from './checkDevices.ts';
import { otherClient, placeholdersIn } from './checkSettings.ts';
import { openCounted } from './countedPlatform.ts';

type CheckIo = Pick<Io, 'env' | 'cwd' | 'out' | 'err' | 'isTTY'>;

/** `heating2mqtt check`: goes through what the bridge needs; 0 all is well, 1 something failed. With `health` it asks the running bridge, with `devices` the platform for what there is. */
export const check = async (
  options: { readonly config?: string; readonly health: boolean; readonly devices?: boolean },
  io: CheckIo,
): Promise<number> => {
  const settings = loadSettings({ ...(options.config === undefined ? {} : { file: options.config }), env: io.env, cwd: io.cwd });
  if (options.health) return health(settings, io);
  if (options.devices) return devices(settings, io);
  const say = sayer(io);
  say(true, 'settings', `${devicesIn(settings)}, data in ${settings.data_dir}`);
  const isReal = await checkReal(settings, say);
  const broker = await checkBroker(settings, say);
  makeDataDir(settings.data_dir);
  const lock = await Lock.take(settings.data_dir, () => ({ checking: true }));
  // Its holder alone renews tokens and spends calls: beside a running bridge its own word counts.
  if (!lock) return sayStanding(await standingOf(settings), say) && broker && isReal ? 0 : 1;
  try {
    const platform = await checkPlatform(settings, isReal, say);
    return broker && platform && isReal ? 0 : 1;
  } finally {
    await lock.release();
  }
};

const devicesIn = ({ devices, choices }: Settings): string => {
  if (choices) return choices.length === 0 ? 'all devices that are found' : `devices that fit ${choices.length} entries`;
  return `${devices.length} device${devices.length === 1 ? '' : 's'}`;
};

const devices = async (settings: Settings, io: CheckIo): Promise<number> => {
  makeDataDir(settings.data_dir);
  const lock = await Lock.take(settings.data_dir, () => ({ checking: true }));
  try {
    return await listDevices(settings, lock !== undefined, SILENT, io);
  } finally {
    await lock?.release();
  }
};

type Say = (good: boolean, what: string, sentence: string) => void;

const sayer =
  ({ out, isTTY }: CheckIo): Say =>
  (good, what, sentence) => {
    const mark = isTTY ? styleText(good ? 'green' : 'red', good ? '✓' : '✗') : good ? 'ok  ' : 'FAIL';
    out(`${mark} ${what}: ${sentence}`);
  };

/** What no call has to be made for: examples that nobody has filled in, and a login of another client. */
const checkReal = async (settings: Settings, say: Say): Promise<boolean> => {
  const placeholders = placeholdersIn(settings);
  for (const sentence of placeholders) say(false, 'settings', sentence);
  // What is wrong with the file says the state of the login.
  const other = otherClient(await readTokens(settings.data_dir).catch(() => undefined), settings);
  if (other) say(false, 'login', other);
  return placeholders.length === 0 && other === undefined;
};

const words = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

const checkBroker = async (settings: Settings, say: Say): Promise<boolean> => {
  const options = brokerOptionsOf(settings);
  try {
    say(true, 'broker', `${withoutPassword(options.url)} answers and speaks MQTT ${await probeBroker(options)}`);
    return true;
  } catch (cause) {
    say(false, 'broker', `${withoutPassword(options.url)}: ${words(cause)}`);
    return false;
  }
};

const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The login, then one read of the first thing that the bridge would read, unless it could only fail. */
const checkPlatform = async (settings: Settings, isReal: boolean, say: Say): Promise<boolean> => {
  const { tokens, ask, close } = openCounted(settings, SILENT);
  try {
    await tokens.load();
    const { state, message } = tokens.state();
    say(state !== 'login_needed', 'login', message);
    const [read] = readsOf(
      settings.devices.map((device) => ({ ...device, name: device.name ?? device.device })),
      settings.platform.read,
    );
    if (state === 'login_needed' || !isReal) return false;
    if (settings.choices)
      return sayFound(await ask((platform, beforePage) => platform.readInstallations(undefined, beforePage)), settings.choices, say);
    if (!read) return false;
    const body = await ask((platform) => platform.readFeatures(read.target));
    return sayRead(body, read.target.feature, say);
  } catch (cause) {
    say(false, 'platform', words(cause));
    return false;
  } finally {
    await close();
  }
};

const sayFound = (pages: readonly unknown[], choices: readonly DeviceChoice[], say: Say): boolean => {
  const found = parseInstallations(pages)?.devices ?? [];
  const chosen = chooseDevices(found, choices);
  const hint = found.length === 0 ? '' : ': compare devices in the settings with what `heating2mqtt check --devices` prints';
  const names = chosen.map(({ name }) => name).join(', ');
  say(
    chosen.length > 0,
    'platform',
    `it has ${found.length} devices; ${chosen.length === 0 ? `none is chosen${hint}` : `chosen: ${names}`}`,
  );
  return chosen.length > 0;
};

const sayRead = (body: unknown, feature: string | undefined, say: Say): boolean => {
  const features = (recordsOf(body) ?? []).flatMap((record) => {
    const parsed = parseFeature(record);
    return parsed.ok ? [parsed.value] : [];
  });
  const [first] = features;
  if (!first) {
    say(
      false,
      'platform',
      `it answers, but without a record of ${feature ?? 'any feature'}: compare installation, gateway, device and features in the settings`,
    );
    return false;
  }
  const commands = [...first.commands.keys()].join(', ') || 'none';
  const sentence =
    feature === undefined
      ? `it answers with ${features.length} features`
      : `${first.name} has ${first.properties.size} properties; commands: ${commands}`;
  say(true, 'platform', sentence);
  return true;
};

const isStanding = (answer: unknown): answer is BridgeStatus =>
  typeof answer === 'object' && answer !== null && 'broker' in answer && 'platform' in answer;

const standingOf = async (settings: Settings): Promise<BridgeStatus | string> => {
  try {
    const answer = await askHolder(settings.data_dir);
    if (isStanding(answer)) return answer;
    return answer === undefined ? `no bridge is running with data_dir ${settings.data_dir}` : 'the bridge is just starting';
  } catch (cause) {
    return words(cause);
  }
};

const sayStanding = (standing: BridgeStatus | string, say: Say): boolean => {
  if (typeof standing === 'string') {
    say(false, 'bridge', standing);
    return false;
  }
  const { broker, platform, auth, auth_message: message = `it is ${auth}; the topic bridge/auth says more` } = standing;
  say(broker, 'running bridge', broker ? 'connected to the broker' : 'not connected to the broker; its log says why');
  say(platform, 'running bridge', platform ? readingOf(standing) : troubleOf(standing));
  const isLoggedIn = auth !== 'login_needed' && auth !== 'failing';
  say(isLoggedIn, 'login', message);
  return broker && platform && isLoggedIn;
};

const readingOf = ({ last_success_s: age, poll_seconds: poll, waits }: BridgeStatus): string => {
  const waiting = waits ? '; it waits until calls are left, bridge/quota says until when' : '';
  return age === undefined
    ? `nothing was read yet, and ${waits ? 'no call is left' : 'nothing is due'}${waiting}`
    : `last good read ${age} s ago, one round takes ${poll} s${waiting}`;
};

const troubleOf = ({ last_success_s: age, problem }: BridgeStatus): string => {
  const since = age === undefined ? 'nothing could be read yet' : `no good read for ${Math.round(age / 60)} minutes`;
  return `${since}: ${problem ?? 'its log says why'}`;
};

const health = async (settings: Settings, io: CheckIo): Promise<number> => (sayStanding(await standingOf(settings), sayer(io)) ? 0 : 1);
