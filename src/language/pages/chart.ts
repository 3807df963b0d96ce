import { textsOf } from '../texts.ts';

/** The texts of the charts. */
export const CHART_WORDS = textsOf({
  chartOf: [(name: string) => `Chart: ${name}`, (name: string) => `Verlauf: ${name}`],
  charts: ['Charts', 'Verläufe'],
  measured: ['Measured values', 'Messwerte'],
  sums: ['Energy and consumption', 'Energie und Verbrauch'],
  lastDay: ['The last 24 hours', 'Die letzten 24 Stunden'],
  period: ['Period', 'Zeitraum'],
  days: [(days: number) => (days === 1 ? '24 hours' : `${days} days`), (days: number) => (days === 1 ? '24 Stunden' : `${days} Tage`)],
  kinds: { day: ['Days', 'Tage'], week: ['Weeks', 'Wochen'], month: ['Months', 'Monate'], year: ['Years', 'Jahre'] },
  weekOf: [(day: string) => `Week of ${day}`, (day: string) => `Woche vom ${day}`],
  lowest: ['Lowest', 'Tiefstwert'],
  highest: ['Highest', 'Höchstwert'],
  last: ['Now', 'Jetzt'],
  value: ['Value', 'Wert'],
  when: ['When', 'Wann'],
  asTable: ['As a table', 'Als Tabelle'],
  background: ['The background shows what the schedule asked for.', 'Der Hintergrund zeigt die Vorgabe des Zeitplans.'],
  none: ['There are no values of this yet. They are kept from now on.', 'Dazu gibt es noch keine Werte. Ab jetzt werden sie gespeichert.'],
  off: ['No values are kept: the setting history.days is 0.', 'Es werden keine Werte gespeichert: Die Einstellung history.days ist 0.'],
  failed: ['The values cannot be read now.', 'Die Werte lassen sich gerade nicht laden.'],
  unknown: ['This value is not there (any more).', 'Diesen Wert gibt es nicht (mehr).'],
  empty: ['There is nothing to draw yet.', 'Es gibt noch nichts anzuzeigen.'],
});
