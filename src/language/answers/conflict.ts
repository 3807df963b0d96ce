import { textsOf } from '../texts.ts';

/** The page's texts for a temporary change that was partly changed elsewhere. */
export const CONFLICT_WORDS = textsOf({
  contested: [
    (what: string) => `Changed elsewhere meanwhile, for example in the app: ${what}. Without a choice that stays.`,
    (what: string) => `Inzwischen anderswo geändert, etwa in der App: ${what}. Ohne Entscheidung bleibt das so.`,
  ],
  takeBack: ['Take mine back', 'Meine zurücknehmen'],
  takeBackHint: [
    'Restores what was before the temporary change, over what was changed elsewhere.',
    'Stellt wieder her, was vor der vorübergehenden Änderung war, auch über das, was anderswo geändert wurde.',
  ],
  keepTheirs: ["Keep the app's", 'Die der App behalten'],
  keepTheirsHint: [
    'Leaves what was changed elsewhere as it is. The rest of the temporary change ends at its time.',
    'Lässt, was anderswo geändert wurde, wie es ist. Der Rest der vorübergehenden Änderung endet zu seiner Zeit.',
  ],
});
