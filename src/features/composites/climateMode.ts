/** The modes of a climate. */
export const MODES = ['off', 'auto', 'heat', 'cool'] as const;
export type ClimateMode = (typeof MODES)[number];

// Operating modes of the platform; with `dhw` the hot water stays on.
const WORDS: readonly (readonly [modes: RegExp, word: ClimateMode])[] = [
  [/^(?:standby|dhw)$/u, 'off'],
  [/^(?:heating|dhwAndHeating|.+Cooling)$/u, 'auto'],
  [/^(?:forcedNormal|forcedReduced)$/u, 'heat'],
  [/^cooling$/u, 'cool'],
];

/** The climate mode for an operating mode; undefined if there is none. */
export const wordOf = (mode: unknown): ClimateMode | undefined =>
  typeof mode === 'string' ? WORDS.find(([modes]) => modes.test(mode))?.[1] : undefined;

const WRITTEN: Readonly<Record<Exclude<ClimateMode, 'auto' | 'off'>, readonly string[]>> = {
  heat: ['forcedNormal'],
  cool: ['cooling'],
};

/** `off` must keep the hot water on: if the mode also controls it, `dhw` is written. */
const offMode = (choices: readonly string[]): string | undefined => {
  const off = choices.some((mode) => /dhw/iu.test(mode)) ? 'dhw' : 'standby';
  return choices.find((mode) => mode === off);
};

const JOBS = [/dhw/iu, /heating/iu, /cooling/iu];

/** The operating mode for a climate mode; undefined if `choices` has none. `last`: the last `auto` mode. */
export const modeFor = (word: ClimateMode, choices: readonly string[], last: string | undefined): string | undefined => {
  if (word === 'off') return offMode(choices);
  if (word !== 'auto') return WRITTEN[word].find((mode) => choices.includes(mode));
  if (last !== undefined && choices.includes(last)) return last;
  const jobs = (mode: string): number => JOBS.filter((job) => job.test(mode)).length;
  return choices.filter((mode) => wordOf(mode) === 'auto').sort((a, b) => jobs(b) - jobs(a))[0];
};
