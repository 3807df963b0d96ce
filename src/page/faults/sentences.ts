import { FAULT_WORDS } from '../../language/faults/faultWords.ts';
import { STANDING } from '../../language/faults/standingWords.ts';
import { nameOf } from '../../language/names/name.ts';
import { localMoment } from '../shell/format.ts';
import { language } from '../state/preferences.ts';
import type { ActiveFault, StaleData } from './model.ts';

/** The frozen data, since when, and the remedy. */
export const staleSentence = ({ rule, since, features }: StaleData): string =>
  STANDING[language.value].stale[rule](
    localMoment(since),
    features.map((feature) => nameOf(feature, undefined, language.value)),
  );

/** The first fault, and the number of others. Their card says what to do. */
export const faultSentence = ([first, ...more]: readonly ActiveFault[]): string => {
  const w = FAULT_WORDS[language.value];
  if (!first) return '';
  const { kind, code, since } = first;
  return `${w.kinds[kind] ?? kind} ${code}, ${w.since(localMoment(since))}${more.length > 0 ? ` ${w.more(more.length)}` : ''}`;
};
