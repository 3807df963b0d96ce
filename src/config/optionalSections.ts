import { setting } from './validation/formats.ts';
import type { Section } from './validation/rows.ts';

/** The settings of energy costs and gas. */
export const ENERGY_ROWS = {
  energy: {
    price: setting.number(
      { min: 0, max: 100_000, default: null, example: '0.29' },
      'Price of a kWh of electricity, in your money. Each day is counted with the price of that day, without fixed fees.',
    ),
    gas_price: setting.number(
      { min: 0, max: 100_000, default: null, example: '0.11' },
      'Price of a kWh of gas; of a m³ where the heating tells m³ and gas.calorific_value or gas.state_number is not set.',
    ),
    co2: setting.number({ min: 0, max: 10_000, default: null, example: '380' }, 'g CO₂ of a kWh of electricity.'),
    gas_co2: setting.number({ min: 0, max: 100_000, default: null, example: '201' }, 'g CO₂ of a kWh of gas, or m³, as energy.gas_price.'),
  },
  gas: {
    calorific_value: setting.number(
      { min: 1, max: 50, default: null, example: '11.3' },
      'Calorific value of your gas in kWh for each m³, as your bill says. With gas.state_number, gas is shown in kWh too.',
    ),
    state_number: setting.number({ min: 0.5, max: 1.5, default: null, example: '0.95' }, 'State number of your gas, as your bill says.'),
  },
} as const;

/** The settings of calendars. */
export const CALENDAR = {
  rules: setting.calendarRules(
    { default: [], example: '["Away -> profile summer; lead 2h"]' },
    'What events of calendars do: an ordered list, TITLE -> EFFECT. The effect is profile NAME, program NAME, holiday or holiday-at-home; the first rule that fits counts. Nothing is done until a person has approved the preview.',
  ),
  addresses: setting.secretUrls(
    { default: null, sensitive: true, example: 'https://calendar.example.com/private/basic.ics' },
    'Addresses of calendars (ICS), separated by blanks: https: or webcal:, read each hour. The address is a secret: only its host and its last 4 characters are shown.',
  ),
  allow_private: setting.flag(
    { default: false },
    'true = addresses of calendars may lead into your own network, and with http: too. The page cannot change it.',
  ),
} satisfies Section;

/** The settings of a price plan. */
export const PRICE_ROWS = {
  topic: setting.topic(
    { default: null, defaultText: 'not set', example: 'evcc/site/forecast/grid' },
    'Topic on which prices of electricity come; with it the bridge proposes when hot water is cheapest. Nothing is sent before a person orders it.',
  ),
  url: setting.secretUrl(
    { default: null, sensitive: true, example: 'https://prices.example.com/prices.json' },
    'Address (https:) of prices as JSON, read each hour, in place of prices.topic or beside it. The address is a secret: only its host and its last 4 characters are shown.',
  ),
  allow_private: setting.flag(
    { default: false },
    'true = prices.url may lead into your own network, and with http: too. The page cannot change it.',
  ),
  unit: setting.choice(
    { choices: ['auto', 'MWh', 'kWh', 'cent'], default: 'auto' },
    'What a price is for: a MWh, a kWh, or a kWh in cents. auto = as the source says, else guessed, and then no money is shown.',
  ),
  currency: setting.currency({ default: 'EUR', example: 'EUR' }, 'Currency of the prices, as three letters.'),
  windows: setting.windows(
    { default: ['22:00-06:30 60 min', '11:00-18:00 60 min'], example: '[22:00-06:30 60 min, 11:00-18:00 60 min]' },
    'Windows of a price plan, three at most: from when to when hot water is made for so many minutes, 60 at least. It is ready at the end of each.',
  ),
} as const;
