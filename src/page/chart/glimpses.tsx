import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TopicHistory } from '../../api/answers.ts';
import { quantity } from '../shell/format.ts';
import { linkTo } from '../shell/route.ts';
import { historyOf, isLetIn } from '../state/api.ts';
import { now } from '../state/time.ts';
import { barsPathOf, pathOf, SMALL, type Source, sumsIn } from './model.ts';
import { chartWords } from './words.ts';

const REFRESH_MS = 300_000;

/** The last day of each topic, and when it was asked for. */
const known = signal<ReadonlyMap<string, TopicHistory>>(new Map());
const askedAt = new Map<string, number>();

const ask = (topic: string, atMs: number): void => {
  if (atMs - (askedAt.get(topic) ?? Number.NEGATIVE_INFINITY) < REFRESH_MS) return;
  askedAt.set(topic, atMs);
  historyOf(topic, 1).then(
    (history) => {
      known.value = new Map(known.value).set(topic, history);
    },
    // The chart itself says why; here the value alone stands.
    () => askedAt.delete(topic),
  );
};

/** Small drawings of the last day, each of which leads to its chart. */
export const Glimpses = ({ sources, titles }: { readonly sources: readonly Source[]; readonly titles: ReadonlyMap<Source, string> }) => (
  <ul class="plain-list glimpses" aria-label={chartWords.value.lastDay}>
    {sources.map((source) => (
      <li key={source.topic}>
        <Glimpse source={source} title={titles.get(source) ?? ''} />
      </li>
    ))}
  </ul>
);

const Glimpse = ({ source: { topic, kind, feature, property, unit }, title }: { readonly source: Source; readonly title: string }) => {
  const value = feature.properties.get(property)?.value;
  const sums = kind === 'bars' ? (sumsIn(value) ?? []) : [];
  const minute = now.value;
  const mayLoad = isLetIn.value;
  useEffect(() => {
    if (kind === 'line' && mayLoad) ask(topic, minute);
  }, [topic, kind, minute, mayLoad]);
  const history = known.value.get(topic);
  const path = kind === 'bars' ? barsPathOf(sums) : history ? pathOf(history.points, history.now) : '';
  const shown = kind === 'bars' ? sums[0] : value;
  return (
    <a class="card glimpse" href={linkTo('chart', topic)}>
      <span dir="auto">{title}</span>
      <strong>{typeof shown === 'number' && quantity(shown, unit)}</strong>
      <svg class={kind} viewBox={`0 0 ${SMALL.width} ${SMALL.height}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={path} />
      </svg>
    </a>
  );
};
