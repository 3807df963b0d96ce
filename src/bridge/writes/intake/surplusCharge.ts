import type { Feature } from '../../../features/feature.ts';
import { type Clock, HOUR_MS } from '../../../shared/clock.ts';
import { jsonObject } from '../../../shared/json.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import { type DeferredContent, refuse } from '../parse/evaluate.ts';
import type { Refusal } from '../request/rejection.ts';
import type { SentCommand } from '../send/mergeWrites.ts';
import type { Place } from '../write/writeLog.ts';

/** Limits, because each charge starts the compressor. */
const MOST_A_DAY = 2;
const BETWEEN_MS = 3 * HOUR_MS;
/** A cylinder within this many K of its target is warm: the compressor would run for only minutes. */
const NEAR_K = 3;
const FEATURE = 'heating.dhw.oneTimeCharge';
const COMMAND = 'activate';
const OFF = new Set(['false', 'off', '0', 'none', '']);

/**
 * The charges of a day, independent of the machine's clock: their ages (milliseconds, newest first), and when
 * there are calls for another (`roomInMs`; undefined: never).
 */
type Charges = { charges(place: Place): { readonly roomInMs: number | undefined; readonly agesMs: readonly number[] } };

export type SurplusCharge = ReturnType<typeof surplusCharge>;

/** True for the feature whose `surplus` topic starts a charge with surplus energy. */
export const takesSurplus = ({ name, isEnabled, commands, properties }: Feature): boolean =>
  name === FEATURE && isEnabled && commands.has(COMMAND) && !properties.has('surplus');

/** Says of a command that starts a charge whether surplus energy caused it; else undefined. */
export const chargeOf = ({ feature, command, shares }: Pick<SentCommand, 'feature' | 'command' | 'shares'>) =>
  feature === FEATURE && command === COMMAND
    ? { isSurplus: shares.some(({ request }) => request.source.endsWith('/surplus/set')) }
    : undefined;

/**
 * Starts a one-time charge of hot water with surplus energy: at most two in 24 hours, three hours apart,
 * counting manual and failed charges too, and none while the cylinder is warm. Refuses at once where the
 * device's state does not matter.
 */
export const surplusCharge = (sent: Charges, clock: Pick<Clock, 'now'>) => {
  const refusalNow = (place: Place): Refusal | undefined => {
    const { agesMs, roomInMs = 24 * HOUR_MS } = sent.charges(place);
    const [last = BETWEEN_MS, limiting = 24 * HOUR_MS] = [agesMs[0], agesMs[MOST_A_DAY - 1]];
    const chargeInMs = Math.max(BETWEEN_MS - last, 24 * HOUR_MS - limiting);
    if (chargeInMs <= 0 && roomInMs <= 0) return undefined;
    const from = new Date(clock.now() + Math.max(chargeInMs, roomInMs)).toISOString();
    const why =
      chargeInMs > 0
        ? `at most ${MOST_A_DAY} charges in 24 hours, ${BETWEEN_MS / HOUR_MS} hours apart`
        : 'the calls that plans and surplus may take in 24 hours are used';
    const facts = { about: chargeInMs > 0 ? 'charge_often' : 'plan_calls', from } as const;
    return { code: 'too_often', message: `${why}; possible again from ${from}`, facts };
  };
  return (place: Place, state: DeviceState, text: string): DeferredContent | Refusal => {
    const value = jsonObject(text)?.['value'] ?? text;
    // String() throws for an object whose toString is not a function.
    if (typeof value !== 'object' && OFF.has(String(value).trim().toLowerCase()))
      return {
        code: 'not_executable',
        message: 'a charge ends automatically and cannot be stopped here',
        facts: { about: 'charge_ends' },
      };
    const refused = refusalNow(place);
    if (refused) return refused;
    const resolve = (): ReturnType<DeferredContent['resolve']> => {
      // Another charge may have been sent while this one waited for its turn.
      const refusedSince = refusalNow(place);
      if (refusedSince) return { kind: 'reject', mayAge: false, ...refusedSince };
      const [celsius, target] = [cylinderOf(state), numberOf(state, 'heating.dhw.temperature.main')];
      if (celsius !== undefined && target !== undefined && celsius > target - NEAR_K) {
        const message = `the cylinder is warm: it has ${celsius} of ${target} °C`;
        return refuse('not_executable', message, false, { about: 'charge_warm', celsius, target });
      }
      return { command: COMMAND, content: { kind: 'arguments', args: {}, placeOf: () => '' } };
    };
    return { kind: 'deferred', resolve };
  };
};

const numberOf = (state: DeviceState, feature: string): number | undefined => {
  const value = state.shown(feature)?.properties.get('value')?.value;
  return typeof value === 'number' ? value : undefined;
};

const CYLINDERS = ['heating.dhw.sensors.temperature.dhwCylinder', 'heating.dhw.sensors.temperature.hotWaterStorage'];

/** The temperature of the cylinder (°C); undefined where no sensor shows it. */
const cylinderOf = (state: DeviceState): number | undefined =>
  CYLINDERS.map((name) => numberOf(state, name)).find((value) => value !== undefined);
