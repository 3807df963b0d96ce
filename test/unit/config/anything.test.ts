import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadSettings } from '../../../src/config/load.ts';
import { LEAVES } from '../../../src/config/schema.ts';
import { checkDevices } from '../../../src/config/validation/deviceEntries.ts';
import { knownKeys } from '../../../src/config/validation/knownKeys.ts';
import { SettingsError } from '../../../src/config/validation/mistake.ts';
import { readYaml } from '../../../src/config/yaml/readYaml.ts';
import { runs } from '../../support/chance.ts';
import { folder, REQUIRED } from './loading.ts';

const word = fc.oneof(
  fc.constantFrom(
    ...LEAVES.flatMap(({ path }) => path),
    'installation',
    'gateway',
    'device',
    'features',
    '__proto__',
    'constructor',
    'prototype',
    'default',
    '*',
    'auto',
    'v1',
    '~',
    '5',
    '-1',
    '1e999',
  ),
  fc.string(),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    word,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(word, tie('tree'), { maxKeys: 6 }),
  ),
}));
/** A tree that has a setting's key, so that the checks behind the keys are reached. */
const settings = fc
  .tuple(fc.constantFrom(...LEAVES), tree)
  .map(([{ path }, value]) => path.reduceRight<unknown>((below, key) => ({ [key]: below }), value));

/** Ends well, or with a SettingsError; anything else fails the test. */
const settle = (act: () => unknown): void => {
  try {
    act();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    expect(error.issues.length).toBeGreaterThan(0);
  }
};

describe('whatever is written', () => {
  it('a YAML text is read without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 200 }), fc.stringMatching(/^[-[\]{}:,&*!|>'"%@\n\t a-c0-1]{0,60}$/)), (text) => {
        expect(readYaml(text)).toHaveProperty('faults');
        knownKeys(readYaml(text).tree);
      }),
    );
  });

  it('settings load or end with a SettingsError that names a mistake', () => {
    const where = folder();
    fc.assert(
      fc.property(fc.oneof(tree, settings, settings), fc.boolean(), (value, withRequired) => {
        writeFileSync(`${where}/settings.yaml`, (withRequired ? REQUIRED : '') + stringify(value));
        settle(() => loadSettings({ file: 'settings.yaml', env: { HOME: '/home/me' }, cwd: where }));
      }),
      { numRuns: runs(300) },
    );
  });

  it('an environment loads or ends with a SettingsError that names a mistake', () => {
    const where = folder({ 'settings.yaml': REQUIRED });
    const env = fc.dictionary(fc.constantFrom(...LEAVES.flatMap(({ env }) => [env, `${env}_FILE`])), fc.oneof(word, fc.json()));
    fc.assert(
      fc.property(env, (values) => settle(() => loadSettings({ file: 'settings.yaml', env: { HOME: '/home/me', ...values }, cwd: where }))),
      { numRuns: runs(300) },
    );
  });

  it('devices are judged without an exception', () => {
    fc.assert(fc.property(fc.anything(), (value) => void checkDevices([value], {})));
  });
});
