import { NO_MODE } from '../../../language/versions/fitWords.ts';
import type { Issue } from '../../../shared/issue.ts';
import type { EditorStore } from '../../state/store.ts';

/** The reason why a week does not fit a schedule. */
export const whyNot = (store: EditorStore, issue: Issue): string => {
  const { fitsNot, rule } = store.words.value;
  const name = (mode: unknown): string => store.modeName(String(mode));
  const isOfMode = issue.rule === 'mode' && typeof issue.got === 'string';
  const modes = [issue.allowed ?? []].flat().map(name).join(', ');
  return `${fitsNot}: ${isOfMode ? NO_MODE[store.language.value](name(issue.got), modes) : rule(issue)}`;
};
