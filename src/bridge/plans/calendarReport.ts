import type { Agenda } from '../../schedule/calendar/agenda.ts';
import { printInstant } from '../../schedule/zone.ts';
import type { DeviceState } from '../state/deviceState.ts';
import type { TargetSettings } from './calendarTargets.ts';

const MOST_SHOWN = 200;

/** What the events do, as `bridge/calendar` shows it, in the local times of each device. */
export const agendaReport = (
  { entries, unmatched, without }: Agenda,
  states: ReadonlyMap<string, DeviceState>,
  { zone }: Pick<TargetSettings, 'zone'>,
): object => {
  const zoneOf = (name: string): string => {
    const state = [...states.values()].find(({ device }) => device.name === name);
    return state ? zone(state.device) : 'UTC';
  };
  return {
    plan: entries.slice(0, MOST_SHOWN).map(({ device, feature, beginMs, untilMs, titles, rule, effect, command, insteadOf }) => ({
      begin: printInstant(beginMs, zoneOf(device)),
      until: printInstant(untilMs, zoneOf(device)),
      ...{ device, feature, titles },
      does: 'name' in effect ? { [effect.kind]: effect.name } : { [effect.kind]: command.value },
      rule,
      ...(insteadOf.length === 0 ? {} : { instead_of: insteadOf }),
    })),
    unmatched: unmatched.slice(0, MOST_SHOWN),
    without_target: without.slice(0, MOST_SHOWN),
  };
};
