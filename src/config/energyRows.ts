import { setting } from './validation/formats.ts';

/** The settings of what energy costs, and of gas. */
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
