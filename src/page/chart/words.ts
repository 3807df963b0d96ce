import { CHART_WORDS } from '../../language/pages/chart.ts';
import { inLanguage } from '../state/preferences.ts';

/** The texts of the charts in their language. */
export const chartWords = inLanguage(CHART_WORDS);
