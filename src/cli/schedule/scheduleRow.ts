import { ACCOUNT, CONFIG, type Command, settingsOf } from '../command.ts';

/** The parts of `schedule` that take a week. */
const SET = ['set', 'validate'];

/** The command `schedule` and its help. */
export const SCHEDULE: Command = {
  summary: 'Shows and writes weekly schedules, through the running bridge',
  words: '<what> [device] [feature] [week]',
  parts: {
    show: {
      words: '[device] [feature]',
      about: 'Draws the weeks, with the mode that is active now.',
      examples: ['heating2mqtt schedule show', 'heating2mqtt schedule show circuits.0 --text'],
    },
    set: {
      words: '[device] [feature] [week]',
      about:
        'Shows what would change, and writes it. The week is text or JSON: an argument, a file or standard input. Days that it does not name stay as they are.',
      examples: [
        'heating2mqtt schedule set circuits.0 "weekend 8-22 comfort"',
        'heating2mqtt schedule set circuits.0 --day sat "8:00-23:00 comfort"',
        'heating2mqtt schedule set circuits.0 "sat 8-23 comfort until next"',
      ],
    },
    validate: {
      words: '[device] [feature] [week]',
      about: 'Checks a week, shows what would change, and sends nothing.',
      examples: ['heating2mqtt schedule validate home circuits.0 "mon-fri 5:30-8 normal; sun none"'],
    },
    undo: {
      words: '[device] [feature]',
      about: 'Undoes the last change that the bridge made to the week; each repetition undoes one change more.',
      examples: ['heating2mqtt schedule undo circuits.0'],
    },
    versions: {
      words: '[device] [feature]',
      about:
        'Lists the weeks that a schedule had in the last year, each with its difference from the current week, and writes one of them again or stores it as a profile. It reads the data_dir of the bridge on this machine.',
      examples: [
        'heating2mqtt schedule versions circuits.0',
        'heating2mqtt schedule versions circuits.0 --restore 3 --until "2027-01-10 12:00"',
        'heating2mqtt schedule versions circuits.0 --version 3 --name winter',
      ],
    },
    profiles: {
      words: '[device] [feature]',
      about: 'Lists the profiles, and the schedules that each fits.',
      examples: ['heating2mqtt schedule profiles'],
    },
  },
  about:
    'What: show draws the weeks, set writes a week or some of its days, validate only checks a week, undo undoes the last change, versions lists the weeks of the last year, profiles lists the profiles. Device and feature may be shortened if only one schedule matches: circuits.0. Exit code 0 if the week is as requested, 1 if not, 2 for wrong usage. `heating2mqtt schedule set --help` explains one of them.',
  options: {
    config: CONFIG,
    account: ACCOUNT,
    day: { value: 'DAY', of: SET, doc: 'The week contains only the entries of this day: 06:00-22:00 normal.' },
    profile: { value: 'NAME', of: SET, doc: 'The profile with this name, instead of a week.' },
    file: { value: 'FILE', short: 'f', of: SET, doc: 'Reads the week from a file; - means standard input.' },
    'dry-run': { of: SET, doc: 'The same as validate: sends nothing.' },
    timeout: { value: 'SECONDS', of: [...SET, 'undo', 'versions'], doc: 'How long to wait for the answer; default: 240.' },
    restore: { value: 'N', of: ['versions'], doc: 'Writes version N again, permanently or --until a time.' },
    until: { value: 'END', of: ['versions'], doc: 'When that write ends: 2027-01-10 12:00, or next (the next change of the week).' },
    version: { value: 'N', of: ['versions'], doc: 'The version that --name stores.' },
    name: { value: 'NAME', of: ['versions'], doc: 'Stores that version as a profile with this name, in the settings of the page.' },
    json: { doc: 'Prints JSON: the schedules, versions or profiles with all details, or the answer.' },
    text: { of: ['show'], doc: 'Prints the week as text that set accepts.' },
  },
  examples: [
    'heating2mqtt schedule show',
    'heating2mqtt schedule set circuits.0 --day sat "8:00-23:00 comfort"',
    'heating2mqtt schedule undo circuits.0',
  ],
  next: 'The text form of a week: docs/schedules.md.',
  start: async (values, io, words) => {
    const { readScheduleRequest } = await import('./scheduleArguments.ts');
    const request = readScheduleRequest(words, values);
    const settings = await settingsOf(values, io);
    return (await import('./scheduleCommand.ts')).schedule(settings, request, io);
  },
};
