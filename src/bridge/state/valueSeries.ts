import type { Clock } from '../../shared/clock.ts';
import type { Point, SeriesStore } from '../ports.ts';

/** What changed in a minute is written at once: one transaction, and not while a command is sent. */
const WRITE_MS = 60_000;
const DAY_MS = 86_400_000;
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

type Changes = Map<string, Point & { readonly series: string }>;

/** Keeps what the numeric topics, those with the mode of a schedule, and what it switches (as 1 and 0) said over time. A series outlives another name of its device. */
export class ValueSeries {
  readonly #days: number;
  readonly #store: SeriesStore | undefined;
  readonly #topics: Topics;
  readonly #clock: Clock;
  /** By topic, of this run. */
  readonly #series = new Map<string, string>();
  /** What is to be written, by series. */
  #changes: Changes = new Map();

  constructor(days: number, store: SeriesStore | undefined, topics: Topics, clock: Clock) {
    this.#days = days;
    this.#store = store;
    this.#topics = topics;
    this.#clock = clock;
  }

  /** For so many days values are kept; 0 where none are. */
  get days(): number {
    return this.#store ? this.#days : 0;
  }

  /** The values of a topic since then (epoch milliseconds), oldest first, and before them the one that held at that time. */
  of(topic: string, since: number): readonly Point[] {
    const series = this.#series.get(topic);
    if (series === undefined || !this.#store) return [];
    this.#write();
    return this.#store.read(series, since);
  }

  /** Writes every minute what changed, and at the end. */
  async run(signal: AbortSignal): Promise<void> {
    if (!this.#store) return;
    while (!signal.aborted) {
      await this.#clock.sleep(WRITE_MS, signal).catch(() => undefined);
      this.#write();
    }
  }

  /** These topics shall hold something else than before. */
  note(topics: readonly string[]): void {
    if (!this.#store) return;
    for (const topic of topics) {
      const isFirst = !this.#series.has(topic);
      this.#note(topic);
      if (!isFirst || !topic.endsWith(`/${WEEK_MODE}`)) continue;
      // A heating lists most features before their schedules.
      const place = topic.slice(0, -WEEK_MODE.length);
      for (const other of this.#topics.wanted.keys()) if (other.startsWith(place) && this.#isState(other)) this.#note(other);
    }
  }

  #note(topic: string): void {
    const wanted = this.#topics.wanted.get(topic);
    const known = this.#series.get(topic);
    if (known === undefined && !(wanted && OWNER.test(wanted.owner) && this.#isKept(topic, wanted.payload))) return;
    const series = wanted ? `${wanted.owner} ${topic.slice(topic.lastIndexOf('/') + 1)}` : known;
    if (series === undefined) return;
    this.#series.set(topic, series);
    this.#changes.set(series, { series, at: this.#clock.now(), value: wanted ? pointValue(topic, wanted.payload) : null });
  }

  #isKept(topic: string, payload: string): boolean {
    return NUMBER.test(payload) || MODE.test(topic) || (STATES.has(payload) && this.#isState(topic));
  }

  /** True for what a schedule switches: `status` or `active` beside it (`…/circulation/status`), or one part below (`…/dhw/charging/active`). */
  #isState(topic: string): boolean {
    const feature = topic.slice(0, topic.lastIndexOf('/'));
    const parent = feature.slice(0, feature.lastIndexOf('/'));
    const hasWeek = (place: string): boolean => this.#topics.wanted.has(`${place}/${WEEK_MODE}`);
    return STATE.test(topic) && !feature.endsWith('/schedule') && (hasWeek(feature) || hasWeek(parent));
  }

  #write(): void {
    if (this.#changes.size === 0) return;
    const changes = [...this.#changes.values()];
    this.#changes = new Map();
    this.#store?.append(changes, this.#clock.now() - this.#days * DAY_MS);
  }
}

const pointValue = (topic: string, payload: string): Point['value'] => {
  if (MODE.test(topic)) return payload;
  const state = STATE.test(topic) ? STATES.get(payload) : undefined;
  if (state !== undefined) return state;
  const number = NUMBER.test(payload) ? Number(payload) : Number.NaN;
  return Number.isFinite(number) ? number : null;
};
