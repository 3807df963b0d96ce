import { Button } from '../../editor/view/Button.tsx';
import { CONFLICT_WORDS } from '../../language/answers/conflict.ts';
import { type ContestedPart, contestedIn } from '../model/contested.ts';
import { dayName, mode } from '../shell/format.ts';
import { language } from '../state/preferences.ts';
import { topics } from '../state/store.ts';
import { send } from '../state/writes.ts';

const partText = (part: ContestedPart): string => {
  if ('day' in part) return dayName(part.day);
  const { property, shown } = part;
  const value = mode(typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? ''));
  return property === 'value' ? value : `${mode(property)} ${value}`;
};

/** What was changed elsewhere of the temporary write on this feature, and the two ways to decide about it. */
export const Contested = ({ topic }: { readonly topic: string }) => {
  const parts = contestedIn(topics.value.get(`${topic}/until/conflict`) ?? '');
  const decide = (word: string) => () => void send(`${topic}/until/set`, word);
  const w = CONFLICT_WORDS[language.value];
  return (
    <div class="contested" role="status">
      <span>{w.contested(parts.map(partText).join(', '))}</span>
      <Button text={w.takeBack} title={w.takeBackHint} onClick={decide('restore')} />
      <Button text={w.keepTheirs} title={w.keepTheirsHint} onClick={decide('keep')} />
    </div>
  );
};
