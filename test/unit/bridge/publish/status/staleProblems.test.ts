import { expect, it } from 'vitest';
import { staleProblems } from '../../../../../src/bridge/publish/status/problems.ts';
import type { FrozenRule } from '../../../../../src/features/frozen/rules.ts';

const since = Date.parse('2026-12-24T21:29:40Z');
const FEATURES = ['heating.power.consumption.summary.dhw'];

it.each<[FrozenRule, boolean, string, string]>([
  [
    'pulse',
    false,
    'nothing new of this device since 2026-12-24 22:30, although reads work. Restart',
    'seit 24.12.2026, 22:30 Uhr nichts Neues',
  ],
  ['pulse', true, 'Check its battery', 'Batterie prüfen'],
  ['hours', false, 'The heating runs, but its consumption has not changed since', 'Die Heizung läuft, aber ihr Verbrauch steht seit'],
  ['heat', false, 'Heat is produced, but the power consumption has not changed', 'Wärme erzeugt, aber der Stromverbrauch steht'],
  [
    'tellers',
    false,
    'One of two counters has not changed since 2026-12-24 22:30: ',
    'Einer von zwei Zählern steht seit 24.12.2026, 22:30 Uhr: ',
  ],
])('%s, of a battery device: %s, says what stands and what to do, in both languages', (rule, isSlow, english, german) => {
  const stale = { rule, since, features: rule === 'tellers' ? FEATURES : [], isSlow };
  for (const [language, words] of [
    ['en', english],
    ['de', german],
  ] as const) {
    const found = staleProblems(stale, false, { language, zone: 'Europe/Berlin' }).stale;
    expect(found?.message).toContain(words);
    expect(found?.message).toMatch(isSlow ? /gateway/i : /ViCare.*App|ViCare app/);
    expect(found).toEqual({
      ...{ message: expect.anything(), since: '2026-12-24T21:30:00.000Z', rule: isSlow ? 'battery' : rule },
      ...(rule === 'tellers' ? { features: FEATURES } : {}),
    });
    expect(staleProblems(stale, true, { language, zone: 'Europe/Berlin' }).stale?.can_restart).toBe(true);
  }
  expect(staleProblems(undefined, true, { language: 'en', zone: 'UTC' })).toEqual({});
});
