import { isRecord } from '../shared/json.ts';
import { CALENDAR, ENERGY_ROWS, PRICE_ROWS } from './optionalSections.ts';
import { accounts } from './validation/accountEntries.ts';
import { devices } from './validation/deviceEntries.ts';
import { setting } from './validation/formats.ts';
import { isSetting, type Section, type Setting, type Value } from './validation/rows.ts';

/** Replaces the profile's path. Needs the ids in `places`; with `gateway`, it may have `{installation}`. */
const pathBelow = (below: 'auth_url' | 'base_url', places: readonly string[], doc: string) => {
  const needs = places.length === 0 ? '' : ` Needs ${places.map((place) => `{${place}}`).join(', ')}.`;
  const example = `/${['own', ...places.map((place) => `{${place}}`)].join('/')}`;
  return setting.path(
    { default: null, defaultText: 'that of the profile', places, example },
    `${doc} Path below ${below}, in place of the profile's.${needs}`,
  );
};

/** The platform's current limit for an account in 24 hours. */
export const DEFAULT_CALLS_PER_DAY = 1450;

/** All settings: name, format, default, meaning. Source of types, variables, example, schema and tables. */
export const SCHEMA = {
  platform: {
    profile: setting.choice(
      { choices: ['auto', 'v1', 'v2'], default: 'auto' },
      'Paths of the platform. v2 = those of the live service, whose addresses and scope are then the defaults and whose devices are found automatically; v1 = the documented ones, where your platform has them; auto = v2, and v1 where platform.base_url is set.',
    ),
    base_url: setting.baseUrl(
      { default: '', defaultText: 'that of the live service; required with v1', example: 'https://api.example.com' },
      "Address of the platform's user and IoT service.",
    ),
    auth_url: setting.baseUrl(
      { default: '', defaultText: 'that of the live service; required with v1', example: 'https://iam.example.com' },
      "Address of the platform's identity service, where people log in.",
    ),
    client_id: setting.text({ default: '', example: 'your-client-id' }, 'Id of the client that you registered with the platform.'),
    redirect_uri: setting.anyUrl(
      { default: 'http://localhost:4200/', example: 'http://localhost:4200/' },
      'Address to which the login sends the browser back, exactly as it was registered for the client.',
    ),
    scope: setting.text(
      { default: null, defaultText: 'IoT User; with v2 IoT User offline_access', example: 'IoT User offline_access' },
      'What the login asks for. Add offline_access where the platform offers refresh tokens, else a login lasts one hour.',
    ),
    read: setting.choice(
      { choices: ['auto', 'feature', 'device', 'gateway'], default: 'auto' },
      'feature = one call for each feature; device = one call for all features of a device; gateway = one call for all devices of a gateway (v2); auto = the fewest calls with v2, with v1 device where a feature is written as a glob, else feature.',
    ),
    paths: {
      authorize: pathBelow('auth_url', [], 'Page where people log in.'),
      token: pathBelow('auth_url', [], 'Where tokens are given and renewed.'),
      identity: pathBelow('base_url', [], 'The account that a token belongs to.'),
      installations: pathBelow(
        'base_url',
        [],
        'List of installations with their gateways and devices; with it, devices are found automatically.',
      ),
      feature: pathBelow('base_url', ['gateway', 'device', 'feature'], 'One feature.'),
      device_features: pathBelow('base_url', ['gateway', 'device'], 'All features of a device.'),
      command: pathBelow('base_url', ['gateway', 'device', 'feature', 'command'], 'A command.'),
      gateway_all: pathBelow('base_url', ['gateway'], 'The features of a gateway and of all its devices in one answer.'),
      gateway_features: pathBelow('base_url', ['gateway'], 'All features of the device called gateway.'),
      gateway_feature: pathBelow('base_url', ['gateway', 'feature'], 'One feature of the device called gateway.'),
      gateway_command: pathBelow('base_url', ['gateway', 'feature', 'command'], 'A command of the device called gateway.'),
    },
    timeout_s: setting.number({ min: 0.1, max: 600, default: 30 }, 'Seconds that a call may take, from connecting to the last byte.'),
    quota: {
      per_10_minutes: setting.whole({ min: 1, max: 1_000_000, default: 120 }, 'Calls that the platform allows in 10 minutes.'),
      per_day: setting.whole(
        { min: 1, max: 100_000_000, default: DEFAULT_CALLS_PER_DAY },
        'Calls that the platform allows in 24 hours. With the default, the number that a refusal (429) tells takes its place.',
      ),
      reserve_for_commands: setting.whole({ min: 0, max: 100_000_000, default: 50 }, 'Calls of each day that polling leaves for commands.'),
    },
    consent_days: setting.whole(
      { min: 1, max: 36_500, default: 180 },
      'Days from a login to the end of its refresh token; 30 days before, bridge/auth and the log say so.',
    ),
    login_over_mqtt: setting.flag(
      { default: false },
      'true = when a login is needed, bridge/auth shows the address to open, and bridge/auth/set takes the address to which the browser returns. Everyone with write access to that topic can then log in, after the first login only with the same account.',
    ),
  },
  poll: {
    seconds: setting.numberOrAuto(
      { min: 1, max: 86_400, default: 'auto' },
      'Seconds from poll to poll. auto = as fast as the quota allows, never under 60; a number that the quota cannot carry for a day is stretched, with one warning.',
    ),
    jitter: setting.number(
      { min: 0, max: 0.5, default: 0.1 },
      'Part of the interval by which a poll comes earlier or later, so that not all bridges ask at the same moment.',
    ),
    gone_after_h: setting.number(
      { min: 0, max: 8760, default: 24 },
      'Hours, and at least three complete reads, for which a feature must be missing before its topics are cleared.',
    ),
  },
  mqtt: {
    url: setting.brokerUrl(
      { default: 'mqtt://localhost:1883', example: 'mqtt://localhost:1883' },
      'Address of the broker: mqtt:// or ws://, with TLS mqtts:// or wss://. Several, for the nodes of a cluster, are a list, or stand behind commas: where one is lost, the next is used. Without it, the app of Home Assistant asks there for the broker.',
    ),
    username: setting.text({ default: null, example: 'heating' }, 'User at the broker.'),
    password: setting.text({ default: null, sensitive: true, example: 'secret' }, 'Password at the broker.'),
    base: setting.base(
      { default: 'heating2mqtt', example: 'heating2mqtt' },
      'First level, or levels, of every topic. Each bridge at a broker needs its own.',
    ),
    version: setting.choice(
      { choices: ['auto', '5', '3.1.1'], default: 'auto' },
      'MQTT version; auto = 5, and 3.1.1 where the broker does not support it.',
    ),
    ca: setting.pemFile(
      { default: null, example: '/config/ca.pem' },
      "File (PEM) with the authority that signed the broker's certificate, where it is your own.",
    ),
    cert: setting.pemFile(
      { default: null, example: '/config/client.pem' },
      'File (PEM) with a client certificate, for brokers that ask for one.',
    ),
    key: setting.pemFile({ default: null, example: '/config/client.key' }, "File (PEM) with the client certificate's key."),
    client_id: setting.text(
      { default: null, example: 'heating2mqtt', defaultText: 'made from mqtt.base' },
      'MQTT client id, where the broker expects a certain one.',
    ),
    max_payload: setting.whole(
      { min: 1024, max: 268_435_455, default: 65_536 },
      'Bytes that a message to the bridge may have; a longer one is rejected, unless the topic shows as much. With MQTT 5 the broker is told to keep back what is more than 9 MB longer.',
    ),
  },
  homeassistant: {
    discovery: setting.choice(
      { choices: ['device', 'off'], default: 'device' },
      'device = one discovery document for each device and each of its parts, for Home Assistant 2024.11 and openHAB 5.2 or later; off = none, and documents published before are removed.',
    ),
    prefix: setting.topic({ default: 'homeassistant', example: 'homeassistant' }, 'Discovery prefix, as set in Home Assistant.'),
    status_topic: setting.topic(
      { default: 'homeassistant/status', example: 'homeassistant/status' },
      'Topic of the birth message of Home Assistant, after which the documents are published again.',
    ),
    import: setting.flag({ default: false }, 'true = the app may import what was used before the installation into Home Assistant.'),
  },
  devices: devices(
    { default: [], defaultText: 'required with v1' },
    'Devices to read: a list, in the environment as JSON. Where devices are found automatically (v2), all are read without a list; with a list those that match an entry, and the first entry that matches applies.',
  ),
  accounts: accounts(
    { default: [], defaultText: 'only the account above', example: '[{ name: parents, client_id: their-client-id }]' },
    'Further accounts of the platform, each with topics below mqtt.base/NAME and a folder accounts/NAME in data_dir: a list of entries with name, client_id, and any setting in which the account differs. A file accounts.d/NAME.yaml in data_dir is an entry, too. See docs/accounts.md.',
  ),
  schedules: {
    time_zone: setting.zoneOrAuto(
      { default: 'auto', example: 'Europe/Berlin' },
      "Time zone of the heating's clock, for now and next of a schedule; auto = the zone that the platform gives for the installation, else the machine's (bridge/info shows which).",
    ),
    profiles: setting.profiles(
      { default: [], defaultText: 'not set', example: '{ summer: daily none }' },
      'Weeks, or some of their days, by name: as text or as JSON, in the environment all of them as JSON. Those that fit a schedule can be chosen on its profile topic.',
    ),
    seasons: setting.seasons(
      { default: [], example: '["home heating.dhw.schedule: summer bright, winter dark, above 16"]' },
      'Schedules that change their week with the season, each as DEVICE FEATURE: summer PROFILE, winter PROFILE, from MM-DD to MM-DD (when it is summer), or, above DEGREES in place of the days: the mean outside temperature of three days, with 1 K more or less. A change is told on bridge/seasons a day before; at most one a week.',
    ),
  },
  calendar: CALENDAR,
  commands: {
    settle_ms: setting.whole(
      { min: 0, max: 2000, default: 500 },
      'Milliseconds that a write of some days of a week waits for writes of other days, so that they become one command; at most 2 s in all.',
    ),
    fresh_s: setting.number(
      { min: 0, max: 60, default: 5 },
      'Maximum age in seconds of a record that completes a partial write (some days of a week, one of several parameters); with an older record the feature is read first. A change made in the vendor’s app within this time can be overwritten.',
    ),
    confirm_s: setting.ascending(
      { min: 0.01, max: 3600, default: [5, 15, 30, 60], example: '[5, 15, 30, 60]' },
      'Seconds after a command at which the feature is read to confirm the change; the first confirmation ends this.',
    ),
    per_hour: setting.whole(
      { min: 1, max: 100_000, default: 60 },
      'Maximum number of commands to one feature in an hour, as protection against a faulty automation.',
    ),
    allow: setting.commandGlobs(
      { default: ['*'], example: '["*/setSchedule"]' },
      'Globs over feature/command that may be sent; [] = read only.',
    ),
    deny: setting.commandGlobs(
      { default: ['*/remove*', '*/add*', '*/move*'], example: '["*/remove*"]' },
      'Globs over feature/command that are never sent, even if commands.allow has them: by default commands that remove, add or move a part of the installation.',
    ),
  },
  events: {
    minutes: setting.whole(
      { min: 0, max: 1440, default: 60 },
      'Minutes from one read of faults and other events to the next (v2): one call for each installation, and at most ten more a day when something happens; 0 = never.',
    ),
  },
  ...ENERGY_ROWS,
  history: {
    days: setting.whole(
      { min: 0, max: 366, default: 14 },
      'For so many days values are kept for the charts of the page, at most one for each ten minutes; 0 = none are kept.',
    ),
  },
  prices: PRICE_ROWS,
  web: {
    enabled: setting.flag({ default: true }, 'false = no page is served.'),
    listen: setting.address(
      { default: null, defaultText: '127.0.0.1; in a container all addresses', example: '0.0.0.0' },
      'Address of this machine on which the page is served; 0.0.0.0 = all. Another one than 127.0.0.1 needs web.password, with at least 8 characters.',
    ),
    port: setting.whole({ min: 1, max: 65_535, default: 8427 }, 'Port of the page.'),
    password: setting.password(
      { default: null, sensitive: true, example: 'secret' },
      'Password of the page: as it is, or as `heating2mqtt web-password` prints it. Without it the page is served to this machine alone, and in a container not at all.',
    ),
    hosts: setting.hosts(
      { default: [], example: '[heating.example.com]' },
      'Names under which the page is reached, beside IP addresses, names without a dot, names in .local and the name of this machine. Requests for other names are refused.',
    ),
    base_path: setting.path(
      { default: null, places: [], example: '/heating' },
      'Path under which a reverse proxy shows the page, where the proxy keeps it in its requests.',
    ),
    trusted_proxies: setting.networks(
      { default: [], example: '[192.168.1.2, 172.16.0.0/12]' },
      'Addresses or networks of reverse proxies whose X-Forwarded headers are believed.',
    ),
    frame_ancestors: setting.origins(
      { default: [], example: '["http://ha.example.com:8123"]' },
      'Sites that may show the page in a frame.',
    ),
    ingress: setting.whole(
      { min: 1, max: 65_535, default: null, example: '8099' },
      'Port for the ingress of Home Assistant: the Supervisor reaches the page there, without a password. Never map it to the host. The app sets 8099 by itself.',
    ),
    update_check: setting.flag(
      { default: false },
      'true = while somebody looks at the page, GitHub is asked once a day whether there is a newer version, which the page then shows. Not in the app of Home Assistant, which is told by the hub.',
    ),
    metrics_token: setting.text(
      { default: null, sensitive: true, example: 'secret' },
      'Token with which Prometheus reads /metrics (Authorization: Bearer), where the page has a password.',
    ),
  },
  language: setting.choice(
    { choices: ['en', 'de'], default: 'en' },
    'Language of the names that Home Assistant and openHAB show, of the words that entities show there, and of answers: en = English, de = German. Ids, topics and their payloads stay as they are.',
  ),
  data_dir: setting.text(
    { default: null, defaultText: '~/.local/state/heating2mqtt', example: '/data' },
    'Folder for the login and the state of the bridge. The default is $STATE_DIRECTORY under systemd, else $XDG_STATE_HOME/heating2mqtt; on macOS ~/Library/Application Support/heating2mqtt, on Windows %LOCALAPPDATA%\\heating2mqtt; in the app of Home Assistant /data.',
  ),
  log: {
    level: setting.choice({ choices: ['debug', 'info', 'warn', 'error'], default: 'info' }, 'Messages below this level are not logged.'),
    format: setting.choice(
      { choices: ['auto', 'pretty', 'json'], default: 'auto' },
      'auto = pretty on a terminal, else json. In the app of Home Assistant pretty.',
    ),
  },
} satisfies Section;

type Values<Node> = { readonly [Key in keyof Node]: Node[Key] extends Setting ? Value<Node[Key]> : Values<Node[Key]> };

/** The result of convict: a value for each row, null for an optional setting that is not set. */
export type Loaded = Values<typeof SCHEMA>;

/** A setting with its key `platform.quota.per_day` and its variable `HEATING2MQTT_PLATFORM_QUOTA_PER_DAY`. */
export type Leaf = { readonly key: string; readonly path: readonly string[]; readonly env: string; readonly setting: Setting };

/** Folds the schema: `ofLeaf` maps a setting, `ofSection` joins the results of a section's keys. */
export const foldSchema = <T>(
  ofLeaf: (leaf: Leaf) => T,
  ofSection: (entries: readonly (readonly [key: string, result: T])[]) => T,
  node: Section | Setting = SCHEMA,
  path: readonly string[] = [],
): T =>
  isSetting(node)
    ? ofLeaf({ key: path.join('.'), path, env: `HEATING2MQTT_${path.join('_').toUpperCase()}`, setting: node })
    : ofSection(Object.entries(node).map(([key, child]) => [key, foldSchema(ofLeaf, ofSection, child, [...path, key])]));

/** Every setting, in schema order. */
export const LEAVES: readonly Leaf[] = foldSchema<readonly Leaf[]>(
  (leaf) => [leaf],
  (entries) => entries.flatMap(([, leaves]) => leaves),
);

/** The value at a path of a settings tree; undefined if there is none. */
export const valueAt = (tree: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((node, key) => (isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined), tree);
