import { planningCommand } from '../../../features/fields.ts';
import type { LocalNow } from '../../../schedule/ending.ts';
import type { Profile } from '../../../schedule/profile.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Checked } from '../../../shared/issue.ts';
import { type Envelope, readPress } from '../../../topics/commandPayload.ts';
import { governingWeek } from '../../../topics/governingWeek.ts';
import { schedulerOf } from '../../../topics/scheduleCommand.ts';
import type { Composites } from '../../state/composites.ts';
import type { Device, DeviceState } from '../../state/deviceState.ts';
import type { Decision, DeferredContent } from '../parse/evaluate.ts';
import { parseCommand } from '../parse/parseCommand.ts';
import { parseCompositeWrite } from '../parse/parseCompositeWrite.ts';
import { type RequestedEnd, readRequestedEnd, withEnd } from '../parse/parseEnd.ts';
import type { Parsed, WaitingCommand } from '../parse/resolveWrite.ts';
import type { CommandRequest, DeviceRequest } from '../request/commandRequest.ts';
import { type CompositeTarget, type FeatureTarget, targetResolver } from '../request/commandTarget.ts';
import { addressRefusal, invalid, type Refusal } from '../request/rejection.ts';
import type { WaitingWrites } from '../send/waiting.ts';
import type { ScheduleUndo } from '../undo/undo.ts';
import { placeOf } from '../write/writeLog.ts';
import { type SurplusCharge, takesSurplus } from './surplusCharge.ts';

type ParserSettings = {
  readonly base: string;
  readonly profiles: readonly Profile[];
  /** The time zone of a device for the ends of temporary writes. */
  readonly zone: (device: Device) => string;
};

/** A command without a value, and the content that its turn resolves. */
type Press = { readonly command: string; readonly contentOf: (press: Envelope) => DeferredContent | Refusal };

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

  /** By the verb of `<verb>/set`; undefined where the feature does not support it. */
  const presses: Readonly<Record<string, (target: FeatureTarget, text: string) => Press | undefined>> = {
    undo: ({ state, record, feature }) => {
      const scheduler = record.isEnabled ? schedulerOf(record) : undefined;
      return scheduler && { command: scheduler.command, contentOf: ({ id }) => undo(placeOf(state.device, feature), scheduler, id) };
    },
    // Discards the waiting values of the feature where no command cancels.
    waiting: ({ state, record, feature }) => {
      const waits = (): WaitingCommand | undefined => waiting.of(state, feature);
      const command = waits()?.command ?? planningCommand(record);
      const resolve = () => (waits() ? { kind: 'discard' } : { kind: 'unchanged' }) satisfies Decision;
      return command === undefined ? undefined : { command, contentOf: () => ({ kind: 'deferred', resolve }) };
    },
    surplus: ({ state, record, feature }, text) =>
      takesSurplus(record) ? { command: 'activate', contentOf: () => surplus(placeOf(state.device, feature), state, text) } : undefined,
  };

  /** The write of `undo/set`, `waiting/set` or `surplus/set`. */
  const readPressed = ({ address, target, text }: CommandRequest<FeatureTarget>): Parsed | undefined => {
    const { feature, leaf = '' } = target;
    const asked = address.kind === 'set' && Object.hasOwn(presses, leaf) ? presses[leaf]?.(target, text) : undefined;
    if (!asked) return undefined;
    const press = readPress(text);
    if (!press.ok) return { ok: false, refusal: invalid(press.issues) };
    const { command, contentOf } = asked;
    const about = { feature, command, envelope: press.value };
    const content = contentOf(press.value);
    return 'kind' in content ? { ok: true, write: { ...about, content, dryRun: false } } : { ok: false, refusal: content, about };
  };

  return {
    resolve: targetResolver({ base, states, composites }),

    /** The write of a command, or the reason for its refusal. */
    parse: ({ target, ...request }: CommandRequest<FeatureTarget | CompositeTarget>): Parsed => {
      const { address, text } = request;
      const { state } = target;
      if (target.kind === 'composite') return withEnd(parseCompositeWrite(composites, target, text), state, here(state));
      const { record, leaf } = target;
      const parsed = readPressed({ ...request, target }) ?? parseCommand(address, record, leaf, text, profiles, waiting.of);
      if (!parsed.ok) return { ...parsed, refusal: addressRefusal(text, parsed.refusal) };
      const { write } = parsed;
      return 'choose' in write || write.envelope.end ? withEnd(write, state, here(state)) : parsed;
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
