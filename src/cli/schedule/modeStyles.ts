import type { Mode } from '../../schedule/transitions.ts';
import { paint } from '../terminal/terminalText.ts';

const PALETTE = ['bgYellow', 'bgRed', 'bgGreen', 'bgCyan', 'bgMagenta', 'bgBlue', 'bgWhite'] as const;
type Ground = (typeof PALETTE)[number];

// Common modes have the same colour in every chart.
const USUAL = new Map<string, Ground>([
  ['normal', 'bgYellow'],
  ['comfort', 'bgRed'],
  ['on', 'bgGreen'],
  ['reduced', 'bgCyan'],
]);

const POOL = 'abcdefghijklmnopqrstuvwxyz0123456789#';

export type ModeStyles = ReturnType<typeof modeStyles>;

/** How a chart shows modes: a letter, and a colour on a terminal. Default mode: a dot; no mode: a blank. */
export const modeStyles = (modes: readonly string[], defaultMode: string | undefined, colour: boolean) => {
  const letters = new Map<string, string>();
  for (const mode of modes) letters.set(mode, letterFor(mode, modes, [...letters.values()]));
  const grounds = new Map([...USUAL].filter(([mode]) => modes.includes(mode)));
  for (const [index, mode] of modes.entries()) {
    const free = PALETTE.find((one) => ![...grounds.values()].includes(one));
    if (!grounds.has(mode)) grounds.set(mode, free ?? PALETTE[index % PALETTE.length] ?? PALETTE[0]);
  }
  return {
    letter: (mode: Mode): string => (mode === undefined ? ' ' : (letters.get(mode) ?? (colour ? '·' : '.'))),
    paint: (mode: Mode, text: string): string => {
      const ground = mode === undefined ? undefined : grounds.get(mode);
      if (ground !== undefined) return paint([ground, 'black'], text, colour);
      return mode !== undefined && mode === defaultMode ? paint('dim', text, colour) : text;
    },
    now: colour ? '▼' : 'V',
  };
};

/** The initial of the mode or its distinctive part (`levelTwo`, `temp-2`, `5/25-cycles`), else any free. */
const letterFor = (mode: string, modes: readonly string[], taken: readonly string[]): string => {
  const [first = '', ...parts] = partsOf(mode);
  const isShared = modes.some((other) => other !== mode && partsOf(other)[0]?.at(0) === first.at(0));
  const own = [...(isShared ? [] : [first]), ...parts, ...parts.join(''), ...first, ...POOL];
  return own.map((part) => part.slice(0, 1)).find((letter) => letter !== '' && !taken.includes(letter)) ?? '#';
};

const partsOf = (mode: string): readonly string[] =>
  mode
    .replace(/(?<=[a-z])(?=[A-Z0-9])/gu, ' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((part) => part !== '');
