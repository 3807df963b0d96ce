import { EventEmitter } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Point, SeriesStore } from '../../../../src/bridge/ports.ts';
import { ValueSeries } from '../../../../src/bridge/series/valueSeries.ts';
import { fakeClock } from '../../../support/time/fakeClock.ts';

type Written = readonly (Point & { readonly series: string })[];

const setUp = (days = 14) => {
  const wanted = new Map<string, { payload: string; owner: string; hash: string }>();
  const publisher = Object.assign(new EventEmitter<{ wanted: [topics: readonly string[]] }>(), { topics: { wanted } });
  const written: Written[] = [];
  const store: SeriesStore = {
    append: (points) => void written.push(points),
    read: (series) => written.flat().filter((point) => point.series === series),
  };
  const clock = fakeClock();
  const series = new ValueSeries(days, store, publisher, clock);
  const stopping = new AbortController();
  const ended = series.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
  };
  onTestFinished(stop);
  const say = (topic: string, payload: string | undefined, owner = 'feature g/0 a.b'): void => {
    if (payload === undefined) wanted.delete(topic);
    else wanted.set(topic, { payload, owner, hash: payload });
    publisher.emit('wanted', [topic]);
  };
  const minute = (): Promise<void> => clock.pass(60_000);
  const values = (): unknown => written.map((points) => points.map(({ series, value }) => [series, value]));
  return { series, say, minute, stop, values };
};

describe('values over time', () => {
  test('what changed in a minute is written at once, and nothing where nothing changed', async () => {
    const { say, minute, values } = setUp();
    say('base/home/a/b/value', '20.5');
    say('base/home/a/b/value', '21');
    say('base/home/a/b/now', 'comfort');
    expect(values()).toEqual([]);
    await minute();
    const first = [
      ['feature g/0 a.b value', 21],
      ['feature g/0 a.b now', 'comfort'],
    ];
    expect(values()).toEqual([first]);
    await minute();
    expect(values()).toEqual([first]);
    say('base/home/a/b/value', undefined);
    await minute();
    expect(values()).toEqual([first, [['feature g/0 a.b value', null]]]);
  });

  test('a series outlives another name of its device', () => {
    const { series, say } = setUp();
    say('base/home/a/b/value', '20');
    expect(series.of('base/home/a/b/value', 0)).toMatchObject([{ value: 20 }]);
    say('base/cellar/a/b/value', '22');
    expect(series.of('base/cellar/a/b/value', 0)).toMatchObject([{ value: 20 }, { value: 22 }]);
    expect(series.of('base/other/a/b/value', 0)).toEqual([]);
  });

  test('texts, reports of the bridge and documents have none', async () => {
    const { say, minute, values } = setUp();
    say('base/home/a/b/value', 'standby');
    say('base/home/a/b/record', '{"rev":1}');
    say('base/bridge/count', '5', 'bridge');
    say('homeassistant/x', '5', 'document g/0');
    await minute();
    expect(values()).toEqual([]);
  });

  test('a number that no number can hold is none', async () => {
    const { say, minute, values } = setUp();
    for (const text of ['9'.repeat(400), '-5', 'NaN', '-Infinity', '1e400']) {
      say('base/home/a/b/value', text);
      await minute();
    }
    const series = 'feature g/0 a.b value';
    expect(values()).toEqual([[[series, null]], [[series, -5]], [[series, null]], [[series, null]], [[series, null]]]);
  });

  test('what waits is written at the end', async () => {
    const { say, stop, values } = setUp();
    say('base/home/climate/current', '20', 'composite g/0 circuits.0');
    await stop();
    expect(values()).toEqual([[['composite g/0 circuits.0 current', 20]]]);
  });
});
