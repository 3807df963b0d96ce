import { expect, test } from 'vitest';
import { makeLog } from '../../../../src/cli/terminal/log.ts';
import { LogRing } from '../../../../src/shared/log.ts';

test('the log follows other settings while the process runs, and its ring gets every line', async () => {
  const lines: string[] = [];
  const shown: string[] = [];
  const ring = new LogRing();
  ring.follow((line) => lines.push(line));
  const out = async ({ format }: { readonly format: string }) => ({
    write: (line: string) => shown.push(`${format} ${JSON.parse(line).msg}`),
  });
  const { log, configure } = await makeLog({ level: 'info', format: 'json' }, { env: {}, isTTY: false }, ring, out);
  log.debug({}, 'not yet');
  log.info({ password: 'secret' }, 'begins');
  await configure({ level: 'debug', format: 'json' });
  log.debug({}, 'now');
  await configure({ level: 'warn', format: 'pretty' });
  log.info({}, 'not any more');
  log.warn({}, 'beware');
  expect(shown).toEqual(['json begins', 'json now', 'pretty beware']);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain('[Redacted]');
  expect(lines.join()).not.toContain('secret');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', time: expect.stringMatching(/^20.*Z$/), msg: 'begins' });
});
