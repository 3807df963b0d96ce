import { DAYS } from '../schedule/week.ts';

/** What each topic of the contract says or does, for people: the README's tables are made from this, and a test holds it against a running bridge. */

/** A state topic. `<base>`, `<device>`, `<feature>` and `<property>` stand for names. */
export type StateTopic = { readonly topic: string; readonly retained: boolean; readonly payload: string };

export const STATE_TOPICS: readonly StateTopic[] = [
  { topic: '<base>/bridge/state', retained: true, payload: '`online`, or `offline` when the bridge has gone (also as its will)' },
  {
    topic: '<base>/bridge/info',
    retained: true,
    payload:
      'JSON: version, start, version of MQTT, devices with the time zone of their schedules and where it comes from, settings without secrets',
  },
  {
    topic: '<base>/bridge/health',
    retained: true,
    payload:
      'JSON: last poll and success, interval, failed reads, messages, answers by status, `answers_dropped` (they did not reach the broker), memory in MB, `beat`',
  },
  {
    topic: '<base>/bridge/quota',
    retained: true,
    payload: 'JSON: calls used and left in both windows, the interval and why it is this one, `reset_at` while the platform refuses calls',
  },
  {
    topic: '<base>/bridge/auth',
    retained: true,
    payload:
      'JSON: `state` (`ok`, `refreshing`, `failing`, `login_needed`), since when, when the consent ends, what to do; `login_url` while a login over MQTT is waited for',
  },
  {
    topic: '<base>/bridge/result',
    retained: false,
    payload: 'answers to commands for the bridge, and to those that named no known device',
  },
  { topic: '<base>/<device>/availability', retained: true, payload: '`online` or `offline`' },
  {
    topic: '<base>/<device>/info',
    retained: true,
    payload: 'JSON: installation, gateway, device, name, and model and serial where its features tell',
  },
  { topic: '<base>/<device>/result', retained: false, payload: 'every answer of the device' },
  {
    topic: '<base>/<device>/<feature>/<property>',
    retained: true,
    payload: 'the value, bare: `true`, `21.5`, `standby`; lists and objects as JSON; cleared while there is none',
  },
  {
    topic: '<base>/<device>/heating/circuits/<n>/climate/<part>',
    retained: true,
    payload:
      'of each circuit, and of each room with a sensor (`rooms/<n>/climate`): `mode` (`off`, `auto`, `heat`, `cool`), `target`, `current` (°C), `preset`, `action` (`off`, `idle`, `heating`, `cooling`)',
  },
  {
    topic: '<base>/<device>/heating/dhw/water_heater/<part>',
    retained: true,
    payload: 'of the hot water: `mode` (`off`, `eco`, `performance`, `high_demand`), `target`, `current` (°C)',
  },
  {
    topic: '<base>/<device>/<feature>/entries',
    retained: true,
    payload: 'the week of a schedule: `{"mon":[{"start":"06:00","end":"22:00","mode":"normal","position":0}],…}`',
  },
  {
    topic: '<base>/<device>/<feature>/text',
    retained: true,
    payload: 'the week of a schedule as text: `mon-fri 05:30-09:00 normal, 17:00-22:00 normal; sat-sun none`',
  },
  ...DAYS.map((day) => ({
    topic: `<base>/<device>/<feature>/${day}`,
    retained: true,
    payload: day === 'mon' ? 'one day of it: `06:00-08:00 normal, 17:00-22:00 comfort`; `none` without entries' : 'likewise',
  })),
  {
    topic: '<base>/<device>/<feature>/now',
    retained: true,
    payload:
      'the mode that the week of a schedule asks for now, outside all entries the default mode; cleared while the schedule is not `active`',
  },
  {
    topic: '<base>/<device>/<feature>/next',
    retained: true,
    payload: 'the mode after the next change; cleared while not `active`, and where the week never changes mode',
  },
  {
    topic: '<base>/<device>/<feature>/next_at',
    retained: true,
    payload: "when that is: `2026-11-21T22:00:00+01:00`, with the offset of the schedule's time zone; cleared as `next` is",
  },
  {
    topic: '<base>/<device>/<feature>/profile',
    retained: true,
    payload: 'the first of `schedules.profiles` that fits the schedule and whose days are those of the week, else `custom`',
  },
  {
    topic: '<base>/<device>/<feature>/record',
    retained: true,
    payload:
      'JSON: types and units, commands with parameters and constraints, and `rev`, which changes when a value changes that a command can write',
  },
  {
    topic: '<base>/<device>/<feature>/until',
    retained: true,
    payload: 'when what was written for a time ends by itself: `2027-01-03T12:00:00+01:00`; cleared while there is no such end',
  },
  { topic: '<base>/<device>/<feature>/result', retained: false, payload: 'the answer to each write' },
];

/** A command topic. */
export type ListenTopic = { readonly topic: string; readonly payload: string; readonly does: string };

export const COMMAND_TOPICS: readonly ListenTopic[] = [
  {
    topic: '<base>/<device>/<feature>/set',
    payload: 'a week or some of its days, as JSON or as text',
    does: '`setSchedule`; days not named keep what they have',
  },
  { topic: '<base>/<device>/<feature>/entries/set', payload: 'the same; what `entries` shows changes nothing', does: 'the same' },
  { topic: '<base>/<device>/<feature>/text/set', payload: 'the same; what `text` shows changes nothing', does: 'the same' },
  {
    topic: '<base>/<device>/<feature>/mon/set',
    payload: 'the entries of that day, as text or as JSON array; `none` empties it (likewise `tue` … `sun`)',
    does: 'the same, for that day',
  },
  {
    topic: '<base>/<device>/<feature>/profile/set',
    payload: 'the name of one of `schedules.profiles`; `custom` changes nothing',
    does: '`setSchedule` with that week',
  },
  {
    topic: '<base>/<device>/<feature>/undo/set',
    payload: 'anything but empty',
    does: '`setSchedule` that takes back the days which the last change by the bridge altered; each further one goes one change further back, ten at most',
  },
  {
    topic: '<base>/<device>/<feature>/validate',
    payload: 'as for `set`',
    does: 'checks only: `valid` with the week, as entries and as text, and the days that would change, or `rejected`',
  },
  {
    topic: '<base>/<device>/<feature>/<property>/set',
    payload: 'a bare value',
    does: 'the command of the feature that writes this property; what else it needs is filled with the present values',
  },
  {
    topic: '<base>/<device>/heating/circuits/<n>/climate/<part>/set',
    payload: '`mode`, `target` or `preset`, as the topic shows it (likewise of rooms)',
    does: 'the command of the feature that it means',
  },
  {
    topic: '<base>/<device>/heating/dhw/water_heater/<part>/set',
    payload: '`mode` or `target`, as the topic shows it',
    does: 'the same, for the hot water',
  },
  {
    topic: '<base>/<device>/<feature>/set',
    payload: 'JSON object of property values, or the bare value where just one property can be written',
    does: 'one command that writes them together',
  },
  {
    topic: '<base>/<device>/<feature>/call/<command>',
    payload: 'JSON object of the parameters, or the bare value of a single one; without parameters anything but empty',
    does: 'any command of any feature',
  },
  {
    topic: '<base>/<device>/<feature>/until/set',
    payload: '`now`, an instant, local time (`2027-01-03 12:00`, `22:00`) or a duration from now (`2h`)',
    does: 'what was written for a time ends then, and what it replaced comes back',
  },
  {
    topic: '<base>/bridge/poll/set',
    payload: "a device's name, else anything but empty",
    does: 'reads now, within the quota, each read at most once a minute',
  },
  {
    topic: '<base>/bridge/auth/set',
    payload: 'the address that the browser was sent back to after `login_url` of `bridge/auth`',
    does: 'ends a login, with `platform.login_over_mqtt: true`; taken only from who was logged in before, or as the first login',
  },
  {
    topic: '<base>/bridge/republish/set',
    payload: 'anything but empty',
    does: 'publishes everything retained again, `state`, `health` and documents included',
  },
];

/** The `code` of an answer that was `rejected`, and what is to be done. */
export const REFUSALS = {
  empty: 'an empty payload is no command',
  retained: 'the message was retained: publish without the retain flag',
  invalid: '`errors` lists every broken rule with its place',
  unknown_device: 'the device is not in the settings',
  unknown_feature: 'the device has no such feature, or the settings do not choose it',
  unknown_command: 'the feature has no such command; the answer lists those it has',
  unknown_topic: 'no command has such a topic',
  not_writable: 'nothing can be written on this topic; the answer names the commands',
  forbidden: 'a setting forbids it (`commands.allow`, `commands.deny`)',
  conflict:
    'the record has another `rev` than `if_rev`: read it again; or what an undo or the end of a write would take back was changed elsewhere since',
  not_reversible: 'no command gives back what this would replace, so it cannot end by itself',
  end_not_kept: 'the end of this write cannot be kept on disk, so what it writes would stay',
  no_end: 'nothing on this feature ends by itself now',
  incomplete: 'what the command needs besides is not known: the answer names it (of a week: send all seven days)',
  not_executable: 'the device does not take this command now',
  too_often: 'more commands in an hour than `commands.per_hour`, or a second poll of the same within a minute',
  unreadable: 'the platform refuses every read of it for now, or there is no device at all; the log says why',
  no_quota: 'no call is left for this now (see `bridge/quota`)',
} as const satisfies Readonly<Record<string, string>>;

export type RefusalCode = keyof typeof REFUSALS;

const row = (...cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** The tables as Markdown. */
export const stateTopicsTable = (): string =>
  [
    row('topic', 'retained', 'payload'),
    row('---', '---', '---'),
    ...STATE_TOPICS.map(({ topic, retained, payload }) => row(`\`${topic}\``, retained ? 'yes' : 'no', payload)),
  ].join('\n');

export const commandTopicsTable = (): string =>
  [
    row('topic', 'payload', 'does'),
    row('---', '---', '---'),
    ...COMMAND_TOPICS.map(({ topic, payload, does }) => row(`\`${topic}\``, payload, does)),
  ].join('\n');

/** Any list of words with a sentence each. */
export const wordsTable = (head: string, words: Readonly<Record<string, string>>): string =>
  [row(head, 'means'), row('---', '---'), ...Object.entries(words).map(([word, sentence]) => row(`\`${word}\``, sentence))].join('\n');
