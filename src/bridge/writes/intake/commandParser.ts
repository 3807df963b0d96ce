import { planningCommand } from '../../../features/fields.ts';
import type { LocalNow } from '../../../schedule/ending.ts';
import type { Profile } from '../../../schedule/profile.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Checked } from '../../../shared/issue.ts';
import { readPress } from '../../../topics/commandPayload.ts';
import { schedulePropertyOf } from '../../../topics/featureState.ts';
import { governingWeek } from '../../../topics/governingWeek.ts';
import { schedulerOf } from '../../../topics/scheduleCommand.ts';
import type { Composites } from '../../state/composites.ts';
import { type Device, type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { DeferredContent } from '../parse/evaluate.ts';
import { parseCommand } from '../parse/parseCommand.ts';
import { parseCompositeWrite } from '../parse/parseCompositeWrite.ts';
import { type RequestedEnd, readRequestedEnd, withEnd } from '../parse/parseEnd.ts';
import type { Parsed } from '../parse/resolveWrite.ts';
import type { WaitingCommand } from '../parse/waitingCommand.ts';
import type { CommandRequest, DeviceRequest } from '../request/commandRequest.ts';
import { type CompositeTarget, type FeatureTarget, targetResolver } from '../request/commandTarget.ts';
import { addressRefusal, invalid } from '../request/rejection.ts';
import type { WaitingWrites } from '../send/waiting.ts';
import { type SurplusCharge, takesSurplus } from '../undo/surplusCharge.ts';
import type { ScheduleUndo } from '../undo/undo.ts';

type ParserSettings = {
  readonly base: string;
  readonly profiles: readonly Profile[];
  /** The time zone in which the ends of temporary writes of a device are read. */
  readonly zone: (device: Device) => string;
};

export type CommandParser = ReturnType<typeof commandParser>;

/** Resolves the address of a command and parses its payload. */
export const commandParser = (
  { base, profiles, zone }: ParserSettings,
  states: ReadonlyMap<string, DeviceState>,
  composites: Composites,
  { undo, surplus }: { readonly undo: ScheduleUndo; readonly surplus: SurplusCharge },
  waiting: Pick<WaitingWrites, 'of'>,
  clock: Clock,
) => {
  const here = ({ device }: DeviceState): LocalNow => ({ nowMs: clock.now(), zone: zone(device) });

  /** Undefined where the feature has no schedule that can be written. */
  const readUndo = ({ state, record, feature }: FeatureTarget, text: string): Parsed | undefined => {
    const scheduler = record.isEnabled && schedulePropertyOf(record) !== undefined ? schedulerOf(record) : undefined;
    if (!scheduler) return undefined;
    const press = readPress(text);
    if (!press.ok) return { ok: false, refusal: invalid(press.issues) };
    const content = undo({ device: deviceKey(state.device), feature }, scheduler, press.value.id);
    return { ok: true, write: { feature, command: scheduler.command, envelope: press.value, content, dryRun: false } };
  };

  /** Discards what waits on the feature, where no command cancels. Undefined where nothing can wait. */
  const readDiscard = ({ state, record, feature }: FeatureTarget, text: string): Parsed | undefined => {
    const waits = (): WaitingCommand | undefined => waiting.of(state, feature);
    const command = waits()?.command ?? planningCommand(record);
    if (command === undefined) return undefined;
    const press = readPress(text);
    if (!press.ok) return { ok: false, refusal: invalid(press.issues) };
    const content: DeferredContent = { kind: 'deferred', resolve: () => (waits() ? { kind: 'discard' } : { kind: 'unchanged' }) };
    return { ok: true, write: { feature, command, envelope: press.value, content, dryRun: false } };
  };

  /** A charge with surplus energy. Undefined where the feature has none. */
  const readSurplus = ({ state, record, feature }: FeatureTarget, text: string): Parsed | undefined => {
    if (!takesSurplus(record)) return undefined;
    const press = readPress(text);
    if (!press.ok) return { ok: false, refusal: invalid(press.issues) };
    const content = surplus({ device: deviceKey(state.device), feature }, state, text);
    return { ok: true, write: { feature, command: 'activate', envelope: press.value, content, dryRun: false } };
  };

  /** What `undo/set`, `waiting/set` and `surplus/set` ask for. */
  const readPressed = ({ address, target, text }: CommandRequest<FeatureTarget>): Parsed | undefined => {
    const verb = address.kind === 'set' ? target.leaf : undefined;
    const presses: Readonly<Record<string, typeof readUndo>> = { undo: readUndo, waiting: readDiscard, surplus: readSurplus };
    return verb === undefined || !Object.hasOwn(presses, verb) ? undefined : presses[verb]?.(target, text);
  };

  return {
    resolve: targetResolver({ base, states, composites }),

    /** The write that a command asks for, or why it is refused. */
    parse: ({ target, ...request }: CommandRequest<FeatureTarget | CompositeTarget>): Parsed => {
      const { address, text } = request;
      const { state } = target;
      if (target.kind === 'composite') return withEnd(parseCompositeWrite(composites, target, text), state, here(state));
      const { record, leaf } = target;
      const parsed =
        readPressed({ ...request, target }) ??
        parseCommand(address, record, leaf, text, profiles, (at, feature) => waiting.of(at, feature));
      if (!parsed.ok) return { ok: false, refusal: addressRefusal(text, parsed.refusal) };
      return withEnd(parsed.write, state, here(state));
    },

    /** The end that a command on `<feature>/until/set` asks for. */
    parseEnd: ({ target: { state, feature }, text }: DeviceRequest): Checked<RequestedEnd> =>
      readRequestedEnd(
        text,
        here(state),
        governingWeek(feature, (name) => state.shown(name)),
      ),
  };
};
