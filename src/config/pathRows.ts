import type { Setting } from './setting.ts';

type PathRow = { readonly below: 'auth_url' | 'base_url'; readonly places: readonly string[]; readonly doc: string };

const DEVICE = ['gateway', 'device'];

/** Paths that may be replaced, each with the ids that it needs; `{installation}` may stand in each that names a gateway. */
const PATHS = {
  authorize: { below: 'auth_url', places: [], doc: 'Page where people log in.' },
  token: { below: 'auth_url', places: [], doc: 'Where tokens are given and renewed.' },
  identity: { below: 'base_url', places: [], doc: 'The account that a token belongs to.' },
  installations: {
    below: 'base_url',
    places: [],
    doc: 'List of installations with their gateways and devices; with it, devices are found by themselves.',
  },
  feature: { below: 'base_url', places: [...DEVICE, 'feature'], doc: 'One feature.' },
  device_features: { below: 'base_url', places: DEVICE, doc: 'All features of a device.' },
  command: { below: 'base_url', places: [...DEVICE, 'feature', 'command'], doc: 'A command.' },
  gateway_all: { below: 'base_url', places: ['gateway'], doc: 'The features of a gateway and of all its devices in one answer.' },
  gateway_features: { below: 'base_url', places: ['gateway'], doc: 'All features of the device called gateway.' },
  gateway_feature: { below: 'base_url', places: ['gateway', 'feature'], doc: 'One feature of the device called gateway.' },
  gateway_command: { below: 'base_url', places: ['gateway', 'feature', 'command'], doc: 'A command of the device called gateway.' },
} as const satisfies Readonly<Record<string, PathRow>>;

export type PathName = keyof typeof PATHS;

const row = (name: PathName): Setting => {
  const { below, places, doc }: PathRow = PATHS[name];
  const needs = places.length === 0 ? '' : ` Needs ${places.map((place) => `{${place}}`).join(', ')}.`;
  return {
    format: 'path',
    default: null,
    nullable: true,
    defaultText: 'that of the profile',
    places,
    example: `/${['own', ...places.map((place) => `{${place}}`)].join('/')}`,
    env: `HEATING2MQTT_PLATFORM_PATHS_${name.toUpperCase()}`,
    doc: `${doc} Path below ${below}, in place of the profile's.${needs}`,
  };
};

/** The section `platform.paths`. */
export const PATH_ROWS: { readonly [Name in PathName]: Setting } = {
  authorize: row('authorize'),
  token: row('token'),
  identity: row('identity'),
  installations: row('installations'),
  feature: row('feature'),
  device_features: row('device_features'),
  command: row('command'),
  gateway_all: row('gateway_all'),
  gateway_features: row('gateway_features'),
  gateway_feature: row('gateway_feature'),
  gateway_command: row('gateway_command'),
};
