import { describe, expect, test } from 'vitest';
import type { AuthReport } from '../../../../../src/bridge/ports.ts';
import { bridgeProblems, conflictProblems, deviceProblems, type Wording } from '../../../../../src/bridge/publish/status/problems.ts';
import { LANGUAGES } from '../../../../../src/language/language.ts';
import { featureOf } from '../../../../support/devices/features.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const EN = { language: 'en', zone: 'Europe/Berlin' } as const;
const DE = { language: 'de', zone: 'Europe/Berlin' } as const;

const auth = (more: Partial<AuthReport> = {}): AuthReport => ({
  state: 'ok',
  since: '2026-11-01T00:00:00Z',
  message: 'logged in',
  ...more,
});
const in_ = (ms: number): string => new Date(NOW_MS + ms).toISOString();
const NO_CALLS = { others: 0, perDay: 1450, isUsedUp: false };
const of = (given: Partial<AuthReport>, isRefused = false, calls: Parameters<typeof bridgeProblems>[2] = NO_CALLS, wording: Wording = EN) =>
  bridgeProblems(auth(given), isRefused, calls, NOW_MS, wording);

describe('the problems of the bridge', () => {
  test.each<[string, Partial<AuthReport>]>([
    ['all is well', { consent_expires_at: in_(15 * DAY_MS) }],
    ['a token is being renewed', { state: 'refreshing' }],
    ['the identity service fails, which ends by itself', { state: 'failing' }],
    ['nothing is known of the end', {}],
  ])('are none while %s', (_, given) => expect(of(given)).toEqual({}));

  test('are a login that is needed, refused, or ends soon', () => {
    expect(of({ state: 'login_needed' })).toEqual({ login: { message: expect.stringContaining('Log in'), since: '2026-11-01T00:00:00Z' } });
    expect(of({ state: 'failing' }, true)).toEqual({
      login: { message: expect.stringContaining('refuses'), since: '2026-11-01T00:00:00Z' },
    });
    const end = in_(13 * DAY_MS + 11.5 * HOUR_MS);
    expect(of({ consent_expires_at: end })).toEqual({ login: { message: expect.stringContaining('ends on 2026-12-05'), until: end } });
    expect(of({ consent_expires_at: end }, false, NO_CALLS, DE).login?.message).toContain('endet am 5.12.2026');
    expect(of({ login_needed_at: in_(HOUR_MS) }).login?.message).toContain('ends on');
  });

  test('are calls that another program has used, until the platform accepts calls again', () => {
    const untilMs = NOW_MS + 3 * HOUR_MS;
    expect(of({}, false, { others: 900, perDay: 1450, isUsedUp: true, untilMs })).toEqual({
      calls: {
        message: expect.stringMatching(/used 900 of the 1450 calls .* until 2026-11-21 16:00\./),
        until: '2026-11-21T15:00:00.000Z',
      },
    });
    expect(of({}, false, { others: 900, perDay: 1450, isUsedUp: true }).calls).toEqual({ message: expect.stringContaining('for now') });
    // The clocks are read one after the other.
    const twice = [0, 3].map((ms) => of({}, false, { others: 9, perDay: 1450, isUsedUp: true, untilMs: untilMs + ms }));
    expect(twice[0]).toEqual(twice[1]);
  });

  test('are none where the bridge alone used its calls, and where others left some', () => {
    expect(of({}, false, { others: 0, perDay: 1450, isUsedUp: true, untilMs: NOW_MS + HOUR_MS })).toEqual({});
    expect(of({}, false, { others: 900, perDay: 1450, isUsedUp: false })).toEqual({});
  });
});

describe('what people run', () => {
  const end = { consent_expires_at: in_(DAY_MS) };
  const read = { isOffline: true, isReportedOffline: false, isRefused: false, atMs: NOW_MS - DAY_MS, nowMs: NOW_MS };
  const all = (wording: Wording): string[] => [
    ...[of({ state: 'login_needed' }, false, NO_CALLS, wording), of({}, true, NO_CALLS, wording), of(end, false, NO_CALLS, wording)].map(
      ({ login }) => login?.message ?? '',
    ),
    deviceProblems(read, wording).connection?.message ?? '',
  ];

  test.each(LANGUAGES)('names the account in the language %s, and in a fleet there is nothing to run', (language) => {
    const wording = { ...EN, language };
    const commands = ['login', 'check', 'login', 'check'];
    for (const [account, names] of [
      [undefined, ''],
      ['parents', ' --account parents'],
    ] as const)
      for (const [index, sentence] of all({ ...wording, account }).entries())
        expect(sentence).toContain(`\`heating2mqtt ${commands[index]}${names}\``);
    for (const sentence of all({ ...wording, account: false })) {
      expect(sentence).toMatch(/worker|Worker/);
      expect(sentence).not.toMatch(/heating2mqtt (?:login|check)|undefined/);
    }
  });
});

describe('the problems of a device', () => {
  const read = { isOffline: true, isReportedOffline: true, isRefused: false, atMs: NOW_MS - DAY_MS, nowMs: NOW_MS };

  test('are a day without a good read, with its reason', () => {
    expect(deviceProblems(read, EN)).toEqual({
      connection: {
        message: expect.stringMatching(/^Nothing has been read since 2026-11-20 13:00: .*gateway/),
        since: '2026-11-20T12:00:00.000Z',
      },
    });
    expect(deviceProblems({ ...read, isReportedOffline: false }, EN).connection?.message).toMatch(
      /^Nothing has been read since 2026-11-20 13:00\. /,
    );
    expect(deviceProblems(read, DE).connection?.message).toMatch(/^Seit 20\.11\.2026, 13:00 Uhr konnte nichts abgefragt werden: /);
  });

  test('say that the platform refuses the device to the account, and that nothing is wrong with it', () => {
    const of = (wording: Wording): string | undefined => deviceProblems({ ...read, isRefused: true }, wording).connection?.message;
    expect(of(EN)).toMatch(/^Viessmann refuses all data of this device .* Nothing is wrong with the device or your settings\./);
    expect(of(DE)).toMatch(/^Viessmann verweigert diesem Konto alle Daten dieses Geräts .* ist nichts falsch\./);
  });

  test('are none before that, while it is online, and where the clock was set back', () => {
    expect(deviceProblems({ ...read, atMs: NOW_MS - DAY_MS + 1000 }, EN)).toEqual({});
    expect(deviceProblems({ ...read, isOffline: false }, EN)).toEqual({});
    expect(deviceProblems({ ...read, atMs: NOW_MS + DAY_MS }, EN)).toEqual({});
  });

  test('are one sentence in each language', () => {
    const all = LANGUAGES.map((language) => deviceProblems(read, { language, zone: 'UTC' }).connection?.message ?? '');
    expect(new Set(all).size).toBe(LANGUAGES.length);
    for (const sentence of all) expect(sentence).toMatch(/^[A-Z].+\.$/);
  });
});

describe('what somebody else has changed of a temporary change', () => {
  test.each([
    ['heating.dhw.schedule', ['tue', 'mon', 'wed', 'sun'], 'in the app: Mon–Wed, Sun. Revert', 'in der App: Mo–Mi, So. Auf'],
    [
      'heating.circuits.0.heating.curve',
      ['slope'],
      'in the app: Circuit 1 heating curve slope. Revert',
      'in der App: Heizkreis 1 Heizkurve: Neigung. Auf',
    ],
    ['heating.dhw.temperature.main', ['value'], 'in the app. Revert', 'etwa in der App. Auf'],
  ])('%s is told in the words of people', (feature, names, en, de) => {
    for (const language of LANGUAGES) {
      const { conflict } = conflictProblems([{ feature, names, untilMs: 0 }], [], { language, zone: 'UTC' });
      expect(conflict?.message).toContain({ en, de }[language]);
    }
  });

  test('is called by the name that people gave the circuit, as in Home Assistant', () => {
    const floor = featureOf('heating.circuits.0', { name: { type: 'string', value: 'Floor' } });
    const messageOf = (feature: string, name: string) =>
      conflictProblems([{ feature, names: [name], untilMs: 0 }], [floor], { language: 'en', zone: 'UTC' }).conflict?.message;
    expect(messageOf('heating.circuits.0.heating.schedule', 'tue')).toMatch(
      /^Floor heating schedule has a temporary change .* in the app: Tue\. /,
    );
    expect(messageOf('heating.circuits.0.heating.curve', 'slope')).toMatch(
      /^Floor heating curve has .* in the app: Floor heating curve slope\. /,
    );
    expect(messageOf('heating.circuits.1.heating.schedule', 'tue')).toMatch(/^Circuit 2 heating schedule has a temporary change /);
  });
});
