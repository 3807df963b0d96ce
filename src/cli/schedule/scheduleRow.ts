import { ACCOUNT, CONFIG, type Command, settingsOf } from '../command.ts';

/** The parts of `schedule` that take a week. */
const SET = ['set', 'validate'];

/** The command `schedule` and its help. */
export const SCHEDULE: Command = {
  summary: 'Shows and writes the weeks of schedules, through the running bridge',
  words: '<what> [device] [feature] [week]',
  parts: {
    show: {
      words: '[device] [feature]',
      about: 'Draws the weeks, with what the heating does now.',
      examples: ['heating2mqtt schedule show', 'heating2mqtt schedule show circuits.0 --text'],
    },
    set: {
      words: '[device] [feature] [week]',
      about:
        'Shows what would change, and writes it. The week is text or JSON, as an argument, from a file or from standard input; days not named keep what they have.',
      examples: [
        'heating2mqtt schedule set circuits.0 "weekend 8-22 comfort"',
        'heating2mqtt schedule set circuits.0 --day sat "8:00-23:00 comfort"',
        'heating2mqtt schedule set circuits.0 "sat 8-23 comfort until next"',
      ],
    },
    validate: {
      words: '[device] [feature] [week]',
      about: 'Only checks a week, and shows what would change.',
      examples: ['heating2mqtt schedule validate home circuits.0 "mon-fri 5:30-8 normal; sun none"'],
    },
    undo: {
      words: '[device] [feature]',
      about: 'Takes back what the last change of the bridge did to the week; each repetition goes one change further back.',
      examples: ['heating2mqtt schedule undo circuits.0'],
    },
    versions: {
      words: '[device] [feature]',
      about:
        'Lists the weeks that a schedule has had in the last year, with what each would change, and writes one of them again or keeps it under a name. It reads what the bridge has kept on this machine.',
      examples: [
        'heating2mqtt schedule versions circuits.0',
        'heating2mqtt schedule versions circuits.0 --restore 3 --until "2027-01-10 12:00"',
        'heating2mqtt schedule versions circuits.0 --version 3 --name winter',
      ],
    },
    profiles: {
      words: '[device] [feature]',
      about: 'Lists the stored weeks and where they fit.',
      examples: ['heating2mqtt schedule profiles'],
    },
  },
  about:
    'What: show draws the weeks, set writes one or some of its days, validate only checks it, undo takes the last change back, versions lists the weeks of the last year, profiles lists the stored weeks and where they fit. A device or feature may be shortened as long as one schedule alone is meant: circuits.0. Exit code 0 when the week is as it was asked for, 1 when not, 2 for wrong usage. `heating2mqtt schedule set --help` explains one of them.',
  options: {
    config: CONFIG,
    account: ACCOUNT,
    day: { value: 'DAY', of: SET, doc: 'The week is the entries of this day alone: 06:00-22:00 normal.' },
    profile: { value: 'NAME', of: SET, doc: 'The stored week of this name, instead of a week.' },
    file: { value: 'FILE', short: 'f', of: SET, doc: 'Takes the week from a file; - is standard input.' },
    'dry-run': { of: SET, doc: 'Checks and shows what would change, and sends nothing; the same as validate.' },
    timeout: { value: 'SECONDS', of: [...SET, 'undo', 'versions'], doc: 'How long the answer is waited for; without it 240.' },
    restore: { value: 'N', of: ['versions'], doc: 'Writes version N again, for ever or --until a moment.' },
    until: { value: 'END', of: ['versions'], doc: 'When that write ends: 2027-01-10 12:00, or next.' },
    version: { value: 'N', of: ['versions'], doc: 'The version that gets a name.' },
    name: { value: 'NAME', of: ['versions'], doc: 'Keeps that version for ever, as a profile of this name in the settings of the page.' },
    json: { doc: 'Prints JSON: all that is known of the schedules, versions or profiles, or the answer.' },
    text: { of: ['show'], doc: 'Prints the week as text, as set takes it.' },
  },
  examples: [
    'heating2mqtt schedule show',
    'heating2mqtt schedule set circuits.0 --day sat "8:00-23:00 comfort"',
    'heating2mqtt schedule undo circuits.0',
  ],
  next: 'How a week is written: docs/schedules.md.',
  start: async (values, io, words) => {
    const { readScheduleRequest } = await import('./scheduleArguments.ts');
    const request = readScheduleRequest(words, values);
    const settings = await settingsOf(values, io);
    return (await import('./scheduleCommand.ts')).schedule(settings, request, io);
  },
};
