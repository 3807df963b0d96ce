import type { Facts } from '../../api/answers.ts';
import { limitFacts } from '../../bridge/ports.ts';
import { readsOf } from '../../bridge/reads/readPlanner.ts';
import { chooseDevices, type InventoryDevice } from '../../bridge/state/deviceInventory.ts';
import { brokerOptionsOf } from '../../brokerOptions.ts';
import { loadAccount, readAccounts, settingsOfOthers } from '../../config/accounts.ts';
import { readSettings, type Sources, settingsIn } from '../../config/load.ts';
import { DEVELOPER_PORTAL, profileHint } from '../../config/profiles.ts';
import { SCHEMA } from '../../config/schema.ts';
import type { Settings } from '../../config/settings.ts';
import type { DeviceChoice } from '../../config/validation/deviceEntries.ts';
import { parseFeature, recordsOf } from '../../features/parseFeature.ts';
import { commandFor } from '../../language/accounts/loginHelp.ts';
import { plural } from '../../language/language.ts';
import { ConnectError, connectCode, probeBroker, serversOf, withoutPassword } from '../../mqtt/connect.ts';
import type { MissingRight, Needs } from '../../mqtt/rights.ts';
import { soundTokens } from '../../platform/auth/tokenFile.ts';
import type { StoredTokens } from '../../platform/auth/tokens.ts';
import { codeOf, messageOf } from '../../shared/errors.ts';
import { factsText, type Log, SILENT } from '../../shared/log.ts';
import { bridgeTopic, commandFilters, deviceTopic, probeTopic } from '../../topics/topicNames.ts';
import { text, type Values } from '../command.ts';
import { reportFaults } from '../faults.ts';
import type { Io } from '../terminal/io.ts';
import { withLock } from '../withLock.ts';
import { checkAccounts } from './checkAccounts.ts';
import { checkBridge } from './checkBridge.ts';
import { listDevices, readDevices } from './checkDevices.ts';
import { checkPage } from './checkPage.ts';
import { type Ask, withPlatform } from './countedPlatform.ts';
import { descriptor, type Line, type MessageDescriptor, markOf, printReport, type Report } from './report.ts';

type CheckIo = Pick<Io, 'env' | 'out' | 'err' | 'isTTY'>;

/**
 * `heating2mqtt check`: tests what the bridge needs, part by part, then the other accounts. Exit code 1 if a
 * person must act, else 0. With `devices` it prints the platform's devices. Throws SettingsError.
 */
export const checkCommand = async (sources: Sources, values: Values, io: CheckIo): Promise<number> => {
  const [account, devices] = [text(values, 'account'), values.devices === true];
  const report = printReport(io);
  const ofAccounts: Report = (mark, name, ...line) => report(mark, `account ${name}`, ...line);
  const read = readSettings(sources);
  const accounts = account === undefined ? readAccounts(sources, read) : [];
  if (account === undefined && settingsOfOthers(sources, read)) return (await checkAccounts(accounts, ofAccounts)) ? 0 : 1;
  const settings = account === undefined ? settingsIn(read) : loadAccount(sources, account);
  const hint = account === undefined ? profileHint(read.loaded.platform) : undefined;
  const code = await check(settings, { devices, hint }, io);
  return devices || (await checkAccounts(accounts, ofAccounts, settings)) ? code : 1;
};

/** The same for one account. `hint` is about settings that work but could be clearer. */
export const check = async (
  settings: Settings,
  { devices, hint }: { readonly devices: boolean; readonly hint?: string | undefined },
  io: CheckIo,
): Promise<number> => {
  const report = printReport(io);
  if (devices) return listDevices(settings, io);
  if (hint !== undefined) report('note', 'settings', hint);
  const isGood = await checkAll(settings, report, (isHeld) => checkPage(settings, isHeld, io, report));
  reportFaults(settings, report);
  return isGood ? 0 : 1;
};

/**
 * Tests and reports every part; true if no person must act. If a bridge runs, its own report on broker and
 * platform is used. `also` is one more test; its argument is false if a bridge runs.
 */
export const checkAll = async (settings: Settings, report: Report, also = async (_: boolean) => true): Promise<boolean> => {
  const [which, facts] = devicesIn(settings);
  report('ok', 'settings', `${which}. Data folder: ${settings.data_dir}`, descriptor('settings', facts));
  const isFilledIn = checkFilledIn(settings, report);
  const broker = await checkBroker(settings, report);
  return withLock(settings.data_dir, { checking: true }, async (isHeld) => {
    // Only the lock holder renews tokens and makes calls: if a bridge runs, its own report is used.
    const platform = isHeld ? await checkPlatform(settings, isFilledIn, report) : await checkBridge(settings.data_dir, report);
    return (await also(isHeld)) && broker && platform && isFilledIn;
  });
};

/** Which devices are read: a sentence and its facts. */
const devicesIn = ({ devices, choices, data_dir: folder }: Settings): readonly [sentence: string, facts: Facts] => {
  const count = (choices ?? devices).length;
  const counted = plural(count, 'device', 'devices');
  if (!choices) return [counted, { kind: 'devices', count, folder }];
  if (count === 0) return ['All devices of the account', { kind: 'all', count, folder }];
  // An entry without an id can choose several devices.
  if (choices.some(({ device }) => device === undefined))
    return [`${plural(count, 'entry chooses', 'entries choose')} the devices`, { kind: 'entries', count, folder }];
  return [`${counted} chosen`, { kind: 'chosen', count, folder }];
};

/** The code of a thrown error. */
export const thrown = (cause: unknown, facts: Facts = {}): MessageDescriptor | undefined => {
  const code = cause instanceof ConnectError ? connectCode(cause) : codeOf(cause);
  return code === undefined ? undefined : { code, facts: { ...facts, ...limitFacts(cause) } };
};

/** Checks that need no call: placeholders of the example file, and a login for another client. */
const checkFilledIn = (settings: Settings, report: Report): boolean => {
  const placeholders = placeholdersIn(settings);
  for (const placeholder of placeholders) report('FAIL', 'settings', ...placeholder);
  // A damaged file is reported with the state of the login.
  const other = otherClient(soundTokens(settings.data_dir), settings);
  if (other) report('FAIL', 'login', ...other);
  return placeholders.length === 0 && other === undefined;
};

type Topics = Partial<Pick<Settings, 'devices' | 'choices'>> & {
  readonly mqtt: Pick<Settings['mqtt'], 'base'>;
  readonly homeassistant: Pick<Settings['homeassistant'], 'discovery' | 'prefix'>;
};

/** Topics of devices with a `.` in the name, one for each: some brokers do not accept them. */
const dottedTopics = ({ mqtt: { base }, devices = [], choices = devices }: Topics): readonly string[] =>
  choices.flatMap(({ name = '' }) => (name.includes('.') ? [deviceTopic(base, name, 'check')] : []));

/** What the bridge needs from its broker. */
export const brokerNeeds = (settings: Topics): Needs => {
  const { mqtt, homeassistant } = settings;
  const document = homeassistant.discovery === 'off' ? [] : [`${homeassistant.prefix}/device/heating2mqtt_check/config`];
  return {
    filters: commandFilters(mqtt.base),
    probe: probeTopic(mqtt.base),
    written: [bridgeTopic(mqtt.base, 'check'), ...document, ...dottedTopics(settings)],
  };
};

/** The rights that the broker user lacks: one line with advice for each right. */
const missingRightLines = (missing: readonly MissingRight[], settings: Settings): readonly Line[] => {
  const { base } = settings.mqtt;
  const dotted = dottedTopics(settings);
  const lines = new Map<string, Line>();
  for (const { right, topic, isClosed } of missing) {
    const below = topic.startsWith(`${base}/`) ? `${base}/#` : `${topic.split('/device/')[0]}/#`;
    const refused =
      right === 'write'
        ? `it rejects messages of this user on ${topic}`
        : `messages that this user publishes on ${topic} do not come back to it: the user may not write there, or may not read there, and then no command arrives`;
    const ended = `it ends the connection when this user ${right === 'write' ? 'publishes on' : 'subscribes to topics such as'} ${topic}; the user lacks the right, or the broker limits subscriptions or the levels of a topic`;
    // The right is there if another topic below the base has no line.
    const [isDotted, hasRight] = [dotted.includes(topic), !lines.has(below)];
    if (isDotted && hasRight) lines.set(topic, [noDots(topic), descriptor('broker_no_dots', { topic })]);
    const sentence = `${isClosed ? ended : refused}: give the user the right to read and write ${below} (in the ACL file of Mosquitto: topic readwrite ${below})`;
    if (!isDotted && hasRight) lines.set(below, [sentence, descriptor(`broker_no_${right}`, { topic, below, isClosed })]);
  }
  return [...lines.values()];
};

const noDots = (topic: string): string =>
  `it does not forward messages on ${topic} because of the "." in the name (NATS before 2.10 ends the connection, RabbitMQ turns the "." into a "/"): give the device a name without "." in the settings`;

/** The result of one broker test. */
type BrokerResult = {
  readonly isGood: boolean;
  readonly url: string;
  readonly sentence: string;
  readonly about: MessageDescriptor | undefined;
};

/**
 * Connects to each broker address and tests what the bridge needs. Throws a UsageError if a file of `mqtt`
 * cannot be read.
 */
export const testBroker = async (settings: Settings): Promise<readonly BrokerResult[]> => {
  const results: BrokerResult[] = [];
  const servers = serversOf(brokerOptionsOf(settings));
  for (const options of servers) {
    // With several addresses, the sentence names its address.
    const address: Facts = servers.length > 1 ? { address: withoutPassword(options.url) } : {};
    try {
      const { url, version, missing } = await probeBroker(options, brokerNeeds(settings));
      const sentence = `${url} answers and speaks MQTT ${version}`;
      results.push({ isGood: true, url, sentence, about: descriptor('broker', { address: url, version }) });
      for (const [wrong, { code, facts }] of missingRightLines(missing, settings))
        results.push({ isGood: false, url, sentence: wrong, about: { code, facts: { ...facts, ...address } } });
    } catch (cause) {
      results.push({ isGood: false, url: withoutPassword(options.url), sentence: messageOf(cause), about: thrown(cause, address) });
    }
  }
  return results;
};

const checkBroker = async (settings: Settings, report: Report): Promise<boolean> => {
  const results = await testBroker(settings);
  for (const { isGood, url, sentence, about } of results)
    report(markOf(isGood), 'broker', isGood ? sentence : `${url}: ${sentence}`, about);
  return results.every(({ isGood }) => isGood);
};

/** Checks the database and the login, then makes the bridge's first read, unless that read cannot succeed. */
const checkPlatform = async (settings: Settings, isFilledIn: boolean, report: Report): Promise<boolean> => {
  let isStored = true;
  // A damaged database is set aside here, so only this line tells it. An unwritable one has a `cause`.
  const warn: Log['warn'] = (facts, sentence) => {
    const mark = 'cause' in facts ? 'FAIL' : 'note';
    isStored = report(mark, 'database', `${sentence} (${factsText(facts)})`, descriptor('database', { ...facts })) && isStored;
  };
  const isGood = await withPlatform(settings, { ...SILENT, warn }, async (ask, tokens) => {
    const reportLogin = (): boolean => {
      const { state, message, login_needed_at: needed, consent_expires_at: consent } = tokens.state();
      const isGood = state === 'ok' || state === 'refreshing';
      return report(markOf(isGood), 'login', message, descriptor(`login_${state}`, { needed, consent }));
    };
    const isNeeded = tokens.state().state === 'login_needed';
    // A login for another client has its own line.
    if (isNeeded || !isFilledIn) return isNeeded && reportLogin();
    // The first call shows whether the login still works, so its line follows the call.
    const reportFirst = await readFirst(settings, ask, report).catch((cause: unknown) => () => {
      return report('FAIL', 'platform', messageOf(cause), thrown(cause));
    });
    return reportLogin() && reportFirst();
  });
  return isGood && isStored;
};

/** Makes the bridge's first read. The result reports it. */
const readFirst = async (settings: Settings, ask: Ask, report: Report): Promise<() => boolean> => {
  const { choices, devices, platform } = settings;
  if (choices) {
    const found = await readDevices(ask);
    return () => reportDevices(found, choices, settings, report);
  }
  const [read] = readsOf(
    devices.map((device) => ({ ...device, name: device.name ?? device.device })),
    platform.read,
  );
  if (read === undefined) return () => false;
  const body = await ask((client) => client.readFeatures(read.target));
  return () => reportRead(body, read.target.feature, report);
};

const reportDevices = (
  found: readonly InventoryDevice[],
  choices: readonly DeviceChoice[],
  { account }: Pick<Settings, 'account'>,
  report: Report,
): boolean => {
  const chosen = chooseDevices(found, choices);
  const hint =
    found.length === 0
      ? ': log in with the account that shows the heating in the ViCare app'
      : `: compare devices in the settings with what \`${commandFor('check', account)} --devices\` prints`;
  const names = chosen.map(({ name }) => name);
  const sentence = `${found.length} devices found; ${chosen.length === 0 ? `none is chosen${hint}` : `chosen: ${names.join(', ')}`}`;
  const about = descriptor(chosen.length > 0 ? 'devices' : 'no_devices', { found: found.length, chosen: names });
  return report(markOf(chosen.length > 0), 'platform', sentence, about);
};

const reportRead = (body: unknown, feature: string | undefined, report: Report): boolean => {
  const features = (recordsOf(body) ?? []).flatMap((record) => {
    const parsed = parseFeature(record);
    return parsed.ok ? [parsed.value] : [];
  });
  const [first] = features;
  if (!first) {
    const sentence = `it answers, but without a record of ${feature ?? 'any feature'}: compare installation, gateway, device and features in the settings`;
    return report('FAIL', 'platform', sentence, descriptor('no_record', { feature }));
  }
  const count = features.length;
  if (feature === undefined) return report('ok', 'platform', `it answers with ${count} features`, descriptor('features', { count }));
  const commands = [...first.commands.keys()];
  const facts = { name: first.name, properties: first.properties.size, commands };
  const sentence = `${facts.name} has ${facts.properties} properties; commands: ${commands.join(', ') || 'none'}`;
  return report('ok', 'platform', sentence, descriptor('feature', facts));
};

/** The installation of the device that the examples show (`DEVICE_EXAMPLE`). */
const EXAMPLE_INSTALLATION = '123456';

const TO_WRITE = [
  ['base_url', 'write the address of your platform'],
  ['auth_url', "write the address of your platform's identity service"],
  ['client_id', `register a client (for the live service at ${DEVELOPER_PORTAL}) and write its id`],
] as const;

/** The settings that still have the example's value, each with advice. */
const placeholdersIn = ({ platform, devices, choices = [], account }: Settings): readonly Line[] => {
  const ofPlatform = TO_WRITE.filter(([key]) => platform[key] === SCHEMA.platform[key].example).map(([key, what]): Line => {
    const sentence = `platform.${key} is still the value of the example, ${platform[key]}: ${what}`;
    return [sentence, descriptor('placeholder', { setting: `platform.${key}`, value: platform[key] })];
  });
  const isExample = [...devices, ...choices].some(({ installation }) => installation === EXAMPLE_INSTALLATION);
  const found = `\`${commandFor('check', account)} --devices\` prints them with platform.profile: v2; otherwise see the pages of your platform`;
  const ofDevices = `devices: the installation is still that of the example, ${EXAMPLE_INSTALLATION}: write your own installation, gateway and device (${found})`;
  return isExample ? [...ofPlatform, [ofDevices, descriptor('placeholder_devices', { installation: EXAMPLE_INSTALLATION })]] : ofPlatform;
};

/** The sentence for a login of another client: each renewal would fail. Older logins name no client. */
const otherClient = (tokens: StoredTokens | undefined, { platform, account }: Settings): Line | undefined => {
  const { client_id: before } = tokens ?? {};
  if (before === undefined || before === platform.client_id) return undefined;
  const { client_id: now } = platform;
  const sentence = `it was made with the client ${before}, but platform.client_id is ${now}, which cannot renew it: set platform.client_id to ${before}, or run \`${commandFor('login', account)}\` to log in with the new client`;
  return [sentence, descriptor('other_client', { before, now })];
};
