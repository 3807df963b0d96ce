import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Platform } from './api/platform.ts';
import { type TokenAnswer, Tokens } from './api/tokens.ts';
import { type Call, Calls } from './control/calls.ts';
import { control } from './control/control.ts';
import { Faults } from './control/faults.ts';
import { Events } from './home/events.ts';
import { defaultHome, type Home } from './home/home.ts';
import { House } from './home/house.ts';
import { recordedHome } from './home/recorded.ts';
import { platformServer } from './http/server.ts';
import { live } from './living/live.ts';

/** The registered redirect URIs: the bridge's, and PyViCare's with and without a browser. */
export const REDIRECT_URIS: readonly string[] = ['http://localhost:4200/', 'http://localhost:51125', 'vicare://oauth-callback/everest'];

export type SimulatorOptions = {
  /** Default 0: a free port. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** The house as data; default: the built-in one. */
  readonly home?: Home | undefined;
  /** The number of further gateways, each with the same home; default 0. */
  readonly furtherGateways?: number | undefined;
  /** A folder of recorded devices (`*.json`, each `{"data":[…]}`) to serve instead of a home. */
  readonly recorded?: string | undefined;
  /** Sends single records as `{"data":{…}}`; default false: bare, as in the specification. */
  readonly wrapped?: boolean | undefined;
  /** v1 paths answer 410, as at the live service; default false. */
  readonly v1Retired?: boolean | undefined;
  /** How long the old value is still shown after a command, in ms; default 0. */
  readonly effectDelayMs?: number | undefined;
  /** Each renewal replaces the refresh token; default false: the refresh token stays. */
  readonly rotateRefreshTokens?: boolean | undefined;
  /** The registered client; default `heating2mqtt-demo`. */
  readonly clientId?: string | undefined;
  /** Its registered redirect URIs; default REDIRECT_URIS. */
  readonly redirectUris?: readonly string[] | undefined;
  /** Epoch milliseconds; default `Date.now`. */
  readonly now?: (() => number) | undefined;
};

export type Simulator = {
  /** `http://127.0.0.1:PORT`: both base_url and auth_url. */
  readonly url: string;
  readonly installation: number;
  readonly gateway: string;
  /** All gateways, `gateway` first. */
  readonly gateways: readonly string[];
  readonly devices: readonly string[];
  /** Devices to show the user, each with its number of features and its recorded file. */
  readonly served: readonly { readonly device: string; readonly features: number; readonly source: string | undefined }[];
  /** Issues tokens without a browser; the default scope is `IoT User offline_access`. */
  issueTokens(scope?: string): TokenAnswer;
  /** The API calls since the last reset, without calls of the control path. */
  calls(): readonly Call[];
  /** Executes a command of POST /control; throws an Error for an invalid command. */
  control(command: unknown): unknown;
  /** Closes open sockets too. */
  close(): Promise<void>;
};

/** Copies of the home behind further gateways of the same installation. */
const furtherHomes = (home: Home, count: number): readonly Home[] =>
  Array.from({ length: count }, (_, i) => {
    const { neighbours: _shownOnce, ...rest } = home;
    return { ...rest, gateway: String(Number(home.gateway) + i + 1) };
  });

const makePlatform = (options: SimulatorOptions): Platform => {
  const now = options.now ?? Date.now;
  const home = options.recorded === undefined ? (options.home ?? defaultHome) : recordedHome(options.recorded);
  const house = new House(home, now(), options.effectDelayMs ?? 0, live);
  const further = furtherHomes(home, options.furtherGateways ?? 0);
  return {
    house,
    houses: [house, ...further.map((other) => new House(other, now(), options.effectDelayMs ?? 0, live))],
    tokens: new Tokens(now, options.rotateRefreshTokens ?? false),
    faults: new Faults(),
    events: new Events(),
    calls: new Calls(),
    behaviour: { wrapped: options.wrapped ?? false, adaptNext: false, v1Retired: options.v1Retired ?? false },
    client: { clientId: options.clientId ?? 'heating2mqtt-demo', redirectUris: options.redirectUris ?? REDIRECT_URIS },
    now,
  };
};

const listen = async (server: Server, port: number, host: string): Promise<string> => {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The simulated platform has no address.');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
};

/** Starts the simulated platform. Rejects if the port is in use or the recorded devices are unreadable. */
export const startSimulator = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const platform = makePlatform(options);
  const stop = new AbortController();
  const server = platformServer(platform, stop.signal);
  const url = await listen(server, options.port ?? 0, options.host ?? '127.0.0.1');
  const { installation, gateway, devices } = platform.house.home;
  return {
    url,
    installation,
    gateway,
    gateways: platform.houses.map(({ home }) => home.gateway),
    devices: Object.keys(devices),
    served: Object.entries(devices).map(([device, { source }]) => ({ device, features: platform.house.records(device).length, source })),
    issueTokens: (scope = 'IoT User offline_access') => platform.tokens.issue(scope),
    calls: () => platform.calls.list(),
    control: (command) => control(command, platform),
    close: async () => {
      if (!server.listening) return;
      stop.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
