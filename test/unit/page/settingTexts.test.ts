import { describe, expect, test } from 'vitest';
import type { SettingRow as Row } from '../../../src/api/answers.ts';
import { LEAVES, type SCHEMA } from '../../../src/config/schema.ts';
import type { SettingRule } from '../../../src/config/validation/mistake.ts';
import { englishRule } from '../../../src/language/rules.ts';
import { germanRule } from '../../../src/language/rulesDe.ts';
import { CONTRADICTIONS_DE, MISTAKES_DE } from '../../../src/language/setup/mistakesDe.ts';
import { DEFAULTS_DE, SETTINGS_DE } from '../../../src/language/setup/settingsDe.ts';
import { SETUP_WORDS } from '../../../src/language/setup/setup.ts';
import { mistakesOf } from '../../../src/page/settings/mistakes.ts';
import { expectTable } from '../../support/golden.ts';

type KeysOf<Node, Before extends string = ''> = {
  [Key in keyof Node & string]: Node[Key] extends { readonly default: unknown } ? `${Before}${Key}` : KeysOf<Node[Key], `${Before}${Key}.`>;
}[keyof Node & string];

// A setting or a rule without a German word does not compile.
const MEANINGS: Readonly<Record<KeysOf<typeof SCHEMA>, string>> = SETTINGS_DE;
const MISTAKES: Readonly<Record<SettingRule | 'short' | 'again' | 'tokens', string>> = MISTAKES_DE;

test('every setting has its meaning in German, and nothing else has one', () => {
  expect(Object.keys(MEANINGS).sort()).toEqual(LEAVES.map(({ key }) => key).sort());
  for (const { key, setting } of LEAVES) {
    const german = Object.entries(MEANINGS).find(([one]) => one === key)?.[1] ?? '';
    expect(german, key).toMatch(/^[A-ZÄÖÜa-z].{10,}[.?]$/su);
    expect(german, key).not.toBe(setting.doc);
  }
});

test('every default that is told in words has German ones', () => {
  const told = LEAVES.flatMap(({ setting }) => setting.defaultText ?? []);
  expect([...new Set(told)].sort()).toEqual(Object.keys(DEFAULTS_DE).sort());
});

test('contradictions name settings', () => {
  const keys = LEAVES.map(({ key }) => key);
  expect(Object.keys(CONTRADICTIONS_DE).filter((key) => !keys.includes(key))).toEqual([]);
});

describe('a mistake in German', () => {
  const row = (more: Partial<Row>): Row => ({
    ...{ path: 'x', default: null, origin: { kind: 'default', where: '' }, fixed: false },
    ...{ secret: false, isSet: false, doc: '', format: 'text', ...more },
  });
  const rows = new Map([
    ['poll.seconds', row({ default: 'auto', min: 1, max: 86_400 })],
    ['mqtt.base', row({ example: 'heating2mqtt' })],
    ['log.level', row({ choices: ['debug', 'info'] })],
  ]);
  test('says what is wrong and what is allowed', () =>
    expectTable('germanMistakes', 9, (mistake: { readonly path: string; readonly rule: string }) => {
      const given = { message: 'the sentence of the server', allowed: 'words of the server', where: '', ...mistake };
      return mistakesOf([given], rows, SETUP_WORDS.de, germanRule)[mistake.path];
    }));
  test('in English is what the server says', () => {
    const own = Object.keys(MISTAKES).filter((rule) => Object.hasOwn(SETUP_WORDS.en.rules, rule));
    expect(own.sort()).toEqual(['again', 'short']);
    const mistake = { path: 'mqtt.base', rule: 'topic', message: 'as it is', where: '' };
    expect(mistakesOf([mistake], rows, SETUP_WORDS.en, englishRule)).toEqual({ 'mqtt.base': 'as it is' });
  });
});
