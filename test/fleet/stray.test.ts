import { connect } from '@nats-io/transport-node';
import { expect, onTestFinished, test } from 'vitest';
import { fleetWorld } from '../support/fleet/fleetWorld.ts';
import { startSingleNats } from '../support/network/natsNode.ts';

const BOUND = { timeout: 60_000, interval: 100 };

test('what somebody else writes among the states of an account costs it no lease, no answer, and nothing that was accepted', async () => {
  const nats = await startSingleNats();
  const world = await fleetWorld([nats], ['w1', 'w2'], ['a']);
  const [w1, w2] = world.workers;
  if (!w1 || !w2) throw new Error('no workers');
  const connection = await connect({ servers: [nats.client] });
  onTestFinished(() => connection.close());
  // As an MQTT client of NATS does that publishes to heating2mqtt/states/a.
  const stray = () => connection.request('heating2mqtt.states.a', 'something else');
  const apply = async (id: string, end: string, answers = ['accepted', 'applied']): Promise<void> => {
    await world.write('a', id, end);
    await expect.poll(() => world.answers(id), BOUND).toEqual(answers);
  };
  /** The account goes from one worker to another, and something is written among its states while nobody serves it. */
  const goOver = async (from: typeof w1, to: typeof w1): Promise<void> => {
    from.signal('SIGTERM');
    await from.ended();
    await stray();
    to.start();
    await world.allServedBy(to.name);
  };
  w1.start();
  await world.allServedBy('w1');
  await apply('before', '21:00');

  // While it is served: the next piece of its state meets it.
  await stray();
  await apply('during', '21:10');
  expect(w1.log()).toContain('a client that is not a worker, such as an MQTT client, has written into the stored state');
  await stray();
  await stray();
  await apply('after', '21:30');
  expect(w1.served.length).toBe(1);

  // For a worker that has never had it.
  await goOver(w1, w2);
  await apply('other', '21:30', ['unchanged']);
  await apply('last', '22:00');

  // The folder of the first one is older than that, and its state is no backup's.
  await goOver(w2, w1);
  await apply('back', '22:00', ['unchanged']);
  expect(world.posts('a')).toBe(4);
  for (const { log } of world.workers) expect(log()).not.toMatch(/has lost its lease|from a backup of NATS|after a restore/u);
}, 180_000);
