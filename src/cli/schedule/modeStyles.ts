import { styleText } from 'node:util';
import type { Mode } from '../../schedule/transitions.ts';

type Style = Parameters<typeof styleText>[0];

/** How modes are shown in a chart: each by a letter of its own, and on a terminal in a colour too. */
export type Signs = {
  /** One column. */
  letter(mode: Mode): string;
  /** The text in the colour of the mode. */
  paint(mode: Mode, text: string): string;
  /** One column. */
  readonly now: string;
};

const PALETTE = ['bgYellow', 'bgRed', 'bgGreen', 'bgCyan', 'bgMagenta', 'bgBlue', 'bgWhite'] as const;
type Ground = (typeof PALETTE)[number];

// Modes that many devices have keep their colour from chart to chart.
const GROUNDS: Readonly<Record<string, Ground>> = { normal: 'bgYellow', comfort: 'bgRed', on: 'bgGreen', reduced: 'bgCyan' };

const POOL = 'abcdefghijklmnopqrstuvwxyz0123456789#';

/** The signs of these modes; the default mode has a dot, and no mode at all a blank. */
export const signsOf = (modes: readonly string[], defaultMode: string | undefined, colour: boolean): Signs => {
  const letters = new Map<string, string>();
  const grounds = new Map<string, Ground>();
  for (const mode of modes) letters.set(mode, letterFor(mode, modes, [...letters.values()]));
  for (const mode of modes) if (Object.hasOwn(GROUNDS, mode)) grounds.set(mode, GROUNDS[mode] ?? PALETTE[0]);
  for (const [index, mode] of modes.entries()) {
    const free = PALETTE.find((one) => ![...grounds.values()].includes(one));
    if (!grounds.has(mode)) grounds.set(mode, free ?? PALETTE[index % PALETTE.length] ?? PALETTE[0]);
  }
  const styleOf = (mode: Mode): Style | undefined => {
    const ground = mode === undefined ? undefined : grounds.get(mode);
    if (ground !== undefined) return [ground, 'black'];
    return mode !== undefined && mode === defaultMode ? 'dim' : undefined;
  };
  return {
    letter: (mode) => {
      if (mode === undefined) return ' ';
      return letters.get(mode) ?? (colour ? '·' : '.');
    },
    paint: (mode, text) => {
      const style = colour ? styleOf(mode) : undefined;
      return style === undefined ? text : styleText(style, text, { validateStream: false });
    },
    now: colour ? '▼' : 'V',
  };
};

/** The initial of the mode, or of a part of it that tells it from others (`levelTwo`, `temp-2`, `5/25-cycles`), else any that is free. */
const letterFor = (mode: string, modes: readonly string[], taken: readonly string[]): string => {
  const isShared = modes.some((other) => other !== mode && initialOf(other) === initialOf(mode));
  const [first = '', ...parts] = partsOf(mode);
  const own = [...(isShared ? [] : [first]), ...parts, ...parts.join(''), ...first, ...POOL];
  return own.map((part) => part.slice(0, 1)).find((letter) => letter !== '' && !taken.includes(letter)) ?? '#';
};

const partsOf = (mode: string): readonly string[] =>
  mode
    .replace(/(?<=[a-z])(?=[A-Z0-9])/gu, ' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((part) => part !== '');

const initialOf = (mode: string): string | undefined => partsOf(mode)[0]?.slice(0, 1);
