import { mdiTimerSandEmpty } from '@mdi/js';
import { Button } from '../../editor/view/Button.tsx';
import type { Temporary } from '../model/controls.ts';
import { mode, moment } from '../shell/format.ts';
import { Icon } from '../shell/icon.tsx';
import { latePart } from '../shell/late.tsx';
import { words } from '../shell/words.ts';
import { topics } from '../state/store.ts';
import { send } from '../state/writes.ts';
import { Outcome } from './outcome.tsx';

const whatOf = (feature: string): string => {
  const { temporaries } = words.value;
  if (feature.endsWith('schedule')) return temporaries.week;
  if (feature.endsWith('.modes.active')) return temporaries.mode;
  if (/\.temperature\.|\.programs\.(?:normal|reduced)/u.test(feature)) return temporaries.temperature;
  const last = feature.slice(feature.lastIndexOf('.') + 1);
  const known = mode(last);
  return known === last ? temporaries.other : known;
};

const { Part: Contested } = latePart(async () => (await import('./contested.tsx')).Contested);

/** All temporary writes with their ends, and the parts changed elsewhere since. */
export const Temporaries = ({ temporaries, name }: { readonly temporaries: readonly Temporary[]; readonly name: string }) => (
  <>
    {temporaries.map(({ topic, feature, until }) => (
      <div key={topic} class="temporary">
        <Icon path={mdiTimerSandEmpty} />
        <span>{words.value.temporary(whatOf(feature), moment(until))}</span>
        <Button
          text={words.value.endNow}
          aria-label={`${words.value.endNow}: ${whatOf(feature)}, ${name}`}
          onClick={() => void send(`${topic}/until/set`, 'now')}
        />
        {topics.value.has(`${topic}/until/conflict`) && <Contested topic={topic} feature={feature} />}
        <Outcome topic={`${topic}/until/set`} name={name} />
      </div>
    ))}
  </>
);
