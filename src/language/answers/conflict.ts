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
    'Stellt den Stand vor der vorübergehenden Änderung wieder her und überschreibt die andere Änderung.',
  ],
  keepTheirs: ["Keep the app's", 'Andere behalten'],
  keepTheirsHint: [
    'Leaves what was changed elsewhere as it is. The rest of the temporary change ends at its time.',
    'Behält die andere Änderung. Der Rest der vorübergehenden Änderung endet wie geplant.',
  ],
});
