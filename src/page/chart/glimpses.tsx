import type { TopicHistory } from '../../api/answers.ts';
import { quantity } from '../shell/format.ts';
import { linkTo } from '../shell/route.ts';
import { historyOf } from '../state/api.ts';
import { useKept } from '../state/loaded.ts';
import { now } from '../state/time.ts';
import { barsPathOf, pathOf, SMALL, type Source, sumsIn } from './model.ts';
import { chartWords } from './words.ts';

const REFRESH_MS = 300_000;
const ACCENT = 'var(--accent)';

/** Small charts of the last day, each with a link to the full chart. */
export const Glimpses = ({ sources, titles }: { readonly sources: readonly Source[]; readonly titles: ReadonlyMap<Source, string> }) => (
  <ul class="plain-list glimpses" aria-label={chartWords.value.lastDay}>
    {sources.map((source) => (
      <li key={source.topic}>
        <Glimpse source={source} title={titles.get(source) ?? ''} />
      </li>
    ))}
  </ul>
);

/** Histories by topic, cached for five minutes and shared between visits. */
const loaded = new Map<string, { readonly span: number; readonly history: Promise<TopicHistory> }>();

const lastDayOf = (topic: string, span: number): Promise<TopicHistory> => {
  const known = loaded.get(topic);
  if (known?.span === span) return known.history;
  const history = historyOf(topic, 1);
  loaded.set(topic, { span, history });
  history.catch(() => loaded.delete(topic));
  return history;
};

const Glimpse = ({ source: { topic, kind, feature, property, unit }, title }: { readonly source: Source; readonly title: string }) => {
  const value = feature.properties.get(property)?.value;
  const sums = kind === 'bars' ? (sumsIn(value) ?? []) : [];
  // The full chart explains missing data; here only the value is shown.
  const span = Math.floor(now.value / REFRESH_MS);
  const history = useKept(async () => (kind === 'line' ? lastDayOf(topic, span) : undefined), [span]);
  const path = kind === 'bars' ? barsPathOf(sums) : history ? pathOf(history.points, history.now) : '';
  const shown = kind === 'bars' ? sums[0] : value;
  return (
    <a class="card glimpse" href={linkTo('chart', topic)}>
      <span dir="auto">{title}</span>
      <strong>{typeof shown === 'number' && quantity(shown, unit)}</strong>
      <svg viewBox={`0 0 ${SMALL.width} ${SMALL.height}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={path} stroke-width="2" vector-effect="non-scaling-stroke" {...(kind === 'bars' ? { fill: ACCENT } : { stroke: ACCENT })} />
      </svg>
    </a>
  );
};
