import type { Tick } from '../home/house.ts';
import type { View } from './view.ts';

const QUICK = 'ventilation.quickmodes.forcedLevelFour';
const FILTER = 'ventilation.filter.runtime';

/** Counts the minutes of the quick mode and ends it after its runtime. True while it runs. */
const quickMode = (view: View, minutes: number): boolean => {
  if (!view.isOn(QUICK)) {
    view.setInner('quick mode minutes', 0);
    view.put(QUICK, 'timeout', 0);
    return false;
  }
  const runtime = view.number(QUICK, 'timeout') || (view.number(QUICK, 'defaultRuntime') ?? 30);
  const ran = view.inner('quick mode minutes', 0) + minutes;
  view.setInner('quick mode minutes', ran);
  if (ran < runtime) return true;
  view.put(QUICK, 'active', false);
  return false;
};

const reasonAndLevel = (view: View, { wall, minutes }: Tick): readonly [string, string] => {
  const mode = view.text('ventilation.operating.modes.active');
  const forced = quickMode(view, minutes);
  if (mode === 'standby') return ['permanent', 'standby'];
  if (forced) return ['quickmode', 'levelFour'];
  return mode === 'standard' ? ['permanent', 'levelTwo'] : ['schedule', view.scheduled('ventilation.schedule', wall) ?? 'levelTwo'];
};

/** The ventilation: level by mode, quick mode and schedule; operating hours of the filter. */
export const ventilation = (view: View, tick: Tick): void => {
  const [reason, level] = reasonAndLevel(view, tick);
  view.put('ventilation.operating.programs.active', 'value', level);
  view.put('ventilation.operating.state', 'level', level);
  view.put('ventilation.operating.state', 'reason', reason);
  if (tick.minutes === 0 || tick.wall.minute % 60 !== 0 || level === 'standby') return;
  const add = (property: string, hours: number): void =>
    view.put(FILTER, property, Math.max((view.number(FILTER, property) ?? 0) + hours, 0));
  add('operatingHours', 1);
  if ((view.number(FILTER, 'remainingHours') ?? 0) > 0) add('remainingHours', -1);
  else add('overdueHours', 1);
};
