import type { Language } from '../language.ts';

const EN = {
  contested: (what: string) => `Changed elsewhere meanwhile, for example in the app: ${what}. Without a choice that stays.`,
  takeBack: 'Take mine back',
  takeBackHint: 'Restores what was before the temporary change, over what was changed elsewhere.',
  keepTheirs: "Keep the app's",
  keepTheirsHint: 'Leaves what was changed elsewhere as it is. The rest of the temporary change ends at its time.',
};

const DE: typeof EN = {
  contested: (what) => `Inzwischen anderswo geändert, etwa in der App: ${what}. Ohne Entscheidung bleibt das so.`,
  takeBack: 'Meine zurücknehmen',
  takeBackHint: 'Stellt wieder her, was vor der vorübergehenden Änderung war, auch über das, was anderswo geändert wurde.',
  keepTheirs: 'Die der App behalten',
  keepTheirsHint: 'Lässt, was anderswo geändert wurde, wie es ist. Der Rest der vorübergehenden Änderung endet zu seiner Zeit.',
};

/** What the page says of a temporary change of which somebody else has changed something. */
export const CONFLICT_WORDS: Readonly<Record<Language, typeof EN>> = { en: EN, de: DE };
