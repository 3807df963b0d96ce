import { expect, test } from 'vitest';
import { sharedSystem, write } from '../../support/schedules/writing.ts';
import { ALL } from '../../support/system/outcome.ts';
import { SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

const HOLIDAY = 'heating2mqtt/home/heating/operating/programs/holiday';
const CLIMATE = 'heating2mqtt/home/heating/circuits/0/climate';
const BRIDGE = 'heating2mqtt/bridge';
const NO_TOPIC = 'heating2mqtt/home/set';

const english = sharedSystem(ALL);
const german = sharedSystem({ ...ALL, overrides: { ...ALL.overrides, language: 'de' } });

/** What is said of a message that is refused, or that discards something: in English, in German. */
test.each<[topic: string, payload: string, says: RegExp, sagt: RegExp]>([
  [
    `${SCHEDULE_TOPIC}/montag/set`,
    '6-8 normal',
    /^montag of heating\.circuits\.0\.heating\.schedule cannot be written here; use mon\/set$/,
    /^heating\.circuits\.0\.heating\.schedule\.montag lässt sich hier nicht schreiben; stattdessen: mon\/set\.$/,
  ],
  [`${CLIMATE}/set`, '20', /use mode\/set, target\/set, preset\/set of/, /stattdessen: mode\/set, target\/set, preset\/set\.$/],
  [`${SCHEDULE_TOPIC}/until/set`, 'tomorrow', /here also now, restore, keep, or a duration such as 2h$/, /^„tomorrow“ ist kein Ende;/],
  [
    'heating2mqtt/home/heating/circuits/0/heating/curve/set',
    '{"slope":1.1,"shft":2}',
    /has no property shft; shift, slope can be written$/,
    /^„shft“ gehört nicht zu diesem Befehl; möglich: shift, slope\.$/,
  ],
  [`${HOLIDAY}/call/schedule`, '{"start":"2030-12-21"}', /^end is missing; schedule needs it$/, /^Es fehlt „end“\.$/],
  [`${BRIDGE}/pol/set`, 'x', /; did you mean bridge\/poll\/set\?$/, /; gemeint vielleicht bridge\/poll\/set\?$/],
  [`${BRIDGE}/nothing/set`, 'x', /; below heating2mqtt there are bridge\/poll\/set, /, /; unter heating2mqtt gibt es bridge\/poll\/set, /],
  [NO_TOPIC, 'x', /as in heating2mqtt\/<device>\/<feature>\/set$/, /wie heating2mqtt\/<Gerät>\/<Feature>\/set\.$/],
])('what is said of %s', async (topic, payload, says, sagt) => {
  for (const [system, words] of [[english(), says] as const, [german(), sagt] as const]) {
    const { terminal } = await write(system, topic, payload, topic === NO_TOPIC ? { result: `${BRIDGE}/result` } : {});
    expect(terminal).toMatchObject({ status: 'rejected', message: expect.stringMatching(words) });
  }
});

test('what waited is discarded in German', async () => {
  const system = german();
  await system.recorder.publish(`${HOLIDAY}/start/set`, '2030-12-21');
  const { terminal } = await write(system, `${HOLIDAY}/waiting/set`, 'x');
  expect(terminal).toMatchObject({ status: 'applied', message: expect.stringMatching(/^Das Vorgemerkte ist verworfen;/) });
});
