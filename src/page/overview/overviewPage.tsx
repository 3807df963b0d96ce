import { computed } from '@preact/signals';
import type { Card } from '../model/cards.ts';
import { faultHealth } from '../model/health.ts';
import { Heading } from '../shell/heading.tsx';
import { latePart } from '../shell/late.tsx';
import { words } from '../shell/words.ts';
import { base, devices, link, topics } from '../state/store.ts';
import { TodayCards, todays } from '../today/todayCard.tsx';
import { CardView } from './cardView.tsx';
import { HealthLine } from './healthLine.tsx';
import { cardName, cards } from './names.ts';
import { Refusals } from './refusedHere.tsx';

const { Part: FaultCard } = latePart(async () => (await import('../faults/faultCard.tsx')).FaultCard);

/** Active faults and frozen data are shown first. */
const hasFault = computed(() => faultHealth(topics.value, base.value, devices.value) !== undefined);

/** The overall status, the values of today, and all controls. */
export const OverviewPage = () => {
  const w = words.value;
  const all = cards.value;
  const names = Map.groupBy(all, ({ card }) => cardName(card));
  const isShared = (card: Card): boolean => (names.get(cardName(card))?.length ?? 0) > 1;
  return (
    <>
      <Heading text={w.overview} unseen />
      <HealthLine />
      {all.length === 0 && todays.value.length === 0 && link.value !== 'connecting' && <p class="quiet">{w.empty}</p>}
      <div class="cards">
        <TodayCards />
        {hasFault.value && <FaultCard />}
        {all.map(({ card, device }) => (
          <CardView key={card.id} card={card} device={device} isNamed={isShared(card)} />
        ))}
        {all.length > 0 && !hasFault.value && <FaultCard />}
      </div>
      <Refusals />
    </>
  );
};
