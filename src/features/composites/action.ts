import type { Feature } from '../feature.ts';
import type { Features } from './composite.ts';

type Action = 'off' | 'idle' | 'heating' | 'cooling';

const SOURCES = /^heating\.(?:burners\.\d+|compressors\.\d+|burner)$/u;

const CHARGING = 'heating.dhw.charging';

/** True for a feature that shows whether heat is produced. */
export const isSource = (name: string): boolean => SOURCES.test(name);

/** True for a feature of the whole device that determines the action of its circuits. */
export const isForAction = (name: string): boolean => isSource(name) || name === CHARGING;

// Compressor phases without heating or cooling. It is `active` in some of them, for example defrost.
const RESTING: ReadonlySet<unknown> = new Set([
  'off',
  'ready',
  'not-ready',
  'pause',
  'preparing',
  'preparing-defrost',
  'defrost',
  'passive-defrost',
]);

const doing = ({ properties }: Feature): Action => {
  const phase = properties.get('phase')?.value;
  if (properties.get('active')?.value !== true || RESTING.has(phase)) return 'idle';
  return phase === 'cooling' ? 'cooling' : 'heating';
};

/** The current action of a circuit, from its mode, pump and heat sources; undefined without any of them. */
export const circuitAction = (features: Features, scope: string, mode: string | undefined): Action | undefined => {
  const pump = features.get(`${scope}.circulation.pump`)?.properties.get('status')?.value;
  const sources = [...features.values()].filter(({ name, properties }) => isSource(name) && properties.has('active'));
  if (pump === undefined && sources.length === 0) return undefined;
  if (mode === 'off') return 'off';
  // The heat goes to the hot water, even if a shared pump shows otherwise (a recorded 333G).
  if (pump === 'off' || features.get(CHARGING)?.properties.get('active')?.value === true) return 'idle';
  const all = sources.map(doing);
  if (all.includes('cooling') || (mode === 'cool' && all.includes('heating'))) return 'cooling';
  return all.length === 0 || all.includes('heating') ? 'heating' : 'idle';
};

const DEMANDS: Readonly<Record<string, Action>> = {
  heating: 'heating',
  cooling: 'cooling',
  energySaving: 'idle',
  none: 'idle',
  off: 'off',
};

/** The current demand of a room, from its state; undefined for an unknown word. */
export const roomAction = (demand: unknown): Action | undefined =>
  typeof demand === 'string' && Object.hasOwn(DEMANDS, demand) ? DEMANDS[demand] : undefined;
