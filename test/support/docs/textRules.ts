import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import convict from 'convict';
import { parse, stringify } from 'yaml';
import { readArguments } from '../../../src/cli/arguments.ts';
import { loadAccount } from '../../../src/config/accounts.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { SCHEMA } from '../../../src/config/schema.ts';
import { readEvents } from '../../../src/schedule/calendar/events.ts';
import { isStatus, REFUSALS } from '../../../src/topics/resultPayload.ts';
import { readCommandTopic } from '../../../src/topics/topicNames.ts';
import { emptyFolder } from '../cli/inProcess.ts';
import { SCHEDULE_TOPIC } from '../system/testSystem.ts';
import { type Block, readPage } from './blocks.ts';
import { demand, type PasteWorld } from './pasteWorld.ts';

type Json = Readonly<Record<string, unknown>>;

/** How a block that is no shell is tested: carried out, or looked at. Each throws an Error where the block is wrong. */
type TextRule = { readonly language: string; readonly fits: (text: string) => boolean } & (
  | { readonly run: (text: string, world: PasteWorld) => Promise<void> }
  | { readonly check: (text: string) => void }
);

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
const yaml = (text: string): Json => objectOf(parse(text));

const has =
  (key: string) =>
  (text: string): boolean =>
    Object.hasOwn(yaml(text), key);
const names =
  (word: string) =>
  (text: string): boolean =>
    text.includes(word);

const isSettings = (text: string): boolean => {
  const keys = Object.keys(yaml(text));
  return keys.length > 0 && keys.every((key) => Object.hasOwn(SCHEMA, key));
};

/** A part of a settings file loads with the two settings that everyone makes. */
const checkSettings = (text: string): void => {
  const around = { platform: { client_id: 'your-client-id' }, mqtt: { url: 'mqtt://localhost:1883' } };
  const cwd = emptyFolder();
  writeFileSync(join(cwd, 'settings.yaml'), JSON.stringify({ ...around, ...yaml(text) }));
  loadSettings({ file: 'settings.yaml', env: { HOME: cwd }, cwd });
};

/** The file of an account has settings that load. */
const checkAccount = (text: string): void => {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, 'accounts.d'));
  writeFileSync(join(cwd, 'accounts.d', 'one.yaml'), text);
  loadAccount({ env: { HEATING2MQTT_DATA_DIR: cwd }, cwd }, 'one');
};

/** An action of Home Assistant, by what it is offered. */
const act = async (text: string, world: PasteWorld): Promise<void> => {
  const { action, target, data } = yaml(text);
  const { topic, payload, retain = false, value } = objectOf(data);
  if (action === 'mqtt.publish') {
    demand(retain === false, 'a command is not retained');
    return world.write(String(topic), String(payload));
  }
  demand(action === 'text.set_value', `the action ${String(action)} is not known`);
  const { entity_id: entity } = objectOf(target);
  const documents = world.retained('homeassistant/device/+/config').map((document) => JSON.parse(document).components);
  const component = documents.flatMap((components) => Object.values<Json>(components)).find((one) => one['default_entity_id'] === entity);
  demand(component !== undefined, `Home Assistant is offered no ${String(entity)}`);
  await world.write(String(component?.['command_topic']), String(value));
};

/** Writes; that the page has just charged the hot water in another way is no mistake of the block. */
const start = (world: PasteWorld, topic: string, payload: string): Promise<void> =>
  world.write(topic, payload).catch((error: unknown) => demand(String(error).includes('"too_often"'), String(error)));

/** An automation of Home Assistant that sends commands or prices: each of its messages is sent, and what is no command may be retained. */
const automate = async (text: string, world: PasteWorld): Promise<void> => {
  const [automation, ...more] = [yaml(text)['automation']].flat();
  demand(more.length === 0 && ['alias', 'triggers', 'actions'].every((key) => has(key)(stringify(automation))), 'one automation is whole');
  for (const one of [objectOf(automation)['actions']].flat().map(objectOf)) {
    if (one['action'] !== 'mqtt.publish') continue;
    const { topic, payload, retain = false } = objectOf(one['data']);
    if (String(topic).endsWith('/set')) {
      demand(retain === false, 'a command is not retained');
      await start(world, String(topic), String(payload));
    } else demand(retain === true, 'prices are retained');
  }
};

/** What evcc reads of a charger of the type `custom`; any other key keeps evcc from starting. */
const CHARGER_KEYS = ['name', 'type', 'status', 'enabled', 'enable', 'maxcurrent', 'features'];

/** A charger of evcc: what it reads and writes are topics of the bridge. evcc itself is not run. */
const charge = async (text: string, world: PasteWorld): Promise<void> => {
  const charger = objectOf([yaml(text)['chargers']].flat()[0]);
  demand(charger['type'] === 'custom' && Object.keys(charger).every((key) => CHARGER_KEYS.includes(key)), 'evcc knows its keys');
  const { enable, enabled, status, maxcurrent } = charger;
  const { source, set } = objectOf(maxcurrent);
  // Its source `const` sets nothing by itself: without a `set` of its own evcc does not start.
  demand(source === 'sequence' && Array.isArray(set) && set.length === 0, 'evcc needs a current that it can set');
  const { plugged, charging } = objectOf(status);
  demand(objectOf(plugged)['value'] === 'true', 'the heating is always there');
  for (const one of [enabled, charging]) demand(world.retained(String(objectOf(one)['topic'])).length > 0, 'there is such a state');
  const { topic, payload, retained = false } = objectOf(enable);
  demand(retained === false, 'a command is not retained');
  demand(payload === `\${enable}`, 'evcc puts its value there');
  await start(world, String(topic), 'true');
};

/** The keys of an answer, as docs/errors.md lists them, and its words. */
const checkAnswer = (line: string): void => {
  const answer: Json = JSON.parse(line);
  for (const key of Object.keys(answer)) demand(readPage('docs/errors.md').includes(`\`${key}\``), `the page does not explain ${key}`);
  const { status, code } = answer;
  demand(isStatus(status), `${String(status)} is no status`);
  demand(code === undefined || Object.hasOwn(REFUSALS, String(code)), `${String(code)} is no code`);
};

/** Runs a script of ioBroker: every state is one of the bridge's topics, and what it writes is written. */
const runIoBroker = async (text: string, world: PasteWorld): Promise<void> => {
  const writes: (readonly [string, string])[] = [];
  const topicOf = (id: string): string => {
    demand(id.startsWith('mqtt.0.'), `${id} is no state of the adapter`);
    return id.slice('mqtt.0.'.length).replaceAll('.', '/');
  };
  vm.runInNewContext(text, {
    setState: (id: string, value: unknown) => {
      demand(world.retained(topicOf(id)).length > 0, `${id} is no state of the bridge`);
      // With different topic names for set and get.
      writes.push([`${topicOf(id)}/set`, String(value)]);
    },
    on: ({ id }: { readonly id: string }, listener: (changed: Json) => void) => {
      demand(topicOf(id) === 'heating2mqtt/home/result', `${id} is not where answers are`);
      listener({ state: { val: JSON.stringify({ status: 'rejected', topic: 't', message: 'm' }) } });
    },
    log: (line: string) => demand(line === 't: m', `the answer is shown as ${line}`),
    sendTo: (_adapter: string, _command: string, { topic, message, retain }: { topic: string; message: string; retain: boolean }) => {
      demand(retain === false, 'a command is not retained');
      writes.push([topic, message]);
    },
  });
  for (const [topic, payload] of writes) await world.write(topic, payload);
};

const runTelegraf = async (text: string, world: PasteWorld): Promise<void> => {
  const [, list = ''] = /^\s*topics = \[(.*)\]$/m.exec(text) ?? [];
  const filters = [...list.matchAll(/"([^"]+)"/g)].map(([, filter = '']) => filter);
  demand(filters.length > 0, 'no topics are named');
  for (const filter of filters) {
    const payloads = world.retained(filter);
    demand(payloads.length > 0 && payloads.every((payload) => Number.isFinite(Number(payload))), `no numbers are on ${filter}`);
  }
};

/** No dashboard is here; test/hubs/home-assistant-card.hub.ts has one. */
const checkCard = (text: string): void => {
  const { type, entity, title, ...others } = yaml(text);
  demand(type === 'custom:heating2mqtt-card', 'the type is that of the card');
  demand(/^(?:text|sensor)\.\w+$/.test(String(entity)) && typeof title === 'string', 'it has an entity and a title');
  demand(Object.keys(others).length === 0, `not known: ${Object.keys(others).join(', ')}`);
};

/** Its keys and the port of the page; test/integration/web/metrics.test.ts reads /metrics. */
const checkPrometheus = (text: string): void => {
  const [config, ...more] = [yaml(text)['scrape_configs']].flat();
  demand(isObject(config) && more.length === 0, 'one job');
  const { job_name, authorization, static_configs, ...others } = objectOf(config);
  demand(typeof job_name === 'string' && isObject(authorization), 'a job has a name and its token');
  demand(JSON.stringify(static_configs).includes(':8427'), 'the target is the port of the page');
  demand(Object.keys(others).length === 0, `not known: ${Object.keys(others).join(', ')}`);
};

/** A proxy leads to the page's default port; test/browser/proxies shows the page behind such ones. */
const checkProxy = (text: string): void =>
  demand(text.split('{').length === text.split('}').length && text.includes(':8427'), 'the proxy does not lead to the page');

/** The colours of the week editor are those that its page lists. */
const checkColours = (text: string): void => {
  for (const [, name = ''] of text.matchAll(/--heating-editor(-[a-z-]+):/g)) {
    demand(readPage('docs/editor.md').includes(`\`${name}\``) || name === '-surface', `the page does not list ${name}`);
  }
};

/** What the expressions below an example of convict give is what stands behind them. */
const checkConvict = (text: string): void => {
  const [made = '', ...rest] = text.split('\n\n');
  const context = vm.createContext({ convict, URL });
  vm.runInContext(made, context);
  const given = (expression: string): string => {
    try {
      return JSON.stringify(vm.runInContext(expression, context));
    } catch (cause) {
      return String(cause).replaceAll('\n', '\\n');
    }
  };
  for (const line of rest.join('\n').split('\n')) {
    const [expression = '', result] = line.split(' // ');
    demand(given(expression) === result, `${expression} gives ${given(expression)}`);
  }
};

const checkEvents = (text: string): void => {
  const read = readEvents(JSON.parse(text));
  demand(read !== undefined && read.events.length > 0 && read.skipped === 0, 'these are no events of a calendar');
};

/** Runs a function of Node-RED or a rule of openHAB on events as these hubs give them: it makes events of a calendar of them. */
const checkHubEvents = (text: string): void => {
  const sent: string[] = [];
  const publish = (topic: string, payload: string): void => {
    demand(readCommandTopic('heating2mqtt', topic)?.kind === 'events', `${topic} takes no events`);
    sent.push(payload);
  };
  const [eventStart, eventEnd] = [new Date('2026-12-24T10:00:00Z'), new Date('2026-12-24T12:00:00Z')];
  const states = { Title: 'Away', Begin: '2026-12-24T10:00:00.000+0100', End: '2026-12-24T12:00:00.000+0100' };
  const [midnight, next] = [new Date('2026-12-26T00:00:00'), new Date('2026-12-27T00:00:00')];
  const hours = { summary: 'Away', eventStart, eventEnd, allDay: false };
  const msg = { topic: '', payload: [hours, { summary: 'Day', eventStart: midnight, eventEnd: next, allDay: true }] as unknown };
  const stateOf = (name: string): unknown => Object.entries(states).find(([part]) => name.endsWith(part))?.[1];
  const items = { getItem: (name: string) => ({ state: stateOf(name) }) };
  const actions = { get: () => ({ publishMQTT: publish }) };
  vm.runInNewContext(`(() => {${text}})()`, { msg, items, actions });
  if (typeof msg.payload === 'string') {
    publish(msg.topic, msg.payload);
    demand(msg.payload.includes('"start":"2026-12-26","end":"2026-12-27"'), 'a whole day stays one');
  }
  demand(sent.length === 1, 'one message is sent');
  sent.forEach(checkEvents);
};

/** Its containers run a command of the project, with the image, the variables and the volumes that there are. */
const checkManifest = (text: string): void => {
  const { spec } = parse(text) as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Manifested[] } } };
  };
  for (const { image, args, env, volumeMounts } of spec.template.spec.containers) {
    demand(image === 'ghcr.io/heating2mqtt/heating2mqtt', 'it is the image of the project');
    demand(readArguments(args).kind === 'command', 'it names a command');
    for (const { name } of env) demand(/^HEATING2MQTT_[A-Z0-9_]+$/.test(name), `${name} sets nothing`);
    for (const { mountPath } of volumeMounts) demand(['/config', '/data', '/tmp'].includes(mountPath), `the image has no ${mountPath}`);
  }
};
type Manifested = {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
};

const always = (): boolean => true;

/** Every kind of block but `sh`, by its name; the first that fits counts. A block that none fits fails the test. */
export const TEXT_RULES: Readonly<Record<string, TextRule>> = {
  'settings file': { language: 'yaml', fits: (text) => isSettings(text) && has('platform')(text), run: (text, world) => world.run(text) },
  'part of a settings file': { language: 'yaml', fits: isSettings, check: checkSettings },
  'file of an account': { language: 'yaml', fits: has('client_id'), check: checkAccount },
  'action of Home Assistant': { language: 'yaml', fits: has('action'), run: act },
  'automation of Home Assistant': { language: 'yaml', fits: has('automation'), run: automate },
  'charger of evcc': { language: 'yaml', fits: has('chargers'), run: charge },
  'card of a dashboard': { language: 'yaml', fits: has('type'), check: checkCard },
  'recorder of Home Assistant': {
    ...{ language: 'yaml', fits: has('recorder') },
    check: (text) => demand(text.includes('text.*_schedule_text'), 'it names the weeks'),
  },
  'manifest of Kubernetes': { language: 'yaml', fits: has('kind'), check: checkManifest },
  Prometheus: { language: 'yaml', fits: has('scrape_configs'), check: checkPrometheus },
  'events of a calendar': { language: 'json', fits: names('"summary"'), check: checkEvents },
  'events of another hub': { language: 'js', fits: names('/calendar/'), check: checkHubEvents },
  answers: { language: 'json', fits: names('"status"'), check: (text) => text.trim().split('\n').forEach(checkAnswer) },
  week: { language: 'json', fits: always, run: (text, world) => world.write(`${SCHEDULE_TOPIC}/set`, text) },
  'script of ioBroker': { language: 'js', fits: names("'mqtt.0"), run: runIoBroker },
  'example of convict': { language: 'js', fits: names('convict('), check: checkConvict },
  Telegraf: { language: 'toml', fits: names('inputs.mqtt_consumer'), run: runTelegraf },
  nginx: { language: 'nginx', fits: always, check: checkProxy },
  caddy: { language: 'caddy', fits: always, check: checkProxy },
  colours: { language: 'css', fits: names('heating-week-editor'), check: checkColours },
  // A grammar, a drawing, or one word to copy.
  'shown, not pasted': { language: 'text', fits: always, check: () => undefined },
};

export const textRuleOf = ({ language, text }: Block): readonly [name: string, rule: TextRule] => {
  const found = Object.entries(TEXT_RULES).find(([, rule]) => rule.language === language && rule.fits(text));
  if (found === undefined) throw new Error(`no rule says how this block of ${language || 'no language'} is tested`);
  return found;
};
