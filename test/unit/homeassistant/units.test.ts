import { describe, expect, it } from 'vitest';
import { measure } from '../../../src/homeassistant/units.ts';

describe('what a unit means to a hub', () => {
  it.each([
    ['celsius', 'heating.sensors.temperature.outside', 'value', '°C', 'temperature', 'measurement'],
    ['Celsius', 'heating.sensors.temperature.outside', 'value', '°C', 'temperature', 'measurement'],
    ['celsius', 'heating.configuration.flow.temperature.max', 'value', '°C', 'temperature', undefined],
    ['kelvin', 'heating.dhw.temperature.hysteresis', 'value', 'K', undefined, 'measurement'],
    ['percent', 'rooms.0.sensors.humidity', 'value', '%', 'humidity', 'measurement'],
    ['percent', 'device.power.battery', 'level', '%', 'battery', 'measurement'],
    ['percent', 'heating.burners.0.modulation', 'value', '%', undefined, 'measurement'],
    ['kilowattHour', 'heating.power.consumption.summary.dhw', 'currentDay', 'kWh', 'energy', 'total_increasing'],
    ['kilowattHour', 'heating.power.consumption.summary.dhw', 'currentYear', 'kWh', 'energy', 'total_increasing'],
    ['wattHour', 'photovoltaic.production.cumulated', 'lifeCycle', 'Wh', 'energy', 'total_increasing'],
    ['wattHour', 'pcc.transfer.consumption.total', 'value', 'Wh', 'energy', 'total_increasing'],
    ['kilowattHour', 'heating.power.consumption.summary.dhw', 'lastSevenDays', 'kWh', 'energy', undefined],
    ['kilowattHour', 'heating.power.consumption.summary.dhw', 'lastMonth', 'kWh', 'energy', undefined],
    ['cubicMeter', 'heating.gas.consumption.summary.dhw', 'currentMonth', 'm³', 'gas', 'total_increasing'],
    ['cubicMeter', 'water.consumption.summary', 'currentMonth', 'm³', 'water', 'total_increasing'],
    ['cubicMeter', 'heating.oil.volume', 'value', 'm³', 'volume', undefined],
    ['watt', 'heating.inverters.0.sensors.power.output', 'value', 'W', 'power', 'measurement'],
    ['bar', 'heating.sensors.pressure.supply', 'value', 'bar', 'pressure', 'measurement'],
    ['liter', 'heating.bufferCylinder.size', 'value', 'L', 'volume_storage', 'measurement'],
    ['liter/hour', 'heating.sensors.volumetricFlow.allengra', 'value', 'L/h', 'volume_flow_rate', 'measurement'],
    ['cubicMeter/hour', 'ventilation.volumeFlow.current.input', 'value', 'm³/h', 'volume_flow_rate', 'measurement'],
    ['hour', 'heating.burners.0.statistics', 'hours', 'h', 'duration', 'total_increasing'],
    ['hours', 'ventilation.filter.runtime', 'remainingHours', 'h', 'duration', undefined],
    ['hour', 'ventilation.fan.supply.runtime', 'value', 'h', 'duration', 'total_increasing'],
    ['minutes', 'ventilation.quickmodes.silent', 'defaultRuntime', 'min', 'duration', undefined],
    ['seconds', 'heating.heatingRod.runtime', 'levelOne', 's', 'duration', 'total_increasing'],
    ['day', 'ventilation.filter.information', 'filterRuntimeResetValue', 'd', 'duration', undefined],
    ['microgrammsPerCubicMeter', 'ventilation.airQuality.pm2d5', 'value', '\u03bcg/m³', 'pm25', 'measurement'],
    ['microgrammsPerCubicMeter', 'ventilation.airQuality.dust', 'value', '\u03bcg/m³', undefined, 'measurement'],
    ['rotationPerMinute', 'ventilation.fan.supply', 'current', 'rpm', undefined, 'measurement'],
    ['kilowattHour/year', 'heating.configuration.houseHeatingLoad', 'value', 'kWh/a', undefined, undefined],
    ['furlong', 'heating.sensors.temperature.outside', 'value', 'furlong', undefined, undefined],
    ['constructor', 'a', 'value', 'constructor', undefined, undefined],
    ['', 'heating.burners.0.statistics', 'starts', undefined, undefined, 'total_increasing'],
    ['', 'heating.scop.total', 'value', undefined, undefined, 'measurement'],
    ['', 'heating.circuits.0.heating.curve', 'slope', undefined, undefined, undefined],
    ['', 'gateway.wifi', 'strength', undefined, undefined, undefined],
  ])('%s of %s %s: unit %s, class %s, statistics %s', (unit, feature, property, symbol, deviceClass, stateClass) => {
    const { unit_of_measurement, device_class, state_class } = measure(unit, feature, property);
    expect([unit_of_measurement, device_class, state_class]).toEqual([symbol, deviceClass, stateClass]);
  });
});
