import { describe, expect, it } from 'vitest';
import { topicsOfBridge } from '../../../src/topics/ownTopics.ts';
import { expectTable } from '../../support/golden.ts';

const RECORD = '{"feature":"heating.curve","properties":{"slope":{}},"commands":{"setCurve":{}}}';
const WEEK = '{"feature":"heating.circuits.0.schedule","properties":{"entries":{"type":"Schedule"},"now":{"type":"string"}},"commands":{}}';
const INFO = '{"installation":"1","gateway":"7","device":"0"}';

const AMOUNT = '{"feature":"heating.gas","properties":{"x":{},"day":{"type":"array"}},"commands":{}}';

const OURS = [
  ['b/home/heating/gas/running_total', '5'],
  ['b/home/heating/gas/record', AMOUNT],
  ['b/home/heating/curve/slope', '1.4'],
  ['b/home/heating/curve/until', '2027-01-03T12:00:00+01:00'],
  ['b/home/heating/curve/until/conflict', '{"until":"2027-01-03T12:00:00+01:00","parts":[]}'],
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

  it('does not name what others publish', () =>
    expectTable('othersTopics', 25, (_: string, topic: string, payload: string) =>
      topicsOfBridge('b', new Map([...OURS, [topic, payload]])).includes(topic),
    ));

  it('what a bridge with a base below ours has is its own', () => {
    const inner = OURS.map(([topic, payload]) => [topic.replace(/^b/, 'b/cellar'), payload] as const);
    expect(topicsOfBridge('b', new Map(inner))).toEqual([]);
    expect(topicsOfBridge('b/cellar', new Map([...OURS, ...inner]))).toHaveLength(OURS.length);
  });
});
