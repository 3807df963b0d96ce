import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { parse } from 'yaml';
import { loadSettings } from '../../../src/config/load.ts';
import { SCHEMA } from '../../../src/config/schema.ts';
import { isStatus, REFUSALS } from '../../../src/topics/resultPayload.ts';
import { SCHEDULE_TOPIC, tempDir } from '../system/testSystem.ts';
import type { PasteWorld } from './pasteWorld.ts';

type Json = Readonly<Record<string, unknown>>;

/** How a block that is no shell is tested. It throws an Error where the block is wrong. */
export type TextRule = {
  readonly name: string;
  readonly language: string;
  readonly fits: (text: string) => boolean;
} & (
  | { readonly why: 'executed'; readonly run: (text: string, world: PasteWorld) => Promise<void> }
  | { /** Why it is not executed. */ readonly why: string; readonly check: (text: string) => void }
);

const demand = (isRight: boolean, sentence: string): void => {
  if (!isRight) throw new Error(sentence);
};

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const yaml = (text: string): Json => {
  const value: unknown = parse(text);
  return isObject(value) ? value : {};
};

const has =
  (key: string) =>
  (text: string): boolean =>
    Object.hasOwn(yaml(text), key);

/** What a part of a settings file is tried with. */
const AROUND: Json = { platform: { client_id: 'your-client-id' }, mqtt: { url: 'mqtt://localhost:1883' } };

const loads = (settings: string): void => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'settings.yaml'), settings);
  loadSettings({ file: 'settings.yaml', env: { HOME: cwd }, cwd });
};

const isSettings = (text: string): boolean => {
  const keys = Object.keys(yaml(text));
  return keys.length > 0 && keys.every((key) => Object.hasOwn(SCHEMA, key));
};

/** A part of a settings file loads with the two settings that everyone makes. */
const checkSettings = (text: string): void => loads(JSON.stringify({ ...AROUND, ...yaml(text) }));

const HUB_ACTIONS: Readonly<Record<string, (action: Json, world: PasteWorld) => Promise<void>>> = {
  'mqtt.publish': async ({ data }, world) => {
    const { topic, payload, retain } = isObject(data) ? data : {};
    demand(retain === undefined || retain === false, 'a command is not retained');
    await world.write(String(topic), String(payload));
  },
  'text.set_value': async ({ target, data }, world) => {
    const entity = String(isObject(target) ? target['entity_id'] : '');
    const component = world.components().find(({ default_entity_id }) => default_entity_id === entity);
    if (component === undefined) throw new Error(`Home Assistant is offered no ${entity}`);
    await world.write(String(component['command_topic']), String(isObject(data) ? data['value'] : ''));
  },
};

/** The keys of an answer, as docs/errors.md lists them, and its words. */
const checkAnswer = (line: string, page: string): void => {
  const answer: Json = JSON.parse(line);
  for (const key of Object.keys(answer)) demand(page.includes(`\`${key}\``), `the page does not explain ${key}`);
  demand(isStatus(answer['status']), `${String(answer['status'])} is no status`);
  const { code } = answer;
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

const isBalanced = (text: string): boolean => [...text.matchAll(/\{/g)].length === [...text.matchAll(/\}/g)].length;

/** A proxy leads to the page's default port. */
const checkProxy = (text: string): void => demand(isBalanced(text) && text.includes(':8427'), 'the proxy does not lead to the page');

/** Every kind of block but `sh`. A block that no row fits fails the test. */
export const textRules = (readPage: (page: string) => string): readonly TextRule[] => [
  {
    name: 'settings file',
    language: 'yaml',
    why: 'executed',
    fits: (text) => isSettings(text) && has('platform')(text),
    run: (text, world) => world.run(text),
  },
  {
    name: 'part of a settings file',
    language: 'yaml',
    why: 'alone it is no bridge; it is read and checked as at a start, with the two settings that everyone makes',
    fits: isSettings,
    check: checkSettings,
  },
  {
    name: 'action of Home Assistant',
    language: 'yaml',
    why: 'executed',
    fits: has('action'),
    run: async (text, world) => {
      const action = yaml(text);
      const run = HUB_ACTIONS[String(action['action'])];
      if (run === undefined) throw new Error(`the action ${String(action['action'])} is not known`);
      await run(action, world);
    },
  },
  {
    name: 'card of a dashboard',
    language: 'yaml',
    why: 'a dashboard is not there; test/hubs/home-assistant-card.hub.ts has one',
    fits: has('type'),
    check: (text) => {
      const { type, entity, title, ...others } = yaml(text);
      demand(type === 'custom:heating2mqtt-card', 'the type is that of the card');
      demand(/^(?:text|sensor)\.\w+$/.test(String(entity)) && typeof title === 'string', 'it has an entity and a title');
      demand(Object.keys(others).length === 0, `not known: ${Object.keys(others).join(', ')}`);
    },
  },
  {
    name: 'recorder of Home Assistant',
    language: 'yaml',
    why: 'the recorder is not there; the entities are those that documents name',
    fits: has('recorder'),
    check: (text) => demand(text.includes('text.*_schedule_text'), 'it names the weeks'),
  },
  {
    name: 'Prometheus',
    language: 'yaml',
    why: 'Prometheus is not there; its keys and the port of the page are compared, test/integration/web/metrics.test.ts reads /metrics',
    fits: has('scrape_configs'),
    check: (text) => {
      const [config, ...more] = [yaml(text)['scrape_configs']].flat();
      demand(isObject(config) && more.length === 0, 'one job');
      const { job_name, authorization, static_configs, ...others } = isObject(config) ? config : {};
      demand(typeof job_name === 'string' && isObject(authorization), 'a job has a name and its token');
      demand(JSON.stringify(static_configs).includes(':8427'), 'the target is the port of the page');
      demand(Object.keys(others).length === 0, `not known: ${Object.keys(others).join(', ')}`);
    },
  },
  {
    name: 'week',
    language: 'json',
    why: 'executed',
    fits: (text) => !text.includes('"status"'),
    run: async (text, world) => world.write(`${SCHEDULE_TOPIC}/set`, text),
  },
  {
    name: 'answers',
    language: 'json',
    why: 'they are shown, not pasted; keys, statuses and codes are those of the page and of the code',
    fits: (text) => text.includes('"status"'),
    check: (text) => {
      for (const line of text.trim().split('\n')) checkAnswer(line, readPage('docs/errors.md'));
    },
  },
  { name: 'script of ioBroker', language: 'js', why: 'executed', fits: (text) => text.includes("'mqtt.0"), run: runIoBroker },
  {
    name: 'Telegraf',
    language: 'toml',
    why: 'executed',
    fits: (text) => text.includes('inputs.mqtt_consumer'),
    run: async (text, world) => {
      const [, list = ''] = /^\s*topics = \[(.*)\]$/m.exec(text) ?? [];
      const filters = [...list.matchAll(/"([^"]+)"/g)].map(([, filter = '']) => filter);
      demand(filters.length > 0, 'no topics are named');
      for (const filter of filters) {
        const payloads = world.retained(filter);
        demand(payloads.length > 0 && payloads.every((payload) => Number.isFinite(Number(payload))), `no numbers are on ${filter}`);
      }
    },
  },
  {
    name: 'reverse proxy',
    language: 'nginx',
    why: 'the proxy is not there; test/browser/proxies shows the page behind such ones',
    fits: () => true,
    check: checkProxy,
  },
  { name: 'reverse proxy', language: 'caddy', why: 'as nginx', fits: () => true, check: checkProxy },
  {
    name: 'colours of the week editor',
    language: 'css',
    why: 'it is for pages of others; its properties are those that the page lists',
    fits: (text) => text.includes('heating-week-editor'),
    check: (text) => {
      for (const [, name = ''] of text.matchAll(/--heating-editor(-[a-z-]+):/g)) {
        demand(readPage('docs/editor.md').includes(`\`${name}\``) || name === '-surface', `the page does not list ${name}`);
      }
    },
  },
  {
    name: 'shown, not pasted',
    language: 'text',
    why: 'a grammar, a drawing, or one word to copy',
    fits: () => true,
    check: () => undefined,
  },
];
