import type { Language } from '../language.ts';

const EN = {
  chartOf: (name: string) => `Chart: ${name}`,
  charts: 'Charts',
  allCharts: 'All charts',
  measured: 'Measured values',
  sums: 'Energy and consumption',
  lastDay: 'The last 24 hours',
  period: 'Period',
  days: (days: number) => (days === 1 ? '24 hours' : `${days} days`),
  kinds: { day: 'Days', week: 'Weeks', month: 'Months', year: 'Years' },
  weekOf: (day: string) => `Week of ${day}`,
  lowest: 'Lowest',
  highest: 'Highest',
  last: 'Now',
  target: 'Target',
  value: 'Value',
  when: 'When',
  asTable: 'As a table',
  background: 'The background shows what the schedule asked for.',
  none: 'There are no values of this yet. They are kept from now on.',
  off: 'No values are kept: the setting history.days is 0.',
  failed: 'The values cannot be read now.',
  unknown: 'This value is not there (any more).',
  empty: 'There is nothing to draw yet.',
};

/** The texts of the charts. */
type ChartWords = typeof EN;

const DE: ChartWords = {
  chartOf: (name) => `Verlauf: ${name}`,
  charts: 'Verläufe',
  allCharts: 'Alle Verläufe',
  measured: 'Messwerte',
  sums: 'Energie und Verbrauch',
  lastDay: 'Die letzten 24 Stunden',
  period: 'Zeitraum',
  days: (days) => (days === 1 ? '24 Stunden' : `${days} Tage`),
  kinds: { day: 'Tage', week: 'Wochen', month: 'Monate', year: 'Jahre' },
  weekOf: (day) => `Woche vom ${day}`,
  lowest: 'Niedrigster Wert',
  highest: 'Höchster Wert',
  last: 'Jetzt',
  target: 'Soll',
  value: 'Wert',
  when: 'Wann',
  asTable: 'Als Tabelle',
  background: 'Der Hintergrund zeigt, was der Zeitplan verlangt hat.',
  none: 'Dazu gibt es noch keine Werte. Ab jetzt werden sie aufgehoben.',
  off: 'Es werden keine Werte aufgehoben: Die Einstellung history.days ist 0.',
  failed: 'Die Werte können gerade nicht gelesen werden.',
  unknown: 'Diesen Wert gibt es nicht (mehr).',
  empty: 'Es gibt noch nichts zu zeichnen.',
};

export const CHART_WORDS: Readonly<Record<Language, ChartWords>> = { en: EN, de: DE };
