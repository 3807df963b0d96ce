import { ACCOUNT, CONFIG, type Command, type Option, settingsOf, sourcesOf, text } from './command.ts';
import { FLEET, WORKER } from './fleet/fleetCommands.ts';
import { SCHEDULE } from './schedule/scheduleRow.ts';

const PAST = 'Prints energy and gas of the time before the installation of the bridge, by day, month and year, as reported by the heating.';

/** Every command, in the order in which a user needs them. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  demo: {
    summary: 'Shows the bridge at work with a simulated home: no account, no broker, no settings',
    about:
      'Starts a simulated platform whose values change like those of a real home, an MQTT broker, and the bridge between them, and prints commands to try. Everything stays on this machine and works without a network.',
    options: { broker: { value: 'URL', doc: 'Your own broker instead of the built-in one, for example mqtt://localhost:1883.' } },
    examples: ['heating2mqtt demo', 'heating2mqtt demo --broker mqtt://localhost:1883'],
    next: 'For your own heating: heating2mqtt run.',
    // npm consumes the options of `npm start --broker=URL` and passes them on as variables.
    start: async (values, io) => (await import('./demo.ts')).demo(text(values, 'broker') ?? io.env['npm_config_broker'], io),
  },
  login: {
    summary: 'Logs in to the platform in the browser; needed once',
    about:
      'Opens the login page of the platform in your browser, waits for the answer on the redirect URI, and stores the tokens in data_dir, readable only by this user. The bridge renews them by itself if the platform offers refresh tokens.',
    options: {
      config: CONFIG,
      account: ACCOUNT,
      paste: {
        doc: 'For a machine without a browser: log in on another machine, and paste the address that its browser shows at the end.',
      },
    },
    examples: ['heating2mqtt login', 'heating2mqtt login --paste'],
    next: 'Next: heating2mqtt check, which tests every part and says how to correct what fails.',
    start: async (values, io) => {
      const settings = await settingsOf(values, io);
      return (await import('./login.ts')).login(settings, { paste: values.paste === true }, io);
    },
  },
  check: {
    summary: 'Tests settings, broker, login and one read, and says how to correct what fails',
    about:
      'Tests everything that the bridge needs, one thing after the other, with one call to the platform. Exit code 0 if all is well or recovers by itself, 1 if you must act, 2 if the settings are wrong.',
    options: {
      config: CONFIG,
      account: ACCOUNT,
      devices: { doc: 'Prints the devices of your account as YAML for the settings; needs profile v2.' },
      health: { doc: 'Only tests whether the process of the bridge answers, for health checks of containers.' },
    },
    examples: ['heating2mqtt check', 'heating2mqtt check --devices', 'heating2mqtt check --health'],
    next: 'If all is well: heating2mqtt run.',
    start: async (values, io) => {
      const sources = sourcesOf(values, io);
      if (values.health === true) return (await import('./check/checkHealth.ts')).checkHealth(sources, io);
      return (await import('./check/check.ts')).checkCommand(sources, values, io);
    },
  },
  run: {
    summary: 'Runs the bridge',
    about:
      'Reads the devices of the settings from the platform, publishes every property as a retained topic, sends the commands that arrive from the broker, and answers each of them. If the platform or the broker cannot be reached, it continues to run and connects again by itself. Without settings it only serves its page, where you set it up. Ctrl-C or SIGTERM stops it.',
    options: { config: CONFIG },
    examples: ['heating2mqtt run', 'heating2mqtt run --config /etc/heating2mqtt.yaml'],
    next: 'Without settings: open http://127.0.0.1:8427/. With a settings file instead of the page: heating2mqtt settings --yaml, then heating2mqtt login.',
    start: async (values, io) => (await import('./run.ts')).run(sourcesOf(values, io), io),
  },
  simulate: {
    summary: 'Starts the simulated platform alone, for tests of your own',
    about:
      'Simulates every endpoint of the platform, v1 and v2, on one port of this machine: login, tokens, equipment, features, commands. POST /control makes faults, delays and expired tokens; GET /control/calls counts the calls received. See docs/simulator.md.',
    options: {
      port: { value: 'N', doc: 'Port to listen on; default: any free port.' },
      recorded: { value: 'DIR', doc: 'Serves recorded devices (*.json, each {"data":[…]}) instead of the built-in home.' },
      'retire-v1': { doc: 'Answers 410 on the paths of v1, as the live service does since v1 was removed.' },
      wrapped: {
        doc: 'Answers with single records as {"data":{…}}, as the live service does; the specification shows them without "data".',
      },
      'more-gateways': { value: 'N', doc: 'Adds N further gateways (up to 20) to the installation, each with the same devices.' },
      'client-id': { value: 'ID', doc: 'The registered client; default: heating2mqtt-demo.' },
      'redirect-uri': {
        value: 'URI',
        doc: 'A further redirect URI of the client, besides http://localhost:4200/ and those of PyViCare.',
      },
      lag: { value: 'SECONDS', doc: 'How long reads show the old value after a command.' },
    },
    examples: ['heating2mqtt simulate --port 8080', 'heating2mqtt simulate --recorded ./recorded --wrapped --lag 3'],
    next: 'To start it together with a bridge: heating2mqtt demo.',
    start: async (values, io) => (await import('./simulate.ts')).simulate(values, io),
  },
  schedule: SCHEDULE,
  faults: {
    summary: 'Shows the faults of the heating, active and past',
    about:
      'Prints the stored faults, warnings and service messages of the devices, the newest first, in the time zone of schedules.time_zone (auto: that of this machine). It reads the data_dir of the bridge and makes no call. The bridge may run or not. Exit code 1 if nothing is stored yet.',
    options: {
      config: CONFIG,
      account: ACCOUNT,
      days: { value: 'DAYS', doc: 'How many days back, up to 366; default: 30.' },
      states: { doc: 'Also shows the status codes of normal operation (S.…), which are stored for 30 days.' },
      json: { doc: 'Prints JSON.' },
    },
    examples: ['heating2mqtt faults', 'heating2mqtt faults --days 365 --json'],
    next: 'The meaning of the kinds: docs/faults.md.',
    start: async (values, io) => {
      const settings = await settingsOf(values, io);
      return (await import('./faults.ts')).faults(settings, values, io);
    },
  },
  report: {
    summary: 'Shows how the heating performed: heat, electricity, gas, starts, degree days, by month or day',
    about:
      'Prints the stored days of the devices: a line for each month and year, or for each day of one month. The factor is heat divided by electricity, as reported by the heating; if there is none, the line says why. It reads the data_dir of the bridge and makes no call. The bridge may run or not. Exit code 1 if no day is stored yet.',
    options: {
      config: CONFIG,
      account: ACCOUNT,
      device: { value: 'NAME', doc: 'The name of one device in topics; default: all devices.' },
      month: { value: 'MONTH', doc: 'The days of this month, for example 2026-10.' },
      csv: { doc: 'Prints the rows of the days as CSV.' },
      json: { doc: 'Prints JSON; without --month also the winters, and the days grouped by outside temperature.' },
    },
    examples: ['heating2mqtt report', 'heating2mqtt report --month 2026-10 --csv'],
    next: 'The meaning of each number, and when it is missing: docs/performance.md.',
    start: async (values, io) => {
      const settings = await settingsOf(values, io);
      return (await import('./performance/report.ts')).report(settings, values, io);
    },
  },
  export: {
    summary: 'Prints energy and gas of the time before the bridge was installed, as a file',
    words: 'statistics',
    parts: {
      statistics: {
        words: '',
        about: PAST,
        examples: ['heating2mqtt export statistics --format ha > past.json', 'heating2mqtt export statistics --device home > past.csv'],
      },
    },
    about: `${PAST} It reads the data_dir of the bridge and makes no call. The bridge may run or not. Exit code 1 if nothing is stored.`,
    options: {
      config: CONFIG,
      account: ACCOUNT,
      format: {
        value: 'FORMAT',
        doc: 'csv (default), ha (messages for recorder/import_statistics of Home Assistant), or tsv.',
      },
      device: { value: 'DEVICE', doc: 'The name of one device in topics; default: all devices.' },
    },
    examples: ['heating2mqtt export statistics > past.csv', 'heating2mqtt export statistics --format ha > past.json'],
    next: 'How to import it into Home Assistant: docs/history-import.md.',
    start: async (values, io) => {
      const settings = await settingsOf(values, io);
      return (await import('./energy/exportStatistics.ts')).exportStatistics(settings, values, io);
    },
  },
  settings: {
    summary: 'Shows every setting: name, default, environment variable, meaning',
    about:
      'Settings come from a YAML file and from environment variables, which override the file. A variable that ends with _FILE names a file with the password.',
    options: {
      config: CONFIG,
      yaml: { doc: 'Prints a settings file with the ten lines that most homes need.' },
      all: { doc: 'Prints a settings file with every setting.' },
      schema: {
        doc: 'Prints a JSON Schema of the settings file, for editors with a YAML language server. Save it as schema.json next to the settings file, whose first line names it.',
      },
    },
    examples: [
      'heating2mqtt settings',
      'heating2mqtt settings --yaml > config/local.yaml',
      'heating2mqtt settings --all > config/local.yaml',
      'heating2mqtt settings --schema > config/schema.json',
    ],
    next: 'Next: write your client id into the file, and run heating2mqtt login.',
    start: async (values, io) => {
      const shape = (['schema', 'all', 'yaml'] as const).find((name) => values[name] === true) ?? 'table';
      return (await import('./settings.ts')).settings(shape, sourcesOf(values, io), io);
    },
  },
  'web-password': {
    summary: 'Sets a new password for the page, also if the old one is forgotten',
    about:
      'Asks for the password twice, without showing it, or reads the first line of standard input. It is stored as a hash in settings.yaml in data_dir. The bridge uses it from its next start; everyone must then log in to the page again.',
    options: {
      config: CONFIG,
      print: { doc: 'Only prints the hash, for web.password in a settings file, HEATING2MQTT_WEB_PASSWORD or a secret.' },
    },
    examples: ['heating2mqtt web-password', 'heating2mqtt web-password --print'],
    next: 'Next: start the bridge again.',
    start: async (values, io) => {
      const sources = { ...sourcesOf(values, io), needDevices: false };
      return (await import('./webPassword.ts')).webPassword(sources, { print: values.print === true }, io);
    },
  },
  forget: {
    summary: 'Clears all retained topics of the bridge at the broker',
    about:
      'Clears the discovery documents and topics that the bridge has published: those in its database in data_dir, and its own below mqtt.base and homeassistant.prefix. Topics of other programs, or of a bridge with another mqtt.base, stay. The login and the call counters stay too. Exit code 0 if nothing is left, 1 if something is left, or if the bridge runs.',
    options: {
      config: CONFIG,
      account: ACCOUNT,
      force: { doc: 'Clears the topics even if the broker shows the bridge as online, as after a crash of both.' },
    },
    examples: ['heating2mqtt forget', 'heating2mqtt forget --config /etc/heating2mqtt.yaml'],
    next: 'To remove the bridge for good, delete data_dir too; it contains the login.',
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
  debug: { doc: 'Shows the stack trace of an unexpected error.' },
};
