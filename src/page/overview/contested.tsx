import { Button } from '../../editor/view/Button.tsx';
import { CONFLICT_WORDS } from '../../language/answers/conflict.ts';
import { namePieces } from '../../language/names/name.ts';
import { type ContestedPart, contestedIn } from '../model/contested.ts';
import type { Temporary } from '../model/controls.ts';
import { dayName, valueText } from '../shell/format.ts';
import { language } from '../state/preferences.ts';
import { topics } from '../state/store.ts';
import { send } from '../state/writes.ts';

const partText = (part: ContestedPart, feature: string): string => {
  if ('day' in part) return dayName(part.day);
  const { property, shown } = part;
  return property === 'value' ? valueText(shown) : `${namePieces(feature, property, language.value).rest} ${valueText(shown)}`;
};

/** The parts of a temporary write that were changed elsewhere, and the two ways to resolve the conflict. */
export const Contested = ({ topic, feature }: Pick<Temporary, 'topic' | 'feature'>) => {
  const parts = contestedIn(topics.value.get(`${topic}/until/conflict`) ?? '');
  const decide = (word: string) => () => void send(`${topic}/until/set`, word);
  const w = CONFLICT_WORDS[language.value];
  return (
    <div class="contested" role="status">
      <span>{w.contested(parts.map((part) => partText(part, feature)).join(', '))}</span>
      <Button text={w.takeBack} title={w.takeBackHint} onClick={decide('restore')} />
      <Button text={w.keepTheirs} title={w.keepTheirsHint} onClick={decide('keep')} />
    </div>
  );
};
