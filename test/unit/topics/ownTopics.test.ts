import { describe, expect, it } from 'vitest';
import { topicsOfBridge } from '../../../src/topics/ownTopics.ts';

const RECORD = '{"feature":"heating.curve","properties":{"slope":{}},"commands":{"setCurve":{}}}';
const WEEK = '{"feature":"heating.circuits.0.schedule","properties":{"entries":{"type":"Schedule"},"now":{"type":"string"}},"commands":{}}';
const INFO = '{"installation":"1","gateway":"7","device":"0"}';

const OURS = [
  ['b/home/heating/curve/slope', '1.4'],
  ['b/home/heating/curve/until', '2027-01-03T12:00:00+01:00'],
  ['b/home/heating/circuits/0/climate/mode', 'auto'],
  ['b/home/heating/circuits/0/schedule/mon', 'none'],
  ['b/home/heating/circuits/0/schedule/next_at', '2027-01-03T12:00:00+01:00'],
  ['b/home/heating/circuits/0/schedule/record', WEEK],
  ['b/home/name/%C3%BC/value', 'x'],
  ['b/home/name/%C3%BC/record', '{"feature":"name.ü","properties":{"value":{"type":"string"}},"commands":{}}'],
  ['b/home/heating/curve/record', RECORD],
  ['b/home/availability', 'online'],
  ['b/home/info', INFO],
  ['b/bridge/state', 'offline'],
  ['b/bridge/health', '{"beat":1}'],
] as const;

describe('topicsOfBridge', () => {
  it('names what a bridge publishes, so that what is left after half of it still shows whose it is', () => {
    const topics = topicsOfBridge('b', new Map([...OURS].reverse()));
    expect([...topics].sort()).toEqual(OURS.map(([topic]) => topic).sort());
    for (let done = 0; done < topics.length; done += 1) {
      const left = new Map(OURS.filter(([topic]) => topics.indexOf(topic) >= done));
      expect(topicsOfBridge('b', left).sort()).toEqual([...left.keys()].sort());
    }
  });

  it.each([
    ['another base', 'c/bridge/state', 'online'],
    ['a base that only begins alike', 'bb/bridge/state', 'online'],
    ['another topic below bridge/', 'b/bridge/mine', 'x'],
    ['a device without our info', 'b/lamp/availability', 'online'],
    ['a topic beside no record', 'b/home/heating/mine', 'x'],
    ['another record', 'b/home/light/record', '{"artist":"x"}'],
    ['a record without our info', 'b/lamp/heating/curve/record', RECORD],
    ['a record of another feature', 'b/home/heating/bend/record', RECORD],
    ['a topic that the record does not name', 'b/home/heating/curve/note', 'x'],
    ['a day beside no week', 'b/home/heating/curve/mon', 'none'],
    ['an end where nothing can be written', 'b/home/heating/circuits/0/schedule/until', 'x'],
    ['a composite without our info', 'b/lamp/heating/circuits/0/climate/mode', 'auto'],
    ['a composite of a circuit without features', 'b/home/heating/circuits/1/climate/mode', 'auto'],
    ['a composite of hot water without features', 'b/home/heating/dhw/water_heater/target', '50'],
    ['a composite in another place', 'b/home/climate/mode', 'auto'],
    ['another topic of a composite', 'b/home/heating/circuits/0/climate/note', 'x'],
    ['an info of another device', 'b/lamp/info', '{"installation":"1","gateway":"7","device":"0","name":"home"}'],
    ['another topic of a device', 'b/home/note', 'x'],
    ['a command that waits', 'b/home/heating/curve/slope/set', '1.4'],
  ])('%s is not ours', (_, topic, payload) => {
    expect(topicsOfBridge('b', new Map([...OURS, [topic, payload]]))).not.toContain(topic);
  });

  it('what a bridge with a base below ours has is its own', () => {
    const inner = OURS.map(([topic, payload]) => [topic.replace(/^b/, 'b/cellar'), payload] as const);
    expect(topicsOfBridge('b', new Map(inner))).toEqual([]);
    expect(topicsOfBridge('b/cellar', new Map([...OURS, ...inner]))).toHaveLength(OURS.length);
  });
});
