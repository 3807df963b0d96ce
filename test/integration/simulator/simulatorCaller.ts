import { onTestFinished } from 'vitest';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { stillHome } from '../../support/system/testSystem.ts';

/** An answer as the wire gave it; `body` is parsed where it is JSON. */
export type Seen = {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers: Headers;
  readonly body: unknown;
};

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

export const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The member at a dotted path of parsed JSON, for reading answers without knowing their type. */
export const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);

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
  const send = async (path: string, init: RequestInit): Promise<Seen> => {
    const response = await fetch(`${simulator.url}${path}`, { redirect: 'manual', ...init });
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      text,
      headers: response.headers,
      body: parse(text),
    };
  };
  const authorization = `Bearer ${access_token}`;
  const path = (device?: string, feature?: string, command?: string): string =>
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
    path,
    send,
    get,
    post: (where, body, headers = {}) =>
      send(where, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { authorization, 'content-type': 'application/json', ...headers },
      }),
    values: async (feature, device = '0') => {
      const { body } = await get(path(device, feature));
      const properties = at(body, 'properties') ?? at(body, 'data.properties');
      return Object.fromEntries(
        Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => [name, at(property, 'value')]),
      );
    },
  };
};
