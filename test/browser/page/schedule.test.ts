import { describe, expect, test } from 'vitest';
import { weekOf } from '../../../src/schedule/week.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { openLivePage, saveWeek, typeWeek } from '../../support/browser/livePage.ts';
import { MEASURED_ZONE, measuredRoom } from '../../support/schedules/measuredHome.ts';
import { DAY_NAMES, day } from '../../support/schedules/weeks.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

const PLACE = { hash: `#/schedules/home/${SCHEDULE}` };

describe('the page of a schedule', () => {
  test('a change is saved, the heating has it, and the bridge takes it back', async () => {
    const { page, system, wrong } = await openLivePage(PLACE);
    const { recorder } = system;
    const before = recorder.last(`${SCHEDULE_TOPIC}/text`);
    await typeWeek(page, 'mon-fri 05:30-09:00 normal; sat-sun none');
    await saveWeek(page);
    await page.getByText('The heating has it.').first().waitFor();
    expect(recorder.last(`${SCHEDULE_TOPIC}/text`)).toBe('mon-fri 05:30-09:00 normal; sat-sun none');
    await page.getByText(/^Brings back Monday–Friday: .*; Saturday, Sunday: /).waitFor();
    await page.getByRole('button', { name: 'Undo the last change' }).click();
    await expect.poll(() => recorder.last(`${SCHEDULE_TOPIC}/text`), { timeout: 10_000 }).toBe(before);
    await page.getByText('Nothing can be taken back.').waitFor();
    expect(await wrong()).toEqual([]);
  });

  test('the end of a temporary week is said in the zone of the schedule, wherever the browser is', async () => {
    const { page, system } = await openLivePage(
      { ...PLACE, timezoneId: 'America/New_York' },
      { overrides: { schedules: { time_zone: 'Asia/Kolkata' } } },
    );
    await typeWeek(page, 'mon-sun 05:30-09:00 normal');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('radio', { name: 'For', exact: true }).check();
    await page.getByRole('button', { name: 'Save now', exact: true }).click();
    const end = async (): Promise<string> => system.recorder.last(`${SCHEDULE_TOPIC}/until`) ?? '';
    await expect.poll(end, { timeout: 20_000 }).toMatch(/\+05:30$/);
    await page
      .getByText(new RegExp(`^The heating has it until .* at ${(await end()).slice(11, 16)}\\.`))
      .first()
      .waitFor();
  });

  test('on a phone the week begins with today', async () => {
    const dayIn = (timeZone: string) => new Intl.DateTimeFormat('en', { weekday: 'short', timeZone }).format(Date.now());
    // Their days are never the same.
    const zone = dayIn('Pacific/Kiritimati') === 'Mon' ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';
    const before = dayIn(zone);
    const week = Object.fromEntries(DAY_NAMES.map((name, index) => [name, day(`06:00-1${index}:00 normal`)]));
    const { page } = await openLivePage(
      { ...PLACE, viewport: { width: 390, height: 844 } },
      {
        prepare: (simulator) => void simulator.control({ command: 'set', feature: SCHEDULE, property: 'entries', value: week }),
        overrides: { schedules: { time_zone: zone } },
      },
    );
    const shown = page.locator('.strip [aria-pressed=true] .name');
    await shown.waitFor();
    expect([before, dayIn(zone)]).toContain(await shown.innerText());
  });

  test('a hint stands beside the week, is dismissed in this browser, and can be shown again', async () => {
    const { page, system, axe, wrong } = await openLivePage(PLACE);
    await system.recorder.publish(
      `${SCHEDULE_TOPIC}/set`,
      'mon-tue 06:00-22:00 normal; wed 06:10-22:00 normal; thu-sun 06:00-22:00 normal',
    );
    const hint = page.getByText('Monday to Friday differ on Wed alone (06:10 for 06:00). A mistake?');
    await hint.waitFor();
    expect(await axe()).toEqual([]);
    const region = page.getByRole('region', { name: 'Hints' });
    await region.getByRole('button', { name: 'Dismiss' }).last().click();
    await hint.waitFor({ state: 'detached' });
    await page.reload();
    await region.getByRole('button', { name: /^Show dismissed hints/ }).waitFor();
    expect(await hint.count()).toBe(0);
    await region.getByRole('button', { name: /^Show dismissed hints/ }).click();
    await hint.waitFor();
    expect(await wrong()).toEqual([]);
  });

  test('a begin that was late is moved in the drawing, and sent when it is saved', async () => {
    const { now, points } = measuredRoom(
      weekOf(() => day('06:00-22:00 normal')),
      Array.from({ length: 14 }, () => 35),
    );
    const of = (topic: string) => {
      if (topic.endsWith('/schedule/now')) return points['asked'];
      // The room of the simulator has 20.5 °C as its target.
      if (topic.endsWith('/normalHeating/temperature')) return [[0, 20.5]];
      return topic.endsWith('/sensors/temperature/value') ? points['room']?.map(([at, value]) => [at, value === 20 ? 20.5 : value]) : [];
    };
    const { installation, gateway } = defaultHome;
    const { page, system, axe, wrong } = await openLivePage(
      {
        hash: '#/schedules/rooms/rooms.0.schedule',
        before: (opened) =>
          opened.route('**/api/history*', (route) => {
            const topic = new URL(route.request().url()).searchParams.get('topic') ?? '';
            return route.fulfill({ json: { topic, kept: 14, since: 0, now, points: of(topic) } });
          }),
      },
      {
        overrides: {
          devices: [{ name: 'rooms', installation: String(installation), gateway, device: 'RoomControl-1', features: ['*'], exclude: [] }],
          schedules: { time_zone: MEASURED_ZONE },
        },
      },
    );
    await page.getByText('Mon–Sun, Normal from 06:00: on 14 of 14 days the room reached 20.5 °C about 35 minutes late.').waitFor();
    expect(await axe()).toEqual([]);
    await page.getByRole('button', { name: 'Begin at 05:20 instead' }).click();
    await page.getByText('7 days changed').waitFor();
    // A second time it changes nothing, and so is no step to be taken back.
    await page.getByRole('button', { name: 'Begin at 05:20 instead' }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    expect(await page.getByText('7 days changed').count()).toBe(0);
    await page.getByRole('button', { name: 'Begin at 05:20 instead' }).click();
    await page.getByText('7 days changed').waitFor();
    const text = 'heating2mqtt/rooms/rooms/0/schedule/text';
    expect(system.recorder.last(text)).toBe('mon-sun 06:00-22:00 normal');
    await saveWeek(page);
    await expect.poll(() => system.recorder.last(text), { timeout: 20_000 }).toBe('mon-sun 05:20-22:00 normal');
    expect(await wrong()).toEqual([]);
  });

  test('two homes whose schedules are called the same are told apart, also where a week is copied to', async () => {
    const { installation, gateway } = defaultHome;
    const gateways = { upstairs: gateway, downstairs: String(Number(gateway) + 1) };
    const devices = Object.entries(gateways).map(([name, serial]) => ({
      ...{ name, installation: String(installation), gateway: serial, device: '0', features: ['*'], exclude: [] },
    }));
    const { page, system } = await openLivePage({ hash: '#/schedules' }, { simulator: { furtherGateways: 1 }, overrides: { devices } });
    await page.getByRole('link', { name: 'Hot water · downstairs', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Floor · upstairs', exact: true }).click();
    await page.getByRole('heading', { name: 'Floor · upstairs', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy to other schedules…' }).click();
    await page.getByRole('checkbox', { name: 'Floor · downstairs', exact: true }).waitFor();
    // Where the circuits have other numbers too.
    const circuit = { command: 'set', gateway: gateways.downstairs, device: '0', property: 'name' } as const;
    system.simulator.control({ ...circuit, feature: 'heating.circuits.0.name', value: 'Cellar' });
    system.simulator.control({ ...circuit, feature: 'heating.circuits.1.name', value: 'Floor' });
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'downstairs');
    await page.goto(`${page.url().split('#')[0]}#/schedules`);
    await page.getByRole('link', { name: 'Cellar', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Floor · upstairs', exact: true }).waitFor();
  });

  test('where nothing was changed, the undo is grey and says so', async () => {
    const { page } = await openLivePage(PLACE);
    await page.getByText('Nothing can be taken back.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo the last change' }).isDisabled()).toBe(true);
  });

  test('a refusal of the platform is shown where it was saved, and the drawing stays', async () => {
    const { page, system } = await openLivePage(PLACE);
    system.simulator.control({ command: 'fault', kind: 'gateway_offline', match: { method: 'POST', path: 'setSchedule' } });
    await typeWeek(page, 'daily 05:30-09:00 normal');
    await saveWeek(page);
    await expect.poll(() => page.getByText(/^The heating did not accept it\./).count()).toBeGreaterThan(0);
    expect(await page.locator('textarea').inputValue()).toContain('05:30-09:00');
  });

  test('of a save of which nobody knows whether it was sent is not said that the heating did not take it', async () => {
    const { page } = await openLivePage(PLACE);
    await typeWeek(page, 'daily 05:30-09:00 normal');
    await page.route('**/api/**', (route) => route.abort());
    await saveWeek(page);
    await page
      .getByText(/^The connection broke\. The result shows/)
      .first()
      .waitFor();
    expect(await page.getByText('The heating did not accept it.').count()).toBe(0);
  });

  test('a page with changes is not left by accident', async () => {
    const { page } = await openLivePage(PLACE);
    await typeWeek(page, 'daily 05:30-09:00 normal');
    const asked = page.waitForEvent('dialog');
    await page.getByRole('link', { name: 'Log' }).click({ noWaitAfter: true });
    expect((await asked).message()).toContain('not saved');
    await (await asked).dismiss();
    await expect.poll(() => page.url()).toContain(SCHEDULE);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('link', { name: 'Log' }).click({ noWaitAfter: true });
    await page.getByRole('heading', { name: 'Log', level: 1 }).waitFor();
  });

  test('a page whose changes are sent is left without a question', async () => {
    // Nobody says meanwhile that it is not confirmed.
    const slow = { simulator: { effectDelayMs: 60_000 }, overrides: { commands: { confirm_s: [60] } } };
    const { page } = await openLivePage(PLACE, slow);
    await typeWeek(page, 'daily 05:30-09:00 normal');
    await saveWeek(page);
    await page.locator('heating-week-editor').getByText('Sent', { exact: false }).first().waitFor();
    // A question would be answered with no.
    await page.getByRole('link', { name: 'Log' }).click();
    await page.getByRole('heading', { name: 'Log', level: 1 }).waitFor();
  });
});
