import type { Feature, Json, Property } from '../../../src/features/feature.ts';
import { weekOf } from '../../../src/schedule/week.ts';

type Given = { readonly type?: string; readonly unit?: string; readonly value?: Json };

const typeOf = (value: Json | undefined): string => {
  if (Array.isArray(value)) return 'array';
  return value === undefined || value === null ? 'string' : typeof value;
};

/** A feature of gateway 7571381699991111, device 0, for tests: `featureOf('heating.dhw', { active: { value: true } })`. */
export const featureOf = (name: string, properties: Readonly<Record<string, Given>>, more: Partial<Feature> = {}): Feature => ({
  name,
  gateway: '7571381699991111',
  device: '0',
  isEnabled: true,
  isReady: true,
  properties: new Map(Object.entries(properties).map(([key, given]): [string, Property] => [key, { type: typeOf(given.value), ...given }])),
  commands: new Map(),
  ...more,
});

/** A week with one entry on Monday. */
export const WEEK: Json = weekOf((day) => (day === 'mon' ? [{ start: '06:00', end: '22:00', mode: 'normal', position: 0 }] : []));
