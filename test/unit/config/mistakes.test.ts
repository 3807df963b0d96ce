import { describe, expect, it } from 'vitest';
import { load, mistakes, REQUIRED } from './loading.ts';

const DEVICE = 'installation: 1, gateway: 2, device: 0';
const PLATFORM = 'platform: { base_url: "https://api.test", auth_url: "https://iam.test", client_id: abc }';
const EXAMPLE =
  '- { name: home, installation: 123456, gateway: "7571381699991111", device: "0", features: [heating.circuits.0.heating.schedule] }';

const WHY_V1 = ' (platform.base_url without platform.profile means v1; for the live service write profile: v2)';

/** Below the two lines of what is required, so each stands on line 3 or later. */
const ADDED: readonly [yaml: string, ...lines: readonly string[]][] = [
  ['mqtt: { base: a/b }'],
  ['mqtt:\npoll: ~'],
  ['poll: { seconds: fast }', 'settings.yaml:3 poll.seconds: "fast" is not a number; allowed: auto, or 1 to 86400'],
  ['poll: { seconds: 0.5 }', 'settings.yaml:3 poll.seconds: 0.5 is too small; allowed: auto, or 1 to 86400'],
  ['poll:\n  jitter: 0.1\n  seconds: 90s', 'settings.yaml:5 poll.seconds: "90s" is not a number; allowed: auto, or 1 to 86400'],
  ['poll: { seconds: [1] }', 'settings.yaml:3 poll.seconds: ["1"] is not a number; allowed: auto, or 1 to 86400'],
  ['poll: { jitter: 2 }', 'settings.yaml:3 poll.jitter: 2 is too large; allowed: 0 to 0.5'],
  ['poll: { seconds: { a: 1 } }', 'settings.yaml:3 poll.seconds: has keys (a) and takes a value'],
  [
    'web: { listen: all }',
    'settings.yaml:3 web.listen: "all" is no IP address; allowed: an address of this machine, as 192.168.1.10, or 0.0.0.0 for all',
  ],
  [
    'web: { password: scrypt$a }',
    'settings.yaml:3 web.password: begins as a hashed password and is none; allowed: a line that `heating2mqtt web-password` prints',
  ],
  [
    'web: { hosts: [https://a.example:8443/x, "a b"] }',
    'settings.yaml:3 web.hosts[1]: "a b" is no host name; allowed: a name, as heating.example.com',
  ],
  [
    'web: { trusted_proxies: [10.0.0.0/8, fd00::/8, 10.0.0.0/33] }',
    'settings.yaml:3 web.trusted_proxies[2]: "10.0.0.0/33" is no IP address or network; allowed: as 192.168.1.2 or 172.16.0.0/12',
  ],
  [
    'web: { frame_ancestors: [\'https://a.example\', "https://a.example; script-src *"] }',
    'settings.yaml:3 web.frame_ancestors[1]: "https://a.example; script-src *" is no address of a site; allowed: scheme, host and port, as https://ha.example.com:8123',
  ],
  ['web: { port: 8099, ingress: 8099 }', 'settings.yaml:3 web.ingress: 8099 is web.port too; allowed: a port of its own'],
  ['poll: 60', 'settings.yaml:3 poll: is "60" and takes keys; allowed: seconds, jitter, gone_after_h'],
  [
    'mqtt: { ulr: x }',
    'settings.yaml:3 mqtt.ulr: there is no such setting; nearest: mqtt.url; allowed: url, username, password, base, version, ca, cert, key, client_id, max_payload',
  ],
  [
    'base: x',
    'settings.yaml:3 base: there is no such setting; nearest: mqtt.base; allowed: platform, poll, mqtt, homeassistant, devices, schedules, commands, history, web, language, data_dir, log',
  ],
  [
    '__proto__: { base: x }',
    'settings.yaml:3 __proto__: there is no such setting; allowed: platform, poll, mqtt, homeassistant, devices, schedules, commands, history, web, language, data_dir, log',
  ],
  ['constructor: { prototype: { a: 1 } }', expect.stringContaining('settings.yaml:3 constructor: there is no such setting')],
  [
    'mqtt: { url: "localhost:1883" }',
    'settings.yaml:3 mqtt.url: "localhost:1883" is not an address; nearest: mqtt://localhost:1883; allowed: mqtt://, mqtts://, ws://, wss://, tcp://, ssl://, as mqtt://localhost:1883',
  ],
  [
    'mqtt: { url: "http://me:secret@host" }',
    'settings.yaml:3 mqtt.url: "http://…@host" is not an address; allowed: mqtt://, mqtts://, ws://, wss://, tcp://, ssl://, as mqtt://localhost:1883',
  ],
  [
    'mqtt: { base: a/#/b }',
    'settings.yaml:3 mqtt.base: "a/#/b" holds a wildcard; allowed: a topic without +, # and empty levels, as heating2mqtt',
  ],
  [
    'mqtt: { base: /a }',
    'settings.yaml:3 mqtt.base: "/a" has an empty level; allowed: a topic without +, # and empty levels, as heating2mqtt',
  ],
  ['mqtt: { base: $SYS/a }', expect.stringContaining('mqtt.base: "$SYS/a" belongs to the broker itself')],
  ['mqtt: { base: "" }', 'settings.yaml:3 mqtt.base: is empty; allowed: text, as heating2mqtt'],
  [
    'mqtt: { base: homeassistant }',
    'settings.yaml:3 mqtt.base: "homeassistant" is homeassistant.prefix too; allowed: another topic, as heating2mqtt',
  ],
  ['mqtt: { version: 4 }', 'settings.yaml:3 mqtt.version: "4" is not a choice; allowed: auto, 5, 3.1.1'],
  [
    'mqtt: { max_payload: 1024.5 }',
    'settings.yaml:3 mqtt.max_payload: 1024.5 is not a whole number; allowed: a whole number, 1024 to 268435455',
  ],
  [
    'mqtt: { password: "a\\nb", username: u }',
    'settings.yaml:3 mqtt.password: the value holds a line break or control character; allowed: text, as secret',
  ],
  ['mqtt: { password: p }', 'settings.yaml:3 mqtt.password: is set without mqtt.username; allowed: both, or a user name alone'],
  [
    'mqtt: { url: "mqtt://u:p@h", username: x }',
    'settings.yaml:3 mqtt.username: is set, and mqtt.url names a user too; allowed: one of them',
  ],
  ['mqtt: { url: "mqtts://h", cert: settings.yaml }', 'settings.yaml:3 mqtt.cert: is set without mqtt.key; allowed: both or none'],
  ['mqtt: { url: "mqtts://h", key: settings.yaml }', 'settings.yaml:3 mqtt.key: is set without mqtt.cert; allowed: both or none'],
  [
    'mqtt: { ca: settings.yaml }',
    'settings.yaml:3 mqtt.ca: is set, but mqtt.url is without TLS; allowed: with it, a mqtt.url of mqtts:// or wss://',
  ],
  [
    'mqtt: { url: "mqtts://h", ca: no.pem }',
    'settings.yaml:3 mqtt.ca: names a file that cannot be read: no.pem (ENOENT); allowed: a PEM file',
  ],
  [
    'homeassistant: { discovery: on }',
    expect.stringMatching(/^settings\.yaml:3 homeassistant\.discovery: .*; allowed: device, entity, off$/),
  ],
  [
    'homeassistant: { prefix: a+ }',
    'settings.yaml:3 homeassistant.prefix: "a+" holds a wildcard; allowed: a topic without +, # and empty levels, as homeassistant',
  ],
  ['schedules: { time_zone: Europe/Berlin }'],
  [
    'schedules: { time_zone: Europe/Berlim }',
    expect.stringMatching(/"Europe\/Berlim" is no time zone; nearest: Europe\/Berlin, .*; allowed: auto, or a name .* as Europe\/Berlin$/),
  ],
  [
    'schedules: { time_zone: new york }',
    'settings.yaml:3 schedules.time_zone: "new york" is no time zone; nearest: America/New_York; allowed: auto, or a name of the time zone database, as Europe/Berlin',
  ],
  [
    'schedules: { time_zone: "+01:00" }',
    'settings.yaml:3 schedules.time_zone: "+01:00" is no time zone; allowed: auto, or a name of the time zone database, as Europe/Berlin',
  ],
  ['commands: { settle_ms: 2001 }', 'settings.yaml:3 commands.settle_ms: 2001 is too large; allowed: a whole number, 0 to 2000'],
  [
    'commands: { confirm_s: [5, 5] }',
    'settings.yaml:3 commands.confirm_s[1]: 5 is not after 5; allowed: 1 to 10 numbers, each greater than the one before, as [5, 15, 30, 60]',
  ],
  [
    'commands: { confirm_s: [] }',
    'settings.yaml:3 commands.confirm_s: has 0 items; allowed: 1 to 10 numbers, each greater than the one before, as [5, 15, 30, 60]',
  ],
  [
    'commands: { confirm_s: [0, x] }',
    'settings.yaml:3 commands.confirm_s[0]: 0 is too small; allowed: 0.01 to 3600',
    'settings.yaml:3 commands.confirm_s[1]: "x" is not a number; allowed: 0.01 to 3600',
  ],
  [
    'commands: { allow: [setSchedule] }',
    'settings.yaml:3 commands.allow[0]: "setSchedule" can match no command; allowed: globs over feature/command, as */setSchedule',
  ],
  ['commands: { deny: { a: b } }', 'settings.yaml:3 commands.deny: has keys (a) and takes a value; allowed: ["*/remove*"]'],
  ['log: { level: trace }', 'settings.yaml:3 log.level: "trace" is not a choice; allowed: debug, info, warn, error'],
  ['log: &a { level: info }\nlog: *a', 'settings.yaml:4:1: log is written twice in the same place; allowed: once'],
  ['log: { level: info, level: warn }', 'settings.yaml:3:21: level is written twice in the same place; allowed: once'],
];

/** Whole files. */
const FILES: readonly [yaml: string | Uint8Array, ...lines: readonly string[]][] = [
  [
    '',
    'settings.yaml platform.client_id: is missing: register a client at https://app.developer.viessmann-climatesolutions.com/, with platform.redirect_uri as its redirect address, and write its id here',
  ],
  [
    'platform: { profile: v1 }',
    `settings.yaml devices: is missing: name at least one device to read; allowed: ${EXAMPLE}`,
    'settings.yaml:1 platform.base_url: is missing: with profile v1 the address of the API is needed, as https://api.example.com; it stands in the documentation of your platform',
    'settings.yaml:1 platform.auth_url: is missing: with profile v1 the address of the login is needed, as https://iam.example.com; it stands in the documentation of your platform',
    "settings.yaml:1 platform.client_id: is missing: register a client on your platform's developer page, with platform.redirect_uri as its redirect address, and write its id here",
  ],
  [`${PLATFORM}\ndevices: []`, `settings.yaml:2 devices: is missing: name at least one device to read${WHY_V1}; allowed: ${EXAMPLE}`],
  [
    'platform: { base_url: "https://api.test", client_id: abc }\ndevices: [{ installation: 1, gateway: 2, device: 0, features: [a.b] }]',
    `settings.yaml:1 platform.auth_url: is missing: with profile v1 the address of the login is needed, as https://iam.example.com; it stands in the documentation of your platform${WHY_V1}`,
  ],
  [`${PLATFORM}\ndevices: 7`, `settings.yaml:2 devices: "7" is not a list of devices; allowed: ${EXAMPLE}`],
  [`${PLATFORM}\ndevices: [home]`, `settings.yaml:2 devices[0]: "home" is not a device; allowed: ${EXAMPLE}`],
  [
    `${PLATFORM}\ndevices:\n  - name: a\n    gateway: 2\n    device: 0\n    feature: [a]`,
    'settings.yaml:3 devices[0].installation: is missing: Number of the installation',
    'settings.yaml:6 devices[0].feature: there is no such setting; nearest: features; allowed: name, installation, gateway, device, model, role, features, exclude',
  ],
  [
    `${PLATFORM}\ndevices: [{ ${DEVICE} }]`,
    expect.stringContaining('settings.yaml:2 devices[0].features: is missing: say what to read; allowed: names'),
  ],
  [
    `${PLATFORM}\ndevices: [{ ${DEVICE}, features: [a..b] }]`,
    expect.stringContaining('settings.yaml:2 devices[0].features[0]: "a..b" is not the name of a feature'),
  ],
  [
    `${PLATFORM}\ndevices: [{ ${DEVICE}, features: [a], name: bridge }]`,
    'settings.yaml:2 devices[0].name: "bridge" is the name of the bridge itself; allowed: any other',
  ],
  [
    `${PLATFORM}\ndevices:\n  - { ${DEVICE}, features: [a], name: x }\n  - { installation: 1, gateway: 2, device: 1, features: [a], name: x }`,
    'settings.yaml:4 devices[1].name: "x" is the name of devices[0]; allowed: another name',
  ],
  [
    `${PLATFORM}\ndevices:\n  - { ${DEVICE}, features: [a] }\n  - { installation: 1, gateway: 3, device: 1, features: [a], name: 2-0 }`,
    'settings.yaml:4 devices[1].name: "2-0" is the name of devices[0]; allowed: another name',
  ],
  [
    `${PLATFORM}\ndevices:\n  - { ${DEVICE}, features: [a], name: x }\n  - { ${DEVICE}, features: [b] }`,
    'settings.yaml:4 devices[1]: has the gateway and device of devices[0]; allowed: one entry for each device',
  ],
  [
    `${PLATFORM}\ndevices:\n  - { installation: x, gateway: ., device: .., features: [a], name: .. }\n  - { ${DEVICE}, features: [a..b], name: x }\n  - { ${DEVICE}, name: x }\n  - 7`,
    'settings.yaml:3 devices[0].name: ".." is a step in a path and names nothing; allowed: text other than . and ..',
    'settings.yaml:3 devices[0].installation: "x" is not the number of an installation; allowed: digits, as 123456',
    'settings.yaml:3 devices[0].gateway: "." is a step in a path and names nothing; allowed: text other than . and ..',
    'settings.yaml:3 devices[0].device: ".." is a step in a path and names nothing; allowed: text other than . and ..',
    expect.stringContaining('settings.yaml:4 devices[1].features[0]: "a..b" is not the name of a feature'),
    'settings.yaml:5 devices[2]: has the gateway and device of devices[1]; allowed: one entry for each device',
    'settings.yaml:5 devices[2].name: "x" is the name of devices[1]; allowed: another name',
    expect.stringContaining('settings.yaml:5 devices[2].features: is missing: say what to read'),
    `settings.yaml:6 devices[3]: "7" is not a device; allowed: ${EXAMPLE}`,
  ],
  [
    `${PLATFORM.replace('}', ', read: feature }')}\ndevices:\n  - { ${DEVICE}, features: [a, "b.*"] }`,
    'settings.yaml:3 devices[0].features[1]: "b.*" is a glob, and platform.read: feature reads by name; allowed: names, as [heating.circuits.0.heating.schedule]; globs, as ["*"], with platform.read: auto or device',
  ],
  [
    REQUIRED.replace('client_id: abc', 'client_id: abc, profile: v3'),
    'settings.yaml:1 platform.profile: "v3" is not a choice; allowed: auto, v1, v2',
  ],
  ['platform: { client_id: abc, profile: v3 }', 'settings.yaml:1 platform.profile: "v3" is not a choice; allowed: auto, v1, v2'],
  [
    REQUIRED.replace('client_id: abc', 'client_id: abc, paths: { feature: "/f/{device}/{feature}" }'),
    'settings.yaml:1 platform.paths.feature: "/f/{device}/{feature}" lacks {gateway}; allowed: a path, as /own/{gateway}/{device}/{feature}',
  ],
  [
    REQUIRED.replace('client_id: abc', 'client_id: abc, paths: { token: "/t/{gateway}", authorize: "idp", identity: "//h/x" }'),
    'settings.yaml:1 platform.paths.authorize: "idp" is no absolute path; allowed: a path, as /own',
    'settings.yaml:1 platform.paths.token: "/t/{gateway}" has an unknown {gateway}; allowed: a path without ids',
    'settings.yaml:1 platform.paths.identity: "//h/x" is no absolute path; allowed: a path, as /own',
  ],
  [
    REQUIRED.replace('client_id: abc', 'client_id: abc, paths: { tokens: "/t" }'),
    expect.stringContaining('settings.yaml:1 platform.paths.tokens: there is no such setting; nearest: platform.paths.token'),
  ],
  [
    `${REQUIRED.split('\n')[0]}\ndevices: [{ installation: 1, gateway: 2, device: 0, role: "type:x", features: [a.b] }]`,
    'settings.yaml:2 devices[0].role: chooses among devices that are found, and with profile v1 none is; allowed: the ids of one device',
  ],
  [
    `platform: { profile: v2, client_id: abc, read: feature }\ndevices: [{ name: home, features: [a.b] }, { name: home, role: x }, { name: bridge, features: [a.b] }]`,
    'settings.yaml:2 devices[1].name: "home" is the name of devices[0]; allowed: another name',
    expect.stringContaining('settings.yaml:2 devices[1].features[0]: "*" is a glob, and platform.read: feature reads by name'),
    'settings.yaml:2 devices[2].name: "bridge" is the name of the bridge itself; allowed: any other',
  ],
  [
    REQUIRED.replace('client_id: abc', 'client_id: abc, read: gateway'),
    'settings.yaml:1 platform.read: is gateway, and profile v1 has no path for it; allowed: auto, device or feature',
  ],
  [
    REQUIRED.replace('client_id: abc', 'client_id: abc, login_over_mqtt: maybe'),
    'settings.yaml:1 platform.login_over_mqtt: "maybe" is neither true nor false; allowed: true, false',
  ],
  [
    REQUIRED.replace('client_id: abc', 'client_id: abc, redirect_uri: localhost'),
    'settings.yaml:1 platform.redirect_uri: "localhost" is not an address; allowed: an address with its protocol, as http://localhost:4200/',
  ],
  [
    REQUIRED.replace('client_id: abc', 'client_id: abc, timeout_s: 0'),
    'settings.yaml:1 platform.timeout_s: 0 is too small; allowed: 0.1 to 600',
  ],
  [
    REQUIRED.replace('client_id: abc', 'client_id: abc, quota: { per_day: 50 }'),
    'settings.yaml:1 platform.quota.reserve_for_commands: 50 leaves no call for reading; allowed: less than platform.quota.per_day (50)',
  ],
  [
    REQUIRED.replace('https://api.test', 'ftp://api.test'),
    'settings.yaml:1 platform.base_url: "ftp://api.test" is not an address; allowed: https://, http://, as https://api.example.com',
  ],
  [
    REQUIRED.replace('https://api.test', 'https://u:p@api.test'),
    'settings.yaml:1 platform.base_url: "https://…@api.test" holds a user or password; allowed: an address without them',
  ],
  [
    REQUIRED.replace('https://api.test', 'https://api.test/?a=1'),
    'settings.yaml:1 platform.base_url: "https://api.test/?…" holds a query or fragment; allowed: an address without it',
  ],
  [
    '- 1',
    'settings.yaml: holds no keys; allowed: platform, poll, mqtt, homeassistant, devices, schedules, commands, history, web, language, data_dir, log',
  ],
  ['a: [1\nb: 2', 'settings.yaml:2:1: is not YAML here (Flow sequence in block collection must be sufficiently indented and end with a ])'],
  ['\tx: 1', 'settings.yaml:1:1: is not YAML here (Tabs are not allowed as indentation)'],
  ['mqtt: *nope', 'settings.yaml:1:1: is not YAML (Unresolved alias (the anchor must be set before the alias))'],
  [Uint8Array.of(0x61, 0xff), 'settings.yaml: is not UTF-8 text'],
];

describe('a mistake in the file is told with its line, its key and what is allowed', () => {
  it.each(ADDED)('%j', (yaml, ...lines) => {
    expect(mistakes(() => load(`${REQUIRED}${yaml}`))).toEqual(lines);
  });
  it.each(FILES)('%j', (yaml, ...lines) => {
    expect(mistakes(() => load(yaml))).toEqual(lines);
  });
});
