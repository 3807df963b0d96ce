import { expect, test } from 'vitest';
import { accountOfRow } from '../../../src/config/accounts.ts';
import { readSettings } from '../../../src/config/load.ts';
import { AUTH_DE } from '../../../src/language/answers/reportsDe.ts';
import { PROBLEMS } from '../../../src/language/problems.ts';
import { describeTokens } from '../../../src/platform/auth/authState.ts';
import { forAccount } from '../../../src/shared/errors.ts';

const NOBODY = describeTokens(undefined, 0, 180).message;

test('what is said of the login of a further account names it', () => {
  expect(forAccount(NOBODY, undefined)).toBe(NOBODY);
  expect(forAccount(NOBODY, 'parents')).toContain('`heating2mqtt login --account parents`');
});

test('of an account of a fleet no command is named, as none logs it in', () => {
  const main = readSettings({ env: { HEATING2MQTT_DATA_DIR: '/data' }, cwd: '/' });
  const account = accountOfRow(main, 'parents', { client_id: 'abc' });
  const name = 'settings' in account ? account.settings.account : 'none';
  expect(forAccount(NOBODY, name)).toBe('Nobody is logged in. Log in on the page.');
  expect(forAccount(AUTH_DE.login_needed, name)).toBe('Eine neue Anmeldung ist nötig, auf der Seite der Bridge.');
  for (const { loginNeeded, loginEnds } of Object.values(PROBLEMS))
    for (const sentence of [loginNeeded, loginEnds({ year: 2026, month: 1, day: 2, hour: 3, minute: 4 })])
      expect(forAccount(sentence, name)).not.toContain('heating2mqtt login');
});
