import { expect, test } from 'vitest';
import { bridgeViewOf } from '../../../src/bridge/bridgeView.ts';

test('a client that takes the connection away is told beside the retained topics, until the connection stands again', () => {
  const publisher = { topics: { wanted: new Map() } };
  const view = bridgeViewOf({ base: 'b', version: '1' }, publisher as never, {} as never);
  const heard: (string | undefined)[] = [];
  view.on('topic', (topic) => heard.push(topic, view.payloadOf(topic)));
  view.connected('online');
  view.connected('offline');
  view.contested();
  view.contested();
  expect(view.topics()).toEqual(new Map(Object.entries({ 'b/bridge/state': 'offline', 'b/bridge/contested': 'true' })));
  view.connected('online');
  expect(view.topics()).toEqual(new Map([['b/bridge/state', 'online']]));
  const state = ['b/bridge/state', 'online', 'b/bridge/state', 'offline'];
  expect(heard).toEqual([...state, 'b/bridge/contested', 'true', 'b/bridge/state', 'online', 'b/bridge/contested', undefined]);
});
