/**
 * Why polling goes as fast as it does: as the settings want it, or as fast as the allowance of ten minutes or of the day carries. `others`:
 * calls a day that are no polls; `slowed`: many calls of the day are used already. `waits`: none is left for polls; `refused`: a 429.
 */
export type Pace =
  | { readonly kind: 'wanted' | 'waits' | 'refused' }
  | { readonly kind: 'ten'; readonly reads: number }
  | { readonly kind: 'day' | 'slowed'; readonly reads: number; readonly others: number };

/** What `bridge/quota` says of the pace of reads. */
export const paceEn = (pace: Pace): string => {
  switch (pace.kind) {
    case 'wanted':
      return 'as fast as it is wished; the allowance carries it';
    case 'ten':
      return `${pace.reads} reads a round, as fast as the allowance of ten minutes carries`;
    case 'day':
      return pace.others > 0 ? `${dayEn(pace)} and the ${pace.others} calls a day that are no polls` : dayEn(pace);
    case 'slowed':
      return `${dayEn(pace)}; slower for now, since many calls of the last 24 hours are used`;
    case 'waits':
      return 'no call is left for polls until earlier ones are out of the window; the reserve is for commands';
    case 'refused':
      return 'the platform refused further calls; nothing is sent until reset_at';
    default:
      return pace satisfies never;
  }
};

const dayEn = ({ reads }: { readonly reads: number }): string =>
  `${reads} reads a round, as fast as the allowance carries for a day with the reserve for commands`;

/** The same in German. */
export const paceDe = (pace: Pace): string => {
  switch (pace.kind) {
    case 'wanted':
      return 'so schnell, wie es die Einstellungen wünschen; die erlaubten Aufrufe reichen dafür';
    case 'ten':
      return `${pace.reads} Aufrufe je Runde, so schnell, wie es die erlaubten Aufrufe in zehn Minuten zulassen`;
    case 'day':
      return pace.others > 0 ? `${dayDe(pace)} und für ${pace.others} andere Aufrufe am Tag` : dayDe(pace);
    case 'slowed':
      return `${dayDe(pace)}; vorerst langsamer, weil von den letzten 24 Stunden schon viele Aufrufe verbraucht sind`;
    case 'waits':
      return 'zum Lesen ist kein Aufruf frei, bis frühere aus dem Zeitraum fallen; der Rest ist für Befehle';
    case 'refused':
      return 'die Plattform nimmt keine Aufrufe mehr an; bis reset_at wird nichts gesendet';
    default:
      return pace satisfies never;
  }
};

const dayDe = ({ reads }: { readonly reads: number }): string =>
  `${reads} Aufrufe je Runde, so schnell, wie es die erlaubten Aufrufe eines Tages zulassen, mit einem Rest für Befehle`;
