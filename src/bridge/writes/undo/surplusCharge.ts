import type { Feature } from '../../../features/feature.ts';
import type { Clock } from '../../../shared/clock.ts';
import { jsonObject } from '../../../shared/json.ts';
import type { WriteStore } from '../../ports.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import { type DeferredContent, refuse } from '../parse/evaluate.ts';
import { isSent, readWrite } from '../write/write.ts';
import type { Place, WriteLog } from '../write/writeLog.ts';

const HOUR_MS = 3_600_000;
/** Each charge starts the compressor. */
const MOST_A_DAY = 2;
/** So many calls all charges of a day take at most (`allowance.ts` reckons with them). */
const MOST_CALLS = 12;
/** What a charge takes beside the reads that confirm it: a read before it, and the POST. */
const CALLS_BESIDE_CONFIRMING = 2;
const BETWEEN_MS = 3 * HOUR_MS;
/** Nearer to its target than this a cylinder is warm (K): a charge would only start the compressor for minutes. */
const NEAR_K = 3;
/** A person's own charges and what the platform refused are among them. */
const MOST_LOOKED_AT = 30;
const COMMAND = 'activate';
const OFF = new Set(['false', 'off', '0', 'none', '']);

/** `confirm_s`: seconds after a write at which reads confirm it. */
export type SurplusRules = { readonly confirm_s: readonly number[] };

export type SurplusCharge = ReturnType<typeof surplusCharge>;

/** True for the feature whose `surplus` topic starts a charge with surplus energy. */
export const takesSurplus = ({ name, isEnabled, commands, properties }: Feature): boolean =>
  name === 'heating.dhw.oneTimeCharge' && isEnabled && commands.has(COMMAND) && !properties.has('surplus');

/**
 * What starts a one-time charge of the hot water with surplus energy: at most two in 24 hours (one where the setting has so many reads confirm
 * it that two would take more than `MOST_CALLS`), three hours apart, those of people counted too, and none while the cylinder is warm. The writes that are kept say when there was one, so that it holds over restarts.
 */
export const surplusCharge = (
  writes: Pick<WriteLog, 'sentOn'>,
  store: Pick<WriteStore, 'newest'>,
  clock: Pick<Clock, 'now'>,
  { confirm_s }: SurplusRules,
) => {
  const most = Math.min(MOST_A_DAY, Math.floor(MOST_CALLS / (CALLS_BESIDE_CONFIRMING + confirm_s.length)));
  /** When charges were started within the last day (epoch milliseconds), the newest first. */
  const lately = (place: Place): readonly number[] => {
    const rows = store.newest(place, MOST_LOOKED_AT).flatMap((row) => readWrite(row) ?? []);
    const sent = [...writes.sentOn(place), ...rows.filter(isSent)].filter(
      ({ command, state }) => command === COMMAND && state !== 'failed',
    );
    // One that seems to be ahead was made before the clock was set back.
    const at = new Map(sent.map((one) => [one.key, Math.min(one.at, clock.now())]));
    return [...at.values()].filter((ms) => ms > clock.now() - 24 * HOUR_MS).sort((a, b) => b - a);
  };

  return (place: Place, state: DeviceState, text: string): DeferredContent => ({
    kind: 'deferred',
    isChange: true,
    resolve: () => {
      const value = jsonObject(text)?.['value'] ?? text;
      if (OFF.has(String(value).trim().toLowerCase()))
        return refuse('not_executable', 'a charge that was started ends by itself; nothing ends it here', false, { about: 'charge_ends' });
      const charges = lately(place);
      const due = Math.max((charges[0] ?? 0) + BETWEEN_MS, (charges[most - 1] ?? 0) + 24 * HOUR_MS);
      if (due > clock.now()) {
        const from = new Date(due).toISOString();
        const message = `at most ${most} charge${most === 1 ? '' : 's'} in 24 hours, ${BETWEEN_MS / HOUR_MS} hours apart; possible again from ${from}`;
        return refuse('too_often', message, false, { about: 'charge_often', most, from });
      }
      const [celsius, target] = [cylinderOf(state), numberOf(state, 'heating.dhw.temperature.main')];
      if (celsius !== undefined && target !== undefined && celsius > target - NEAR_K) {
        const message = `the cylinder is warm: it has ${celsius} of ${target} °C`;
        return refuse('not_executable', message, false, { about: 'charge_warm', celsius, target });
      }
      return { command: COMMAND, content: { kind: 'arguments', args: {}, placeOf: () => '' } };
    },
  });
};

const numberOf = (state: DeviceState, feature: string): number | undefined => {
  const value = state.shown(feature)?.properties.get('value')?.value;
  return typeof value === 'number' ? value : undefined;
};

const CYLINDERS = ['heating.dhw.sensors.temperature.dhwCylinder', 'heating.dhw.sensors.temperature.hotWaterStorage'];

/** The temperature of the cylinder (°C); undefined where no sensor shows it. */
const cylinderOf = (state: DeviceState): number | undefined =>
  CYLINDERS.map((name) => numberOf(state, name)).find((value) => value !== undefined);
