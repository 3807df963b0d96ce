/** Colours by theme. Override with a CSS property of the same name, `heating-editor` instead of `c`. */
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

/** Background, edge and text colours of each mode look (view/modeLook.ts). */
const LOOK_COLOURS = {
  amber: ['#ffe2ae #a85d00 #4a2a00', '#5f4312 #e5ab4f #ffecca'],
  red: ['#ffcfc4 #bf3b1d #5a1606', '#6e2c1d #f58f75 #ffe3db'],
  blue: ['#cfe4fb #2a6cb2 #0d3156', '#1f4168 #76b4f2 #dfedfc'],
  green: ['#cdecd4 #2b7d4d #113d23', '#1f4c32 #68c58d #dbf4e4'],
  violet: ['#e4d9fb #6a48bd #2f1b66', '#43357b #ab95f2 #ebe4ff'],
  teal: ['#c8ecec #1d7878 #0a3a3b', '#184b4c #5fc6c6 #d7f4f4'],
} as const;

const themed = (theme: 0 | 1): string =>
  [
    ...Object.entries(NAMES).map(([name, both]) => `--c-${name}: var(--heating-editor-${name}, ${both[theme]});`),
    ...Object.entries(LOOK_COLOURS).flatMap(([look, both]) => {
      const [fill = '', edge = '', ink = ''] = both[theme].split(' ');
      // The pattern uses the edge colour at low opacity, so that text stays readable.
      return Object.entries({ fill, edge, ink, mark: `${edge}33` }).map(
        ([part, colour]) => `--${look}-${part}: var(--heating-editor-${look}-${part}, ${colour});`,
      );
    }),
  ].join('');

const LIGHT = `color-scheme: light; ${themed(0)}`;
const DARK = `color-scheme: dark; ${themed(1)}`;

// A pattern over the colour of each look: modes can be told apart without colour.
const pattern = (image: string, size = 'auto'): string => `--pattern: ${image}; --pattern-size: ${size};`;
const PATTERNS: Readonly<Record<keyof typeof LOOK_COLOURS, string>> = {
  amber: pattern('none'),
  red: pattern(`repeating-linear-gradient(135deg, var(--mark) 0 2px, transparent 2px 9px)`),
  blue: pattern(`radial-gradient(var(--mark) 1.5px, transparent 2px)`, '9px 9px'),
  green: pattern(`repeating-linear-gradient(0deg, var(--mark) 0 1.5px, transparent 1.5px 8px)`),
  violet: pattern(`repeating-linear-gradient(45deg, var(--mark) 0 2px, transparent 2px 9px)`),
  teal: pattern(`repeating-linear-gradient(90deg, var(--mark) 0 1.5px, transparent 1.5px 8px)`),
};

/** Colours for light and dark (browser preference or set theme); colours and patterns of modes. */
export const COLOURS = `
:host { ${LIGHT} }
@media (prefers-color-scheme: dark) { :host { ${DARK} } }
:host([data-theme='light']) { ${LIGHT} }
:host([data-theme='dark']) { ${DARK} }
${Object.keys(LOOK_COLOURS)
  .map(
    (look) =>
      `.${look} { --fill: var(--${look}-fill); --edge: var(--${look}-edge); --ink: var(--${look}-ink); --mark: var(--${look}-mark); ${PATTERNS[look as keyof typeof PATTERNS]} }`,
  )
  .join('\n')}
`;
