import { expect, it } from 'vitest';
import { DeviceState } from '../../../../src/bridge/state/deviceState.ts';
import { pastStore } from '../../../../src/bridge/state/energy/past.ts';
import { featureOf } from '../../../support/devices/features.ts';

const unit = 'kilowattHour';
const NAME = 'heating.power.consumption.total';
const device = { name: 'home', installation: '1', gateway: 'g', device: '0', features: [], exclude: [] };

/** A bridge in Berlin that starts again with each `at`, and has counted this much; on each day 1 kWh is used. */
const world = () => {
  const rows = new Map<string, object>();
  let writes = 0;
  let ids: readonly string[] = [];
  const write = (key: string, row: object | undefined): boolean => {
    writes += 1;
    return row ? rows.set(key, structuredClone(row)).size > 0 : rows.delete(key);
  };
  /** The record as it is at this moment; its days were read at `readAt`. */
  const at = (iso: string, counted: number, { readAt = iso, name = 'home', gateway = 'g', isSummary = false } = {}) => {
    const nowMs = Date.parse(iso);
    const totals = { of: () => counted };
    const store = pastStore(
      { read: () => rows, write },
      { totals, zone: () => 'Europe/Berlin', language: 'en', clock: { now: () => nowMs } },
    );
    const state = new DeviceState({ ...device, name, gateway });
    const date = new Date(nowMs + 2 * 3_600_000);
    const [ofMonth, ofWeek] = [date.getUTCDate(), (date.getUTCDay() + 6) % 7];
    const read = { value: iso };
    const lists = {
      ...{ day: { value: Array(8).fill(1), unit }, week: { value: [ofWeek + 1], unit }, month: { value: [ofMonth, 30], unit } },
      ...{ year: { value: [100 + ofMonth], unit }, dayValueReadAt: { value: readAt }, weekValueReadAt: read, monthValueReadAt: read },
      yearValueReadAt: read,
    };
    const summary = { currentDay: { value: 1, unit }, currentMonth: { value: ofMonth, unit }, currentYear: { value: 100 + ofMonth, unit } };
    const feature = isSummary ? featureOf(NAME.replace('.total', '.summary.total'), summary, { timestamp: iso }) : featureOf(NAME, lists);
    store.learn(state, [feature]);
    ids = store.ids();
    return store.series();
  };
  return { at, writes: () => writes, ids: () => ids };
};
const days = (series: ReturnType<ReturnType<typeof world>['at']>): string =>
  series.flatMap(({ bars }) => bars.map(({ start, amount }) => `${start.slice(0, 19)} ${amount}`)).join(', ');

it('keeps what was the past at the first start, in the days of the house, and writes it once', () => {
  const { at, writes } = world();
  // It is 2 June in Berlin.
  const first = at('2026-06-01T22:30:00Z', 0);
  expect(first).toMatchObject([{ id: 'heating2mqtt:g_0_power_consumption_total', unit: 'kWh', feature: NAME, device: 'home' }]);
  expect(days(first)).toBe(
    '2026-01-01T00:00:00 70, 2026-05-01T00:00:00 24, 2026-05-26T00:00:00 1, 2026-05-27T00:00:00 1, 2026-05-28T00:00:00 1, 2026-05-29T00:00:00 1, 2026-05-30T00:00:00 1, 2026-05-31T00:00:00 1, 2026-06-01T00:00:00 1',
  );
  expect(at('2026-06-09T10:00:00Z', 8)).toEqual(first);
  expect(writes()).toBe(1);
  expect(at('2026-06-09T10:00:00Z', 8, { name: 'house' })).toMatchObject([{ device: 'house', bars: first[0]?.bars }]);
});

it('tells a past anew that was not whole, without what was counted meanwhile', () => {
  const { at } = world();
  expect(days(at('2026-06-10T10:00:00Z', 0, { readAt: '2026-06-01T10:00:00Z' }))).toBe('2026-05-01T00:00:00 30');
  // Today's, and that of yesterday afternoon.
  expect(days(at('2026-06-11T10:00:00Z', 1.5))).toBe(
    '2026-01-01T00:00:00 70, 2026-05-01T00:00:00 30, 2026-06-01T00:00:00 3, 2026-06-04T00:00:00 1, 2026-06-05T00:00:00 1, 2026-06-06T00:00:00 1, 2026-06-07T00:00:00 1, 2026-06-08T00:00:00 1, 2026-06-09T00:00:00 1',
  );
});

it.each(['+275760-09-12T00:00:00.000Z', '9999-12-31T23:59:59Z', '2026-07-01T00:00:00Z', 'never', ''])(
  'takes no days that were read at "%s"',
  (readAt) => {
    const { at } = world();
    expect(days(at('2026-06-01T22:30:00Z', 0, { readAt }))).not.toContain('2026-05-31');
  },
);

it('prefers lists to a summary', () => {
  const { at } = world();
  expect(days(at('2026-06-10T10:00:00Z', 0, { isSummary: true }))).toBe('2026-01-01T00:00:00 100, 2026-06-01T00:00:00 9');
  const [listed] = at('2026-06-10T10:00:00Z', 0);
  expect(listed?.bars).toHaveLength(10);
  expect(at('2026-06-10T10:00:00Z', 0, { isSummary: true })).toEqual([listed]);
});

it('is told once where a heating gets another gateway, and lists what it had listed before', () => {
  const { at, ids } = world();
  const first = at('2026-06-01T22:30:00Z', 0);
  const both = at('2026-08-02T10:00:00Z', 0, { gateway: 'h' });
  expect(both.map(({ id }) => id)).toEqual(['heating2mqtt:h_0_power_consumption_total']);
  expect(days(both)).toMatch(/^2026-01-01T00:00:00 70, 2026-07-01T00:00:00 \d+, /u);
  expect(ids()).toEqual([first[0]?.id, both[0]?.id]);
});

it('keeps what was before that which it lists behind its new gateway', () => {
  const { at } = world();
  at('2026-06-01T22:30:00Z', 0);
  const both = at('2027-06-01T22:30:00Z', 0, { gateway: 'h' });
  expect(days(both.slice(0, 1))).toMatch(/^2026-01-01T00:00:00 70, 2026-05-01T00:00:00 24, .*2026-06-01T00:00:00 1$/u);
  expect(days(both.slice(1))).toMatch(/^2027-01-01T00:00:00 70, /u);
});
