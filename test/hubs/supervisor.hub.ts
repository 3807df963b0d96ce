import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** A checkout of home-assistant/supervisor, and a Python that has what it requires. They are no part of this project. */
const { SUPERVISOR_CHECKOUT, SUPERVISOR_PYTHON = 'python3' } = process.env;

const SCRIPT = join(ROOT, 'test/support/app/supervisorValidator.py');

/** What people could enter, and what the app then gets: nothing, some of it, keys of an older version, and mistakes. */
const ENTERED: readonly (readonly [entered: object, given: unknown])[] = [
  [{}, { platform: {}, mqtt: {}, log: {} }],
  [{ platform: { client_id: 'abc' } }, { platform: { client_id: 'abc' }, mqtt: {}, log: {} }],
  [
    { mqtt: { url: 'mqtt://h:1883', username: 'u', password: 'p', base: 'house' }, log: { level: 'debug' } },
    { platform: {}, mqtt: { url: 'mqtt://h:1883', username: 'u', password: 'p', base: 'house' }, log: { level: 'debug' } },
  ],
  [
    { gone: 1, mqtt: { gone: 1 } },
    { platform: {}, mqtt: {}, log: {} },
  ],
  [{ language: 'de' }, { language: 'de', platform: {}, mqtt: {}, log: {} }],
  [{ language: 'fr' }, expect.any(String)],
  [{ log: { level: 'loud' } }, expect.any(String)],
  [{ mqtt: { url: 'no address' } }, expect.any(String)],
];

test.runIf(SUPERVISOR_CHECKOUT !== undefined)(
  "the Supervisor's own validator takes the app, and gives it the options that people enter",
  () => {
    const entered = JSON.stringify(ENTERED.map(([options]) => options));
    const env = { ...process.env, PYTHONPATH: SUPERVISOR_CHECKOUT, PYTHONDONTWRITEBYTECODE: '1' };
    const said = JSON.parse(execFileSync(SUPERVISOR_PYTHON, [SCRIPT, ROOT, entered], { env, encoding: 'utf8' }));
    expect(said).toMatchObject({ dropped: [], schema: true, options: ENTERED.map(([, given]) => given) });
    const words = ['accounts', 'homeassistant', 'language', 'log', 'mqtt', 'platform'];
    expect(said.translations).toEqual({ en: words, de: words });
    const sections = ['platform', 'mqtt', 'homeassistant', 'log', 'accounts'].map((name) => ({ name, type: 'schema' }));
    expect(said.form).toMatchObject([{ name: 'language', type: 'select' }, ...sections]);
    // The keys of an older version, and nothing about the app itself.
    expect(said.warnings).toEqual([expect.stringContaining("'gone'"), expect.stringContaining("'gone'")]);
  },
);
