import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const BLUEPRINTS = path.resolve(import.meta.dirname, '../../../examples/home-assistant/blueprints/automation/heating2mqtt');

/** Home Assistant answers without a calendar that is unavailable: its events would end (test/hubs runs the blueprint in a real one). */
test('the blueprint for calendars sends nothing while one of them is neither on nor off', () => {
  const input = { tag: '!input', resolve: (name: string) => ({ input: name }) };
  const { conditions, actions } = parse(readFileSync(path.join(BLUEPRINTS, 'send_calendar.yaml'), 'utf8'), { customTags: [input] });
  const calendars = { input: 'calendars' };
  expect(actions[0]).toMatchObject({ action: 'calendar.get_events', target: { entity_id: calendars } });
  expect(conditions).toEqual([{ condition: 'state', entity_id: calendars, state: ['on', 'off'] }]);
});
