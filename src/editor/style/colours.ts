/** Colours by theme. Each can be set from outside by a property of the same name with `heating-editor` for `c`. */
const NAMES = {
  surface: ['#ffffff', '#1b1d21'],
  raised: ['#f6f7f9', '#24272c'],
  ground: ['#eef1f5', '#2a2e35'],
  line: ['#dbe0e7', '#3a4049'],
  strong: ['#b4bdc9', '#535b67'],
  control: ['#7d8794', '#8a94a2'],
  text: ['#1a1f27', '#eceff3'],
  muted: ['#55606e', '#aab3bf'],
  accent: ['#0b5cab', '#7cb8f5'],
  'on-accent': ['#ffffff', '#0c1c2c'],
  now: ['#c2185b', '#ff8ab5'],
  bad: ['#b3261e', '#ffb4ab'],
  'bad-ground': ['#fdecea', '#4a1f1c'],
  good: ['#1b6e3c', '#7fd6a0'],
  'good-ground': ['#e2f2e8', '#1d3a2a'],
  'warn-ground': ['#fff4d6', '#43360f'],
  shade: ['rgb(20 30 45 / 14%)', 'rgb(0 0 0 / 50%)'],
} as const;

/** Ground, edge and text of each look of a mode (view/modeLook.ts). */
const LOOK_COLOURS = {
  amber: { fill: ['#ffe2ae', '#5f4312'], edge: ['#a85d00', '#e5ab4f'], ink: ['#4a2a00', '#ffecca'] },
  red: { fill: ['#ffcfc4', '#6e2c1d'], edge: ['#bf3b1d', '#f58f75'], ink: ['#5a1606', '#ffe3db'] },
  blue: { fill: ['#cfe4fb', '#1f4168'], edge: ['#2a6cb2', '#76b4f2'], ink: ['#0d3156', '#dfedfc'] },
  green: { fill: ['#cdecd4', '#1f4c32'], edge: ['#2b7d4d', '#68c58d'], ink: ['#113d23', '#dbf4e4'] },
  violet: { fill: ['#e4d9fb', '#43357b'], edge: ['#6a48bd', '#ab95f2'], ink: ['#2f1b66', '#ebe4ff'] },
  teal: { fill: ['#c8ecec', '#184b4c'], edge: ['#1d7878', '#5fc6c6'], ink: ['#0a3a3b', '#d7f4f4'] },
} as const;

/** A property with its colour in light and in dark, and where that can be set from outside. */
const themed = (name: string, outside: string, [light, dark]: readonly string[]): string =>
  `--${name}: var(--heating-editor-${outside}, light-dark(${light}, ${dark}));`;

const THEMED = [
  ...Object.entries(NAMES).map(([name, both]) => themed(`c-${name}`, name, both)),
  ...Object.entries(LOOK_COLOURS).flatMap(([look, { fill, edge, ink }]) => {
    // The pattern is its edge, faint: with all of it, text would be hard to read.
    const parts = { fill, edge, ink, mark: edge.map((colour) => `${colour}33`) };
    return Object.entries(parts).map(([part, both]) => themed(`${look}-${part}`, `${look}-${part}`, both));
  }),
].join('');

// Each pattern over the colour of its look: the mode is told without colour too.
const pattern = (image: string, size = 'auto'): string => `--pattern: ${image}; --pattern-size: ${size};`;
const PATTERNS: Readonly<Record<keyof typeof LOOK_COLOURS, string>> = {
  amber: pattern('none'),
  red: pattern(`repeating-linear-gradient(135deg, var(--mark) 0 2px, transparent 2px 9px)`),
  blue: pattern(`radial-gradient(var(--mark) 1.5px, transparent 2px)`, '9px 9px'),
  green: pattern(`repeating-linear-gradient(0deg, var(--mark) 0 1.5px, transparent 1.5px 8px)`),
  violet: pattern(`repeating-linear-gradient(45deg, var(--mark) 0 2px, transparent 2px 9px)`),
  teal: pattern(`repeating-linear-gradient(90deg, var(--mark) 0 1.5px, transparent 1.5px 8px)`),
};

/** Colours for light and dark, by the browser's preference or by the theme that is set; colours and patterns of modes. */
export const COLOURS = `
:host { color-scheme: light dark; ${THEMED} }
:host([data-theme='light']) { color-scheme: light; }
:host([data-theme='dark']) { color-scheme: dark; }
${Object.keys(LOOK_COLOURS)
  .map(
    (look) =>
      `.${look} { --fill: var(--${look}-fill); --edge: var(--${look}-edge); --ink: var(--${look}-ink); --mark: var(--${look}-mark); ${PATTERNS[look as keyof typeof PATTERNS]} }`,
  )
  .join('\n')}
`;
