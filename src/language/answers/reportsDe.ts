/** What `bridge/auth` says of the login, by its state; `failing` keeps the platform's own words. */
export const AUTH_DE = {
  ok: 'Angemeldet.',
  refreshing: 'Die Anmeldung wird gerade erneuert.',
  failing: 'Die Anmeldung lässt sich gerade nicht erneuern, oder die Plattform lehnt sie ab. Es wird weiter versucht.',
  login_needed: 'Eine neue Anmeldung ist nötig: `heating2mqtt login` auf dem Rechner der Bridge, oder auf ihrer Seite.',
} as const;

/** What follows where a login over MQTT is possible. */
export const LOGIN_URL_DE =
  'Oder login_url öffnen, anmelden, und die Adresse, die der Browser danach zeigt, innerhalb von 20 Sekunden auf bridge/auth/set senden.';

type Pace =
  | { readonly kind: 'wanted' | 'waits' | 'refused' }
  | { readonly kind: 'ten'; readonly reads: number }
  | { readonly kind: 'day' | 'slowed'; readonly reads: number; readonly others: number };

/** What `bridge/quota` says of the pace of reads. */
export const paceDe = (pace: Pace): string => {
  switch (pace.kind) {
    case 'wanted':
      return 'so schnell, wie es die Einstellungen wünschen; die erlaubten Aufrufe reichen dafür';
    case 'ten':
      return `${pace.reads} Aufrufe je Runde, so schnell, wie es die erlaubten Aufrufe in zehn Minuten zulassen`;
    case 'day':
      return pace.others > 0 ? `${ofDay(pace)} und für ${pace.others} andere Aufrufe am Tag` : ofDay(pace);
    case 'slowed':
      return `${ofDay(pace)}; vorerst langsamer, weil von den letzten 24 Stunden schon viele Aufrufe verbraucht sind`;
    case 'waits':
      return 'zum Lesen ist kein Aufruf frei, bis frühere aus dem Zeitraum fallen; der Rest ist für Befehle';
    case 'refused':
      return 'die Plattform nimmt keine Aufrufe mehr an; bis reset_at wird nichts gesendet';
    default:
      return pace satisfies never;
  }
};

const ofDay = ({ reads }: { readonly reads: number }): string =>
  `${reads} Aufrufe je Runde, so schnell, wie es die erlaubten Aufrufe eines Tages zulassen, mit einem Rest für Befehle`;
