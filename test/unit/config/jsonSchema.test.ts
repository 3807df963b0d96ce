import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readProjectFile } from '../../../scripts/docs.ts';
import { exampleYaml, settingsSchema } from '../../../src/config/documentation.ts';
import { LEAVES, type Leaf } from '../../../src/config/schema.ts';
import { knownKeys } from '../../../src/config/validation/knownKeys.ts';
import { readYaml } from '../../../src/config/yaml/readYaml.ts';
import { isRecord } from '../../../src/shared/json.ts';
import { expectTable } from '../../support/golden.ts';
import { activeExample, load, mistakes, REQUIRED } from './loading.ts';

const SCHEMA = z.fromJSONSchema(JSON.parse(settingsSchema()));

type ZodIssue = z.core.$ZodIssue;

/** The places of an issue. Of a union (`type: [object, null]`) those inside count, where there are any. */
const placesOf = (issue: ZodIssue, above: readonly PropertyKey[]): readonly string[] => {
  const path = [...above, ...issue.path];
  const here = path.join('.');
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...path, key].join('.'));
  if (issue.code !== 'invalid_union') return [here];
  const inside = issue.errors.flat().flatMap((one) => placesOf(one, path));
  return inside.every((place) => place === here) ? [here] : inside.filter((place) => place !== here);
};

/** The settings that an editor with the schema marks in a file, `devices.0.feature`; the empty text where it is the whole. */
const marked = (yaml: string): readonly string[] =>
  (SCHEMA.safeParse(parse(yaml)).error?.issues ?? []).flatMap((issue) => placesOf(issue, []));

/** True where the bridge takes this setting, written in YAML. What several settings say together, no JSON Schema can judge. */
const isTaken = ({ path, setting }: Leaf, yaml: string): boolean => {
  const { values, problems } = knownKeys(readYaml(yaml).tree);
  const value = path.reduce<unknown>((tree, key) => (isRecord(tree) ? tree[key] : undefined), values);
  return problems.length === 0 && (value === undefined || setting.check(value, setting).length === 0);
};

describe('the JSON Schema of the settings file', () => {
  it('is beside the example file, which names it in its first line', () => {
    const [first = ''] = exampleYaml().split('\n');
    const [, name] = /^# yaml-language-server: \$schema=(\S+)$/.exec(first) ?? [];
    expect(readProjectFile(`config/${name}`)).toBe(settingsSchema());
  });

  it('explains every setting', () => {
    for (const { path, setting } of LEAVES) {
      const at = ['properties', ...path.flatMap((key, i) => (i === 0 ? [key] : ['properties', key]))];
      expect(JSON.parse(settingsSchema()), path.join('.')).toHaveProperty([...at, 'description'], setting.doc);
    }
  });

  it.each<[name: string, yaml: string]>([
    ['the example file', exampleYaml()],
    ['the example file with every setting', activeExample()],
    ['what is required', REQUIRED],
    ['ids and texts that YAML reads as numbers', `${REQUIRED}mqtt: { username: true, password: 0123, base: 7, version: 5 }`],
    ['numbers and flags in quotes', REQUIRED.replace('client_id: abc', 'client_id: abc, timeout_s: "30", login_over_mqtt: "True"')],
    ['lists as text', `${REQUIRED}commands: { confirm_s: "5, 15", allow: "*/a*,b/*", deny: [] }`],
    ['a single number for a list', `${REQUIRED}commands: { confirm_s: 5 }`],
    ['sections and keys without a value', `${REQUIRED}mqtt:\npoll: { seconds: ~ }\nlog: { level: }`],
    ['own paths', REQUIRED.replace('client_id: abc', 'client_id: abc, paths: { gateway_all: "/g/{gateway}" }')],
    ['a single feature, and profiles', `${REQUIRED.replace(/\[heating.*?\]/, 'heating.*')}schedules: { profiles: { summer: daily none } }`],
  ])('takes %s, as the bridge does', (_, yaml) => {
    expect(mistakes(() => load(yaml))).toEqual([]);
    expect(marked(yaml)).toEqual([]);
  });

  it('marks what the bridge refuses too', () =>
    expectTable('schemaMarks', 12, (yaml: string) => {
      expect(mistakes(() => load(yaml.startsWith('-') ? yaml : REQUIRED.replace(/^platform.*\n/, '') + yaml))).not.toEqual([]);
      return marked(yaml);
    }));

  it('marks nothing that the bridge takes, whatever the setting', () => {
    const values = [
      ...['auto', 'v2', '5', '3.1.1', '0', '1', '60', '1e3', '" 7 "', '"30"', '007', 'true', 'FALSE', '"True"', '~', ''],
      ...['homeassistant', 'a/b', 'mqtts://h', 'https://h', 'myapp://login', '"*/a"', 'Europe/Berlin', '/own', '/own/{gateway}/{device}'],
      ...['feature', 'off', 'debug', 'json', '[1, 2]', '["*/a"]', '"[1, 2]"', '5, 15', '{ a: daily none }', '[{ device: 0, features: 5 }]'],
    ];
    const taken = LEAVES.flatMap((leaf) => {
      const keys = leaf.path.map((key, depth) => `${'  '.repeat(depth)}${key}:`).join('\n');
      return values.map((value) => `${keys} ${value}`).filter((yaml) => isTaken(leaf, yaml));
    });
    expect(taken.length).toBeGreaterThan(500);
    expect(taken.filter((yaml) => marked(yaml).length > 0)).toEqual([]);
  });

  it('marks a misspelt key of a device', () => {
    expect(marked('devices: [{ name: a, gatway: 2 }, home]')).toEqual(['devices.0.gatway', 'devices.1']);
  });
});
