import { ACCOUNT, CONFIG, type Command, type Option, settingsOf, sourcesOf, text } from './command.ts';
import { FLEET, WORKER } from './fleet/fleetCommands.ts';
import { SCHEDULE } from './schedule/scheduleRow.ts';

const PAST = 'Prints energy and gas of the time before the bridge counted, by day, month and year, as the heating lists them.';

/** Every command, in the order in which a user needs them. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  demo: {
    summary: 'Shows the bridge at work with a simulated home: no account, no broker, no settings',
    about:
      'Starts a simulated platform with a home that lives, an MQTT broker and the bridge between them, and prints what to look at and what to try. Everything stays on this machine and works without a network.',
    options: { broker: { value: 'URL', doc: 'Your own broker instead of the built-in one, as mqtt://localhost:1883.' } },
    examples: ['heating2mqtt demo', 'heating2mqtt demo --broker mqtt://localhost:1883'],
    next: 'When it is your own heating that you want to see: heating2mqtt run.',
    // npm consumes the options of `npm start --broker=URL` and passes them on as variables.
    start: async (values, io) => (await import('./demo.ts')).demo(text(values, 'broker') ?? io.env['npm_config_broker'], io),
  },
  login: {
    summary: 'Logs in at the platform, once, in the browser',
    about:
      'Opens the login of the platform in your browser, takes up the answer on the redirect address and keeps the tokens in data_dir, readable by you alone. The bridge renews them by itself where the platform offers refresh tokens.',
    options: {
      config: CONFIG,
      account: ACCOUNT,
      paste: { doc: 'For a machine without a browser: log in on another one and paste the address it ended at.' },
    },
    examples: ['heating2mqtt login', 'heating2mqtt login --paste'],
    next: 'Then heating2mqtt check, which tests every part and says what to do for what fails.',
    start: async (values, io) => {
      const settings = await settingsOf(values, io);
      return (await import('./login.ts')).login(settings, { paste: values.paste === true }, io);
    },
  },
  check: {
    summary: 'Tests settings, broker, login and one read, and says what to do for each that fails',
    about:
      'Goes through everything that the bridge needs, one after the other, with one call to the platform. Exit code 0 when all is well or mends itself, 1 when you have to act, 2 when the settings are wrong.',
    options: {
      config: CONFIG,
      account: ACCOUNT,
      devices: { doc: 'Prints the devices that the platform has, to paste into the settings; needs profile v2.' },
      health: { doc: 'Asks the running bridge whether it is alive, whatever it reaches; for containers.' },
    },
    examples: ['heating2mqtt check', 'heating2mqtt check --devices', 'heating2mqtt check --health'],
    next: 'When all is well: heating2mqtt run.',
    start: async (values, io) => {
      const sources = sourcesOf(values, io);
      if (values.health === true) return (await import('./check/checkHealth.ts')).checkHealth(sources, io);
      return (await import('./check/check.ts')).checkCommand(sources, values, io);
    },
  },
  run: {
    summary: 'Runs the bridge',
    about:
      'Reads the devices of the settings from the platform, keeps every property as a retained topic at the broker, sends the commands that arrive there, and answers each. It stays up when platform or broker are away, and comes back by itself. Without any settings it serves its page alone, which makes them. Ctrl-C or SIGTERM stops it.',
    options: { config: CONFIG },
    examples: ['heating2mqtt run', 'heating2mqtt run --config /etc/heating2mqtt.yaml'],
    next: 'Without settings: open http://127.0.0.1:8427/. With a file in place of the page: heating2mqtt settings --yaml, then heating2mqtt login.',
    start: async (values, io) => (await import('./run.ts')).run(sourcesOf(values, io), io),
  },
  simulate: {
    summary: 'Starts the simulated platform alone, for tests of your own',
    about:
      'Plays every endpoint of the platform, of v1 and of v2, on one port of this machine: login, tokens, equipment, features, commands. Faults, delays and expired tokens can be asked for over POST /control; GET /control/calls counts the calls it got. docs/simulator.md has it all.',
    options: {
      port: { value: 'N', doc: 'Port to listen on; without it any free one.' },
      recorded: { value: 'DIR', doc: 'Serves recorded devices (*.json, each {"data":[…]}) instead of the built-in home.' },
      'retire-v1': { doc: 'Answers 410 on the paths of v1, as the live service does since their end.' },
      wrapped: { doc: 'Gives single records as {"data":{…}}, as the live service does, instead of bare, as the specification shows them.' },
      'more-gateways': { value: 'N', doc: 'Gives the installation N further gateways (up to 20), each with the same home.' },
      'client-id': { value: 'ID', doc: 'The registered client; without it heating2mqtt-demo.' },
      'redirect-uri': {
        value: 'URI',
        doc: 'A further redirect address of the client; http://localhost:4200/ and those of PyViCare are known.',
      },
      lag: { value: 'SECONDS', doc: 'How long after a command the old value is still shown.' },
    },
    examples: ['heating2mqtt simulate --port 8080', 'heating2mqtt simulate --recorded ./recorded --wrapped --lag 3'],
    next: 'The bridge with it, in one step: heating2mqtt demo.',
    start: async (values, io) => (await import('./simulate.ts')).simulate(values, io),
  },
  schedule: SCHEDULE,
  faults: {
    summary: 'Shows the faults of the heating: what lasts, and what has been',
    about:
      'Prints what the bridge keeps of faults, warnings and services of its devices, the newest first, in the time of this machine. It asks nobody: run it on the machine of the bridge, while it runs or not. Exit code 1 where nothing is kept yet.',
    options: {
      config: CONFIG,
      account: ACCOUNT,
      days: { value: 'DAYS', doc: 'How far back, up to 366; without it 30.' },
      states: { doc: 'Shows the codes of normal work (S.…) too, which are kept for 30 days.' },
      json: { doc: 'Prints JSON.' },
    },
    examples: ['heating2mqtt faults', 'heating2mqtt faults --days 365 --json'],
    next: 'What the kinds mean: docs/faults.md.',
    start: async (values, io) => {
      const settings = await settingsOf(values, io);
      return (await import('./faults.ts')).faults(settings, values, io);
    },
  },
  report: {
    summary: 'Shows how the heating ran: heat, electricity, gas, starts, degree days, by month or day',
    about:
      'Prints what the bridge keeps of each day of its devices: a line for each month and year, or for each day of one month. The factor is heat per electricity as the heating tells them; where it cannot be told, the line says why. It asks nobody: run it on the machine of the bridge, while it runs or not. Exit code 1 where no day is kept yet.',
    options: {
      config: CONFIG,
      account: ACCOUNT,
      device: { value: 'NAME', doc: 'One device, by its name in topics; without it all.' },
      month: { value: 'MONTH', doc: 'The days of this month, as 2026-10.' },
      csv: { doc: 'Prints the rows of the days as CSV.' },
      json: { doc: 'Prints JSON; without --month with winters, and bins by outside temperature.' },
    },
    examples: ['heating2mqtt report', 'heating2mqtt report --month 2026-10 --csv'],
    next: 'What each figure means, and when it cannot be told: docs/performance.md.',
    start: async (values, io) => {
      const settings = await settingsOf(values, io);
      return (await import('./performance/report.ts')).report(settings, values, io);
    },
  },
  export: {
    summary: 'Writes what was used before the bridge was installed as a file',
    words: 'statistics',
    parts: {
      statistics: {
        words: '',
        about: PAST,
        examples: ['heating2mqtt export statistics --format ha > past.json', 'heating2mqtt export statistics --device home > past.csv'],
      },
    },
    about: `${PAST} It asks nobody: run it on the machine of the bridge, while it runs or not. Exit code 1 where nothing is kept.`,
    options: {
      config: CONFIG,
      account: ACCOUNT,
      format: {
        value: 'FORMAT',
        doc: 'csv, which is the default, ha (messages for recorder/import_statistics of Home Assistant), or tsv.',
      },
      device: { value: 'DEVICE', doc: 'Only of the device with this name in topics.' },
    },
    examples: ['heating2mqtt export statistics > past.csv', 'heating2mqtt export statistics --format ha > past.json'],
    next: 'How it gets into Home Assistant: docs/history-import.md.',
    start: async (values, io) => {
      const settings = await settingsOf(values, io);
      return (await import('./energy/exportStatistics.ts')).exportStatistics(settings, values, io);
    },
  },
  settings: {
    summary: 'Shows every setting: name, default, environment variable, meaning',
    about:
      'Settings come from a YAML file and from environment variables, which go before the file. Passwords also come from a file that a variable with _FILE at its end names.',
    options: {
      config: CONFIG,
      yaml: { doc: 'Prints a settings file instead: the ten lines that most homes need.' },
      all: { doc: 'Prints a settings file instead, with every setting in it.' },
      schema: {
        doc: 'Prints a JSON Schema of the settings file instead. An editor with a YAML language server completes and checks the file with it: save it as schema.json beside the file, which names it in its first line.',
      },
    },
    examples: [
      'heating2mqtt settings',
      'heating2mqtt settings --yaml > config/local.yaml',
      'heating2mqtt settings --all > config/local.yaml',
      'heating2mqtt settings --schema > config/schema.json',
    ],
    next: 'Then write your client id into it, and run heating2mqtt login.',
    start: async (values, io) => {
      const shape = (['schema', 'all', 'yaml'] as const).find((name) => values[name] === true) ?? 'table';
      return (await import('./settings.ts')).settings(shape, sourcesOf(values, io), io);
    },
  },
  'web-password': {
    summary: 'Sets a new password for the page, also where the old one is forgotten',
    about:
      'Asks for the password, twice and without showing it, or takes the first line of standard input. It is written into the settings of the page as a hash: settings.yaml in data_dir. The bridge takes it at its next start, and every login ends.',
    options: {
      config: CONFIG,
      print: { doc: 'Prints the hash instead, for web.password in a settings file, HEATING2MQTT_WEB_PASSWORD or a secret.' },
    },
    examples: ['heating2mqtt web-password', 'heating2mqtt web-password --print'],
    next: 'Then start the bridge again.',
    start: async (values, io) => {
      const sources = { ...sourcesOf(values, io), needDevices: false };
      return (await import('./webPassword.ts')).webPassword(sources, { print: values.print === true }, io);
    },
  },
  forget: {
    summary: 'Withdraws everything that the bridge has retained on the broker',
    about:
      'Takes discovery documents and topics off the broker, so that it is as if the bridge had never been there: what its database in data_dir knows, and what lies below mqtt.base and homeassistant.prefix and is its own. Nothing of other programs or of a bridge with another base is touched. Login and call counters stay. Exit code 0 when nothing is left, 1 when something is, or while the bridge runs.',
    options: {
      config: CONFIG,
      account: ACCOUNT,
      force: { doc: 'Also where the broker shows a bridge as online; for one that died together with the broker.' },
    },
    examples: ['heating2mqtt forget', 'heating2mqtt forget --config /etc/heating2mqtt.yaml'],
    next: 'Then remove data_dir, if the bridge is not to come back; it holds the login.',
    start: async (values, io) => {
      const settings = await settingsOf(values, io);
      return (await import('./forget.ts')).forget(settings, values, io);
    },
  },
  worker: WORKER,
  fleet: FLEET,
};

export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  help: { short: 'h', doc: 'Shows this help.' },
  debug: { doc: 'Shows where an unexpected error came from.' },
};
