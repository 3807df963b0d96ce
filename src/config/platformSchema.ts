import type { Section, Setting } from './validation/formats.ts';

/** A path that replaces the profile's. It needs the ids in `places`; `{installation}` is allowed in each path that names a gateway. */
const path = (below: 'auth_url' | 'base_url', places: readonly string[], doc: string) => {
  const needs = places.length === 0 ? '' : ` Needs ${places.map((place) => `{${place}}`).join(', ')}.`;
  return {
    format: 'path',
    default: null,
    defaultText: 'that of the profile',
    places,
    example: `/${['own', ...places.map((place) => `{${place}}`)].join('/')}`,
    doc: `${doc} Path below ${below}, in place of the profile's.${needs}`,
  } as const satisfies Setting;
};

/** The section `platform`. */
export const PLATFORM = {
  profile: {
    format: 'choice',
    choices: ['v1', 'v2'],
    default: 'v1',
    doc: 'Paths of the platform. v1 = the documented ones; v2 = those of the live service, whose addresses and scope are then the defaults and whose devices are found automatically.',
  },
  base_url: {
    format: 'base_url',
    protocols: ['https', 'http'],
    default: '',
    example: 'https://api.example.com',
    doc: "Address of the platform's user and IoT service; required with v1.",
  },
  auth_url: {
    format: 'base_url',
    protocols: ['https', 'http'],
    default: '',
    example: 'https://iam.example.com',
    doc: "Address of the platform's identity service, where people log in; required with v1.",
  },
  client_id: {
    format: 'text',
    default: '',
    example: 'your-client-id',
    doc: 'Id of the client that you registered with the platform.',
  },
  redirect_uri: {
    format: 'any_url',
    default: 'http://localhost:4200/',
    example: 'http://localhost:4200/',
    doc: 'Address to which the login sends the browser back, exactly as it was registered for the client.',
  },
  scope: {
    format: 'text',
    default: null,
    defaultText: 'IoT User; with v2 IoT User offline_access',
    example: 'IoT User offline_access',
    doc: 'What the login asks for. Add offline_access where the platform offers refresh tokens, else a login lasts one hour.',
  },
  read: {
    format: 'choice',
    choices: ['auto', 'feature', 'device', 'gateway'],
    default: 'auto',
    doc: 'feature = one call for each feature; device = one call for all features of a device; gateway = one call for all devices of a gateway (v2); auto = the fewest calls with v2, with v1 device where a feature is written as a glob, else feature.',
  },
  paths: {
    authorize: path('auth_url', [], 'Page where people log in.'),
    token: path('auth_url', [], 'Where tokens are given and renewed.'),
    identity: path('base_url', [], 'The account that a token belongs to.'),
    installations: path('base_url', [], 'List of installations with their gateways and devices; with it, devices are found automatically.'),
    feature: path('base_url', ['gateway', 'device', 'feature'], 'One feature.'),
    device_features: path('base_url', ['gateway', 'device'], 'All features of a device.'),
    command: path('base_url', ['gateway', 'device', 'feature', 'command'], 'A command.'),
    gateway_all: path('base_url', ['gateway'], 'The features of a gateway and of all its devices in one answer.'),
    gateway_features: path('base_url', ['gateway'], 'All features of the device called gateway.'),
    gateway_feature: path('base_url', ['gateway', 'feature'], 'One feature of the device called gateway.'),
    gateway_command: path('base_url', ['gateway', 'feature', 'command'], 'A command of the device called gateway.'),
  },
  timeout_s: {
    format: 'number',
    min: 0.1,
    max: 600,
    default: 30,
    doc: 'Seconds that a call may take, from connecting to the last byte.',
  },
  quota: {
    per_10_minutes: {
      format: 'whole',
      min: 1,
      max: 1_000_000,
      default: 120,
      doc: 'Calls that the platform allows in 10 minutes.',
    },
    per_day: {
      format: 'whole',
      min: 1,
      max: 100_000_000,
      default: 1450,
      doc: 'Calls that the platform allows in 24 hours.',
    },
    reserve_for_commands: {
      format: 'whole',
      min: 0,
      max: 100_000_000,
      default: 50,
      doc: 'Calls of each day that polling leaves for commands.',
    },
  },
  consent_days: {
    format: 'whole',
    min: 1,
    max: 36_500,
    default: 180,
    doc: 'Days from a login to the end of its refresh token; 30 days before, bridge/auth and the log say so.',
  },
  login_over_mqtt: {
    format: 'flag',
    default: false,
    doc: 'true = when a login is needed, bridge/auth shows the address to open, and bridge/auth/set takes the address to which the browser returns. Everyone with write access to that topic can then log in, after the first login only with the same account.',
  },
} as const satisfies Section;
