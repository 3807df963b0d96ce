import { setting } from './validation/formats.ts';
import type { Section } from './validation/rows.ts';

/** The settings of energy costs and gas. */
export const ENERGY_ROWS = {
  energy: {
    price: setting.number(
      { min: 0, max: 100_000, default: null, example: '0.29' },
      'Price of a kWh of electricity, in your currency, without fixed fees. The cost of each day is computed with the price of that day.',
    ),
    gas_price: setting.number(
      { min: 0, max: 100_000, default: null, example: '0.11' },
      'Price of a kWh of gas; of a m³ if the heating reports m³, and gas.calorific_value or gas.state_number is not set.',
    ),
    co2: setting.number({ min: 0, max: 10_000, default: null, example: '380' }, 'CO₂ of a kWh of electricity, in g.'),
    gas_co2: setting.number(
      { min: 0, max: 100_000, default: null, example: '201' },
      'CO₂ of a kWh or m³ of gas, in g; for the unit see energy.gas_price.',
    ),
  },
  gas: {
    calorific_value: setting.number(
      { min: 1, max: 50, default: null, example: '11.3' },
      'Calorific value of your gas in kWh per m³, as on your bill. With gas.state_number, gas is also shown in kWh.',
    ),
    state_number: setting.number(
      { min: 0.5, max: 1.5, default: null, example: '0.95' },
      'State number (volume conversion factor) of your gas, as on your bill.',
    ),
  },
} as const;

/** The settings of calendars. */
export const CALENDAR = {
  rules: setting.calendarRules(
    { default: [], example: '["Away -> profile summer; lead 2h"]' },
    'Effects of calendar events: an ordered list of TITLE -> EFFECT. The effect is profile NAME, program NAME, holiday or holiday-at-home; the first matching rule applies. Nothing is sent until a person has approved the preview.',
  ),
  addresses: setting.secretUrls(
    { default: null, sensitive: true, example: 'https://calendar.example.com/private/basic.ics' },
    'Addresses of calendars (ICS), separated by spaces: https: or webcal:, read each hour. The address is a secret: only its host and its last 4 characters are shown.',
  ),
  allow_private: setting.flag(
    { default: false },
    'true = calendar addresses may be in your own network, and may begin with http:. The page cannot change it.',
  ),
} satisfies Section;

/** The settings of a price plan. */
export const PRICE_ROWS = {
  topic: setting.topic(
    { default: null, defaultText: 'not set', example: 'evcc/site/forecast/grid' },
    'Topic with electricity prices; the bridge then proposes when to heat water at the lowest price. Nothing is sent until a person orders it.',
  ),
  url: setting.secretUrl(
    { default: null, sensitive: true, example: 'https://prices.example.com/prices.json' },
    'Address (https:) of prices as JSON, read each hour, instead of prices.topic or in addition to it. The address is a secret: only its host and its last 4 characters are shown.',
  ),
  allow_private: setting.flag(
    { default: false },
    'true = prices.url may be in your own network, and may begin with http:. The page cannot change it.',
  ),
  unit: setting.choice(
    { choices: ['auto', 'MWh', 'kWh', 'cent'], default: 'auto' },
    'Unit of the prices: per MWh, per kWh, or cents per kWh. auto = as the source says; else it is guessed, and no costs are shown.',
  ),
  currency: setting.currency({ default: 'EUR', example: 'EUR' }, 'Currency of the prices, as a code of three letters.'),
  windows: setting.windows(
    { default: ['22:00-06:30 60 min', '11:00-18:00 60 min'], example: '[22:00-06:30 60 min, 11:00-18:00 60 min]' },
    'Time windows of a price plan, at most three: in each, water is heated for the given minutes, at least 60. It is hot at the end of the window.',
  ),
} as const;
