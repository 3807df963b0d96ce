import type { Language } from '../language.ts';
import { dictionary, textsOf } from '../texts.ts';

/** The texts of the page *Performance*, of `report`, and of the past in Home Assistant. */
export const PERFORMANCE_WORDS = textsOf({
  failed: ['This cannot be read now.', 'Das lässt sich gerade nicht laden.'],
  none: [
    'No data yet: the first day has not ended, or the heating does not report its consumption.',
    'Noch keine Daten: Der erste Tag ist nicht zu Ende, oder die Heizung meldet ihren Verbrauch nicht.',
  ],
  periods: {
    thisMonth: ['This month', 'Dieser Monat'],
    lastMonth: ['Last month', 'Letzter Monat'],
    thisYear: ['This year', 'Dieses Jahr'],
  },
  soFar: ['so far', 'bis jetzt'],
  noneOfIt: ['No data for this period.', 'Keine Daten für diesen Zeitraum.'],
  firstDay: ['Its first day has not ended yet.', 'Der erste Tag ist noch nicht zu Ende.'],
  known: [(days: number, of: number) => `${days} of ${of} days are known`, (days: number, of: number) => `${days} von ${of} Tagen bekannt`],
  figures: {
    heat: ['Heat', 'Wärme'],
    power: ['Electricity', 'Strom'],
    rod: ['Heating rod', 'Heizstab'],
    gas: ['Gas', 'Gas'],
    gas_kwh: ['Gas in kWh', 'Gas in kWh'],
    factor: ['Heat per electricity', 'Arbeitszahl'],
    starts: ['Starts', 'Starts'],
    hours: ['Running time', 'Laufzeit'],
    mean_run: ['Time per start', 'Laufzeit je Start'],
    outside: ['Mean outside', 'Außen im Mittel'],
    degree_days: ['Degree days (base 15 °C)', 'Gradtage (Basis 15 °C)'],
    per_degree_day: ['Used per degree day', 'Verbrauch je Gradtag'],
    cost: ['Cost', 'Kosten'],
    co2: ['CO₂', 'CO₂'],
  },
  uses: { heating: ['heating', 'Heizen'], dhw: ['hot water', 'Warmwasser'], cooling: ['cooling', 'Kühlen'] },
  notes: {
    factor: [
      (hasRod: boolean) => `Both as reported by the heating${hasRod ? ', including the heating rod' : ''}.`,
      (hasRod: boolean) => `Wärme durch Strom, beides laut Heizung${hasRod ? ', mit Heizstab' : ''}.`,
    ],
    degree_days: [
      'How cold it was: the degrees below 15 °C of each day, added up.',
      'Wie kalt es war: die Grade unter 15 °C jedes Tages, zusammengezählt.',
    ],
    cost: ['Fixed fees are not included.', 'Ohne feste Gebühren.'],
    short_runs: [
      (days: number) => `On ${days === 1 ? 'one day' : `${days} days`} with many short runs.`,
      (days: number) => `An ${days === 1 ? 'einem Tag' : `${days} Tagen`} viele kurze Laufzeiten.`,
    ],
  },
  cannotTell: [(why: string) => `not available: ${why}`, (why: string) => `keine Angabe: ${why}`],
  why: {
    not_told: ['the heating does not report it', 'die Heizung meldet es nicht'],
    too_little: ['too little data', 'zu wenige Daten'],
    incomplete: ['too many hours or days are not known', 'zu viele Stunden oder Tage fehlen'],
    frozen: ['the amounts did not change', 'die Mengen haben sich nicht geändert'],
    no_rod: ['the electricity of the heating rod is not reported', 'der Strom des Heizstabs wird nicht gemeldet'],
    burner: ['gas was burnt, and the heating does not measure heat', 'Gas wurde verbrannt, und die Heizung misst keine Wärme'],
    implausible: ['the amounts do not fit together', 'die Mengen passen nicht zusammen'],
    mixed_units: ['the amounts have several units', 'die Mengen haben verschiedene Einheiten'],
    no_price: ['no price is set', 'es ist kein Preis eingestellt'],
    partly_priced: ['some days have no price', 'für einige Tage fehlt der Preis'],
  },
  winter: [
    (period: string, change: string) => `Use per degree day from ${period}, compared with the same days of the previous winter: ${change}.`,
    (period: string, change: string) => `Verbrauch je Gradtag vom ${period}, verglichen mit denselben Tagen im Winter davor: ${change}.`,
  ],
  byDay: ['Heat and electricity by day', 'Wärme und Strom nach Tagen'],
  withRod: ['Electricity with the heating rod', 'Strom mit Heizstab'],
  gasByDay: ['Gas by day', 'Gas nach Tagen'],
  byOutside: ['Heat per electricity by outside temperature', 'Arbeitszahl nach Außentemperatur'],
  usedByOutside: ['Used in a day by outside temperature', 'Verbrauch am Tag nach Außentemperatur'],
  binNote: ['By the mean of whole days; at least 5 days each.', 'Tagesmittel; mindestens 5 Tage je Balken.'],
  bin: [(from: string, to: string) => `${from} to ${to} °C`, (from: string, to: string) => `${from} bis ${to} °C`],
  days: ['days', 'Tage'],
  startsByDay: ['Starts by day', 'Starts nach Tagen'],
  history: ['Months and years', 'Monate und Jahre'],
  months: ['Months', 'Monate'],
  years: ['Years', 'Jahre'],
  own: ['Counted by the bridge', 'Von der Bridge gezählt'],
  past: ['Before the installation, as the heating lists it', 'Vor der Installation, laut Heizung'],
  pastName: [
    (label: string) => `${label}, before the installation (days, months, years)`,
    (label: string) => `${label}, vor der Installation (Tage, Monate, Jahre)`,
  ],
  pastTitle: ['Before the installation', 'Vor der Installation'],
  pastHelp: [
    'The values that the heating listed at its first read, up to the day when the bridge began to count.',
    'Was die Heizung bei der ersten Abfrage aufgelistet hat, bis zum Tag, an dem die Bridge zu zählen begann.',
  ],
  noPast: ['The heating listed no reliable values from before.', 'Die Heizung hat keine verlässlichen früheren Werte aufgelistet.'],
  csv: ['Download as CSV', 'Als CSV herunterladen'],
  daysCsv: ['Download the days as CSV', 'Tage als CSV herunterladen'],
  tsv: ['Download for the integration import_statistics', 'Für die Integration import_statistics herunterladen'],
  json: ['Download for Home Assistant (JSON)', 'Für Home Assistant herunterladen (JSON)'],
  import: ['Import into Home Assistant', 'In Home Assistant importieren'],
  clear: ['Remove from Home Assistant', 'Aus Home Assistant entfernen'],
  off: [
    'The app can import this into Home Assistant where homeassistant.import is switched on, on the tab Configuration of the app.',
    'Die App kann das in Home Assistant importieren, wenn homeassistant.import eingeschaltet ist (Reiter „Konfiguration“ der App).',
  ],
  working: ['Waiting for Home Assistant …', 'Warten auf Home Assistant …'],
  imported: [
    'Home Assistant has it. Add it to the energy dashboard there.',
    'Importiert. Füge es in Home Assistant zum Energie-Dashboard hinzu.',
  ],
  cleared: ['Home Assistant does not have it any more.', 'Aus Home Assistant entfernt.'],
  outcomes: dictionary({
    off: ['The import is switched off.', 'Der Import ist ausgeschaltet.'],
    unreachable: [
      'Home Assistant does not answer. Try again when it has started.',
      'Home Assistant antwortet nicht. Versuche es noch einmal, wenn es gestartet ist.',
    ],
    not_allowed: [
      'Home Assistant refuses the app. Install its newest version, and start it again.',
      'Home Assistant lehnt die App ab. Installiere ihre neueste Version und starte sie neu.',
    ],
    refused: [
      'Home Assistant does not accept it, for example without its recorder. The log says more.',
      'Home Assistant nimmt es nicht an, etwa weil der Recorder fehlt. Mehr steht im Protokoll.',
    ],
    not_kept: [
      'Home Assistant accepted it but does not show it. Its log says why.',
      'Home Assistant hat es angenommen, zeigt es aber nicht. Den Grund nennt sein Protokoll.',
    ],
  }),
  print: ['Print as one page', 'Als eine Seite drucken'],
  sheet: ['How the heating ran', 'Wie die Heizung lief'],
  figure: ['Figure', 'Wert'],
  month: ['Month', 'Monat'],
});

/** The texts in one language. */
export type PerformanceWords = (typeof PERFORMANCE_WORDS)[Language];
