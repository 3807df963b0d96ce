import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod/mini';
import { CodedError, messageOf } from '../shared/errors.ts';
import { jsonObject } from '../shared/json.ts';
import { type BrokerAddress, ConnectError } from './connect.ts';

/** The Supervisor of Home Assistant, at its name for apps. The token is sent nowhere else. */
const SUPERVISOR = { host: 'supervisor', port: 80 } as const;
const ANSWER_MS = 10_000;

const NO_BROKER =
  'Home Assistant has no MQTT broker yet: install the app Mosquitto broker and start it, or name another broker in the configuration of this app (mqtt.url)';

const Service = z.object({
  host: z.string().check(z.regex(/^[\w.:-]+$/)),
  port: z.int().check(z.minimum(1), z.maximum(65_535)),
  ssl: z.optional(z.boolean()),
  username: z.nullish(z.string()),
  password: z.nullish(z.string()),
});

type Place = { readonly host: string; readonly port: number };

type Answer = { readonly status: number; readonly body: string };

const ask = (place: Place, token: string, signal: AbortSignal): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = get(
      { ...place, path: '/services/mqtt', agent: false, signal, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      },
    );
    asked.on('error', reject);
  });

/** Undefined if the answer describes no broker. */
const addressIn = (body: string): BrokerAddress | undefined => {
  const service = Service.safeParse(jsonObject(body)?.data);
  if (!service.success) return undefined;
  const { host, port, ssl = false, username, password } = service.data;
  const url = `${ssl ? 'mqtts' : 'mqtt'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { url, ...(username ? { username } : {}), ...(username && password ? { password } : {}) };
};

/**
 * The current broker of Home Assistant. A reinstalled broker has a new password, so the Supervisor is asked
 * before each connection. If it does not answer, or something else does, for example during its update, the
 * last answer counts. Rejects with a ConnectError. Only tests pass another `place`.
 */
export const supervisorBroker = (token: () => string, place: Place = SUPERVISOR): ((signal?: AbortSignal) => Promise<BrokerAddress>) => {
  let last: BrokerAddress | undefined;
  return async (signal) => {
    const late = AbortSignal.timeout(ANSWER_MS);
    let answer: Answer;
    try {
      answer = await ask(place, token(), AbortSignal.any([late, ...(signal ? [signal] : [])]));
    } catch (cause) {
      if (last) return last;
      const why = late.aborted ? `within ${ANSWER_MS / 1000} seconds` : `(${messageOf(cause)})`;
      throw new ConnectError('network', `the Supervisor of Home Assistant does not answer ${why}`, { cause });
    }
    const { status, body } = answer;
    // 400 is "Service not enabled": no broker is registered, for example while Home Assistant starts.
    if (status === 400) throw new ConnectError('network', NO_BROKER, { cause: new CodedError('no_broker', body) });
    const address = status === 200 ? addressIn(body) : undefined;
    if (address) {
      last = address;
      return address;
    }
    if (last && status !== 401 && status !== 403) return last;
    const what = status === 200 ? 'describes the MQTT broker in an unknown format' : `does not name the MQTT broker (status ${status})`;
    throw new ConnectError('network', `the Supervisor of Home Assistant ${what}`);
  };
};
