import { type Clock, DAY_MS } from '../../shared/clock.ts';
import type { Point, SeriesStore } from '../ports.ts';

/** The owners of values: features, climates and water heaters. */
const OWNER = /^(?:feature|composite) /u;
const NUMBER = /^-?\d+(?:\.\d+)?$/u;
/** The mode that a schedule asks for. */
const MODE = /\/now$/u;

/** The topic with the mode of a week, below what the schedule switches. */
const WEEK_MODE = 'schedule/now';
/** Topics that tell whether something runs. */
const STATE = /\/(?:status|active)$/u;
const STATES: ReadonlyMap<string, number> = new Map(Object.entries({ on: 1, true: 1, off: 0, false: 0 }));

/** The retained topics with their intended payloads. */
type Topics = { readonly wanted: ReadonlyMap<string, { readonly payload: string; readonly owner: string }> };

/** Keeps numbers, modes of schedules, and what these switch (1, 0) over time. A series survives a rename. */
export const valueSeries = (days: number, store: SeriesStore | undefined, topics: Topics, clock: Pick<Clock, 'now'>) => {
  /** By topic, of this run. */
  const seriesOf = new Map<string, string>();

  /** The values of a topic from `since` (epoch milliseconds), oldest first, after the one in force then. */
  const of = (topic: string, since: number): readonly Point[] => {
    const series = seriesOf.get(topic);
    return series === undefined || !store ? [] : store.read(series, since);
  };

  /** Appends the new values of topics that have changed. */
  const note = (changed: readonly string[]): void => {
    if (!store || changed.length === 0) return;
    const points = changed.flatMap((topic) => {
      const isFirst = !seriesOf.has(topic);
      const own = pointsOf(topic);
      if (!isFirst || !topic.endsWith(`/${WEEK_MODE}`)) return own;
      // Most features of a heating are listed before their schedules.
      const place = topic.slice(0, -WEEK_MODE.length);
      const others = [...topics.wanted.keys()].filter((other) => other.startsWith(place) && isState(other));
      return [...own, ...others.flatMap(pointsOf)];
    });
    if (points.length > 0) store.append(points, clock.now() - days * DAY_MS);
  };

  /** The present value of the topic; none where it is not kept. */
  const pointsOf = (topic: string): readonly (Point & { readonly series: string })[] => {
    const wanted = topics.wanted.get(topic);
    const known = seriesOf.get(topic);
    if (known === undefined && !(wanted && OWNER.test(wanted.owner) && isKept(topic, wanted.payload))) return [];
    const named = wanted ? seriesName(wanted.owner, topic) : known;
    // An equal text is reused, so that memory holds it once.
    const series = named === known ? known : named;
    if (series === undefined) return [];
    seriesOf.set(topic, series);
    return [{ series, at: clock.now(), value: wanted ? pointValue(topic, wanted.payload) : null }];
  };

  const isKept = (topic: string, payload: string): boolean =>
    NUMBER.test(payload) || MODE.test(topic) || (STATES.has(payload) && isState(topic));

  /**
   * True for `…/circulation/status` or `…/dhw/charging/active`, which a schedule beside or above switches.
   */
  const isState = (topic: string): boolean => {
    const feature = topic.slice(0, topic.lastIndexOf('/'));
    const parent = feature.slice(0, feature.lastIndexOf('/'));
    const hasWeek = (place: string): boolean => topics.wanted.has(`${place}/${WEEK_MODE}`);
    return STATE.test(topic) && !feature.endsWith('/schedule') && (hasWeek(feature) || hasWeek(parent));
  };

  return {
    /** Days for which values are kept; 0 where none are. */
    days: store ? days : 0,
    ...{ of, note },
  };
};

export type ValueSeries = ReturnType<typeof valueSeries>;

/** The name under which the values of an owner's topic are kept. */
export const seriesName = (owner: string, topic: string): string => `${owner} ${topic.slice(topic.lastIndexOf('/') + 1)}`;

const pointValue = (topic: string, payload: string): Point['value'] => {
  if (MODE.test(topic)) return payload;
  const state = STATE.test(topic) ? STATES.get(payload) : undefined;
  if (state !== undefined) return state;
  const number = NUMBER.test(payload) ? Number(payload) : Number.NaN;
  return Number.isFinite(number) ? number : null;
};
