import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MqttClient } from 'mqtt';
import { makeAccounts } from '../accounts/accounts.ts';
import { GatewayOwners } from '../accounts/gatewayOwners.ts';
import { ACCOUNT_FILES } from '../config/accounts.ts';
import { loadSettings, type Sources } from '../config/load.ts';
import { isBrokerAddress, visitBroker, withoutPassword } from '../mqtt/connect.ts';
import { startEmbeddedBroker } from '../mqtt/embeddedBroker.ts';
import { readRetained } from '../mqtt/readRetained.ts';
import { writeTokens } from '../platform/auth/tokenFile.ts';
import { readWeek } from '../schedule/readWeek.ts';
import { printWeek } from '../schedule/text/weekText.ts';
import { weekOf } from '../schedule/week.ts';
import { systemClock } from '../shared/clock.ts';
import { CodedError, reasonOf, UsageError } from '../shared/errors.ts';
import { jsonObject } from '../shared/json.ts';
import { LogRing, printable } from '../shared/log.ts';
import { makeFolder } from '../shared/plainFile.ts';
import { machineZone } from '../shared/timeZone.ts';
import { builtIn } from '../simulator/home/builtIn/builtIn.ts';
import { defaultHome } from '../simulator/home/home.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { bridgeTopic, commandTopic } from '../topics/topicNames.ts';
import { type Host, startHost } from './host.ts';
import { storeDemoPast } from './performance/demoPast.ts';
import { accountLogins } from './setup/accountLogins.ts';
import { pageRoutes } from './setup/pageRoutes.ts';
import type { Io } from './terminal/io.ts';
import { makeLog } from './terminal/log.ts';
import { hasColour, paint, type Style } from './terminal/terminalText.ts';

const PORT = 1883;
/** `<base>/<device>/result`. */
const RESULT_LEVELS = 3;
/** Limits for what other clients publish below the base on the user's broker. */
const [LONGEST, MOST_TOPICS] = [4000, 5000];
const NAME = 'heating2mqtt';
/** The client that the simulated platform knows. */
const CLIENT_ID = 'heating2mqtt-demo';
/** On the user's broker, another bridge can use the usual base. */
const BASE_ELSEWHERE = `${NAME}-demo`;
/** Like a real device, the simulated one shows a written value after a short delay. */
const EFFECT_MS = 1500;
/** The second account: a house with only a heat pump, and a login some months old. */
const SECOND = 'parents';
const SECOND_HOME = {
  ...defaultHome,
  installation: 333444,
  gateway: '7571381699993333',
  devices: { '0': defaultHome.devices['0'] ?? { features: {} } },
};
const SECOND_LOGIN_MS = 120 * 86_400_000;
/** Hot water has one level a day: days with two levels get no price plan. */
const WATER = weekOf(() => [
  { start: '05:00', end: '07:00', mode: 'normal', position: 0 },
  { start: '16:00', end: '21:00', mode: 'normal', position: 1 },
]);

/** `heating2mqtt demo`: a bridge, a simulated home and (without `--broker`) a broker, until a signal. */
export const demo = async (broker: string | undefined, io: Io): Promise<number> => {
  const stopped = io.untilSignal();
  const dataDir = newFolder();
  const simulator = await startSimulator({ effectDelayMs: EFFECT_MS });
  simulator.control({ command: 'set', feature: 'heating.dhw.schedule', property: 'entries', value: WATER });
  let second: Simulator | undefined;
  const embedded = broker === undefined ? await startEmbeddedBroker(PORT, true) : undefined;
  const url = embedded?.url ?? broker ?? '';
  const base = embedded ? NAME : BASE_ELSEWHERE;
  try {
    const { settings, sources } = demoSettings(simulator, url, base, dataDir);
    const viewer = await watchResults(url, base, io);
    const now = Date.now();
    await storeLogin(dataDir, simulator, settings.platform.scope, now);
    const logRing = new LogRing();
    const { log, configure: configureLog } = await makeLog(settings.log, io, logRing);
    const routes = pageRoutes(sources, dataDir, () => host);
    storeDemoPast(dataDir, devicesOf(simulator), machineZone(), now, log);
    const owners = new GatewayOwners();
    const accounts = makeAccounts({ sources, owners, main: () => host.app(), clock: systemClock, log });
    const host: Host = await startHost(settings, {
      ...{ log, configureLog, logRing, isContainer: false, anyPort: true, routes },
      accounts: { view: accounts, login: accountLogins(systemClock, log) },
      ...{ gateways: owners.of('', log, accounts.changed), isForeign: accounts.isForeign, changed: accounts.changed },
    });
    await host.ready;
    await viewer.publishAsync(calendarOf(base), JSON.stringify(nextWeek(now)));
    await viewer.publishAsync(`${base}/prices`, demoPrices(now));
    io.out(introduction(host.web()?.addresses() ?? [], url, base, hasColour(io)));
    if (embedded && embedded.port !== PORT)
      io.out(
        `\nPort ${PORT} is in use (if it is your own broker, try --broker mqtt://localhost:${PORT}); the broker of the demo uses port ${embedded.port}.`,
      );
    second = await startSimulator({ home: SECOND_HOME, effectDelayMs: EFFECT_MS });
    await writeSecond(dataDir, second, settings.platform.scope, now - SECOND_LOGIN_MS);
    await accounts.reconcile();
    await stopped;
    io.out('\nStopping …');
    await Promise.all([host.stop({ withdraw: true }), accounts.stop({ withdraw: true })]);
    await viewer.endAsync(true);
  } finally {
    await simulator.close();
    await second?.close();
    await embedded?.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return 0;
};

/** Throws UsageError if the folder cannot be created. */
const newFolder = (): string => {
  try {
    return mkdtempSync(join(tmpdir(), 'heating2mqtt-demo-'));
  } catch (cause) {
    throw new UsageError(
      'folder_unusable',
      `the temporary folder ${tmpdir()} cannot be used: ${reasonOf(cause)} (set TMPDIR to another folder)`,
      {
        cause,
      },
    );
  }
};

/** Stores a login made at `loginMs`. */
const storeLogin = async (dataDir: string, simulator: Simulator, scope: string, loginMs: number): Promise<void> => {
  const { access_token, refresh_token, expires_in } = simulator.issueTokens();
  await writeTokens(dataDir, {
    access_token,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    expires_at: Date.now() + expires_in * 1000,
    scope,
    consent_at: loginMs,
    // The page accepts a login only from the same person.
    login_id: builtIn.user.properties.loginId,
  });
};

/** The entry of the second account and its login; other settings come from the first account. */
const writeSecond = async (dataDir: string, { url, ...home }: Simulator, scope: string, loginMs: number): Promise<void> => {
  const folder = join(dataDir, 'accounts', SECOND);
  makeFolder(folder);
  await storeLogin(folder, { url, ...home }, scope, loginMs);
  const entry = { platform: { base_url: url, auth_url: url, client_id: CLIENT_ID }, devices: devicesOf(home) };
  mkdirSync(join(dataDir, ACCOUNT_FILES), { mode: 0o700 });
  writeFileSync(join(dataDir, ACCOUNT_FILES, `${SECOND}.yaml`), JSON.stringify(entry));
};

const devicesOf = ({ installation, gateway, devices }: Pick<Simulator, 'installation' | 'gateway' | 'devices'>) =>
  devices
    .filter((device) => device !== 'gateway')
    .map((device, i) => ({ name: i === 0 ? 'home' : 'rooms', installation, gateway, device, features: ['*'] }));

const calendarOf = (base: string): string => commandTopic(base, { kind: 'events', name: 'family' });

/** A calendar with a holiday next week, and guests before it. */
const nextWeek = (nowMs: number): object => {
  const day = (ahead: number): string => new Date(nowMs + ahead * 86_400_000).toISOString().slice(0, 10);
  const guests = { summary: 'Guests for dinner', start: `${day(3)}T18:00:00`, end: `${day(3)}T23:00:00` };
  return { events: [guests, { summary: 'Holiday at the sea', start: day(6), end: day(11) }] };
};

/** Prices of a sunny day, from yesterday on: low at night and at noon, high in the evening. */
const demoPrices = (nowMs: number): string => {
  const [hour, quarter] = [3_600_000, 900_000];
  const from = Math.floor(nowMs / hour) * hour - 24 * hour;
  const values = Array.from({ length: 96 * 4 }, (_, index) => {
    const start = from + index * quarter;
    const time = (new Date(start).getHours() + new Date(start).getMinutes() / 60) * (Math.PI / 12);
    const value = 0.29 + 0.06 * Math.cos(2 * (time - 1.9)) - 0.04 * Math.cos(time);
    return { start: new Date(start).toISOString(), end: new Date(start + quarter).toISOString(), value: Number(value.toFixed(4)) };
  });
  return JSON.stringify(values);
};

/** The demo settings, in a separate file: all other settings have their defaults. */
const demoSettings = ({ url, ...home }: Simulator, broker: string, base: string, dataDir: string) => {
  const file = join(dataDir, 'demo.yaml');
  const written = {
    platform: {
      profile: 'v2',
      base_url: url,
      auth_url: url,
      client_id: CLIENT_ID,
      scope: 'IoT User offline_access',
      read: 'device',
      // The simulated platform does not count calls.
      quota: { per_10_minutes: 10_000, per_day: 1_000_000 },
    },
    poll: { seconds: 5 },
    mqtt: { base, client_id: `${base}-${process.pid}` },
    devices: devicesOf(home),
    // The simulated home uses the clock of this machine.
    schedules: { time_zone: machineZone(), profiles: { home: 'daily 07:00-22:00 normal', holiday: 'daily none' } },
    calendar: {
      rules: ['Holiday -> profile holiday; on *.heating.schedule; lead 2h', 'Guests -> program comfort; on heating.circuits.0.*'],
    },
    commands: { confirm_s: [1, 2, 4, 8], per_hour: 600 },
    prices: { topic: `${base}/prices`, unit: 'kWh' },
    data_dir: dataDir,
    log: { level: 'warn' },
  };
  // JSON is valid YAML.
  writeFileSync(file, JSON.stringify(written));
  const settings = loadSettings({ file, env: {}, cwd: dataDir });
  // The page reads the sources again for a change.
  const sources: Sources = { file, env: { HEATING2MQTT_MQTT_URL: broker }, cwd: dataDir };
  return { settings: { ...settings, mqtt: { ...settings.mqtt, url: broker } }, sources };
};

/** Prints each command result with the new value. Throws UsageError (bad URL), CodedError (unreachable). */
const watchResults = async (url: string, base: string, io: Io): Promise<MqttClient> => {
  const failed = (cause: unknown): never => {
    if (!(cause instanceof Error)) throw cause;
    const sentence = `--broker ${withoutPassword(url)}: ${cause.message}`;
    throw isBrokerAddress(url) ? new CodedError('broker', sentence, { cause }) : new UsageError('usage', sentence, { cause });
  };
  const { client } = await visitBroker({ url, clientId: `${base}-viewer`, version: 'auto' }).catch(failed);
  const shown = new Map<string, string>();
  client.on('message', (topic, payload) => {
    const text = String(payload);
    const isOfCalendar = topic === bridgeTopic(base, 'result') && jsonObject(text)?.topic === calendarOf(base);
    if (topic.split('/').length === RESULT_LEVELS && topic.endsWith('/result') && !isOfCalendar)
      io.out(resultLine(jsonObject(text) ?? {}, shown, hasColour(io)));
    else if (text === '' || text.length > LONGEST) shown.delete(topic);
    else if (shown.has(topic) || shown.size < MOST_TOPICS) shown.set(topic, text);
  });
  await readRetained(client, [`${base}/+/#`], systemClock, { quietMs: 0, stays: true }).catch(failed);
  return client;
};

const COLOURS: ReadonlyMap<string, Style> = new Map([
  ['applied', 'green'],
  ['accepted', 'cyan'],
  ['unchanged', 'cyan'],
  ['valid', 'cyan'],
  ['unconfirmed', 'yellow'],
]);

type Answer = Readonly<Record<string, unknown>>;

/** A member as printable text: it comes from outside. */
const textOf = (member: unknown): string => (typeof member === 'string' ? printable(member) : '');

/** The written value, by its topic; for a week the changed days. */
const shownValue = ({ topic, changed }: Answer, shown: ReadonlyMap<string, string>): string | undefined => {
  const of = textOf(topic).replace(/\/set$/, '');
  if (!Array.isArray(changed)) return shown.get(of);
  const week = readWeek(jsonObject(shown.get(`${of}/entries`) ?? shown.get(of.replace(/\/[^/]+$/, '/entries')) ?? ''));
  return week.ok ? printWeek(Object.fromEntries(Object.entries(week.value).filter(([day]) => changed.includes(day)))) : undefined;
};

const resultLine = (answer: Answer, shown: ReadonlyMap<string, string>, colour: boolean): string => {
  const [word, command, feature, until, message] = ['status', 'command', 'feature', 'until', 'message'].map((name) => textOf(answer[name]));
  const value = feature !== '' && (word === 'applied' || word === 'unchanged') ? shownValue(answer, shown) : undefined;
  const end = until === '' ? '' : ` (until ${new Date(until ?? '').toLocaleString('sv-SE')})`;
  const more = [value === undefined ? '' : `${printable(value)}${end}`, message].filter((text) => text !== '');
  // Commands to the bridge itself have no command or feature name: the topic is shown instead.
  const where = command === '' && feature === '' ? [textOf(answer['topic'])] : [command, feature].filter((text) => text !== '');
  return [[paint(COLOURS.get(word ?? '') ?? 'red', word ?? '', colour), ...where].join(' '), ...more].join(': ');
};

const introduction = (pages: readonly string[], url: string, base: string, colour: boolean): string => {
  const schedule = `${base}/home/heating/circuits/0/heating/schedule`;
  const { hostname, port, protocol } = new URL(url);
  const where = `-h ${hostname} -p ${port || (protocol === 'mqtts:' ? 8883 : PORT)}`;
  const [sub, pub] = isCheckout() ? ['npx mqtt sub -v', 'npx mqtt pub -q 1'] : ['mosquitto_sub -v', 'mosquitto_pub -q 1'];
  const title = (text: string): string => paint('bold', text, colour);
  const command = (text: string): string => `  ${paint('cyan', text, colour)}`;
  return [
    '',
    ...pages.flatMap((page) => [title(`Web page: ${page}`), '']),
    title(`Simulated home: broker ${withoutPassword(url)}, topics below ${base}/`),
    'A heat pump with two circuits, hot water and ventilation (home), and two rooms (rooms). Answers to commands are shown here.',
    `The home of a second account is below ${base}/${SECOND}/, some seconds later.`,
    'Try in another terminal:',
    '',
    title('1. See every property as a retained topic'),
    command(`${sub} ${where} -t '${base}/home/#'`),
    '',
    title('2. Set some days of the heating schedule, see the new week, and undo the change'),
    command(`${pub} ${where} -t ${schedule}/set -m 'mon-fri 6-8:30 normal, 17-22 comfort; sun none'`),
    command(`${sub} ${where} -t ${schedule}/text`),
    command(`${pub} ${where} -t ${schedule}/undo/set -m x`),
    '',
    title('3. Make a mistake, and see the answer with the nearest valid value'),
    command(`${pub} ${where} -t ${schedule}/set -m 'mon 6:05-25:00 cosy'`),
    '',
    title('4. Set a temperature for one hour'),
    command(`${pub} ${where} -t ${base}/home/heating/dhw/temperature/main/value/set -m '{"value":52,"for":"1h"}'`),
    '',
    'Home Assistant finds the devices by itself if it uses this broker. Ctrl-C stops the demo.',
  ].join('\n');
};

// A checkout has the command line of its MQTT package; the released file does not.
const isCheckout = (): boolean => import.meta.url.endsWith('.ts');
