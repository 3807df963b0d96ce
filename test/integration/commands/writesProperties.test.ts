import { describe, expect, test } from 'vitest';
import { readCommandTopic } from '../../../src/topics/topicNames.ts';
import { barrier, sentBy, sharedSystem, terminalFor, write } from '../../support/schedules/writing.ts';
import { ALL } from '../../support/system/outcome.ts';

const HOME = 'heating2mqtt/home';
const PROGRAM = `${HOME}/heating/circuits/0/operating/programs`;
const CURVE = `${HOME}/heating/circuits/0/heating/curve`;
const HOLIDAY = `${HOME}/heating/operating/programs/holiday`;

describe('a property is written on its own topic', () => {
  const system = sharedSystem(ALL);

  test.each<[topic: string, payload: string, command: string, body: object, shown: string]>([
    [`${PROGRAM}/normal/temperature`, '21,7 °C', 'setTemperature', { targetTemperature: 22 }, '22'],
    [`${CURVE}/slope`, '0.8', 'setCurve', { shift: 0, slope: 0.8 }, '0.8'],
    [`${CURVE}/shift`, '3', 'setCurve', { shift: 3, slope: 0.8 }, '3'],
    [`${HOME}/heating/circuits/0/operating/modes/active/value`, 'standby', 'setMode', { mode: 'standby' }, 'standby'],
    [`${HOME}/heating/circuits/1/name`, '"Up" stairs', 'setName', { name: '"Up" stairs' }, '"Up" stairs'],
    [`${HOME}/heating/circuits/1/name/name`, '12', 'setName', { name: '12' }, '12'],
    [`${HOME}/heating/dhw/oneTimeCharge/active`, 'ON', 'activate', {}, 'true'],
    [`${HOME}/heating/dhw/hygiene/enabled`, '1', 'enable', {}, 'true'],
    [`${HOME}/heating/dhw/temperature/hysteresis/switchOnValue`, '4.5', 'setHysteresisSwitchOnValue', { hysteresis: 4.5 }, '4.5'],
    [`${HOME}/heating/circuits/0/temperature/levels/max`, '50', 'setMax', { temperature: 50 }, '50'],
  ])('%s %s', async (topic, payload, command, body, shown) => {
    const outcome = await write(system(), `${topic}/set`, payload);
    expect(outcome.terminal).toMatchObject({ status: 'applied', command, topic: `${topic}/set` });
    expect(sentBy(outcome)).toEqual(body);
    expect(outcome.posts[0]?.path).toContain(`/commands/${command}`);
    expect(system().recorder.last(topic)).toBe(shown);
  });

  test('what was rounded is told, in every answer', async () => {
    const { terminal } = await write(system(), `${PROGRAM}/reduced/temperature/set`, '{"value":16.667,"id":"f"}');
    expect(terminal).toMatchObject({ id: 'f', status: 'applied', rounded_from: 16.667 });
    const again = await write(system(), `${PROGRAM}/reduced/temperature/set`, '17.2');
    expect(again).toMatchObject({ terminal: { status: 'unchanged', rounded_from: 17.2 }, posts: [], reads: 0 });
  });

  test('several at once, by one command', async () => {
    const outcome = await write(system(), `${CURVE}/set`, '{"slope":1.2,"shift":-2}');
    expect(outcome.terminal).toMatchObject({ status: 'applied', command: 'setCurve' });
    expect(sentBy(outcome)).toEqual({ slope: 1.2, shift: -2 });
    const holiday = await write(system(), `${HOLIDAY}/set`, '{"start":"2030-12-21","end":"2030-12-24"}');
    expect(holiday.terminal).toMatchObject({ status: 'applied', command: 'schedule' });
    const longer = await write(system(), `${HOLIDAY}/end/set`, '2030-12-27T00:00');
    expect(longer.terminal).toMatchObject({ status: 'applied', command: 'changeEndDate' });
    expect(sentBy(longer)).toEqual({ end: '2030-12-27' });
  });

  test('two values of one command that come together do not undo each other', async () => {
    const { recorder } = system();
    const from = recorder.heard.length;
    const posts = system().posts().length;
    const both = [`${CURVE}/slope/set`, `${CURVE}/shift/set`];
    await Promise.all(both.map((topic, index) => recorder.publish(topic, ['0.5', '5'][index] ?? '')));
    const said = await Promise.all(both.map((topic) => terminalFor(recorder, topic, from)));
    expect(said.map(({ status }) => status)).toEqual(['applied', 'applied']);
    await barrier(system());
    await recorder.untilTopic(`${CURVE}/slope`, '0.5', from);
    await recorder.untilTopic(`${CURVE}/shift`, '5', from);
    await system().untilSo(() => system().posts().length === posts + 2);
    expect(system().posts().at(-1)?.body).toBe(JSON.stringify({ shift: 5, slope: 0.5 }));
  });

  // What else is refused: test/unit/bridge/writes/parse/parsePropertyWrite.test.ts.
  test('what is refused costs no call, says what would be right, and hubs see a change to what there is', async () => {
    const topic = `${PROGRAM}/normal/temperature`;
    const from = system().recorder.heard.length;
    const { terminal, posts, reads, others } = await write(system(), `${topic}/set`, '40');
    const errors = [expect.objectContaining({ rule: 'max', path: '', nearest: [37] })];
    expect(terminal).toMatchObject({ status: 'rejected', code: 'invalid', errors });
    expect({ posts, reads }).toEqual({ posts: [], reads: 0 });
    expect(others.filter((heard) => heard.topic === topic)).toMatchObject([{ payload: '' }]);
    expect((await system().retained()).get(topic)).toBe('22');
    await system().recorder.untilTopic(topic, '22', from);
    // A program does not keep what it sent: it sees no flicker.
    expect((await write(system(), `${topic}/set`, '{"value":40}')).others).toMatchObject([{ topic, payload: '22' }]);
  });
});

describe('the round-trip law', () => {
  const system = sharedSystem(ALL);

  test('what every state topic shows is accepted on its set topic and changes nothing, if it has one', async () => {
    const shown = [...(await system().retained())].filter(([topic]) => topic.startsWith(`${HOME}/`));
    const posts = system().posts().length;
    const codes = new Map<string, number>();
    for (const [topic, payload] of shown) {
      if (readCommandTopic('heating2mqtt', `${topic}/set`) === undefined) continue;
      const { terminal } = await write(system(), `${topic}/set`, payload);
      const said = terminal.status === 'unchanged' ? terminal.status : `${terminal.code}`;
      codes.set(said, (codes.get(said) ?? 0) + 1);
      expect(['unchanged', 'not_writable', 'unknown_feature'], `${topic} ${payload}: ${terminal.message}`).toContain(said);
    }
    expect(codes.get('unchanged')).toBeGreaterThan(60);
    expect(system().posts().length).toBe(posts);
  });
});
