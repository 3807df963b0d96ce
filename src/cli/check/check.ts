import { brokerOptionsOf } from '../../app.ts';
import { chooseDevices } from '../../bridge/devices/deviceInventory.ts';
import { readsOf } from '../../bridge/polling/readPlanner.ts';
import { SCHEMA } from '../../config/schema.ts';
import type { Settings } from '../../config/settings.ts';
import type { DeviceChoice } from '../../config/validation/deviceEntries.ts';
import { parseInstallations } from '../../features/equipment.ts';
import { parseFeature, recordsOf } from '../../features/parseFeature.ts';
import { ConnectError, connectCode, probeBroker, withoutPassword } from '../../mqtt/connect.ts';
import { readTokens } from '../../platform/auth/tokenFile.ts';
import type { StoredTokens } from '../../platform/auth/tokens.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Io } from '../terminal/io.ts';
import { withLock } from '../withLock.ts';
import { checkBridge } from './checkBridge.ts';
import { listDevices } from './checkDevices.ts';
import { withPlatform } from './countedPlatform.ts';
import { markOf, printReport, type Report } from './report.ts';

type CheckIo = Pick<Io, 'env' | 'out' | 'err' | 'isTTY'>;

/**
 * `heating2mqtt check`: tests what the bridge needs, one part after the other. Exit code 1 where a person must act, else 0. With `health` it
 * asks the running bridge whether it is alive, with `devices` it prints what the platform has. `hint` is about
 * settings that work, and could be clearer.
 */
export const check = async (
  settings: Settings,
  options: { readonly health: boolean; readonly devices: boolean; readonly hint?: string | undefined },
  io: CheckIo,
): Promise<number> => {
  const report = printReport(io);
  if (options.health) return exitCode(await checkBridge(settings.data_dir, 'health', report));
  if (options.devices) return listDevices(settings, io);
  if (options.hint !== undefined) report('note', 'settings', options.hint);
  return exitCode(await checkAll(settings, report));
};

/** Tests every part and reports each; true where no person must act. Beside a running bridge, what it reports of broker and platform counts. */
export const checkAll = async (settings: Settings, report: Report): Promise<boolean> => {
  report('ok', 'settings', `${devicesIn(settings)}, data in ${settings.data_dir}`);
  const isFilledIn = checkFilledIn(settings, report);
  const broker = await checkBroker(settings, report);
  return withLock(settings.data_dir, { checking: true }, async (isHeld) => {
    // Only the holder of the lock renews tokens and makes calls: beside a running bridge, its own report counts.
    const platform = isHeld ? await checkPlatform(settings, isFilledIn, report) : await checkBridge(settings.data_dir, 'check', report);
    return broker && platform && isFilledIn;
  });
};

const exitCode = (isGood: boolean): number => (isGood ? 0 : 1);

const devicesIn = ({ devices, choices }: Settings): string => {
  if (choices) return choices.length === 0 ? 'all devices that are found' : `devices that fit ${choices.length} entries`;
  return `${devices.length} device${devices.length === 1 ? '' : 's'}`;
};

/** Checks without a call: placeholders of the example file, and a login for another client. */
const checkFilledIn = (settings: Settings, report: Report): boolean => {
  const placeholders = placeholdersIn(settings);
  for (const sentence of placeholders) report('FAIL', 'settings', sentence);
  const other = otherClient(heldTokens(settings.data_dir), settings);
  if (other) report('FAIL', 'login', other);
  return placeholders.length === 0 && other === undefined;
};

const heldTokens = (dataDir: string): StoredTokens | undefined => {
  try {
    return readTokens(dataDir);
  } catch {
    // A damaged file is reported with the state of the login.
    return undefined;
  }
};

const checkBroker = async (settings: Settings, report: Report): Promise<boolean> => {
  const options = brokerOptionsOf(settings);
  try {
    return report('ok', 'broker', `${withoutPassword(options.url)} answers and speaks MQTT ${await probeBroker(options)}`);
  } catch (cause) {
    const code = cause instanceof ConnectError ? connectCode(cause) : undefined;
    return report('FAIL', 'broker', `${withoutPassword(options.url)}: ${messageOf(cause)}`, code);
  }
};

/** Checks the login, then makes the first read of the bridge, unless it can only fail. */
const checkPlatform = (settings: Settings, isFilledIn: boolean, report: Report): Promise<boolean> =>
  withPlatform(settings, async (ask, tokens) => {
    const { choices, devices, platform } = settings;
    try {
      const { state, message } = tokens.state();
      report(markOf(state !== 'login_needed'), 'login', message);
      if (state === 'login_needed' || !isFilledIn) return false;
      if (choices)
        return reportDevices(await ask((client, beforePage) => client.readInstallations(undefined, beforePage)), choices, report);
      const [read] = readsOf(
        devices.map((device) => ({ ...device, name: device.name ?? device.device })),
        platform.read,
      );
      return read !== undefined && reportRead(await ask((client) => client.readFeatures(read.target)), read.target.feature, report);
    } catch (cause) {
      return report('FAIL', 'platform', messageOf(cause));
    }
  });

const reportDevices = (pages: readonly unknown[], choices: readonly DeviceChoice[], report: Report): boolean => {
  const found = parseInstallations(pages)?.devices ?? [];
  const chosen = chooseDevices(found, choices);
  const hint = found.length === 0 ? '' : ': compare devices in the settings with what `heating2mqtt check --devices` prints';
  const names = chosen.map(({ name }) => name).join(', ');
  const sentence = `it has ${found.length} devices; ${chosen.length === 0 ? `none is chosen${hint}` : `chosen: ${names}`}`;
  return report(markOf(chosen.length > 0), 'platform', sentence);
};

const reportRead = (body: unknown, feature: string | undefined, report: Report): boolean => {
  const features = (recordsOf(body) ?? []).flatMap((record) => {
    const parsed = parseFeature(record);
    return parsed.ok ? [parsed.value] : [];
  });
  const [first] = features;
  if (!first) {
    const sentence = `it answers, but without a record of ${feature ?? 'any feature'}: compare installation, gateway, device and features in the settings`;
    return report('FAIL', 'platform', sentence);
  }
  const commands = [...first.commands.keys()].join(', ') || 'none';
  const sentence =
    feature === undefined
      ? `it answers with ${features.length} features`
      : `${first.name} has ${first.properties.size} properties; commands: ${commands}`;
  return report('ok', 'platform', sentence);
};

/** The installation of the device that the examples show (`DEVICE_EXAMPLE`). */
const EXAMPLE_INSTALLATION = '123456';

const TO_WRITE = {
  base_url: 'write the address of your platform',
  auth_url: "write the address of your platform's identity service",
  client_id: 'register a client with the platform and write its id',
} as const;

const isKey = (key: string): key is keyof typeof TO_WRITE => Object.hasOwn(TO_WRITE, key);

/** The settings that are still those of the example, each with what to write instead. */
const placeholdersIn = ({ platform, devices, choices = [] }: Settings): readonly string[] => {
  const ofPlatform = Object.keys(TO_WRITE)
    .filter(isKey)
    .filter((key) => platform[key] === SCHEMA.platform[key].example)
    .map((key) => `platform.${key} is still the example's ${platform[key]}: ${TO_WRITE[key]}`);
  const isExample = [...devices, ...choices].some(({ installation }) => installation === EXAMPLE_INSTALLATION);
  const found = "`heating2mqtt check --devices` prints them with platform.profile: v2; else your platform's own pages show them";
  const ofDevices = `devices: the installation is still the example's ${EXAMPLE_INSTALLATION}: write your own installation, gateway and device (${found})`;
  return isExample ? [...ofPlatform, ofDevices] : ofPlatform;
};

/** The sentence for a login that was made for another client: the platform would refuse every renewal. Older logins name no client. */
const otherClient = (tokens: StoredTokens | undefined, { platform }: Pick<Settings, 'platform'>): string | undefined => {
  const { client_id: before } = tokens ?? {};
  if (before === undefined || before === platform.client_id) return undefined;
  return `it was made for the client ${before}, but platform.client_id is ${platform.client_id}, which cannot renew it: write ${before} there, or run \`heating2mqtt login\` for the other client`;
};
