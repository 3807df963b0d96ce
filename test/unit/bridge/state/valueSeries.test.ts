import { expect, onTestFinished, test } from 'vitest';
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
  const stopping = new AbortController();
  const ended = series.run(stopping.signal);
  onTestFinished(() => stopping.abort());
  await tellBy(
    {
      // What a topic shows from now on; without a payload: nothing more.
      say: ([topic = '', payload]) => {
        const owner = Object.entries(OWNERS).find(([word]) => topic.includes(word))?.[1] ?? 'feature g/0 a.b';
        if (payload === undefined) wanted.delete(topic);
        else wanted.set(topic, { payload, owner, hash: payload });
        series.note([topic]);
      },
      minute: () => clock.pass(60_000),
      stop: () => {
        stopping.abort();
        return ended;
      },
      // What was written since the last look, of all series together.
      written: (_, text) => {
        const points = written.splice(0).map((all) => all.map((point) => `${point.series}=${point.value}`).join(', ') || 'nothing');
        expect(points.join(' | ')).toBe(text);
      },
      shows: ([topic = '', ...values]) => expect(series.of(topic, 0).map(({ value }) => value)).toEqual(values.map(Number)),
    },
    parts,
  );
};

const VALUE = 'base/home/a/b/value';

test.each<Story>([
  ...storiesIn(`
    what changed in a minute is written at once, and nothing where nothing changed
      say ${VALUE} 20.5; say ${VALUE} 21; say base/home/a/b/now comfort; written
      minute; written feature g/0 a.b value=21, feature g/0 a.b now=comfort; minute; written
      say ${VALUE}; minute; written feature g/0 a.b value=null
    a series outlives another name of its device
      say ${VALUE} 20; shows ${VALUE} 20; say base/cellar/a/b/value 22; shows base/cellar/a/b/value 20 22; shows base/other/a/b/value
    texts, reports of the bridge and documents have none
      say ${VALUE} standby; say base/home/a/b/record {"rev":1}; say base/bridge/count 5; say homeassistant/x 5; minute; written
    what a schedule switches is kept as on and off, whichever of both comes first
      say base/home/a/pump/status on; say base/home/a/charging/active true; say base/home/a/oneTime/active false; minute; written
      say base/home/a/pump/schedule/now off; minute; written feature g/0 a.b now=off, feature g/0 a.b status=1
      say base/home/a/pump/status off; say base/home/a/pump/schedule/active true; say base/home/a/pump/x/y/active true
      minute; written feature g/0 a.b status=0
      say base/home/a/schedule/now on; say base/home/a/charging/active false; say base/home/a/status error
      minute; written feature g/0 a.b now=on, feature g/0 a.b status=0, feature g/0 a.b active=0
      say base/home/a/pump/status defect; minute; written feature g/0 a.b status=null
    what waits is written at the end :: say base/home/climate/current 20; stop; written composite g/0 circuits.0 current=20
  `),
  [
    'a number that no number can hold is none',
    ...['9'.repeat(400), '-5', 'NaN', '-Infinity', '1e400'].map(
      (text) => `say ${VALUE} ${text}; minute; written feature g/0 a.b value=${text === '-5' ? text : null}`,
    ),
  ],
])('values over time: %s', (_, ...story) => tellStory(...story));
