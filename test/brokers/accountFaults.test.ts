import { expect, test } from 'vitest';
import { FAULT_KINDS } from '../../src/simulator/control/faultKinds.ts';
import { accountsWorld } from '../support/accounts/accountsWorld.ts';
import { freePort } from '../support/network/freePort.ts';
import { startSingleNats } from '../support/network/natsNode.ts';
import { startRabbit } from '../support/network/rabbit.ts';
import { startTestBroker } from '../support/network/testBroker.ts';

const VICTIM = 'victim';
const OTHERS = Array.from({ length: 9 }, (_, index) => `a${index}`);

/** What keeps an account from further calls comes last. */
const KINDS = Object.keys(FAULT_KINDS).toSorted((a, b) => Number(/^(?:invalid|rate)/.test(a)) - Number(/^(?:invalid|rate)/.test(b)));

const startNats = async (): Promise<{ readonly url: string }> => {
  const port = await freePort();
  await startSingleNats('server_name: n1', `mqtt { listen: "127.0.0.1:${port}" }`);
  return { url: `mqtt://127.0.0.1:${port}` };
};

test.each([
  ['Mosquitto', startTestBroker],
  ['RabbitMQ', startRabbit],
  ['NATS', startNats],
])(
  'at %s, each fault of the platform at one of ten accounts leaves the nine others alone',
  async (_, startBroker) => {
    const { recorder, platforms, week, write, answers, list } = await accountsWorld({
      ...{ main: false, rows: [VICTIM, ...OTHERS], brokerUrl: (await startBroker()).url },
      overrides: { platform: { quota: { per_10_minutes: 100_000, per_day: 100_000 } }, poll: { seconds: 2 } },
    });
    for (const name of [VICTIM, ...OTHERS]) await recorder.until(({ topic }) => topic === `${week(name)}/text`);
    const from = recorder.heard.length;
    const all = <T>(of: (name: string) => T): readonly T[] => OTHERS.map(of);
    for (const [index, kind] of KINDS.entries()) {
      for (const what of [{ command: 'expire_tokens' }, { command: 'fault', kind }]) platforms.get(VICTIM)?.control(what);
      const end = `${18 + (Math.floor(index / 6) % 5)}:${index % 6}0`;
      await Promise.all([VICTIM, ...OTHERS].map((name) => write(name, `${kind} ${name}`, end)));
      await expect.poll(() => all((name) => answers(`${kind} ${name}`)), { interval: 100 }).toEqual(all(() => ['accepted', 'applied']));
      expect([kind, list().filter(({ name }) => name !== VICTIM)]).toEqual([
        kind,
        all((name) => expect.objectContaining({ name, state: 'running', broker: true, login: 'ok' })),
      ]);
      platforms.get(VICTIM)?.control({ command: 'clear' });
    }
    await expect.poll(() => list().flatMap(({ name, problem }) => (problem === undefined ? [] : name))).toEqual([VICTIM]);
    const calls = (name: string) => platforms.get(name)?.calls() ?? [];
    expect(all((name) => calls(name).filter(({ method }) => method === 'POST').length)).toEqual(all(() => KINDS.length));
    const states = recorder.heard.slice(from).filter(({ topic }) => all((name) => `heating2mqtt/${name}/bridge/state`).includes(topic));
    expect(states).toEqual([]);
  },
  600_000,
);
