import { dictionary, textsOf } from '../texts.ts';

/** The texts of the price plan. */
export const PRICE_WORDS = textsOf({
  title: ['By prices', 'Nach Strompreis'],
  read: [
    (count: number, minutes: number, until: string, unit: string) => `${count} prices, ${minutes} min each, until ${until}, per ${unit}`,
    (count: number, minutes: number, until: string, unit: string) => `${count} Preise für je ${minutes} min, bis ${until}, je ${unit}`,
  ],
  units: dictionary({ MWh: ['MWh', 'MWh'], kWh: ['kWh', 'kWh'], cent: ['kWh in cents', 'kWh in Cent'] }),
  guessed: [
    'The unit is guessed: name it in the settings (prices.unit), then money is shown.',
    'Die Einheit ist geschätzt. Trage sie in den Einstellungen ein (prices.unit), dann erscheinen auch Beträge.',
  ],
  noPrices: ['No prices have arrived yet.', 'Es gibt noch keine Preise.'],
  unread: [
    (since: string, why: string) => `The address of the prices cannot be read since ${since}: ${why}. It is tried again.`,
    (since: string, why: string) => `Die Adresse der Preise lässt sich seit ${since} nicht abrufen („${why}“). Es wird weiter versucht.`,
  ],
  mistakes: dictionary({
    json: ['The last message or answer is not JSON.', 'Die letzte Nachricht oder Antwort ist kein JSON.'],
    none: ['The last message or answer contains no prices.', 'Die letzte Nachricht oder Antwort enthält keine Preise.'],
    several: [
      'The last message contains prices of several areas or homes; send one of them.',
      'Die letzte Nachricht enthält Preise mehrerer Gebiete oder Wohnungen; sende nur die für eine davon.',
    ],
    steps: ['The last prices have steps that no market has.', 'Die letzten Preise haben Zeitschritte, die es an keinem Markt gibt.'],
    gap: ['The last prices have a gap of more than an hour.', 'Die letzten Preise haben eine Lücke von mehr als einer Stunde.'],
    overlap: ['The last prices overlap.', 'Die letzten Preise überschneiden sich.'],
  }),
  refused: dictionary({
    no_prices: [
      'The prices do not cover the next day of a plan. The prices of tomorrow arrive at about 13:00.',
      'Die Preise decken den nächsten Tag eines Plans nicht ab. Die für morgen kommen gegen 13 Uhr.',
    ],
    week_empty: ['Your own week makes no hot water on that day.', 'Deine eigene Woche bereitet an diesem Tag kein Warmwasser.'],
    several_modes: [
      'Your own week has several levels; a plan would lower one of them.',
      'Deine eigene Woche hat mehrere Stufen; ein Plan würde eine davon absenken.',
    ],
    hygiene: [
      'The heating disinfects on that day: your own week stays.',
      'An diesem Tag läuft die Hygienefunktion: Deine eigene Woche bleibt.',
    ],
    no_room: [
      'The windows allow no times with at most 14 hours without hot water, and two hours between them.',
      'Die Zeitfenster lassen keinen Plan zu, bei dem höchstens 14 Stunden ohne Warmwasser und mindestens zwei Stunden zwischen den Ladungen liegen.',
    ],
    too_many_entries: ['The day would have more entries than the heating takes.', 'Der Tag hätte mehr Einträge, als die Heizung annimmt.'],
    too_little: ['A plan would hardly be cheaper than your own week.', 'Ein Plan wäre kaum billiger als deine eigene Woche.'],
  }),
  picture: [
    'Prices of a day, the windows, your own week and the plan',
    'Preise eines Tages, die Zeitfenster, deine eigene Woche und der Plan',
  ],
  own: ['Your week', 'Deine Woche'],
  plan: ['Plan', 'Plan'],
  runs: ['This plan runs now.', 'Dieser Plan läuft gerade.'],
  ordered: ['This plan is sent when it begins.', 'Dieser Plan wird gesendet, sobald er beginnt.'],
  mean: [(price: string) => `${price} a kWh on average`, (price: string) => `im Mittel ${price} je kWh`],
  atMost: [
    (money: string, kwh: string) => `Saves at most ${money} on that day, with ${kwh} kWh for hot water`,
    (money: string, kwh: string) => `Spart an diesem Tag höchstens ${money}, bei ${kwh} kWh für Warmwasser`,
  ],
  assumed: [' (assumed)', ' (angenommen)'],
  send: ['Send this plan', 'Diesen Plan senden'],
  off: ['End it', 'Beenden'],
  daily: ['Send a plan every day', 'Jeden Tag einen Plan senden'],
  care: [
    'A plan makes hot water less often. Rented houses and long pipes have rules about that: ask your installer.',
    'Mit einem Plan wird seltener Warmwasser bereitet. Für Mietshäuser und lange Leitungen gelten Regeln: Frag deinen Fachbetrieb.',
  ],
});
