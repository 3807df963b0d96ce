import { onTestFinished } from 'vitest';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { stillHome } from '../../support/system/testSystem.ts';

/** An answer as the wire gave it; `body` is parsed where it is JSON. */
export type Seen = { readonly status: number; readonly text: string; readonly headers: Headers; readonly body: unknown };

export type Caller = Simulator & {
  /** Address of the gateway, of a device or of a feature below the base url. */
  path(device?: string, feature?: string, command?: string): string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Seen>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Seen>;
  send(path: string, init: RequestInit): Promise<Seen>;
  /** The values of a feature's properties. */
  values(feature: string, device?: string): Promise<Record<string, unknown>>;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The member at a dotted path of parsed JSON, for reading answers without knowing their type. */
export const at = (value: unknown, path: string): unknown => path.split('.').reduce<unknown>((inner, key) => Object(inner)[key], value);

/** The members of a list, or what stands at a path in each of them. */
export const membersOf = (body: unknown, path?: string): readonly unknown[] => {
  const data = at(body, 'data');
  const members: readonly unknown[] = Array.isArray(data) ? data : [];
  return path === undefined ? members : members.map((member) => at(member, path));
};

/** A simulator on a port of its own with a token in hand; it ends with the test. Its home stands still unless the options name another. */
export const startCaller = async (options: SimulatorOptions = {}): Promise<Caller> => {
  const simulator = await startSimulator({ home: stillHome, ...options });
  onTestFinished(() => simulator.close());
  const { access_token } = simulator.issueTokens();
  const authorization = `Bearer ${access_token}`;
  const send: Caller['send'] = async (path, init) => {
    const response = await fetch(`${simulator.url}${path}`, { redirect: 'manual', ...init });
    const { status, headers } = response;
    const text = await response.text();
    return { status, headers, text, body: parse(text) };
  };
  const path: Caller['path'] = (device, feature, command) =>
    [
      `/iot/v1/equipment/installations/${simulator.installation}/gateways/${simulator.gateway}`,
      ...(device === undefined ? [] : ['/devices/', encodeURIComponent(device)]),
      '/features',
      ...(feature === undefined ? [] : ['/', feature]),
      ...(command === undefined ? [] : ['/commands/', command]),
    ].join('');
  const get: Caller['get'] = (where, headers = {}) => send(where, { headers: { authorization, ...headers } });
  return {
    ...simulator,
    ...{ path, send, get },
    post: (where, body, headers = {}) =>
      send(where, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { authorization, 'content-type': 'application/json', ...headers },
      }),
    values: async (feature, device = '0') => {
      const properties = at((await get(path(device, feature))).body, 'properties');
      return Object.fromEntries(Object.entries(Object(properties)).map(([name, property]) => [name, at(property, 'value')]));
    },
  };
};
