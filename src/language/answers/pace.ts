import { plural } from '../language.ts';

/**
 * The reason for the poll rate: the settings (`wanted`), or the quota of ten minutes or a day. `others`:
 * calls per day that are no polls; `slowed`: many calls of the day are used. `waits`: none is left for polls;
 * `refused`: a 429.
 */
export type Pace =
  | { readonly kind: 'wanted' | 'waits' | 'refused' }
  | { readonly kind: 'ten'; readonly reads: number }
  | { readonly kind: 'day' | 'slowed'; readonly reads: number; readonly others: number };

type Sentences = { readonly [K in Pace['kind']]: (pace: { readonly reads: number; readonly others: number }) => string };

const readsEn = (reads: number): string => `${plural(reads, 'read', 'reads')} a round`;
const dayEn = (reads: number): string => `${readsEn(reads)}, as fast as the allowance carries for a day with the reserve for commands`;

const EN: Sentences = {
  wanted: () => 'as often as poll.seconds says; the allowance is enough for it',
  ten: ({ reads }) => `${readsEn(reads)}, as fast as the allowance of ten minutes carries`,
  day: ({ reads, others }) => dayEn(reads) + (others > 0 ? ` and the ${others} calls a day that are no polls` : ''),
  slowed: ({ reads }) => `${dayEn(reads)}; slower for now, since many calls of the last 24 hours are used`,
  waits: () => 'no call is left for polls until earlier ones are out of the window; the reserve is for commands',
  refused: () => 'the platform refused further calls; nothing is sent until reset_at',
};

const readsDe = (reads: number): string => `${plural(reads, 'Aufruf', 'Aufrufe')} je Runde`;
const dayDe = (reads: number): string => `${readsDe(reads)}, so schnell, wie es das Tageskontingent mit der Reserve für Befehle zulässt`;

const DE: Sentences = {
  wanted: () => 'so oft, wie poll.seconds es vorgibt; das Kontingent reicht dafür',
  ten: ({ reads }) => `${readsDe(reads)}, so schnell, wie es das Kontingent für zehn Minuten zulässt`,
  day: ({ reads, others }) => dayDe(reads) + (others > 0 ? `, bei ${others} anderen Aufrufen am Tag` : ''),
  slowed: ({ reads }) => `${dayDe(reads)}; vorerst langsamer, weil in den letzten 24 Stunden schon viele Aufrufe verbraucht wurden`,
  waits: () => 'für Abfragen ist kein Aufruf frei, bis frühere nicht mehr zählen; der Rest ist für Befehle reserviert',
  refused: () => 'die Plattform nimmt keine Aufrufe mehr an; bis reset_at wird nichts gesendet',
};

const said = (sentences: Sentences, pace: Pace): string => sentences[pace.kind]({ reads: 0, others: 0, ...pace });

/** The text in `bridge/quota` for the poll rate. */
export const paceEn = (pace: Pace): string => said(EN, pace);

/** The same in German. */
export const paceDe = (pace: Pace): string => said(DE, pace);
