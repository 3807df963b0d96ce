import { expect, test } from 'vitest';
import { checkArguments } from '../../../src/features/command.ts';
import { type AnswerFacts, germanAnswer } from '../../../src/language/answers/answersDe.ts';
import { paceDe, paceEn } from '../../../src/language/answers/pace.ts';
import { authDe, LOGIN_URL_DE } from '../../../src/language/answers/reportsDe.ts';
import { FAILURES } from '../../../src/shared/failures.ts';
import { type Issue, RULES } from '../../../src/shared/issue.ts';
import { REFUSALS } from '../../../src/topics/resultPayload.ts';
import { readWeekPayload } from '../../../src/topics/weekPayload.ts';

const ENGLISH = /(?<![„.])\b(?:the|is|are|not|with|has|no|of)\b/;

/** One of each sentence with facts; one that is missing does not compile. */
const FACTS: { readonly [About in AnswerFacts['about']]: Extract<AnswerFacts, { readonly about: About }> } = {
  no_device: { about: 'no_device', name: 'hause', near: ['haus'], known: ['haus'] },
  no_feature: { about: 'no_feature', name: 'heating.foo', near: [], known: ['heating.dhw'] },
  no_topic: { about: 'no_topic', base: 'heating2mqtt', near: [], known: ['bridge/poll/set'] },
  no_command: { about: 'no_command', feature: 'heating.dhw', name: 'fly', near: [], known: [] },
  not_writable: { about: 'not_writable', what: 'heating.dhw', use: ['active/set'] },
  allow: { about: 'allow', name: 'heating.dhw/activate' },
  deny: { about: 'deny', name: 'heating.dhw/activate' },
  other_rev: { about: 'other_rev', rev: undefined, wanted: '0000' },
  changed_elsewhere: { about: 'changed_elsewhere', names: ['mon', 'tue'] },
  changed_since: { about: 'changed_since', names: ['mon', 'tue'] },
  per_hour: { about: 'per_hour', feature: 'heating.dhw', count: 60, most: 60 },
  not_now: { about: 'not_now', command: 'activate', others: ['deactivate'] },
  needs: { about: 'needs', command: 'schedule', names: ['end'] },
  seven_days: { about: 'seven_days' },
  superseded: { about: 'superseded', kept: ['mon'] },
  waits: { about: 'waits', names: ['start'], missing: ['end'] },
  not_followed: { about: 'not_followed', names: ['start'], missing: ['end'] },
  still_waits: {
    about: 'still_waits',
    errors: [{ rule: 'date', message: 'english', got: '2030-12-21' }],
    written: ['start 2031-01-04'],
    waiting: ['end 2030-12-21'],
  },
  discarded: { about: 'discarded' },
  parts_missing: { about: 'parts_missing', came: 1, count: 3 },
  cancelled: { about: 'cancelled' },
  empty: { about: 'empty' },
  retained: { about: 'retained' },
  charge_ends: { about: 'charge_ends' },
  plan_calls: { about: 'plan_calls', from: '2026-11-21T06:00:00Z' },
  charge_often: { about: 'charge_often', from: '2026-11-21T06:00:00Z' },
  charge_warm: { about: 'charge_warm', celsius: 48.5, target: 50 },
  no_prices: { about: 'no_prices' },
  plan_once: { about: 'plan_once' },
  plan_daily: { about: 'plan_daily' },
  plan_off: { about: 'plan_off' },
  plan_none: { about: 'plan_none' },
  plan_modes: { about: 'plan_modes' },
  plan_season: { about: 'plan_season' },
  plan_no_device: { about: 'plan_no_device' },
  republished: { about: 'republished' },
  gateway_restarts: { about: 'gateway_restarts', gateway: '7571381699991111' },
  restarted_lately: { about: 'restarted_lately', gateway: '7571381699991111', from: '2026-11-21T06:00:00Z' },
  no_restart: { about: 'no_restart' },
  read_now: { about: 'read_now' },
  asked_lately: { about: 'asked_lately', seconds: 59 },
  no_calls_until: { about: 'no_calls_until', from: '2026-11-21T06:00:00Z' },
  login_over_mqtt: { about: 'login_over_mqtt', command: 'heating2mqtt login' },
  logged_in: { about: 'logged_in' },
  login_refused: { about: 'login_refused', command: 'heating2mqtt login' },
  login_failed: { about: 'login_failed' },
  events_kept: { about: 'events_kept', count: 3, skipped: 1 },
  no_events: { about: 'no_events' },
  calendars_full: { about: 'calendars_full', most: 20 },
  no_rules: { about: 'no_rules' },
  calendar_on: { about: 'calendar_on' },
  calendar_off: { about: 'calendar_off' },
  calendar_not_on: { about: 'calendar_not_on' },
  no_seasons: { about: 'no_seasons' },
  seasons_on: { about: 'seasons_on' },
  seasons_off: { about: 'seasons_off' },
  seasons_not_on: { about: 'seasons_not_on' },
  other_preview: { about: 'other_preview' },
};

test.each(Object.values(FACTS))('$about is a German sentence', (facts) => {
  const sentence = germanAnswer({ status: 'rejected', code: 'invalid', message: 'english' }, facts);
  expect(sentence).toMatch(/^\S.{8,}[.?…]$/s);
  expect(sentence).not.toMatch(ENGLISH);
  expect(sentence).not.toMatch(/undefined| {2}/);
});

test.each([...Object.keys(REFUSALS), ...Object.keys(FAILURES), 'unknown_outcome', 'internal', 'stopping'])(
  'the code %s is answered in German',
  (code) => {
    const status = Object.hasOwn(REFUSALS, code) ? 'rejected' : 'failed';
    const sentence = germanAnswer({ status, code, message: 'english' });
    expect(sentence).toMatch(/^[A-ZÄÖÜ].{10,}[.?]$/s);
    expect(sentence).not.toMatch(ENGLISH);
  },
);

test.each(['not_shown', 'no_quota', 'stopping', 'interrupted'])('an unconfirmed write is answered in German: %s', (code) => {
  expect(germanAnswer({ status: 'unconfirmed', code, message: 'english' })).not.toMatch(ENGLISH);
  expect(germanAnswer({ status: 'unconfirmed', code, message: 'english' })).not.toBe(germanAnswer({ status: 'failed', code }));
});

test('broken rules are answered by their sentences, at most three of them', () => {
  const errors = Object.keys(RULES).map((rule) => ({ rule, message: 'english', got: 7, allowed: [5], nearest: [5] }));
  const said = germanAnswer({ status: 'rejected', code: 'invalid', message: 'english', errors }) ?? '';
  expect(said).toContain(`Dazu ${Object.keys(RULES).length - 3} weitere, siehe errors.`);
  expect(said).not.toContain('english');
});

test('a broken rule is said with what is meant, what is allowed, and where the sentence alone does not tell, its place', () => {
  const issuesOf = (text: string, day?: 'mon') => {
    const read = readWeekPayload(text, day);
    return read.ok ? [...read.value.week.issues, ...[...read.value.week.days.values()].flatMap(({ issues }) => issues)] : read.issues;
  };
  const said = (errors: readonly Issue[]) => germanAnswer({ status: 'rejected', code: 'invalid', message: 'english', errors });
  expect(said(issuesOf('mon 22-6 normal'))).toMatch(/nötig: „mon 22:00-24:00 normal; tue 00:00-06:00 normal“\.$/);
  expect(said(issuesOf('6-22 normal'))).toBe('Zeile 1, Zeichen 1: Das ist unverständlich; gemeint vielleicht „daily 6-22 normal“.');
  // On the topic of a day no day is named.
  expect(said(issuesOf('tue 6-8 normal', 'mon'))).toMatch(/^Zeile 1, Zeichen 1: .*für einen Tag allein „06:00-22:00 normal“\.$/);
  expect(said(issuesOf('{"mon":'))).toBe('Zeile 1, Zeichen 8: Das ist kein gültiges JSON.');
  expect(said(issuesOf('[]'))).toBe('Eine Liste hat nicht die richtige Form; erwartet: ein Objekt.');
  expect(said(issuesOf('{"mon":"none","mon":[]}'))).toBe('mon kommt zweimal vor.');
  expect(said(issuesOf('{"mon":[{"start":"06:00","mode":"normal"}]}'))).toBe('Es fehlt „end“.');
  expect(said(issuesOf('{"mon":[{"start":"06:00","end":"07:00","position":-1}]}'))).toMatch(/^„-1“ passt hier nicht als position: /);
  expect(said(issuesOf('{"value":"mon none","for":2}'))).toMatch(/erwartet: ein Text; gemeint vielleicht „2m“ oder „2h“\.$/);
  const command = {
    name: 'setCurve',
    isExecutable: true,
    params: new Map([['shift', { type: 'number', required: true, constraints: {} }]]),
  };
  expect(said(checkArguments(command, { shft: 2 }))).toBe('Es fehlt „shift“. „shft“ gehört nicht zu diesem Befehl; möglich: shift.');
  // A parameter that is called as the value of an envelope is.
  expect(said(checkArguments(command, { shift: 2, value: 'x' }))).toBe('„value“ gehört nicht zu diesem Befehl; möglich: shift.');
  expect(checkArguments(command, { shift: '2' })[0]?.message).toBe('shift must be a finite number, not the text 2');
});

test.each([
  [{ rule: 'type', got: null, allowed: 'object' }, '„null“ hat nicht die richtige Form; erwartet: ein Objekt.'],
  // A property without a unit takes none.
  [{ rule: 'type', got: '2 bar', allowed: [] }, '„2 bar“ hat nicht die richtige Form.'],
  [{ rule: 'profile', got: 'an object', allowed: ['home'] }, 'Ein Objekt nennt kein Profil; möglich: home.'],
  [{ rule: 'profile', got: 'x', allowed: ['home'] }, 'Ein Profil „x“ gibt es nicht; möglich: home.'],
  [
    { rule: 'enum', got: 'abc (and 7 characters more)', allowed: ['on'] },
    '„abc“ (und 7 weitere Zeichen) ist hier nicht gültig; möglich: on.',
  ],
])('of %j is said in German: %s', (broken, sentence) => {
  const errors = [{ ...broken, message: 'english' }];
  expect(germanAnswer({ status: 'rejected', code: 'invalid', message: 'english', errors })).toBe(sentence);
});

test('what has no German text stays as it is', () => {
  expect(germanAnswer({ status: 'failed', code: 'never_heard', message: 'the words of the platform' })).toBe('the words of the platform');
  expect(germanAnswer({ status: 'failed', code: 'toString', message: 'so' })).toBe('so');
  expect(germanAnswer({ status: 'applied' })).toBeUndefined();
  // Of a write that waited only its sentence is kept over a restart.
  expect(germanAnswer({ status: 'superseded', message: 'english' })).not.toMatch(ENGLISH);
  expect(germanAnswer({ status: 'applied', message: 'WARNING' })).toBe('WARNING');
});

test('the reports of the bridge are German', () => {
  const paces = [
    ...(['wanted', 'waits', 'refused'] as const).map((kind) => ({ kind })),
    { kind: 'ten', reads: 3 } as const,
    ...[0, 20].flatMap((others) => (['day', 'slowed'] as const).map((kind) => ({ kind, reads: 3, others }))),
  ];
  const states = (['ok', 'refreshing', 'failing', 'login_needed'] as const).map((state) => authDe(state, 'heating2mqtt login'));
  for (const sentence of [...states, LOGIN_URL_DE, ...paces.map(paceDe)]) {
    expect(sentence).toMatch(/^\S.{8,}/s);
    expect(sentence).not.toMatch(ENGLISH);
  }
});

test('one read of a round is told as one', () => {
  const pace = { kind: 'ten', reads: 1 } as const;
  expect(paceEn(pace)).toMatch(/^1 read a round,/);
  expect(paceDe(pace)).toMatch(/^1 Aufruf je Runde,/);
  expect(paceEn({ ...pace, reads: 2 })).toMatch(/^2 reads a round,/);
});

test('where people log in is said by the command of their account, and in a fleet by the page of its worker', () => {
  const about = ['login_over_mqtt', 'login_refused'] as const;
  const all = (command: string | undefined): string[] => [
    ...about.map((one) => germanAnswer({ status: 'rejected', message: 'english' }, { about: one, command }) ?? ''),
    authDe('login_needed', command),
  ];
  for (const sentence of all('heating2mqtt login --account parents')) expect(sentence).toContain('`heating2mqtt login --account parents`');
  for (const sentence of all(undefined)) {
    expect(sentence).toMatch(/Workers|Flotte/);
    expect(sentence).not.toMatch(/heating2mqtt|undefined/);
  }
});
