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
    `${doc} Path below ${below}, instead of that of the profile.${needs}`,
  );
};

/** The platform's current limit for an account in 24 hours. */
export const DEFAULT_CALLS_PER_DAY = 1450;

/** All settings: name, format, default, meaning. Source of types, variables, example, schema and tables. */
export const SCHEMA = {
  platform: {
    profile: setting.choice(
      { choices: ['auto', 'v1', 'v2'], default: 'auto' },
      'API of the platform. v2 = the live service: its addresses and scope are the defaults, and devices are found automatically; v1 = the documented paths, if your platform has them; auto = v1 if platform.base_url is set, else v2.',
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
      'Address to which the login redirects the browser, exactly as registered for the client.',
    ),
    scope: setting.text(
      { default: null, defaultText: 'IoT User; with v2 IoT User offline_access', example: 'IoT User offline_access' },
      'Permissions that the login asks for. Add offline_access if the platform offers refresh tokens; without it a login lasts one hour.',
    ),
    read: setting.choice(
      { choices: ['auto', 'feature', 'device', 'gateway'], default: 'auto' },
      'feature = one call for each feature; device = one call for all features of a device; gateway = one call for all devices of a gateway (v2); auto = with v2 the fewest calls; with v1 device if a feature is written as a glob, else feature.',
    ),
    paths: {
      authorize: pathBelow('auth_url', [], 'Page where people log in.'),
      token: pathBelow('auth_url', [], 'Endpoint that issues and renews tokens.'),
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
    timeout_s: setting.number({ min: 0.1, max: 600, default: 30 }, 'Maximum seconds for a call, from connecting to the last byte.'),
    quota: {
      per_10_minutes: setting.whole({ min: 1, max: 1_000_000, default: 120 }, 'Calls that the platform allows in 10 minutes.'),
      per_day: setting.whole(
        { min: 1, max: 100_000_000, default: DEFAULT_CALLS_PER_DAY },
        'Calls that the platform allows in 24 hours. The default is replaced by the number in a refusal (429), if it names one.',
      ),
      reserve_for_commands: setting.whole({ min: 0, max: 100_000_000, default: 50 }, 'Calls of each day that are reserved for commands.'),
    },
    consent_days: setting.whole(
      { min: 1, max: 36_500, default: 180 },
      'Days from a login to the end of its refresh token; 30 days before, bridge/auth and the log warn.',
    ),
    login_over_mqtt: setting.flag(
      { default: false },
      'true = when a login is needed, bridge/auth shows the address to open, and bridge/auth/set takes the address to which the browser is redirected. Anyone with write access to that topic can then log in; after the first login only with the same account.',
    ),
  },
  poll: {
    seconds: setting.numberOrAuto(
      { min: 1, max: 86_400, default: 'auto' },
      'Seconds between polls. auto = as few as the quota allows, at least 60; a number that would use up the quota of a day is increased, with one warning.',
    ),
    jitter: setting.number(
      { min: 0, max: 0.5, default: 0.1 },
      'Random variation of the interval, as a fraction of it, so that not all bridges poll at the same moment.',
    ),
    gone_after_h: setting.number(
      { min: 0, max: 8760, default: 24 },
      'Hours without a feature, and at least three complete reads, after which its topics are cleared.',
    ),
  },
  mqtt: {
    url: setting.brokerUrl(
      { default: 'mqtt://localhost:1883', example: 'mqtt://localhost:1883' },
      'Address of the broker: mqtt:// or ws://, with TLS mqtts:// or wss://. For the nodes of a cluster, several as a list or separated by commas: if one is lost, the next is used. If it is not set, the app gets the broker from Home Assistant.',
    ),
    username: setting.text({ default: null, example: 'heating' }, 'User name for the broker.'),
    password: setting.text({ default: null, sensitive: true, example: 'secret' }, 'Password for the broker.'),
    base: setting.base(
      { default: 'heating2mqtt', example: 'heating2mqtt' },
      'First level or levels of every topic. Each bridge on a broker needs its own.',
    ),
    version: setting.choice(
      { choices: ['auto', '5', '3.1.1'], default: 'auto' },
      'MQTT version; auto = 5, or 3.1.1 if the broker does not support 5.',
    ),
    ca: setting.pemFile(
      { default: null, example: '/config/ca.pem' },
      "File (PEM) with the certificate of the authority that signed the broker's certificate, if it is your own.",
    ),
    cert: setting.pemFile(
      { default: null, example: '/config/client.pem' },
      'File (PEM) with a client certificate, for brokers that require one.',
    ),
    key: setting.pemFile({ default: null, example: '/config/client.key' }, 'File (PEM) with the private key of the client certificate.'),
    client_id: setting.text(
      { default: null, example: 'heating2mqtt', defaultText: 'made from mqtt.base' },
      'MQTT client id, if the broker expects a certain one.',
    ),
    max_payload: setting.whole(
      { min: 1024, max: 268_435_455, default: 65_536 },
      'Maximum bytes of a message to the bridge; a longer one is rejected, unless the topic itself shows a longer value. With MQTT 5 the broker is told not to deliver messages that are more than 9 MB longer.',
    ),
  },
  homeassistant: {
    discovery: setting.choice(
      { choices: ['device', 'off'], default: 'device' },
      'device = one discovery document for each device and each of its parts, for Home Assistant 2024.11 and openHAB 5.2 or later; off = none, and documents that were published before are removed.',
    ),
    prefix: setting.topic({ default: 'homeassistant', example: 'homeassistant' }, 'Discovery prefix, as set in Home Assistant.'),
    status_topic: setting.topic(
      { default: 'homeassistant/status', example: 'homeassistant/status' },
      'Topic of the birth message of Home Assistant; after it the documents are published again.',
    ),
    import: setting.flag({ default: false }, 'true = the app may import consumption from before the installation into Home Assistant.'),
  },
  devices: devices(
    { default: [], defaultText: 'required with v1' },
    'Devices to read: a list, in the environment as JSON. If devices are found automatically (v2), all are read without a list, else those that match an entry; the first matching entry applies.',
  ),
  accounts: accounts(
    { default: [], defaultText: 'only the account above', example: '[{ name: parents, client_id: their-client-id }]' },
    'Further accounts of the platform, each with topics below mqtt.base/NAME and a folder accounts/NAME in data_dir: a list of entries with name, client_id, and all settings that differ for the account. A file accounts.d/NAME.yaml in data_dir is also an entry. See docs/accounts.md.',
  ),
  schedules: {
    time_zone: setting.zoneOrAuto(
      { default: 'auto', example: 'Europe/Berlin' },
      "Time zone of the heating's clock, for the topics now and next of a schedule; auto = the zone of the installation on the platform, else that of the machine (bridge/info shows which).",
    ),
    profiles: setting.profiles(
      { default: [], defaultText: 'not set', example: '{ summer: daily none }' },
      'Named weeks, or some of their days, as text or JSON; in the environment all as one JSON object. The profile topic of a schedule accepts the names of the weeks that fit it.',
    ),
    seasons: setting.seasons(
      { default: [], example: '["home heating.dhw.schedule: summer bright, winter dark, above 16"]' },
      'Schedules that change their week with the season, each as DEVICE FEATURE: summer PROFILE, winter PROFILE, from MM-DD to MM-DD (the summer); or above DEGREES instead of the days: the mean outside temperature of three days, with a hysteresis of ±1 K. Nothing is sent until a person has approved the preview; bridge/seasons announces a change a day before; at most one a week.',
    ),
  },
  calendar: CALENDAR,
  commands: {
    settle_ms: setting.whole(
      { min: 0, max: 2000, default: 500 },
      'Milliseconds that a write of some days of a week waits for writes of other days, to send them as one command; at most 2 s in total.',
    ),
    fresh_s: setting.number(
      { min: 0, max: 60, default: 5 },
      'Maximum age in seconds of a record that completes a partial write (some days of a week, one of several parameters); with an older record the feature is read first. A change made in the vendor’s app within this time can be overwritten.',
    ),
    confirm_s: setting.ascending(
      { min: 0.01, max: 3600, default: [5, 15, 30, 60], example: '[5, 15, 30, 60]' },
      'Seconds after a command at which the feature is read to confirm the change; the reads stop when it is confirmed.',
    ),
    per_hour: setting.whole(
      { min: 1, max: 100_000, default: 60 },
      'Maximum number of commands to a feature in an hour, as protection against a faulty automation.',
    ),
    allow: setting.commandGlobs(
      { default: ['*'], example: '["*/setSchedule"]' },
      'Globs for feature/command: these commands may be sent; [] = read-only.',
    ),
    deny: setting.commandGlobs(
      { default: ['*/remove*', '*/add*', '*/move*'], example: '["*/remove*"]' },
      'Globs for feature/command: these commands are never sent, even if commands.allow matches them; by default those that remove, add or move a part of the installation.',
    ),
  },
  events: {
    minutes: setting.whole(
      { min: 0, max: 1440, default: 60 },
      'Minutes between reads of faults and other events (v2): one call for each installation, and at most ten more a day when something happens; 0 = never.',
    ),
  },
  ...ENERGY_ROWS,
  history: {
    days: setting.whole(
      { min: 0, max: 366, default: 14 },
      'Days for which values are kept for the charts of the page, at most one value for each ten minutes; 0 = none.',
    ),
  },
  prices: PRICE_ROWS,
  web: {
    enabled: setting.flag({ default: true }, 'false = no web page.'),
    listen: setting.address(
      { default: null, defaultText: '127.0.0.1; in a container all addresses', example: '0.0.0.0' },
      'Address of this machine on which the page is served; 0.0.0.0 = all. Any address except 127.0.0.1 needs web.password, with at least 8 characters.',
    ),
    port: setting.whole({ min: 1, max: 65_535, default: 8427 }, 'Port of the page.'),
    password: setting.password(
      { default: null, sensitive: true, example: 'secret' },
      'Password of the page, as plain text or as printed by `heating2mqtt web-password`. Without it the page can be opened only on this machine, and in a container not at all.',
    ),
    hosts: setting.hosts(
      { default: [], example: '[heating.example.com]' },
      'Host names of the page, in addition to IP addresses, names without a dot, names in .local and the name of this machine. Requests for other names are refused.',
    ),
    base_path: setting.path(
      { default: null, places: [], example: '/heating' },
      'Path of the page behind a reverse proxy, if the proxy does not remove it from its requests.',
    ),
    trusted_proxies: setting.networks(
      { default: [], example: '[192.168.1.2, 172.16.0.0/12]' },
      'Addresses or networks of reverse proxies whose X-Forwarded headers are trusted.',
    ),
    frame_ancestors: setting.origins(
      { default: [], example: '["http://ha.example.com:8123"]' },
      'Sites that may show the page in a frame.',
    ),
    ingress: setting.whole(
      { min: 1, max: 65_535, default: null, example: '8099' },
      'Port for the ingress of Home Assistant: on it the Supervisor reaches the page without a password. Never map it to the host. The app sets it to 8099.',
    ),
    update_check: setting.flag(
      { default: false },
      'true = while the page is open, GitHub is asked once a day for a newer version, which the page then shows. Not in the app of Home Assistant, where the hub shows updates.',
    ),
    metrics_token: setting.text(
      { default: null, sensitive: true, example: 'secret' },
      'Token with which Prometheus reads /metrics (Authorization: Bearer), if the page has a password.',
    ),
  },
  language: setting.choice(
    { choices: ['en', 'de'], default: 'en' },
    'Language of names and states in Home Assistant and openHAB, and of answers: en = English, de = German. Ids, topics and payloads do not depend on it.',
  ),
  data_dir: setting.text(
    { default: null, defaultText: '~/.local/state/heating2mqtt', example: '/data' },
    'Folder for the login and the state of the bridge. The default is $STATE_DIRECTORY under systemd, else $XDG_STATE_HOME/heating2mqtt; on macOS ~/Library/Application Support/heating2mqtt, on Windows %LOCALAPPDATA%\\heating2mqtt; in the app of Home Assistant /data.',
  ),
  log: {
    level: setting.choice({ choices: ['debug', 'info', 'warn', 'error'], default: 'info' }, 'Messages below this level are not logged.'),
    format: setting.choice(
      { choices: ['auto', 'pretty', 'json'], default: 'auto' },
      'auto = pretty on a terminal and in the app of Home Assistant, else json.',
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
