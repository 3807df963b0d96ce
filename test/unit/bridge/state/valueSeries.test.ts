import { expect, test } from 'vitest';
import type { Point, SeriesStore } from '../../../../src/bridge/ports.ts';
import { valueSeries } from '../../../../src/bridge/state/valueSeries.ts';
import { type Story, storiesIn, tellBy } from '../../../support/story.ts';
import { fakeClock } from '../../../support/time/fakeClock.ts';

const OWNERS: Readonly<Record<string, string>> = { bridge: 'bridge', homeassistant: 'document g/0', climate: 'composite g/0 circuits.0' };

const tellStory = async (...parts: readonly string[]): Promise<void> => {
  const wanted = new Map<string, { payload: string; owner: string; hash: string }>();
  const written: (readonly (Point & { readonly series: string })[])[] = [];
  const store: SeriesStore = {
    append: (points) => void written.push(points),
    read: (series) => written.flat().filter((point) => point.series === series),
  };
  const clock = fakeClock();
  const series = valueSeries(14, store, { wanted }, clock);
  await tellBy(
    {
      // What a topic shows from now on; without a payload: nothing more.
      say: ([topic = '', payload]) => {
        const owner = Object.entries(OWNERS).find(([word]) => topic.includes(word))?.[1] ?? 'feature g/0 a.b';
        if (payload === undefined) wanted.delete(topic);
        else wanted.set(topic, { payload, owner, hash: payload });
        series.note([topic]);
      },
      // What was handed to the storage since the last look, the last of each series.
      written: (_, text) => {
        const last = new Map(written.splice(0).flatMap((points) => points.map(({ series: name, value }) => [name, value])));
        expect([...last].map(([name, value]) => `${name}=${value}`).join(', ')).toBe(text);
      },
      shows: ([topic = '', ...values]) => expect(series.of(topic, 0).map(({ value }) => value)).toEqual(values.map(Number)),
    },
    parts,
  );
};

const VALUE = 'base/home/a/b/value';

test.each<Story>([
  ...storiesIn(`
    each change is handed to the storage
      say ${VALUE} 20.5; say ${VALUE} 21; say base/home/a/b/now comfort
      written feature g/0 a.b value=21, feature g/0 a.b now=comfort; written
      say ${VALUE}; written feature g/0 a.b value=null
    a series outlives another name of its device
      say ${VALUE} 20; shows ${VALUE} 20; say base/cellar/a/b/value 22; shows base/cellar/a/b/value 20 22; shows base/other/a/b/value
    texts, reports of the bridge and documents have none
      say ${VALUE} standby; say base/home/a/b/record {"rev":1}; say base/bridge/count 5; say homeassistant/x 5; written
    what a schedule switches is kept as on and off, whichever of both comes first
      say base/home/a/pump/status on; say base/home/a/charging/active true; say base/home/a/oneTime/active false; written
      say base/home/a/pump/schedule/now off; written feature g/0 a.b now=off, feature g/0 a.b status=1
      say base/home/a/pump/status off; say base/home/a/pump/schedule/active true; say base/home/a/pump/x/y/active true
      written feature g/0 a.b status=0
      say base/home/a/schedule/now on; say base/home/a/charging/active false; say base/home/a/status error
      written feature g/0 a.b now=on, feature g/0 a.b status=0, feature g/0 a.b active=0
      say base/home/a/pump/status defect; written feature g/0 a.b status=null
    a climate has its own :: say base/home/climate/current 20; written composite g/0 circuits.0 current=20
  `),
  [
    'a number that no number can hold is none',
    ...['9'.repeat(400), '-5', 'NaN', '-Infinity', '1e400'].map(
      (text) => `say ${VALUE} ${text}; written feature g/0 a.b value=${text === '-5' ? text : null}`,
    ),
  ],
])('values over time: %s', (_, ...story) => tellStory(...story));
