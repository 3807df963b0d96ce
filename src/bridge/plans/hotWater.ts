import { hygieneAt, type ValueAt } from '../../schedule/hints/facts.ts';
import type { PlanInput } from '../../schedule/prices/planHotWater.ts';
import type { Need } from '../../schedule/prices/priceReport.ts';
import { weekOn } from '../../topics/featureState.ts';
import { constraintsOf, schedulerOf } from '../../topics/scheduleCommand.ts';
import type { DeviceState } from '../state/deviceState.ts';
import type { Ends } from '../writes/ends/ends.ts';
import { placeOf } from '../writes/write/writeLog.ts';

export const HOT_WATER_WEEK = 'heating.dhw.schedule';

/** What a price plan needs to know of a device. */
export type HotWater = Pick<PlanInput, 'own' | 'defaultMode' | 'resolution' | 'maxEntries' | 'hygiene'> & Need;

/** A small household with a heat pump. */
const USUAL_KWH = 3;
const LEAST_KWH = 0.2;
const ELECTRIC = /^heating\.(?:compressors|heatingRod)(?:\.|$)/u;
const BURNER = /^heating\.(?:burners|fuelCell)(?:\.|$)/u;

/** The hot water of a device; undefined where not heated by electricity, or its week is not writable. */
export const hotWaterOf = (state: DeviceState, ends: Pick<Ends, 'lasting'>): HotWater | undefined => {
  const shown = state.shown(HOT_WATER_WEEK);
  if (!shown?.isEnabled || !schedulerOf(shown) || !has(state, ELECTRIC) || has(state, BURNER)) return undefined;
  const lasting = ends.lasting(placeOf(state.device, HOT_WATER_WEEK), shown);
  const own = weekOn(lasting);
  if (!own) return undefined;
  const { defaultMode, resolution = 10, maxEntries = 4 } = constraintsOf(shown);
  const at: ValueAt = (feature, property) => state.shown(feature)?.properties.get(property)?.value;
  const measured = measuredKwh(at);
  const hygiene = hygieneAt(at);
  return {
    ...{ own, defaultMode, resolution, maxEntries, hygiene: hygiene?.isOn ? hygiene.runs : [] },
    kwh: measured ?? USUAL_KWH,
    isMeasured: measured !== undefined,
  };
};

/** Many heat pumps list burners too: none of them enabled. */
const has = ({ truths }: DeviceState, what: RegExp): boolean =>
  truths.some(({ name, isEnabled, properties }) => {
    const listed = properties.get('enabled')?.value;
    return isEnabled && what.test(name) && !(Array.isArray(listed) && listed.length === 0);
  });

/** The mean energy per day of the last seven days, kWh. */
const measuredKwh = (at: ValueAt): number | undefined => {
  const week = at('heating.power.consumption.summary.dhw', 'lastSevenDays');
  const days = at('heating.power.consumption.dhw', 'day');
  const past = Array.isArray(days) ? days.slice(1, 8).filter((day) => typeof day === 'number') : [];
  const sum = past.reduce((total, day) => total + day, 0);
  const mean = typeof week === 'number' ? week / 7 : past.length > 0 ? sum / past.length : 0;
  return mean >= LEAST_KWH ? mean : undefined;
};
