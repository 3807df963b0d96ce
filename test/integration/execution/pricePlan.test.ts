import { describe, expect, test } from 'vitest';
import { MOST_PRICE_BYTES } from '../../../src/schedule/prices/readPrices.ts';
import { readWindow, type Window } from '../../../src/schedule/prices/window.ts';
import { HotWaterWorld } from '../../support/execution/hotWaterWorld.ts';
import { daily, day } from '../../support/schedules/weeks.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/system/virtualSystem.ts';

const TOPIC = 'evcc/site/forecast/grid';
const WINDOWS = ['22:00-06:30 60 min', '11:00-18:00 60 min'].map((text): Window => readWindow(text) ?? { ready: 0, need: 0, from: 0 });
const OPTIONS = {
  timeZone: { setting: 'UTC', machine: 'UTC' },
  pricePlan: { topic: TOPIC, unit: 'kWh', currency: 'EUR', windows: WINDOWS },
} as const;
const OWN = daily('05:00-22:00 on');

/** The prices of so many days from a midnight on: cheap for the hour from 12:00 and for one at night. */
const prices = (from: string, days = 2, night = 3): string => {
  const start = Date.parse(`${from}T00:00:00Z`);
  const at = (index: number): string => new Date(start + index * 15 * MINUTE_MS).toISOString();
  const value = (hour: number): number => (hour === night || hour === 12 ? 0.1 : 0.3);
  return JSON.stringify(
    Array.from({ length: 96 * days }, (_, index) => ({ start: at(index), end: at(index + 1), value: value(Math.floor(index / 4) % 24) })),
  );
};

type Shown = {
  readonly mode: string;
  readonly proposed?: { readonly from: string; readonly at_most?: number };
  readonly running?: { readonly from: string };
  readonly refused?: string;
};

class PriceWorld extends HotWaterWorld {
  static override async begin(options: object = OPTIONS): Promise<PriceWorld> {
    const world = new PriceWorld(options);
    await world.start();
    return world;
  }

  async start(): Promise<void> {
    await this.system.start();
    await this.time.pass(MINUTE_MS);
  }

  async hear(payload: string): Promise<void> {
    this.system.send(TOPIC, payload);
    await this.time.pass(MINUTE_MS);
  }

  async order(text: string): Promise<unknown> {
    this.system.forget();
    this.system.send('heating2mqtt/bridge/price_plan/set', text);
    await this.time.pass(MINUTE_MS);
    return JSON.parse(this.system.messages.find(({ topic }) => topic === 'heating2mqtt/bridge/result')?.payload ?? 'null');
  }

  async until(instant: string): Promise<void> {
    await this.time.pass(Date.parse(instant) - this.time.now());
  }

  report(): { readonly prices?: object; readonly mistake?: string; readonly plans: Readonly<Record<string, Shown>> } {
    return JSON.parse(this.system.retained.get('heating2mqtt/bridge/price_plan') ?? '{"plans":{}}');
  }

  get weeks(): number {
    return this.sent.filter(({ command }) => command === 'setSchedule').length;
  }

  entriesOf(name: string): unknown {
    return (this.entries as Readonly<Record<string, unknown>>)[name];
  }
}

const PLANNED_SUN = [...day('03:00-04:00 on, 12:00-13:00 on, 18:00-22:00 on')];

describe('a price plan', () => {
  test('hot water that follows the seasons has no plan of every day; one day can be ordered', async () => {
    const seasons = ['home heating.dhw.schedule: summer a, winter b, from 05-01 to 09-30'];
    const world = await PriceWorld.begin({ ...OPTIONS, seasons });
    await world.hear(prices('2026-11-21'));
    expect(await world.order('daily')).toMatchObject({ status: 'rejected', code: 'forbidden' });
    expect(await world.order('once')).toMatchObject({ status: 'applied' });
    const others = ['home heating.circuits.0.heating.schedule', 'other heating.dhw.schedule'];
    const another = await PriceWorld.begin({ ...OPTIONS, seasons: others.map((one) => `${one}: summer a, winter b, from 05-01 to 09-30`) });
    await another.hear(prices('2026-11-21'));
    expect(await another.order('daily')).toMatchObject({ status: 'applied' });
  });

  test('is proposed for the day that has begun while nothing of it is missed, and for the next one while one runs', async () => {
    const [waiting, running] = [await PriceWorld.begin(), await PriceWorld.begin()];
    const proposed = (world: PriceWorld): string | undefined => world.report().plans['home']?.proposed?.from;
    for (const world of [waiting, running]) await world.hear(prices('2026-11-21', 3));
    await running.order('daily');
    for (const world of [waiting, running]) await world.until('2026-11-22T02:00:00Z');
    expect([proposed(waiting), proposed(running)]).toEqual(['2026-11-21T18:00:00.000Z', '2026-11-22T18:00:00.000Z']);
    await waiting.until('2026-11-22T03:20:00Z');
    expect(proposed(waiting)).toBe('2026-11-22T18:00:00.000Z');
  });

  test('is proposed for the day that has begun also where the source shows only what is ahead, as evcc does', async () => {
    const world = await PriceWorld.begin();
    const shown = (): string | undefined => world.report().plans['home']?.proposed?.from;
    const ahead = (): string => {
      const all: readonly { readonly end: string }[] = JSON.parse(prices('2026-11-21', 2));
      return JSON.stringify(all.filter(({ end }) => Date.parse(end) > world.time.now()));
    };
    await world.hear(ahead());
    await world.until('2026-11-21T20:00:00Z');
    await world.hear(ahead());
    expect(shown()).toBe('2026-11-21T18:00:00.000Z');
    expect(world.report().prices).toMatchObject({ until: '2026-11-23T00:00:00.000Z' });
  });

  test('a forecast of a week of quarter hours fits', async () => {
    const world = await PriceWorld.begin();
    // As a price with taxes: in local time, and as exact as a computer adds.
    const week = prices('2026-11-21', 7).replaceAll('.000Z', '+00:00').replaceAll('0.3}', '0.30000000000000004}');
    expect(week.length).toBeGreaterThan(65_536);
    await world.hear(week);
    expect(world.report().mistake).toBeUndefined();
    expect(world.report().prices).toMatchObject({ count: 672 });
  });

  test('prices of an address are read each hour; after failures more rarely, and why and since when is told, with its name alone', async () => {
    const answers = [prices('2026-11-21'), undefined, prices('2026-11-21', 3)];
    const asked: number[] = [];
    let isAway = true;
    const read = async (): Promise<string | undefined> => {
      asked.push(world.time.now());
      if (answers.length > 0) return answers.shift();
      if (isAway) throw new Error('the server answers 503');
      return undefined;
    };
    const pricePlan = { ...OPTIONS.pricePlan, topic: null };
    const world: PriceWorld = new PriceWorld({ ...OPTIONS, pricePlan, priceSource: { name: 'prices.example.com/…json', read } });
    await world.start();
    expect(world.report().prices).toMatchObject({ count: 192 });
    await world.time.pass(10 * HOUR_MS);
    expect(world.report().prices).toMatchObject({ count: 288 });
    expect(asked.length).toBeGreaterThanOrEqual(6);
    expect(asked.length).toBeLessThanOrEqual(8);
    expect(JSON.stringify(world.system.logged)).toContain('prices.example.com/…json');
    const sinceMs = asked.find((_, index) => index === 3) ?? 0;
    expect(world.report()).toMatchObject({ unread: 'the server answers 503', unread_since: new Date(sinceMs).toISOString() });
    isAway = false;
    await world.time.pass(10 * HOUR_MS);
    expect(world.report()).not.toHaveProperty('unread');
    expect(world.report().prices).toMatchObject({ count: 288 });
  });

  test('is only shown until a person orders it; sent by a click it comes at its begin, and goes at its end', async () => {
    const world = await PriceWorld.begin();
    await world.hear(prices('2026-11-21'));
    expect(world.report()).toMatchObject({
      prices: { count: 192, step_minutes: 15, unit: 'kWh', unit_from: 'setting', until: '2026-11-23T00:00:00.000Z' },
      plans: {
        home: {
          mode: 'off',
          proposed: { from: '2026-11-21T18:00:00.000Z', until: '2026-11-22T18:00:00.000Z', price: 0.1, kwh: 3, at_most: 0.56 },
        },
      },
    });
    await world.until('2026-11-21T19:00:00Z');
    expect(world.weeks).toBe(0);
    expect(await world.order('once')).toMatchObject({ status: 'applied' });
    await world.until('2026-11-21T19:05:00Z');
    expect([world.weeks, world.entriesOf('sat'), world.entriesOf('sun')]).toEqual([1, day('05:00-18:00 on'), PLANNED_SUN]);
    expect(world.report().plans['home']).toMatchObject({ mode: 'once', running: { from: '2026-11-21T18:00:00.000Z' } });
    expect(JSON.parse(world.system.retained.get('heating2mqtt/home/heating/dhw/schedule/overview') ?? '')).toMatchObject({
      owner: 'price',
    });
    await world.until('2026-11-22T18:05:00Z');
    expect([world.weeks, world.entries]).toEqual([2, OWN]);
    expect(world.report().plans['home']).toMatchObject({ mode: 'off', refused: 'no_prices' });
    await world.until('2026-11-24T18:05:00Z');
    expect(world.weeks).toBe(2);
  });

  test('daily: two writes a day with the return, over restarts and kills, in less than 40 calls; it goes silent where prices stop', async () => {
    const world = await PriceWorld.begin();
    expect(await world.order('daily')).toMatchObject({ status: 'rejected', code: 'not_executable' });
    await world.hear(prices('2026-11-21'));
    await world.order('daily');
    expect(await world.order('once')).toMatchObject({ status: 'applied' });
    expect(world.report().plans['home']).toMatchObject({ mode: 'daily', ordered: '2026-11-21T18:00:00.000Z' });
    const days = ['2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'];
    for (const [index, date] of days.entries()) {
      await world.until(`${date}T13:10:00Z`);
      await world.hear(prices(date));
      // The same once more, as retained ones come after a restart.
      if (index === 1) await world.system.stop();
      if (index === 2) world.system.kill();
      if (index > 0 && index < 3) await world.start();
      await world.hear(prices(date));
      const [before, polls] = [world.weeks, world.calls];
      await world.until(`${date}T18:10:00Z`);
      expect([date, world.weeks - before]).toEqual([date, index === 0 ? 1 : 2]);
      expect(world.calls - polls).toBeLessThan(40 + 6);
      if (index === 1) world.system.kill();
      if (index === 1) await world.start();
    }
    await world.until('2026-11-25T18:10:00Z');
    expect([world.weeks, world.entries]).toEqual([8, OWN]);
    await world.until('2026-11-27T18:10:00Z');
    expect(world.weeks).toBe(8);
    expect(world.report().plans['home']).toMatchObject({ mode: 'daily', refused: 'no_prices' });
    expect(world.report().plans['home']).not.toHaveProperty('ordered');
  });

  test('leaves no more than 14 hours after the plan before, also where prices come after the turn and a restart', async () => {
    const world = await PriceWorld.begin();
    await world.hear(prices('2026-11-21'));
    await world.order('daily');
    await world.until('2026-11-22T18:02:00Z');
    expect(world.report().plans['home']).not.toHaveProperty('running');
    await world.system.stop();
    await world.start();
    await world.hear(prices('2026-11-22', 2, 5));
    await world.until('2026-11-22T18:10:00Z');
    // 05:00 is cheaper, but the plan before has released hot water until 13:00.
    expect(world.entriesOf('mon')).toEqual(PLANNED_SUN);
  });

  test('leaves the week to a person who writes to it meanwhile, until the next day', async () => {
    const world = await PriceWorld.begin();
    await world.hear(prices('2026-11-21', 4));
    await world.order('daily');
    await world.until('2026-11-21T20:00:00Z');
    expect(world.weeks).toBe(1);
    await world.write('schedule/sun/set', '07:00-21:00 on');
    await world.until('2026-11-22T17:50:00Z');
    expect([world.weeks, world.entriesOf('sun')]).toEqual([2, day('07:00-21:00 on')]);
    await world.until('2026-11-22T18:30:00Z');
    expect(world.entriesOf('mon')).toEqual(PLANNED_SUN);
    expect(world.report().plans['home']).toMatchObject({ mode: 'daily' });
  });

  test('ends at once where it is switched off', async () => {
    const world = await PriceWorld.begin();
    await world.hear(prices('2026-11-21'));
    expect(await world.order('{"value":{"device":"home","mode":"daily"},"id":"7"}')).toMatchObject({ status: 'applied', id: '7' });
    expect(await world.order('{"value":"daily","id":8}')).toMatchObject({ status: 'applied', id: 8 });
    await world.order('{"device":"home","mode":"daily"}');
    await world.until('2026-11-21T20:00:00Z');
    expect(world.weeks).toBe(1);
    expect(await world.order('off')).toMatchObject({ status: 'applied' });
    await world.time.pass(5 * MINUTE_MS);
    expect([world.weeks, world.entries]).toEqual([2, OWN]);
  });

  test('a plan of every day is switched off also where nothing shows any more that electricity makes the hot water', async () => {
    const world = await PriceWorld.begin();
    await world.hear(prices('2026-11-21'));
    await world.order('daily');
    world.heater = 'heating.burners';
    await world.read();
    expect(await world.order('daily')).toMatchObject({ status: 'rejected', code: 'not_executable' });
    expect(await world.order('off')).toMatchObject({ status: 'applied' });
    expect(await world.order('off')).toMatchObject({ status: 'rejected', code: 'unknown_device' });
  });

  test('with the bridge off at its end, the own week comes back at the next start', async () => {
    const world = await PriceWorld.begin();
    await world.hear(prices('2026-11-21'));
    await world.order('daily');
    await world.until('2026-11-22T02:00:00Z');
    await world.system.stop();
    await world.time.pass(20 * HOUR_MS);
    await world.start();
    await world.time.pass(5 * MINUTE_MS);
    expect([world.weeks, world.entries]).toEqual([2, OWN]);
  });

  test('begins on a step of the schedule, also where the platform takes no week for a while', async () => {
    const windows = WINDOWS.map((one) => (one.ready === 18 * 60 ? { ...one, ready: 17 * 60 + 45 } : one));
    const world = await PriceWorld.begin({ ...OPTIONS, pricePlan: { ...OPTIONS.pricePlan, windows } });
    await world.hear(prices('2026-11-21'));
    expect(await world.order('once')).toMatchObject({ status: 'applied' });
    expect(world.report().plans['home']).toMatchObject({ mode: 'once', ordered: '2026-11-21T17:50:00.000Z' });
    world.isWritable = false;
    await world.read();
    expect(world.report().plans).toEqual({});
    world.isWritable = true;
    await world.read();
    await world.until('2026-11-21T19:05:00Z');
    expect(world.entriesOf('sun')).toEqual([...day('03:00-04:00 on, 12:00-13:00 on, 17:50-22:00 on')]);
  });

  test('is not offered where gas makes the hot water, and not without prices', async () => {
    const world = new PriceWorld(OPTIONS);
    world.heater = 'heating.burners';
    await world.start();
    await world.hear(prices('2026-11-21'));
    expect(world.report().plans).toEqual({});
    expect(await world.order('daily')).toMatchObject({ status: 'rejected', code: 'unknown_device' });
    const other = await PriceWorld.begin();
    expect(await other.order('once')).toMatchObject({ status: 'rejected', code: 'not_executable' });
    expect(await other.order('always')).toMatchObject({ status: 'rejected', code: 'invalid' });
    await other.hear('{"a":1}');
    expect(other.report()).toMatchObject({ mistake: 'none', plans: { home: { refused: 'no_prices' } } });
    await other.hear(' '.repeat(MOST_PRICE_BYTES) + prices('2026-11-21'));
    expect(other.report()).toMatchObject({ mistake: 'json' });
    // No text can be made of this time.
    await other.hear('[{"start":{"toString":1,"valueOf":1},"value":1},{"start":0,"value":1}]');
    expect(other.report()).toMatchObject({ prices: { count: 1 }, plans: { home: { refused: 'no_prices' } } });
  });

  test('without a topic of prices there is nothing of it', async () => {
    const world = await PriceWorld.begin({});
    expect(await world.order('daily')).toMatchObject({ status: 'rejected', code: 'not_executable' });
    expect(world.system.retained.has('heating2mqtt/bridge/price_plan')).toBe(false);
  });
});
