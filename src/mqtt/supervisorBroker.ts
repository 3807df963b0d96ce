import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod/mini';
import { CodedError, messageOf } from '../shared/errors.ts';
import { jsonObject } from '../shared/json.ts';
import { type BrokerAddress, ConnectError } from './connect.ts';

/** The Supervisor of Home Assistant, under the name that each app knows it by. The token goes nowhere else. */
const SUPERVISOR = { host: 'supervisor', port: 80 } as const;
const ANSWER_MS = 10_000;

const NO_BROKER =
  'Home Assistant has no MQTT broker yet: install the app Mosquitto broker and start it, or name another broker in the configuration of this app (mqtt.url)';

const Service = z.object({
  host: z.string(),
  port: z.number(),
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

const addressIn = (body: string): BrokerAddress => {
  const service = Service.safeParse(jsonObject(body)?.data);
  if (!service.success)
    throw new ConnectError('network', 'the Supervisor of Home Assistant describes the MQTT broker in a way that is not understood');
  const { host, port, ssl = false, username, password } = service.data;
  const url = `${ssl ? 'mqtts' : 'mqtt'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { url, ...(username ? { username } : {}), ...(username && password ? { password } : {}) };
};

/**
 * The broker that Home Assistant has now. A broker that is installed anew has another password, so the Supervisor is asked before each
 * connection; while it does not answer, as during its update, what it said last counts. Rejects with a ConnectError. Only tests name another
 * `place`.
 */
export const supervisorBroker = (token: () => string, place: Place = SUPERVISOR): ((signal?: AbortSignal) => Promise<BrokerAddress>) => {
  let last: BrokerAddress | undefined;
  return async (signal) => {
    const ends = [AbortSignal.timeout(ANSWER_MS), ...(signal ? [signal] : [])];
    let answer: Answer;
    try {
      answer = await ask(place, token(), AbortSignal.any(ends));
    } catch (cause) {
      if (last) return last;
      throw new ConnectError('network', `the Supervisor of Home Assistant does not answer (${messageOf(cause)})`, { cause });
    }
    if (answer.status === 200) {
      last = addressIn(answer.body);
      return last;
    }
    // 400 is "Service not enabled": no broker has registered, as while Home Assistant starts.
    if (answer.status === 400) throw new ConnectError('network', NO_BROKER, { cause: new CodedError('no_broker', answer.body) });
    if (last && answer.status >= 500) return last;
    throw new ConnectError('network', `the Supervisor of Home Assistant does not name the MQTT broker (status ${answer.status})`);
  };
};
