import { computed } from '@preact/signals';
import { allCards } from '../model/cards.ts';
import { Heading } from '../shell/heading.tsx';
import { words } from '../shell/say.ts';
import { base, devices, link, topics } from '../state/store.ts';
import { CardView } from './cardView.tsx';
import { HealthLine } from './healthLine.tsx';

const cards = computed(() => allCards(topics.value, base.value, devices.value));

/** Whether all is well, and everything that can be set. */
export const OverviewPage = () => {
  const w = words.value;
  const all = cards.value;
  return (
    <>
      <Heading text={w.overview} unseen />
      <HealthLine />
      {all.length === 0 && link.value !== 'connecting' && <p class="quiet">{w.empty}</p>}
      <div class="cards">
        {all.map(({ card, device }) => (
          <CardView key={card.id} card={card} device={device} />
        ))}
      </div>
    </>
  );
};
