import { bridgeTopic } from '../../topics/topicNames.ts';
import { ScheduleChanges } from '../history/changeList.tsx';
import type { Place } from '../model/schedules.ts';
import { latePart } from '../shell/late.tsx';
import { base, topics } from '../state/store.ts';

const HOT_WATER = 'heating.dhw.schedule';
const prices = latePart(async () => (await import('../prices/pricePlan.tsx')).PricePlanCard);

/** The part below the week editor, loaded after it: hot water price plan and change history. */
export const Below = ({ place }: { readonly place: Place }) => (
  <>
    {place.schedule.feature === HOT_WATER && topics.value.has(bridgeTopic(base.value, 'price_plan')) && (
      <prices.Part device={place.device.name} />
    )}
    <ScheduleChanges place={place} />
  </>
);
