import { expect, test } from 'vitest';
import { systemClock } from '../../../src/shared/clock.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { openLivePage } from '../../support/browser/livePage.ts';

const HOUR_MS = 3_600_000;

test('frozen data stand in the first line and on the card, with the restart of the gateway where one was ever accepted', async () => {
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const clock = {
    now,
    elapsedMs: () => systemClock.elapsedMs() + aheadMs,
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms, signal),
  };
  const { page, axe, wrong, overflow, system } = await openLivePage(
    { viewport: { width: 390, height: 900 } },
    { clock, simulator: { home: defaultHome, now }, overrides: { platform: { profile: 'v2' } } },
  );
  const { recorder, simulator } = system;
  const answered = async (what: string, payload: string): Promise<void> => {
    const from = recorder.heard.length;
    await recorder.publish(`heating2mqtt/bridge/${what}/set`, payload);
    await recorder.until(({ topic, payload: text }) => topic === 'heating2mqtt/bridge/result' && text.includes('"applied"'), from);
  };
  /** So many hours later everything is read. */
  const later = async (hours: number): Promise<void> => {
    aheadMs += hours * HOUR_MS;
    const reads = system.reads();
    await answered('poll', 'all');
    await system.untilSo(() => system.reads() > reads);
  };
  const card = page.locator('.faults');
  await card.waitFor();
  await answered('restart_gateway', 'home');
  await later(13);
  simulator.control({ command: 'freeze', what: 'device' });
  await later(7);
  await later(1);
  await card.getByText('Viessmann has shown nothing new of this device').waitFor();
  expect(await page.locator('.health').innerText()).toContain('although reads work');
  expect(await page.locator('.cards > section').nth(1).getAttribute('class')).toContain('faults');
  expect([await axe(), await overflow()]).toEqual([[], 0]);
  await card.getByRole('button', { name: 'Restart the gateway' }).click();
  await system.untilSo(() => simulator.calls().filter(({ path }) => path.endsWith('/reboot')).length === 2);
  await card.getByText('Viessmann restarts the gateway').waitFor();
  await later(1);
  await card.getByText('Viessmann shows nothing new').waitFor({ state: 'detached' });
  expect(await wrong()).toEqual([]);
});
