import type { Json } from '../../http/json.ts';
import {
  celsius,
  flag,
  list,
  NO_SENSOR,
  number,
  ofLength,
  oneOf,
  optional,
  parameter,
  range,
  SIMPLE_SCHEDULE,
  schedule,
  sensor,
  setTemperature,
  text,
} from './describe.ts';

const NAME = ofLength(1, 39, { regEx: '^[\\p{L}0-9]+( [\\p{L}0-9]+)*$' });
const TYPE = oneOf('bathroom', 'bedroom', 'hallway', 'livingroom', 'kitchen', 'office', 'nursery', 'toilet', 'other');
const ACTOR = parameter('string');
const CIRCUIT = optional(parameter('number', { enum: [0, 1] }));

const room = (name: string, type: string, actors: readonly Json[]) => ({
  properties: { name: text(name), type: text(type), actors: list(actors) },
  commands: {
    setName: { params: { name: NAME } },
    setType: { params: { type: TYPE } },
    addActor: { constraints: { enum: ['fht', 'trv', 'cs'] }, params: { actorDeviceId: ACTOR, heatingCircuit: CIRCUIT } },
    removeActor: { params: { actorDeviceId: ACTOR } },
    moveActor: { params: { actorDeviceId: ACTOR, newRoomId: range(0, 23), heatingCircuit: CIRCUIT } },
    remove: {},
  },
});

const program = (active: boolean, temperature: number) => ({
  properties: { active: flag(active), temperature: celsius(temperature) },
  commands: { setTemperature: setTemperature(8, 30, 0.5) },
});

const STATE = {
  properties: { level: text('normal'), demand: text('energySaving'), reason: text('schedule'), modifier: text('none') },
};

const MANUAL = {
  properties: { active: flag(false) },
  hidden: { temperature: 21 },
  commands: {
    activate: { params: { temperature: range(8, 30, 0.5) } },
    deactivate: {},
    setTemperature: { when: { active: true }, ...setTemperature(8, 30, 0.5) },
  },
};

const CHILD_LOCK = {
  properties: { active: flag(false), status: text('inactive') },
  commands: { activate: {}, deactivate: {}, setActive: { params: { active: parameter('boolean') } } },
};

/** The device that controls two rooms. */
export const roomControl = {
  model: 'Demo_RoomControl',
  type: 'roomControl',
  roles: ['type:virtual;smartRoomControl'],
  features: {
    rooms: { properties: { enabled: list(['0', '1']) }, commands: { add: { params: { name: NAME, type: TYPE } } } },
    'rooms.0': room('Living room', 'livingroom', [{ deviceId: 'zigbee-0000000000000001' }, { deviceId: '0', heatingCircuit: 0 }]),
    'rooms.1': room('Bathroom', 'bathroom', [{ deviceId: 'zigbee-0000000000000002' }]),
    'rooms.0.operating.programs.normalHeating': program(true, 20.5),
    'rooms.1.operating.programs.normalHeating': program(true, 22),
    'rooms.0.operating.programs.reducedHeating': program(false, 18),
    'rooms.1.operating.programs.reducedHeating': program(false, 18),
    'rooms.0.operating.state': STATE,
    'rooms.1.operating.state': STATE,
    'rooms.0.quickmodes.manualTillNextSchedule': MANUAL,
    'rooms.1.quickmodes.manualTillNextSchedule': MANUAL,
    'rooms.0.schedule': schedule(true, [['06:00 22:00 normal']], SIMPLE_SCHEDULE),
    'rooms.1.schedule': schedule(true, [['17:00 21:00 comfort', '06:00 08:30 normal']], SIMPLE_SCHEDULE),
    'rooms.0.sensors.temperature': sensor(celsius(20.8)),
    'rooms.1.sensors.temperature': NO_SENSOR,
    'rooms.0.sensors.humidity': sensor(number(52, 'percent')),
    'rooms.1.sensors.humidity': sensor(number(58, 'percent')),
    'rooms.0.childLock': CHILD_LOCK,
    'rooms.1.childLock': CHILD_LOCK,
  },
};
