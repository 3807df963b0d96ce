import { expect, onTestFinished, test } from 'vitest';
import { SCHEDULE_TOPIC, startHouse } from '../support/house.ts';
import { ALL, published } from '../support/outcome.ts';
import { answersOn, RESULT, SET, terminalFor, write } from '../support/writing.ts';

test('a week that ends by itself comes back at its instant', async () => {
  const house = await startHouse(ALL);
  onTestFinished(() => house.close());
  await published(house);
  const before = house.ear.last(`${SCHEDULE_TOPIC}/text`);
  const from = house.ear.heard.length;
  const { terminal } = await write(house, SET, JSON.stringify({ value: 'mon-sun none', for: '2s', id: 1 }));
  console.log(terminal, house.ear.last(`${SCHEDULE_TOPIC}/until`));
  expect(terminal.status).toBe('applied');
  const back = await terminalFor(house.ear, `${SCHEDULE_TOPIC}/until`, from);
  console.log(back, answersOn(house.ear.heard, RESULT));
  expect(back).toMatchObject({ status: 'applied' });
  expect(house.ear.last(`${SCHEDULE_TOPIC}/text`)).toBe(before);
  expect(house.ear.last(`${SCHEDULE_TOPIC}/until`)).toBe(undefined);
});
