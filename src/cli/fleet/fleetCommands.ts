import { CONFIG, type Command, type Option, sourcesOf } from '../command.ts';

/** The options common to all fleet commands. */
const FLEET_OPTIONS: Readonly<Record<string, Option>> = {
  nats: { value: 'URLS', doc: 'Nodes of NATS, for example nats://a:4222,nats://b:4222; default: HEATING2MQTT_NATS.' },
  'key-file': { value: 'FILE', doc: 'File with the key that encrypts logins and states on NATS; default: HEATING2MQTT_FLEET_KEY.' },
};

/** The command `worker` and its help. */
export const WORKER: Command = {
  summary: 'Serves accounts of a fleet together with other machines, by NATS',
  about:
    'Serves its share of the accounts of the fleet. Each account has a lease and its data on NATS: login, writes, call counts. If another worker starts, stops or crashes, accounts move. The settings file contains the settings common to all accounts, such as mqtt.url. On Ctrl-C or SIGTERM it hands over all its accounts to other workers.',
  options: {
    config: CONFIG,
    ...FLEET_OPTIONS,
    name: { value: 'NAME', doc: 'The unique name of this worker; default: the name of the machine.' },
  },
  examples: ['heating2mqtt worker --nats nats://a:4222,nats://b:4222 --key-file fleet.key'],
  next: 'Next, on any machine: heating2mqtt fleet add, and heating2mqtt fleet list.',
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
      about: 'Assigns the account to this worker while it runs; without a worker, to any.',
      examples: ['heating2mqtt fleet move parents worker-2', 'heating2mqtt fleet move parents'],
    },
    remove: {
      words: '<account>',
      about: 'Removes an account with its login and state. The worker that serves it clears its topics.',
      examples: ['heating2mqtt fleet remove parents'],
    },
  },
  about: 'What: list, due, add, move or remove. Exit code 0 if it worked, 2 for wrong usage.',
  options: {
    config: CONFIG,
    ...FLEET_OPTIONS,
    'client-id': { value: 'ID', of: ['add'], doc: 'The client id of the account at the platform.' },
    file: { value: 'FILE', of: ['add'], doc: 'A file with the settings of the account, like those in accounts.d.' },
  },
  examples: ['heating2mqtt fleet add parents --client-id 0123456789abcdef', 'heating2mqtt fleet list'],
  next: 'A new account needs a login: on the page of the worker that serves it.',
  start: async (values, io, words) => (await import('./fleet.ts')).fleet(sourcesOf(values, io), values, words, io),
};
