import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** `start` and `end`: days, or moments with an offset, as the calendars of Home Assistant have them. */
export type Event = { readonly summary: string; readonly start: string; readonly end: string };

const MANIFEST = { domain: 'events_of_a_test', name: 'Events of a test', version: '1.0.0', codeowners: [], requirements: [] };

const CALENDAR = (events: readonly Event[]): string => `
from datetime import date, datetime

from homeassistant.components.calendar import CalendarEntity, CalendarEvent


def moment(text):
    return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)


EVENTS = [
    CalendarEvent(summary=one["summary"], start=moment(one["start"]), end=moment(one["end"]))
    for one in ${JSON.stringify(events)}
]


class Family(CalendarEntity):
    _attr_name = "Family"
    event = None

    async def async_get_events(self, hass, start, end):
        return [one for one in EVENTS if one.start_datetime_local < end and one.end_datetime_local > start]


async def async_setup_platform(hass, config, add, info=None):
    add([Family()])
`;

/**
 * Gives Home Assistant, from its next start on, `calendar.family` with these events. Its own local calendar would do the same, but is one more
 * package to install.
 */
export const addCalendar = (configDir: string, events: readonly Event[]): void => {
  const folder = path.join(configDir, 'custom_components', MANIFEST.domain);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(MANIFEST));
  writeFileSync(path.join(folder, '__init__.py'), '');
  writeFileSync(path.join(folder, 'calendar.py'), CALENDAR(events));
  const calendar = [{ platform: MANIFEST.domain }];
  writeFileSync(path.join(configDir, 'packages', 'family.yaml'), JSON.stringify({ calendar }));
};
