import { setting } from './validation/formats.ts';

/** The settings of a price plan. */
export const PRICE_ROWS = {
  topic: setting.topic(
    { default: null, defaultText: 'not set', example: 'evcc/site/forecast/grid' },
    'Topic on which prices of electricity come; with it the bridge proposes when hot water is cheapest. Nothing is sent before a person orders it.',
  ),
  url: setting.text(
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
  currency: setting.text({ default: 'EUR', example: 'EUR' }, 'Currency of the prices, as three letters.'),
  windows: setting.windows(
    { default: ['22:00-06:30 60 min', '11:00-18:00 60 min'], example: '[22:00-06:30 60 min, 11:00-18:00 60 min]' },
    'Windows of a price plan, three at most: from when to when hot water is made for so many minutes, 60 at least. It is ready at the end of each.',
  ),
} as const;
