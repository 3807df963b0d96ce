import { computed } from '@preact/signals';
import { CHART_WORDS } from '../../language/pages/chart.ts';
import { language } from '../state/preferences.ts';

/** The texts of the charts in their language. */
export const chartWords = computed(() => CHART_WORDS[language.value]);
