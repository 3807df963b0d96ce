import type { Language } from '../language.ts';

const EN = {
  title: 'By prices',
  read: (count: number, minutes: number, until: string, unit: string) =>
    `${count} prices, ${minutes} min each, until ${until}, per ${unit}`,
  units: { MWh: 'MWh', kWh: 'kWh', cent: 'kWh in cents' } as Readonly<Record<string, string>>,
  guessed: 'The unit is guessed: name it in the settings (prices.unit), then money is shown.',
  noPrices: 'No prices have come so far.',
  mistakes: {
    json: 'What came last on the topic of prices is no JSON.',
    none: 'What came last on the topic of prices holds no prices.',
    several: 'The last message holds prices of several areas or homes; send one of them.',
    steps: 'The last prices have steps that no market has.',
    gap: 'The last prices have a gap of more than an hour.',
    overlap: 'The last prices overlap.',
  } as Readonly<Record<string, string>>,
  refused: {
    no_prices: 'The prices do not reach over the next day of a plan. Those of tomorrow come about 13:00.',
    week_empty: 'Your own week makes no hot water on that day.',
    several_modes: 'Your own week has several levels; a plan would lower one of them.',
    hygiene: 'The heating disinfects on that day: your own week stays.',
    no_room: 'No times in the windows leave at most 14 hours without hot water, and two hours between them.',
    too_many_entries: 'The day would have more entries than the heating takes.',
    too_little: 'Nothing worth mentioning is cheaper than your own week.',
  } as Readonly<Record<string, string>>,
  picture: 'Prices of a day, the windows, your own week and the plan',
  own: 'Your week',
  plan: 'Plan',
  runs: 'This plan runs now.',
  ordered: 'This plan is sent when it begins.',
  mean: (price: string) => `${price} a kWh on average`,
  atMost: (money: string, kwh: string) => `Saves at most ${money} on that day, with ${kwh} kWh for hot water`,
  assumed: ' (assumed)',
  send: 'Send this plan',
  off: 'End it',
  daily: 'Send a plan every day',
  care: 'A plan makes hot water less often. Rented houses and long pipes have rules about that: ask your installer.',
};

/** The texts of the price plan. */
type PriceWords = typeof EN;

const DE: PriceWords = {
  title: 'Nach Strompreis',
  read: (count, minutes, until, unit) => `${count} Preise für je ${minutes} min, bis ${until}, je ${unit}`,
  units: { MWh: 'MWh', kWh: 'kWh', cent: 'kWh in Cent' },
  guessed: 'Die Einheit ist geschätzt: Steht sie in den Einstellungen (prices.unit), erscheint auch Geld.',
  noPrices: 'Bisher kamen keine Preise.',
  mistakes: {
    json: 'Zuletzt kam auf dem Topic der Preise kein JSON.',
    none: 'In der letzten Nachricht auf dem Topic der Preise stehen keine.',
    several: 'In der letzten Nachricht stehen Preise mehrerer Gebiete oder Wohnungen; sende nur eines davon.',
    steps: 'Die letzten Preise haben Schritte, die es an keinem Markt gibt.',
    gap: 'Die letzten Preise haben eine Lücke von mehr als einer Stunde.',
    overlap: 'Die letzten Preise überschneiden sich.',
  },
  refused: {
    no_prices: 'Die Preise reichen nicht über den nächsten Tag eines Plans. Die von morgen kommen gegen 13 Uhr.',
    week_empty: 'Deine eigene Woche bereitet an diesem Tag kein Warmwasser.',
    several_modes: 'Deine eigene Woche hat mehrere Stufen; ein Plan würde eine davon absenken.',
    hygiene: 'Die Heizung desinfiziert an diesem Tag: Deine eigene Woche bleibt.',
    no_room: 'Keine Zeiten in den Fenstern lassen höchstens 14 Stunden ohne Warmwasser und zwei Stunden dazwischen.',
    too_many_entries: 'Der Tag hätte mehr Einträge, als die Heizung annimmt.',
    too_little: 'Nichts ist nennenswert billiger als deine eigene Woche.',
  },
  picture: 'Preise eines Tages, die Zeitfenster, deine eigene Woche und der Plan',
  own: 'Deine Woche',
  plan: 'Plan',
  runs: 'Dieser Plan läuft gerade.',
  ordered: 'Dieser Plan wird zu seinem Beginn gesendet.',
  mean: (price) => `im Mittel ${price} je kWh`,
  atMost: (money, kwh) => `Spart an diesem Tag höchstens ${money}, bei ${kwh} kWh für Warmwasser`,
  assumed: ' (angenommen)',
  send: 'Diesen Plan senden',
  off: 'Beenden',
  daily: 'Jeden Tag einen Plan senden',
  care: 'Ein Plan bereitet seltener Warmwasser. Für Mietshäuser und lange Leitungen gelten Regeln: Frag deinen Installateur.',
};

export const PRICE_WORDS: Readonly<Record<Language, PriceWords>> = { en: EN, de: DE };
