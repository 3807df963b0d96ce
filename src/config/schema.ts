import { PLATFORM } from './platformSchema.ts';
import { isSetting, type Section, type Setting, type Value } from './validation/formats.ts';

/**
 * Every setting: its name, format, default and meaning. The types, the environment variables, the example file, the JSON Schema,
 * the table in the README and `heating2mqtt settings` are made from it.
 */
export const SCHEMA = {
  platform: PLATFORM,
  poll: {
    seconds: {
      format: 'number_or_auto',
      min: 1,
      max: 86_400,
      default: 'auto',
      doc: 'Seconds from poll to poll. auto = as fast as the quota allows, never under 60; a number that the quota cannot carry for a day is stretched, with one warning.',
    },
    jitter: {
      format: 'number',
      min: 0,
      max: 0.5,
      default: 0.1,
      doc: 'Part of the interval by which a poll comes earlier or later, so that not all bridges ask at the same moment.',
    },
    gone_after_h: {
      format: 'number',
      min: 0,
      max: 8760,
      default: 24,
      doc: 'Hours, and at least three complete reads, for which a feature must be missing before its topics are cleared.',
    },
  },
  mqtt: {
    url: {
      format: 'url',
      protocols: ['mqtt', 'mqtts', 'ws', 'wss', 'tcp', 'ssl'],
      default: 'mqtt://localhost:1883',
      example: 'mqtt://localhost:1883',
      doc: 'Address of the broker: mqtt:// or ws://, with TLS mqtts:// or wss://.',
    },
    username: {
      format: 'text',
      default: null,
      example: 'heating',
      doc: 'User at the broker.',
    },
    password: {
      format: 'text',
      default: null,
      sensitive: true,
      example: 'secret',
      doc: 'Password at the broker.',
    },
    base: {
      format: 'topic',
      default: 'heating2mqtt',
      example: 'heating2mqtt',
      doc: 'First level, or levels, of every topic. Each bridge at a broker needs its own.',
    },
    version: {
      format: 'choice',
      choices: ['auto', '5', '3.1.1'],
      default: 'auto',
      doc: 'MQTT version; auto = 5, and 3.1.1 where the broker does not support it.',
    },
    ca: {
      format: 'pem_file',
      default: null,
      example: '/config/ca.pem',
      doc: "File (PEM) with the authority that signed the broker's certificate, where it is your own.",
    },
    cert: {
      format: 'pem_file',
      default: null,
      example: '/config/client.pem',
      doc: 'File (PEM) with a client certificate, for brokers that ask for one.',
    },
    key: {
      format: 'pem_file',
      default: null,
      example: '/config/client.key',
      doc: "File (PEM) with the client certificate's key.",
    },
    client_id: {
      format: 'text',
      default: null,
      example: 'heating2mqtt',
      defaultText: 'made from mqtt.base',
      doc: 'MQTT client id, where the broker expects a certain one.',
    },
    max_payload: {
      format: 'whole',
      min: 1024,
      max: 268_435_455,
      default: 65_536,
      doc: 'Bytes that a message to the bridge may have; a longer one is rejected, unless the topic shows as much. With MQTT 5 the broker is told to keep back what is more than 9 MB longer.',
    },
  },
  homeassistant: {
    discovery: {
      format: 'choice',
      choices: ['device', 'entity', 'off'],
      default: 'device',
      doc: 'device = one discovery document for each device, for Home Assistant 2024.11 and openHAB 5.2 or later; entity = one for each entity, for openHAB before 5.2; off = none, and documents published before are removed.',
    },
    prefix: {
      format: 'topic',
      default: 'homeassistant',
      example: 'homeassistant',
      doc: 'Discovery prefix, as set in Home Assistant.',
    },
    status_topic: {
      format: 'topic',
      default: 'homeassistant/status',
      example: 'homeassistant/status',
      doc: 'Topic of the birth message of Home Assistant, after which the documents are published again.',
    },
  },
  devices: {
    format: 'devices',
    default: [],
    defaultText: 'required with v1',
    doc: 'Devices to read: a list, in the environment as JSON. Where devices are found automatically (v2), all are read without a list; with a list those that match an entry, and the first entry that matches applies.',
  },
  schedules: {
    time_zone: {
      format: 'zone_or_auto',
      default: 'auto',
      example: 'Europe/Berlin',
      doc: "Time zone of the heating's clock, for now and next of a schedule; auto = the zone that the platform gives for the installation, else the machine's (bridge/info shows which).",
    },
    profiles: {
      format: 'profiles',
      default: [],
      defaultText: 'not set',
      example: '{ summer: daily none }',
      doc: 'Weeks, or some of their days, by name: as text or as JSON, in the environment all of them as JSON. Those that fit a schedule can be chosen on its profile topic.',
    },
  },
  commands: {
    settle_ms: {
      format: 'whole',
      min: 0,
      max: 2000,
      default: 500,
      doc: 'Milliseconds that a write of some days of a week waits for writes of other days, so that they become one command; at most 2 s in all.',
    },
    fresh_s: {
      format: 'number',
      min: 0,
      max: 60,
      default: 5,
      doc: 'Maximum age in seconds of a record that completes a partial write (some days of a week, one of several parameters); with an older record the feature is read first. A change made in the vendor’s app within this time can be overwritten.',
    },
    confirm_s: {
      format: 'ascending',
      min: 0.01,
      max: 3600,
      default: [5, 15, 30, 60],
      example: '[5, 15, 30, 60]',
      doc: 'Seconds after a command at which the feature is read to confirm the change; the first confirmation ends this.',
    },
    per_hour: {
      format: 'whole',
      min: 1,
      max: 100_000,
      default: 60,
      doc: 'Maximum number of commands to one feature in an hour, as protection against a faulty automation.',
    },
    allow: {
      format: 'command_globs',
      default: ['*'],
      example: '["*/setSchedule"]',
      doc: 'Globs over feature/command that may be sent; [] = read only.',
    },
    deny: {
      format: 'command_globs',
      default: ['*/remove*', '*/add*', '*/move*'],
      example: '["*/remove*"]',
      doc: 'Globs over feature/command that are never sent, even if commands.allow has them: by default commands that remove, add or move a part of the installation.',
    },
  },
  data_dir: {
    format: 'text',
    default: null,
    defaultText: '~/.local/state/heating2mqtt',
    example: '/data',
    doc: 'Folder for the login and the state of the bridge. The default is $STATE_DIRECTORY under systemd, else $XDG_STATE_HOME/heating2mqtt; on macOS ~/Library/Application Support/heating2mqtt, on Windows %LOCALAPPDATA%\\heating2mqtt.',
  },
  log: {
    level: {
      format: 'choice',
      choices: ['debug', 'info', 'warn', 'error'],
      default: 'info',
      doc: 'Messages below this level are not logged.',
    },
    format: {
      format: 'choice',
      choices: ['auto', 'pretty', 'json'],
      default: 'auto',
      doc: 'auto = pretty on a terminal, else json.',
    },
  },
} as const satisfies Section;

type Values<Node> = { readonly [Key in keyof Node]: Node[Key] extends Setting ? Value<Node[Key]> : Values<Node[Key]> };

/** What convict holds: a value for each row, null for an optional setting that is not set. */
export type Loaded = Values<typeof SCHEMA>;

/** A setting with its key `platform.quota.per_day` and its environment variable `HEATING2MQTT_PLATFORM_QUOTA_PER_DAY`. */
export type Leaf = { readonly key: string; readonly path: readonly string[]; readonly env: string; readonly setting: Setting };

/** Folds the schema: `ofLeaf` turns a setting into a result, `ofSection` joins the results of a section's keys. */
export const foldSchema = <T>(
  ofLeaf: (leaf: Leaf) => T,
  ofSection: (entries: readonly (readonly [key: string, result: T])[]) => T,
  node: Section | Setting = SCHEMA,
  path: readonly string[] = [],
): T =>
  isSetting(node)
    ? ofLeaf({ key: path.join('.'), path, env: `HEATING2MQTT_${path.join('_').toUpperCase()}`, setting: node })
    : ofSection(Object.entries(node).map(([key, child]) => [key, foldSchema(ofLeaf, ofSection, child, [...path, key])]));

/** Every setting, in the order of the schema. */
export const LEAVES: readonly Leaf[] = foldSchema<readonly Leaf[]>(
  (leaf) => [leaf],
  (entries) => entries.flatMap(([, leaves]) => leaves),
);
