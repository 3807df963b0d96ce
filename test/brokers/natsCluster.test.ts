import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../support/network/mqttRecorder.ts';
import { startNats } from '../support/network/nats.ts';
import { answersOn, DEVICE_RESULT, isTerminal, type Result } from '../support/schedules/writing.ts';
import { ALL, published } from '../support/system/outcome.ts';
import { startTestSystem } from '../support/system/testSystem.ts';
import { untilSo } from '../support/system/untilSo.ts';
import { wrongTopics } from '../support/system/wrongTopics.ts';

const SLOPE = 'heating2mqtt/home/heating/circuits/0/heating/curve/slope';
const MINUTE_MS = 60_000;

test('three nodes of NATS are killed in turn under writes: each is answered once, and every topic is right on each node', async () => {
  const nodes = await startNats();
  const [first = nodes[0], ...others] = nodes;
  const system = await startTestSystem({
    ...ALL,
    brokerUrl: first?.url ?? '',
    overrides: { mqtt: { url: first?.url ?? '', others: others.map(({ url }) => ({ url })) } },
  });
  onTestFinished(() => system.close());
  await published(system);
  const ears = await Promise.all(nodes.map(({ url }) => listen(url, {}, 0)));
  onTestFinished(() => Promise.all(ears.map((ear) => ear.close())).then(() => undefined));
  for (const { url } of nodes) await expect.poll(() => wrongTopics(system, url), { timeout: MINUTE_MS }).toEqual([]);

  /** The terminal answers heard on any node; the same one can be delivered twice with QoS 1. */
  const answers = (): readonly Result[] => {
    const all = ears.flatMap((ear) => answersOn(ear.heard, DEVICE_RESULT)).filter(isTerminal);
    return [...new Map(all.map((answer) => [JSON.stringify(answer), answer])).values()];
  };
  const answered = (id: string): boolean => answers().some((answer) => answer.id === id);
  const ids: string[] = [];
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const lost: string[] = [];
  /** On this node; sent again where nothing answers, as while the bridge has no connection. */
  const write = async (at: number): Promise<void> => {
    const id = `write-${ids.length}`;
    const value = 0.3 + (ids.length % 10) / 10;
    ids.push(id);
    while (!over.signal.aborted) {
      await ears[at]?.publish(`${SLOPE}/set`, JSON.stringify({ value, id }));
      const end = performance.now() + 10_000;
      while (!over.signal.aborted && !answered(id) && performance.now() < end) await sleep(20);
      if (answered(id)) return;
      lost.push(id);
    }
  };
  for (const [i, node] of nodes.entries()) {
    const [a, b] = [(i + 1) % 3, (i + 2) % 3];
    const writes = Array.from({ length: 8 }, (_, n) => sleep(n * 250).then(() => write(n % 2 === 0 ? a : b)));
    await sleep(600);
    const killedMs = performance.now();
    await node.kill();
    await untilSo(() => system.app.status().broker === false);
    await untilSo(() => system.app.status().broker);
    const backMs = performance.now();
    await Promise.all(writes);
    const doneMs = performance.now();
    await expect.poll(() => wrongTopics(system, nodes[a]?.url ?? ''), { timeout: MINUTE_MS }).toEqual([]);
    await expect.poll(() => wrongTopics(system, nodes[b]?.url ?? ''), { timeout: MINUTE_MS }).toEqual([]);
    const rightMs = performance.now();
    await node.start();
    await expect.poll(() => wrongTopics(system, node.url), { timeout: MINUTE_MS }).toEqual([]);
    await write(i);
    console.log(
      i,
      Math.round(backMs - killedMs),
      Math.round(doneMs - killedMs),
      Math.round(rightMs - killedMs),
      Math.round(performance.now() - rightMs),
      lost,
      system.logged.filter(({ level }) => level !== 'debug').slice(-4),
    );
  }
  expect(
    answers()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(ids.toSorted());
}, 300_000);
