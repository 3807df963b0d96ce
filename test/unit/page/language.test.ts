import { expect, test } from 'vitest';
import { CODES_DE } from '../../../src/language/codesDe.ts';
import { LANGUAGES, type Language } from '../../../src/language/language.ts';
import { KNOWN_MODES, modeWord } from '../../../src/language/modes.ts';
import { loadPageWords } from '../../../src/language/page.ts';
import { HISTORY_WORDS } from '../../../src/language/pages/history.ts';
import { TODAY_WORDS } from '../../../src/language/pages/today.ts';
import { CALENDAR_WORDS } from '../../../src/language/plans/calendarWords.ts';
import { GERMAN_RULES } from '../../../src/language/rulesDe.ts';
import { CHECKS_DE, ERRORS_DE, type Facts, REFUSED_DE, serverSentenceDe } from '../../../src/language/setup/serverDe.ts';
import { SETUP_WORDS } from '../../../src/language/setup/setup.ts';
import { VALUES_WORDS } from '../../../src/language/values.ts';
import { readConstraints } from '../../../src/schedule/constraints.ts';
import type { UsageCode } from '../../../src/shared/errors.ts';
import type { FailureCode } from '../../../src/shared/failures.ts';
import { RULES, type Rule } from '../../../src/shared/issue.ts';
import type { RefusalCode } from '../../../src/topics/resultPayload.ts';
import type { RefusalCode as WebRefusal } from '../../../src/web/routes.ts';
import type { CheckCode } from '../../../src/web/setup/services.ts';
import { allDevices, expectFound } from '../../support/devices/deviceFiles.ts';

type Leaf = { readonly path: string; readonly text: string };

const leaves = (value: unknown, path = ''): readonly Leaf[] => {
  if (typeof value === 'string') return [{ path, text: value }];
  // Their sentences are tried below.
  if (path === '/page/rule' || path === '/setup/translated') return [];
  if (typeof value === 'function') return [{ path, text: String(value('A', 'B', 'C')) }];
  return Object.entries(value as object).flatMap(([key, member]) => leaves(member, `${path}/${key}`));
};

const textsOf = async (language: Language): Promise<readonly Leaf[]> =>
  leaves({
    page: await loadPageWords(language),
    setup: SETUP_WORDS[language],
    values: VALUES_WORDS[language],
    history: HISTORY_WORDS[language],
    today: TODAY_WORDS[language],
  });

test.each(LANGUAGES)('%s: no text is empty, unfinished or with two spaces', async (language) => {
  const wrong = (await textsOf(language)).filter(
    ({ path, text }) => !path.includes('/readingWords/') && (text.trim() === '' || /TODO| {2}|undefined/.test(text)),
  );
  expect(wrong).toEqual([]);
});

test('German texts are German, and there is one for each English one', async () => {
  const [english, german] = await Promise.all([textsOf('en'), textsOf('de')]);
  const texts = new Map(english.map(({ path, text }) => [path, text]));
  // Words that both languages have; the drawing shows a page of the platform, which is English.
  const both = new Set([
    'Docker',
    'Broker',
    'Client',
    'Tests',
    'Bridge',
    'Home Assistant',
    'Topic',
    'Standby',
    texts.get('/page/change'),
    texts.get('/page/log'),
  ]);
  const same = german.filter(({ path, text }) => texts.get(path) === text && /[a-z]{4}/.test(text) && !path.startsWith('/setup/drawing/'));
  expect(same.filter(({ text }) => !both.has(text))).toEqual([]);
  const extra = german.filter(({ path }) => !texts.delete(path)).map(({ path }) => path.replace(/\/[^/]*$/, ''));
  expect([[...texts.keys()], [...new Set(extra)]]).toEqual([[], ['/page/codes', '/setup/rules', '/setup/contradictions']]);
});

// A code without a German word does not compile.
const CODES: Readonly<Record<RefusalCode | FailureCode, string>> = CODES_DE;
const REFUSED: Readonly<Record<Exclude<WebRefusal, keyof typeof ERRORS_DE | keyof typeof CODES_DE>, string>> = REFUSED_DE;
const ERRORS: Readonly<Record<Exclude<UsageCode, 'usage' | 'settings'>, string>> = ERRORS_DE;
const CHECKS: Readonly<Record<CheckCode, (facts: Facts) => string>> = CHECKS_DE;

test('what the server and the platform refuse has German sentences', () => {
  for (const code of Object.keys({ ...REFUSED, ...ERRORS })) expect(serverSentenceDe([code], {}), code).toMatch(/^[A-ZÄÖÜ].{10,}\.$|\?$/s);
  for (const [code, sentence] of Object.entries(CODES)) expect(sentence, code).toMatch(/^[A-ZÄÖÜ].{10,}\.$|\?$/s);
  const wrongAccount = (command?: string) => serverSentenceDe(['wrong_account'], { command });
  expect(wrongAccount('heating2mqtt login --account a')).toMatch(/mit `heating2mqtt login --account a`\.$/);
  expect(wrongAccount()).toMatch(/aus der Flotte/);
  // The hour is that of the machine's zone.
  const until = '2026-03-01T12:00:00Z';
  const hour = new Date(until).toLocaleString('de', { dateStyle: 'medium', timeStyle: 'short' });
  expect(serverSentenceDe(['rate_limited'], { until })).toContain(` bis ${hour} `);
});

test('what is said of a test is German, with its facts and without', () => {
  const facts = {
    ...{ kind: 'devices', count: 1, folder: '/data', found: 3, chosen: ['house'] },
    ...{ commands: ['set'], minutes: 12, age: 3, poll: 60 },
  };
  for (const [code, sentence] of Object.entries(CHECKS))
    for (const known of [{}, facts]) {
      expect(sentence(known), code).toMatch(/^.{10,}$/s);
      expect(sentence(known), code).not.toMatch(/\b(?:the|is|not|with)\b/);
    }
  expect(serverSentenceDe(['devices'], facts)).toBe('3 Geräte gefunden; gewählt: house.');
  expect(serverSentenceDe(['no_devices'], { found: 0 })).toMatch(/^Dieses Konto hat keine Geräte\. Melde dich /);
  expect(serverSentenceDe(['never_heard', 'busy'], {})).toBe(REFUSED_DE.busy);
  expect(serverSentenceDe(['toString'], {})).toBeUndefined();
});

test('every rule has a German sentence, with its facts and without', async () => {
  const sentences: Readonly<Record<Rule, (broken: { rule: string; message: string; got?: unknown; allowed?: unknown }) => string>> =
    GERMAN_RULES;
  expect(Object.keys(sentences).sort()).toEqual(Object.keys(RULES).sort());
  for (const [rule, sentence] of Object.entries(sentences))
    for (const facts of [{}, { got: 7, allowed: [5, 10], nearest: [5] }])
      expect(sentence({ rule, message: 'english', ...facts }), rule).toMatch(/^.{12,}\.$/);
  const { rule: say } = await loadPageWords('de');
  const issue = { rule: 'stepping', message: '', got: 20.7, nearest: [20.5, 21] };
  expect(say(issue)).toBe('„20,7“ liegt zwischen zwei Schritten; möglich: 20,5 oder 21.');
  expect(say({ ...issue, rule: 'max', allowed: 37.5 })).toBe('„20,7“ ist zu hoch, höchstens 37,5.');
  expect(say({ rule: 'unknown_day', message: '', got: 'WE' })).toMatch(
    /Mittwoch .* oder Wochenende heißen: bitte Mi oder Sa-So schreiben\.$/u,
  );
  for (const rule of ['never_heard', 'toString']) expect(say({ rule, message: 'a new rule' })).toBe('a new rule.');
});

test('one event of a calendar is one', () => {
  const texts = LANGUAGES.flatMap((language) => [1, 2].map((count) => CALENDAR_WORDS[language].skipped('work', count)));
  expect(texts.map((text) => text.split(' and ')[0]?.split(' und ')[0])).toEqual([
    ...['One event of work is invalid', '2 events of work are invalid'],
    ...['Ein Termin von work ist ungültig', '2 Termine von work sind ungültig'],
  ]);
});

test('the usual modes have words, an unknown one is shown as it is', () => {
  expect(modeWord('reduced', 'de')).toBe('Reduziert');
  expect(modeWord('comfortHeating', 'en')).toBe('Comfort');
  expect(modeWord('normalCoolingEnergySaving', 'de')).toBe('Normal');
  expect(modeWord('toString', 'de')).toBe('toString');
  expect(modeWord('<b>turbo</b>', 'en')).toBe('<b>turbo</b>');
});

test('the modes of all schedules have words', () => {
  const modes = allDevices().flatMap(({ features }) =>
    features.flatMap(({ commands }) =>
      [...commands.values()].flatMap(({ params }) =>
        [...params.values()].flatMap(({ type, constraints }) => {
          const { modes: listed = [], defaultMode } = readConstraints(constraints);
          return type === 'Schedule' ? [...listed, ...(defaultMode === undefined ? [] : [defaultMode])] : [];
        }),
      ),
    ),
  );
  expectFound(modes.length, 85);
  expect([...new Set(modes)].filter((mode) => !KNOWN_MODES.includes(mode))).toEqual([]);
});
