import { CONFIG, type Command, type Option, sourcesOf } from '../command.ts';

/** The options common to all fleet commands. */
const FLEET_OPTIONS: Readonly<Record<string, Option>> = {
  nats: { value: 'URLS', doc: 'Nodes of NATS, as nats://a:4222,nats://b:4222; else HEATING2MQTT_NATS.' },
  'key-file': { value: 'FILE', doc: 'File with the key that encrypts logins and states on NATS; else HEATING2MQTT_FLEET_KEY.' },
};

/** The command `worker` and its help. */
export const WORKER: Command = {
  summary: 'Serves accounts of a fleet together with other machines, by NATS',
  about:
    'Takes its share of the accounts of the fleet, each under a lease on NATS, and what they need to go on from there: logins, writes, counts. Where another worker comes, goes or dies, accounts move. The settings file says what holds for all of them, as mqtt.url. Ctrl-C or SIGTERM hands all accounts over.',
  options: {
    config: CONFIG,
    ...FLEET_OPTIONS,
    name: { value: 'NAME', doc: 'The name of this worker, which no other one has; else that of the machine.' },
  },
  examples: ['heating2mqtt worker --nats nats://a:4222,nats://b:4222 --key-file fleet.key'],
  next: 'Then, on any machine: heating2mqtt fleet add, and heating2mqtt fleet list.',
  start: async (values, io) => (await import('./worker.ts')).worker(sourcesOf(values, io), values, io),
};

/** The command `fleet` and its help. */
export const FLEET: Command = {
  summary: 'Shows and changes the accounts of a fleet',
  words: '<what> [account] [worker]',
  parts: {
    list: {
      words: '',
      about: 'Lists all accounts with the worker that serves each, since when, and its login.',
      examples: ['heating2mqtt fleet list'],
    },
    due: { words: '', about: 'Lists the accounts whose login is due in the next 30 days.', examples: ['heating2mqtt fleet due'] },
    add: {
      words: '<account>',
      about: 'Adds an account. Its name becomes a level of its topics.',
      examples: ['heating2mqtt fleet add parents --client-id 0123456789abcdef', 'heating2mqtt fleet add parents --file parents.yaml'],
    },
    move: {
      words: '<account> [worker]',
      about: 'Has this worker serve the account while it is there; without a worker any.',
      examples: ['heating2mqtt fleet move parents worker-2', 'heating2mqtt fleet move parents'],
    },
    remove: {
      words: '<account>',
      about: 'Removes an account with its login and state. The worker that serves it clears its topics.',
      examples: ['heating2mqtt fleet remove parents'],
    },
  },
  about: 'What: list, due, add, move or remove. Exit code 0 when it is done, 2 for wrong usage.',
  options: {
    config: CONFIG,
    ...FLEET_OPTIONS,
    'client-id': { value: 'ID', of: ['add'], doc: 'The client id of the account at the platform.' },
    file: { value: 'FILE', of: ['add'], doc: 'The settings of the account, as in accounts.d.' },
  },
  examples: ['heating2mqtt fleet add parents --client-id 0123456789abcdef', 'heating2mqtt fleet list'],
  next: 'A new account needs a login: on the page of the worker that serves it.',
  start: async (values, io, words) => (await import('./fleet.ts')).fleet(sourcesOf(values, io), values, words, io),
};
