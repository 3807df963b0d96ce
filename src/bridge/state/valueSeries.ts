import { type Clock, DAY_MS } from '../../shared/clock.ts';
import type { Point, SeriesStore } from '../ports.ts';

/** The owners of values: features, climates and water heaters. */
const OWNER = /^(?:feature|composite) /u;
const NUMBER = /^-?\d+(?:\.\d+)?$/u;
/** The mode that a schedule asks for. */
const MODE = /\/now$/u;

/** The mode that a week asks for, behind what the schedule switches. */
const WEEK_MODE = 'schedule/now';
/** What tells whether something runs. */
const STATE = /\/(?:status|active)$/u;
const STATES: ReadonlyMap<string, number> = new Map(Object.entries({ on: 1, true: 1, off: 0, false: 0 }));

/** What the retained topics shall hold. */
type Topics = { readonly wanted: ReadonlyMap<string, { readonly payload: string; readonly owner: string }> };

/** Keeps what the numeric topics, those with the mode of a schedule, and what it switches (as 1 and 0) said over time. A series outlives another name of its device. */
export const valueSeries = (days: number, store: SeriesStore | undefined, topics: Topics, clock: Pick<Clock, 'now'>) => {
  /** By topic, of this run. */
  const seriesOf = new Map<string, string>();

  /** The values of a topic since then (epoch milliseconds), oldest first, and before them the one that held at that time. */
  const of = (topic: string, since: number): readonly Point[] => {
    const series = seriesOf.get(topic);
    return series === undefined || !store ? [] : store.read(series, since);
  };

  /** These topics shall hold something else than before. */
  const note = (changed: readonly string[]): void => {
    if (!store || changed.length === 0) return;
    const points = changed.flatMap((topic) => {
      const isFirst = !seriesOf.has(topic);
      const own = pointsOf(topic);
      if (!isFirst || !topic.endsWith(`/${WEEK_MODE}`)) return own;
      // A heating lists most features before their schedules.
      const place = topic.slice(0, -WEEK_MODE.length);
      const others = [...topics.wanted.keys()].filter((other) => other.startsWith(place) && isState(other));
      return [...own, ...others.flatMap(pointsOf)];
    });
    if (points.length > 0) store.append(points, clock.now() - days * DAY_MS);
  };

  /** What the topic says now; nothing where it is not kept. */
  const pointsOf = (topic: string): readonly (Point & { readonly series: string })[] => {
    const wanted = topics.wanted.get(topic);
    const known = seriesOf.get(topic);
    if (known === undefined && !(wanted && OWNER.test(wanted.owner) && isKept(topic, wanted.payload))) return [];
    const named = wanted ? `${wanted.owner} ${topic.slice(topic.lastIndexOf('/') + 1)}` : known;
    // The same text as before is kept once.
    const series = named === known ? known : named;
    if (series === undefined) return [];
    seriesOf.set(topic, series);
    return [{ series, at: clock.now(), value: wanted ? pointValue(topic, wanted.payload) : null }];
  };

  const isKept = (topic: string, payload: string): boolean =>
    NUMBER.test(payload) || MODE.test(topic) || (STATES.has(payload) && isState(topic));

  /** True for what a schedule switches: `status` or `active` beside it (`…/circulation/status`), or one part below (`…/dhw/charging/active`). */
  const isState = (topic: string): boolean => {
    const feature = topic.slice(0, topic.lastIndexOf('/'));
    const parent = feature.slice(0, feature.lastIndexOf('/'));
    const hasWeek = (place: string): boolean => topics.wanted.has(`${place}/${WEEK_MODE}`);
    return STATE.test(topic) && !feature.endsWith('/schedule') && (hasWeek(feature) || hasWeek(parent));
  };

  return {
    /** For so many days values are kept; 0 where none are. */
    days: store ? days : 0,
    ...{ of, note },
  };
};

export type ValueSeries = ReturnType<typeof valueSeries>;

const pointValue = (topic: string, payload: string): Point['value'] => {
  if (MODE.test(topic)) return payload;
  const state = STATE.test(topic) ? STATES.get(payload) : undefined;
  if (state !== undefined) return state;
  const number = NUMBER.test(payload) ? Number(payload) : Number.NaN;
  return Number.isFinite(number) ? number : null;
};
