import type { Profile } from '../../schedule/profile.ts';
import type { Clock } from '../../shared/clock.ts';
import { type Checked, good } from '../../shared/issue.ts';
import { parseJson } from '../../shared/json.ts';
import { type Envelope, readEnveloped } from '../../topics/commandPayload.ts';
import { schedulePropertyOf } from '../../topics/featureState.ts';
import { schedulerOf } from '../../topics/scheduleCommand.ts';
import type { FeatureAddress } from '../../topics/topicNames.ts';
import type { Device, DeviceState } from '../devices/deviceState.ts';
import type { UndoHistory } from '../execution/undoHistory.ts';
import type { Composites } from '../publishing/composites.ts';
import type { CommandRequest, DeviceRequest } from './commandRequest.ts';
import { type CompositeTarget, type FeatureTarget, type ResolvedTarget, resolveTarget } from './commandTarget.ts';
import { parseCommand } from './parseCommand.ts';
import { parseCompositeWrite } from './parseCompositeWrite.ts';
import { type RequestedEnd, readRequestedEnd, withEnd } from './parseEnd.ts';
import { addressRefusal, invalid } from './rejection.ts';
import type { Parsed } from './resolveWrite.ts';

type ParserSettings = {
  readonly base: string;
  readonly profiles: readonly Profile[];
  /** The time zone in which the ends of temporary writes of a device are read. */
  readonly zone: (device: Device) => string;
};

/** Resolves the address of a command and parses its payload. */
export class CommandParser {
  readonly #settings: ParserSettings;
  readonly #states: ReadonlyMap<string, DeviceState>;
  readonly #composites: Composites;
  readonly #undo: Pick<UndoHistory, 'revertLast'>;
  readonly #clock: Clock;

  constructor(
    settings: ParserSettings,
    states: ReadonlyMap<string, DeviceState>,
    composites: Composites,
    undo: Pick<UndoHistory, 'revertLast'>,
    clock: Clock,
  ) {
    this.#settings = settings;
    this.#states = states;
    this.#composites = composites;
    this.#undo = undo;
    this.#clock = clock;
  }

  resolve(address: FeatureAddress): ResolvedTarget {
    return resolveTarget({ base: this.#settings.base, states: this.#states, composites: this.#composites }, address);
  }

  /** The write that a command asks for, or why it is refused. */
  parse(request: CommandRequest<FeatureTarget | CompositeTarget>): Parsed {
    const read = this.#read(request);
    if (!read.ok) return read;
    const { state } = request.target;
    const ending = withEnd(read.write, state, this.#here(state));
    return ending.ok || !('content' in read.write) ? ending : { ...ending, about: read.write };
  }

  /** The end that a command on `<feature>/until/set` asks for. */
  parseEnd({ target: { state }, text }: DeviceRequest): Checked<RequestedEnd> {
    return readRequestedEnd(text, this.#here(state));
  }

  #read({ address, target, text }: CommandRequest<FeatureTarget | CompositeTarget>): Parsed {
    if (target.kind === 'composite') return { ok: true, write: parseCompositeWrite(this.#composites, target, text) };
    const { record, leaf } = target;
    const undo = address.kind === 'set' && leaf === 'undo' ? this.#readUndo(target, text) : undefined;
    const read = undo ?? parseCommand(address, record, leaf, text, this.#settings.profiles);
    return read.ok ? read : { ok: false, refusal: addressRefusal(text, read.refusal) };
  }

  /** Undefined where the feature has no schedule that can be written. */
  #readUndo({ state, record, feature }: FeatureTarget, text: string): Parsed | undefined {
    const scheduler = record.isEnabled && schedulePropertyOf(record) !== undefined ? schedulerOf(record) : undefined;
    if (!scheduler) return undefined;
    const press = readPress(text);
    if (!press.ok) return { ok: false, refusal: invalid(press.issues) };
    const content = this.#undo.revertLast(state, feature, scheduler, press.value.id);
    return { ok: true, write: { feature, command: scheduler.command, envelope: press.value, content, dryRun: false } };
  }

  #here(state: DeviceState): { readonly nowMs: number; readonly zone: string } {
    return { nowMs: this.#clock.now(), zone: this.#settings.zone(state.device) };
  }
}

/** The envelope of a command without a value of its own. Any payload that is not JSON will do. */
const readPress = (text: string): Checked<Envelope> => {
  const read = parseJson(text).ok ? readEnveloped(text) : good({ envelope: {} });
  return read.ok ? good(read.value.envelope) : read;
};
