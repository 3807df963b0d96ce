import type { Hub } from './home-assistant-hub.ts';

/** A user of Home Assistant beside the first one, and what their browser is logged in with. */
export type HubUser = { readonly id: string; readonly name: string; readonly login: Readonly<Record<string, unknown>> };

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const post = async (url: string, body: Json | URLSearchParams): Promise<Json> => {
  const isForm = body instanceof URLSearchParams;
  const headers = { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) });
  const reply: unknown = await response.json();
  if (!response.ok || !isObject(reply)) throw new Error(`${url}: ${response.status} ${JSON.stringify(reply)}`);
  return reply;
};

/** Logs a browser in before the page looks for a login. */
export const loginScript = (login: object): string =>
  `localStorage.setItem('hassTokens', ${JSON.stringify(JSON.stringify(login))}); localStorage.setItem('dockedSidebar', '"always_hidden"');`;

/** Makes a user of this group (`system-users` are no administrators, `system-read-only` may change nothing) and logs them in. */
export const addUser = async (hub: Hub, name: string, group: 'system-users' | 'system-read-only'): Promise<HubUser> => {
  const made = await hub.ask({ type: 'config/auth/create', name, group_ids: [group] });
  const user = isObject(made) && isObject(made['user']) ? made['user'] : {};
  const id = String(user['id']);
  const password = `${name}-of-the-test`;
  await hub.ask({ type: 'config/auth_provider/homeassistant/create', user_id: id, username: name, password });
  const client = `${hub.url}/`;
  const flow = await post(`${hub.url}/auth/login_flow`, { client_id: client, handler: ['homeassistant', null], redirect_uri: client });
  const done = await post(`${hub.url}/auth/login_flow/${flow['flow_id']}`, { client_id: client, username: name, password });
  const grant = { grant_type: 'authorization_code', code: String(done['result']), client_id: client };
  const tokens = await post(`${hub.url}/auth/token`, new URLSearchParams(grant));
  const login = { ...tokens, hassUrl: hub.url, clientId: client, expires: Date.now() + Number(tokens['expires_in']) * 1000 };
  return { id, name, login };
};
