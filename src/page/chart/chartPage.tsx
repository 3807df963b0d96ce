import { computed } from '@preact/signals';
import { namePieces } from '../../language/names/name.ts';
import type { Card } from '../model/cards.ts';
import type { Device } from '../model/device.ts';
import { cardName, cards, deviceTitle } from '../overview/names.ts';
import { NoData } from '../overview/refusals.tsx';
import { capital, short } from '../shell/format.ts';
import { Back, Heading } from '../shell/heading.tsx';
import { levels, linkTo } from '../shell/route.ts';
import { words } from '../shell/words.ts';
import { language } from '../state/preferences.ts';
import { base, devices, link } from '../state/store.ts';
import { BarChart } from './barChart.tsx';
import { Glimpses } from './glimpses.tsx';
import { LineChart } from './lineChart.tsx';
import { cardFor, glimpsesOf, type Source, sourcesOf } from './model.ts';
import { chartWords } from './words.ts';

const sources = computed(() => devices.value.flatMap((device) => sourcesOf(base.value, device)));

/** The chart of a topic, or the list of all charts. */
export const ChartPage = () => {
  const [, topic = ''] = levels.value;
  if (topic === '') return <List />;
  const own = cards.value.find(({ card }) => card.currentAt === topic);
  if (own) return <CardChart card={own.card} device={own.device} topic={topic} />;
  const source = sources.value.find((one) => one.topic === topic);
  if (source) return <SourceChart key={topic} source={source} />;
  return (
    <>
      <ToAll />
      <Heading text={chartWords.value.charts} />
      <p role="status">{link.value === 'connecting' ? words.value.loading : chartWords.value.unknown}</p>
    </>
  );
};

const ToAll = () => <Back to="chart" text={words.value.allCharts} />;

const nowTopic = (card: Card | undefined): string | undefined => (card?.schedule ? `${card.schedule.topic}/now` : undefined);

/** The temperature of a circuit, a room or the hot water, with its target and schedule. */
const CardChart = ({ card, device, topic }: { readonly card: Card; readonly device: Device; readonly topic: string }) => {
  const w = chartWords.value;
  const lines = [
    { topic, name: words.value.now },
    ...(card.target?.value === undefined ? [] : [{ topic: card.target.topic, name: words.value.target }]),
  ];
  return (
    <>
      <ToAll />
      <Heading text={w.chartOf(cardName(card))} />
      <section class="card chart stack" aria-label={cardName(card)}>
        <LineChart key={topic} lines={lines} unit="celsius" zone={device.zone} asked={nowTopic(card)} />
      </section>
    </>
  );
};

/** The card that shows a feature. */
const cardOf = (device: string, feature: string): Card | undefined =>
  cardFor(
    cards.value.map(({ card }) => card),
    device,
    feature,
  );

const SourceChart = ({ source }: { readonly source: Source }) => {
  const { topic, device, feature, unit, kind } = source;
  const name = sourceName(source);
  const card = cardOf(device.name, feature.name);
  return (
    <>
      <ToAll />
      <Heading text={chartWords.value.chartOf(name)} />
      <section class="card chart stack" aria-label={name}>
        {kind === 'bars' ? (
          <BarChart source={source} />
        ) : (
          <LineChart lines={[{ topic, name }]} unit={unit} zone={device.zone} asked={nowTopic(card)} />
        )}
      </section>
    </>
  );
};

/** The name of a value: its card's name, and the entity name used by hubs. */
const sourceName = ({ device, feature: { name: feature }, property, kind }: Source): string => {
  const card = cardOf(device.name, feature);
  const { part, rest } = namePieces(feature, kind === 'bars' ? undefined : property, language.value);
  if (card && part !== '') return `${cardName(card)} · ${capital(rest)}`;
  return short(capital(`${part} ${rest}`.trim()) || feature);
};

/** All sources by name, with their device if names are equal. */
const titles = computed(() => {
  const all = Map.groupBy(sources.value, sourceName);
  return new Map(
    [...all].flatMap(([name, same]) =>
      same.map((source) => [source, same.length > 1 ? `${name} · ${deviceTitle(source.device.name)}` : name] as const),
    ),
  );
});

const List = () => {
  const w = chartWords.value;
  const lines = sources.value.filter(({ kind }) => kind === 'line');
  const bars = sources.value.filter(({ kind }) => kind === 'bars');
  return (
    <>
      <Heading text={w.charts} />
      {sources.value.length === 0 && link.value !== 'connecting' && <NoData text={w.empty} />}
      <Glimpses sources={glimpsesOf(sources.value)} titles={titles.value} />
      <Links title={w.sums} sources={bars} />
      <Links title={w.measured} sources={lines} />
    </>
  );
};

const Links = ({ title, sources: all }: { readonly title: string; readonly sources: readonly Source[] }) =>
  all.length === 0 ? null : (
    <section class="card stack" aria-label={title}>
      <h2>{title}</h2>
      <ul class="plain-list chart-list">
        {all.map((source) => (
          <li key={source.topic}>
            <a href={linkTo('chart', source.topic)} dir="auto">
              {titles.value.get(source)}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
