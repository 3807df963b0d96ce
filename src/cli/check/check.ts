import { brokerOptionsOf } from '../../app.ts';
import { chooseDevices } from '../../bridge/devices/deviceInventory.ts';
import type { BridgeStatus } from '../../bridge/polling/pollStatistics.ts';
import { readsOf } from '../../bridge/polling/readPlanner.ts';
import type { Settings } from '../../config/settings.ts';
import type { DeviceChoice } from '../../config/validation/deviceEntries.ts';
import { parseInstallations } from '../../features/equipment.ts';
import { parseFeature, recordsOf } from '../../features/parseFeature.ts';
import { probeBroker, withoutPassword } from '../../mqtt/connect.ts';
import { readTokens } from '../../platform/auth/tokenFile.ts';
import { messageOf } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { askHolder } from '../../storage/lock.ts';
import type { Io } from '../terminal/io.ts';
import { hasColour, paint } from '../terminal/terminalText.ts';
import { withLock } from '../withLock.ts';
import { listDevices } from './checkDevices.ts';
import { otherClient, placeholdersIn } from './checkSettings.ts';
import { openCounted } from './countedPlatform.ts';

type CheckIo = Pick<Io, 'env' | 'out' | 'err' | 'isTTY'>;

/**
 * `heating2mqtt check`: tests what the bridge needs, one part after the other. Exit code 0 where all is well, else 1. With `health` it asks
 * the running bridge, with `devices` it prints what the platform has.
 */
export const check = async (
  settings: Settings,
  options: { readonly health: boolean; readonly devices: boolean },
  io: CheckIo,
): Promise<number> => {
  const report = reporter(io);
  if (options.health) return exitCode(reportBridge(await askBridge(settings), report));
  if (options.devices) return listDevices(settings, io);
  report(true, 'settings', `${devicesIn(settings)}, data in ${settings.data_dir}`);
  const isFilledIn = await checkFilledIn(settings, report);
  const broker = await checkBroker(settings, report);
  return withLock(settings.data_dir, { checking: true }, async (isHeld) => {
    // Only the holder of the lock renews tokens and makes calls: beside a running bridge, its own report counts.
    const platform = isHeld ? await checkPlatform(settings, isFilledIn, report) : reportBridge(await askBridge(settings), report);
    return exitCode(broker && platform && isFilledIn);
  });
};

const exitCode = (isGood: boolean): number => (isGood ? 0 : 1);

const devicesIn = ({ devices, choices }: Settings): string => {
  if (choices) return choices.length === 0 ? 'all devices that are found' : `devices that fit ${choices.length} entries`;
  return `${devices.length} device${devices.length === 1 ? '' : 's'}`;
};

/** Prints one line, and returns `isGood`. */
type Report = (isGood: boolean, what: string, sentence: string) => boolean;

const reporter =
  (io: CheckIo): Report =>
  (isGood, what, sentence) => {
    const mark = isGood ? 'ok  ' : 'FAIL';
    io.out(`${io.isTTY ? paint(isGood ? 'green' : 'red', isGood ? '✓' : '✗', hasColour(io)) : mark} ${what}: ${sentence}`);
    return isGood;
  };

/** Checks without a call: placeholders of the example file, and a login for another client. */
const checkFilledIn = async (settings: Settings, report: Report): Promise<boolean> => {
  const placeholders = placeholdersIn(settings);
  for (const sentence of placeholders) report(false, 'settings', sentence);
  // A damaged file is reported with the state of the login.
  const other = otherClient(await readTokens(settings.data_dir).catch(() => undefined), settings);
  if (other) report(false, 'login', other);
  return placeholders.length === 0 && other === undefined;
};

const checkBroker = async (settings: Settings, report: Report): Promise<boolean> => {
  const options = brokerOptionsOf(settings);
  try {
    return report(true, 'broker', `${withoutPassword(options.url)} answers and speaks MQTT ${await probeBroker(options)}`);
  } catch (cause) {
    return report(false, 'broker', `${withoutPassword(options.url)}: ${messageOf(cause)}`);
  }
};

/** Checks the login, then makes the first read of the bridge, unless it can only fail. */
const checkPlatform = async (settings: Settings, isFilledIn: boolean, report: Report): Promise<boolean> => {
  const { tokens, ask, close } = openCounted(settings);
  try {
    await tokens.load();
    const { state, message } = tokens.state();
    report(state !== 'login_needed', 'login', message);
    const [read] = readsOf(
      settings.devices.map((device) => ({ ...device, name: device.name ?? device.device })),
      settings.platform.read,
    );
    if (state === 'login_needed' || !isFilledIn) return false;
    if (settings.choices)
      return reportDevices(
        await ask((platform, beforePage) => platform.readInstallations(undefined, beforePage)),
        settings.choices,
        report,
      );
    if (!read) return false;
    const body = await ask((platform) => platform.readFeatures(read.target));
    return reportRead(body, read.target.feature, report);
  } catch (cause) {
    return report(false, 'platform', messageOf(cause));
  } finally {
    await close();
  }
};

const reportDevices = (pages: readonly unknown[], choices: readonly DeviceChoice[], report: Report): boolean => {
  const found = parseInstallations(pages)?.devices ?? [];
  const chosen = chooseDevices(found, choices);
  const hint = found.length === 0 ? '' : ': compare devices in the settings with what `heating2mqtt check --devices` prints';
  const names = chosen.map(({ name }) => name).join(', ');
  const sentence = `it has ${found.length} devices; ${chosen.length === 0 ? `none is chosen${hint}` : `chosen: ${names}`}`;
  return report(chosen.length > 0, 'platform', sentence);
};

const reportRead = (body: unknown, feature: string | undefined, report: Report): boolean => {
  const features = (recordsOf(body) ?? []).flatMap((record) => {
    const parsed = parseFeature(record);
    return parsed.ok ? [parsed.value] : [];
  });
  const [first] = features;
  if (!first) {
    const sentence = `it answers, but without a record of ${feature ?? 'any feature'}: compare installation, gateway, device and features in the settings`;
    return report(false, 'platform', sentence);
  }
  const commands = [...first.commands.keys()].join(', ') || 'none';
  const sentence =
    feature === undefined
      ? `it answers with ${features.length} features`
      : `${first.name} has ${first.properties.size} properties; commands: ${commands}`;
  return report(true, 'platform', sentence);
};

const isBridgeStatus = (answer: unknown): answer is BridgeStatus => isRecord(answer) && 'broker' in answer && 'platform' in answer;

/** The status of the running bridge, or the sentence why there is none. */
const askBridge = async ({ data_dir }: Settings): Promise<BridgeStatus | string> => {
  try {
    const answer = await askHolder(data_dir);
    if (isBridgeStatus(answer)) return answer;
    return answer === undefined ? `no bridge is running with data_dir ${data_dir}` : 'the bridge is just starting';
  } catch (cause) {
    return messageOf(cause);
  }
};

const reportBridge = (status: BridgeStatus | string, report: Report): boolean => {
  if (typeof status === 'string') return report(false, 'bridge', status);
  const { broker, platform, auth, auth_message: message = `it is ${auth}; the topic bridge/auth says more` } = status;
  report(broker, 'running bridge', broker ? 'connected to the broker' : 'not connected to the broker; its log says why');
  report(platform, 'running bridge', platform ? readingOf(status) : troubleOf(status));
  const isLoggedIn = report(auth !== 'login_needed' && auth !== 'failing', 'login', message);
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
