import { mdiHomeThermometerOutline } from '@mdi/js';
import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { cardName, deviceTitle } from '../overview/names.ts';
import { degrees, quantity } from '../shell/format.ts';
import { Icon } from '../shell/icon.tsx';
import { linkTo } from '../shell/route.ts';
import { words } from '../shell/words.ts';
import { base, devices, topics } from '../state/store.ts';
import { now } from '../state/time.ts';
import { type Figure, type Today, todaysOf } from './model.ts';
import { todayWords } from './words.ts';

export const todays = computed(() => todaysOf(topics.value, base.value, devices.value, now.value));

/** The first cards: the values of today, per heating. */
export const TodayCards = () => (
  <>
    {todays.value.map((today) => (
      <TodayCard key={today.device.name} today={today} isNamed={todays.value.length > 1} />
    ))}
  </>
);

/** With more rooms, a range is shown. */
const MOST_ROOMS = 4;

const TodayCard = ({ today, isNamed }: { readonly today: Today; readonly isNamed: boolean }) => {
  const w = todayWords.value;
  const { device, outside, inside, water, isWaterHeated, doing, used, faults } = today;
  const id = `today-${device.name}`.replace(/[^\w-]/gu, '-');
  const [coldest, ...warmer] = inside.toSorted((a, b) => a.value - b.value);
  const warmest = warmer.at(-1);
  return (
    <section class="card stack today" aria-labelledby={id}>
      <header>
        <Icon path={mdiHomeThermometerOutline} class="badge" />
        <h2 id={id} dir="auto">
          {isNamed ? `${w.title} · ${deviceTitle(device.name)}` : w.title}
        </h2>
        <a class="action" href={linkTo('chart')}>
          {words.value.allCharts}
        </a>
      </header>
      {!device.isOnline && <p class="quiet">{words.value.deviceOffline}</p>}
      <dl>
        {outside && <Degrees label={w.outside} figure={outside} />}
        {inside.length <= MOST_ROOMS
          ? inside.map((one) => <Degrees key={one.topic} label={inside.length === 1 ? w.inside : cardName(one.card)} figure={one} />)
          : coldest &&
            warmest && (
              <Fact label={w.rooms(inside.length)}>
                {degrees(coldest.value)} – {degrees(warmest.value)}
              </Fact>
            )}
        {water && (
          <Degrees label={words.value.water} figure={water} note={isWaterHeated === undefined ? '' : w.heated[`${isWaterHeated}`]} />
        )}
        {doing && <Fact label={w.now}>{w.doing[doing]}</Fact>}
        {used.map(({ kind, value, unit }) => (
          <Fact key={kind + unit} label={w.used[kind]}>
            {quantity(value, unit)}
          </Fact>
        ))}
        {typeof faults === 'string' ? (
          <Fact label={w.faults} note={w[faults]} />
        ) : (
          faults && (
            <Fact label={w.faults} isBad={faults.length > 0}>
              {faults.join(', ') || w.none}
            </Fact>
          )
        )}
      </dl>
    </section>
  );
};

type FactProps = { readonly label: string; readonly children?: ComponentChildren; readonly isBad?: boolean; readonly note?: string };

const Fact = ({ label, children, isBad, note }: FactProps) => (
  <div class={isBad ? 'bad' : ''}>
    <dt dir="auto">{label}</dt>
    <dd>
      {children}
      {note && <small>{note}</small>}
    </dd>
  </div>
);

type DegreesProps = { readonly label: string; readonly figure: Figure; readonly note?: string };

/** A temperature with a link to its chart. */
const Degrees = ({ label, figure: { value, topic }, note = '' }: DegreesProps) => (
  <Fact label={label} note={note}>
    <a href={linkTo('chart', topic)}>
      {degrees(value)}
      <span class="unseen">{`, ${words.value.chart}`}</span>
    </a>
  </Fact>
);
