import { setting } from './validation/formats.ts';
import type { Section } from './validation/rows.ts';

/** The settings of calendars. */
export const CALENDAR = {
  rules: setting.calendarRules(
    { default: [], example: '["Away -> profile summer; lead 2h"]' },
    'What events of calendars do: an ordered list, TITLE -> EFFECT. The effect is profile NAME, program NAME, holiday or holiday-at-home; the first rule that fits counts. Nothing is done until a person has approved the preview.',
  ),
  addresses: setting.text(
    { default: null, sensitive: true, example: 'https://calendar.example.com/private/basic.ics' },
    'Addresses of calendars (ICS), separated by blanks: https: or webcal:, read each hour. The address is a secret: only its host and its last 4 characters are shown.',
  ),
  allow_private: setting.flag(
    { default: false },
    'true = addresses of calendars may lead into your own network, and with http: too. The page cannot change it.',
  ),
} satisfies Section;
