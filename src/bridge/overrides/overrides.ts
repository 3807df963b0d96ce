import type { Request } from '../commands/command.ts';
import type { Reading } from '../compose.ts';
import type { BridgeSettings, Dependencies } from '../dependencies.ts';
import type { Device } from '../devices/deviceState.ts';
import type { Answers } from '../execution/resultPublisher.ts';
import { Temporaries } from './overrideRepository.ts';
import { Returns, type ReturnsParts } from './revertScheduler.ts';
import { setUntil } from './setUntil.ts';

/** All that has to do with writes that end by themselves. */
export type Ends = {
  readonly temporaries: Temporaries;
  readonly returns: Returns;
  /** Takes a message on `<feature>/until/set`. */
  readonly setUntil: (request: Request) => void;
  /** In whose local time ends are read and shown. */
  readonly zone: (device: Device) => string;
};

/** Makes and joins them; nothing begins before `returns` is run. */
export const makeEnds = (
  settings: BridgeSettings,
  doors: Dependencies,
  { devices, publisher, clockwork, left }: Reading,
  answers: Answers,
  submit: ReturnsParts['submit'],
): Ends => {
  const zone = (device: Device): string => clockwork.zone(device)?.name ?? settings.timeZone.machine;
  const parts = { ...doors, publisher, left, base: settings.base, states: devices.states, zone };
  const temporaries = new Temporaries({ ...parts, store: doors.temporaries });
  const returns = new Returns({ ...parts, temporaries, rules: settings.commands, submit });
  return { temporaries, returns, zone, setUntil: (request) => setUntil(request, { ...parts, temporaries, returns, answers }) };
};
